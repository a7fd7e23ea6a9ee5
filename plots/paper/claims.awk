# SPDX-License-Identifier: BSD-3-Clause
# claims.awk: the paper's claims, each with our figures and what it is held against, as rows of the
# page's table. Verdicts are computed here and nowhere else.

# Whether it agrees, the runs it is about, then words.
function claim(agrees, names, where, paper, here, bound) {
    claims++
    agreed += agrees
    printf "| %s | %s | %s | %s | %s | %s |\n", where, paper, here, bound,
        (agrees ? "agrees" : "**does not**"), filter_said(names)
}

function near_share(names) { return list_of(names, "near", "%d") " % within 5 %" }

function too_low(name) { return 100 - get(name, "above") - get(name, "near") }

function pathologies(    name) {
    name = "forward_20ftp"
    claim(get(name, "above") >= 5 && too_low(name) >= 5, name, "4.1, fig. 5a", "both pathologies",
        sprintf("%d %% of the pairs read over 5 %% too high, %d %% too low", get(name, "above"), too_low(name)),
        "5 % of the pairs each, at least")
    claim(abs(get(name, "most") / 8000 - 1) <= 0.05, name, "4.1, fig. 5a", "peaks of 8 Mbit/s",
        "up to " rate(get(name, "most")), "the greatest is within 5 % of it")
    claim(all_near(name), name, "4.1, fig. 5a", "the mean is near 1 Mbit/s", rate(get(name, "mean")), "near")
    name = "reversed_20ftp"
    claim(all_within(name, "most", 0, 100.1), name, "4.1, fig. 5b", "nothing above 1 Mbit/s",
        "up to " rate(get(name, "most")), "0.1 % above at most")
    claim(all_near(name), name, "4.1, fig. 5b", "the mean is near 1 Mbit/s", rate(get(name, "mean")), "near")
}

function packet_sizes(    all, others) {
    claim(get("forward_20ftp_64b", "peaks") >= 5, "forward_20ftp_64b", "4.2, fig. 6",
        "64 bytes often peak at 8 Mbit/s", get("forward_20ftp_64b", "peaks") " % of the pairs",
        "5 % of the pairs, at least")
    claim(abs(get("forward_20ftp_500b", "most") / 4000 - 1) <= 0.05, "forward_20ftp_500b", "4.2, fig. 6",
        "500 bytes peak at 4 Mbit/s", "up to " rate(get("forward_20ftp_500b", "most")),
        "the greatest is within 5 % of it")
    claim(all_near("forward_20ftp_500b"), "forward_20ftp_500b", "4.2, fig. 6",
        "the mean of 500 bytes is near 1 Mbit/s", rate(get("forward_20ftp_500b", "mean")), "near")
    others = "forward_20ftp_64b forward_20ftp_500b forward_20ftp_1500b"
    claim(all_between(others, "sd", get("forward_20ftp", "sd"), 1e9), "forward_20ftp", "4.2, fig. 6",
        "1000 bytes are the steadiest of all", "standard deviation " list_of("forward_20ftp", "sd", "%.0f") \
        " kbit/s; of 64, 500, 1500 bytes " list_of(others, "sd", "%.0f"), "the least of the four")
    all = "forward_20ftp_64b forward_20ftp_500b forward_20ftp forward_20ftp_1500b"
    claim(all_falling(all, "sd"), all, "4.2", "larger packets are more precise",
        "standard deviations " list_of(all, "sd", "%.0f") " kbit/s", "each less than the one before")
}

function rates_and_delays(    names) {
    names = "slow_20ftp slow_40ftp"
    claim(all_near(names), names, "4.3, fig. 7", "100 kbit/s, 20 and 40 FTP: about right in the mean",
        list_of(names, "mean", "%.0f") " kbit/s", "near")
    names = "fast_20ftp fast_40ftp"
    claim(all_near(names), names, "4.3, fig. 7", "10 Mbit/s, 20 and 40 FTP: about right in the mean",
        list_of(names, "mean", "%.0f") " kbit/s", "near")
    names = "forward_20ftp forward_20ftp_10ms forward_20ftp_100ms"
    claim(all_falling(names, "sd"), names, "4.4, fig. 8",
        "the longer the round trip, the more precise (1, 10, 100 ms per link)",
        "standard deviations " list_of(names, "sd", "%.0f") " kbit/s; " near_share(names),
        "each deviation less than the one before")
}

# The asymptotic dispersion rate of a link that TCP fills: R C / (R + C), Dovrolis, Ramanathan and
# Moore 2004; a sender of 10 Mbit/s, a capacity of 1 Mbit/s.
function train_lengths(    names, adr) {
    adr = 10000 * 1000 / (10000 + 1000)
    names = "forward_5ftp_end_train8 forward_5ftp_end_train16 forward_5ftp_end_train32"
    claim(all_between(names, "mean", (1000 + adr) / 2, 1e9), names, "6",
        "trains of 8, 16, 32 read the capacity",
        "means " list_of(names, "mean", "%.0f") " kbit/s of 1000; the asymptotic dispersion rate is " \
        sprintf("%.0f", adr), "nearer to the capacity than to that rate")
}

function simulations(    quiet) {
    quiet = matching("_none")
    claim(all_exact("forward_none_500b"), "forward_none_500b", "3, fig. 2",
        "a pair of 500 bytes leaves a link of 1 Mbit/s 4 ms apart",
        sprintf("%.3f ms, each of %d", 4000 / get("forward_none_500b", "median"),
            get("forward_none_500b", "whole")),
        "each within 0.1 %")
    claim(all_exact(quiet), quiet, "4.2", "without cross traffic every sample is exact",
        count_of(quiet) " captures, 64 to 1500 bytes, 100 kbit/s to 10 Mbit/s", "each sample within 0.1 %")
    pathologies()
    packet_sizes()
    rates_and_delays()
    train_lengths()
}

# Nine tenths of the pairs of that size, in ms.
function spacing(name, bytes) {
    return sprintf("%.3f to %.3f ms, nine tenths of %d", 8 * bytes / get(name, "p95"),
        8 * bytes / get(name, "p05"), get(name, "whole"))
}

function nine_tenths_within(name, percent) {
    return all_within(name, "p05", 100 - percent, 100 + percent) \
        && all_within(name, "p95", 100 - percent, 100 + percent)
}

function senders() {
    claim(nine_tenths_within("spacing_1000b", 2), "spacing_1000b", "5.1, fig. 10",
        "pairs of 1000 bytes leave 10 Mbit/s Ethernet 0.793 to 0.813 ms apart, 0.800 in theory: about 1 %",
        spacing("spacing_1000b", 1000), "nine tenths within 2 %")
    claim(!nine_tenths_within("spacing_100b", 5), "spacing_100b", "5.1",
        "the same 8 us are 10 % of the 0.080 ms of 100 bytes", spacing("spacing_100b", 100),
        "nine tenths not within 5 %")
    claim(get("spacing_busy", "least") <= 0.5 * get("spacing_busy", "truth"), "spacing_busy", "5.1",
        "on a busy sender a pair of 1500 bytes leaves 2.554 ms apart instead of 1.2",
        sprintf("the widest of %d, a busy loop a processor: %.3f ms", get("spacing_busy", "whole"),
            12000 / get("spacing_busy", "least")), "at least one twice as wide")
}

function sizes_and_trains(    names) {
    names = "fig11_2tcp_64b_2 fig11_2tcp_1000b_2"
    claim(get("fig11_2tcp_64b_2", "near") < get("fig11_2tcp_1000b_2", "near"), names, "5.2, fig. 11",
        "pairs of 64 bytes are less stable than pairs of 1000 (2 Mbit/s, cross traffic)",
        near_share(names) "; nine tenths " rates("fig11_2tcp_64b_2", "p05", "p95") "; " \
        rates("fig11_2tcp_1000b_2", "p05", "p95"), "fewer within 5 %")
    names = "fig11_0tcp_64b_2 fig11_0tcp_1000b_2"
    claim(all_falling(names, "sd"), names, "5.2", "the same without cross traffic",
        near_share(names) "; standard deviations " list_of(names, "sd", "%.1f") " kbit/s",
        "the larger deviation")
    claim(get("fig11_2tcp_1000b_8", "near") >= 80, "fig11_2tcp_1000b_8", "5.2, fig. 11",
        "trains of 8 of 1000 bytes are right in the great majority",
        sprintf("%d %% within 5 %%, pairs %d %%; %d of %d arrived whole", get("fig11_2tcp_1000b_8", "near"),
            get("fig11_2tcp_1000b_2", "near"), get("fig11_2tcp_1000b_8", "whole"),
            get("fig11_2tcp_1000b_8", "trains")), "at least 80 %")
    claim(get("fig11_0tcp_1000b_8", "near") >= 80, "fig11_0tcp_1000b_8", "5.2",
        "the same without cross traffic", near_share("fig11_0tcp_1000b_8"), "at least 80 %")
    claim(get("fig11_2tcp_500b_2", "near") >= 80, "fig11_2tcp_500b_2", "5.2", "500 bytes are already good",
        get("fig11_2tcp_500b_2", "near") " % of the pairs within 5 %, with cross traffic", "at least 80 %")
    names = "burst_100k burst_500k burst_1m"
    claim(all_between(names, "peaks", 5, 20), names, "5.2",
        "about 10 % of the pairs pass a software shaper at full line rate",
        list_of(names, "peaks", "%d") " % of the pairs", "5 to 20 %")
}

function mostly_right(names, where, paper) {
    claim(all_between(names, "near", 50, 100), names, where, paper, near_share(names),
        "at least half")
}

function switch_mean(name, paper) {
    claim(all_within(name, "mean", 98, 102), name, "5.3", paper,
        "mean " rate(get(name, "mean")) ", " rates(name, "least", "most"), "mean within 2 %")
}

function link_rates() {
    mostly_right(matching("fig12_100k"), "5.3, fig. 12", "100 kbit/s, 0, 1, 2, 4 FTP: right in most samples")
    mostly_right(matching("fig12_500k") " " matching("fig12_1m"), "5.3", "500 kbit/s and 1 Mbit/s likewise")
    mostly_right(matching("fig12_10m"), "5.3, fig. 12",
        "10 Mbit/s, the same FTP, without ipfw: right in most samples")
    switch_mean("switch_0tcp", "100 Mbit/s switch: mean 101, 72 to 160 Mbit/s")
    switch_mean("switch_1tcp", "much the same with FTP")
    claim(all_within("fig12_10m_0tcp", "mean", 90, 110), "fig12_10m_0tcp", "5.3",
        "intranet of 10 Mbit/s: mean 10.8", "mean of our 10 Mbit/s: " rate(get("fig12_10m_0tcp", "mean")),
        "within 10 %")
}

# The column peak has the nominal rate of these.
function slightly_below(names,    name, n, i, share) {
    n = split(names, name, " ")
    for (i = 1; i <= n; i++) {
        share = get(name[i], "median") / get(name[i], "peak")
        if (share < 0.85 || share > 0.995 || get(name[i], "p95") > 1.05 * get(name[i], "p05"))
            return 0
    }
    return n > 0
}

function adsl(    names) {
    names = "adsl_up adsl_down"
    claim(slightly_below(names), names, "5.3, fig. 13",
        "ADSL, 160 and 320 kbit/s: slightly below nominal, stable",
        "medians " list_of(names, "median", "%.1f") " kbit/s",
        "medians 0.5 to 15 % below; nine tenths spread by 5 % at most")
    names = "adsl_up_atm adsl_down_atm"
    claim(slightly_below(names), names, "5.3, fig. 13", "the same",
        "with the cells of ATM that ADSL is made of: " list_of(names, "median", "%.1f") " kbit/s", "the same")
}

function measurements() {
    senders()
    sizes_and_trains()
    link_rates()
    adsl()
    claim(all_within("fig12_1m_4tcp", "median", 95, 105), "fig12_1m_4tcp", "6",
        "it is the capacity that is found, not a fair share",
        "median beside 4 TCP flows at 1 Mbit/s: " rate(get("fig12_1m_4tcp", "median")) \
        "; a fifth would be 200 kbit/s", "median within 5 %")
}
