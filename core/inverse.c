/* SPDX-License-Identifier: MIT */
#include "core/inverse.h"
#include "core/cuda/device.h"

#include <string.h>

static int64_t destination(int32_t index, int j, int n, int stride)
{
    const int64_t v = index + (int64_t)j * stride;
    return index >= 0 && v < n ? v : -1;
}

int64_t ag__invert_scratch(ag_device device, int64_t count)
{
    return device == AG_CUDA ? ag__device_invert_scratch(count) : 0;
}

/* Counting sort: starts[v] first counts v, then is the end of its part, then moves to the front. */
void ag__invert(ag_device device, int32_t *starts, int32_t *order, const int32_t *index, int m,
                int k, int n, int stride, ag_real *scratch)
{
    if (device == AG_CUDA) {
        ag__device_invert(starts, order, index, m, k, n, stride, scratch);
        return;
    }
    memset(starts, 0, ((size_t)n + 1) * sizeof *starts);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < k; j++) {
            const int64_t v = destination(index[(int64_t)i * k + j], j, n, stride);
            if (v >= 0) starts[v]++;
        }
    for (int v = 1; v <= n; v++) starts[v] += starts[v - 1];
    for (int i = m - 1; i >= 0; i--)
        for (int j = k - 1; j >= 0; j--) {
            const int64_t v = destination(index[(int64_t)i * k + j], j, n, stride);
            if (v >= 0) order[--starts[v]] = i;
        }
}
