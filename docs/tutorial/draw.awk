# SPDX-License-Identifier: MIT
# awk -f draw.awk FILE: an SVG of what a chapter's program wrote to FILE, one thing a line, words last:
#   x WORDS, y WORDS         names of the axes of a chart
#   line X Y NAME            the next point of a curve;  point X Y NAME  a dot; NAMEs are explained above the chart
#   node ID X Y SHADE WORDS  a node of a graph: SHADE is 0 to 1 (pale to blue), c0 to c5 (colours), or - (left out)
#   edge ID ID WORDS         an arrow;  link ID ID  a line without a tip
#   cell X Y SHADE WORDS     a square of a table;  text X Y WORDS  words among nodes or cells
# In graphs and tables Y grows upwards. Files of ag_tape_dot and ag_graph_dot are read as well: what reads is to the
# right of what it reads.
BEGIN {
    split("#b9d3ee #f8cfa5 #bfe3c0 #e3c4e8 #f5e3a1 #dde1e6", pale, " ")
    split("#2f6fb5 #d9772b #3f8f50 #9b4aa5 #8a6d00 #55606b", strong, " ")
    INK = "#333d4b"; WIDTH = 720
}
function rest(k,    s) { for (s = ""; k <= NF; k++) s = s (s == "" ? "" : " ") $k; return clean(s) }
function clean(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); return s }
function mix(s, from, to) { return int(from + (s < 0 ? 0 : s > 1 ? 1 : s) * (to - from)) }
function fill(s) {
    if (s ~ /^c/) return pale[substr(s, 2) + 1]
    return s == "-" ? "#ffffff" : sprintf("#%02x%02x%02x", mix(s, 250, 90), mix(s, 251, 155), mix(s, 253, 215))
}
function reach(x, y) { # all that is drawn is between these
    if (!reached++) { left = right = x; low = high = y }
    if (x < left) left = x
    if (x > right) right = x
    if (y < low) low = y
    if (y > high) high = y
}
function put(id, x, y, shade, s) {
    node[++nodes] = id; shade_of[id] = shade; words_of[id] = s
    half[id] = s == "" ? 8 : length(s) < 2 ? 10 : 9 + 3.8 * length(s)
    tall[id] = length(s) < 2 ? half[id] : 15
    X[id] = x; Y[id] = y
    reach(x, y)
}
function join(a, b, tip, s) { from[++edges] = a; to[edges] = b; tip_of[edges] = tip; words_on[edges] = s }
$1 == "x" || $1 == "y" { axis[$1] = rest(2) }
$1 == "line" || $1 == "point" {
    name = rest(4)
    if (!(name in points)) { series[++all] = name; kind[name] = $1 }
    x_of[name, ++points[name]] = $2; y_of[name, points[name]] = $3
    reach($2, $3)
}
$1 == "node" && NF > 4 { put($2, $3 + 0, $4 + 0, $5, rest(6)) }
$1 == "edge" || $1 == "link" { join($2, $3, $1 == "edge", rest(4)) }
$1 == "cell" { X["c", ++cells] = $2; Y["c", cells] = $3; shade_of["c", cells] = $4; words_of["c", cells] = rest(5); reach($2, $3) }
$1 == "text" { X["t", ++texts] = $2; Y["t", texts] = $3; words_of["t", texts] = rest(4); reach($2, $3) }
/^  [tn]?[0-9]+ \[/ { # a leaf or an op of a tape, or a node of a graph
    s = $0
    sub(/.*label="/, "", s); sub(/"\];$/, "", s); sub(/\\n/, " ", s)
    tape = 1
    put($1, 0, 0, !/box/ ? "c0" : /lightyellow/ ? "c4" : "c5", clean(s))
}
$2 == "->" {
    sub(/;/, "", $3); join($1, $3, 1, "")
    if (X[$3] <= X[$1]) X[$3] = X[$1] + 1
}
END {
    if (tape) lay_tape()
    if (all) chart(); else graph()
    print "</svg>"
}
function lay_tape(    k, id, leaves, row) { # ops above, leaves below, each next to its first reader
    for (k = edges; k > 0; k--) if (from[k] ~ /^t/) X[from[k]] = X[to[k]] - 1
    for (leaves = 0; leaves < 2; leaves++)
        for (k = 1; k <= nodes; k++) {
            id = node[k]
            if ((id ~ /^t/) == leaves) { Y[id] = -row[X[id]]++; reach(X[id], Y[id]) }
        }
}
function words(x, y, s, anchor, colour) {
    if (s != "") printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>\n", x, y, anchor, colour, s
}
function begin(height) {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" ", WIDTH, height, WIDTH, height
    print "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"14\">"
    print "<defs><marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
    print "<path d=\"M0 0L10 5L0 10z\" fill=\"#64707d\"/></marker></defs>"
    printf "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#ffffff\"/>\n", WIDTH, height
}
function px(x) { return x0 + (x - left) * scale_x }
function py(y) { return y0 - (y - low) * scale_y }
function step_of(span,    ten) { # of the lines of the grid: about five
    ten = 1
    while (ten > span) ten /= 10
    while (ten * 10 <= span) ten *= 10
    return span / ten < 2 ? ten / 4 : span / ten < 5 ? ten / 2 : ten
}
function chart(    k, i, s, v, step) {
    begin(360)
    if (low > 0 && low < high / 2) low = 0
    x0 = 60; y0 = 305; scale_x = (WIDTH - 84) / (right - left); scale_y = (y0 - 42) / (high - low)
    step = step_of(high - low)
    for (v = step * int(low / step); v <= high; v += step) if (v >= low) {
        printf "<path d=\"M%d %.1fH%d\" stroke=\"#e3e7ec\"/>\n", x0, py(v), WIDTH - 24
        words(x0 - 8, py(v) + 5, sprintf("%.6g", v), "end", INK)
    }
    step = step_of(right - left)
    for (v = step * int(left / step); v <= right; v += step) if (v >= left) words(px(v), y0 + 20, sprintf("%.6g", v), "middle", INK)
    printf "<path d=\"M%d 36V%dH%d\" fill=\"none\" stroke=\"#8a94a3\"/>\n", x0, y0, WIDTH - 24
    words((x0 + WIDTH - 24) / 2, 348, axis["x"], "middle", INK)
    words(12, 22, axis["y"], "start", INK)
    v = WIDTH - 24
    for (k = all; k > 0; k--) { s = series[k]; words(v, 22, s, "end", strong[k]); v -= 6.8 * length(s) + 20 }
    for (k = 1; k <= all; k++) {
        s = series[k]
        if (kind[s] == "line") printf "<path fill=\"none\" stroke-width=\"2.2\" stroke=\"%s\" d=\"M", strong[k]
        for (i = 1; i <= points[s]; i++)
            printf(kind[s] == "line" ? "%.1f %.1f " : "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill-opacity=\"0.8\" fill=\"" strong[k] "\"/>\n",
                px(x_of[s, i]), py(y_of[s, i]))
        if (kind[s] == "line") print "\"/>"
    }
}
function graph(    k, a, b, dx, dy, d, from_edge, side, links) {
    side = 24
    for (k = 1; k <= nodes; k++) if (half[node[k]] + 12 > side) side = half[node[k]] + 12
    x0 = side; scale_x = scale_y = (WIDTH - 2 * side) / (right - left)
    if (cells && scale_x > 44) scale_x = scale_y = 44
    if (tape) scale_y = 56
    y0 = 36 + (high - low) * scale_y
    begin(y0 + 36)
    for (k = 1; k <= cells; k++) {
        d = scale_x
        printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" stroke=\"#ffffff\"/>\n", px(X["c", k]) - d / 2,
            py(Y["c", k]) - d / 2, d, d, fill(shade_of["c", k])
        words(px(X["c", k]), py(Y["c", k]) + 5, words_of["c", k], "middle", INK)
    }
    for (k = 1; k <= edges; k++) {
        a = from[k]; b = to[k]
        dx = px(X[b]) - px(X[a]); dy = py(Y[b]) - py(Y[a]); d = sqrt(dx * dx + dy * dy)
        if (d == 0) continue
        if (!tip_of[k]) { links = links sprintf("M%.0f %.0fL%.0f %.0f", px(X[a]), py(Y[a]), px(X[b]), py(Y[b])); continue }
        from_edge = half[b] == tall[b] ? half[b] / d : min(half[b] / (abs(dx) + 0.01), tall[b] / (abs(dy) + 0.01))
        printf "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#64707d\" marker-end=\"url(#tip)\"/>\n", px(X[a]), py(Y[a]), px(X[b]) - dx * from_edge,
            py(Y[b]) - dy * from_edge
        words((px(X[a]) + px(X[b])) / 2, (py(Y[a]) + py(Y[b])) / 2 - 5, words_on[k], "middle", INK)
    }
    if (links != "") printf "<path d=\"%s\" stroke=\"#b4bcc6\"/>\n", links
    for (k = 1; k <= nodes; k++) {
        a = node[k]
        printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%.1f\" fill=\"%s\" stroke=\"#64707d\"%s/>\n", px(X[a]) - half[a],
            py(Y[a]) - tall[a], 2 * half[a], 2 * tall[a], tall[a], fill(shade_of[a]), shade_of[a] == "-" ? " stroke-dasharray=\"3 3\"" : ""
        words(px(X[a]), py(Y[a]) + 5, words_of[a], "middle", shade_of[a] == "-" ? "#8a94a3" : INK)
    }
    for (k = 1; k <= texts; k++) words(px(X["t", k]), py(Y["t", k]) + 5, words_of["t", k], "middle", INK)
}
function min(a, b) { return a < b ? a : b }
function abs(a) { return a < 0 ? -a : a }
