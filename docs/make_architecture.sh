# SPDX-License-Identifier: MIT
# make_architecture.sh: writes docs/architecture.svg to stdout: the folders of the sources as boxes, in layers, and an arrow
# for who includes whom, read from the #include lines. An arrow that follows from two others is left out. A folder's place
# from left to right and its words are in the table below; its layer follows from the arrows.
# `cmake --build --preset release --target docs` runs it; tests/docs/pages.sh compares the committed picture.
set -e
cd "$(dirname "$0")/.."
LC_ALL=C
export LC_ALL

# folder, left edge and width, first line, second line
boxes='
examples/library|0|834|the models for other programs|one C ABI: open, describe, predict, update, save
examples/nests|0|405|the cost of loop nests|a run time is a sum over rows: loop nests, or rows of a file
examples/tune|429|262|the autotuner|searches fusions and tile sizes
examples/tgraph|0|262|TGraph|layouts, tiles; Khizbullin 2024
examples/tpgnn|286|262|TPGNN|schedules of TVM
examples/tpu|572|262|the TPU performance model|tiles, fusions; Kaufman 2021
examples/rows|0|405|rows: pieces of work of an item|standardised, joined to the nodes of a graph
examples/tpugraphs|0|631|files of the TpuGraphs data set|checked while they are read; what their nodes mean; the loops of an op and their order
examples/tabular|655|179|the lines of tables|the smallest program
examples/lab|429|405|runs small tensor programs on this machine|measures them and writes data sets
examples/harness|0|834|the parts that all programs share|options, run folder, trainer, measures, studies, plots, reports, baselines
layers|0|631|layers that own their parameters|names, shapes and initial values of PyTorch and PyG; one call makes one, one applies it
gnn|0|428|graphs in batches, message passing, pooling|GraphSAGE, GraphConv, GCN, attention, Transformer encoder
ops|0|428|dense operations: one body for C and CUDA|elementwise, products, norms, attention, LSTM, losses
autograd|0|428|the tape: record, plan, run|memory plan, fused groups, gradient check; knows no op
optim|452|179|parameters, AdamW|schedules, checkpoints
metrics|655|179|measures of predictions|accuracy, ROC-AUC, tau
core|0|834|memory, threads, random numbers, matrix products, files, errors|every line of CUDA: streams, graphs, cuBLAS
'

folders() {
    printf '%s\n' core autograd ops gnn optim metrics layers
    find examples -mindepth 2 -name '*.h' | cut -d/ -f1-2 | sort -u
}

# Lines "FROM TO" for each #include of ours; augur.h is the headers that it includes.
includes() {
    public=$(sed -n 's/^#include "\([a-z]*\)\/.*/\1/p' augur.h | sort -u)
    for folder in $(folders); do
        find "$folder" -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.def' \) -exec cat {} + |
            sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\([^"]*\)".*/\1/p' | sort -u | while read -r path; do
            case $path in
            examples/*/*) path=${path#examples/}; echo "$folder examples/${path%%/*}" ;;
            augur.h) for part in $public; do echo "$folder $part"; done ;;
            */*) echo "$folder ${path%%/*}" ;;
            esac
        done
    done | sort -u
}

drawing='
function fail(text) { print "make_architecture: " text > "/dev/stderr"; failed = 1; exit 1 }
# The longest way down from a folder.
function level(name,    i, below, most) {
    if (name in level_of) return level_of[name]
    if (name in visiting) fail("the folders include each other in a circle at " name)
    visiting[name] = 1
    most = -1
    for (i = 1; i <= n; i++)
        if ((name, box[i]) in edge) {
            below = level(box[i])
            if (below > most) most = below
        }
    level_of[name] = most + 1
    return most + 1
}
# 1: there is a way of two or more arrows.
function follows(from, to,    i) {
    for (i = 1; i <= n; i++)
        if ((from, box[i]) in edge && box[i] != to && reaches(box[i], to)) return 1
    return 0
}
function reaches(from, to,    i) {
    if ((from, to) in edge) return 1
    for (i = 1; i <= n; i++)
        if ((from, box[i]) in edge && reaches(box[i], to)) return 1
    return 0
}
function top(name) { return MARGIN + HEAD + (highest - level_of[name]) * (HEIGHT + GAP) + (name ~ /^examples/ ? 0 : BETWEEN) }
function inside(x, name) { return x >= left[name] + 16 && x <= left[name] + width[name] - 16 }
function middle(name) { return left[name] + width[name] / 2 }
function nearest(x, name) {
    if (x < left[name] + 20) return left[name] + 20
    if (x > left[name] + width[name] - 20) return left[name] + width[name] - 20
    return x
}
function arrow(from, to,    x, end, y, foot) {
    x = middle(width[to] < width[from] ? to : from)
    if (!inside(x, from) || !inside(x, to)) x = nearest(middle(to), from)
    end = nearest(x, to)
    y = top(from) + HEIGHT
    foot = top(to) - 3
    printf "<path d=\"M%d %dC%d %d %d %d %d %d\" marker-end=\"url(#tip)\"/>\n", x, y, x, y + (foot - y) / 2, end,
        y + (foot - y) / 2, end, foot
}
function band(first, last, title, words, colour) {
    printf "<rect x=\"8\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"14\" fill=\"%s\"/>\n", first, WIDTH - 16, last - first, colour
    printf "<text x=\"%d\" y=\"%d\" class=\"band\">%s<tspan class=\"words\" dx=\"10\">%s</tspan></text>\n", MARGIN, first + 25, title,
        words
}
BEGIN { HEIGHT = 66; GAP = 38; MARGIN = 28; HEAD = 22; BETWEEN = 30; WIDTH = 834 + 2 * MARGIN }
/\|/ {
    split($0, part, "|")
    box[++n] = part[1]
    left[part[1]] = part[2] + MARGIN
    width[part[1]] = part[3]
    title[part[1]] = part[4]
    words[part[1]] = part[5]
    next
}
NF == 2 && $1 != $2 {
    if (!($1 in title) || !($2 in title)) {
        missing = $1 in title ? $2 : $1
        if (!said[missing]++)
            print "make_architecture: " missing " is not drawn: add a line to the table of docs/make_architecture.sh" > "/dev/stderr"
        next
    }
    edge[$1, $2] = 1
    used[$1] = used[$2] = 1
}
END {
    if (failed) exit 1
    for (i = 1; i <= n; i++) {
        if (!(box[i] in used)) fail("the folder " box[i] " is in the table, but nothing includes it any more")
        if (level(box[i]) > highest) highest = level(box[i])
        if (box[i] ~ /^examples/ && (lowest == "" || level(box[i]) < lowest)) lowest = level(box[i])
    }
    cut = MARGIN + HEAD + (highest - lowest) * (HEIGHT + GAP) + HEIGHT + GAP / 2 - 4
    height = MARGIN + HEAD + (highest + 1) * (HEIGHT + GAP) - GAP + BETWEEN + 18
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" ", WIDTH, height, WIDTH, height
    print "font-family=\"Helvetica, Arial, sans-serif\">"
    print "<!-- Made by docs/make_architecture.sh from the includes of the sources; do not edit. -->"
    print "<title>The folders of Augur and what they include</title>"
    print "<style>.name{font:bold 16px monospace}.words{font-size:13px;font-weight:normal;fill:#55606b}.box{stroke-width:1.5}"
    print ".first{font-size:14px;fill:#1f2933}.band{font-size:15px;font-weight:bold;fill:#334}</style>"
    print "<defs><marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"8\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">"
    print "<path d=\"M0 0L10 5L0 10z\" fill=\"#64707d\"/></marker></defs>"
    printf "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", WIDTH, height
    band(8, cut, "examples/", "programs and what they share", "#f3f6fb")
    band(cut + 8, height - 8, "augur.h", "the library, in seven folders", "#f6f4ee")
    print "<g fill=\"none\" stroke=\"#64707d\" stroke-width=\"1.8\">"
    for (i = 1; i <= n; i++)
        for (j = 1; j <= n; j++)
            if ((box[i], box[j]) in edge && !follows(box[i], box[j])) arrow(box[i], box[j])
    print "</g>"
    for (i = 1; i <= n; i++) {
        program = box[i] ~ /^examples/
        name = box[i]
        sub(/^examples\//, "", name)
        y = top(box[i])
        printf "<rect class=\"box\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"9\" fill=\"#ffffff\" stroke=\"%s\"/>\n", left[box[i]], y,
            width[box[i]], HEIGHT, program ? "#4a78b5" : "#b0813b"
        printf "<text x=\"%d\" y=\"%d\" class=\"name\" fill=\"%s\">%s</text>", left[box[i]] + 14, y + 22, program ? "#2c5a96" : "#8a5f1f", name
        printf "<text x=\"%d\" y=\"%d\" class=\"first\">%s</text>", left[box[i]] + 14, y + 40, title[box[i]]
        printf "<text x=\"%d\" y=\"%d\" class=\"words\">%s</text>\n", left[box[i]] + 14, y + 56, words[box[i]]
    }
    print "</svg>"
}'

{ printf '%s\n' "$boxes"; includes; } | awk "$drawing"
