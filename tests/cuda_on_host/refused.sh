# SPDX-License-Identifier: MIT
# refused.sh CXX: what kernels and .cu files of Augur must not say does not compile, since its result has no fixed order.
set -e
cxx=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cxx() { # the compiler, as for kernels
    "$cxx" -std=c++17 -D__CUDACC__ -DAG_CUDA_ON_HOST -isystem "$here/include" "$@"
}
printf '#include <cuda_runtime.h>\n#include <cub/device/device_scan.cuh>\n' > "$work/all.h"
cxx -x c++-header -o "$work/all.h.gch" "$work/all.h" # read once, not for each snippet

compile() { # compile BODY: of a function that has float *x, int *i and a stream
    cat > "$work/snippet.cu" <<END
void snippet(float *x, int *i, size_t bytes, cudaStream_t stream);
void snippet(float *x, int *i, size_t bytes, cudaStream_t stream) { (void)x, (void)i, (void)bytes, (void)stream; $1; }
END
    cxx -x c++ -include "$work/all.h" -fsyntax-only "$work/snippet.cu" > "$work/said" 2>&1
}
refused() { # refused TEXT BODY: does not compile, and the compiler says TEXT
    if compile "$2"; then
        echo "refused: this should not compile: $2" >&2
        exit 1
    fi
    grep -q "$1" "$work/said" || { cat "$work/said" >&2; echo "refused: no \"$1\" for: $2" >&2; exit 1; }
}

compile 'atomicAdd(i, 1)'
compile 'cub::DeviceScan::ExclusiveSum(x, bytes, i, i, 8, stream)'
compile '__shfl_xor_sync(~0u, *x, 1)'
refused 'use of deleted function' 'atomicAdd(x, 1.0f)'
refused 'no fixed order' 'cub::DeviceScan::ExclusiveSum(x, bytes, x, x, 8, stream)'
refused 'not declared' '__shfl_xor(*x, 1)'
refused 'not declared' '__activemask()'
refused 'not declared' 'cudaMemcpy(x, i, 8, cudaMemcpyDefault)'
refused 'not declared' 'cudaMemset(x, 0, 8)'
refused 'not declared' 'cudaMallocManaged(&x, 8)'
