#!/bin/sh
# SPDX-License-Identifier: MIT
# The collector of schedules: all that needs no TVM, and, where it is installed, a few workloads. PYTHON names the interpreter.
collect=$(dirname "$0")/../../examples/tpgnn/tvm/collect
python=${PYTHON:-python3}
if ! "$python" -c 'import numpy' > /dev/null 2>&1; then
    echo "$python has no NumPy: the collector of schedules is not tested."
    exit 77
fi
exec "$python" -B "$collect/test_collect.py"
