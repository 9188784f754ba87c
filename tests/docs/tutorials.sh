# SPDX-License-Identifier: MIT
# tutorials.sh BUILD CC: does what docs/adding-an-op.md, docs/adding-an-ablation.md and README.md say, in a copy of the sources under
# BUILD, and runs the tests that the pages name. Golden values of the new ops would need PyTorch, so those are left out.
set -e
here=$(cd "$(dirname "$0")/../.." && pwd)
command -v patch >/dev/null 2>&1 || { echo "tutorials: the program patch is not installed."; exit 77; }
work=$1/tutorials
mkdir -p "$work"
cd "$work"
rm -rf sources
mkdir sources
(cd "$here" && tar cf - augur.h augur.pc.in CMakeLists.txt cmake core autograd ops gnn optim examples docs tests) |
    (cd sources && tar xf -)

cd sources
for change in row op ablation; do
    patch -p1 -F0 <"$here/tests/docs/$change.diff"
done
cp "$here/tests/docs/rms_norm.h" "$here/tests/docs/rms_norm.c" ops/
cp "$here/tests/docs/first.c" examples/quickstart.c # the README's program

tests="test_ops test_ops_runs test_ops_table test_op_calls test_tgraph_variants"
cmake -G Ninja -S . -B "$work/build" -DCMAKE_C_COMPILER="$2" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1 \
    -DAUGUR_WERROR=ON -DAUGUR_CUDA=off
cmake --build "$work/build" -j "$(nproc)" --target docs quickstart $tests
grep -q '`softsign`' docs/ops.md
grep -q '`rms_norm`' docs/ops.md
"$work/build/bin/quickstart"
for test in $tests; do
    "$work/build/tests/$test"
done
