#!/bin/sh
# SPDX-License-Identifier: MIT
# tpgnn_tuner.sh BIN NM: the shared object shows its own functions and nothing else, and calls none that ends its process; then what Python does with it and a
# model of two steps: all that needs no TVM, and, where it is installed, a short tuning. PYTHON names the interpreter.
here=$(cd "$(dirname "$0")" && pwd)
bin=$1
python=${PYTHON:-python3}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
shown=$("$2" -D --defined-only -P "$bin/libaugur_tpgnn.so" | awk '{ print $1 }')
bad=$(printf '%s\n' "$shown" | grep -vE '^augur_tpgnn_[a-z]')
if [ -n "$bad" ]; then
    echo "tpgnn_tuner: libaugur_tpgnn.so shows names that are not its own:"
    printf '%s\n' "$bad"
    exit 1
fi
ends=$("$2" -D --undefined-only -P "$bin/libaugur_tpgnn.so" | awk '{ sub(/@.*/, "", $1); print $1 }' |
    grep -E '^(_?_?exit|_Exit|quick_exit|abort|raise|__assert.*|longjmp|__longjmp_chk)$')
if [ -n "$ends" ]; then
    echo "tpgnn_tuner: libaugur_tpgnn.so can end the process that loads it, or leave a call half-way:"
    printf '%s\n' "$ends"
    exit 1
fi
if ! "$python" -c 'import numpy' > /dev/null 2>&1; then
    echo "$python has no NumPy: the cost model is not tested from Python."
    exit 77
fi
data=$(find "$here/../../examples/data/schedules" -name 'matmul_*.npz' | sort | head -n 1)
if [ -z "$data" ]; then
    echo "There are no measured schedules: the cost model is not tested from Python."
    exit 77
fi
"$bin/tpgnn" train --data "$data" --out "$work/run" --steps 2 --dropout 0 --threads 1 --no-baselines --quiet || exit 1
tvm=$here/../../examples/tpgnn/tvm
AUGUR_TPGNN_LIBRARY=$bin/libaugur_tpgnn.so AUGUR_TPGNN_RUN=$work/run AUGUR_TPGNN_DATA=$data \
    PYTHONPATH="$tvm/tune:$tvm/collect${PYTHONPATH:+:$PYTHONPATH}" "$python" -B -m unittest discover -s "$here/tuner"
