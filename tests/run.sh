#!/bin/sh
# SPDX-License-Identifier: MIT
# sh tests/run.sh [--full]: installs what is missing, builds and tests release and debug (address and undefined
# sanitizers). --full adds builds for other processors, thread sanitizer, fuzzing, installed consumers, all damaged
# files, format, the CUDA code on the CPU and, when nvcc is there, the CUDA build. The last line is `N passed, N failed`;
# the exit status is 0 when nothing failed.
cd "$(dirname "$0")/.." || exit 1
full=""
case "$1" in
"") ;;
--full) full=--full ;;
*) echo "run.sh: unknown option \"$1\": the only one is --full." >&2; exit 2 ;;
esac

passed=0
failed=0
jobs=$(nproc)
run="" # older sanitizers fail at random where addresses are spread widely: ask for the plain layout, if we may
setarch "$(uname -m)" -R true 2>/dev/null && run="setarch $(uname -m) -R"
export OMP_WAIT_POLICY=passive # tests run side by side: waiting threads sleep
[ -n "$full" ] && export AUGUR_FULL=1

# Some parts compile the same files with the same options in other folders: those take what the first one made.
share_objects() {
    command -v ccache >/dev/null 2>&1 || return
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
    export CCACHE_DIR="$PWD/build/ccache" CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
}

finish() {
    say "done"
    echo "$passed passed, $failed failed"
    [ $failed = 0 ] && [ $passed != 0 ]
    exit
}

say() { # seconds of processors tell more than the clock, where a machine has other work
    times >build/times # of this shell, then of what it started
    cpu=$(awk -F '[ms ]+' 'NR == 2 { printf "%d", $1 * 60 + $2 + $3 * 60 + $4 }' build/times)
    echo "== $1 (after $(($(date +%s) - start)) s, $cpu s of processors)"
}
start=$(date +%s)
mkdir -p build

build() { # build PRESET [--target TARGET...]: 1 failure when it does not build
    preset=$1
    shift
    say "building $preset"
    if cmake --preset "$preset" >"build/$preset.log" 2>&1 &&
        cmake --build --preset "$preset" -j "$jobs" "$@" >>"build/$preset.log" 2>&1; then
        return 0
    fi
    if grep -q '^FAILED:' "build/$preset.log"; then
        sed -n '/^FAILED:/,$p' "build/$preset.log" | head -n 60
    else
        tail -n 60 "build/$preset.log"
    fi
    echo "run.sh: $preset does not build."
    failed=$((failed + 1))
    return 1
}

count() { # count PRESET: adds what ctest said in build/PRESET.test.log
    set -- "$1" $(sed -n 's/.*tests passed, \([0-9]*\) tests\{0,1\} failed out of \([0-9]*\).*/\1 \2/p' "build/$1.test.log")
    if [ $# != 3 ]; then
        echo "run.sh: ctest found no tests in $1, or broke off."
        failed=$((failed + 1))
        return
    fi
    skipped=$(grep -c '^[[:space:]]*[0-9]* - .* (Skipped)$' "build/$1.test.log")
    passed=$((passed + $3 - $2 - skipped))
    failed=$((failed + $2))
}

try() { # try PRESET CTEST-OPTIONS...: runs the tests of what is built
    preset=$1
    shift
    say "testing $preset $*"
    $run ctest --preset "$preset" -j "$jobs" "$@" 2>&1 | tee "build/$preset.test.log"
    count "$preset"
}

check() { # check PRESET CTEST-OPTIONS...: builds it and runs its tests
    build "$1" && try "$@"
}

supports() { # supports v2|v3: this machine runs programs for that level of x86-64
    [ "$(uname -m)" = x86_64 ] && /lib64/ld-linux-x86-64.so.2 --help 2>/dev/null | grep -q "x86-64-$1 (supported"
}

# emulate PRESET CPU TEST...: on an emulated processor, which dies of an instruction that the build must not have. A few
# tests show it: the library is compiled as one, and emulation is slow.
emulate() {
    command -v qemu-x86_64 >/dev/null 2>&1 || return
    preset=$1
    cpu=$2
    shift 2
    for name in "$@"; do
        say "emulating $cpu: $name of $preset"
        if qemu-x86_64 -cpu "$cpu" "build/$preset/tests/$name" >"build/$preset.$name.log" 2>&1; then
            passed=$((passed + 1))
        else
            tail -n 20 "build/$preset.$name.log"
            failed=$((failed + 1))
        fi
    done
}

other_processors() { # what other machines would see
    for level in v2 v3; do
        if [ $level = v3 ] && ! grep -q avx512f /proc/cpuinfo; then
            echo "run.sh: release has no AVX-512 here, so build v3, which is for that, is left out."
        elif supports $level; then
            [ $level = v2 ] && export AUGUR_ISA=sse2 || export AUGUR_ISA=avx2 # of products
            check $level -L quick
            unset AUGUR_ISA
            [ $level = v2 ] && emulate v2 Nehalem test_vmath test_panels # no AVX
        else
            echo "run.sh: this machine does not run x86-64-$level, so that build is left out."
        fi
    done
    if command -v aarch64-linux-gnu-gcc >/dev/null 2>&1; then
        build aarch64 && passed=$((passed + 1))
    else
        echo "run.sh: no aarch64-linux-gnu-gcc, so the build for aarch64 is left out."
    fi
}

sh deps.sh $full || { failed=1; finish; }
[ -n "$full" ] && [ -z "$CMAKE_C_COMPILER_LAUNCHER" ] && share_objects
if [ -z "$full" ]; then
    check release -L quick
    check debug -L quick
    finish
fi

check release
check debug
unset AUGUR_FULL # damaged files need no second look, for races
other_processors
check tsan -L quick
build fuzz --target fuzzers && try fuzz
check cuda-host-checked # has all tests of cuda-host
if command -v nvcc >/dev/null 2>&1 || [ -x /usr/local/cuda/bin/nvcc ]; then
    programs=$(sed -n 's/^set(AUGUR_PROGRAMS \([a-z ]*\)).*/\1/p' examples/CMakeLists.txt)
    build cuda --target quickstart $programs curand test_ops_table && passed=$((passed + 1)) &&
        try cuda -R '^(curand|test_ops_table)$'
else
    echo "run.sh: no nvcc, so the CUDA build is left out."
fi
finish
