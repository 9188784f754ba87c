#!/bin/sh
# SPDX-License-Identifier: MIT
# ranks_nccl.sh BIN NCCL: training on the host execution of CUDA by ranks with a device each, between which the library
# libnccl.so.2 in the folder NCCL moves data, ends with the bytes of one process, and so it does through the hosts; a rank
# that hangs is named. Skipped (77) where there is no mpirun, or the build has no MPI.
here=$(cd "$(dirname "$0")" && pwd)
bin=$1 nccl=$2 failed=0
command -v mpirun > /dev/null || { echo "ranks_nccl: there is no mpirun (Debian: apt install openmpi-bin libopenmpi-dev)."; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# In a container: as root, without ssh, and where a process may not read another's memory.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm_rsh_agent=sh OMPI_MCA_btl_vader_single_copy_mechanism=none
export CUDA_ON_HOST_DEVICES=3 CUDA_ON_HOST_BYTES=536870912 LD_LIBRARY_PATH="$nccl:$LD_LIBRARY_PATH" TMPDIR="$work"
case $(mpirun --version 2>&1) in
*"Open MPI"*) start="mpirun --oversubscribe --bind-to none" ;;
*) start=mpirun ;;
esac
$start -n 2 true > log 2>&1 || { echo "ranks_nccl: mpirun cannot start two processes here: $(tail -n 3 log)"; exit 77; }
layouts=$(find "$here/../../examples/data/layout" -name '*.npz' | sort | sed -n 1,3p)
program=$bin/tgraph

fail() {
    echo "ranks_nccl: $*"
    failed=1
}
weights() { cat "$1/last.safetensors" "$1/metrics.csv" | cksum; }

# train RANKS SHARDS RUN WORDS...: 0 ranks: one process without mpirun.
train() {
    launcher="" ranks=$1 shards=$2 run=$3
    shift 3
    [ "$ranks" = 0 ] || launcher="$start -n $ranks"
    $launcher "$program" train --device cuda --threads 1 --no-baselines --shards "$shards" --out "$run" --data $layouts \
        --hidden 16 --configs 4 --steps 5 "$@" > log 2>&1
}

# same RANKS SHARDS RUN WORD: the bytes of one process, and a line with WORD in the log.
same() {
    train "$1" "$2" "$3" || { cat log; fail "$3 ended with an error"; return; }
    [ "$(weights "$3")" = "$(weights "one-$2")" ] || fail "$3 has other bytes than one process"
    grep -q "gradients move between GPUs $4" log || fail "$3 does not say \"$4\": $(cat log)"
}

train 2 2 none
grep -q "the build has no MPI" log && { echo "ranks_nccl: the build has no MPI."; exit 77; }
for shards in 3 8; do
    train 0 $shards one-$shards || fail "one process: $(cat log)"
done
same 2 3 two-3 "by NCCL"
same 3 3 three-3 "by NCCL"
same 2 8 two-8 "by NCCL"
same 3 8 three-8 "by NCCL"
[ -z "$(find . -maxdepth 1 -name 'nccl-*')" ] || fail "a folder of NCCL is left"
export CUDA_ON_HOST_DEVICES=2
same 3 8 shared "through the host: ranks 0 and 2 have one GPU"
export CUDA_ON_HOST_DEVICES=3 AUGUR_NCCL=0
same 2 8 switched "through the host: rank 0 has no NCCL"
unset AUGUR_NCCL

train 2 2 hangs --steps 100000 --save-every 1 --rank-patience 2 &
for i in $(seq 600); do [ -e hangs/last.safetensors ] && break; sleep 0.1; done
victim=$(pgrep -f "^$program train .* --out hangs" | head -n 1)
kill -STOP "$victim"
wait
grep -q "rank [01] (process $victim on .*) has not come to .* for 2 s (--rank-patience)" log || fail "a rank that hangs: $(cat log)"
kill -9 "$victim" 2> /dev/null
exit $failed
