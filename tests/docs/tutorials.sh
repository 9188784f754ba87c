# SPDX-License-Identifier: MIT
# tutorials.sh BUILD CC: does what docs/adding-an-op.md, docs/adding-a-layer.md, docs/adding-an-ablation.md and README.md say, in
# a copy of the sources under BUILD, and runs the tests and calls that the pages name. Golden values of the new ops would need
# PyTorch, so those are left out.
set -e
here=$(cd "$(dirname "$0")/../.." && pwd)
command -v patch >/dev/null 2>&1 || { echo "tutorials: the program patch is not installed."; exit 77; }
work=$1/tutorials
build=$work/build/copy # as deep as the build and with its options: with ccache, it takes the same objects
rm -rf "$work"
mkdir -p "$work"
cd "$work"
(cd "$here" && tar cf - .clang-format augur.h augur.pc.in CMakeLists.txt cmake core autograd ops gnn optim metrics layers examples docs tests) | tar xf -

quoted() { sh "$here/tests/docs/quoted.sh" "$1"; }
for change in row op layer ablation; do
    quoted $change.diff >change
    patch -p1 -F0 <change
done
new="ops/rms_norm.h ops/rms_norm.c gnn/gin.c tests/gnn/test_gin.c"
for file in $new; do
    quoted $file >$file
done
sh tests/format.sh $new || [ $? = 77 ]
quoted first.c >examples/quickstart.c # the README's program

tests="test_ops test_ops_runs test_ops_table test_op_calls test_null test_gin"
# All ops see the new ones, so they are compiled, and quickly: compiling takes longer than running them.
cmake -G Ninja -S . -B "$build" -DCMAKE_C_COMPILER="$2" -DCMAKE_BUILD_TYPE=Release -DAUGUR_WERROR=ON -DAUGUR_CUDA=off \
    -DAUGUR_OP_FLAGS="-O0;-Wno-frame-larger-than"
# Of the target docs only what the new ops change: the rest needs all programs.
cmake --build "$build" -j "$(nproc)" --target make_prototypes
"$build/bin/make_prototypes" ops/elementwise_ops.h
cmake --build "$build" -j "$(nproc)" --target make_ops quickstart tgraph tpgnn $tests
for file in ops/rms_norm.c gnn/gin.c; do # some warnings need the optimizer
    "$2" -std=c11 -O3 -Wall -Wextra -Wdouble-promotion -Werror -I. -I"$build/gen" -c -o "$work/o" $file
done
"$build/bin/make_ops" docs/ops.md
grep -q 'ag_softsign(ag_tensor \*x);' ops/elementwise_ops.h
grep -q '`softsign`' docs/ops.md
grep -q '`rms_norm`' docs/ops.md
"$build/bin/quickstart"
for test in $tests; do
    AUGUR_TEST_OPS="softsign rms_norm" "$build/tests/$test" # of all ops the new ones
done
first_loss() { # first_loss RUN PROGRAM OPTION...
    run=$1
    program=$2
    shift 2
    "$build/bin/$program" train "$@" --steps 1 --log-every 1 --no-baselines --quiet --out "$work/$run" >&2
    sed -n '2s/^1,\([^,]*\),.*/\1/p' "$work/$run/metrics.csv"
}
differ() { # differ WHAT LOSS OTHER
    [ "$2" ] && [ "$3" ] && [ "$2" != "$3" ] || { echo "tutorials: the first loss is $2 with $1 and $3 without."; exit 1; }
}
# The new gate of TGraph, then the layer of TPGNN: the first loss is not that without it.
layout="--data examples/data/layout/random/mlp_18.npz --split 0.5 --configs 4 --hidden 16"
squeezed=$(first_loss squeezed tgraph $layout --squeeze)
differ --squeeze "$squeezed" "$(first_loss gates tgraph $layout)"
schedules="--preset statements --data examples/data/schedules/split-kind.valid.txt"
plain=$(first_loss plain tpgnn $schedules)
quoted layer-tpgnn.diff >change
patch -p1 -F0 <change
cmake --build "$build" -j "$(nproc)" --target tpgnn
differ GIN "$(first_loss gin tpgnn $schedules)" "$plain"
