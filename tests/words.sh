# SPDX-License-Identifier: MIT
# Fails, with file and line, when a comment or page has a word that readers stumble over, when "What ..." is the
# whole of a comment, or when a section comment is broken in two lines. Names and strings of the code are not read, but
# for one rule: sentences of the library's failures have no full stop, since a caller may go on with "; ...".
# Usage: words.sh [FILE...]; without files, all of the folders below, but not this script.
cd "$(dirname "$0")/.." || exit 1
words='behind|stands|beside'
# In code and its strings, too. "alone" may mean "by itself", not "only".
dialect='anew|told|hears?|of before|in any case|but for|leav(e|es|ing) [a-z ]*away|(depends?|follows?|belongs?) [^.:;]*alone'
folders='README.md CHANGELOG.md CONTRIBUTING.md .github docs augur.h core autograd ops gnn optim layers metrics examples tests cmake'
excepted='docs/ops.md tests/words.sh' # the first is made from the op table

tracked() { # those of git; in a copy without it, all but build trees
    git ls-files -- $folders 2>/dev/null | grep . ||
        find $folders -type d \( -name 'build*' -o -name __pycache__ \) -prune -o -type f -print
}

files_of() {
    tracked | grep -E '(\.([ch]|cu|cuh|cpp|hpp|def|py|sh|awk|cmake|ini|md)|/CMakeLists\.txt)$' | sort |
        while read -r file; do
            case " $excepted " in *" $file "*) ;; *) [ -f "$file" ] && printf '%s\n' "$file" ;; esac
        done
}

# Prints FILE:LINE: COMMENT for the comments of C, Python and #-files, and FILE:LINE: TEXT for pages.
comments='
function emit(text) { printf "%s:%d: %s\n", FILENAME, FNR, text }
FNR == 1 {
    inside = ""
    kind = "sh"
    if (FILENAME ~ /\.md$/) kind = "page"
    if (FILENAME ~ /\.([ch]|cu|cuh|cpp|hpp|def)$/) kind = "c"
    if (FILENAME ~ /\.py$/) kind = "py"
    if (FILENAME ~ /\.ini$/) kind = "ini"
}
kind == "page" { emit($0); next }
kind == "ini" { if ($0 ~ /^[ \t]*[;#]/) emit($0); next }
kind == "sh" { if (match($0, /(^|[ \t])#/)) emit(substr($0, RSTART)); next }
{
    rest = $0
    out = ""
    while (rest != "") {
        if (inside != "") {
            end = index(rest, inside)
            if (!end) { out = out rest; break }
            out = out substr(rest, 1, end + length(inside) - 1)
            rest = substr(rest, end + length(inside))
            inside = ""
        } else if (kind == "c" && match(rest, /^("([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047)/)) {
            rest = substr(rest, RLENGTH + 1)
        } else if (kind == "c" && substr(rest, 1, 2) == "/*") {
            out = out " /*"
            rest = substr(rest, 3)
            inside = "*/"
        } else if (kind == "c" && substr(rest, 1, 2) == "//") {
            out = out rest
            break
        } else if (kind == "py" && substr(rest, 1, 3) == "\"\"\"") {
            out = out " \"\"\""
            rest = substr(rest, 4)
            inside = "\"\"\""
        } else if (kind == "py" && match(rest, /^("([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047)/)) {
            rest = substr(rest, RLENGTH + 1)
        } else if (kind == "py" && substr(rest, 1, 1) == "#") {
            out = out rest
            break
        } else rest = substr(rest, 2)
    }
    if (out != "") emit(out)
}'

bad=0
report() { # report WHAT LINES
    if [ -n "$2" ]; then
        echo "words: $1:"
        printf '%s\n' "$2"
        bad=1
    fi
}

list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT
if [ $# -gt 0 ]; then printf '%s\n' "$@"; else files_of; fi >"$list"
[ $# -gt 0 ] || [ "$(wc -l <"$list")" -ge 500 ] || report "few files were found" "$(wc -l <"$list")"

found=$(xargs awk "$comments" <"$list") || report "awk cannot read the comments" "$list"
report "write another word than $words" \
    "$(printf '%s\n' "$found" | grep -iE "^[^:]*:[0-9]*:.*(^|[^A-Za-z0-9_])($words)([^A-Za-z0-9_]|\$)")"
report "write plain English instead of $dialect" "$(xargs grep -nHwiE "$dialect" <"$list")"
report "begin with the noun instead of \"Those of\" or \"whose\", and write \"with\" for \", whose\"" \
    "$(printf '%s\n' "$found" | grep -E '(^|[^a-z])Those of|(^[^:]*:[0-9]*: *(/\*|#|//)|,) whose')"
report "say what it is instead of \"What ...\"" \
    "$(printf '%s\n' "$found" | grep -E '^[^:]*\.([ch]|cu|cuh|cpp|hpp|def|py):[0-9]*: *(/\*|"""|#) *What [^?]*$')"
report "put the section comment on one line, /* ---- name ---- */" \
    "$(printf '%s\n' "$found" | grep -E '^[^:]*:[0-9]*: */\* ?---' | grep -vE '/\* ---- .* ---- \*/$')"
report "omit the full stop of a failure's sentence" \
    "$(grep -E '^(core|autograd|ops|gnn|optim|layers|metrics)/.*\.(c|h|cu)$' <"$list" | xargs -r grep -nE '[])A-Za-z0-9%]\."[,);]' /dev/null |
        grep -vE 'begins_with\(|prefix\[')"
exit $bad
