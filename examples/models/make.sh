#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh: whether the tensors of the models here have the hashes in their cards.
# make.sh PROGRAMS OUT [NAME...]: trains them again with the programs of a folder like build/release/bin, in OUT/NAME, and
# compares those. README.md says on which machines they are the same.
set -eu
[ $# -ne 1 ] || { echo "usage: make.sh [PROGRAMS OUT [NAME...]]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
programs="" made=$here
if [ $# -gt 1 ]; then
    programs=$(cd "$1" && pwd)
    mkdir -p "$2"
    made=$(cd "$2" && pwd)
    shift 2
fi
cd "$here/../.." # the paths of the data are written into a model
[ $# -gt 0 ] || set -- $(ls "$here" | grep -v '\.')

# Of all that follows the JSON of a checkpoint, since its texts name the version of the program.
tensors() {
    json=$(od -A n -t u8 -N 8 "$1/best.safetensors" | tr -d ' ')
    tail -c +$((json + 9)) "$1/best.safetensors" | sha256sum | cut -c 1-64
}

train() {
    case $1 in
    *-schedules) lists=examples/data/schedules/split-workload ;;
    *-layout) lists=examples/data/layout/split-random ;;
    *) lists=examples/data/${1#*-}/split-random ;;
    esac
    case $1 in
    tgraph-*) set -- "$1" --seed 1 --preset rows ;;
    tpu-*) set -- "$1" --seed 1 --rows costs --hidden 64 ;;
    tpgnn-*) set -- "$1" --seed 1 --rows costs --bins 0 ;;
    nests-*) set -- "$1" --seed 1 ;;
    esac
    name=$1
    shift
    AUGUR_ISA=avx2 "$programs/${name%%-*}" train --data $lists.train.txt --valid $lists.valid.txt "$@" --out "$made/$name"
}

differ=0
for name; do
    [ -z "$programs" ] || train "$name"
    hash=$(tensors "$made/$name")
    grep -q "$hash" "$here/$name/README.md" && continue
    echo "$name: the tensors have the SHA-256 $hash, which is not that of the card" >&2
    differ=1
done
exit $differ
