# SPDX-License-Identifier: MIT
# exports.sh NM LIBRARY ARCHIVE...: fails unless the shared library exports ag_* and nothing else, internal ag__* included,
# and each archive, one per program, has names of its own: a linker takes the first of two in silence.
names=$("$1" -D --defined-only -P "$2" | awk '{ print $1 }')
bad=$(printf '%s\n' "$names" | grep -v '^ag_[^_]')
if [ -n "$bad" ]; then
    echo "exports: the shared library shows names that are not public (declare them static or without AG_API):"
    printf '%s\n' "$bad"
    exit 1
fi
printf '%s\n' "$names" | grep -qx ag_shape_count || { echo "exports: ag_shape_count is not exported."; exit 1; }

nm=$1
shift 2
twice=$("$nm" -g --defined-only -P "$@" 2>/dev/null | awk 'NF > 1 { print $1 }' | sort | uniq -d)
[ -z "$twice" ] || { echo "exports: two libraries of the programs define"; printf '%s\n' "$twice"; exit 1; }
