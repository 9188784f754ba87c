/* SPDX-License-Identifier: MIT */
/* Gradient norm and AdamW over the flat arrays of a block of parameters. */
#include "core/adamw.h"
#include "core/cuda/inside.h"

enum { PIECES = 256, THREADS = 256, LINE = 16 };

static unsigned blocks_of(int64_t n) { return (unsigned)((n + THREADS - 1) / THREADS); }

/* Block b sums piece b: each thread its share in order, then the shares in a fixed tree. */
static __global__ void gradient_norm_grid(double *to, const ag_real *x, int64_t n)
{
    __shared__ double part[THREADS];
    const int me = (int)threadIdx.x;
    const int64_t lo = blockIdx.x * n / PIECES, hi = (blockIdx.x + 1) * n / PIECES;
    double sum = 0;
    for (int64_t i = lo + me; i < hi; i += THREADS) {
        const double value = (double)x[i];
        sum += value * value;
    }
    part[me] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half; half /= 2) {
        if (me < half) part[me] += part[me + half];
        __syncthreads();
    }
    if (me == 0) to[blockIdx.x] = part[0];
}

extern "C" double ag__device_sum_squares(const ag_real *x, int64_t n)
{
    double sums[PIECES] = {0}, total = 0;
    ag__cuda_device *d = ag__cuda_here();
    const std::lock_guard<std::recursive_mutex> held(d->lock);
    AG__START(gradient_norm, PIECES, THREADS, (double *)(void *)ag__cuda_small(), x, n);
    ag__device_download(sums, ag__cuda_small(), sizeof sums);
    for (int i = 0; i < PIECES; i++) total += sums[i];
    return total;
}

static __global__ void gradient_scale_grid(ag_real *x, int64_t n, ag_real factor)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}

extern "C" void ag__device_scale(ag_real *x, int64_t n, ag_real factor)
{
    if (n) AG__START(gradient_scale, blocks_of(n), THREADS, x, n, factor);
}

static __global__ void adamw_grid(ag_real *w, ag_real *m, ag_real *v, const ag_real *g,
                                  const int8_t *decays, int64_t n, const ag__adamw u)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    ag_real value = w[i], mean = m[i], square = v[i];
    ag__adamw_element(&value, &mean, &square, g[i], decays[i / LINE] ? u : ag__adamw_plain(u));
    w[i] = value;
    m[i] = mean;
    v[i] = square;
}

extern "C" void ag__device_adamw(ag_real *w, ag_real *m, ag_real *v, const ag_real *g,
                                 const int8_t *decays, int64_t n, const ag__adamw *u)
{
    if (n) AG__START(adamw, blocks_of(n), THREADS, w, m, v, g, decays, n, *u);
}
