# From the measurements of `run`, a line each, to Markdown. Lines:
#   full|steady|backlog|step|nine_tenths ROUND WHO SENT RECEIVED CPU_NS PPS
#   search ROUND WHO PPS sender|receiver
#   memory KIB, peak KIB, flood SENT RECEIVED PPS
#   push LOG2 NS, depart HOW LOG2 NS
# want=nine_tenths prints the rate for that test; want=tables all there is to say.

function note(key, value) { values[key, ++count[key]] = value }

function median(key,    n, i, j, sorted, hold) {
    n = count[key]
    if (!n) return ""
    for (i = 1; i <= n; i++) {
        hold = values[key, i]
        for (j = i; j > 1 && sorted[j - 1] > hold; j--) sorted[j] = sorted[j - 1]
        sorted[j] = hold
    }
    return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}

function spread(key,    i, low, high) {
    low = high = values[key, 1]
    for (i = 2; i <= count[key]; i++) {
        if (values[key, i] < low) low = values[key, i]
        if (values[key, i] > high) high = values[key, i]
    }
    return low " " high
}

$1 ~ /^(full|steady|backlog)$/ && $5 > 0 {
    cost[$1, $2, $3] = $6 / $5
    note($1 " " $3, $6 / $5)
    note($1 " pps " $3, $7)
    sent[$1, $3] += $4
    got[$1, $3] += $5
    if ($2 > rounds) rounds = $2
}
$1 == "search" { note("search " $3, $4); limited[$3] += $5 == "sender" }
$1 == "nine_tenths" { nine_sent += $4; nine_got += $5; note("nine pps", $7) }
$1 == "memory" { note("memory", $2) }
$1 == "peak" { peak_kib = $2 }
$1 == "flood" { flood_sent = $2; flood_got = $3; flood_pps = $4 }
$1 == "push" { note("push " $2, $3) }
$1 == "depart" { note("depart " $2 " " $3, $4) }

# The median over the rounds of one contestant's cost by another's in that round.
function ratio(phase, who, other,    round, key) {
    key = "ratio " phase " " who " " other
    if (!count[key])
        for (round = 1; round <= rounds; round++)
            if ((phase, round, who) in cost && (phase, round, other) in cost)
                note(key, cost[phase, round, who] / cost[phase, round, other])
    return median(key)
}

function shown(format, value) { return value == "" ? "-" : sprintf(format, value) }

function cell(phase, who, other) {
    return shown("%.0f", median(phase " " who)) " (" shown("%.2f", ratio(phase, who, other)) ")"
}

function lost(phase, who) {
    return sent[phase, who] ? sprintf("%.2f %%", 100 * (1 - got[phase, who] / sent[phase, who])) : "-"
}

function highest(who,    rate) {
    rate = median("search " who)
    if (rate == "") return "-"
    return (limited[who] * 2 > count["search " who] ? ">= " : "") sprintf("%.0f", rate)
}

function head(    line, i) {
    while ((getline line < machine) > 0) facts[++i] = line
    split(processors, cpu, " ")
    printf "# Benchmark\n\n%s, %d processors, Linux %s; load before: %s.\n", facts[1], facts[3], facts[2], facts[4]
    printf "Command: `%s` (%d s). Sender on processor %s, receiver on %s%s, a veth pair\n", how, took, cpu[1], cpu[2],
        cpu[1] == cpu[2] ? " (the same: rates mean little)" : ""
    print "between two network namespaces, no shaping. On a veth the kernel delivers a packet in the"
    print "sender's context: a receiver's processor time is that of its process, user and system."
    printf "Trains of %d, %d bytes of payload.\n", length_packets, payload
}

function receivers(    i, who) {
    print "\n## Receivers\n"
    print "CPU in ms per million packets, the median of the rounds; in brackets by the recvmmsg loop's"
    print "in the same round (at 50 000 packets/s by the recvmsg loop's). Backlog: 8000 packets wait"
    print "when the receiver may run, so no wake-up is in it, and nothing but the reading limits it.\n"
    print "| receiver | full rate: offered/s | CPU | lost | backlog: CPU | 50 000/s: CPU | lost | highest loss-free, packets/s |"
    print "|---|---|---|---|---|---|---|---|"
    split("pprec pprec-log recvmmsg lazy recvmsg iperf3", order, " ")
    for (i = 1; i in order; i++) {
        who = order[i]
        if (!count["full " who]) continue
        printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", name[who],
            shown("%.0f", median("full pps " who)), cell("full", who, "recvmmsg"), lost("full", who),
            who == "iperf3" ? "-" : cell("backlog", who, "recvmmsg"),
            cell("steady", who, "recvmsg"), lost("steady", who), highest(who)
    }
    print "\n>=: nothing was lost at the highest rate the sender reached."
}

function memory(    n) {
    if (!flood_sent) return
    n = count["memory"]
    print "\n## Memory of pprec\n"
    printf "%d packets at %d/s, %d lost. Resident: %d KiB before, %d after a second, %d in the middle,\n", flood_sent, flood_pps,
        flood_sent - flood_got, values["memory", 1], values["memory", 2], values["memory", int((n + 1) / 2)]
    printf "%d at the end; peak %d KiB.\n", values["memory", n], peak_kib
}

function push() {
    print "\n## The library alone\n"
    printf "`bench push`: %s ns a datagram in pairs, %s in trains of 16 (no socket, no system call).\n",
        shown("%.0f", median("push 1")), shown("%.0f", median("push 4"))
}

function departures(    i, how_sent, label) {
    print "\n## Departures\n"
    print "Gap from packet to packet of a train when it leaves, in ns: kernel transmit timestamps,"
    print "1400 bytes of payload, segmentation offload off. For GSO the train's span by its gaps.\n"
    print "| sent by | trains of 16 | trains of 64 |\n|---|---|---|"
    split("sendto mmsg gso", how_sent, " ")
    split("sendto()|pptrans --send mmsg|pptrans --send gso", label, "|")
    for (i = 1; i <= 3; i++)
        printf "| %s | %s | %s |\n", label[i], shown("%.0f", median("depart " how_sent[i] " 4")),
            shown("%.0f", median("depart " how_sent[i] " 6"))
}

function claim(text, value, format, limit) {
    printf "| %s | %s | %s |\n", text, shown(format, value), value == "" ? "-" : value <= limit ? "yes" : "NO"
}

function claims(    growth_kib) {
    print "\n## What must hold\n\n| | measured | holds |\n|---|---|---|"
    claim("full rate: CPU by the recvmmsg loop's, at most 1.2", ratio("full", "pprec", "recvmmsg"), "%.2f", 1.2)
    claim("backlog: the same", ratio("backlog", "pprec", "recvmmsg"), "%.2f", 1.2)
    claim(sprintf("%d packets at 90 %% of the highest loss-free rate (%d/s): lost", nine_sent,
        median("nine pps")), nine_sent - nine_got, "%d", 0)
    claim("50 000/s: CPU by the recvmsg loop's, at most 0.33", ratio("steady", "pprec", "recvmsg"), "%.2f", 1 / 3)
    if (flood_sent) {
        growth_kib = values["memory", count["memory"]] - values["memory", 2]
        claim("peak memory over the flood, at most 16384 KiB", peak_kib, "%d", 16384)
        claim("its growth after the first second, KiB, at most 64", growth_kib, "%d", 64)
    }
}

BEGIN {
    name["pprec"] = "pprec -q"
    name["pprec-log"] = "pprec -q -o LOG"
    name["recvmmsg"] = "recvmmsg loop"
    name["lazy"] = "recvmmsg loop, lazy"
    name["recvmsg"] = "recvmsg loop"
    name["iperf3"] = "iperf3 -s"
}

END {
    if (want == "nine_tenths") {
        printf "%d\n", 0.9 * median("search pprec")
        exit
    }
    head()
    receivers()
    claims()
    memory()
    push()
    departures()
}
