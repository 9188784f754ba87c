# SPDX-License-Identifier: MIT
# chapters.sh FOLDER [draw]: does in FOLDER, chapter by chapter of docs/tutorial, what its README.md says, against the
# installed copy that pkg-config finds, and compares what the programs print with the pages: words exactly, numbers within
# 3 % or 0.02. The pictures that they write must be there and have the same words, with places and colours at most 5 apart;
# with draw they are drawn again.
here=$(cd "$(dirname "$0")/../../docs/tutorial" && pwd) || exit 1
work=$1
bad=0
complain() { echo "chapters: $1"; bad=1; }

# The block of README.md without its first line, which names a chapter.
commands=$(awk '/^```/ { on = /^```sh$/; next } on' "$here/README.md" | sed 1d)

# compare PAGE PRINTED SPOIL: names the first line of the page that was printed otherwise. With SPOIL, number or word, the
# page's are changed first, so that this must fail. The page can also be a picture, PRINTED the fresh one, in lines.
compare() {
    awk -v page="docs/tutorial/$(basename "$1")" -v spoil="$3" '
        BEGIN { number = "-?[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?"; hex = "0123456789abcdef"
                on = picture = page ~ /svg$/ }
        function words(s) { gsub(number, "#", s); gsub(/[ \t]+/, " ", s); sub(/ $/, "", s); return s }
        function near(a, b,    d) {
            d = a < b ? b - a : a - b
            return tag ? d <= 5 : d <= 0.02 || d <= 0.03 * (a < 0 ? -a : a)
        }
        function decimal(s, k) { return index(hex, substr(s, k, 1)) * 16 + index(hex, substr(s, k + 1, 1)) " " }
        function colours(s) { # as three numbers each
            while (match(s, /#[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]/))
                s = substr(s, 1, RSTART - 1) decimal(s, RSTART + 1) decimal(s, RSTART + 3) decimal(s, RSTART + 5) substr(s, RSTART + 7)
            return s
        }
        function same(a, b,    x, y) {
            tag = picture && a ~ /="/
            if (tag) { a = colours(a); b = colours(b) }
            if (words(a) (spoil == "word" && a ~ /[a-z]/ ? "x" : "") != words(b)) return 0
            while (match(a, number)) {
                x = substr(a, RSTART, RLENGTH) * (spoil == "number" ? 1.1 : 1) + (spoil == "number" ? 0.1 : 0)
                a = substr(a, RSTART + RLENGTH)
                match(b, number)
                y = substr(b, RSTART, RLENGTH) + 0
                b = substr(b, RSTART + RLENGTH)
                if (!near(x, y)) return 0
            }
            return 1
        }
        function fail(text) { print "chapters: " page ", line " FNR ": " text; failed = 1; exit 1 }
        NR == FNR { printed[NR] = $0; lines = NR; next }
        /^```/ { on = /^```text$/; next }
        on && ++at > lines { fail("the program prints nothing more, but the page has \"" $0 "\"") }
        on && !same($0, printed[at]) { fail("the page has \"" $0 "\", but the program prints \"" printed[at] "\"") }
        END { if (!failed && at < lines) fail("after this page the program prints \"" printed[at + 1] "\"") }' "$2" "$1"
}

spoiled() {
    for spoil in number word; do
        ! compare "$1" "$2" $spoil >/dev/null || complain "docs/tutorial/$(basename "$1") passes with a wrong $spoil"
    done
}

for page in "$here"/[0-9]-*.md; do
    chapter=$(basename "$page" .md)
    name=docs/tutorial/$chapter.md
    rm -rf "${work:?}/$chapter"
    mkdir -p "$work/$chapter"
    cp "$page" "$work/$chapter"
    lines=$(wc -l <"$page")
    [ "$lines" -ge 120 ] && [ "$lines" -le 250 ] || complain "$name has $lines lines, but 120 to 250 are promised"
    if ! (cd "$work/$chapter" && chapter=$chapter timeout 60 sh -ec "$commands") >"$work/printed" 2>"$work/said" || [ -s "$work/said" ]; then
        cat "$work/said" "$work/printed"
        line=$(sed -n "s/^$chapter\.c:\([0-9]*\):.*/\1/p" "$work/said" | head -n 1)
        complain "$name, line ${line:-unknown}: the program does not compile without a warning, or does not end well"
        continue
    fi
    compare "$page" "$work/printed" || bad=1
    spoiled "$page" "$work/printed"
    pictures=0
    for data in "$work/$chapter"/*.dot "$work/$chapter"/*.picture; do
        [ -e "$data" ] || continue
        pictures=$((pictures + 1))
        picture=$(basename "${data%.*}").svg
        awk -f "$here/draw.awk" "$data" >"$work/fresh.svg" || { complain "draw.awk cannot draw $picture"; continue; }
        [ -z "$2" ] || cp "$work/fresh.svg" "$here/$picture"
        tr '<>' '\n\n' <"$work/fresh.svg" >"$work/fresh" # tags and words have lines of their own
        tr '<>' '\n\n' <"$here/$picture" >"$work/$picture"
        compare "$work/$picture" "$work/fresh" >/dev/null ||
            complain "docs/tutorial/$picture is not what the program draws: run sh tests/docs/chapters.sh FOLDER draw"
        spoiled "$work/$picture" "$work/fresh"
        [ "$(wc -c <"$work/fresh.svg")" -le 60000 ] || complain "docs/tutorial/$picture has over 60 kB"
        grep -qF "]($picture)" "$page" || complain "$name does not show $picture"
    done
    [ $pictures -gt 0 ] || complain "$name has no picture that its program draws"
done
exit $bad
