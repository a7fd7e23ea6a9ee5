# SPDX-License-Identifier: BSD-3-Clause
# claims.awk: the page, from the machine's line, the table of all runs and the sweep, which come as
# files of these names. What a claim is held against stands beside it: `here` are the figures of
# the runs, `ok` is computed from them. Rates in kbit/s.

FILENAME == "machine" { machine = $0 }

# NAME TRUTH PEAK, then what stats.awk prints.
FILENAME == "table" {
    order[++runs] = $1
    n = split("name truth peak trains whole least p05 median p95 most mean sd mode near peaks above estimate state", key, " ")
    for (i = 1; i <= n; i++)
        run[$1, key[i]] = $i
}

FILENAME == "sweep" && $1 == "rate" { link_off[$2, $3, $4] = $5 == "-" ? "-" : 100 * ($5 / $4 - 1); link_state[$2, $3, $4] = $6 }
FILENAME == "sweep" && $1 == "cpu" { sender_us[$2, $3] = $4 / 1000; receiver_us[$2, $3] = $5 / 1000 }

### Figures

function get(name, key) {
    if (!((name, key) in run)) {
        print "claims.awk: no run " name ", or no figure " key | "cat >&2"
        broken = 1
        exit 1
    }
    return run[name, key]
}

function abs(x) { return x < 0 ? -x : x }

function off(name, key) { return 100 * (get(name, key) / get(name, "truth") - 1) }

# The names of all runs that match, in the order of the table.
function matching(pattern,    i, list) {
    for (i = 1; i <= runs; i++)
        if (order[i] !~ /\.median$/ && order[i] ~ pattern)
            list = list (list == "" ? "" : " ") order[i]
    return list
}

# "a, b, c" of a figure of several runs.
function list_of(names, key, format,    name, n, i, text) {
    n = split(names, name, " ")
    for (i = 1; i <= n; i++)
        text = text (i > 1 ? ", " : "") sprintf(format, get(name[i], key))
    return text
}

# Whether it holds of all: `least <= figure <= most`, the figure as a share of the truth (%).
function all_within(names, key, least, most,    name, n, i, x) {
    n = split(names, name, " ")
    for (i = 1; i <= n; i++) {
        x = get(name[i], key)
        if (x == "-")
            return 0
        x = 100 * x / get(name[i], "truth")
        if (x < least || x > most)
            return 0
    }
    return n > 0
}

function all_at_least(names, key, least,    name, n, i) {
    n = split(names, name, " ")
    for (i = 1; i <= n; i++)
        if (get(name[i], key) < least)
            return 0
    return n > 0
}

function decided(name) { return get(name, "state") == "converged" || get(name, "state") == "shaped" }

function wrong(name) { return decided(name) && abs(off(name, "estimate")) > 5 }

# A lower bound that the truth is below.
function bound_wrong(name) { return get(name, "state") == "sender_limited" && off(name, "estimate") > 5 }

### The filter's word on the same data

function rate(kbps) {
    return kbps == "-" ? "none" : kbps >= 1e6 ? sprintf("%.4g Gbit/s", kbps / 1e6) \
        : kbps >= 1000 ? sprintf("%.4g Mbit/s", kbps / 1000) : sprintf("%.4g kbit/s", kbps)
}

function filter_said(names,    name, n, i, text, count, right, list, state, m) {
    n = split(names, name, " ")
    if (n <= 3) {
        for (i = 1; i <= n; i++)
            text = text (i > 1 ? "; " : "") (get(name[i], "state") == "sender_limited" ? "at least " : "") \
                rate(get(name[i], "estimate")) " " get(name[i], "state") (wrong(name[i]) || bound_wrong(name[i]) ? " (**wrong**)" : "")
        return text
    }
    for (i = 1; i <= n; i++) {
        if (!count[get(name[i], "state")]++)
            list = list " " get(name[i], "state")
        right[get(name[i], "state")] += abs(off(name[i], "estimate")) <= 2
    }
    m = split(list, state, " ")
    for (i = 1; i <= m; i++)
        text = text (i > 1 ? "; " : "") count[state[i]] " " state[i] ", " right[state[i]] " of them within 2 %"
    return text
}

function claim(where, paper, here, held_against, ok, names) {
    claims++
    agreed += ok
    printf "| %s | %s | %s | %s | %s | %s |\n", where, paper, here, held_against,
        (ok ? "agrees" : "**does not**"), filter_said(names)
}

function must(what, ok, here) {
    printf "| %s | %s | %s |\n", what, (ok ? "holds" : "**does not hold**"), here
}

function picture(name, title) { printf "\n![%s](paper/%s.svg)\n\n", title, name }

### Claims

function simulations(    quiet, word, sizes, ends) {
    quiet = matching("_none")
    claim("3, fig. 2", "a pair of 500 bytes leaves a link of 1 Mbit/s 4 ms apart",
        sprintf("%.3f ms, each of %d", 4000 / get("forward_none_500b", "median"), get("forward_none_500b", "whole")),
        "each within 0.1 %", all_within("forward_none_500b", "least", 99.9, 100.1) && all_within("forward_none_500b", "most", 99.9, 100.1),
        "forward_none_500b")
    claim("4.2", "without cross traffic every sample is exact",
        split(quiet, word, " ") " captures, 64 to 1500 bytes, 100 kbit/s to 10 Mbit/s", "each sample within 0.1 %",
        all_within(quiet, "least", 99.9, 100.1) && all_within(quiet, "most", 99.9, 100.1), quiet)
    claim("4.1, fig. 5a", "both pathologies",
        sprintf("%d %% of the pairs read over 5 %% too high, %d %% too low", get("forward_20ftp", "above"),
            100 - get("forward_20ftp", "above") - get("forward_20ftp", "near")),
        "5 % of the pairs each, at least", get("forward_20ftp", "above") >= 5 \
            && 100 - get("forward_20ftp", "above") - get("forward_20ftp", "near") >= 5, "forward_20ftp")
    claim("4.1, fig. 5a", "peaks of 8 Mbit/s", "up to " rate(get("forward_20ftp", "most")), "the greatest is within 5 % of it",
        abs(get("forward_20ftp", "most") / 8000 - 1) <= 0.05, "forward_20ftp")
    claim("4.1, fig. 5a", "the mean is near 1 Mbit/s", rate(get("forward_20ftp", "mean")), "near",
        all_within("forward_20ftp", "mean", 85, 115), "forward_20ftp")
    claim("4.1, fig. 5b", "nothing above 1 Mbit/s", "up to " rate(get("reversed_20ftp", "most")), "0.1 % above at most",
        all_within("reversed_20ftp", "most", 0, 100.1), "reversed_20ftp")
    claim("4.1, fig. 5b", "the mean is near 1 Mbit/s", rate(get("reversed_20ftp", "mean")), "near",
        all_within("reversed_20ftp", "mean", 85, 115), "reversed_20ftp")
    sizes = "forward_20ftp_64b forward_20ftp_500b forward_20ftp forward_20ftp_1500b"
    claim("4.2, fig. 6", "64 bytes often peak at 8 Mbit/s", get("forward_20ftp_64b", "peaks") " % of the pairs",
        "5 % of the pairs, at least", get("forward_20ftp_64b", "peaks") >= 5, "forward_20ftp_64b")
    claim("4.2, fig. 6", "500 bytes peak at 4 Mbit/s", "up to " rate(get("forward_20ftp_500b", "most")), "the greatest is within 5 % of it",
        abs(get("forward_20ftp_500b", "most") / 4000 - 1) <= 0.05, "forward_20ftp_500b")
    claim("4.2, fig. 6", "the mean of 500 bytes is near 1 Mbit/s", rate(get("forward_20ftp_500b", "mean")), "near",
        all_within("forward_20ftp_500b", "mean", 85, 115), "forward_20ftp_500b")
    claim("4.2, fig. 6", "1000 bytes are the steadiest of 64, 500, 1000, 1500",
        "standard deviations " list_of(sizes, "sd", "%.0f") " kbit/s", "the least",
        get("forward_20ftp", "sd") < get("forward_20ftp_64b", "sd") && get("forward_20ftp", "sd") < get("forward_20ftp_500b", "sd") \
            && get("forward_20ftp", "sd") < get("forward_20ftp_1500b", "sd"), "forward_20ftp forward_20ftp_1500b")
    claim("4.2", "larger packets are more precise", "the same figures", "each less than the one before",
        get("forward_20ftp_64b", "sd") > get("forward_20ftp_500b", "sd") && get("forward_20ftp_500b", "sd") > get("forward_20ftp", "sd") \
            && get("forward_20ftp", "sd") > get("forward_20ftp_1500b", "sd"), sizes)
    claim("4.3, fig. 7", "100 kbit/s, 20 and 40 FTP: right in the mean", list_of("slow_20ftp slow_40ftp", "mean", "%.0f") " kbit/s",
        "near", all_within("slow_20ftp slow_40ftp", "mean", 85, 115), "slow_20ftp slow_40ftp")
    claim("4.3, fig. 7", "10 Mbit/s, 20 and 40 FTP: right in the mean", list_of("fast_20ftp fast_40ftp", "mean", "%.0f") " kbit/s",
        "near", all_within("fast_20ftp fast_40ftp", "mean", 85, 115), "fast_20ftp fast_40ftp")
    sizes = "forward_20ftp forward_20ftp_10ms forward_20ftp_100ms"
    claim("4.4, fig. 8", "the longer the round trip, the more precise (1, 10, 100 ms a link)",
        "standard deviations " list_of(sizes, "sd", "%.0f") " kbit/s; " list_of(sizes, "near", "%d") " % within 5 %",
        "each deviation less than the one before", get("forward_20ftp", "sd") > get("forward_20ftp_10ms", "sd") \
            && get("forward_20ftp_10ms", "sd") > get("forward_20ftp_100ms", "sd"), sizes)
    ends = "forward_5ftp_end_train8 forward_5ftp_end_train16 forward_5ftp_end_train32"
    claim("6", "trains of 8, 16, 32 read the capacity", "means " list_of(ends, "mean", "%.0f") " kbit/s of 1000; " \
        "the asymptotic dispersion rate is " sprintf("%.0f", ADR), "nearer to the capacity than to that rate",
        all_at_least(ends, "mean", (1000 + ADR) / 2), ends)
}

function spacing(name) { # as a range in ms
    return sprintf("%.3f to %.3f ms", 8 * size_of[name] / get(name, "p95"), 8 * size_of[name] / get(name, "p05"))
}

function measurements(    names) {
    size_of["spacing_1000b"] = 1000
    size_of["spacing_100b"] = 100
    claim("5.1, fig. 10", "pairs of 1000 bytes leave 10 Mbit/s Ethernet 0.793 to 0.813 ms apart, 0.800 in theory: about 1 %",
        spacing("spacing_1000b") " (nine tenths of " get("spacing_1000b", "whole") ")", "nine tenths within 2 %",
        all_within("spacing_1000b", "p05", 98, 102) && all_within("spacing_1000b", "p95", 98, 102), "spacing_1000b")
    claim("5.1", "the same 8 us are 10 % of the 0.080 ms of 100 bytes", spacing("spacing_100b"), "nine tenths not within 5 %",
        !(all_within("spacing_100b", "p05", 95, 105) && all_within("spacing_100b", "p95", 95, 105)), "spacing_100b")
    claim("5.1", "on a busy sender a pair of 1500 bytes leaves 2.554 ms apart instead of 1.2",
        "the widest of " get("spacing_busy", "whole") ", a busy loop a processor: " \
            sprintf("%.3f ms", 12000 / get("spacing_busy", "least")),
        "at least one twice as wide", get("spacing_busy", "least") <= 0.5 * get("spacing_busy", "truth"), "spacing_busy")
    names = "fig11_2tcp_64b_2 fig11_2tcp_1000b_2"
    claim("5.2, fig. 11", "pairs of 64 bytes are less stable than pairs of 1000 (2 Mbit/s, cross traffic)",
        "5 to 95 % of the pairs: " rate(get("fig11_2tcp_64b_2", "p05")) " to " rate(get("fig11_2tcp_64b_2", "p95")) "; " \
            rate(get("fig11_2tcp_1000b_2", "p05")) " to " rate(get("fig11_2tcp_1000b_2", "p95")) "; " \
            list_of(names, "near", "%d") " % within 5 %", "fewer within 5 %",
        get("fig11_2tcp_64b_2", "near") < get("fig11_2tcp_1000b_2", "near"), names)
    claim("5.2", "the same without cross traffic", list_of("fig11_0tcp_64b_2 fig11_0tcp_1000b_2", "near", "%d") \
        " % within 5 %; standard deviations " list_of("fig11_0tcp_64b_2 fig11_0tcp_1000b_2", "sd", "%.1f") " kbit/s",
        "the larger deviation", get("fig11_0tcp_64b_2", "sd") > get("fig11_0tcp_1000b_2", "sd"), "fig11_0tcp_64b_2 fig11_0tcp_1000b_2")
    claim("5.2, fig. 11", "trains of 8 of 1000 bytes are right in the great majority",
        get("fig11_2tcp_1000b_8", "near") " % within 5 %, pairs " get("fig11_2tcp_1000b_2", "near") " %; " \
            get("fig11_2tcp_1000b_8", "whole") " of " get("fig11_2tcp_1000b_8", "trains") " arrived whole",
        "at least 80 %", get("fig11_2tcp_1000b_8", "near") >= 80, "fig11_2tcp_1000b_8")
    claim("5.2", "the same without cross traffic", get("fig11_0tcp_1000b_8", "near") " % within 5 %", "at least 80 %",
        get("fig11_0tcp_1000b_8", "near") >= 80, "fig11_0tcp_1000b_8")
    claim("5.2", "500 bytes are already good", get("fig11_2tcp_500b_2", "near") " % of the pairs within 5 %, with cross traffic",
        "at least 80 %", get("fig11_2tcp_500b_2", "near") >= 80, "fig11_2tcp_500b_2")
    names = "burst_100k burst_500k burst_1m"
    claim("5.2", "about 10 % of the pairs pass a software shaper at full line rate", list_of(names, "peaks", "%d") " % of the pairs",
        "5 to 20 %", all_at_least(names, "peaks", 5) && get("burst_100k", "peaks") <= 20 && get("burst_500k", "peaks") <= 20 \
            && get("burst_1m", "peaks") <= 20, names)
    names = matching("fig12_100k")
    claim("5.3, fig. 12", "100 kbit/s, 0, 1, 2, 4 FTP: right in most samples", list_of(names, "near", "%d") " % within 5 %",
        "at least half", all_at_least(names, "near", 50), names)
    names = matching("fig12_500k") " " matching("fig12_1m")
    claim("5.3", "500 kbit/s and 1 Mbit/s likewise", list_of(names, "near", "%d") " %", "at least half",
        all_at_least(names, "near", 50), names)
    names = matching("fig12_10m")
    claim("5.3, fig. 12", "10 Mbit/s without that shaper: better still", list_of(names, "near", "%d") " %", "at least half",
        all_at_least(names, "near", 50), names)
    claim("5.3", "100 Mbit/s switch: mean 101, from 72 to 160 Mbit/s", "mean " rate(get("switch_0tcp", "mean")) ", from " \
        rate(get("switch_0tcp", "least")) " to " rate(get("switch_0tcp", "most")), "mean within 2 %",
        all_within("switch_0tcp", "mean", 98, 102), "switch_0tcp")
    claim("5.3", "much the same with FTP", "mean " rate(get("switch_1tcp", "mean")) ", from " rate(get("switch_1tcp", "least")) \
        " to " rate(get("switch_1tcp", "most")), "mean within 2 %", all_within("switch_1tcp", "mean", 98, 102), "switch_1tcp")
    claim("5.3", "intranet of 10 Mbit/s: mean 10.8", "mean of our 10 Mbit/s: " rate(get("fig12_10m_0tcp", "mean")),
        "within 10 %", all_within("fig12_10m_0tcp", "mean", 90, 110), "fig12_10m_0tcp")
    names = "adsl_up adsl_down"
    claim("5.3, fig. 13", "ADSL, 160 and 320 kbit/s: slightly below nominal, stable", "medians " list_of(names, "median", "%.1f") " kbit/s",
        "medians 0.5 to 15 % below; nine tenths spread by 5 % at most", slightly_below(names), names)
    names = "adsl_up_atm adsl_down_atm"
    claim("5.3, fig. 13", "the same", "with the cells of ATM that ADSL is made of: " list_of(names, "median", "%.1f") " kbit/s",
        "the same", slightly_below(names), names)
    claim("6", "it is the capacity that is found, not a fair share", "median beside 4 TCP flows at 1 Mbit/s: " \
        rate(get("fig12_1m_4tcp", "median")) "; a fifth would be 200 kbit/s", "median within 5 %", all_within("fig12_1m_4tcp", "median", 95, 105), "fig12_1m_4tcp")
}

function slightly_below(names,    name, n, i) {
    n = split(names, name, " ")
    for (i = 1; i <= n; i++)
        if (get(name[i], "p95") / get(name[i], "p05") > 1.05)
            return 0
    for (i = 1; i <= n; i++)
        if (get(name[i], "median") > 0.995 * get(name[i], "peak") || get(name[i], "median") < 0.85 * get(name[i], "peak"))
            return 0
    return n > 0
}

### What must hold

function musts(    names, name, n, i, bad, text, late) {
    names = matching("_none")
    must("No cross traffic: every sample exact, every size and rate", all_within(names, "least", 99.9, 100.1) \
        && all_within(names, "most", 99.9, 100.1) && all_within(names, "estimate", 98, 102),
        split(names, name, " ") " captures; " filter_said(names))
    names = matching("^reversed_.*ftp")
    must("V = 8, 4, 2, 1: no sample above the capacity, estimate within 2 %", all_within(names, "most", 0, 100.1) \
        && all_within(names, "estimate", 98, 102), "greatest " list_of(names, "most", "%.0f") "; " filter_said(names))
    must("V = 1, 2, 4, 8 with 5 FTP (1000 bytes): estimate within 2 %", all_within("forward_5ftp", "estimate", 98, 102),
        filter_said("forward_5ftp"))
    names = matching("^forward_20ftp")
    n = split(names, name, " ")
    for (i = 1; i <= n; i++)
        if (wrong(name[i]))
            bad = bad (bad == "" ? "" : ", ") "`" name[i] "`"
    must("V = 1, 2, 4, 8 with 20 FTP: not converged unless right", bad == "",
        (bad == "" ? "" : "wrong: " bad "; ") filter_said(names))
}

# Every run that was sure: right, and wrong by name; with the median beside it.
function sureness(    i, name, text, sure, right, near, captures) {
    for (i = 1; i <= runs; i++) {
        name = order[i]
        if (name ~ /\.median$/) {
            near += run[name, "estimate"] != "-" && abs(off(name, "estimate")) <= 5
            captures++
        } else if (decided(name)) {
            sure++
            right += !wrong(name)
            if (wrong(name))
                text = text (text == "" ? "" : ", ") "`" name "` (" rate(get(name, "estimate")) " of " rate(get(name, "truth")) ")"
        }
    }
    printf "Of all %d runs the adaptive filter was sure of %d and right, to 5 %%, in %d of these. ", runs - captures, sure, right
    print (text == "" ? "It was never sure and wrong." : "**Sure and wrong: " text ".**")
    printf "The median, which is never sure, is within 5 %% in %d of the %d captures.\n", near, captures
}

### The sweep

function link_name(bps) { return rate(bps / 1000) }

function sweep_tables(    s, l, b, size, length_of, link, sizes, lengths, links, text) {
    sizes = split("64 250 500 1000 1500", size, " ")
    lengths = split("2 8 32 256", length_of, " ")
    links = split("10000000 100000000 300000000 1000000000", link, " ")
    printf "| frame | train |"
    for (b = 1; b <= links; b++)
        printf " %s |", link_name(link[b])
    print " pptrans, us a train | pprec, us a train | us a packet, both |"
    print "|---|---|---|---|---|---|---|---|---|"
    for (s = 1; s <= sizes; s++)
        for (l = 1; l <= lengths; l++) {
            printf "| %d | %d |", size[s], length_of[l]
            for (b = 1; b <= links; b++) {
                text = link_off[size[s], length_of[l], link[b]]
                text = text == "-" ? "none" : sprintf("%+.1f %%", text)
                if (link_state[size[s], length_of[l], link[b]] !~ /^(converged|shaped)$/)
                    text = "(" text ")"
                printf " %s |", text
            }
            printf " %.0f | %.0f | %.1f |\n", sender_us[size[s], length_of[l]], receiver_us[size[s], length_of[l]],
                (sender_us[size[s], length_of[l]] + receiver_us[size[s], length_of[l]]) / length_of[l]
        }
}

END {
    if (broken)
        exit 1
    ADR = 10000 * 1000 / 11000 # Dovrolis, Ramanathan and Moore 2004: R C / (R + C)
    while ((getline line < template) > 0) {
        if (line == "@claims") {
            simulations()
            measurements()
        } else if (line == "@agreed")
            printf "%d of %d claims agree.\n", agreed, claims
        else if (line == "@musts")
            musts()
        else if (line == "@sure")
            sureness()
        else if (line == "@sweep")
            sweep_tables()
        else if (line == "@machine")
            print "Lab: " machine "."
        else
            print line
    }
    if (broken)
        exit 1
}
