#!/bin/sh
# The lab itself: paths come up, carry both families, keep their rates, and go away again.
. "$(dirname "$0")/lib.sh"
lab_private "$@"
trains=40 length=8 payload_bytes=1452 # 1480 with IPv4, 1500 with IPv6

measured() { # KEY ADDRESS: of trains from sender to receiver
    in_background "$lab" exec --name "$LAB" rcv "$bin/sink" 9000 "$length" 300 >"$out"
    wait_udp "$RECEIVER_NS" 9000
    "$lab" exec --name "$LAB" snd "$bin/train" "$2" 9000 "$trains" "$length" "$payload_bytes" 20000
    wait "$job"
    field "$1" <"$out"
}

median_gap() { # ADDRESS
    measured gap_us "$1" >/dev/null
    field p50 <"$out"
}

check_refused() { # OPTIONS...: one line, exit 2, nothing left behind
    said=$("$lab" up "$@" 2>&1)
    check_equal "up $* exits" $? 2
    check_equal "up $* says lines:" "$(echo "$said" | wc -l)" 1
    check_equal "up $* leaves namespaces:" "$(ip netns list | wc -l)" 0
}

out=$(mktemp)

check_refused --rate 10mbps
check_equal "a rate that is none: what is wanted" "$(echo "$said" | grep -c 'such as 10mbit$')" 1
check_equal "a verb behind an option" "$("$lab" --name x up 2>&1)" "lab: the verb comes first: lab up --name ... (lab help)"
check_equal "up --help" "$("$lab" up --help | head -n 1)" "$("$lab" help | head -n 1)"
"$lab" down --name nosuch 2>"$out"
check_equal "down of none" "$? $(cat "$out")" "1 lab: no lab named nosuch is up"
check_refused --routers 6
check_refused --burst 1000
check_refused --rates 1mbit,2mbit,3mbit
check_refused --nonsense 1
check_refused --relay '--nonsense 1'

check_equal "descriptors of a caller left open" \
    "$(exec 9</dev/null; PP_LAB_PRIVATE='' "$lab" run sh -c 'ls /proc/$$/fd' | tr '\n' ' ')" "0 1 2 "
# shellcheck disable=SC2016 # for the inner shell
check_equal "ip, tc and ethtool found without sbin in PATH" \
    "$(PATH=/usr/local/bin:/usr/bin:/bin "$lab" run sh -c 'for it in ip tc ethtool; do command -v $it; done' | wc -l)" 3

lab_up --routers 3 --rates 50mbit,40mbit,10mbit,- --name left
check_equal "narrow hop is" "$NARROW_NS" left-r2
left4=$RECEIVER4
lab_up --rate 20mbit --access 40mbit --reverse 5mbit --name right
check_near "20 Mbit/s, IPv6: median gap, us" "$(median_gap "$RECEIVER6")" 605.6 3
check_near "20 Mbit/s, IPv4: median gap, us" "$(median_gap "$RECEIVER4")" 597.6 3
LAB=left RECEIVER_NS=left-rcv
check_near "3 routers, 10 Mbit/s: median gap, us" "$(median_gap "$left4")" 1195.2 3
check_equal "packets through 3 routers" "$(field packets <"$out")" $((trains * length))
lab_down left
check_equal "namespaces beside the one removed" "$(ip netns list | wc -l)" 3
lab_down right
check_equal "namespaces left" "$(ip netns list | wc -l)" 0
rm -f "$out"
test_end
