#!/bin/sh
# SPDX-License-Identifier: MIT
# The reader of tuning logs: formats, damage and the program, and, where TVM is installed, training files of databases.
# PYTHON names the interpreter.
python=${PYTHON:-python3}
if ! command -v "$python" > /dev/null 2>&1; then
    echo "There is no $python: the reader of tuning logs is not tested."
    exit 77
fi
exec "$python" -B "$(dirname "$0")/../../examples/tpgnn/tvm/logs/test_logs.py"
