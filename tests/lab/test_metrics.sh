#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# --metrics: promtool has nothing to say about the page; a real Prometheus scrapes it, knows the
# capacity, takes the rules and every query of the dashboard. Made-up streams, clients that never
# read and clients that never ask: the page stays bounded, memory too, and nothing is lost.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
need curl bash
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"

kit=$lab_dir/../../pprec/prometheus
at=127.0.0.1:9740
lab_up --name ppmetrics --rate 10mbit

on_receiver() { "$lab" exec --name ppmetrics rcv "$@"; }
page() { on_receiver curl -sS -m 20 "http://$at/metrics"; }
value() { awk -v name="$1" '$1 == name { print $2 }' "$scratch/page"; }
status_of() { on_receiver curl -sS -m 5 -o "$scratch/body" -w '%{http_code}' "$@"; }

receive "$scratch/log" --metrics "$at" --layer 42
in_background "$lab" exec --name ppmetrics snd "$BIN/pptrans" -h "$RECEIVER4" -p "$port" -n 2 -s 1500 -d 20 -q \
    >"$scratch/sent"
sender=$job

# --- A Prometheus of its own ---

prometheus_starts() {
    sed -e "s|pprec-receivers.yml|receivers.yml|; s|15s|1s|g" "$kit/prometheus.yml" >"$scratch/prometheus.yml"
    cp "$kit/alerts.yml" "$kit/recording.yml" "$scratch"
    echo "- targets: ['$at']" >"$scratch/receivers.yml"
    in_background "$lab" exec --name ppmetrics rcv prometheus --config.file="$scratch/prometheus.yml" \
        --storage.tsdb.path="$scratch/tsdb" --web.listen-address=127.0.0.1:9090 --log.level=error \
        >"$scratch/prometheus.out" 2>&1
}

query() { on_receiver promtool query instant http://127.0.0.1:9090 "$1" 2>"$scratch/query.err"; }
answer() { query "$1" | sed -n '1s/.*=> *\([^ ]*\).*/\1/p'; }

wait_for_query() { # QUERY: up to 30 s
    query_end=$(($(date +%s) + 30))
    while [ -z "$(answer "$1")" ] && [ "$(date +%s)" -lt $query_end ]; do sleep 0.5; done
}

# Each query of the dashboard, with its variables set as Grafana sets them.
# shellcheck disable=SC2016 # they are Grafana's, not ours
dashboard_queries() {
    jq -r '.panels[].targets[].expr' "$kit/dashboard.json" |
        sed 's/\$job/pprec/g; s/\$instance/.*/g; s/\$__rate_interval/10s/g'
}

with_prometheus() {
    page >"$scratch/page"
    promtool check metrics <"$scratch/page" >"$scratch/lint" 2>&1
    check_equal "promtool check metrics: status, words" "$? $(wc -w <"$scratch/lint")" "0 0"
    promtool check rules "$kit/alerts.yml" "$kit/recording.yml" >"$scratch/out" 2>&1
    check_equal "promtool check rules: status" $? 0
    promtool check config "$kit/prometheus.yml" >"$scratch/out" 2>&1
    check_equal "promtool check config: status" $? 0
    promtool test rules "$lab_dir/alerts_test.yml" >"$scratch/out" 2>&1
    check_equal "promtool test rules: status" $? 0
    # A scrape a second, of which a busy host may delay some: 10 s hold enough of them.
    wait_for_query 'count_over_time(pprec_packets_total[10s]) >= 8'
    wait_for_query 'instance:pprec_capacity_tentative_bps:max'
    check_near "Prometheus: pprec_capacity_bps" "$(answer pprec_capacity_bps)" 10000000 5
    check_near "Prometheus: instance:pprec_capacity_tentative_bps:max" \
        "$(answer instance:pprec_capacity_tentative_bps:max)" 10000000 5
    check_equal "Prometheus: up" "$(answer 'up{job="pprec"}')" 1
    # Over half of that time, which scrapes fill: a window that begins before them reads too few.
    check_near "Prometheus: pairs a second" "$(answer 'sum(rate(pprec_rate_bps_count[5s]))')" 50 20
}

with_dashboard() {
    asked=0 refused=0 empty=0
    dashboard_queries >"$scratch/queries"
    while read -r expression; do
        asked=$((asked + 1))
        if ! query "$expression" >"$scratch/answer"; then
            refused=$((refused + 1))
            echo "refused: $expression: $(cat "$scratch/query.err")"
        fi
        grep -q "=>" "$scratch/answer" || empty=$((empty + 1))
    done <"$scratch/queries"
    check_equal "queries of the dashboard refused, of $asked" "$refused" 0
    timed check_equal "those without an answer: two bounds; peak, bucket and rate of a shaped path" "$empty" 5
    check_equal "variables of the dashboard that are used and not defined, or not used" \
        "$(jq -r '(.templating.list | map(.name)) as $defined | ([.. | strings | scan("[$]{?([a-z]+)")[0]] | unique) as $used |
            ($used - $defined) + ($defined - $used) | join(" ")' "$kit/dashboard.json")" ""
    check_equal "panels whose id or place another one has" \
        "$(jq '[.panels[] | .id, .gridPos] | length - (unique | length)' "$kit/dashboard.json")" 0
}

if command -v prometheus >"$scratch/null" && command -v promtool >"$scratch/null"; then
    prometheus_starts
    with_prometheus
    if command -v jq >"$scratch/null"; then with_dashboard
    else echo "SKIP test_metrics: jq is missing: the dashboard is not checked"; fi
    kill "$job"
else
    echo "SKIP test_metrics: prometheus and promtool are missing: only curl reads the page"
fi

# --- Requests ---

check_equal "/healthz" "$(status_of "http://$at/healthz")" 200
check_equal "/" "$(status_of "http://$at/")" 200
check_equal "what it links to" "$(grep -o 'href="[^"]*"' "$scratch/body" | paste -sd ' ' -)" \
    'href="/metrics" href="/healthz"'
check_equal "any other path" "$(status_of "http://$at/metrics/x")" 404
check_equal "POST" "$(status_of -d x "http://$at/metrics")" 405
check_equal "HEAD: status, bytes" "$(status_of -I "http://$at/metrics") $(on_receiver curl -sS -I "http://$at/metrics" |
    tr -d '\r' | awk '/^$/ { body = 1; next } body' | wc -c)" "200 0"
on_receiver timeout 5 "$BIN/pprec" -p 9001 --metrics "$at" 2>"$scratch/err" >"$scratch/out"
check_equal "an address in use: status, lines" "$? $(wc -l <"$scratch/err")" "2 1"

# --- Streams that somebody made up ---

# Few enough that their trains are waited for, and reported as partial; all of one address, that
# has a quarter of the page's 128 places
on_receiver "$BIN/flood" 127.0.0.1 "$port" 3000 1 7 >"$scratch/null"
sleep 1.5
page >"$scratch/page"
check_below "streams on the page" 128 "$(value pprec_streams)"
check_equal "streams on the page" "$(grep -c '^pprec_packets_total' "$scratch/page")" 33
check_equal "the measured one is among them" "$(grep -c "^pprec_capacity_bps{source=\"$SENDER4" "$scratch/page")" 1
check_below "bytes of the page" "$(wc -c <"$scratch/page")" 1000000

# --- Clients that hurt ---

memory() { awk '/^VmRSS/ { print $2 }' "/proc/$receiver/status"; }
sockets() { find "/proc/$receiver/fd" -lname 'socket:*' | wc -l; }

# Connections that send this and then do not read.
hold() { # COUNT REQUEST
    # shellcheck disable=SC2016 # for the inner shell
    on_receiver bash -c 'for ((i = 0; i < $1; i++)); do
        (exec 3<>"/dev/tcp/127.0.0.1/9740" && printf "$2" >&3 && exec sleep 60) &
        done 2>/dev/null; wait' hold "$1" "$2" &
    lab_jobs="$lab_jobs $!"
}

before_kib=$(memory) before_sockets=$(sockets)
for request in 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n' 'GET /metrics HTTP/1.1\r\nHo'; do
    hold 100 "$request"
    most_kib=0 most_sockets=0
    for _ in 1 2 3 4 5 6 7 8; do
        sleep 0.1
        [ "$(memory)" -le "$most_kib" ] || most_kib=$(memory)
        [ "$(sockets)" -le "$most_sockets" ] || most_sockets=$(sockets)
    done
    echo "   $most_kib KiB with them, $before_kib before"
    check_below "memory that 100 such clients take, of whose pages 50 MB (KiB)" $((most_kib - before_kib)) 32768
    check_below "connections of theirs" $((most_sockets - before_sockets)) 9
done
page >"$scratch/page"
check_equal "behind them a scrape is answered" "$(grep -c '^pprec_build_info' "$scratch/page")" 1
kill -TERM "$sender"
wait "$sender" 2>"$scratch/null"
stop_receiving
grep "\"source\":\"$SENDER4" "$receive_out.json" >"$scratch/summary"
check_equal "lost meanwhile" "$(json_field lost <"$scratch/summary")" 0
check_near "capacity_bps at the end" "$(json_field capacity_bps <"$scratch/summary")" 10000000 5
scratch_clean
test_end
