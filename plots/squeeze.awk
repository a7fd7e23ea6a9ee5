# SPDX-License-Identifier: BSD-3-Clause
# squeeze.awk: gnuplot's SVG as a smaller one that looks the same: coordinates to a tenth of a pixel, strokes of one kind as
# one path, points on a straight line left out, points of one shape and colour as one path of class pN (N: gnuplot's
# number of the shape). Tags that gnuplot 5.4 does not write for plots stay as they are.

BEGIN {
    RS = ">"
    SHAPES = 14
    split("m-1,0h2m-1,-1v2 m-1,-1l2,2m0,-2l-2,2 m-1,0h2m-1,-1v2m-1,-2l2,2m-2,0l2,-2 m-1,-1h2v2h-2z m-1,-1h2v2h-2z " \
        "o O m0,-1.33l-1.33,2h2.66z m0,-1.33l-1.33,2h2.66z m0,1.33l1.33,-2h-2.66z m0,1.33l1.33,-2h-2.66z " \
        "m0,-1.41l1.41,1.41l-1.41,1.41l-1.41,-1.41z m0,-1.41l1.41,1.41l-1.41,1.41l-1.41,-1.41z " \
        "m0,-1.33l-1.27,.92l.48,1.48h1.57l.48,-1.48z m0,-1.33l-1.27,.92l.48,1.48h1.57l.48,-1.48z", shape, " ")
    POINT_STROKE = 0.21 # of a point of radius 1
}

{
    at = index($0, "<")
    text = substr($0, 1, at - 1)
    tag = substr($0, at + 1)
    gsub(/[ \t\n]+/, " ", tag)
    match(tag, /^\/?[a-z?]*/)
    name = substr(tag, 1, RLENGTH)
}

name == "/defs" { in_defs = 0; next }
name == "defs" { in_defs = 1 }
in_defs || name == "" || name ~ /^(\?xml|\/?title|\/?desc|\/?svg)$/ {
    if (name == "svg")
        size = " width=\"" attribute("width") "\" height=\"" attribute("height") "\" viewBox=\"" attribute("viewBox") "\""
    next
}

name == "g" {
    group[++depth] = tag
    if (tag ~ /stroke-width/) {
        held_width = attribute("stroke-width") + 0
        held_stroke = attribute("stroke")
        if (held_stroke == "currentColor")
            held_stroke = attribute("color")
    }
    next
}

name == "/g" { delete group[depth--]; next }
name == "text" { next }

name == "/text" {
    tag = group[depth]
    sub(/^ */, "", text)
    if (text != "")
        put_text(text)
    next
}

name == "rect" { # the background
    put_part("<rect width=\"100%\" height=\"100%\" fill=\"" colour(attribute("fill")) "\"/>")
    next
}

name == "path" {
    stroke = attribute("stroke") == "" ? held_stroke : attribute("stroke")
    width = attribute("stroke-width") == "" ? held_width : attribute("stroke-width") + 0
    dash = attribute("stroke-dasharray")
    put_path(paint(attribute("fill") == "none" ? "" : attribute("fill"), stroke, width) \
        (dash == "" ? "" : " stroke-dasharray=\"" tenths(dash) "\""), path_of(attribute("d")))
    next
}

name == "polygon" {
    opacity = attribute("fill-opacity") == "" ? 1 : attribute("fill-opacity") + 0
    put_path(" class=\"a\"" paint(attribute("fill"), "", 0) (opacity < 1 ? " fill-opacity=\"" tenth(opacity) "\"" : ""),
        path_of("M" attribute("points")) "z")
    next
}

name == "use" {
    put_point(attribute("xlink:href"), attribute("transform"), colour(attribute("color")))
    next
}

{ close_layer(); put_part(text "<" tag ">") }

### What stands in a tag

# The value of an attribute, in either kind of quotes.
function attribute(key,    rest, quote) {
    if (!match(tag, "(^| )" key " ?= ?[\"']"))
        return ""
    quote = substr(tag, RSTART + RLENGTH - 1, 1)
    rest = substr(tag, RSTART + RLENGTH)
    return substr(rest, 1, index(rest, quote) - 1)
}

function colour(text,    part) {
    if (text !~ /^rgb/)
        return text == "black" ? "#000" : text == "#FFFFFF" || text == "#ffffff" ? "#fff" : text
    split(text, part, /[(,)] */)
    text = sprintf("%02x%02x%02x", part[2], part[3], part[4])
    if (text ~ /^(00|11|22|33|44|55|66|77|88|99|aa|bb|cc|dd|ee|ff)*$/)
        text = substr(text, 1, 1) substr(text, 3, 1) substr(text, 5, 1)
    return "#" text
}

function paint(fill, stroke, width) {
    return (fill == "" ? "" : " fill=\"" colour(fill) "\"") (stroke == "" ? "" : " stroke=\"" colour(stroke) "\"") \
        (stroke == "" || width == 1 ? "" : " stroke-width=\"" tenth(width) "\"")
}

### Numbers

function round_tenths(x) { return x < 0 ? -int(0.5 - 10 * x) : int(10 * x + 0.5) }

# Tenths as a number without needless characters.
function shown(n,    text) {
    text = n % 10 ? sprintf("%.1f", n / 10) : n / 10 ""
    sub(/^0\./, ".", text)
    sub(/^-0\./, "-.", text)
    return text
}

function tenth(x) { return shown(round_tenths(x)) }

function tenths(list,    part, n, i, text) {
    n = split(list, part, ",")
    for (i = 1; i <= n; i++)
        text = text (i > 1 ? "," : "") tenth(part[i])
    return text
}

function pair(x, y,    text) {
    text = shown(y)
    return shown(x) (text ~ /^-/ ? "" : " ") text
}

### Lines

function line_to(dx, dy) {
    return dx == 0 && dy == 0 ? "" : dy == 0 ? "h" shown(dx) : dx == 0 ? "v" shown(dy) : "l" pair(dx, dy)
}

# Whether all points between two are within a tenth of a pixel of the line between them, and in its direction.
function straight(x, y, from, to,    i, dx, dy, long, along) {
    dx = x[to] - x[from]
    dy = y[to] - y[from]
    long = sqrt(dx * dx + dy * dy)
    for (i = from + 1; i < to; i++) {
        along = (x[i] - x[from]) * dx + (y[i] - y[from]) * dy
        if (!long || along < 0 || along > long * long \
            || ((x[i] - x[from]) * dy - (y[i] - y[from]) * dx) ^ 2 > long * long)
            return 0
    }
    return 1
}

# A stretch of points without a break, with those that a line passes left out.
function stretch(x, y, n,    from, to, text) {
    text = "M" pair(x[1], y[1])
    if (n == 1)
        return text "h0"
    for (from = 1; from < n; from = to) {
        to = from + 1
        while (to < n && to - from < 64 && straight(x, y, from, to + 1)) # 64: so that long ones take no time
            to++
        text = text line_to(x[to] - x[from], y[to] - y[from])
    }
    return text
}

function path_of(d,    word, n, i, part, x, y, points, text) {
    gsub(/[MLz]/, " &", d)
    n = split(d, word, " ")
    for (i = 1; i <= n; i++) {
        if (word[i] ~ /^M/) {
            text = text (points > 1 ? stretch(x, y, points) : "")
            points = 0
        }
        if (split(word[i], part, ",") < 2)
            continue
        sub(/^[ML]/, "", part[1])
        x[++points] = round_tenths(part[1])
        y[points] = round_tenths(part[2])
    }
    return text (points > 1 ? stretch(x, y, points) : "")
}

### Points

function scaled(template, radius,    text) {
    while (match(template, /-?[0-9.]+/)) {
        text = text substr(template, 1, RSTART - 1) tenth(radius * substr(template, RSTART, RLENGTH))
        template = substr(template, RSTART + RLENGTH)
    }
    text = text template
    gsub(/,-/, "-", text)
    gsub(/,/, " ", text)
    return text
}

# Of two halves.
function ring(r,    arc) {
    arc = "a" pair(r, r) " 0 1 0 "
    return "m" pair(-r, 0) arc pair(2 * r, 0) arc pair(-2 * r, 0)
}

function put_point(href, transform, tint,    part, number, radius, where, look) {
    if (href == "#gpDot")
        return # smaller than anything to be seen
    number = substr(href, 6) + 0
    split(transform, part, /[(,)]/)
    radius = part[5] + 0
    where = "M" pair(round_tenths(part[2]), round_tenths(part[3]))
    if (number == 6) { # a stroke of no length, with round ends
        put_path(" class=\"p6\"" paint("", tint, 2 * radius), where "h0")
        return
    }
    look = number == 5 ? ring(round_tenths(radius)) : scaled(shape[number + 1], radius)
    put_path(" class=\"p" number "\"" paint(number > 3 && number % 2 == 0 ? tint : "", tint, POINT_STROKE * radius), where look)
}

### What is put out

# Strokes of one kind become one path. The frame of a plot, lines of grey and its text, is a layer in which they need not
# follow one another; else whatever is drawn later may hide them.
function put_path(kind, d) {
    if (d == "" || d == "z")
        return
    if (kind !~ /^ stroke="#(ddd|777)"$/ && !(kind in parts_of))
        close_layer()
    if (!(kind in parts_of)) {
        put_part("")
        parts_of[kind] = parts
        head[parts] = "<path" kind
    }
    body[parts_of[kind]] = body[parts_of[kind]] d
}

function close_layer() { split("", parts_of) }

function put_part(text) { body[++parts] = text }

function put_text(text,    move, part, anchor, font, style) {
    move = attribute("transform")
    split(move, part, /[(,)]/)
    anchor = attribute("text-anchor")
    font = attribute("font-size") + 0
    if (!plain_font)
        plain_font = font
    style = (font == plain_font ? "" : "font-size:" font "px;") \
        (colour(attribute("fill")) == "#000" ? "" : "fill:" colour(attribute("fill")))
    put_part("<text" (anchor == "end" ? " class=\"e\"" : anchor == "middle" ? " class=\"m\"" : "") \
        (style == "" ? "" : " style=\"" style "\"") \
        (move ~ /rotate/ ? " transform=\"translate(" tenth(part[2]) " " tenth(part[3]) ")rotate(-90)\"" \
            : " x=\"" tenth(part[2]) "\" y=\"" tenth(part[3]) "\"") ">" text "</text>")
}

END {
    print "<svg xmlns=\"http://www.w3.org/2000/svg\"" size ">"
    print "<style>text{fill:#000;font:" plain_font "px sans-serif}.a{shape-rendering:crispEdges}.e{text-anchor:end}.m{text-anchor:middle}</style>"
    for (i = 1; i <= parts; i++) {
        if (i == 2)
            print "<g fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\">"
        print i in head ? head[i] " d=\"" body[i] "\"/>" : body[i]
    }
    print "</g></svg>"
}
