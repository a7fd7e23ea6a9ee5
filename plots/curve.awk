# SPDX-License-Identifier: BSD-3-Clause
# curve.awk: arrival curves of the longest trains of one series, as files for curve.gp and facts
# on stdout:
#   PANEL.others  time bytes, of up to TRAINS trains, each a block
#   PANEL.train   the same of one of them: the one asked for, else the one of median span
#   PANEL.fit     its slope, or the two slopes on either side of a knee
# Packets wait, bytes do not: lines are fitted to time over position, by least squares.
# Input: PANEL.rows pass=draw PANEL.rows. Variables: panel, train (may be empty).

BEGIN { TRAINS = 20 }

# Fills at[], byte[] from a row; returns how many packets.
function read_train(positions, offsets, size,    n, i, position, offset) {
    n = split(positions, position, ",")
    split(offsets, offset, ",")
    for (i = 1; i <= n; i++) {
        at[i] = offset[i]
        nth[i] = position[i]
        byte[i] = position[i] * size
    }
    return n
}

# Least squares over the packets from..to; sets gap and start, returns the squares left.
function fit(from, to,    n, i, x, y, sx, sy, sxx, sxy, syy, d) {
    n = to - from + 1
    for (i = from; i <= to; i++) {
        x = nth[i] - nth[from]
        y = at[i] - at[from]
        sx += x; sy += y; sxx += x * x; sxy += x * y; syy += y * y
    }
    d = n * sxx - sx * sx
    gap = d > 0 ? (n * sxy - sx * sy) / d : 0
    start = at[from] + (sy - gap * sx) / n - gap * nth[from]
    d = syy - sy * sy / n - gap * (sxy - sx * sy / n)
    return d > 0 ? d : 0
}

# A knee: two lines leave a tenth of what one leaves, and the second is slower by a tenth.
# Sets head_*, tail_* and returns the last packet of the head, or 0.
function find_knee(n,    i, whole, left, best, knee) {
    whole = best = fit(1, n)
    for (i = 3; i <= n - 3; i++) {
        left = fit(1, i) + fit(i + 1, n)
        if (left <= best + 1) { # ns^2: of equals the longest head
            best = left
            knee = i
        }
    }
    if (!knee || best > 0.1 * whole)
        return 0
    fit(1, knee)
    head_gap = gap
    head_start = start
    fit(knee + 1, n)
    return gap > 1.1 * head_gap ? knee : 0
}

{ split($1, part, "|") }

pass == "" {
    if ($13 == "-" || train != "" && $12 != train)
        next
    n = split($13, position, ",")
    if (n > longest) {
        longest = n
        found = 0
    }
    if (n == longest) {
        rows[++found] = $13 " " $14 " " $3 " " $12
        m = split($14, offset, ",")
        span[found] = offset[m]
    }
    next
}

function write_train(file,    i) {
    for (i = 1; i <= packets; i++)
        printf "%.6g %.6g\n", at[i] / time_ns, byte[i] / 1000 > file
    print "" > file
}

function write_line(from, to, gap_ns, start_ns,    i) {
    for (i = from; i <= to; i += to - from)
        printf "%.6g %.6g\n", (start_ns + gap_ns * nth[i]) / time_ns, byte[i] / 1000 > (panel ".fit")
    print "" > (panel ".fit")
}

function take(row,    field) {
    split(rows[row], field, " ")
    size = field[3]
    name = field[4]
    packets = read_train(field[1], field[2], size)
}

function rate(gap_ns,    bps) {
    if (gap_ns <= 0)
        return "no gap"
    bps = size * 8e9 / gap_ns
    return bps >= 0.9995e9 ? sprintf("%.4g Gbit/s", bps / 1e9) \
        : bps >= 0.9995e6 ? sprintf("%.4g Mbit/s", bps / 1e6) : sprintf("%.4g kbit/s", bps / 1e3)
}

# The train whose span is the median of all.
function middle(    i, j, below) {
    for (i = 1; i <= found; i++) {
        below = 0
        for (j = 1; j <= found; j++)
            below += span[j] < span[i] || span[j] == span[i] && j < i
        if (below == int(found / 2))
            return i
    }
}

END {
    if (!found)
        exit
    time_ns = span[middle()] < 5e6 ? 1e3 : 1e6
    printf "" > (panel ".others")
    for (i = 1; i <= found && i <= TRAINS; i++) {
        take(i)
        write_train(panel ".others")
        knee_of[i] = find_knee(packets)
        looked++
    }
    take(middle())
    write_train(panel ".train")
    knee = find_knee(packets)
    # One train proves nothing: traffic makes knees where it likes.
    for (i = 1; i <= looked; i++)
        agree += knee_of[i] && (knee_of[i] - knee) ^ 2 <= (1 + packets / 16) ^ 2
    if (knee && agree >= 0.6 * looked) {
        tail_gap = gap
        tail_start = start
        bps = size * 8e9 / tail_gap
        for (i = knee + 1; i <= packets; i++)
            bucket += ((nth[i] + 1) * size - bps * at[i] / 8e9) / (packets - knee)
        write_line(1, knee, head_gap, head_start)
        write_line(knee + 1, packets, tail_gap, tail_start)
        text = sprintf("%s, after %d packets %s: a bucket of %.3g kB", rate(head_gap), knee,
            rate(tail_gap), bucket / 1000)
    } else {
        fit(1, packets)
        write_line(1, packets, gap, start)
        text = "slope " rate(gap)
    }
    printf "time_unit = '%s'\nfitted = '%s'\nname = 'train %s, %d packets of %d bytes'\nothers = %d\n",
        time_ns == 1e3 ? "us" : "ms", text, name, packets, size, looked
}
