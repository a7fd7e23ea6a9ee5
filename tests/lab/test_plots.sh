#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# plots/plot: every kind from logs of both formats, with every word that a log can hold, and from
# a log that pprec wrote; bad input is one line and exit 2; no name of a file does harm.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"
need gnuplot

plot=$lab_dir/../../plots/plot

# A train a second: TIME SOURCE ... as pprec -o writes it, 10 trains for each verdict.
text_log() {
    echo "# pprec 0.0 layer=l2 filter=adaptive timestamps=kernel started=2026-01-01T00:00:00Z"
    awk 'BEGIN {
        verdicts = split("ok compressed expanded partial reordered sender_limited batched late " \
            "foreign_size tomorrow", verdict, " ")
        states = split("insufficient tentative ambiguous converged shaped fair policed varying " \
            "sender_limited tomorrow", state, " ")
        for (i = 0; i < 10 * verdicts; i++) {
            v = i % verdicts + 1
            s = int(i * states / 10 / verdicts) + 1
            # apart in rate, so that every train has a point of its own
            rate = verdict[v] == "late" ? "-" : (v * 1000 + i) ".000"
            estimate = state[s] == "insufficient" ? "- - -" : "5000.000 4900.000 5100.000"
            print 1767225600 + i ".000000000 192.0.2.1:9 0000abcd", i, 500 + 500 * (i % 2), 2, 2, 0,
                (rate == "-" ? "-" : "1000.000"), rate, verdict[v], estimate, state[s]
        }
    }'
}

# The same trains as JSON Lines; the summary tells the layer.
json_log() {
    text_log | awk '
        function bps(kbps) { return kbps == "-" ? "null" : kbps * 1000 "" }
        !/^#/ {
            printf "{\"type\":\"train\",\"time\":%s,\"source\":\"%s\",\"stream\":\"%s\",\"train\":%d,\"size\":%d," \
                "\"sent\":2,\"received\":2,\"lost\":0,\"dispersion_ns\":null,\"rate_bps\":%s,\"verdict\":\"%s\"," \
                "\"capacity_bps\":%s,\"low_bps\":%s,\"high_bps\":%s,\"state\":\"%s\",\"delay_ns\":%d}\n",
                $1, $2, $3, $4, $5, bps($10), $11, bps($12), bps($13), bps($14), $15, 1000000 + 10000 * NR
        }
        END { print "{\"type\":\"summary\",\"source\":\"192.0.2.1:9\",\"stream\":\"0000abcd\",\"layer\":\"l2\"}" }'
}

# Five trains of 32 packets of 1000 bytes, as --json --packets writes them: the first HEAD after it
# 0.1 ms apart, the others 1 ms. Of HEAD 9: 80 Mbit/s, then 8 Mbit/s. Packet k of the tail has waited
# for 1000 (k + 1) bytes of tokens, and comes at k - 8.1 ms, when 1000 k - 8100 have flowed in: the
# bucket held 9100.
curves() { # HEAD
    awk -v head="$1" 'BEGIN {
        for (train = 0; train < 5; train++) {
            positions = offsets = 0
            at = 0
            for (i = 1; i < 32; i++) {
                at += i <= head ? 100000 : 1000000
                positions = positions "," i
                offsets = offsets "," at
            }
            printf "{\"type\":\"train\",\"time\":%d.0,\"source\":\"192.0.2.1:9\",\"stream\":\"0000abcd\",\"train\":%d," \
                "\"size\":1000,\"sent\":32,\"received\":32,\"rate_bps\":8e6,\"verdict\":\"ok\"," \
                "\"capacity_bps\":null,\"low_bps\":null,\"high_bps\":null,\"state\":\"tentative\"," \
                "\"positions\":[%s],\"offsets_ns\":[%s]}\n", 1767225600 + train, train, positions, offsets
        }
    }'
}

# On a link of 20 Mbit/s 8 are free: 100 trains of 16, sent at 1 to 90 Mbit/s, arrive as a fluid would; after
# each tenth a report, in every state; the last says that nothing is free.
strained() {
    awk 'BEGIN {
        states = split("unknown tentative at_least converged tomorrow", state, " ")
        for (i = 0; i < 100; i++) {
            rate = 1e6 * exp(log(90) * i / 100)
            strain = rate > 8e6 ? (rate - 8e6) / 20e6 : 0
            departure_ns = 15 * 1518 * 8e9 / rate
            printf "{\"type\":\"train\",\"time\":%d.000000000,\"source\":\"192.0.2.1:9\",\"stream\":\"0000abcd\"," \
                "\"train\":%d,\"size\":1518,\"sent\":16,\"received\":16,\"lost\":0,\"departure_ns\":%.0f," \
                "\"delay_ns\":1,\"rate_bps\":%.1f,\"verdict\":\"ok\",\"capacity_bps\":20000000.0," \
                "\"low_bps\":null,\"high_bps\":null,\"state\":\"converged\"}\n",
                1767225600 + i, i, departure_ns, rate / (1 + strain)
            if (i % 10 != 9) continue
            word = state[int(i / 20) + 1]
            bps = word == "unknown" ? "null" : i == 99 ? "0.0" : "8000000.0"
            printf "{\"type\":\"interval\",\"time\":%d.000000000,\"source\":\"192.0.2.1:9\",\"stream\":\"0000abcd\"," \
                "\"layer\":\"l2\",\"capacity_bps\":20000000.0,\"available_state\":\"%s\",\"available_bps\":%s," \
                "\"available_low_bps\":%s,\"available_high_bps\":%s}\n",
                1767225601 + i, word, bps, bps, word == "unknown" || word == "at_least" ? "null" : "9000000.0"
        }
    }'
}

# With the first of these that is here.
well_formed() { # FILE
    if command -v xmllint >"$scratch/null"; then xmllint --noout "$1"
    elif command -v python3 >"$scratch/null"; then python3 -c "import sys, xml.dom.minidom as d; d.parse(sys.argv[1])" "$1"
    elif command -v rsvg-convert >"$scratch/null"; then rsvg-convert "$1" -o "$scratch/null"
    else tail -n 1 "$1" | grep -q '</svg>'; fi
}

check_picture() { # WHAT FILE
    if [ -s "$2" ] && well_formed "$2"; then ok "$1: well-formed"; else fail "$1: no well-formed picture"; fi
}

points() { # FILE GNUPLOT-POINT-TYPE: drawn, without the one in the legend
    echo $(($(grep "class=\"p$(($2 - 1))\"" "$1" | tr -cd M | wc -c) - 1))
}

# --- Every kind, both formats ---

text_log >"$scratch/text"
json_log >"$scratch/json"
for kind in rate histogram cdf size compare; do
    for log in text json; do
        "$plot" - --kind $kind -o "$scratch/$log.svg" <"$scratch/$log"
        check_picture "$kind of $log" "$scratch/$log.svg"
    done
    cmp -s "$scratch/text.svg" "$scratch/json.svg"
    check_equal "$kind: text and JSON Lines differ" $? 0
    check_equal "$kind in the terminal: names the rate" \
        "$("$plot" "$scratch/text" --kind $kind </dev/null | grep -c 'rate (Mbit/s, layer l2)')" 1
done
"$plot" "$scratch/json" --kind delay -o "$scratch/delay.svg"
check_picture "delay of json" "$scratch/delay.svg"
check_equal "delay: points of ok" "$(points "$scratch/delay.svg" 7)" 10

strained >"$scratch/strained.json"
"$plot" "$scratch/strained.json" --kind response -o "$scratch/response.svg"
check_picture "response of json" "$scratch/response.svg"
check_equal "response: points of ok, with the legend's" "$(points "$scratch/response.svg" 7)" 100
check_equal "response: knee" "$(grep -c 'knee at 8 Mbit/s, capacity 20 Mbit/s' "$scratch/response.svg")" 1
"$plot" "$scratch/strained.json" --kind available -o "$scratch/available.svg"
check_picture "available of json" "$scratch/available.svg"
for point in "converged 7" "at_least 9" "tentative 6" "other 3"; do
    check_equal "available: points of ${point% *}" "$(points "$scratch/available.svg" "${point#* }")" 2
done
check_equal "available: the last, of a full link" "$(grep -c '>0 Mbit/s (0 to 9) of 20, tomorrow' "$scratch/available.svg")" 1
{ text_log && sed -n '/"interval"/s/^/# /p' "$scratch/strained.json"; } >"$scratch/strained.log"
"$plot" - --kind available -o "$scratch/json.svg" <"$scratch/strained.json"
"$plot" - --kind available -o "$scratch/text.svg" <"$scratch/strained.log"
cmp -s "$scratch/text.svg" "$scratch/json.svg"
check_equal "available: comments of a log and JSON Lines differ" $? 0

# The first hop is a guess, below the second: no step goes up.
echo '{"type":"summary","source":"192.0.2.1:9","stream":"0000abcd","layer":"l2","capacity_bps":8e6,"narrow_hop":3,' \
    '"narrow_hop_last":3,"hops":[{"hop":1,"capacity_bps":8e6,"low_bps":8e6,"high_bps":3e7,"state":"tentative"},' \
    '{"hop":2,"capacity_bps":2e7,"low_bps":1.9e7,"high_bps":2.1e7,"state":"converged"},' \
    '{"hop":3,"capacity_bps":8e6,"low_bps":7.9e6,"high_bps":8.1e6,"state":"converged"}]}' >"$scratch/hops.json"
"$plot" "$scratch/hops.json" --kind hops -o "$scratch/hops.svg"
check_picture "hops" "$scratch/hops.svg"
check_equal "hops: narrow" "$(grep -c '>narrow link: 3, 8 Mbit/s<' "$scratch/hops.svg")" 1
check_equal "hops: guesses" "$(points "$scratch/hops.svg" 6)" 1

curves 9 >"$scratch/bucket.json"
curves 0 >"$scratch/line.json"
"$plot" "$scratch/bucket.json" --kind curve -o "$scratch/curve.svg"
check_picture "curve" "$scratch/curve.svg"
check_equal "curve: knee" "$(grep -c '80 Mbit/s, after 10 packets 8 Mbit/s: a bucket of 9.1 kB' "$scratch/curve.svg")" 1
check_equal "curve: points of a train, with the legend's" "$(points "$scratch/curve.svg" 7)" 32
"$plot" "$scratch/line.json" --kind curve --train 3 -o "$scratch/curve.svg"
check_equal "curve: slope of a line" "$(grep -c 'slope 8 Mbit/s' "$scratch/curve.svg")" 1
check_equal "curve: the train asked for" "$(grep -c 'train 3, 32 packets of 1000 bytes' "$scratch/curve.svg")" 1
check_equal "curve in the terminal: names the bytes" \
    "$("$plot" "$scratch/line.json" --kind curve </dev/null | grep -c 'bytes after the first packet')" 1
sed '3s/"positions":\[0,1,/"positions":[0,/' "$scratch/line.json" >"$scratch/lists.json"
check_equal "curve: lists of unequal length are named" \
    "$("$plot" "$scratch/lists.json" --kind curve -o "$scratch/x.svg" 2>&1 | grep -c 'no train: line 3$')" 1

# As a whole they read 10 Mbit/s; of 32 packets the last 16 come at 8.
sed 's/"rate_bps":8e6/"rate_bps":1e7/' "$scratch/bucket.json" >"$scratch/long.json"
"$plot" "$scratch/long.json" -o "$scratch/long.svg"
check_equal "rate: rings of long trains" "$(points "$scratch/long.svg" 6)" 5
check_equal "rate: they are at the second half" "$(awk -f "$lab_dir/../../plots/rows.awk" -v log_number=1 -v kind=rate \
    "$scratch/long.json" pass=2 "$scratch/long.json" | awk '{ print $12 }' | sort -u)" 8000000.0
check_equal "rate: and are named so" "$(grep -c '>long trains: second half (5)<' "$scratch/long.svg")" 1

# 60 trains about 8 Mbit/s, 39 about 10, and one at 9, which is no mode.
head -n 1 "$scratch/text" >"$scratch/modes"
sed 1d "$scratch/text" | awk '{ $10 = (NR == 100 ? 9000 : (NR % 5 < 3 ? 8000 : 10000)) + NR % 7 - 3; print }' \
    >>"$scratch/modes"
"$plot" "$scratch/modes" --kind histogram -o "$scratch/modes.svg"
check_equal "histogram: modes" "$(sed '1,/>mode</d' "$scratch/modes.svg" |
    sed -n 's/.*<text class="m"[^>]*>\([0-9.]*\)<.*/\1/p' | awk '{ printf "%.1f ", $1 }')" "8.0 10.0 "

# One of 100 trains came a second late, and one read a thousand times too much.
awk '/"train":50,/ { sub(/"delay_ns":[0-9]*/, "\"delay_ns\":1000000000"); sub(/"rate_bps":[0-9]*/, "&000") } { print }' \
    "$scratch/json" >"$scratch/far.json"
for kind in delay cdf; do "$plot" "$scratch/far.json" --kind $kind -o "$scratch/$kind.svg"; done
check_equal "delay, one far out: the axis is logarithmic" "$(grep -c '>at most 1<' "$scratch/delay.svg")" 1
check_equal "cdf, one far out: counted, not shown" "$(grep -c '1 of them beyond the axis' "$scratch/cdf.svg")" 1

"$plot" "$scratch/text" -o "$scratch/rate.svg"
for point in "ok 7" "compressed 9" "expanded 11" "partial 6" "reordered 2" "sender_limited 4" "batched 12" \
    "foreign_size 3" "other 14"; do
    want=10
    [ "$point" != "reordered 2" ] || want=21 # late trains, without a rate, are crosses too
    check_equal "rate: points of ${point% *}" "$(points "$scratch/rate.svg" "${point#* }")" $want
done
"$plot" "$scratch/text" -o "$scratch/rate.png"
check_equal "a PNG begins with" "$(head -c 4 "$scratch/rate.png" | tail -c 3)" PNG

head -n 2 "$scratch/text" >"$scratch/one"
head -n 1 "$scratch/json" >"$scratch/one.json"
for kind in rate histogram cdf size compare delay; do
    log=$scratch/one
    [ $kind != delay ] || log=$scratch/one.json
    "$plot" "$log" --kind $kind -o "$scratch/one.svg"
    check_picture "$kind of one train, without an estimate" "$scratch/one.svg"
    rm -f "$scratch/one.svg"
done

# --- What pprec writes ---

lab_up --name ppplots --rate 10mbit
"$lab" exec --name ppplots rcv "$BIN/pprec" -p "$port" -o "$scratch/real.log" --json --packets --layer 42 -c 40 \
    >"$scratch/real.json" 2>"$scratch/err" &
receiver=$!
wait_udp ppplots-rcv "$port"
send "$RECEIVER4" -s 1518 -d 25 -c 40
received
for log in real.log real.json; do
    "$plot" "$scratch/$log" -o "$scratch/real.svg"
    check_picture "$log" "$scratch/real.svg"
    check_equal "$log: points of ok" "$(points "$scratch/real.svg" 7)" \
        "$(grep -v '^#' "$scratch/real.log" | grep -c ' ok ')"
    check_equal "$log: layer" "$(grep -c 'rate (Mbit/s, payload + 42 bytes)' "$scratch/real.svg")" 1
done
"$plot" "$scratch/real.json" --kind delay -o "$scratch/real.svg"
check_equal "real.json: delays of ok" "$(points "$scratch/real.svg" 7)" \
    "$(grep '"verdict":"ok"' "$scratch/real.json" | grep -c '"delay_ns":-\?[0-9]')"
"$plot" "$scratch/real.json" --kind curve -o "$scratch/real.svg"
# What tbf's timer makes of the link is for other tests: the picture shows what the log holds.
median_rate() {
    sed -n 's/.*"rate_bps":\([0-9.]*\).*/\1/p' "$scratch/real.json" | sort -n |
        awk '{ r[NR] = $1 / 1e6 } END { print r[int((NR + 1) / 2)] }'
}
check_near "real.json: slope of the pair of median span (Mbit/s)" \
    "$(sed -n 's/.*>slope \([0-9.]*\) Mbit.*/\1/p' "$scratch/real.svg")" "$(median_rate)" 0.1

# --- Several streams, damage, names, size ---

sed 's/0000abcd/0000beef/' "$scratch/text" | awk '/^#/ || $10 < 6000' >"$scratch/two" # the slower half
cat "$scratch/text" >>"$scratch/two"
"$plot" "$scratch/two" -o "$scratch/two.svg"
check_equal "two streams: the axis of rates of one, of the other" "$(grep -c '>6<' "$scratch/two.svg")" 2
check_equal "two streams: panels" "$(grep -c 'stream 0000' "$scratch/two.svg")" 2
"$plot" "$scratch/two" --stream 0000beef -o "$scratch/two.svg"
check_equal "one of them: panels" "$(grep -c 'time since' "$scratch/two.svg")" 1

sed '$s/ [^ ]* [^ ]*$//' "$scratch/text" | head -c -1 >"$scratch/torn" # the end of 20 bytes
check_equal "a torn last line: is passed over in silence" "$("$plot" "$scratch/torn" -o "$scratch/torn.svg" 2>&1)" ""
check_equal "a torn last line: points of other" "$(points "$scratch/torn.svg" 14)" 9
{ cat "$scratch/text" && echo "damaged" && cat "$scratch/text"; } >"$scratch/damaged"
check_equal "a damaged line: is named" "$("$plot" "$scratch/damaged" -o "$scratch/x.svg" 2>&1 | grep -c 'line 102$')" 1

name="$scratch/a 'b\" \$(touch harm) \`touch harm\` <&> \\n {x}_1 é.log"
cp "$scratch/text" "$name"
(cd "$scratch" && "$plot" "$name" -o "$scratch/|p 'q\".svg")
check_picture "an odd name" "$scratch/|p 'q\".svg"
check_equal "an odd name: harm done" "$(find "$scratch" -name harm | wc -l)" 0
sed "s/192.0.2.1:9/';system('touch_harm');'/" "$scratch/text" >"$scratch/odd"
check_equal "an odd source: taken for a train" "$("$plot" "$scratch/odd" 2>&1 | grep -c 'is no train')" 1

awk '/^#/ { print; next }
    { lines[n++] = $0 }
    END { for (i = 0; i < 20000; i++) { $0 = lines[i % n]; $1 += 100 * int(i / n); $10 += i % 97; print } }' \
    CONVFMT=%.9f OFMT=%.9f "$scratch/text" >"$scratch/long"
"$plot" "$scratch/long" -o "$scratch/long.svg"
check_below "bytes of a picture of 20000 trains" "$(wc -c <"$scratch/long.svg")" 300000

# --- By hours ---

# Two addresses that send, of a new port each day; 40 trains an hour of so many days, at 10 Mbit/s to 10.39, or in the
# second half of each day at half of it; a state that lasts for 100 hours.
year() { # DAYS
    echo "# pprec 0.0 layer=l2 filter=adaptive timestamps=kernel started=2026-01-01T00:00:00Z"
    awk -v days="$1" 'BEGIN {
        for (h = 0; h < days * 24; h++)
            for (i = 0; i < 40; i++) {
                rate = (10000 + 10 * i) / (h % 24 < 12 ? 1 : 2)
                state = h % 200 < 100 ? "converged" : "tentative"
                printf "%d.5 192.0.2.%d:%d 0000abcd %d 500 2 2 0 1000.000 %.3f ok %.3f %.3f %.3f %s\n",
                    1767225600 + 3600 * h + 90 * i, i % 2 + 1, 1024 + h / 24, i, rate, rate, 0.9 * rate, 1.1 * rate, state
            }
    }'
}

year 3 >"$scratch/days"
for kind in bands fleet day; do
    "$plot" "$scratch/days" --kind $kind -o "$scratch/hours.svg"
    check_picture "$kind" "$scratch/hours.svg"
    check_equal "$kind: panels" "$(grep -c '>[^<]*, 192.0.2.[12]<' "$scratch/hours.svg")" 2
    "$plot" - --kind $kind --stream 192.0.2.2 -o "$scratch/hours.svg" <"$scratch/days"
    check_equal "$kind of one address: panels" "$(grep -c '>[^<]*, 192.0.2.[12]<' "$scratch/hours.svg")" 1
    "$plot" - --kind $kind -o "$scratch/hours.svg" <"$scratch/json"
    check_picture "$kind of json" "$scratch/hours.svg"
done
"$plot" "$scratch/days" --kind bands -o "$scratch/hours.svg"
check_equal "bands: hours of a state, of both" "$(grep -c '>converged (72 h)<' "$scratch/hours.svg")" 2
hour() { awk -f "$lab_dir/../../plots/hours.awk" -v log_number=1 -v days="$scratch/of_day" "$1"; }
hour "$scratch/days" >"$scratch/of_hour"
check_equal "hours of three days, of two addresses" "$(wc -l <"$scratch/of_hour")" 144
# Of 20 rates from 10 to 10.38 Mbit/s the tenth is 10.18, to half a bin of 0.5 %.
check_near "median of an hour (Mbit/s)" "$(awk 'NR == 1 { print $6 / 1e6 }' "$scratch/of_hour")" 10.18 0.26
check_near "median of an hour of the day (Mbit/s)" "$(awk '$2 == 13 { print $6 / 1e6; exit }' "$scratch/of_day")" 5.09 0.26
check_equal "trains of an hour of the day" "$(awk '{ print $3 }' "$scratch/of_day" | sort -u)" 60
check_equal "estimate and state of an hour" "$(awk 'NR == 1 { print $9, $10, $11, $12 }' "$scratch/of_hour")" \
    "10380000 9342000 11418000 converged"
# What most trains met stands in the strip, what the last had beside its figures.
sed '$s/converged$/shaped/' "$scratch/days" >"$scratch/turned"
check_equal "an hour that ends otherwise: its last state, and that of most" \
    "$(hour "$scratch/turned" | awk '{ got = $12 " " $13 } END { print got }')" "shaped converged"
for kind in bands fleet; do
    "$plot" "$scratch/turned" --kind $kind --stream 192.0.2.2 -o "$scratch/hours.svg"
    check_equal "$kind of it: the title" "$(grep -c 'Mbit/s (.*), shaped<' "$scratch/hours.svg")" 1
done
"$plot" "$scratch/turned" --kind bands --stream 192.0.2.2 -o "$scratch/hours.svg"
check_equal "bands of it: the strip" "$(grep -o '>[a-z]* ([0-9]* h)<' "$scratch/hours.svg")" ">converged (72 h)<"
{ cat "$scratch/days" && echo damaged && tail -n 1 "$scratch/days" | head -c 40; } >"$scratch/damaged"
check_equal "by hours: what is no train is counted" \
    "$("$plot" "$scratch/damaged" --kind bands -o "$scratch/x.svg" 2>&1 | grep -c 'no train: 2 lines')" 1
sed "s/192.0.2.1:/';system('touch_harm');':/" "$scratch/days" >"$scratch/odd"
check_equal "by hours: an odd source is no train" "$("$plot" "$scratch/odd" --kind bands -o "$scratch/x.svg" 2>&1 |
    grep -c 'no train: 1440 lines')" 1
year 366 >"$scratch/year"
for kind in bands fleet; do
    "$plot" "$scratch/year" --kind $kind -o "$scratch/year.svg"
    check_below "bytes of $kind of a year" "$(wc -c <"$scratch/year.svg")" 150000
done
# A state that is another one with each train.
awk '/^#/ { print; next } { $15 = NR % 2 ? "converged" : "tentative"; print }' "$scratch/long" >"$scratch/restless"
"$plot" "$scratch/restless" -o "$scratch/long.svg"
check_below "bytes of a picture of 20000 changes of state" "$(wc -c <"$scratch/long.svg")" 300000

# --- The page of the paper ---

vectors=$lab_dir/../vectors
page=$lab_dir/../../plots/paper/page
"$vectors/ns3/logs" "$scratch/ns3"
"$page" "$scratch/ns3" "$vectors/paper" "$vectors/ns3/scenarios" "$scratch/page"
check_equal "page: status" $? 0
check_equal "page: claims with a verdict, and their count" \
    "$(grep -cE '^\| [3-6].*\| (agrees|\*\*does not\*\*) \| [^|]+ \|$' "$scratch/page/paper.md")" \
    "$(sed -n 's/.* of \([0-9]*\) claims agree.$/\1/p' "$scratch/page/paper.md")"
check_equal "page: gaps left" "$(grep -cE '^@|\|  \||[^a-z]nan[^a-z]|[^a-z]inf[^a-z]' "$scratch/page/paper.md")" 0
for name in $(sed -n 's/^!.*(paper\/\(.*\))$/\1/p' "$scratch/page/paper.md"); do
    check_picture "page: $name" "$scratch/page/paper/$name"
done
page_refused() { # WHAT ARGUMENTS
    what=$1
    shift
    "$page" "$@" >"$scratch/out" 2>&1
    check_equal "page, $what: status, lines" "$? $(wc -l <"$scratch/out") $(cut -c 1-6 "$scratch/out")" "2 1 page: "
}
page_refused "too few arguments" "$scratch/ns3"
page_refused "no such logs" "$scratch/nothere" "$vectors/paper" "$vectors/ns3/scenarios" "$scratch/page"
page_refused "no logs of the lab" "$scratch/ns3" "$scratch" "$vectors/ns3/scenarios" "$scratch/page"
mkdir "$scratch/kept"
head -c 500 "$vectors/paper/fig12_1m_0tcp.log.gz" >"$scratch/kept/fig12_1m_0tcp.log.gz"
page_refused "a damaged log" "$scratch/ns3" "$scratch/kept" "$vectors/ns3/scenarios" "$scratch/page"

# --- The tables of rivals ---

rivals=$lab_dir/../sim/rivals_picture tables=$lab_dir/../../filters/accuracy.md
"$rivals" "$scratch/rivals.svg" <"$tables"
check_picture "rivals" "$scratch/rivals.svg"
check_equal "rivals: those that decide" "$(grep -cE '>(adaptive|pair-median|srt)<' "$scratch/rivals.svg")" 3
check_equal "rivals: wrong of adaptive's, in the table" \
    "$(grep -c ">$(sed -n 's/^| adaptive .*of 35 .*(\(.*\) %).*/\1/p' "$tables") %<" "$scratch/rivals.svg")" 1
"$rivals" "$scratch/none.svg" </dev/null 2>"$scratch/err"
check_equal "rivals, nothing to read: status, lines" "$? $(wc -l <"$scratch/err")" "1 1"

# --- Refusals ---

refused() { # WHAT ARGUMENTS...: one line, exit 2, no picture
    what=$1
    shift
    rm -f "$scratch/no.svg"
    "$plot" "$@" >"$scratch/out" 2>"$scratch/err"
    got="$? $(wc -l <"$scratch/err") $(wc -c <"$scratch/out") $(cut -c 1-6 "$scratch/err")"
    check_equal "$what: status, lines, output" "$got" "2 1 0 plot: "
    [ ! -e "$scratch/no.svg" ] || fail "$what: leaves a picture"
}

: >"$scratch/empty"
head -n 1 "$scratch/text" >"$scratch/header"
grep -e '^#' -e ' late ' "$scratch/text" >"$scratch/norate"
echo "type,time,source" >"$scratch/csv"
head -c 300 /dev/zero >"$scratch/binary"
for log in empty header norate csv binary nothere .; do
    refused "log '$log'" "$scratch/$log" -o "$scratch/no.svg"
done
refused "delay of a text log" "$scratch/text" --kind delay -o "$scratch/no.svg"
refused "delay of trains without send times" "$scratch/line.json" --kind delay -o "$scratch/no.svg"
refused "response of a text log" "$scratch/text" --kind response -o "$scratch/no.svg"
refused "response of trains without departures" "$scratch/line.json" --kind response -o "$scratch/no.svg"
refused "available of a log without reports" "$scratch/text" --kind available -o "$scratch/no.svg"
grep -e '"train"' -e '"unknown"' "$scratch/strained.json" >"$scratch/unknown.json"
refused "available of reports that tell nothing" "$scratch/unknown.json" --kind available -o "$scratch/no.svg"
refused "curve of a text log" "$scratch/text" --kind curve -o "$scratch/no.svg"
refused "curve without packets" "$scratch/json" --kind curve -o "$scratch/no.svg"
refused "curve of no train" "$scratch/line.json" --kind curve --train 9 -o "$scratch/no.svg"
refused "curve of an empty log" "$scratch/empty" --kind curve -o "$scratch/no.svg"
refused "train of another kind" "$scratch/line.json" --train 3 -o "$scratch/no.svg"
refused "train that is no number" "$scratch/line.json" --kind curve --train x -o "$scratch/no.svg"
refused "no log" -o "$scratch/no.svg"
refused "unknown kind" "$scratch/text" --kind pie
refused "unknown option" "$scratch/text" --loud
refused "unknown stream" "$scratch/text" --stream 0000dead -o "$scratch/no.svg"
refused "unknown picture" "$scratch/text" -o "$scratch/no.pdf"
refused "no such directory" "$scratch/text" -o "$scratch/nothere/no.svg"
mkdir "$scratch/path"
for tool in sh cat dirname; do ln -s "$(command -v $tool)" "$scratch/path/$tool"; done
check_equal "no gnuplot: said" "$(PATH=$scratch/path "$plot" "$scratch/text" 2>&1)" "plot: gnuplot is not installed"
scratch_clean
test_end
