#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh [BIN]: augur_jax, in a virtual environment with the versions of examples/jax/requirements.txt. AUGUR_JAX_VENV names
# one; without it, it is made in build/jaxvenv. BIN/nests reads the rows of augur-jax ops, BIN/tgraph imports modules.
# Skipped (77), with the reason, where Python is too old or packages cannot be had.
here=$(cd "$(dirname "$0")" && pwd)
package=$here/../../examples/jax
venv=${AUGUR_JAX_VENV:-$here/../../build/jaxvenv}
base=${PYTHON:-python3}
"$base" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || base=python3.11
if ! "$base" -c 'import venv, ensurepip' 2>/dev/null; then
    echo "augur_jax is not tested: there is no Python 3.11 or later with venv (Debian: apt install python3-venv)."
    exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# It leaves the compiled files of what it imports, a sixth of what the packages have: all of them take five times as long.
has_jax() { PYTHONDONTWRITEBYTECODE='' "$venv/bin/python" -c 'import jax, sys; sys.exit(jax.__version__ != "0.10.2")'; }
if ! has_jax 2>/dev/null; then
    if ! { "$base" -m venv "$venv" && "$venv/bin/pip" install -q --no-compile -r "$package/requirements.txt" && has_jax; } \
        >"$work/log" 2>&1; then
        echo "augur_jax is not tested: its packages could not be had ($(tail -n 1 "$work/log"))."
        exit 77
    fi
fi
# What is installed is what the sources have, types included, and nothing is left in them.
cp -R "$package" "$work/source"
if ! "$venv/bin/pip" install -q --no-deps --no-build-isolation --target "$work/installed" "$work/source" >"$work/log" 2>&1; then
    cat "$work/log"
    exit 1
fi
PYTHONPATH=$work/installed "$work/installed/bin/augur-jax" tune --help | grep -q -- '--minutes' || exit 1
[ -f "$work/installed/augur_jax/py.typed" ] && [ -f "$work/installed/augur_jax/model/model.safetensors" ] || exit 1
export JAX_PLATFORMS=cpu TF_CPP_MIN_LOG_LEVEL=3
[ -z "$1" ] || export AUGUR_NESTS="$1/nests" AUGUR_TGRAPH="$1/tgraph"
PYTHONPATH=$work/installed:$package:$here "$venv/bin/python" -B -m unittest discover -s "$here"
