# SPDX-License-Identifier: MIT
# make_options.sh BIN: writes tables of all options, in Markdown, to stdout, from the --help-all of the programs in the folder
# BIN. docs/make_manual.sh makes the manual pages of them.
set -e
bin=$1
LC_ALL=C
export LC_ALL

# Lines COMMAND<TAB>LINE of the help of every command.
help_of() {
    "$bin/$1" --help | sed -n "s/^  $1 \([a-z][a-z-]*\) .*/\1/p" | while read -r command; do
        "$bin/$1" "$command" --help-all | sed "s/^/$command	/"
    done
}

rows='
function escaped(text) { gsub(/\|/, "\\|", text); return text }
# Moves "(needed; 1 to 4)" or "(default 2; 1 to 4)" from the end of the text into `value`.
function take_value(    at, rest) {
    value = ""
    if (match(text, / *\((default|needed|needs|[-0-9.e+KMGT]+ (to|or) )[^()]*\)$/)) {
        value = substr(text, RSTART, RLENGTH)
        text = substr(text, 1, RSTART - 1)
        sub(/^ *\(/, "", value)
        sub(/\)$/, "", value)
        sub(/^default /, "", value)
    }
}
function finish(    key) {
    if (left == "") return
    take_value()
    key = group SUBSEP left SUBSEP text
    if (!(key in commands)) {
        if (!(group in rows_of)) groups[++n_groups] = group
        of_row[group, ++rows_of[group]] = key
        left_of[key] = left
        text_of[key] = text
        commands[key] = command
    } else if (index(" " commands[key] " ", " " command " ") == 0) commands[key] = commands[key] " " command
    if (value_of[key] !~ /^needed/) value_of[key] = value
    left = ""
}
BEGIN { FS = "\t" }
$1 != command { finish(); command = $1; group = ""; seen[command] = 1; n_commands++ }
$2 ~ /^[A-Z]/ && $2 !~ /:/ { finish(); group = $2; next }
group == "" || group == "General" { next }
$2 ~ /^  -/ {
    finish()
    line = substr($2, 3)
    at = index(line, "  ")
    left = at ? substr(line, 1, at - 1) : line
    text = at ? substr(line, at) : ""
    sub(/^ */, "", text)
    next
}
$2 ~ /^ +[^ ]/ && left != "" {
    line = $2
    sub(/^ */, "", line)
    text = text (text == "" ? "" : " ") line
}
END {
    finish()
    for (g = 1; g <= n_groups; g++) {
        printf "\n### %s: %s\n\n| option | default, range | commands | |\n|---|---|---|---|\n", program, tolower(groups[g])
        for (i = 1; i <= rows_of[groups[g]]; i++) {
            key = of_row[groups[g], i]
            many = split(commands[key], list, " ")
            printf "| `%s` | %s | %s | %s |\n", escaped(left_of[key]), escaped(value_of[key]),
                many == n_commands ? "all" : commands[key], escaped(text_of[key])
        }
    }
}'

for program in tgraph tpu tpgnn nests lab; do
    printf '\n## %s\n\n' "$program"
    "$bin/$program" --help | sed -n '1s/^[^:]*: \(.*\)$/\1./p'
    printf '\n| command | |\n|---|---|\n'
    "$bin/$program" --help | sed -n "s/^  $program \([a-z][a-z-]*\) *\(.*\)/| \`\1\` | \2 |/p"
    help_of "$program" | awk -v program="$program" "$rows"
done
