# SPDX-License-Identifier: MIT
# awk -f draw.awk FILE: an SVG of what a chapter's program wrote to FILE, one thing a line, words last:
#   x WORDS, y WORDS         names of the axes of a chart
#   line X Y NAME            the next point of a curve;  point X Y NAME  a dot; NAMEs are written above the chart
#   node ID X Y SHADE WORDS  a node of a graph: SHADE is 0 to 1 (pale to blue) or - (left out)
#   edge ID ID               an arrow; in graphs, Y grows upwards
# Files of ag_tape_dot and ag_graph_dot are read as well: what reads is to the right of what it reads.
BEGIN {
    split("#b9d3ee #f8cfa5 #bfe3c0 #e3c4e8 #f5e3a1 #dde1e6", pale, " ")
    split("#2f6fb5 #d9772b #3f8f50 #9b4aa5 #8a6d00 #55606b", strong, " ")
    WIDTH = 720
}
function rest(k,    s) { for (s = ""; k <= NF; k++) s = s (s == "" ? "" : " ") $k; return clean(s) }
function clean(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); return s }
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
$1 == "x" || $1 == "y" { axis[$1] = rest(2) }
$1 == "line" || $1 == "point" {
    name = rest(4)
    if (!(name in points)) { series[++all] = name; kind[name] = $1 }
    x_of[name, ++points[name]] = $2; y_of[name, points[name]] = $3
    reach($2, $3)
    if ($2 != int($2)) parts = 1
}
$1 == "node" && NF > 4 { put($2, $3 + 0, $4 + 0, $5, rest(6)) }
$1 == "edge" { from[++edges] = $2; to[edges] = $3 }
/^  [tn]?[0-9]+ \[/ { # of a dot file: a leaf or an op of a tape, or a node of a graph
    s = $0; dot = 1
    sub(/.*label="/, "", s); sub(/"\];$/, "", s); sub(/\\n/, " ", s)
    put($1, 0, 0, !/box/ ? "c0" : /lightyellow/ ? "c4" : "c5", clean(s))
}
$2 == "->" {
    sub(/;/, "", $3); from[++edges] = $1; to[edges] = $3
    if (X[$3] <= X[$1]) X[$3] = X[$1] + 1
}
END {
    if (dot) lay()
    if (all) chart(); else graph()
    print "</svg>"
}
function lay(    k, id, leaves, row) { # ops above, leaves below, each next to its first reader
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
function step_of(span,    ten) { # from one line of the grid to the next, for about five
    for (ten = 1; ten > span; ten /= 10) continue
    while (ten * 10 <= span) ten *= 10
    return span / ten < 2 ? ten / 5 : span / ten < 5 ? ten / 2 : ten
}
function chart(    k, i, s, v, step) {
    begin(360)
    if (low > 0 && low < high / 2) low = 0
    x0 = 60; y0 = 305; scale_x = (WIDTH - 84) / (right - left); scale_y = (y0 - 42) / (high - low)
    step = step_of(high - low)
    for (v = step * int(low / step); v <= high; v += step) if (v >= low) {
        printf "<path d=\"M%d %.1fH%d\" stroke=\"#e3e7ec\"/>\n", x0, py(v), WIDTH - 24
        words(x0 - 8, py(v) + 5, sprintf("%.6g", v), "end", "#333d4b")
    }
    step = step_of(right - left)
    if (!parts && step < 1) step = 1 # of what is counted
    for (v = step * int(left / step); v <= right; v += step)
        if (v >= left) words(px(v), y0 + 20, sprintf("%.6g", v), "middle", "#333d4b")
    printf "<path d=\"M%d 36V%dH%d\" fill=\"none\" stroke=\"#8a94a3\"/>\n", x0, y0, WIDTH - 24
    words((x0 + WIDTH - 24) / 2, 348, axis["x"], "middle", "#333d4b")
    words(12, 22, axis["y"], "start", "#333d4b")
    v = WIDTH - 24
    for (k = all; k > 0; k--) { words(v, 22, series[k], "end", strong[k]); v -= 6.8 * length(series[k]) + 20 }
    for (k = 1; k <= all; k++) {
        s = series[k]
        if (kind[s] == "line") printf "<path fill=\"none\" stroke-width=\"2.2\" stroke=\"%s\" d=\"M", strong[k]
        for (i = 1; i <= points[s]; i++)
            printf(kind[s] == "line" ? "%.1f %.1f " : "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"" strong[k] "\"/>\n",
                px(x_of[s, i]), py(y_of[s, i]))
        if (kind[s] == "line") print "\"/>"
    }
}
function mix(s, low_end, high_end) { return int(low_end + (s < 0 ? 0 : s > 1 ? 1 : s) * (high_end - low_end)) }
function fill(s) {
    if (s ~ /^c/) return pale[substr(s, 2) + 1]
    return s == "-" ? "#ffffff" : sprintf("#%02x%02x%02x", mix(s, 250, 90), mix(s, 251, 155), mix(s, 253, 215))
}
function graph(    k, a, b, dx, dy, part, side) {
    side = 24
    for (k = 1; k <= nodes; k++) if (half[node[k]] + 12 > side) side = half[node[k]] + 12
    x0 = side; scale_x = (WIDTH - 2 * side) / (right - left); scale_y = dot ? 56 : scale_x
    y0 = 36 + (high - low) * scale_y
    begin(y0 + 36)
    for (k = 1; k <= edges; k++) {
        a = from[k]; b = to[k]
        dx = px(X[b]) - px(X[a]); dy = py(Y[b]) - py(Y[a])
        part = half[b] / sqrt(dx * dx + 0.01) # of the arrow is within the node
        if (tall[b] / sqrt(dy * dy + 0.01) < part) part = tall[b] / sqrt(dy * dy + 0.01)
        printf "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#64707d\" marker-end=\"url(#tip)\"/>\n", px(X[a]), py(Y[a]),
            px(X[b]) - dx * part, py(Y[b]) - dy * part
    }
    for (k = 1; k <= nodes; k++) {
        a = node[k]
        printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%.1f\" fill=\"%s\" stroke=\"#64707d\"%s/>\n", px(X[a]) - half[a],
            py(Y[a]) - tall[a], 2 * half[a], 2 * tall[a], tall[a], fill(shade_of[a]), (shade_of[a] == "-" ? " stroke-dasharray=\"3 3\"" : "")
        words(px(X[a]), py(Y[a]) + 5, words_of[a], "middle", shade_of[a] == "-" ? "#8a94a3" : "#333d4b")
    }
}
