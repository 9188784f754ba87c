#!/bin/sh
# SPDX-License-Identifier: MIT
# tuner.sh BIN: what the tuner does with augur_models and a model of two steps: all that needs no TVM, and, where it is
# installed, a short tuning. PYTHON names the interpreter.
here=$(cd "$(dirname "$0")" && pwd)
bin=$1
python=${PYTHON:-python3}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
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
tvm=$here/../../examples/tvm
cd "$here/tuner" || exit 1 # from tests/, the folder tvm would be a package
AUGUR_MODELS_LIBRARY=$bin/libaugur_models.so AUGUR_TPGNN_RUN=$work/run AUGUR_TPGNN_DATA=$data \
    PYTHONPATH="$tvm/tune:$tvm/collect${PYTHONPATH:+:$PYTHONPATH}" "$python" -B -m unittest discover -s "$here/tuner"
