/* SPDX-License-Identifier: MIT */
/* AdamW, SGD and sums of gradients over the flat arrays of a block of parameters, and moving
   averages. */
#include "core/update.h"
#include "core/cuda/inside.h"
#include "core/params.h"

enum { THREADS = 256, LINE = 16 };

/* Rounded, as if it had been stored. */
static __device__ ag_real scaled(ag_real g, const ag__clip_found *found, int clipped)
{
    return clipped ? __fmul_rn(g, found->factor) : g;
}

/* After a norm that was not finite nothing changes. */
static __global__ void adamw_grid(ag_real *w, ag_real *m, ag_real *v, const ag_real *g,
                                  const int8_t *decays, int64_t n, const ag__adamw u,
                                  const ag__clip_found *found, int clipped)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || found->refused) return;
    ag_real value = w[i], mean = m[i], square = v[i];
    ag__adamw_element(&value, &mean, &square, scaled(g[i], found, clipped), u, decays[i / LINE]);
    w[i] = value;
    m[i] = mean;
    v[i] = square;
}

extern "C" void ag__device_adamw(const ag_params *p, const void *numbers)
{
    const int64_t n = p->size;
    ag_real *w = p->there;
    if (n)
        AG__START(adamw, ag__blocks(n, THREADS), THREADS, w, w + 2 * n, w + 3 * n, w + n, p->decays,
                  n, *(const ag__adamw *)numbers, ag__clip_on_device(p->clip), p->clipped);
}

static __global__ void average_grid(ag_real *average, const ag_real *x, int64_t n, ag_real rate)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) average[i] = ag__averaged(average[i], x[i], rate);
}

extern "C" void ag__device_average(ag_real *average, const ag_real *x, int64_t n, ag_real rate)
{
    if (n) AG__START(average, ag__blocks(n, THREADS), THREADS, average, x, n, rate);
}

static __global__ void mean_grid(ag_real *to, const ag_real *x, int64_t n, ag_real parts)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = (to[i] + x[i]) / parts;
}

extern "C" void ag__device_mean(ag_real *to, const ag_real *x, int64_t n, ag_real parts)
{
    if (n) AG__START(mean, ag__blocks(n, THREADS), THREADS, to, x, n, parts);
}

static __global__ void sgd_grid(ag_real *w, ag_real *m, const ag_real *g, const int8_t *decays,
                                int64_t n, const ag__sgd u, const ag__clip_found *found,
                                int clipped)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || found->refused) return;
    ag_real value = w[i], mean = m[i];
    ag__sgd_element(&value, &mean, scaled(g[i], found, clipped), u, decays[i / LINE]);
    w[i] = value;
    m[i] = mean;
}

extern "C" void ag__device_sgd(const ag_params *p, const void *numbers)
{
    const int64_t n = p->size;
    ag_real *w = p->there;
    if (n)
        AG__START(sgd, ag__blocks(n, THREADS), THREADS, w, w + 2 * n, w + n, p->decays, n,
                  *(const ag__sgd *)numbers, ag__clip_on_device(p->clip), p->clipped);
}
