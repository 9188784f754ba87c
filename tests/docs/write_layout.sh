# SPDX-License-Identifier: MIT
# write_layout.sh BIN: the file that docs/formats/features.md writes can be trained on by tgraph and nests.
# PYTHON names the interpreter; without NumPy nothing is tested.
python=${PYTHON:-python3}
if ! "$python" -c 'import numpy' 2>/dev/null; then
    echo "$python has no NumPy: the example of docs/formats/features.md is not tested."
    exit 77
fi
bin=$(cd "$1" && pwd) || exit 1
quoted=$(cd "$(dirname "$0")" && pwd)/quoted.sh
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
sh "$quoted" write_layout.py >write_layout.py || exit 1
"$python" write_layout.py || exit 1
"$bin/tgraph" inspect --data relu.npz --json | grep '"unique": 8' || exit 1
"$bin/tgraph" train --data relu.npz --hidden 16 --steps 2 --no-baselines --quiet --out tgraph >/dev/null || exit 1
"$bin/nests" train --data relu.npz --fit network --hidden 16 --steps 2 --no-baselines --quiet --out nests >/dev/null || exit 1
