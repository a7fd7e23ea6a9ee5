# SPDX-License-Identifier: BSD-3-Clause
# page.awk: the page: template.md with figures where a line begins with @. After figures.awk and
# claims.awk. Variable: template.

function must(what, holds, here) {
    printf "| %s | %s | %s |\n", what, (holds ? "holds" : "**does not hold**"), here
}

function musts(    names, name, n, i, bad) {
    names = matching("_none")
    must("No cross traffic: every sample exact, every size and rate; estimate within 2 %", all_exact(names) \
        && all_within(names, "estimate", 98, 102), count_of(names) " captures; " filter_said(names))
    names = matching("^reversed_.*ftp")
    must("V = 8, 4, 2, 1: no sample above the capacity, estimate within 2 %",
        all_within(names, "most", 0, 100.1) && all_within(names, "estimate", 98, 102),
        "greatest " list_of(names, "most", "%.0f") " kbit/s; " filter_said(names))
    must("V = 1, 2, 4, 8 with 5 FTP (1000 bytes): estimate within 2 %",
        all_within("forward_5ftp", "estimate", 98, 102), filter_said("forward_5ftp"))
    names = matching("^forward_20ftp")
    n = split(names, name, " ")
    for (i = 1; i <= n; i++)
        if (wrong(name[i]))
            bad = bad "`" name[i] "` wrong; "
    must("V = 1, 2, 4, 8 with 20 FTP: not converged unless right", bad == "", bad filter_said(names))
}

# The relay needs 5 us to send a packet: of two that are due within 10 us the second is late, and
# what comes is not the link that the row names. Longer trains it catches up with.
function carried(size, length_of, link) {
    return length_of > 2 || size * 8e6 / link >= 10
}

function sweep_sureness(    i, sure, right, bad, part) {
    for (i = 1; i <= shapes; i++) {
        split(shape[i], part, SUBSEP)
        if (is_sure(link_state[shape[i]]) && carried(part[1], part[2], part[3])) {
            sure++
            if (abs(link_off[shape[i]]) <= 5) {
                right++
                continue
            }
            bad = bad (bad == "" ? "" : ", ") sprintf("%d x %d bytes at %s (%+.1f %%)", part[2], part[1],
                rate(part[3] / 1000), link_off[shape[i]])
        }
    }
    printf "In the sweep at the end of the page, but for pairs in italics, it was sure %d times and right in %d", sure,
        right
    print (bad == "" ? "." : "; **sure and wrong: " bad ".**")
}

# Every run that was sure: right, and wrong by name; with the median beside it.
function sureness(    i, name, bad, sure, right, near, captures) {
    for (i = 1; i <= runs; i++) {
        name = order[i]
        if (name ~ /\.median$/) {
            captures++
            near += get(name, "estimate") != "-" && abs(off(name, "estimate")) <= 5
        } else if (is_sure(get(name, "state"))) {
            sure++
            right += !wrong(name)
            if (wrong(name))
                bad = bad (bad == "" ? "" : ", ") sprintf("`%s` (%s of %s)", name,
                    rate(get(name, "estimate")), rate(get(name, "truth")))
        }
    }
    printf "Of all %d runs the adaptive filter was sure of %d and right, to 5 %%, in %d of these. ",
        runs - captures, sure, right
    print (bad == "" ? "It was never sure and wrong." : "**Sure and wrong: " bad ".**")
    sweep_sureness()
    printf "The median, which is never sure, is within 5 %% in %d of the %d captures.\n", near, captures
}

# Every run: what its trains read, and what two filters say.
function all_runs(    i, name, text) {
    print "| run | truth | sent | whole | within 5 % | mean | median | `median` | `adaptive` | off | |"
    print "|---|---|---|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= runs; i++) {
        name = order[i]
        if (name ~ /\.median$/)
            continue
        text = (name ".median", "estimate") in run ? run[name ".median", "estimate"] : "-"
        printf "| %s | %s | %d | %d | %d %% | %s | %s | %s | %s | %s | %s |\n", name, get(name, "truth"),
            get(name, "trains"), get(name, "whole"), get(name, "near"), get(name, "mean"),
            get(name, "median"), text, get(name, "estimate"),
            (get(name, "estimate") == "-" ? "-" : sprintf("%+.1f %%", off(name, "estimate"))), get(name, "state")
    }
}

function sweep_row(size, length_of, link, links,    b, text) {
    printf "| %d | %d |", size, length_of
    for (b = 1; b <= links; b++) {
        text = link_off[size, length_of, link[b]]
        text = text == "-" ? "none" : sprintf("%+.1f %%", text)
        if (!carried(size, length_of, link[b]))
            text = "*" text "*"
        printf is_sure(link_state[size, length_of, link[b]]) ? " %s |" : " (%s) |", text
    }
    printf " %.0f | %.0f | %.1f |\n", sender_us[size, length_of], receiver_us[size, length_of],
        (sender_us[size, length_of] + receiver_us[size, length_of]) / length_of
}

function sweep_table(    s, l, b, size, length_of, link, sizes, lengths, links) {
    sizes = split("64 250 500 1000 1500", size, " ") # as size_sweep has them
    lengths = split("2 8 32 256", length_of, " ")
    links = split("10000000 100000000 300000000 1000000000", link, " ")
    printf "| frame | train |"
    for (b = 1; b <= links; b++)
        printf " %s |", rate(link[b] / 1000)
    print " pptrans, us per train | pprec, us per train | us per packet, both |"
    print "|---|---|---|---|---|---|---|---|---|"
    for (s = 1; s <= sizes; s++)
        for (l = 1; l <= lengths; l++)
            sweep_row(size[s], length_of[l], link, links)
}

END {
    while (!broken && (getline line < template) > 0) {
        if (line !~ /^@/) {
            print line
        } else if (line == "@claims") {
            simulations()
            measurements()
        } else if (line == "@agreed") {
            printf "%d of %d claims agree.\n", agreed, claims
        } else if (line == "@musts") {
            musts()
        } else if (line == "@sure") {
            sureness()
        } else if (line == "@runs") {
            all_runs()
        } else if (line == "@sweep") {
            sweep_table()
        } else if (line == "@machine") {
            print "Lab: " machine "."
        }
    }
    if (broken)
        exit 1
}
