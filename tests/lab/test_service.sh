#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# As a service: the units are sound and as strict as they claim, the programs stay within them,
# privileges go once they were used, and what is left still lets an interface come back and a
# log be rotated.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"

lab_up --name ppserve --rate 10mbit
at=ppserve-rcv
chmod 755 "$scratch" # for others, that programs become
missing() { # TOOL REASON: says so, and is true, when the tool is not there
    ! command -v "$1" >/dev/null || return 1
    echo "SKIP test_service: $1 is missing: $2"
}

# Of this lab alone: others may run on this host.
pids() { # NAME: of programs in the receiver's namespace
    for it in $(ip netns pids "$at"); do
        [ "$(cat "/proc/$it/comm" 2>/dev/null)" != "$1" ] || echo "$it"
    done
}
signal() { # NAME SIGNAL
    for it in $(pids "$1"); do kill "-$2" "$it"; done
}

# --- The units ---

units=$scratch/units
make -s -C "$lab_dir/../.." BUILD="$scratch/build" BINDIR="$BIN" DESTDIR="$scratch" UNITDIR=/units \
    install-service || fail "make install-service"
if ! missing systemd-analyze "units not looked at"; then
    for unit in pprec@9000 pprec-capture@eth0 pptrans@a.example; do
        check_equal "$unit: verify" \
            "$(systemd-analyze verify --man=no "$units/$unit.service" 2>&1)" ""
        check_below "$unit: exposure (10: none kept out)" "$(systemd-analyze security --no-pager \
            --offline=true "$units/$unit.service" | sed -n 's/.*: \([0-9.]*\) .*/\1/p' | tail -n 1)" 2
    done
fi

# The calls that a unit's SystemCallFilter= lines leave: sets expanded, ~ taken off.
expand() { # SET-OR-CALL...
    for call; do
        case $call in
        @*) # shellcheck disable=SC2046
            expand $(systemd-analyze syscall-filter "$call" | sed '1d; /^ *#/d') ;;
        *) echo "$call" ;;
        esac
    done
}
allowed() { # UNIT
    sed -n 's/^SystemCallFilter=//p' "$units/${1%@*}@.service" | while read -r calls; do
        # shellcheck disable=SC2086
        case $calls in
        ~*) expand ${calls#\~} | sort -u | comm -23 "$scratch/calls" - >"$scratch/calls.new" ;;
        *) expand $calls | cat - "$scratch/calls" | sort -u >"$scratch/calls.new" ;;
        esac
        mv "$scratch/calls.new" "$scratch/calls"
    done
    cat "$scratch/calls"
}
families() { sed -n 's/^RestrictAddressFamilies=//p' "$units/${1%@*}@.service" | tr ' ' '\n' | sort; }

within() { # UNIT TRACE: what the program did, once it ran, is what its unit allows
    : >"$scratch/calls"
    allowed "$1" >"$scratch/allowed"
    sed 's/^[0-9]* *//' "$2" | awk '/^execve/ { n = 0 } { line[n++] = $0 } END {
        for (i = 0; i < n; i++) print line[i] }' >"$scratch/ran" # from its start on
    sed -n 's/^\([a-z_0-9]*\)(.*/\1/p' "$scratch/ran" | sort -u >"$scratch/used"
    check_equal "$1: calls used beyond its filter, of $(wc -l <"$scratch/used")" \
        "$(grep -vx execve "$scratch/used" | comm -23 - "$scratch/allowed" | paste -sd ' ' -)" ""
    families "$1" >"$scratch/allowed"
    check_equal "$1: address families used beyond its own" "$(sed -n \
        's/.*socket(\(AF_[A-Z0-9]*\|PF_[A-Z]*\),.*/\1/p' "$scratch/ran" | sort -u | comm -23 - "$scratch/allowed")" ""
    check_equal "$1: told the service manager" \
        "$(grep -o 'READY=1\|STOPPING=1' "$scratch/ran" | paste -sd ' ' -)" "READY=1 STOPPING=1"
}

# As the user that a unit's program is, where there is another one than root.
lend=
if setpriv --reuid nobody --clear-groups true 2>/dev/null; then
    lend='setpriv --reuid nobody --clear-groups --inh-caps +net_raw --ambient-caps +net_raw'
fi
traced() { # TRACE NODE PROGRAM OPTIONS...
    trace=$1 node=$2
    shift 2
    # shellcheck disable=SC2086
    NOTIFY_SOCKET=$scratch/manager in_background "$lab" exec --name ppserve "$node" \
        strace -f -s 128 -o "$trace" $lend "$@" >/dev/null 2>"$trace.err"
}

if ! missing strace "filters not compared with what the programs do" &&
    ! missing systemd-analyze "filters not looked at"; then
    if strace -o "$scratch/try" true 2>/dev/null; then
        mkdir -m 777 "$scratch/logs"
        traced "$scratch/port" rcv "$BIN/pprec" -p "$port" -q -i 1 -g 239.1.1.1 -o "$scratch/logs/port"
        receiver=$job
        traced "$scratch/capture" rcv "$BIN/pprec" -C in -q -o "$scratch/logs/capture"
        captor=$job
        wait_udp "$at" "$port"
        sleep 0.3
        traced "$scratch/sender" snd "$BIN/pptrans" -h "$RECEIVER4" -p "$port" -n 16 -c 10 -d 100 -q
        sender=$job
        sleep 0.5
        signal pprec HUP
        wait "$sender"
        sleep 0.2
        signal pprec TERM
        wait "$receiver" "$captor"
        within pprec@9000 "$scratch/port"
        within pprec-capture@eth0 "$scratch/capture"
        within pptrans@a.example "$scratch/sender"
    else
        echo "SKIP test_service: strace may not trace here"
    fi
fi

# --- Privileges ---

status_of() { # KEY: of /proc/PID/status of the pprec that runs
    sed -n "s/^$1:[[:space:]]*\([0-9a-f]*\).*/\1/p" "/proc/$(pids pprec)/status"
}
as_nobody() { # PPREC-OPTIONS...
    rm -f "$scratch/mine/log"
    "$lab" exec --name ppserve rcv "$BIN/pprec" --user nobody -q -o "$scratch/mine/log" "$@" \
        >"$scratch/out" 2>"$scratch/err" &
    receiver=$!
    lab_jobs="$lab_jobs $receiver"
    await
}
await() { # its log: it is open, and privileges are gone
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        sleep 0.1
        [ ! -s "$scratch/mine/log" ] || return
    done
}
end_it() {
    kill "$receiver"
    wait "$receiver"
}
bound() { "$lab" exec --name ppserve rcv ss -uln | grep -c "%plug:$port "; }
plug() { "$lab" exec --name ppserve rcv ip link add plug type veth peer name gulp; }

mkdir "$scratch/mine"
if chown nobody "$scratch/mine" 2>/dev/null; then
    nobody=$(id -u nobody)
    as_nobody -C in
    check_equal "-C --user: user, capabilities" "$(status_of Uid) $(status_of CapEff)" \
        "$nobody 0000000000000000"
    mv "$scratch/mine/log" "$scratch/mine/log.1"
    kill -HUP "$receiver"
    await
    check_equal "the log is reopened without privileges, as" \
        "$(stat -c %U "$scratch/mine/log")" nobody
    end_it

    # in a directory that is not root's
    rm -f "$scratch/mine/log"
    "$lab" exec --name ppserve rcv "$BIN/pprec" -C in -q -o "$scratch/mine/log" >"$scratch/out" 2>"$scratch/err" &
    receiver=$!
    lab_jobs="$lab_jobs $receiver"
    await
    check_equal "root without --user: capabilities (CAP_DAC_OVERRIDE alone)" "$(status_of CapEff)" 0000000000000002
    check_equal "root without --user: says what it keeps" \
        "$(grep -c 'run by root without --user: keeps .*CAP_DAC_OVERRIDE' "$scratch/err")" 1
    mv "$scratch/mine/log" "$scratch/mine/log.1"
    kill -HUP "$receiver"
    await
    check_equal "its log is reopened there" "$(grep -c '^# pprec' "$scratch/mine/log")" 1
    end_it

    rm "$scratch/err"
    "$lab" exec --name ppserve rcv "$BIN/pprec" -p "$port" >"$scratch/out" 2>"$scratch/err" &
    receiver=$!
    lab_jobs="$lab_jobs $receiver"
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ -s "$scratch/err" ] || sleep 0.1
    done
    check_equal "root without --user and a log: keeps nothing, says nothing of it" \
        "$(status_of CapEff) $(grep -c root "$scratch/err")" "0000000000000000 0"
    end_it

    plug
    as_nobody -p "$port" -I plug
    check_equal "-I --user: capabilities (CAP_NET_RAW alone)" "$(status_of CapEff)" 0000000000002000
    "$lab" exec --name ppserve rcv ip link delete plug
    plug
    sleep 1.5
    check_equal "-I --user: bound to the interface that came back" "$(bound)" 1
    end_it

    rm -f "$scratch/mine/log"
    "$lab" exec --name ppserve rcv setpriv --reuid nobody --clear-groups --ambient-caps +net_raw \
        --inh-caps +net_raw "$BIN/pprec" -C in -q -o "$scratch/mine/log" >/dev/null 2>&1 &
    receiver=$!
    await
    check_equal "a capability that the service manager lent is dropped" "$(status_of CapEff)" \
        0000000000000000
    end_it
else
    echo "SKIP test_service: this user namespace has one user, so none to become"
fi
"$BIN/pprec" -p "$port" --user nosuchuser -t 0.1 2>"$scratch/err"
check_equal "an unknown user: status, words" "$? $(cat "$scratch/err")" \
    "2 pprec: --user 'nosuchuser': no such user"

# --- The log, rotated as installed ---

if ! missing logrotate "its file is not tried"; then
    sed -e "s|/var/log/pprec|$scratch/rotated|" -e "s|systemctl reload.*|kill -HUP \$(cat $scratch/pid)|" \
        "$scratch/etc/logrotate.d/pprec" >"$scratch/rotate.conf"
    chmod 644 "$scratch/rotate.conf"
    mkdir -m 755 "$scratch/rotated"
    receive "$scratch/rotated/9000.log"
    pids pprec >"$scratch/pid"
    send "$RECEIVER4" -d 20 -c 30 &
    sender=$!
    for _ in 1 2; do
        sleep 0.25
        logrotate -f -s "$scratch/rotate.state" "$scratch/rotate.conf" || fail "logrotate"
    done
    wait "$sender"
    stop_receiving
    check_equal "trains in two rotated logs and the last, each once" "$({
        gzip -dc "$scratch"/rotated/*.gz
        cat "$scratch/rotated/9000.log.1" "$scratch/rotated/9000.log"
    } | awk '!/^#/ && !seen[$4]++' | wc -l)" 30
fi
scratch_clean
test_end
