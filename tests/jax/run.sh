#!/bin/sh
# SPDX-License-Identifier: MIT
# augur_jax, in a virtual environment that this makes with the versions of examples/jax/requirements.txt, or in the one that
# AUGUR_JAX_VENV names. Skipped (77), with the reason, where Python is too old or the packages cannot be had.
here=$(cd "$(dirname "$0")" && pwd)
package=$here/../../examples/jax
venv=${AUGUR_JAX_VENV:-$here/../../build/jaxvenv}
base=${PYTHON:-python3}
if ! "$base" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "augur_jax is not tested: $base is older than Python 3.11."
    exit 77
fi
mkdir -p "$(dirname "$venv")"
log=$venv.log
if ! "$venv/bin/python" -c 'import augur_jax, jax; assert jax.__version__ == "0.10.2"' 2>/dev/null; then
    if ! { "$base" -m venv "$venv" && "$venv/bin/pip" install -q -r "$package/requirements.txt" && "$venv/bin/pip" install -q --no-deps -e "$package"; } >"$log" 2>&1; then
        echo "augur_jax is not tested: its packages could not be had ($(tail -n 1 "$log"))."
        exit 77
    fi
fi
export JAX_PLATFORMS=cpu TF_CPP_MIN_LOG_LEVEL=3
PYTHONPATH="$package:$here" exec "$venv/bin/python" -B -m unittest discover -s "$here"
