/* SPDX-License-Identifier: MIT */
/* Channel attention forward, in one kernel: x is read once, y and the hidden rows are written. */
#include "core/cuda/channel_parts.h"

extern "C" int ag__device_channel_fits(int f, int r)
{
    return f > 0 && r > 0 && r <= NARROW && warps_of(f) <= MOST_WARPS &&
           shared_bytes(f, 1) <= MOST_SHARED;
}

extern "C" int64_t ag__device_channel_scratch(int64_t rows, int f, int r)
{
    return blocks_of(rows, PIECES) * sums_size(f, r);
}

static __device__ void load_rows(float4 mine[4], ag_real *x, const channel &in, int apart,
                                 int64_t first, int whole, const place &p)
{
    UNROLL(4)
    for (int i = 0; i < 4; i++) {
        const int64_t r = first + p.row + 4 * i;
        mine[i] = load4(in.x + r * in.f, r < in.rows ? p.c : in.f, in.f, whole);
        *four(x + (p.row + 4 * i) * apart + p.c) = mine[i];
    }
}

/* h = relu(x w1' + b1) from the parts, for the block and for backward. */
static __device__ void squeeze(ag_real *h, ag_real *to, const ag_real *part, const channel &in,
                               int64_t first, const place &p)
{
    for (int e = p.thread; e < TALL * NARROW; e += p.threads) {
        const int64_t r = first + e / NARROW;
        const int k = e % NARROW;
        const ag_real v = k < in.r ? ag__squeezed(sum_of(part, e, p) + in.b1[k]) : 0;
        h[e / NARROW * HIDDEN + k] = v;
        if (k < in.r && r < in.rows) to[r * in.r + k] = v;
    }
}

static __device__ void open_gates(ag_real *y, float4 v[4], const float4 mine[4], float4 b,
                                  const channel &in, int64_t first, int whole, const place &p)
{
    UNROLL(4)
    for (int i = 0; i < 4; i++) {
        const int64_t r = first + p.row + 4 * i;
        v[i].x = ag__gated(mine[i].x, v[i].x + b.x);
        v[i].y = ag__gated(mine[i].y, v[i].y + b.y);
        v[i].z = ag__gated(mine[i].z, v[i].z + b.z);
        v[i].w = ag__gated(mine[i].w, v[i].w + b.w);
        store4(y + r * in.f, r < in.rows ? p.c : in.f, in.f, whole, v[i]);
    }
}

static __global__ void __launch_bounds__(256, 2)
    channel_forward_grid(ag_real *y, ag_real *h, const channel in, const int whole)
{
    AG__SHARED(ag_real, s);
    const place p = place_here();
    const room o = room_of(p.threads / 32);
    const float4 b = load4(in.b2, p.c, in.f, 0);
    int64_t lo, hi;
    load_weights(s, o, in, p);
    rows_here(&lo, &hi, in.rows);
    __syncthreads();
    for (int64_t first = lo; first < hi; first += TALL) {
        float4 mine[4], v[4];
        load_rows(mine, s + o.x, in, o.apart, first, whole, p);
        __syncwarp();
        narrow(s + o.part, s + o.x, s + o.w1, o.apart, p);
        __syncthreads();
        squeeze(s + o.h, h, s + o.part, in, first, p);
        __syncthreads();
        wide(v, s + o.h, s + o.w2, o.apart, p);
        open_gates(y, v, mine, b, in, first, whole, p);
    }
}

extern "C" void ag__device_channel_forward(ag_real *y, ag_real *h, const ag__channel *in)
{
    const int whole = in->f % 4 == 0 && is_whole(in->x) && is_whole(y);
    const size_t bytes = shared_bytes(in->f, 0);
    if (in->rows == 0) return;
    ag__cuda_share((const void *)channel_forward_grid, bytes);
    AG__START_SHARED(channel_forward, (unsigned)blocks_of(in->rows, BLOCKS), 32 * warps_of(in->f),
                     bytes, y, h, *in, whole);
}
