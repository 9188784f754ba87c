#!/bin/sh
# SPDX-License-Identifier: MIT
# The reader of databases of MetaSchedule: damage and the program, and, where TVM is installed, training files. PYTHON
# names the interpreter.
here=$(cd "$(dirname "$0")" && pwd)
tvm=$here/../../examples/tpgnn/tvm
python=${PYTHON:-python3}
if ! command -v "$python" > /dev/null 2>&1; then
    echo "There is no $python: the reader of databases is not tested."
    exit 77
fi
exec env PYTHONPATH="$tvm/logs:$tvm/collect${PYTHONPATH:+:$PYTHONPATH}" "$python" -B -m unittest discover -s "$here/logs"
