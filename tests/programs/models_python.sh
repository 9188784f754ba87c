#!/bin/sh
# SPDX-License-Identifier: MIT
# models_python.sh BIN NM: libaugur_models.so shows its own functions and nothing else; and augur_models from a wheel in a
# virtual environment of its own. Skipped (77), with the reason, where packages cannot be had. PYTHON names the interpreter.
here=$(cd "$(dirname "$0")" && pwd)
bin=$1
python=${PYTHON:-python3}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=$("$2" -D --defined-only -P "$bin/libaugur_models.so" | awk '{ print $1 }' | grep -vE '^augur_models_[a-z]')
if [ -n "$bad" ]; then
    echo "models_python: libaugur_models.so shows names that are not its own: $bad"
    exit 1
fi
if ! { "$python" -m venv "$work/venv" && "$work/venv/bin/pip" install -q --no-compile numpy 'setuptools>=77'; } > "$work/log" 2>&1; then
    echo "augur_models is not tested from a wheel: its packages could not be had ($(tail -n 1 "$work/log"))."
    exit 77
fi
mkdir -p "$work/tree/examples/library" # nothing is left in the sources
cp -R "$here/../../examples/library/python" "$work/tree/examples/library"
cp -R "$here/../../examples/models" "$work/tree/examples"
export AUGUR_MODELS_LIBRARY="$bin/libaugur_models.so"
if ! { "$work/venv/bin/python" -m pip wheel -q --no-deps --no-build-isolation -w "$work" "$work/tree/examples/library/python" &&
    "$work/venv/bin/pip" install -q --no-deps "$work"/augur_models-*-py3-none-linux_*.whl; } > "$work/log" 2>&1; then
    cat "$work/log"
    exit 1
fi
unset AUGUR_MODELS_LIBRARY PYTHONPATH
data=$here/../../examples/data
file=$(find "$data/schedules" -name 'softmax_*.npz' | sort | head -n 1)
"$bin/tpgnn" train --data "$file" --out "$work/tpgnn" --steps 2 --hidden 16 --threads 1 --no-baselines --quiet > "$work/log" &&
    "$bin/tgraph" train --data "$data/layout/random/mlp_18.npz" --out "$work/tgraph" --steps 2 --hidden 16 --threads 1 \
        --split 0 --no-baselines --quiet > "$work/log" || exit 1
cd "$work" && AUGUR_FILES="$file:$data/layout/random/mlp_18.npz" AUGUR_RUNS="$work/tpgnn:$work/tgraph" \
    venv/bin/python -B "$here/models_python.py"
