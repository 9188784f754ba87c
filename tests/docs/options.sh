# SPDX-License-Identifier: MIT
# options.sh BIN: fails when docs/options.md is not what the programs in the folder BIN say of their options, or when their
# help was not understood: each option that it names must have a row.
cd "$(dirname "$0")/../.." || exit 1
bin=$1
fresh=$(mktemp)
trap 'rm -f "$fresh"' EXIT
sh docs/make_options.sh "$bin" >"$fresh" || { echo "options: docs/make_options.sh failed."; exit 1; }
if ! cmp -s "$fresh" docs/options.md; then
    diff docs/options.md "$fresh" | head -n 20
    echo "options: docs/options.md is not current: run cmake --build --preset release --target docs."
    exit 1
fi
for program in tgraph tpu tpgnn nests lab; do
    for command in $("$bin/$program" --help | sed -n "s/^  $program \([a-z]*\) .*/\1/p"); do
        "$bin/$program" "$command" --help-all | sed '/^General$/,$d'
    done | sed -n "s/^  \(--[^ ]*\).*/$program \1/p"
done | sort -u >"$fresh"
[ "$(wc -l <"$fresh")" -ge 200 ] || { echo "options: few options were found in the help of the programs."; exit 1; }
sed -n 's/^## \(.*\)/\1/p; s/^| `\(--[^ `]*\).*/\1/p' docs/options.md |
    awk '/^--/ { print program, $0; next } { program = $0 }' | sort -u | diff - "$fresh" ||
    { echo "options: the page has not the options (>) that the programs name in their help."; exit 1; }
