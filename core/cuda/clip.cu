/* SPDX-License-Identifier: MIT */
/* Norm of the gradients of a block and what follows from it, found on the device and kept there:
   AdamW reads it without the host. The host gets a copy in pinned memory. */
#include "core/cuda/inside.h"
#include "core/internal.h"
#include "core/cuda/launch.h"
#include "core/memory.h"

enum { PIECES = 256, THREADS = 256 };

struct ag__clip {
    ag__clip_found *there, *here;
    double *sums;
    cudaEvent_t copied;
};

/* ---- kernels ---- */

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

/* One block adds the pieces in order. A norm that is not finite stays, with the first gradient that
   is not, until the host has read it. */
static __global__ void gradient_clip_grid(ag__clip_found *to, const double *sums, const ag_real *x,
                                          int64_t n, double most, int64_t step)
{
    __shared__ double part[PIECES];
    __shared__ long long least[THREADS];
    const int me = (int)threadIdx.x;
    if (to->refused) return;
    part[me] = sums[me];
    __syncthreads();
    double total = 0;
    for (int i = 0; i < PIECES; i++) total += part[i];
    const double norm = sqrt(total), factor = most / (norm + 1e-6);
    const int refused = !isfinite(norm);
    long long at = INT64_MAX;
    for (int64_t i = me; refused && i < n && at == INT64_MAX; i += THREADS)
        if (!isfinite(x[i])) at = i;
    least[me] = at;
    __syncthreads();
    for (int half = THREADS / 2; half; half /= 2) {
        if (me < half && least[me + half] < least[me]) least[me] = least[me + half];
        __syncthreads();
    }
    if (me > 0) return;
    at = least[0];
    to->norm = norm;
    to->step = step;
    to->at = at == INT64_MAX ? -1 : at;
    to->value = at == INT64_MAX ? 0 : x[at];
    to->factor = factor < 1 ? (ag_real)factor : 1;
    to->refused = refused;
}

static __global__ void gradient_scale_grid(ag_real *x, int64_t n, const ag__clip_found *found)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && found->factor < 1) x[i] *= found->factor;
}

/* ---- what the host calls ---- */

extern "C" void ag__clip_free(ag__clip *clip)
{
    if (!clip) return;
    ag__device_give(clip->there); /* waits for the copy, too */
    if (clip->here) ag__cuda_keep(cudaFreeHost(clip->here));
    if (clip->copied) cudaEventDestroy(clip->copied);
    ag_free(clip);
}

extern "C" ag__clip *ag__clip_new(void)
{
    const size_t bytes = ag__cuda_padded(sizeof(ag__clip_found));
    ag__clip *clip = (ag__clip *)ag_alloc(sizeof *clip);
    if (!clip) return NULL;
    *clip = {};
    char *there = (char *)ag__device_take(bytes + PIECES * sizeof(double));
    clip->there = (ag__clip_found *)(void *)there;
    clip->sums = (double *)(void *)(there + bytes);
    if (there && cudaMallocHost(&clip->here, sizeof *clip->here) == cudaSuccess &&
        cudaEventCreateWithFlags(&clip->copied, cudaEventDisableTiming) == cudaSuccess) {
        ag__clip_forget(clip);
        return clip;
    }
    cudaGetLastError();
    ag__clip_free(clip);
    return NULL;
}

extern "C" void ag__clip_forget(ag__clip *clip)
{
    ag__device_fill(clip->there, 0, sizeof *clip->there);
}

extern "C" void ag__clip_measure(ag__clip *clip, const ag_real *x, int64_t n, double most,
                                 int64_t step)
{
    cudaStream_t stream = ag__cuda_here()->compute;
    AG__START(gradient_norm, PIECES, THREADS, clip->sums, x, n);
    AG__START(gradient_clip, 1, THREADS, clip->there, clip->sums, x, n, most, step);
    ag__cuda_keep(cudaMemcpyAsync(clip->here, clip->there, sizeof *clip->here,
                                  cudaMemcpyDeviceToHost, stream));
    ag__cuda_keep(cudaEventRecord(clip->copied, stream));
}

extern "C" void ag__clip_scale(const ag__clip *clip, ag_real *x, int64_t n)
{
    if (n) AG__START(gradient_scale, ag__blocks(n, THREADS), THREADS, x, n, clip->there);
}

extern "C" const ag__clip_found *ag__clip_on_device(const ag__clip *clip) { return clip->there; }

extern "C" const ag__clip_found *ag__clip_read(const ag__clip *clip, int wait)
{
    if (ag__cuda_done(clip->copied)) return clip->here;
    if (!wait || ag__cuda_keep(cudaEventSynchronize(clip->copied))) return NULL;
    return clip->here;
}
