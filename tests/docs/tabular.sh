# SPDX-License-Identifier: MIT
# tabular.sh BIN: runs examples/tabular/try.sh, which docs/adding-a-model.md quotes, with the programs of the folder BIN; a
# hidden layer makes the order much better.
set -e
try=$(cd "$(dirname "$0")/../../examples/tabular" && pwd)/try.sh
PATH=$1:$PATH
export PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
sh -ex "$try"
head -n 1 scores.csv | grep -qx 'group,item,score,measured_ns'
[ "$(wc -l <scores.csv)" -eq 41 ]
[ -s run/report.html ] && [ -s width/linear/seed-2/report.html ]
awk -F, '$3 == "" && $1 ~ /16 channels/ { wide = $4 } $3 == "" && $1 ~ /linear/ { plain = $4 } END { exit !(wide > plain + 0.2) }' width/study.csv
