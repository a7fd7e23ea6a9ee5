#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The installed units under a real service manager: they start, as users that exist only then, measure,
# reopen their logs, read a key that the manager lends, and come back when they were killed.
# shellcheck disable=SC2317 # functions are called through await
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"
need systemctl unshare nsenter pgrep
awk '{ exit !($1 == 0 && $2 == 0) }' /proc/self/uid_map ||
    skip "a service manager needs root, and not that of a user namespace"

# --- Units, options, programs ---

make -s -C "$lab_dir/../.." BUILD="$scratch/build" BINDIR=/run/pp DESTDIR="$scratch" UNITDIR=/units \
    install-service || fail "make install-service"
mkdir "$scratch/bin" "$scratch/units/pprec@9001.service.d" "$scratch/units/pptrans@localhost.service.d"
cp "$BIN/pprec" "$BIN/pptrans" "$scratch/bin"
mv "$scratch/etc/default" "$scratch/default"
options() { # UNIT OPTIONS
    echo "$(echo "${1%@*}" | tr '[:lower:]' '[:upper:]')_OPTIONS=$2" >"$scratch/default/$1"
}
lend() { # UNIT: as docs/operations.md says it
    printf '[Service]\nLoadCredential=key:/run/default/key\n' >"$scratch/units/$1.service.d/key.conf"
}
options pptrans@127.0.0.1 "-p 9000 -q -d 50"
od -An -N32 -tx1 /dev/urandom | tr -d ' \n' >"$scratch/default/key"
chmod 600 "$scratch/default/key"
options pprec@9001 "-q --key-file /run/credentials/pprec@9001.service/key --state /var/lib/pprec/9001"
options pptrans@localhost "-p 9001 -q -d 50 --key-file /run/credentials/pptrans@localhost.service/key"
lend pprec@9001
lend pptrans@localhost

# --- The manager ---

in_background unshare --fork --kill-child --pid --mount --uts --ipc --net --cgroup \
    "$lab_dir/manager" "$scratch" >"$scratch/manager.out" 2>&1
# Neither its parent's end nor SIGTERM ends systemd.
manager=
trap '[ -z "$manager" ] || kill -9 "$manager"; lab_cleanup' EXIT
inside() { # COMMAND...
    timeout 10 nsenter -t "${manager:-none}" -m -p -n "$@" 2>&1
}
# Waits up to 15 s for a command's output to be that.
await() { # EXPECTED COMMAND...
    awaited=$1 left=75
    shift
    until seen=$("$@") && [ "$seen" = "$awaited" ]; do
        [ "$left" -gt 0 ] || return 1
        left=$((left - 1))
        sleep 0.2
    done
}
await systemd sh -c "ps -o comm= --ppid $job" && manager=$(pgrep -P "$job")
await running inside systemctl is-system-running ||
    skip "systemd does not start in namespaces here: $(tail -n 1 "$scratch/manager.out")"

# --- What the units do ---

receivers='pprec@9000 pprec@9001 pprec-capture@lo'
senders='pptrans@127.0.0.1 pptrans@localhost'
pid_of() { inside systemctl show -P MainPID "$1"; }
status_of() { # UNIT KEY: in the status of its process
    inside sed -n "s/^$2:[[:space:]]*\([0-9a-f]*\).*/\1/p" "/proc/$(pid_of "$1")/status"
}
log_of() { # UNIT
    echo "/var/log/pprec/${1#*@}.log"
}
trains() { # LOG: at least ten?
    inside grep -vc '^#' "$1" | awk '$1 >= 10 { print "ten" }'
}
header() { # LOG: times that one was opened
    inside grep -c '^# pprec ' "$1"
}

for unit in $receivers $senders; do
    check_equal "$unit: started, its words" "$(inside systemctl start "$unit")" ""
    check_equal "$unit: is" "$(inside systemctl is-active "$unit")" active
    uid=$(status_of "$unit" Uid)
    check_equal "$unit: user $uid exists only now (61184 to 65519)" \
        "$(echo "$uid" | awk '{ print ($1 >= 61184 && $1 <= 65519) }')" 1
    check_equal "$unit: capabilities" "$(status_of "$unit" CapEff)" 0000000000000000
done
inside systemctl kill -s KILL pprec-capture@lo pptrans@127.0.0.1 # to come back, 10 s later
for unit in pprec@9000 pprec@9001; do
    await ten trains "$(log_of "$unit")"
    check_equal "$unit: trains in its log, at least" "$seen" ten
done

inside mv /var/log/pprec/9001.log /var/log/pprec/9001.log.1
check_equal "pprec@9001: reloaded, its words" "$(inside systemctl reload pprec@9001)" ""
await ten trains /var/log/pprec/9001.log
check_equal "pprec@9001: trains in the new log, at least" "$seen" ten

await 1 inside systemctl show -P NRestarts pprec-capture@lo
check_equal "pprec-capture@lo: restarts after kill -9" "$seen" 1
await 2 header /var/log/pprec/lo.log
check_equal "pprec-capture@lo: times that its log was opened, to append" "$seen" 2
await 1 inside systemctl show -P NRestarts pptrans@127.0.0.1
check_equal "pptrans@127.0.0.1: restarts" "$seen" 1
words() { inside systemctl show -P StatusText pprec@9001 | sed -n 's/^1 streams, .*bit.*/an estimate/p'; }
await "an estimate" words
check_equal "pprec@9001: its status shows" "$seen" "an estimate"

# shellcheck disable=SC2086
check_equal "stopped, words" "$(inside systemctl stop $senders $receivers)" ""
for unit in $receivers $senders; do
    check_equal "$unit: ended with" "$(inside systemctl show -P Result "$unit")" success
done
check_equal "pprec@9001: bytes of its state, with one stream" "$(inside stat -L -c %s /var/lib/pprec/9001)" 200
inside sh -c 'cat /var/log/pprec/*' >"$scratch/logs"
check_equal "torn lines, of $(wc -l <"$scratch/logs")" \
    "$(awk '!/^#/ && NF != 15' "$scratch/logs" | wc -l) $(tail -c 1 "$scratch/logs" | od -An -tx1)" "0  0a"

kill -9 "$manager" && wait "$job" 2>/dev/null
manager=
# The manager's cgroups are below ours, and empty.
find /sys/fs/cgroup -depth -type d -newer "$scratch/bin" \
    \( -path '*/system.slice*' -o -name init.scope -o -name '*.mount' \) -exec rmdir {} \; 2>/dev/null
scratch_clean
test_end
