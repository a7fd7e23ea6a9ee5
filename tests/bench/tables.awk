# SPDX-License-Identifier: BSD-3-Clause
# From the measurements of `run`, a line each, to Markdown. The lines:
#   full|steady|backlog2|backlog16|step|nine_tenths ROUND WHO SENT RECEIVED CPU_NS PPS
#   search ROUND WHO PPS sender|receiver
#   memory KIB, peak KIB, flood SENT RECEIVED PPS
#   push LOG2 NS, depart|arrive HOW LOG2 NS
# want=nine_tenths prints the rate for that test; want=tables all there is to say.

function note(key, value) { values[key, ++count[key]] = value + 0 }

function sort_values(key, sorted,    i, j, hold) {
    for (i = 1; i <= count[key]; i++) {
        hold = values[key, i]
        for (j = i; j > 1 && sorted[j - 1] > hold; j--) sorted[j] = sorted[j - 1]
        sorted[j] = hold
    }
    return count[key] + 0
}

function median(key,    n, sorted) {
    n = sort_values(key, sorted)
    if (!n) return ""
    return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}

function spread(key, format,    n, sorted) {
    n = sort_values(key, sorted)
    return n ? sprintf(format " to " format, sorted[1], sorted[n]) : "-"
}

$1 ~ /^(full|steady|backlog.*)$/ && $5 > 0 {
    cost[$1, $2, $3] = $6 / $5
    note($1 " " $3, $6 / $5)
    note($1 " pps " $3, $7)
    sent[$1, $3] += $4
    got[$1, $3] += $5
    if ($2 > rounds) rounds = $2
}
$1 == "search" { note("search " $3, $4); by_sender[$3] += $5 == "sender" }
$1 == "nine_tenths" { nine_sent += $4; nine_got += $5; note("nine pps", $7) }
$1 == "memory" { note("memory", $2) }
$1 == "peak" { peak_kib = $2 }
$1 == "flood" { flood_sent = $2; flood_got = $3; flood_pps = $4 }
$1 == "push" && NF == 3 { note("push " $2, $3) }
$1 ~ /^(depart|arrive)$/ && NF == 4 { note($1 " " $2 " " $3, $4) }

# Notes what one contestant's packet cost by another's, round by round.
function ratio(phase, who, other,    round, key) {
    key = "ratio " phase " " who " " other
    for (round = 1; !count[key] && round <= rounds; round++)
        ratio_of_round[round] = ((phase, round, who) in cost && (phase, round, other) in cost) \
            ? cost[phase, round, who] / cost[phase, round, other] : ""
    for (round = 1; round in ratio_of_round; round++)
        if (ratio_of_round[round] != "") note(key, ratio_of_round[round])
    split("", ratio_of_round)
    return key
}

function shown(format, value) { return value == "" ? "-" : sprintf(format, value) }

function cost_cells(phase, who, other) {
    return shown("%.0f", median(phase " " who)) " | " \
        shown("%.2f", median(ratio(phase, who, other)))
}

function lost(phase, who) {
    if (!sent[phase, who]) return "-"
    return sprintf("%.2f %%", 100 * (1 - got[phase, who] / sent[phase, who]))
}

function highest(who,    rate) {
    rate = median("search " who)
    if (rate == "") return "-"
    return (by_sender[who] * 2 > count["search " who] ? "at least " : "") sprintf("%.0f", rate)
}

# --- What is printed ---

function head(    line, i, cpu) {
    while ((getline line < machine) > 0) facts[++i] = line
    split(processors, cpu, " ")
    print "# Benchmark\n"
    printf "%s, %d processors, Linux %s; load average before: %s.\n", \
        facts[1], facts[3], facts[2], facts[4]
    printf "`%s`, %d s. Sender on processor %s, receiver on %s%s, a\n", how, took, cpu[1], \
        cpu[2], cpu[1] == cpu[2] ? " (the same: rates mean little)" : ""
    print "veth pair between two network namespaces, no shaping. There the kernel delivers packets"
    print "in the sender's context, and wakes receivers there: one that is woken less often lets it"
    print "send faster. A receiver's CPU is what its process uses, user and system."
    printf "%d bytes of payload in trains of %d where nothing else is said. Medians over the\n", \
        payload, length_packets
    print "rounds; ratios are taken within a round. CPU: ms per million packets."
}

function full_rate(    i, who) {
    print "\n## As fast as the sender can\n"
    print "| receiver | offered/s | lost | CPU | by recvmmsg's | highest loss-free, packets/s |"
    print "|---|---|---|---|---|---|"
    for (i = 1; i in order; i++) {
        who = order[i]
        printf "| %s | %s | %s | %s | %s |\n", name[who], \
            shown("%.0f", median("full pps " who)), lost("full", who), \
            cost_cells("full", who, "recvmmsg"), highest(who)
    }
    print "\n\"At least\": nothing was lost at the highest rate that the sender reached. iperf3 is"
    print "loaded by its own client, which sends one packet a call, and keeps its default buffer."
}

function backlog(    i, who) {
    print "\n## From a backlog\n"
    print "8000 packets wait when the receiver may run: no wake-up is counted, nothing but reading"
    print "limits it. The lazy loop makes pprec's own system calls (it asks for each packet's source, too)"
    print "and looks at nothing they bring.\n"
    print "| receiver | pairs: CPU | by recvmmsg's | trains of 16: CPU | by recvmmsg's |"
    print "|---|---|---|---|---|"
    for (i = 1; i in order; i++) {
        who = order[i]
        if (who != "iperf3")
            printf "| %s | %s | %s |\n", name[who], cost_cells("backlog2", who, "recvmmsg"), \
                cost_cells("backlog16", who, "recvmmsg")
    }
    printf "\npprec -q by the lazy loop's, what is done with the packets: %s in pairs, %s in trains\n", \
        shown("%.2f", median(ratio("backlog2", "pprec", "lazy"))), \
        shown("%.2f", median(ratio("backlog16", "pprec", "lazy")))
    printf "of 16. The library alone, without a system call (`bench push`): %s in pairs, %s in\n", \
        shown("%.0f", median("push 1")), shown("%.0f", median("push 4"))
    print "trains of 16."
}

function steady(    i, who) {
    print "\n## At 50 000 packets/s\n"
    print "| receiver | offered/s | lost | CPU | by recvmsg's |\n|---|---|---|---|---|"
    for (i = 1; i in order; i++) {
        who = order[i]
        printf "| %s | %s | %s | %s |\n", name[who], \
            shown("%.0f", median("steady pps " who)), lost("steady", who), \
            cost_cells("steady", who, "recvmsg")
    }
}

function memory(    n) {
    if (!flood_sent) return
    n = count["memory"]
    print "\n## Memory of pprec\n"
    printf "%d packets at %d/s, %d of them lost. Resident: %d KiB before, %d after a second, %d in\n", \
        flood_sent, flood_pps, flood_sent - flood_got, values["memory", 1], \
        values["memory", 2], values["memory", int((n + 1) / 2)]
    printf "the middle, %d at the end; peak %d KiB.\n", values["memory", n], peak_kib
}

function gap(where, way, log2) { return shown("%.0f", median(where " " way " " log2)) }

function departures(    i) {
    print "\n## Departures\n"
    print "Time from packet to packet of a train, ns; 1400 bytes of payload, segmentation offload"
    print "off. Left: by transmit timestamps; of a GSO train only the ends are stamped, so its span by"
    print "its gaps. Right: the gaps themselves, as stamped at the other end of the veth.\n"
    print "| sent by | trains of 16, left | of 64 | trains of 16, right | of 64 |\n|---|---|---|---|---|"
    for (i = 1; i in ways; i++)
        printf "| %s | %s | %s | %s | %s |\n", way_name[i], gap("depart", ways[i], 4), \
            gap("depart", ways[i], 6), gap("arrive", ways[i], 4), gap("arrive", ways[i], 6)
}

function claim(text, value, format, limit, range) {
    printf "| %s | %s%s | %s |\n", text, shown(format, value), \
        range == "" ? "" : " (" range ")", value == "" ? "-" : value <= limit ? "yes" : "NO"
}

function claim_ratio(text, phase, who, other, limit,    key) {
    key = ratio(phase, who, other)
    claim(text, median(key), "%.2f", limit, spread(key, "%.2f"))
}

function claims() {
    print "\n## What must hold\n\n| of pprec -q | measured | holds |\n|---|---|---|"
    claim_ratio("CPU at full rate, by the recvmmsg loop's: at most 1.2", "full", "pprec", "recvmmsg", 1.2)
    claim_ratio("CPU at 50 000/s, by the recvmsg loop's: at most 0.33", "steady", "pprec", "recvmsg", 1 / 3)
    claim_ratio("CPU at full rate, by the lazy loop's: at most 1.3", "full", "pprec", "lazy", 1.3)
    claim_ratio("CPU at 50 000/s, by the lazy loop's: at most 1.3", "steady", "pprec", "lazy", 1.3)
    claim_ratio("with a log at full rate, by the lazy loop's: at most 2", "full", "pprec-log", "lazy", 2)
    claim_ratio("with a log at 50 000/s, by the lazy loop's: at most 2", "steady", "pprec-log", "lazy", 2)
    claim(sprintf("lost of %d packets at 90 %% of its highest loss-free rate (%d/s): none", \
        nine_sent, median("nine pps")), nine_sent - nine_got, "%d", 0)
    if (flood_sent) {
        claim("peak memory over the flood: at most 16384 KiB", peak_kib, "%d", 16384)
        claim("growth of it after the first second: at most 64 KiB", \
            values["memory", count["memory"]] - values["memory", 2], "%d", 64)
    }
}

BEGIN {
    split("pprec pprec-log recvmmsg lazy recvmsg iperf3", order, " ")
    name["pprec"] = "pprec -q"
    name["pprec-log"] = "pprec -q -o LOG --log-rate 0"
    name["recvmmsg"] = "recvmmsg loop"
    name["lazy"] = "recvmmsg loop, lazy"
    name["recvmsg"] = "recvmsg loop"
    name["iperf3"] = "iperf3 -s"
    split("sendto mmsg gso", ways, " ")
    split("sendto()|pptrans --send mmsg|pptrans --send gso", way_name, "|")
}

END {
    if (want == "nine_tenths") {
        printf "%d\n", 0.9 * median("search pprec")
        exit
    }
    head()
    claims()
    full_rate()
    backlog()
    steady()
    memory()
    departures()
}
