# shellcheck shell=sh
# Helpers for shell tests that run in the lab. A test begins with
#     . "$(dirname "$0")/lib.sh"
#     lab_private "$@"                 # no-op inside; needs no root
#     lab_up --rate 10mbit             # addresses become shell variables
# and ends with `test_end`. One line a check: `ok|FAIL|SKIP name: figure`. All the while a control
# runs (host_watch): figures of time (check_near, `timed CHECK...`) that are off while it says that
# the host is too noisy are a SKIP, with its figure; while it is calm they are a FAIL.
# Exit 0: all ok; 1: a check failed; 77: skipped; 2: the lab itself broke.

lab_dir=${LAB_DIR:-$(cd "$(dirname "$0")" && pwd)}
lab=$lab_dir/lab
# shellcheck disable=SC2034 # for the tests
bin=${PP_BIN:-$lab_dir/../../build/bin}
lab_failed=0
lab_names=
lab_jobs=
lab_watch=
lab_noisy=0
lab_timed=
test_name=$(basename "$0" .sh)

# Run the whole script again in a network of its own.
lab_private() {
    [ -n "${PP_LAB_PRIVATE-}" ] || exec "$lab" run "$0" "$@"
    trap lab_cleanup EXIT
    trap 'exit 1' INT TERM HUP
    lab_host=$(mktemp)
    "$lab_dir/host_watch" "$lab_host" &
    lab_watch=$!
}

lab_cleanup() {
    for lab_it in $lab_jobs $lab_watch; do kill "$lab_it" 2>/dev/null; done
    for lab_it in $lab_names; do "$lab" down --name "$lab_it" 2>/dev/null; done # some are down already
    [ -z "$lab_watch" ] || rm -f "$lab_host"
    lab_jobs='' lab_names='' lab_watch=''
}

# Build a path and set SENDER4, RECEIVER4, ... here; `lab_down NAME` removes it early.
lab_up() {
    lab_facts=$("$lab" up "$@") || lab_broke $?
    eval "$lab_facts"
    lab_names="$lab_names $LAB"
}

lab_broke() { # STATUS of lab up
    [ "$1" != 77 ] || skip "this system lacks what the lab needs"
    exit 2
}

lab_down() {
    "$lab" down --name "${1:-pp}"
}

# The states that are answers, as pprec_state_is_sure() has them.
is_sure() { # STATE
    case $1 in converged | shaped | fair | policed | varying) return 0 ;; *) return 1 ;; esac
}

ok() { echo "ok $test_name: $*"; }

noisy() { # WHAT: FIGURES OF THE CONTROL
    echo "SKIP $test_name: $1: the host is too noisy to tell: $2"
    lab_noisy=$((lab_noisy + 1))
}

fail() {
    if [ -n "$lab_timed" ] && ! host_is_calm; then
        noisy "$*" "$(host_figures)"
    else
        echo "FAIL $test_name: $*"
        lab_failed=1
    fi
}

timed() { # CHECK...: what it checks depends on when processes get to run
    lab_timed=1
    "$@"
    set -- $?
    lab_timed=
    return "$1"
}

# With a busy loop on each processor the control waits for two to ten times as long as it runs.
host_is_calm() {
    awk '{ naps += $1; late += $2; stalls += $3 > 50000; ran += $4; waited += $5 }
        END { exit late > naps / 10 || stalls || waited > ran / 2 }' "$lab_host"
}

host_figures() {
    awk '{ naps += $1; late += $2; if ($3 > worst) worst = $3; ran += $4; waited += $5 }
        END { printf "%.0f %% of %d naps ended over 1 ms late, one %.0f ms, and it waited %.1f times as long as it ran",
            (naps ? late * 100 / naps : 0), naps, worst / 1000, (ran ? waited / ran : 0) }' "$lab_host"
}

skip() { # REASON: the whole test
    echo "SKIP $test_name: $*"
    exit 77
}

test_end() {
    echo "host $test_name: $(host_figures)"
    [ "$lab_failed" = 0 ] || exit 1
    [ "$lab_noisy" = 0 ] || skip "the host was too noisy for $lab_noisy of its checks"
    exit 0
}

need() { # TOOL...
    for lab_it in "$@"; do
        command -v "$lab_it" >/dev/null || skip "$lab_it is missing"
    done
}

# Debian's tcpdump wants to be another user even where there is none, as in an ordinary user's namespace.
need_tcpdump() {
    need tcpdump
    lab_said=$(timeout 1 tcpdump -i lo -w - 2>&1 >/dev/null)
    [ $? = 124 ] || skip "tcpdump does not start: $(echo "$lab_said" | grep tcpdump: | head -n 1)"
}

check_equal() { # WHAT ACTUAL EXPECTED
    if [ "$2" = "$3" ]; then ok "$1 $2"; else fail "$1 $2, not $3"; fi
}

within() { # ACTUAL EXPECTED PERCENT
    awk -v is="$1" -v want="$2" -v percent="$3" 'BEGIN {
        if (is !~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/) exit 1
        off = is - want; if (off < 0) off = -off
        size = want < 0 ? -want : want
        exit !(off <= size * percent / 100) }'
}

check_near() { # WHAT ACTUAL EXPECTED PERCENT
    if within "$2" "$3" "$4"; then
        ok "$1 $2 (within $4 % of $3)"
    elif [ -z "$2" ]; then # no host is that noisy
        fail "$1 nothing, not within $4 % of $3"
    else
        timed fail "$1 $2, not within $4 % of $3"
    fi
}

check_below() { # WHAT ACTUAL LIMIT
    if awk -v is="$2" -v limit="$3" 'BEGIN { exit !(is ~ /^-?[0-9]/ && is + 0 < limit + 0) }'
    then ok "$1 $2 (below $3)"; else fail "$1 ${2:-nothing}, not below $3"; fi
}

# What a processor does now and then the control may have missed: of n naps that none of came late, 3 in n
# trains may still be (with 95 %: Hanley and Lippman-Hand, 1983), and so many more as naps did.
check_rare() { # WHAT COUNT OF
    lab_most=$(awk -v of="$3" '{ naps += $1; late += $2 } END { printf "%.0f", naps ? of * (late + 3) / naps : 0 }' \
        "$lab_host")
    if [ "$2" -le "$lab_most" ]; then ok "$1 $2 of $3 (at most $lab_most)"; else fail "$1 $2 of $3, over $lab_most"; fi
}

# Run in the background, to be killed at the end at the latest; sets `job`.
in_background() { # COMMAND...
    "$@" &
    job=$!
    lab_jobs="$lab_jobs $job"
}

# Capture with tcpdump until capture_end; the packets are in FILE as they come. Run without
# root, Debian's tcpdump cannot give up the privileges that it thinks it has: a skip.
capture() { # NAMESPACE IF FILE [FILTER...]
    lab_at=$1 lab_if=$2 lab_file=$3 lab_tries=250
    shift 3
    need tcpdump
    in_background ip netns exec "$lab_at" tcpdump -n --immediate-mode -U -B 16384 \
        --time-stamp-precision=nano -i "$lab_if" -w - "$@" >"$lab_file" 2>"$lab_file.log"
    capture_job=$job
    until grep -q 'listening on' "$lab_file.log"; do
        if ! kill -0 "$capture_job" 2>/dev/null || [ "$lab_tries" = 0 ]; then
            skip "tcpdump does not start: $(tail -n 1 "$lab_file.log")"
        fi
        lab_tries=$((lab_tries - 1))
        sleep 0.02
    done
}

capture_end() {
    kill -INT "$capture_job" 2>/dev/null
    wait "$capture_job"
}

wait_for() { # COMMAND...: up to 3 s
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
        "$@" && return
        sleep 0.2
    done
}

wait_udp() { # NAMESPACE PORT [SECONDS]: until something there has bound the UDP port
    lab_end=$(($(date +%s) + ${3:-5}))
    lab_hex=$(printf ':%04X' "$2")
    until ip netns exec "$1" cat /proc/net/udp /proc/net/udp6 2>/dev/null |
        awk -v port="$lab_hex" 'substr($2, length($2) - 4) == port { hit = 1 } END { exit !hit }'
    do
        if [ "$(date +%s)" -gt "$lab_end" ]; then
            fail "nothing bound UDP port $2 in $1 within ${3:-5} s"
            return 1
        fi
        sleep 0.02
    done
}

# As many busy loops as asked for, to take the processors away from what is tested.
keep_busy() { # [COUNT [COMMAND...: that runs them]]
    lab_left=${1:-1}
    [ $# = 0 ] || shift
    while [ "$lab_left" -gt 0 ]; do
        in_background "$@" sh -c 'while :; do :; done'
        lab_left=$((lab_left - 1))
    done
}

# A loop on each processor that runs when nothing else wants to: none goes to sleep, which
# a virtual one takes tens of microseconds to wake from, in the middle of a train.
keep_awake() { keep_busy "$(nproc)" chrt --idle 0; }

# A figure of time that whatever else the host does may have spoilt is measured up to three
# times: what is wrong with the programs spoils it each time. $tries is in every row; rows that did
# not pass and are measured again go to standard error.
tries=1 lab_rows=
thrice() { # COMMAND...: 0 once it succeeds, else 1
    for tries in 1 2 3; do
        lab_rows='' lab_status=0
        "$@" || lab_status=1
        [ $lab_status = 1 ] && [ "$tries" -lt 3 ] || break
        print_rows | sed 's/^/measured again: /' >&2
    done
    print_rows
    return $lab_status
}

table_row() { # LINE...: held back until it is known whether it counts
    lab_rows="$lab_rows$*
"
}

print_rows() {
    printf '%s' "$lab_rows"
    lab_rows=
}

json_field() { # KEY: of the first JSON object on stdin, a flat number or string
    sed -n '1s/.*"'"$1"'": *"\{0,1\}\([^",}]*\).*/\1/p'
}

field() { # KEY: of the first line of KEY=VALUE words on stdin
    awk -v key="$1" '{ for (i = 1; i <= NF; i++) if (index($i, key "=") == 1) {
        print substr($i, length(key) + 2); exit } }'
}
