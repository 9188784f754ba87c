/* SPDX-License-Identifier: MIT */
/* For each element the sum of all before it. The elements are integers, so the sums are the same in
   any order. */
#include "core/cuda/cub.h"

#include "core/cuda/inside.h"
#include "core/kernel.h"

static size_t scan_bytes(int64_t n)
{
    size_t bytes = 0;
    ag__cuda_keep(cub::DeviceScan::ExclusiveSum(nullptr, bytes, (const int32_t *)nullptr,
                                                (int32_t *)nullptr, (int)n,
                                                (cudaStream_t)ag__cuda_stream()));
    return bytes;
}

extern "C" int64_t ag__device_scan_scratch(int64_t n)
{
    return n ? (int64_t)((scan_bytes(n) + 255 + sizeof(ag_real) - 1) / sizeof(ag_real)) : 0;
}

extern "C" void ag__device_scan(int32_t *out, const int32_t *in, int64_t n, ag_real *scratch)
{
    if (n == 0) return;
    size_t bytes = scan_bytes(n);
    ag__cuda_keep(cub::DeviceScan::ExclusiveSum((void *)ag__cuda_padded((size_t)scratch), bytes, in,
                                                out, (int)n, (cudaStream_t)ag__cuda_stream()));
}
