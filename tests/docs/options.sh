# SPDX-License-Identifier: MIT
# options.sh BIN: fails when the manual pages that docs/make_manual.sh makes of the programs in the folder BIN lack an option
# or a command that their help names, or bash does not complete it.
cd "$(dirname "$0")/../.." || exit 1
bin=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
sh docs/make_manual.sh "$bin" "$work" || { echo "options: docs/make_manual.sh failed."; exit 1; }
bad=0
for program in tgraph tpu tpgnn nests lab; do
    commands=$("$bin/$program" --help | sed -n "s/^  $program \([a-z]*\) .*/\1/p")
    for command in $commands; do
        "$bin/$program" "$command" --help-all
    done | sed -n 's/^  \(--[^ ]*\).*/\1/p' | sort -u >"$work/wanted"
    [ "$(wc -l <"$work/wanted")" -ge 20 ] || { echo "options: few options were found in the help of $program."; bad=1; }
    sed -n 's/\\-/-/g; s/^\.BI* \(--[^ ]*\).*/\1/p' "$work/man1/$program.1" | sort -u | diff - "$work/wanted" ||
        { echo "options: the manual page of $program has not the options (>) that its help names."; bad=1; }
    for command in $commands; do
        grep -q "^\.B $command\$" "$work/man1/$program.1" || { echo "options: the manual page of $program lacks $command."; bad=1; }
    done
    sed 's/\[no-\]\(.*\)/\1\n--no-\1/' "$work/wanted" | while read -r option; do
        grep -q -- " $option " "$work/bash/$program" || echo "options: bash does not complete $option of $program."
    done >"$work/missing"
    [ ! -s "$work/missing" ] || { cat "$work/missing"; bad=1; }
done
exit $bad
