#!/bin/sh
# SPDX-License-Identifier: MIT
# The collector of schedules: all that needs no TVM, and, where it is installed, a few workloads. PYTHON names the interpreter.
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
if ! "$python" -c 'import numpy' > /dev/null 2>&1; then
    echo "$python has no NumPy: the collector of schedules is not tested."
    exit 77
fi
exec env PYTHONPATH="$here/../../examples/tpgnn/tvm/collect${PYTHONPATH:+:$PYTHONPATH}" "$python" -B -m unittest discover -s "$here/collect"
