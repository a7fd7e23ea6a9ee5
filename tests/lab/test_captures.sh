#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Stored captures by any name: plain, compressed, by a pipe, in a directory, side by side, the records are
# the same bytes but for the name of the file; rotated ones go on as one; damage and emptiness are told.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
BIN=${BIN:-$lab_dir/../../build/bin}
need python3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
vectors=$(cd "$(dirname "$0")/../vectors" && pwd)
cd "$scratch" || exit 2

nameless() { sed -E 's/"file(_last)?":"[^"]*"/"file\1":_/g'; }
records() { "$BIN/pprec" --json --packets "$@" 2>err | nameless; }

same_everywhere() { # NAME
    mkdir all && cp "$vectors/$1" plain
    for way in plain 'gzip -c' 'zstd -qc' 'xz -c'; do
        program=${way%% *}
        [ "$program" = plain ] || command -v "$program" >/dev/null || continue
        [ "$program" = plain ] && cp plain packed || $way <plain >packed
        records packed >told
        [ "$program" = plain ] && mv told wanted && cp wanted told
        check_equal "$1, $program: there are trains" "$(grep -c '"type":"train"' told | sed 's/^[1-9].*/yes/')" yes
        check_equal "$1, $program: trains, same" "$(grep -c '"type":"train"' told) $(cmp told wanted && echo same)" \
            "$(grep -c '"type":"train"' wanted) same"
        check_equal "$1, $program by a pipe" "$(records - <packed | cmp - wanted && echo same)" same
        check_equal "$1, $program by a slow pipe" "$(for part in 0 1 2 3; do
            tail -c "+$((part * 1000 + 1))" packed | head -c 1000; done >slow
            tail -c +4001 packed >>slow; cat slow | records -r - | cmp - wanted && echo same)" same
        check_equal "$1, $program by a job of its own" "$(records --jobs 1 packed | cmp - wanted && echo same)" same
        cp packed "all/$program.whatever"
    done
    many=$(ls all | wc -l)
    : >several
    for _ in $(seq "$many"); do cat wanted >>several; done
    echo "no capture" >all/README
    check_equal "$1, a directory of $many" "$(records --jobs 2 all | cmp - several && echo same)" same
    check_equal "$1, of which each one's file" "$("$BIN/pprec" --json -q -j 3 all |
        sed -n 's/.*"file":"\([^"]*\)".*/\1/p' | sort -u | paste -sd ' ')" "$(ls all/*.whatever | sort | paste -sd ' ')"
    rm -r all
}

for name in same.pcapng lab-srt-3-over-10.pcap lab-rtp-over-10.pcap lab-tcp-over-10.pcap; do
    same_everywhere "$name"
done

# Rotated: a capture in pieces, of which each begins with a file header, tells what the whole tells.
python3 - "$vectors/lab-srt-3-over-10.pcap" <<'END'
import struct, sys
whole = open(sys.argv[1], "rb").read()
order = "<" if whole[0] in (0xd4, 0x4d) else ">"
at, number, out = 24, 0, None
while at < len(whole):
    if number % 16 == 0:
        out = open("rotated.pcap%d" % (number // 16), "wb")
        out.write(whole[:24])
    end = at + 16 + struct.unpack(order + "I", whole[at + 8:at + 12])[0]
    out.write(whole[at:end])
    at, number = end, number + 1
END
records "$vectors/lab-srt-3-over-10.pcap" >wanted
mkdir rotated && mv rotated.pcap* rotated
check_equal "17 rotated files in sequence" "$(ls rotated | wc -l) $(records rotated | cmp - wanted && echo same)" "17 same"
check_equal "the same with -r" "$(records $(ls -v rotated/* | sed 's/^/-r /') | cmp - wanted && echo same)" same
check_equal "from first to last" "$("$BIN/pprec" -q --json rotated | sed 's/.*"file":\("[^"]*"\).*"file_last":\("[^"]*"\).*/\1 \2/')" \
    '"rotated/rotated.pcap0" "rotated/rotated.pcap16"'
check_equal "text says it" "$("$BIN/pprec" -q rotated | grep -o 'from .*')" "from rotated/rotated.pcap0 to rotated/rotated.pcap16"
check_equal "side by side each for itself: summaries" "$("$BIN/pprec" -q --json -j 2 rotated 2>err | wc -l)" 17

# A log in order, too.
"$BIN/pprec" -q -j 2 -o log rotated >/dev/null 2>&1
check_equal "log: summaries in order of files" "$(sed -n 's/^# {.*"file":"rotated.rotated.pcap\([0-9]*\)".*/\1/p' log | paste -sd ' ')" \
    "$(seq -s ' ' 0 16)"

# Two flows that differ in their source port alone have two ids.
check_equal "ids of flows" "$("$BIN/pprec" -q --json "$vectors"/ns3 -j 2 --expect flow 2>/dev/null |
    sed -n 's/.*"source":"\([^"]*\)","stream":"\([^"]*\)","destination":"\([^"]*\)".*/\1 \3 \2/p' | sort -u |
    awk '{ print $3 }' | sort | uniq -d | wc -l)" 0

# Outcomes.
outcome() { # WANTED ARGUMENTS...
    wanted=$1
    shift
    "$BIN/pprec" -q "$@" >told 2>err
    check_equal "status of $*" $? "$wanted"
    [ "$wanted" = 0 ] || check_equal "and words" "$(grep -c '^pprec: ' err | sed 's/[1-9][0-9]*/some/')" some
}
outcome 0 "$vectors/same.pcapng"
outcome 1 "$vectors/cut.pcap.gz"
outcome 2 "$vectors/README.md"
outcome 3 "$vectors/no-packets.pcap"
outcome 3 "$vectors/same.pcapng" -p 9001
check_equal "probes to another port" "$(cat err)" \
    'pprec: nothing to measure in 20 packets: 20 probes to port 9000, not 9001'
for jobs in '' '-j 2'; do
    # shellcheck disable=SC2086
    outcome 0 $jobs "$vectors/same.pcapng" "$vectors/no-packets.pcap"
    # shellcheck disable=SC2086
    outcome 1 $jobs "$vectors/README.md" "$vectors/same.pcapng"
    check_equal "the good one is read" "$(grep -c 'same.pcapng' told)" 1
    # shellcheck disable=SC2086
    outcome 1 $jobs "$vectors/same.pcapng" "$vectors/cut.pcap.zst"
    # shellcheck disable=SC2086
    outcome 2 $jobs "$vectors/README.md" "$vectors/empty.pcap"
    # shellcheck disable=SC2086
    outcome 3 $jobs "$vectors/no-packets.pcap" "$vectors/snapped-in-udp.pcap"
done
outcome 0 -j 2 --confine kill "$vectors/same.pcapng" "$vectors/same-packed.pcap.zst"
if command -v bzip2 >/dev/null; then
    bzip2 -c "$vectors/same.pcapng" >packed
    outcome 2 packed
    check_equal "what is not read is named" "$(grep -c 'compressed by bzip2' err)" 1
fi

# A directory that may not be read, among what may; root may read all.
other=
[ "$(id -u)" != 0 ] || other='setpriv --reuid nobody --clear-groups'
mkdir -p mixed/shut
cp "$vectors/same.pcapng" mixed
chmod 0 mixed/shut
chmod 755 .
if $other "$BIN/pprec" -q mixed/same.pcapng >/dev/null 2>&1; then
    for jobs in '' '-j 2'; do
        # shellcheck disable=SC2086
        $other "$BIN/pprec" -q $jobs mixed >told 2>err
        check_equal "status of $jobs and a directory in it that is shut" $? 1
        check_equal "the one beside it is read" "$(grep -c 'same.pcapng' told)" 1
        check_equal "the shut one is named" "$(grep -c 'mixed/shut: Permission denied' err)" 1
    done
fi

# A bomb: 1 GB of nothing behind a header, in memory that stays flat.
if command -v zstd >/dev/null && [ -x /usr/bin/time ]; then
    { head -c 24 "$vectors/same-ethernet.pcap"; head -c 1000000000 /dev/zero; } | zstd -qc >bomb
    /usr/bin/time -f %M -o peak "$BIN/pprec" -q bomb >/dev/null 2>&1
    check_below "a bomb of $(wc -c <bomb) bytes: MiB of memory" "$(($(tail -n 1 peak) / 1024))" 24
fi
[ "$lab_failed" = 0 ]
