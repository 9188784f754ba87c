/* SPDX-License-Identifier: MIT */
/* The parts that the forward and the backward kernel of channel attention share. Channel attention
   is y = x sigmoid(relu(x w1' + b1) w2' + b2). A block keeps both weights in shared memory and goes
   through tiles of 16 rows; a warp has 32 of the features. A narrow product is summed over the
   features of a warp, then over the warps in order. */
#ifndef AG_CORE_CUDA_CHANNEL_PARTS_H
#define AG_CORE_CUDA_CHANNEL_PARTS_H

#include "core/channel.h"
#include "core/cuda/inside.h"
#include "core/cuda/launch.h"

#ifdef AG_CUDA_ON_HOST
# define UNROLL(n)
#else
# define AG__PRAGMA(x) _Pragma(# x)
# define UNROLL(n)     AG__PRAGMA(unroll n)
#endif

typedef ag__channel channel;

enum { WIDTH = 32, TALL = 16, NARROW = 16 }; /* features of a warp; rows and hidden values */
enum { PAD = 4 }; /* elements after a row: four or eight rows are then in different banks */
enum { HIDDEN = NARROW + PAD };
enum { MOST_SHARED = 96 << 10, MOST_WARPS = 8 };

/* A block has ROWS rows, or more where ROWS would need more blocks than a GPU runs at a time
   (BLOCKS forward, PIECES backward). Each block sums its own gradients of the weights, so the
   number of blocks depends only on the shape. */
enum { ROWS = 64, BLOCKS = 792, PIECES = 528 };

/* ---- shapes ---- */

static inline int warps_of(int f) { return (f + WIDTH - 1) / WIDTH; }

static inline int blocks_of(int64_t rows, int most)
{
    const int64_t n = (rows + ROWS - 1) / ROWS;
    return n < 1 ? 1 : n < most ? (int)n : most;
}

/* dw1, dw2, db1, db2 of a block. */
static __host__ __device__ inline int64_t sums_size(int f, int r)
{
    return 2 * (int64_t)f * r + f + r;
}

/* Where each array begins in the shared memory of a block, in elements. Only backward has dv, dh
   and, for each thread, sums of the gradients of both biases. */
struct room {
    int apart; /* elements from row to row of x, w1, transposed w2, dv */
    int x, w1, w2, part, h, dv, dh, b1, b2, end;
};

static __host__ __device__ inline room room_of(int warps)
{
    room o;
    o.apart = warps * WIDTH + PAD;
    o.x = 0;
    o.w1 = o.x + TALL * o.apart;
    o.w2 = o.w1 + NARROW * o.apart;
    o.part = o.w2 + NARROW * o.apart;
    o.h = o.part + warps * TALL * NARROW;
    o.dv = o.h + TALL * HIDDEN;
    o.dh = o.dv + TALL * o.apart;
    o.b1 = o.dh + TALL * HIDDEN;
    o.b2 = o.b1 + warps * 32;
    o.end = o.b2 + 4 * warps * WIDTH;
    return o;
}

static inline size_t shared_bytes(int f, int backward)
{
    const room o = room_of(warps_of(f));
    return (size_t)(backward ? o.end : o.dv) * sizeof(ag_real);
}

/* ---- four values at a time ---- */

/* Features c..c+3 of a row of f; those beyond the end are 0. */
static __device__ inline float4 load4(const ag_real *row, int c, int f, int whole)
{
    if (c >= f) return make_float4(0, 0, 0, 0);
    if (whole) return *(const float4 *)(const void *)(row + c);
    return make_float4(row[c], c + 1 < f ? row[c + 1] : 0, c + 2 < f ? row[c + 2] : 0,
                       c + 3 < f ? row[c + 3] : 0);
}

static __device__ inline void store4(ag_real *row, int c, int f, int whole, float4 v)
{
    if (c >= f) return;
    if (whole) {
        *(float4 *)(void *)(row + c) = v;
        return;
    }
    row[c] = v.x;
    if (c + 1 < f) row[c + 1] = v.y;
    if (c + 2 < f) row[c + 2] = v.z;
    if (c + 3 < f) row[c + 3] = v.w;
}

static inline int is_whole(const void *p) { return (uintptr_t)p % sizeof(float4) == 0; }

static __device__ inline float4 *four(ag_real *p) { return (float4 *)(void *)p; }
static __device__ inline const float4 *four(const ag_real *p)
{
    return (const float4 *)(const void *)p;
}

static __device__ inline void add_times(float4 *sum, ag_real a, float4 v)
{
    sum->x += a * v.x;
    sum->y += a * v.y;
    sum->z += a * v.z;
    sum->w += a * v.w;
}

static __device__ inline ag_real add_dot(ag_real sum, float4 a, float4 b)
{
    sum += a.x * b.x;
    sum += a.y * b.y;
    sum += a.z * b.z;
    return sum + a.w * b.w;
}

/* ---- parts ---- */

/* The place of a thread: its warp has its own features, and a lane has four of these in each of the
   rows row, row + 4, row + 8 and row + 12. */
struct place {
    int thread, threads, warp, row, c;
};

static __device__ inline place place_here()
{
    place p;
    p.thread = (int)threadIdx.x;
    p.threads = (int)blockDim.x;
    p.warp = p.thread / 32;
    p.row = p.thread % 32 / 8;
    p.c = p.warp * WIDTH + p.thread % 8 * 4;
    return p;
}

/* Both weights as [NARROW, features of all warps], with zeros beyond r and f. */
static __device__ inline void load_weights(ag_real *s, const room &o, const channel &in,
                                           const place &p)
{
    const int width = o.apart - PAD;
    for (int e = p.thread; e < NARROW * width; e += p.threads) {
        const int k = e / width, j = e % width, inside = k < in.r && j < in.f;
        s[o.w1 + k * o.apart + j] = inside ? in.w1[(int64_t)k * in.f + j] : 0;
        s[o.w2 + k * o.apart + j] = inside ? in.w2[(int64_t)j * in.r + k] : 0;
    }
}

/* The warp's part of x w' [TALL,NARROW], over its features: a lane has four rows and two hidden
   values. */
static __device__ inline void narrow(ag_real *part, const ag_real *x, const ag_real *w, int apart,
                                     const place &p)
{
    const int k = p.thread % 8, first = p.warp * WIDTH;
    ag_real sum[4][2] = {};
    UNROLL(2)
    for (int j = 0; j < WIDTH; j += 4) {
        const float4 one = *four(w + k * apart + first + j),
                     other = *four(w + (k + 8) * apart + first + j);
        UNROLL(4)
        for (int i = 0; i < 4; i++) {
            const float4 v = *four(x + (p.row + 4 * i) * apart + first + j);
            sum[i][0] = add_dot(sum[i][0], v, one);
            sum[i][1] = add_dot(sum[i][1], v, other);
        }
    }
    ag_real *to = part + p.warp * TALL * NARROW + p.row * NARROW + k;
    UNROLL(4)
    for (int i = 0; i < 4; i++) {
        to[4 * i * NARROW] = sum[i][0];
        to[4 * i * NARROW + 8] = sum[i][1];
    }
}

/* Element e of [TALL,NARROW]: the sum of the parts of all warps. */
static __device__ inline ag_real sum_of(const ag_real *part, int e, const place &p)
{
    ag_real sum = part[e];
    for (int i = 1; i < p.threads / 32; i++) sum += part[i * TALL * NARROW + e];
    return sum;
}

/* sum = h w for this lane's rows and features. */
static __device__ inline void wide(float4 sum[4], const ag_real *h, const ag_real *w, int apart,
                                   const place &p)
{
    UNROLL(4)
    for (int i = 0; i < 4; i++) sum[i] = make_float4(0, 0, 0, 0);
    UNROLL(2)
    for (int k = 0; k < NARROW; k += 4) {
        const ag_real *row = w + k * apart + p.c;
        const float4 w0 = *four(row), w1 = *four(row + apart), w2 = *four(row + 2 * apart),
                     w3 = *four(row + 3 * apart);
        UNROLL(4)
        for (int i = 0; i < 4; i++) {
            const float4 v = *four(h + (p.row + 4 * i) * HIDDEN + k);
            add_times(&sum[i], v.x, w0);
            add_times(&sum[i], v.y, w1);
            add_times(&sum[i], v.z, w2);
            add_times(&sum[i], v.w, w3);
        }
    }
}

/* The rows of a block: whole tiles, the last of which may go beyond the end. */
static __device__ inline void rows_here(int64_t *lo, int64_t *hi, int64_t rows)
{
    const int64_t tiles = (rows + TALL - 1) / TALL;
    *lo = blockIdx.x * tiles / gridDim.x * TALL;
    *hi = (blockIdx.x + 1) * tiles / gridDim.x * TALL;
}

#endif
