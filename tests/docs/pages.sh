# SPDX-License-Identifier: MIT
# Fails, with its name, when a page links to a file that is not there, quotes lines of a file of examples/tabular (a line
# `<!-- FILE -->` before a block of code) otherwise than they are, shows a change of sources that are different by now, names
# a call or a function that is not there, has a block of code that no shell reads, or is longer than its readers have time for.
cd "$(dirname "$0")/../.." || exit 1
bad=0
complain() { echo "docs: $1"; bad=1; }

for page in README.md CHANGELOG.md CONTRIBUTING.md docs/*.md docs/*/*.md core/*/*.md examples/*/*.md examples/*/*/*.md \
    tests/*.md tests/*/*.md; do
    [ -f "$page" ] || continue
    folder=$(dirname "$page")
    # Links outside of blocks of code; what follows # is a heading.
    links=$(awk '/^ *```/ { code = !code; next } !code' "$page" | grep -oE '\]\([^)[:space:]]+\)' | sed 's/^](//; s/)$//' |
        grep -vE '^(https?|mailto):' | sort -u)
    [ -z "$links" ] || while read -r link; do
        file=${link%%#*}
        heading=${link#"$file"}
        target=$page
        [ -z "$file" ] || target=$folder/$file
        [ -e "$target" ] || { complain "$page links to $link, which is not there"; continue; }
        [ -n "$heading" ] || continue
        sed -n 's/^#\{1,6\} //p' "$target" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-' | grep -qxF "${heading#\#}" ||
            complain "$page links to $link, but there is no such heading"
    done <<END
$links
END
done

awk '/^```sh/ { on = 1; next }
    /^```/ { if (on && close("sh -n")) { print "docs: the shell does not read the block that ends in " FILENAME ":" FNR; bad = 1 }; on = 0 }
    on { print | "sh -n" }
    END { exit bad }' README.md CONTRIBUTING.md docs/*.md docs/*/*.md examples/*/*.md tests/*.md || bad=1

quoted=0
for file in $(sed -nE 's/^<!-- (examples\/tabular\/[^ ]*) -->$/\1/p' docs/*.md); do
    quoted=$((quoted + 1))
    lines=$(sh tests/docs/quoted.sh "$file") && [ -n "$lines" ] || complain "a page quotes nothing of $file"
    case "
$(cat "$file")
" in *"
$lines
"*) ;; *) complain "a page quotes $file otherwise than it is" ;; esac
done
[ $quoted -ge 6 ] || complain "only $quoted examples are quoted: the pages have lost some"

for name in $(grep -oh '\<ag_[a-z0-9_]*' docs/from-pytorch.md | sort -u); do
    grep -qw "$name" */*.h core/io/io.h || complain "docs/from-pytorch.md names $name, which no header declares"
done

# Where the equations of a paper are: functions of the program in the column before the last, of the small file in the last.
tables=0
for model in tgraph tpu tpgnn; do
    table=$(awk '/^## / { on = $0 == "## Where each equation is" } on && /^\|/' docs/$model.md)
    [ -n "$table" ] || continue
    tables=$((tables + 1))
    for column in 2 1; do
        [ $column = 1 ] && where=examples/small/$model.c || where=examples/$model
        names=$(echo "$table" | awk -F'|' -v k=$column '{ print $(NF - k) }' | grep -oE '`[a-z0-9_]+\(\)`' | tr -d '`()' | sort -u)
        [ -n "$names" ] || complain "docs/$model.md names no function in column $column from the right"
        for name in $names; do # a definition begins its line with a type, or with the name
            grep -rqE --include='*.c' "^([a-z].*[ *])?$name\(" $where || grep -qw "AG_API.* \**$name" */*.h ||
                complain "docs/$model.md names $name(), which neither $where defines nor a header of the library declares"
        done
    done
done
[ $tables = 3 ] || complain "only $tables pages say where the equations are"

code_lines() { # code_lines FILE BEGIN END: those that are neither empty nor comments from BEGIN to END, or after #
    awk -v begin="$2" -v end="$3" '{ line = $0; $0 = ""
        while (line != "") {
            mark = inside ? end : begin
            at = index(line, mark)
            if (!inside) $0 = $0 (at ? substr(line, 1, at - 1) : line)
            if (!at) break
            line = substr(line, at + length(mark))
            inside = !inside
        } } NF && !/^ *#( |!)/ { n++ } END { print n }' "$1"
}
for source in examples/small/*.c; do
    [ "$(wc -l <"$source")" -le 200 ] || complain "$source has over 200 lines"
    twin=tests/bench/small/$(basename "$source" .c).py
    ours=$(code_lines "$source" '/*' '*/')
    theirs=$(code_lines "$twin" '"""' '"""')
    [ "$((ours * 10))" -le "$((theirs * 18))" ] || complain "$source has $ours lines of code, over 1.8 times the $theirs of $twin"
done

sh docs/make_architecture.sh | cmp -s - docs/architecture.svg ||
    complain "docs/architecture.svg is not current: run cmake --build --preset release --target docs"

changes=$(mktemp) || exit 1
trap 'rm -f "$changes"' EXIT
for name in row op layer layer-tpgnn ablation; do
    sh tests/docs/quoted.sh $name.diff >"$changes" || complain "no page has $name.diff"
    ! command -v patch >/dev/null 2>&1 || # to the lines that it shows, not to others that look alike
        patch --dry-run -f -p1 -F0 <"$changes" >/dev/null || complain "the sources have changed under $name.diff of a page"
done
changed=$(grep -c '^[+-][^+-]' "$changes") # the last
[ "$changed" -le 40 ] || complain "the new ablation changes $changed lines, but 40 are promised"

[ "$(wc -l <README.md)" -le 130 ] || complain "README.md has over 130 lines"
exit $bad
