#!/bin/sh
# SPDX-License-Identifier: MIT
# sh tests/gpu/run.sh OUT: builds with CUDA for the GPU of this machine, checks it and measures it, in less than ten minutes with
# 16 processor cores. OUT/summary.md has the results, OUT/*.log what each part printed. The exit status is 0 when all checks
# passed, 6 when there is no device. README.md says what a machine needs, and which environment variables there are.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
[ $# = 1 ] && case $1 in -*) false ;; esac || { echo "usage: sh tests/gpu/run.sh OUT" >&2; exit 2; }
mkdir -p "$1" && out=$(cd "$1" && pwd) || { echo "run.sh: the folder $1 cannot be made." >&2; exit 3; }
cd "$here/../.." || exit 1
preset=${AUGUR_GPU_PRESET:-cuda}
case $preset in
cuda) on_host=0 slower=1 total=585 ;;
cuda-host | cuda-host-checked) on_host=1 slower=60 total=36000 ;; # limits for what hangs
*) echo "run.sh: AUGUR_GPU_PRESET is \"$preset\", but must be cuda, cuda-host or cuda-host-checked." >&2; exit 2 ;;
esac
all="see_doctor run_tests train_programs run_sanitizers measure_ops measure_steps measure_peers"
parts=${AUGUR_GPU_PARTS:-$all}
for each in $parts; do
    case " $all " in
    *" $each "*) ;;
    *) echo "run.sh: AUGUR_GPU_PARTS names \"$each\", but the parts are $all." >&2; exit 2 ;;
    esac
done
packages=${AUGUR_GPU_PACKAGES:-build/gpu-packages}
total=${AUGUR_GPU_SECONDS:-$total}
jobs=$(nproc)
build=build/$preset
bin=$build/bin
tests=$build/tests
rm -f "$out"/*.log "$out/summary.md"
. "$here/parts.sh"
. "$here/build.sh"
. "$here/checks.sh"
. "$here/measures.sh"
for nvcc in "$(command -v nvcc)" /usr/local/cuda/bin/nvcc; do [ -x "$nvcc" ] && break; done
export OMP_WAIT_POLICY=passive AUGUR_TEST_DEVICE=cuda CUDA_ON_HOST_CHECK=0
scratch=$(mktemp -d) || exit 3
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

find_device
head_of_summary
list_targets
[ "$AUGUR_GPU_BUILT" = 1 ] || build_all
for each in $parts; do
    $each
done

say "done"
[ "$left_out" ] && write "" "## Left out" "" "$left_out"
if [ $failures = 0 ]; then
    write "" "All checks passed, in $(passed_seconds) s."
else
    write "" "**$failures checks did not pass**; $(passed_seconds) s."
fi
echo "$failures checks failed; the results are in $out/summary.md."
[ $failures = 0 ]
