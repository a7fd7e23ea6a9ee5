#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The log: whole lines through kill -9 (PP_KILLS=20 of them, at random moments, PP_SEED), none
# missing that was shown; reopened on SIGHUP, begun anew when removed; a full disk and one that
# became read-only are said once, counted train by train, and do not end the measurement. Streams
# that somebody made up fill it no faster than --log-rate, and cost the others no row.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"

lab_up --name pplog --rate 10mbit
columns='NF && !/^#/ && NF != 15 { bad++ } END { print bad + 0 }'

# "stream train" a line, of logs and of whole lines of JSON
logged() { cat "$@" | awk '!/^#/ && NF == 15 { print $3, $4 }' | sort; }
shown() { sed -n 's/^{"type":"train",.*"stream":"\([0-9a-f]*\)","train":\([0-9]*\),.*}$/\1 \2/p' "$@" | sort; }

# --- kill -9 ---

seed=${PP_SEED:-$(date +%s)}
echo "# PP_SEED=$seed"
in_background "$lab" exec --name pplog snd "$BIN/pptrans" -h "$RECEIVER4" -p "$port" -n 2 -s 100 -d 1 -q >/dev/null
sender=$job
: >"$scratch/shown"
awk -v seed="$seed" -v n="${PP_KILLS:-20}" 'BEGIN { srand(seed); while (n-- > 0) print 0.2 * rand() }' |
    while read -r moment; do
        "$lab" exec --name pplog rcv "$BIN/pprec" -p "$port" -o "$scratch/kill" --json \
            >>"$scratch/shown" 2>"$scratch/err" &
        receiver=$!
        wait_udp pplog-rcv "$port"
        sleep "$moment"
        kill -9 $receiver
        wait $receiver 2>"$scratch/null"
        echo >>"$scratch/shown" # after a line that was torn on its way to the screen
    done
kill "$sender"
logged "$scratch/kill" >"$scratch/logged"
shown "$scratch/shown" >"$scratch/seen"
[ -s "$scratch/seen" ] || fail "nothing was shown before the kills"
check_equal "lines torn by ${PP_KILLS:-20} times kill -9" "$(awk "$columns" "$scratch/kill")" 0
check_equal "trains shown but not in the log, of $(wc -l <"$scratch/seen")" \
    "$(comm -23 "$scratch/seen" "$scratch/logged" | wc -l)" 0

# --- Rotation, removal, a file system that became read-only ---

has_trains() { [ "$(grep -vc '^#' "$1" 2>/dev/null)" -gt 5 ] 2>/dev/null; }
# with a line a train on the screen, to compare with; not receive(), which is quiet
watch() { # LOG
    "$lab" exec --name pplog rcv "$BIN/pprec" -p "$port" -o "$1" --json >"$scratch/shown" 2>"$scratch/err" &
    receiver=$!
    lab_jobs="$lab_jobs $receiver"
    wait_udp pplog-rcv "$port"
}
check_all() { # WHAT LOG...: every train shown is in the logs, or counted
    what=$1
    shift
    sleep 0.1
    kill "$receiver"
    received
    check_equal "$what: torn lines" "$(cat "$@" | awk "$columns")" 0
    logged "$@" >"$scratch/logged"
    shown "$scratch/shown" >"$scratch/seen"
    unlogged=$(grep '"type":"summary"' "$scratch/shown" | json_field unlogged)
    check_equal "$what: trains shown ($(wc -l <"$scratch/seen")) less those in the log, by its own count" \
        "$(comm -23 "$scratch/seen" "$scratch/logged" | wc -l)" "$unlogged"
    check_equal "$what: lines missing, by the log's own comments" \
        "$(cat "$@" | awk '/^# [0-9]+ lines are missing/ { n += $2 } END { print n + 0 }')" "$unlogged"
}

in_background "$lab" exec --name pplog snd "$BIN/pptrans" -h "$RECEIVER4" -p "$port" -n 2 -d 4 -q >/dev/null
watch "$scratch/log"
wait_for has_trains "$scratch/log"
mv "$scratch/log" "$scratch/log.1"
kill -HUP "$receiver"
wait_for has_trains "$scratch/log"
check_equal "header of the log after SIGHUP" "$(head -n 1 "$scratch/log" | cut -d ' ' -f 1-2)" "# pprec"
exec 5<"$scratch/log" # to see what was in the file that is removed
rm "$scratch/log"
wait_for has_trains "$scratch/log"
cat <&5 >"$scratch/removed"
check_equal "header of the log after removal" "$(head -n 1 "$scratch/log" | cut -d ' ' -f 1-2)" "# pprec"
check_equal "removal said" "$(grep -c 'was removed: begun anew' "$scratch/err")" 1
check_all "rotated and removed" "$scratch/log" "$scratch/log.1" "$scratch/removed"

# --- 8500 packets a second of made-up streams ---

begun=$(date +%s%N)
watch "$scratch/flooded"
"$lab" exec --name pplog rcv "$BIN/flood" 127.0.0.1 "$port" 8500 3 1 rows >"$scratch/null"
# what piles up in quiet is a second more
check_below "bytes of the log under a flood" "$(wc -c <"$scratch/flooded")" \
    "$((200000 + ($(date +%s%N) - begun) / 5000))"
sleep 0.2
kill "$receiver"
received
logged "$scratch/flooded" >"$scratch/logged"
shown "$scratch/shown" >"$scratch/seen"
check_equal "trains shown ($(wc -l <"$scratch/seen")) less those in the log, by its own count" \
    "$(comm -23 "$scratch/seen" "$scratch/logged" | wc -l)" \
    "$(grep '"type":"summary"' "$scratch/shown" | tail -n 1 | json_field unlogged)"
check_equal "lines left out, by the log's own comments" \
    "$(awk '/^# [0-9]+ lines are left out/ { n += $2 } END { print n + 0 }' "$scratch/flooded")" \
    "$(sed -n 's/.*: \([0-9]*\) lines were left out for.*/\1/p' "$scratch/err" | grep . || echo 0)"
grep "\"source\":\"$SENDER4:" "$scratch/shown" >"$scratch/ours"
check_equal "those of the measurement, all of $(shown "$scratch/ours" | wc -l)" \
    "$(shown "$scratch/ours" | comm -23 - "$scratch/logged" | wc -l)" 0

mkdir "$scratch/small" "$scratch/read-only"
if mount -t tmpfs -o size=64k tmpfs "$scratch/small" &&
    mount -t tmpfs -o ro tmpfs "$scratch/read-only"; then
    "$lab" exec --name pplog rcv "$BIN/pprec" -p "$port" -o "$scratch/read-only/log" 2>"$scratch/err"
    check_equal "read-only from the start: status, words" "$? $(cut -d : -f 3- "$scratch/err")" \
        "2  Read-only file system"
    ln -s small "$scratch/disk" # for a mount would not reach a program that runs
    watch "$scratch/disk/log"
    wait_for has_trains "$scratch/small/log"
    mv "$scratch/small/log" "$scratch/small/log.1"
    ln -sfn read-only "$scratch/disk"
    kill -HUP "$receiver"
    wait_for grep -q 'Read-only file system; the old file stays open' "$scratch/err"
    ln -sfn small "$scratch/disk"
    check_equal "read-only when reopened: said" "$(grep -c 'the old file stays open' "$scratch/err")" 1
    kill -HUP "$receiver"
    wait_for has_trains "$scratch/small/log"
    check_all "read-only for a while" "$scratch/small/log" "$scratch/small/log.1"
    check_equal "trains not in the log for that" "$unlogged" 0

    rm "$scratch"/small/*
    watch "$scratch/small/log"
    head -c 61440 /dev/zero >"$scratch/small/filler"
    wait_for grep -q "lines are lost" "$scratch/err"
    sleep 0.3 # time to say it again, wrongly
    check_equal "times the full disk is said" "$(grep -c 'lines are lost' "$scratch/err")" 1
    rm "$scratch/small/filler"
    wait_for grep -q "written again" "$scratch/err"
    check_equal "recovery said" "$(grep -c 'written again' "$scratch/err")" 1
    check_all "a full disk" "$scratch/small/log"
    check_equal "the measurement went on: status" "$status" 0
    check_equal "the loss is summed up" "$(grep -c "$unlogged lines could not be written, $unlogged of them trains" "$scratch/err")" 1
    check_equal "trains not in the log for that, some" "$((unlogged > 0))" 1
    umount "$scratch/small" "$scratch/read-only"
else
    echo "SKIP test_log: no tmpfs may be mounted here, so no full disk"
fi
scratch_clean
test_end
