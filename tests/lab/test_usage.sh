#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Bad options and inputs: one line on stderr that begins with the program's name, exit 2,
# and nothing sent.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"

lab_up --name ppusage --rate 10mbit

refused() { # PROGRAM NODE ARGUMENTS...
    program=$1 node=$2
    shift 2
    "$lab" exec --name ppusage "$node" timeout 5 "$BIN/$program" "$@" >"$scratch/out" 2>"$scratch/err"
    got="$? $(wc -l <"$scratch/err") $(wc -c <"$scratch/out") $(cut -d : -f 1 "$scratch/err")"
    check_equal "$program $*: status, lines, output" "$got" "2 1 0 $program"
}

sent() { "$lab" exec --name ppusage snd cat /proc/net/snmp | awk '/^Udp:/ && $5 ~ /^[0-9]/ { print $5 }'; }

key=0123456789abcdef
(umask 077 && echo $key$key$key$key >"$scratch/key" && echo $key >"$scratch/short")
(umask 077 && tr 0-9a-f 0 <"$scratch/key" >"$scratch/zeros")
cp "$scratch/key" "$scratch/open" && chmod 644 "$scratch/open"

before=$(sent)
to="-h $RECEIVER4 -p $port"
for bad in "" "-h $RECEIVER4" "-p $port" "$to -n 3" "$to -n 1" "$to -n 512" "$to -n 0" \
    "$to -n x" "$to --max-load x" "$to --max-load 0" "$to -n 64 -d 20" "$to -d 100 --max-load 100k" \
    "$to -s 63" "$to -s 1519" "$to -s 9000" "$to -s -1" "$to -s 100x" "$to -d -5" \
    "$to -d 0" "$to -d x" "$to -n 256 -d 0.5" "$to -c 0" "$to -c x" "$to -t 0" "$to -t -1" \
    "$to --spacing often" "$to --send fast" "$to --layer l7" "$to --layer -1" "$to --ttl 0" \
    "$to --available moon" "$to --available 50m-5m" "$to --available 5m-5m" "$to --available 5m-20g" \
    "$to --available 5m-11g" "$to --available 10k-1m" "$to --available -n 2" "$to --available -n 3" \
    "$to --available --classic" "$to --available --mix" "$to --available -d 20" "$to --available --locate -n 16" \
    "$to --available 1m-1g -d 1000 --max-load 100k" \
    "$to --locate 0-3" "$to --locate 9-3" "$to --locate 3" "$to --locate 1-65" "$to --locate 1-9 --ttl 8" \
    "$to --locate -n 4" "$to --locate -n 64" "$to --locate --classic" "$to --locate --mix" \
    "$to --ttl 256" "$to --loop maybe" "$to --dscp 64" "$to --dscp zz" "$to -I nosuchif" "$to -4 -6" \
    "-h $RECEIVER6 -p $port -4" "$to extra" "$to --nonsense" "$to -Z" \
    "-h no..such.host -p $port" "-h $RECEIVER4 -p 0" "-h $RECEIVER4 -p 65536" \
    "-h $RECEIVER4 -p http"; do
    # shellcheck disable=SC2086
    refused pptrans snd $bad
done
for bad in "--available 5-60" "--available 5-60m" "--available 5m-60" "--max-load 25"; do # a unit was forgotten
    # shellcheck disable=SC2086
    refused pptrans snd $to $bad
    check_equal "pptrans $bad: what is wanted" "$(grep -c "unit" "$scratch/err")" 1
done
says() { # WORDS: in the error of what was refused
    check_equal "it says: $1" "$(grep -cF -- "$1" "$scratch/err")" 1
}
refused pptrans snd -h "$RECEIVER4:9000"
says "its port is given as -p 9000"
refused pptrans snd -h "[2001:db8::1]:9000" -p 1
says "its port is given as -p 9000"
for bare in fe80::1 ff02::1; do
    refused pptrans snd -h $bare -p 1
    says "a link-local address needs %INTERFACE behind it"
done
refused pptrans snd -h 10.77.0.255 -p 1
says "a broadcast address"
refused pptrans snd -h "$RECEIVER4" -p 1 --available -d 1
says "want -d "
refused pptrans snd --l
says "--length, --locate, --layer, --loop"
refused pprec rcv -h "$RECEIVER4"
says "the sender, which has -h HOST, is pptrans"
refused pprec rcv -p 9000 -n 512
says "want a power of two from 2 to 256"
refused pprec rcv -p 9000 --metrics :80
says "0.0.0.0 and [::] are all addresses of this host"
refused pprec rcv 9000
says "to receive on a port: -p 9000"
refused pprec rcv -q ''
says "'': want FILE or DIRECTORY, not an empty text"
in_background "$lab" exec --name ppusage rcv "$BIN/pprec" -p 9000 -q -t 60 2>"$scratch/null"
wait_udp "$RECEIVER_NS" 9000
refused pprec rcv -p 9000
says "another program receives on it"
kill "$job" && wait "$job"
refused_key() { # FILE OPTIONS...: by both programs
    # shellcheck disable=SC2086
    refused pptrans snd $to --key-file "$@"
    refused pprec rcv -p "$port" --key-file "$@"
}
for bad in nosuchfile / /dev/null "$scratch/short" "$scratch/open" "$scratch/zeros"; do
    refused_key "$bad"
done
refused_key "$scratch/key" --classic -n 2
for bad in "--sent-to moon" "--sent-to 10.0.0.1:0" "--sent-to 239.1.1.1" "--state /" "--state /nosuchdir/state" \
    "--state $scratch/short"; do
    # shellcheck disable=SC2086
    refused pprec rcv -p "$port" --key-file "$scratch/key" $bad
done
refused pprec rcv -r "$0" --key-file "$scratch/key" --state "$scratch/state"
for little in "-C lo" "-p $port --expect rtp"; do
    # shellcheck disable=SC2086
    refused pprec rcv $little --memory 1000k -t 1
    # shellcheck disable=SC2086
    "$lab" exec --name ppusage rcv "$BIN/pprec" $little --memory 1M -t 1 >"$scratch/out" 2>"$scratch/err"
    check_equal "pprec $little --memory 1M: status" $? 1 # nothing came
done
refused pptrans snd -h "$RECEIVER4" -p "$port" --key-file "$scratch/key" -s 87
check_equal "datagrams sent by refused commands" "$(($(sent) - before))" 0

for bad in "" "-p 0" "-p 65536" "-p x" "-p $port -n 3" "-p $port -n 1" "-p $port -n 257" \
    "-p $port --classic" "-p $port --filter best" "-p $port --window 0" "-p $port --window x" \
    "-p $port --layer l7" "-p $port --timestamps gps" "-p $port --timestamps hardware" \
    "-p $port --timestamps hardware -I in" "-p $port -I nosuchif" "-p $port -4 -6" "-p $port -g 10.0.0.1" \
    "-p $port --sent-to 10.0.0.1" "-p $port --state $scratch/state" \
    "-p $port --from moon" "-p $port --from 10.0.0.1/8" "-C in --from 10.0.0.1" "-p $port --max-age 0" \
    "-p $port -g group" "-p $port -g 239.1.1.1@239.1.1.2" "-p $port -4 -g ff3e::1" "-r /dev/null -g 239.1.1.1" \
    "-p $port --json --csv" "-p $port --packets" "-p $port --csv --packets" \
    "-p $port -i 0" "-p $port -i x" "-p $port -c 0" "-p $port -t -1" \
    "-r nosuchfile" "-r $0" "-r same -C in" "-C nosuchif" "-f udp -p $port" "-C in -f udq" \
    "-p $port --expect moon" "-C in --expect moon" "-C in -I in" "-C in --top 0" \
    "-p $port --metrics 9740" "-p $port --metrics :9740" "-p $port --metrics 127.0.0.1:" \
    "-p $port --metrics 127.0.0.1:0" "-p $port --metrics 127.0.0.1:65536" "-p $port --metrics ::1:9740" \
    "-p $port --metrics 127.0.0.1:9740x" "-p $port --metrics 192.0.2.9:9740" "-r x --metrics 127.0.0.1:9740" \
    "-p $port -g 239.1.2.3 -6" "-p $port --from ::1 -4" "-p $port --max-age 100" \
    "-r $0 --timestamps kernel" "-p $port --live --json" "-p $port --live --csv" \
    "-p $port --log-rate 1k" "-p $port -o $scratch/x --log-rate 10" "-p $port -o $scratch/x --log-rate 2000M" \
    "-p $port -o $scratch/x --log-rate 1kk" "-r $0 -o $scratch/x --log-rate 1k" "-p $port -o $scratch/x --log-rate k" \
    "-p $port -o /nosuchdir/log" "-p $port -o /" "-p $port extra" "-p $port --jobs 2" "--jobs 2" "--jobs 0 $0" "--jobs 2 --live $0" "nosuchfile" "-C in $0" \
    "$lab_dir/../bench" "-p $port --nonsense"; do
    # shellcheck disable=SC2086
    refused pprec rcv $bad
done
"$lab" exec --name ppusage rcv "$BIN/pprec" -p "$port" -q -t 0.1 2>"$scratch/err"
says "does the sender send to port $port, and does no firewall drop UDP there?"
vectors=$lab_dir/../vectors
replayed() { # CAPTURE STATUS
    "$BIN/pprec" -q -r "$vectors/$1" --filter median >"$scratch/out" 2>"$scratch/err"
    check_equal "-r $1: status" $? "$2"
}
replayed same-ethernet.pcap 0
check_equal "nothing odd: words beside the greeting" "$(wc -l <"$scratch/err")" 0
"$BIN/pprec" -q -r "$vectors/same-ethernet.pcap" --filter median >/dev/full 2>"$scratch/err"
check_equal "standard output that is full: status, lines" "$? $(wc -l <"$scratch/err")" "1 1"
replayed no-packets.pcap 3
replayed snapped-in-udp.pcap 3
check_equal "nothing to measure: is said" "$(grep -c 'nothing to measure in 20 packets' "$scratch/err")" 1
"$BIN/pprec" -q -r "$vectors/same-ethernet.pcap" -f 'udp port 1' >"$scratch/out" 2>"$scratch/err"
check_equal "a filter that lets nothing through: status" $? 3
says "nothing to measure: -f 'udp port 1' let no packet through"
replayed cut-in-record.pcap 1
check_equal "damage is named" "$(grep -c 'damaged at byte 1368' "$scratch/err")" 1
replayed every-packet-twice.pcap 1
check_equal "packets that came twice: are said to" "$(grep -c 'most packets came twice' "$scratch/err")" 1
"$BIN/pprec" -q "$vectors/same-ethernet.pcap" "$vectors/same-ethernet.pcap" --filter median >"$scratch/out" 2>"$scratch/err"
check_equal "a capture that comes twice: trains" "$(grep -o '[0-9]* trains' "$scratch/out")" "5 trains"
check_equal "a capture that comes twice: is said" \
    "$(grep -c 'same-ethernet.pcap has packets of stream 5eed0002 that .*same-ethernet.pcap has, .*: what is told is of the latter, which was read first, and 20 packets are left out' "$scratch/err")" 1
replayed caplen-absurd-in-first.pcap 2
replayed empty.pcap 2
"$BIN/pprec" -q -r "$vectors/cut-in-record.pcap" -r "$vectors/same-ethernet.pcap" --filter median \
    >"$scratch/out" 2>"$scratch/err"
check_equal "a damaged file and a good one: status, trains" "$? $(grep -o '[0-9]* trains' "$scratch/out")" "1 5 trains"
"$BIN/pprec" -q -r - --filter median <"$vectors/same.pcapng" >"$scratch/out" 2>"$scratch/err"
check_equal "standard input: status" $? 0

# --- Standard descriptors that whoever started it had closed: no socket or file of its own takes their place ---

"$BIN/pprec" "$vectors/same-ethernet.pcap" --filter median -o "$scratch/open.log" >"$scratch/out" 2>&1
"$BIN/pprec" "$vectors/same-ethernet.pcap" --filter median -o "$scratch/closed.log" <&- >&- 2>&-
timeless() { sed '1s/ started=.*//' "$1" | cksum; }
check_equal "all closed: the log is as ever" "$(timeless "$scratch/closed.log")" "$(timeless "$scratch/open.log")"
with_closed() { # NODE COMMAND...
    node=$1
    shift
    # shellcheck disable=SC2016 # expands there
    in_background "$lab" exec --name ppusage "$node" sh -c 'exec "$@" <&- >&- 2>&-' sh "$@"
}
standard() { # what the three of that command are
    for each in 0 1 2; do readlink "/proc/$job/fd/$each"; done | uniq
}
with_closed rcv "$BIN/pprec" -p "$port" -t 60
wait_udp "$RECEIVER_NS" "$port"
check_equal "pprec, all closed: what stands for them" "$(standard)" /dev/null
kill "$job" && wait "$job"
with_closed snd "$BIN/pptrans" -h "$RECEIVER4" -p "$port" -d 100
sleep 0.3
check_equal "pptrans, all closed: what stands for them" "$(standard)" /dev/null
kill "$job" && wait "$job"

receive "$scratch/log"
refused pprec rcv -p "$port"
stop_receiving
check_equal "status without an estimate" "$status" 1
scratch_clean
test_end
