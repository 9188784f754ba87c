#!/bin/sh
# SPDX-License-Identifier: MIT
# python.sh collect|logs: the tests of that folder of examples/tvm, all that need no TVM and, where it is installed, the
# others. PYTHON names the interpreter.
here=$(cd "$(dirname "$0")" && pwd)
tvm=$here/../../examples/tvm
python=${PYTHON:-python3}
if ! "$python" -c 'import numpy' > /dev/null 2>&1; then
    echo "$python has no NumPy: what needs TVM or serves it is not tested."
    exit 77
fi
cd "$here/$1" || exit 1 # from tests/, the folder tvm would be a package
exec env PYTHONPATH="$tvm/$1:$tvm/collect${PYTHONPATH:+:$PYTHONPATH}" "$python" -B -m unittest discover -s "$here/$1"
