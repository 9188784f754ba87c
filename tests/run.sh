#!/bin/sh
# SPDX-License-Identifier: MIT
# sh tests/run.sh [--full]: installs what is missing, builds and tests release and debug (address and undefined
# sanitizers). --full adds builds for other processors and for musl, thread sanitizer, fuzzing, installed consumers, all
# damaged files, format, the CUDA code on the CPU and, when nvcc is there, the CUDA build. What was left out is listed at
# the end; the last line is `N passed, N failed`. The exit status is 0 when nothing failed.
cd "$(dirname "$0")/.." || exit 1
full=""
case "$1" in
"") ;;
--full) full=--full ;;
*) echo "run.sh: unknown option \"$1\": the only one is --full." >&2; exit 2 ;;
esac

passed=0
failed=0
left_out=""
wrong="" # what failed, by name
jobs=$(nproc)
configure="" # more options for CMake
oracle="" # the library in double, which is the same in all builds for this machine: the first one's serves them
run="" # older sanitizers fail at random where addresses are spread widely: ask for the plain layout, if we may
setarch "$(uname -m)" -R true 2>/dev/null && run="setarch $(uname -m) -R"
export OMP_WAIT_POLICY=passive # tests run side by side: waiting threads sleep

# Some parts compile the same files with the same options in other folders: those take what the first one made.
# They are found by their options and sources: preprocessing files to see whether they are there takes a fifth of the time
# of compiling them.
share_objects() {
    command -v ccache >/dev/null 2>&1 || return
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
    export CCACHE_DIR="$PWD/build/ccache" CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
}

# Tests write thousands of files and wait until the disk has them: where there is room, the disk is memory.
scratch_in_memory() {
    [ "$(df -Pk /dev/shm 2>/dev/null | awk 'END { print $4 + 0 }')" -gt 2000000 ] || return
    scratch=$(mktemp -d /dev/shm/augur.XXXXXX 2>/dev/null) || return
    trap 'rm -rf "$scratch"' EXIT
    trap 'exit 1' HUP INT TERM
    chmod 1777 "$scratch" # like /tmp: a test gives up its rights
    cp /bin/sh "$scratch/sh" && "$scratch/sh" -c : 2>/dev/null && export TMPDIR="$scratch" # some run what they build
}

leave_out() { # leave_out WHAT WHY
    echo "run.sh: $1 is left out: $2."
    left_out="$left_out
  $1: $2"
}

fail() { # fail WHAT
    failed=$((failed + 1))
    wrong="$wrong
  $1"
}

# Cases that were skipped wherever their test ran: nothing executes them on this machine.
never_ran() {
    for log in $logs; do
        awk '$2 == "Testing:" { test = $3 } # of ctest; the others are of cmocka
            sub(/^\[       OK \] /, "") { print "ran", test "/" $1 }
            sub(/^\[  SKIPPED \] /, "") && NF == 1 { print "skipped", test "/" $1 }' "$log" # and not their number
    done | sort -u | awk '$1 == "ran" { ran[$2] = 1 } $1 == "skipped" && !($2 in ran) { print "  " $2 ": skipped by the test" }'
}

finish() {
    say "done"
    # What each part took: the seconds until the next one begins.
    awk 'NR > 1 { part[++n] = name; took[n] = $1 - used } { used = $1; sub(/^[0-9]* /, ""); name = $0 }
        END { for (i = 1; i <= n; i++) printf "%6d s %3d %%  %s\n", took[i], 100 * took[i] / (used ? used : 1), part[i] }' build/parts
    echo "left out:$left_out"
    never_ran
    [ -z "$wrong" ] || echo "failed:$wrong"
    echo "$passed passed, $failed failed"
    [ $failed = 0 ] && [ $passed != 0 ]
    exit
}

say() { # seconds of processors tell more than the clock, where a machine has other work
    times >build/times # of this shell, then of what it started
    used=$(awk -F '[ms ]+' 'NR == 2 { printf "%d", $1 * 60 + $2 + $3 * 60 + $4 }' build/times)
    echo "== $1 (after $(($(date +%s) - start)) s, $used s of processors)"
    echo "$used $1" >>build/parts
}
start=$(date +%s)
mkdir -p build
: >build/parts

build() { # build PRESET [--target TARGET...]: 1 failure when it does not build
    preset=$1
    shift
    say "building $preset"
    if cmake --preset "$preset" -DAUGUR_ORACLE="$oracle" $configure >"build/$preset.log" 2>&1 &&
        cmake --build --preset "$preset" -j "$jobs" "$@" >>"build/$preset.log" 2>&1; then
        return 0
    fi
    if grep -q '^FAILED:' "build/$preset.log"; then
        sed -n '/^FAILED:/,$p' "build/$preset.log" | head -n 60
    else
        tail -n 60 "build/$preset.log"
    fi
    fail "$preset does not build"
    return 1
}

count() { # count PRESET: adds what ctest said in build/PRESET.test.log
    set -- "$1" $(sed -n 's/.*tests passed, \([0-9]*\) tests\{0,1\} failed out of \([0-9]*\).*/\1 \2/p' "build/$1.test.log")
    if [ $# != 3 ]; then
        fail "ctest found no tests in $1, or broke off"
        return
    fi
    logs="$logs build/$1/Testing/Temporary/LastTest.log"
    skipped=$(sed -n 's/^[[:space:]]*[0-9]* - \(.*\) (Skipped)$/\1/p' "build/$1.test.log")
    passed=$((passed + $3 - $2 - $(echo "$skipped" | wc -w)))
    failed=$((failed + $2))
    wrong="$wrong$(sed -n "/(Skipped)\$/d; s/^[[:space:]]*[0-9]* - \([^ ]*\) (.*/\n  \1 of $1/p" "build/$1.test.log")"
    for name in $skipped; do leave_out "$name of $1" "it says why in build/$1/Testing/Temporary/LastTest.log"; done
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

# emulate PRESET MODEL TEST...: on an emulated processor, which dies of an instruction that the build must not have. A few
# tests show it: the library is compiled as one, and emulation is slow.
emulate() {
    preset=$1
    model=$2
    shift 2
    for name in "$@"; do
        say "emulating $model: $name of $preset"
        if qemu-x86_64 -cpu "$model" "build/$preset/tests/$name" >"build/$preset.$name.log" 2>&1; then
            passed=$((passed + 1))
        else
            tail -n 20 "build/$preset.$name.log"
            fail "$name of $preset, emulated"
        fi
    done
}

library() { # library PRESET ISA: the library and its tests, with matrix products for ISA
    export AUGUR_ISA="$2"
    # What is left out compares no numbers: it tries NULL, damaged files and waiting, as other builds do.
    build "$1" --target library_tests && try "$1" -L library -LE full -E '^test_(null|parallel_busy|[a-z]*_damage)$'
    unset AUGUR_ISA
}

other_levels() { # of x86-64
    if supports v2; then
        library v2 sse2
    else
        leave_out "the build v2" "this machine does not run x86-64-v2"
    fi
    if ! supports v3; then
        leave_out "the build v3" "this machine does not run x86-64-v3"
    elif ! grep -q avx512f /proc/cpuinfo; then
        leave_out "the build v3" "release has no AVX-512 here, so that is this build"
    else
        library v3 avx2
    fi
    if [ -x build/v2/tests/test_vmath ] && command -v qemu-x86_64 >/dev/null 2>&1; then
        emulate v2 Nehalem test_vmath test_layers # no AVX
    else
        leave_out "the emulation of a processor without AVX" "qemu-x86_64 (package qemu-user) or the build v2 is not here"
    fi
}

port() { # port PRESET PROGRAM... [-- CTEST-OPTIONS]: another processor or C library, when the PROGRAMs are here
    preset=$1
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        if ! command -v "$1" >/dev/null 2>&1; then
            leave_out "the build $preset" "there is no $1"
            return
        fi
        shift
    done
    [ $# = 0 ] || shift
    say "fetching libraries for $preset"
    if sh tests/ports/root.sh "$preset" "build/$preset-root"; then
        build "$preset" --target library_tests && try "$preset" "$@"
    else
        leave_out "the build $preset" "its libraries could not be had"
    fi
}

sh deps.sh $full || { fail "deps.sh"; finish; }
scratch_in_memory
[ -n "$full" ] && [ -z "$CMAKE_C_COMPILER_LAUNCHER" ] && share_objects
for python in "$PYTHON" python3 /usr/bin/python3; do # the first that has NumPy, for tests of our Python
    "$python" -c 'import numpy' 2>/dev/null && export PYTHON="$python" && break
done
if [ -n "$full" ]; then
    check release -E '^test_(program_memory_full|null|[a-z]*_damage)$' # debug sees more of them
else
    check release -L quick
fi
[ ! -f build/release/libaugur64.a ] || oracle=$PWD/build/release/libaugur64.a
if [ -z "$full" ]; then
    check debug -L quick
    finish
fi
export AUGUR_FULL=1 # all damaged files, once, where a fault is seen best
check debug
unset AUGUR_FULL
configure=-DCMAKE_C_FLAGS_RELEASE=-O1 # what another processor lacks shows in a build that takes half as long
other_levels
port aarch64 aarch64-linux-gnu-gcc qemu-aarch64 -- -E '^test_(gemm|parallel|recurrent|sage)$' # slow, or qemu dies of a fork
configure=""
port musl musl-gcc
check tsan -L quick
check fuzz
check cuda-host-checked # has all tests of cuda-host
PATH=$PATH:/usr/local/cuda/bin
if command -v nvcc >/dev/null 2>&1; then
    programs=$(sed -n 's/^set(AUGUR_PROGRAMS \([a-z ]*\)).*/\1/p' examples/CMakeLists.txt)
    export CUDAARCHS=90 # one kind of GPU: none is here to run it
    # Nor does any test of this build compute on the CPU; and a compiler that is named is tried once, not twice.
    configure="-DAUGUR_OP_FLAGS=-O1 -DCMAKE_CUDA_FLAGS_RELEASE=-O1 -DCMAKE_CUDA_COMPILER=nvcc"
    build cuda --target quickstart $programs curand test_ops_table && passed=$((passed + 1)) &&
        try cuda -R '^(curand|test_ops_table)$'
else
    leave_out "the CUDA build" "there is no nvcc"
fi
finish
