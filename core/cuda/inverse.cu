/* SPDX-License-Identifier: MIT */
/* The inverse of an index: CUB's radix sort is stable, so the places that name a destination stay
   in ascending order; a destination's part begins where its key does. */
#include "core/cuda/cub.h"

#include "core/cuda/inside.h"
#include "core/kernel.h"

static __global__ void inverse_keys_grid(int32_t *keys, int32_t *values, const int32_t *index,
                                         int count, int k, int n, int stride)
{
    const int e = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (e >= count) return;
    const int64_t v = index[e] + (int64_t)(e % k) * stride;
    keys[e] = index[e] >= 0 && v < n ? (int32_t)v : n; /* n: none, after all others */
    values[e] = e / k;
}

/* starts[v] = number of keys below v */
static __global__ void inverse_starts_grid(int32_t *starts, const int32_t *keys, int count, int n)
{
    const int64_t v = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (v > n) return;
    int lo = 0, hi = count;
    while (lo < hi) {
        const int middle = lo + (hi - lo) / 2;
        if (keys[middle] < v)
            lo = middle + 1;
        else
            hi = middle;
    }
    starts[v] = lo;
}

/* Scratch: keys, sorted keys, values, then what CUB wants, each at a multiple of 256 bytes. */
static size_t array_of(int64_t count) { return ag__cuda_padded((size_t)count * sizeof(int32_t)); }

static size_t sort_bytes(int64_t count)
{
    size_t bytes = 0;
    ag__cuda_keep(cub::DeviceRadixSort::SortPairs(
        nullptr, bytes, (const int32_t *)nullptr, (int32_t *)nullptr, (const int32_t *)nullptr,
        (int32_t *)nullptr, (int)count, 0, 31, (cudaStream_t)ag__cuda_stream()));
    return bytes;
}

extern "C" int64_t ag__device_invert_scratch(int64_t count)
{
    if (count == 0) return 0;
    const size_t bytes = 255 + 3 * array_of(count) + sort_bytes(count);
    return (int64_t)((bytes + sizeof(ag_real) - 1) / sizeof(ag_real));
}

extern "C" void ag__device_invert(int32_t *starts, int32_t *order, const int32_t *index, int m,
                                  int k, int n, int stride, ag_real *scratch)
{
    const int count = m * k;
    int bits = 1;
    while (bits < 31 && n >> bits) bits++;
    if (count == 0) {
        ag__device_fill(starts, 0, ((size_t)n + 1) * sizeof *starts);
        return;
    }
    const size_t array = array_of(count);
    size_t bytes = sort_bytes(count);
    char *all = (char *)ag__cuda_padded((size_t)scratch);
    int32_t *keys = (int32_t *)(void *)all, *sorted = (int32_t *)(void *)(all + array),
            *values = (int32_t *)(void *)(all + 2 * array);
    AG__START(inverse_keys, (unsigned)((count + 255) / 256), 256, keys, values, index, count, k, n,
              stride);
    ag__cuda_keep(cub::DeviceRadixSort::SortPairs(all + 3 * array, bytes, keys, sorted, values,
                                                  order, count, 0, bits,
                                                  (cudaStream_t)ag__cuda_stream()));
    AG__START(inverse_starts, (unsigned)(n / 256 + 1), 256, starts, sorted, count, n);
}
