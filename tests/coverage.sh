# SPDX-License-Identifier: MIT
# coverage.sh BUILD: after the tests of a coverage build, prints the share of executed lines of each file, lowest first,
# and of all. A file that is compiled several times (float and double) counts with its best share.
cd "$(dirname "$0")/.." || exit 1
root=$(pwd)
scratch=$1/gcov
mkdir -p "$scratch" && cd "$scratch" || exit 1
find "$1" -name '*.gcda' | grep -v '/test_' | while read -r counts; do
    gcov -n -r -s "$root" "$counts" 2>/dev/null
done | awk '
    /^File/ { gsub(/\047/, ""); file = $2 }
    /^Lines executed/ && file { split($0, part, /[:% ]+/); if (!(file in share) || part[3] > share[file]) share[file] = part[3]
        lines[file] = part[5]; file = "" }
    END { for (f in share) { printf "%6.1f %% of %5d lines  %s\n", share[f], lines[f], f; hit += share[f] * lines[f]; all += lines[f] }
        printf "%6.1f %% of %5d lines  in all\n", all ? hit / all : 0, all }' | sort -n
