# shellcheck shell=sh
# SPDX-License-Identifier: BSD-3-Clause
# One sender and several receivers for multicast. After lib.sh:
#     star_up ppstar 1mbit 5mbit # NAME, a rate for each receiver's link, - for none
# or, for links that are exact, with the options of a relay (see relay --help) in place of a rate:
#     star_up ppstar '--rate 5m' '--rate 50m'
# makes NAME-snd, NAME-sw and NAME-rcv1.. : a bridge that snoops IGMPv3 and MLDv2, so that a
# link carries the groups its receiver joined and no others, as behind a multicast router.
# The sender is 10.78.0.100, fd78::100 and on `out`; receiver i 10.78.0.i, fd78::i and on `in`.

star_ns() { # NODE
    ip netns add "$star_name-$1" || skip "cannot make a network namespace"
    ip -n "$star_name-$1" link set lo up
}

# What leaves a receiver's link waits at most 80 ms for it: real narrow links drop, too.
star_shape() { # PORT RATE
    case $2 in - | --*) return 0 ;; esac
    ip netns exec "$star_name-sw" tc qdisc replace dev "$1" root \
        tbf rate "$2" burst 1540 latency 80ms || skip "this kernel refuses tbf"
}

star_offloads_off() { # NODE IF
    for star_feature in tso gso gro tx-udp-segmentation; do
        ip netns exec "$star_name-$1" ethtool -K "$2" "$star_feature" off >/dev/null 2>&1
    done
}

# A relay between bridge and node, whose account star_stop prints; NAME-relayPORT.
star_relay() { # NODE IF PORT OPTIONS
    star_ns "relay$3"
    ip link add "$2" netns "$star_name-$1" type veth peer name out netns "$star_name-relay$3"
    ip link add in netns "$star_name-relay$3" type veth peer name "$3" netns "$star_name-sw"
    for star_side in in out; do
        ip -n "$star_name-relay$3" link set "$star_side" up
        star_offloads_off "relay$3" "$star_side"
    done
    # shellcheck disable=SC2086 # words
    in_background ip netns exec "$star_name-relay$3" "${PP_RELAY:-$lab_dir/../../build/bin/relay}" in out $4 \
        >"$scratch/$3.json" 2>"$scratch/$3.err"
    star_relays="$star_relays $job"
}

# Ends the relays, which then write what they know.
star_stop() {
    for star_job in $star_relays; do
        kill "$star_job"
        wait "$star_job"
    done
    star_relays=
}

star_wire() { # NODE IF ADDRESS PORT RATE
    case $5 in
    --*) star_relay "$1" "$2" "$4" "$5" ;;
    *) ip link add "$2" netns "$star_name-$1" type veth peer name "$4" netns "$star_name-sw" ;;
    esac
    ip -n "$star_name-$1" link set "$2" up
    ip -n "$star_name-$1" address add "10.78.0.$3/24" dev "$2"
    ip -n "$star_name-$1" address add "fd78::$3/64" dev "$2" nodad
    ip -n "$star_name-$1" route add 224.0.0.0/4 dev "$2"
    ip -n "$star_name-sw" link set "$4" master bridge0 up
    bridge -n "$star_name-sw" link set dev "$4" fastleave on
    star_offloads_off "$1" "$2"
    star_offloads_off sw "$4"
    star_shape "$4" "$5"
}

# A querier's first answers are due after its response interval; until then it floods.
star_bridge() {
    ip -n "$star_name-sw" link add bridge0 type bridge mcast_snooping 1 mcast_querier 1 \
        mcast_igmp_version 3 mcast_mld_version 2 mcast_query_response_interval 20 \
        mcast_last_member_interval 20 mcast_startup_query_interval 50 ||
        skip "this kernel has no bridge that snoops"
    ip -n "$star_name-sw" link set bridge0 up
}

star_up() { # NAME RATE...
    need ip tc bridge ethtool
    star_name=$1 star_relays=
    shift
    lab_names="$lab_names $star_name"
    star_ns sw
    star_bridge
    star_ns snd
    star_wire snd out 100 snd -
    star_count=0
    for star_rate; do
        star_count=$((star_count + 1))
        star_ns "rcv$star_count"
        star_wire "rcv$star_count" in "$star_count" "rcv$star_count" "$star_rate"
    done
    sleep 1
}

star_exec() { # NODE COMMAND...
    star_node=$1
    shift
    ip netns exec "$star_name-$star_node" "$@"
}
