# SPDX-License-Identifier: MIT
# The parts of run.sh that look at the machine and build.
device=$scratch/device # lines `KEY VALUE` of device.cu

stop() { # stop STATUS SENTENCE
    echo "run.sh: $2" >&2
    write "" "**$2**"
    exit "$1"
}

fact() { sed -n "s/^$1 //p" "$scratch/device.txt"; }

# The architecture to build for; ends with 6 where there is no device.
find_device() {
    arch=""
    : >"$scratch/device.txt"
    [ $on_host = 1 ] && return
    [ -x "$nvcc" ] || stop 1 "There is no nvcc: install the CUDA toolkit and put nvcc on the PATH, or see the parts without a GPU by AUGUR_GPU_PRESET=cuda-host."
    arch=$AUGUR_GPU_ARCH
    [ "$arch" ] && return
    log=$out/build.log
    ends=$((start + 180)) # seconds, where nobody else computes
    within "$nvcc" -o "$scratch/device" "$here/device.cu" || stop 1 "nvcc does not compile $here/device.cu; see $log."
    "$scratch/device" >"$scratch/device.txt" 2>"$scratch/why" || stop 6 "$(cat "$scratch/why")"
    arch=$(fact architecture)
}

processor() { sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1; }
smi() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1 | grep . || echo "not known"; }
commit() { # the commit, and whether there is more than that
    [ "$AUGUR_GPU_COMMIT" ] && { echo "$AUGUR_GPU_COMMIT"; return; }
    git rev-parse HEAD 2>/dev/null || { echo "not known"; return; }
    [ -z "$(git status --porcelain 2>/dev/null)" ] || echo "(with changes)"
}

head_of_summary() {
    name=$(fact name)
    [ $on_host = 1 ] && name="the host execution of CUDA: no GPU, and no time means anything"
    write "# Checked and measured on ${name:-a device that was not asked}" "" "| | |" "|---|---|"
    [ -s "$scratch/device.txt" ] &&
        write "| device | $name, $(fact multiprocessors) multiprocessors, $(fact memory), L2 $(fact L2), compute capability $(fact architecture) |" \
            "| driver | $(smi driver_version), $(fact driver); toolkit $(fact toolkit) |" \
            "| clocks, power limit | SM $(smi clocks.sm), memory $(smi clocks.mem), at most SM $(smi clocks.max.sm); $(smi power.limit) |"
    write "| processor | $(processor), $jobs cores used for building |"
    write "| date, commit | $(LC_ALL=C date -u '+%d %B %Y'), $(commit | tr '\n' ' ')|"
    write "| by | \`sh tests/gpu/run.sh\`, preset $preset |"
}

# Links the carried packages for libraries that the machine lacks. Their place is written into the programs for all that they load
# (DT_RPATH, which unlike DT_RUNPATH holds for libraries of libraries, too).
carried() {
    [ -d "$packages/lib" ] || return
    place=$(cd "$packages" && pwd)
    grep -q "^AUGUR_zip_LIBRARY:.*=$place/" "$build/CMakeCache.txt" 2>/dev/null || # found elsewhere before
        printf '%s\n' '-UAUGUR_*_LIBRARY' '-UAUGUR_*_INCLUDE'
    printf '%s\n' "-DCMAKE_PREFIX_PATH=$place" "-DCMAKE_BUILD_RPATH=$place/lib" "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags"
}

# The programs, and those tests that run kernels.
list_targets() {
    targets="tgraph tpu tpgnn nests bench quickstart"
    for name in $(grep -o 'test_[a-z_]*' tests/cuda_on_host/tests.cmake | sort -u); do
        ls tests/*/"$name.c" >/dev/null 2>&1 && targets="$targets $name"
    done
}

build_all() {
    part build "Building" 250
    IFS='
' # a place may have spaces
    set -f
    set -- $(carried)
    set +f
    unset IFS
    [ $# = 0 ] || echo "with the packages in $packages"
    [ "$arch" ] && set -- "$@" "-DCMAKE_CUDA_ARCHITECTURES=$arch"
    [ -x "$nvcc" ] && [ $on_host = 0 ] && set -- "$@" "-DCMAKE_CUDA_COMPILER=$nvcc"
    [ $on_host = 1 ] || set -- "$@" -DAUGUR_WERROR=OFF # a compiler that nobody has tried may warn of more
    table what result seconds
    check "configuring (preset $preset${arch:+, architecture $arch})" cmake --preset "$preset" "$@" ||
        stop 1 "The build cannot be configured: $(sed -n '/CMake Error/,$p' "$log" | tr '\n' ' ' | cut -c1-600)"
    check "building" cmake --build "$build" -j "$jobs" --target $targets -- -k 0 ||
        grep -A 12 '^FAILED:' "$log" | head -n 60
    warnings=$(grep -c 'warning[: ]' "$log")
    [ "$warnings" = 0 ] || write "" "$warnings lines of build.log have a warning."
    [ -x "$bin/tgraph" ] || stop 1 "The programs do not build; see $log."
    write "" "Packages: $(sed -n 's/^AUGUR_zip_LIBRARY:[^=]*=//p' "$build/CMakeCache.txt") and its kin."
    grep -q "^AUGUR_XGBOOST_LIBRARY:[^=]*=.*NOTFOUND" "$build/CMakeCache.txt" &&
        leave_out "What needs XGBoost, which is optional: this machine has none, and the GPU does not use it."
}
