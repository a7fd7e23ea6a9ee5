# shellcheck shell=bash
# How `lab` builds and removes a path. `broken` is a failure of the system, `lacks`
# something that it does not have; after both nothing is left behind. Bad usage has been
# found before.

# What a path is: set by the options of `lab`.
name=pp routers=1 mtu=1500 reverse='' shaper=tbf
limit_bytes=400000 # a train of 256 full frames fits
relays=()          # options of each relay in the last hop
hop_rate=()        # hop_rate[i] limits the egress of node i; empty: no limit
narrow_hop=0 narrow_burst_bytes=0
have_ipv6=0

# Segmentation and receive merging would hand a train over as one superframe.
offloads=(tso gso gro lro ufo tx-udp-segmentation rx-gro-list
    rx-udp-gro-forwarding tx-gso-list rx-gro-hw)

broken() {
    echo "lab: $*" >&2
    teardown
    exit 1
}

lacks() { # what is missing here is not the test's fault: 77 says so
    echo "lab: SKIP: $*" >&2
    teardown
    exit 77
}

namespaces() {
    ip netns list 2>/dev/null | awk -v prefix="$name-" 'index($1, prefix) == 1 { print $1 }'
}

# The bucket must hold a frame and what comes in while tbf's timer is late; more would let
# the head of a train through unpaced. The steps were measured with full frames: README.md.
least_burst() { # RATE_BPS
    local frame_bytes=$((mtu + 14))
    if [ "$shaper" = htb ]; then echo 0 # it chooses one
    elif (($1 <= 10000000)); then echo $((frame_bytes + 26))
    elif (($1 <= 100000000)); then echo $((frame_bytes + 486))
    elif (($1 <= 500000000)); then echo $((frame_bytes + 1586))
    else echo $((frame_bytes + 4486)); fi
}

ns() { echo "$name-$1"; }

in_ns() { # NODE COMMAND...
    local node=$1
    shift
    ip netns exec "$(ns "$node")" "$@"
}

sysctls_of_node() { # runs inside the namespace; IPv6 files may be missing
    cat <<'END'
set_to() { [ ! -e "/proc/sys/net/$1" ] || echo "$2" >"/proc/sys/net/$1"; }
set_to ipv4/ip_forward 1
set_to ipv6/conf/all/forwarding 1
for which in all default; do
    set_to ipv4/conf/$which/rp_filter 0
    set_to ipv6/conf/$which/accept_dad 0
    set_to ipv6/conf/$which/accept_ra 0
    set_to ipv6/conf/$which/dad_transmits 0
done
END
}

add_node() { # NODE
    ip netns add "$(ns "$1")" || lacks "cannot make a network namespace"
    in_ns "$1" sh -c "$(sysctls_of_node)" || broken "cannot set up namespace $(ns "$1")"
    ip -n "$(ns "$1")" link set lo up
}

quieten() { # NODE IF: no offloads
    local feature
    for feature in "${offloads[@]}"; do
        in_ns "$1" ethtool -K "$2" "$feature" off >/dev/null 2>&1
    done
    if in_ns "$1" ethtool -k "$2" |
        grep -qE '^(tcp-seg|generic-seg|generic-rec|.*tx-udp-seg).*: on'; then
        echo "lab: WARNING: $(ns "$1") $2 keeps an offload on: trains may travel as one frame" >&2
    fi
}

wire() { # NODE_A NODE_B: veth pair, out of A and in to B
    local side
    ip link add out netns "$(ns "$1")" mtu "$mtu" type veth \
        peer name in netns "$(ns "$2")" mtu "$mtu" || lacks "cannot make a veth pair"
    for side in "$1 out" "$2 in"; do
        # shellcheck disable=SC2086
        quieten $side
    done
}

# Fixed MAC addresses and neighbours: no ARP or ND packet ever lands inside a train.
address() { # HOP NODE IF SIDE PEER_SIDE
    local at mac=02:70:70:00:0$1
    at=$(ns "$2")
    ip -n "$at" -batch - <<END || broken "cannot address $at $3"
link set $3 address $mac:0$4 up
address add 10.77.$1.$4/24 dev $3
neighbour replace 10.77.$1.$5 lladdr $mac:0$5 dev $3 nud permanent
END
    ((have_ipv6)) || return 0
    ip -n "$at" -batch - <<END || broken "cannot address $at $3 (IPv6)"
address add fd77:a$1::$4/64 dev $3 nodad
neighbour replace fd77:a$1::$5 lladdr $mac:0$5 dev $3 nud permanent
END
}

add_route() { # NODE HOP SIDE TO4 TO6
    ip -n "$(ns "$1")" route add "$4" via "10.77.$2.$3" || broken "cannot add a route"
    ((have_ipv6)) || return 0
    ip -n "$(ns "$1")" -6 route add "$5" via "fd77:a$2::$3" || broken "cannot add a route (IPv6)"
}

# Node k stands between hop k-1 and hop k: downstream by default, upstream by subnet.
add_routes() {
    local k up
    for ((k = 0; k < routers; k++)); do
        add_route "${nodes[k]}" "$k" 2 default default
    done
    for ((k = 2; k <= routers; k++)); do
        for ((up = 0; up < k - 1; up++)); do
            add_route "${nodes[k]}" $((k - 1)) 1 "10.77.$up.0/24" "fd77:a$up::/64"
        done
    done
    ((routers == 0)) || add_route rcv "$routers" 1 default default
    ip -n "$(ns snd)" route add 224.0.0.0/4 dev out
    ip -n "$(ns rcv)" route add 224.0.0.0/4 dev in
}

shape() { # NODE IF RATE BURST
    if [ "$shaper" = htb ]; then shape_htb "$@"; return; fi
    ip netns exec "$(ns "$1")" tc qdisc replace dev "$2" root \
        tbf rate "$3" burst "$4" limit "$limit_bytes" ||
        lacks "this kernel refuses tbf rate $3 burst $4"
}

# BURST 0: the bucket that htb chooses. A quantum is for classes that share; without one tc warns.
shape_htb() { # NODE IF RATE BURST
    local own_burst=''
    (($4 == 0)) || own_burst="burst $4 cburst $4"
    # shellcheck disable=SC2086 # words
    in_ns "$1" tc qdisc replace dev "$2" root handle 1: htb default 1 &&
        in_ns "$1" tc class add dev "$2" parent 1: classid 1:1 htb \
            rate "$3" $own_burst quantum $((mtu + 14)) &&
        in_ns "$1" tc qdisc add dev "$2" parent 1:1 bfifo limit "$limit_bytes" ||
        lacks "this kernel refuses htb rate $3 $own_burst"
}

shape_all() {
    local i bytes
    for i in "${!hop_rate[@]}"; do
        [ -n "${hop_rate[i]}" ] || continue
        bytes=$(least_burst "$(rate_bps "${hop_rate[i]}")")
        ((i == narrow_hop)) && bytes=$narrow_burst_bytes
        shape "${nodes[i]}" out "${hop_rate[i]}" "$bytes"
    done
    [ -z "$reverse" ] || shape rcv in "$reverse" "$(least_burst "$(rate_bps "$reverse")")"
}

build() {
    local i last=snd
    nodes=(snd)
    for ((i = 1; i <= routers; i++)); do nodes+=("r$i"); done
    nodes+=(rcv)
    for i in "${nodes[@]}"; do add_node "$i"; done
    for ((i = 0; i < routers; i++)); do wire "${nodes[i]}" "${nodes[i + 1]}"; done
    last=${nodes[routers]}
    for ((i = 1; i <= ${#relays[@]}; i++)); do
        add_relay "relay$i" "$last"
        last=relay$i
    done
    wire "$last" rcv
    ((${#relays[@]} == 0)) || ip -n "$(ns "$last")" link set out up
    for ((i = 0; i <= routers; i++)); do
        address "$i" "${nodes[i]}" out 1 2
        address "$i" "${nodes[i + 1]}" in 2 1
    done
    add_routes
    shape_all
}

### Relays: transparent bridges in the last hop

# A relay is punctual only on a processor of its own. The receiver's share of the work is
# moved off it too (RPS): else the first packet of a train, which wakes the receiver, would
# hold up the second. With one processor there is nothing to give.
processors() { # those that we may use
    awk '/^Cpus_allowed_list/ { n = split($2, part, ",")
        for (i = 1; i <= n; i++) { split(part[i], end, "-")
            for (cpu = end[1]; cpu <= (end[2] == "" ? end[1] : end[2]); cpu++) print cpu } }' \
        /proc/self/status
}

relay_cpu() { # NTH: from the last one down; nothing if none can be spared
    ((${1} < $(processors | wc -l))) && processors | tail -n "$1" | head -n 1
}

other_cpus() { # COUNT: what is left beside so many relays, as a list for taskset
    local left
    left=$(($(processors | wc -l) - $1))
    processors | if ((left > 0)); then head -n "$left"; else cat; fi | paste -sd,
}

steer_away() { # NODE: receive work of its `in` goes to the first processor
    local cpu mask
    ((1 < $(processors | wc -l))) || return 0
    cpu=$(processors | head -n 1)
    mask=$(printf '%x' $((1 << cpu % 32)))
    for ((; cpu >= 32; cpu -= 32)); do mask+=,00000000; done
    in_ns "$1" sh -c "echo $mask >/sys/class/net/in/queues/rx-0/rps_cpus" 2>/dev/null ||
        echo "lab: SKIP RPS (needs root): the second packet of a train may be late" >&2
}

run_dir() { echo "/run/pplab-$name"; }

add_relay() { # NODE UPSTREAM_NODE
    add_node "$1"
    # It has no addresses and must not speak: only frames that it forwards may leave it.
    in_ns "$1" sh -c "f=/proc/sys/net/ipv6/conf/default/disable_ipv6; [ ! -e \$f ] || echo 1 >\$f"
    wire "$2" "$1"
    ip -n "$(ns "$1")" link set in up
    ip -n "$(ns "$2")" link set out up
}

start_relay() { # NTH OPTIONS
    local log cpu deadline=$((SECONDS + 5))
    log=$(run_dir)/relay$1
    : >"$log.log"
    cpu=$(relay_cpu "$1") || echo "lab: relay$1 has no processor of its own: see its timing" >&2
    # shellcheck disable=SC2086 # the options are words
    in_ns "relay$1" ${cpu:+taskset -c "$cpu"} "${relay_bin:?}" in out $2 \
        >"$log.json" 2>"$log.log" </dev/null &
    until grep -q '^relay: ready' "$log.log"; do
        if ! kill -0 $! 2>/dev/null; then
            sed 's/^/lab: /' "$log.log" >&2
            teardown
            exit 2
        fi
        ((SECONDS < deadline)) || broken "relay$1 does not start"
        sleep 0.01
    done
    sed 's/^/lab: /' "$log.log" >&2
}

start_relays() {
    local i
    ((${#relays[@]})) || return 0
    mkdir -p "$(run_dir)" || broken "cannot write $(run_dir)"
    for i in "${!relays[@]}"; do start_relay $((i + 1)) "${relays[i]}"; done
    steer_away rcv
}

### Removing

pids_inside() {
    local at
    for at in $(namespaces); do ip netns pids "$at"; done
}

kill_inside() { # SIGNAL; waits up to 2 s
    local pids tries=200
    pids=$(pids_inside)
    # shellcheck disable=SC2086
    [ -z "$pids" ] || kill "-$1" $pids 2>/dev/null
    while [ -n "$(pids_inside)" ] && ((tries-- > 0)); do sleep 0.01; done
}

teardown() {
    local at
    kill_inside TERM
    kill_inside KILL
    for at in $(namespaces); do ip netns delete "$at"; done
    rm -rf "$(run_dir)"
}
