/* SPDX-License-Identifier: MIT */
/* The largest scores of each segment: a block finds the key of the last score that stays, byte by
   byte from the top (as gnn/topk_cut.h), then numbers the rows that stay, in their order. */
#include "core/cuda/cub.h"

#include "core/cuda/inside.h"
#include "core/key.h"
#include "core/cuda/launch.h"

enum { THREADS = 256 };
typedef cub::BlockScan<int, THREADS> block_scan;

static __device__ void count_byte(int *count, const score_cut *c, const ag_real *score, int n,
                                  int shift)
{
    const int me = (int)threadIdx.x;
    count[me] = 0;
    __syncthreads();
    for (int v = me; v < n; v += THREADS) {
        const score_key key = key_of(score[v]);
        if ((key & c->mask) == c->least) atomicAdd(&count[key >> shift & (KEY_BYTE - 1)], 1);
    }
    __syncthreads();
}

static __global__ void largest_grid(int32_t *place, int32_t *perm, const ag_real *score,
                                    const int32_t *starts, const int32_t *kept)
{
    __shared__ int count[KEY_BYTE], done;
    __shared__ score_cut c;
    __shared__ block_scan::TempStorage storage;
    const int g = (int)blockIdx.x, me = (int)threadIdx.x;
    const int first = starts[g], n = starts[g + 1] - first, k = kept[g + 1] - kept[g];
    if (me == 0) {
        c.least = c.mask = 0;
        c.ties = k;
        done = k >= n;
    }
    __syncthreads();
    for (int shift = KEY_BITS - 8; shift >= 0 && !done; shift -= 8) {
        count_byte(count, &c, score + first, n, shift);
        if (me == 0) done = cut_byte(&c, count, shift);
        __syncthreads();
    }
    int tied = 0, placed = kept[g]; /* of the nodes before these */
    for (int v = me; v - me < n; v += THREADS) {
        const score_key key = v < n ? key_of(score[first + v]) & c.mask : 0;
        const int ties = v < n && key == c.least;
        int before = 0, all = 0;
        block_scan(storage).ExclusiveSum(ties, before, all);
        __syncthreads(); /* the storage is used again */
        const int stays = v < n && (ties ? tied + before < c.ties : key > c.least);
        tied += all;
        block_scan(storage).ExclusiveSum(stays, before, all);
        __syncthreads();
        if (v < n) place[first + v] = stays ? placed + before : -1;
        if (stays) perm[placed + before] = first + v;
        placed += all;
    }
}

extern "C" void ag__device_largest(int32_t *place, int32_t *perm, const ag_real *score,
                                   const int32_t *starts, const int32_t *kept, int64_t segments)
{
    if (segments > 0)
        AG__START(largest, (unsigned)segments, THREADS, place, perm, score, starts, kept);
}
