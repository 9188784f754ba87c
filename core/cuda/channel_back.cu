/* SPDX-License-Identifier: MIT */
/* Channel attention backward, in one kernel: x and the gradient of y are read once, dx is written,
   and each block sums up gradients of the weights, which a second kernel adds in order. */
#include "core/cuda/channel_parts.h"

/* Gradients of y and of what the sigmoid reads, of which one is given; the hidden values. */
struct given {
    const ag_real *dy, *dv, *h;
};

/* Sums over the rows of a block: a lane has four hidden values by four features of dw1 and dw2'. */
struct sums {
    float4 w1[4], w2[4];
};

static __device__ void load_hidden(ag_real *to, const ag_real *h, const channel &in, int64_t first,
                                   const place &p)
{
    for (int e = p.thread; e < TALL * NARROW; e += p.threads) {
        const int64_t r = first + e / NARROW;
        const int k = e % NARROW;
        to[e / NARROW * HIDDEN + k] = k < in.r && r < in.rows ? h[r * in.r + k] : 0;
    }
}

/* d = the gradient of x as a factor of y, or nothing where dv is given; dv and x are kept. */
static __device__ void gates_back(float4 d[4], ag_real *s, const room &o, const given &g,
                                  const channel &in, int64_t first, int whole, const place &p)
{
    const float4 b = load4(in.b2, p.c, g.dy ? in.f : 0, 0);
    float4 b2 = *four(s + o.b2 + p.row * (o.apart - PAD) + p.c);
    if (g.dy) wide(d, s + o.h, s + o.w2, o.apart, p);
    UNROLL(4)
    for (int i = 0; i < 4; i++) {
        const int64_t r = first + p.row + 4 * i;
        const int c = r < in.rows ? p.c : in.f, to = (p.row + 4 * i) * o.apart + p.c;
        const float4 x = load4(in.x + r * in.f, c, in.f, whole),
                     from = load4((g.dy ? g.dy : g.dv) + r * in.f, c, in.f, whole);
        float4 dv = from;
        if (g.dy) {
            d[i].x = ag__gate_back(&dv.x, x.x, from.x, d[i].x + b.x);
            d[i].y = ag__gate_back(&dv.y, x.y, from.y, d[i].y + b.y);
            d[i].z = ag__gate_back(&dv.z, x.z, from.z, d[i].z + b.z);
            d[i].w = ag__gate_back(&dv.w, x.w, from.w, d[i].w + b.w);
        } else {
            d[i] = make_float4(0, 0, 0, 0);
        }
        *four(s + o.x + to) = x;
        *four(s + o.dv + to) = dv;
        add_times(&b2, 1, dv);
    }
    *four(s + o.b2 + p.row * (o.apart - PAD) + p.c) = b2;
}

/* dh = dv w2 from the parts; 0 where the hidden value is 0. A thread has one column. */
static __device__ void squeeze_back(ag_real *s, const room &o, const place &p)
{
    ag_real sum = s[o.b1 + p.thread];
    for (int e = p.thread; e < TALL * NARROW; e += p.threads) {
        const int at = e / NARROW * HIDDEN + e % NARROW;
        const ag_real dh = s[o.h + at] > 0 ? sum_of(s + o.part, e, p) : 0;
        s[o.dh + at] = dh;
        sum += dh;
    }
    s[o.b1 + p.thread] = sum;
}

/* dx = d + dh w1, or more. */
static __device__ void write_dx(ag_real *dx, const float4 d[4], const ag_real *s, const room &o,
                                const channel &in, int64_t first, int whole, int add,
                                const place &p)
{
    float4 v[4];
    wide(v, s + o.dh, s + o.w1, o.apart, p);
    UNROLL(4)
    for (int i = 0; i < 4; i++) {
        const int64_t r = first + p.row + 4 * i;
        const int c = r < in.rows ? p.c : in.f;
        add_times(&v[i], 1, d[i]);
        if (add) add_times(&v[i], 1, load4(dx + r * in.f, c, in.f, whole));
        store4(dx + r * in.f, c, in.f, whole, v[i]);
    }
}

/* Adds the rows of a tile to dw1 = dh' x and dw2' = h' dv. */
static __device__ void add_rows(sums *all, const ag_real *s, const room &o, const place &p)
{
    const int k = 4 * p.row;
    UNROLL(2)
    for (int i = 0; i < TALL; i++) {
        const float4 h = *four(s + o.h + i * HIDDEN + k), dh = *four(s + o.dh + i * HIDDEN + k),
                     x = *four(s + o.x + i * o.apart + p.c),
                     dv = *four(s + o.dv + i * o.apart + p.c);
        add_times(&all->w1[0], dh.x, x);
        add_times(&all->w1[1], dh.y, x);
        add_times(&all->w1[2], dh.z, x);
        add_times(&all->w1[3], dh.w, x);
        add_times(&all->w2[0], h.x, dv);
        add_times(&all->w2[1], h.y, dv);
        add_times(&all->w2[2], h.z, dv);
        add_times(&all->w2[3], h.w, dv);
    }
}

static __device__ void store_turned(ag_real *to, int k, int f, int r, float4 v, int c)
{
    if (c < f) to[(int64_t)c * r + k] = v.x;
    if (c + 1 < f) to[(int64_t)(c + 1) * r + k] = v.y;
    if (c + 2 < f) to[(int64_t)(c + 2) * r + k] = v.z;
    if (c + 3 < f) to[(int64_t)(c + 3) * r + k] = v.w;
}

/* db1 and db2 of this block, from the sums of its threads. */
static __device__ void write_biases(ag_real *b1, ag_real *b2, const ag_real *s, const room &o,
                                    const channel &in, const place &p)
{
    const int width = o.apart - PAD;
    for (int k = p.thread; k < in.r; k += p.threads) {
        ag_real sum = 0;
        for (int t = k; t < p.threads; t += NARROW) sum += s[o.b1 + t];
        b1[k] = sum;
    }
    for (int c = p.thread; c < in.f; c += p.threads) {
        ag_real sum = 0;
        for (int i = 0; i < 4; i++) sum += s[o.b2 + i * width + c];
        b2[c] = sum;
    }
}

/* dw1 [r,f], dw2 [f,r], db1, db2 of this block. */
static __device__ void write_sums(ag_real *to, const sums &all, const ag_real *s, const room &o,
                                  const channel &in, const place &p)
{
    const int f = in.f, r = in.r, k = 4 * p.row;
    ag_real *w2 = to + (int64_t)f * r, *b1 = w2 + (int64_t)f * r;
    UNROLL(4)
    for (int i = 0; i < 4; i++) {
        if (k + i >= r) continue;
        store4(to + (int64_t)(k + i) * f, p.c, f, 0, all.w1[i]);
        store_turned(w2, k + i, f, r, all.w2[i], p.c);
    }
    write_biases(b1, b1 + r, s, o, in, p);
}

static __global__ void __launch_bounds__(256, 2)
    channel_backward_grid(ag_real *dx, ag_real *to, const given g, const channel in,
                          const int whole, const int add)
{
    AG__SHARED(ag_real, s);
    const place p = place_here();
    const room o = room_of(p.threads / 32);
    sums all = {};
    int64_t lo, hi;
    load_weights(s, o, in, p);
    s[o.b1 + p.thread] = 0;
    *four(s + o.b2 + p.row * (o.apart - PAD) + p.c) = make_float4(0, 0, 0, 0);
    rows_here(&lo, &hi, in.rows);
    for (int64_t first = lo; first < hi; first += TALL) {
        float4 d[4];
        load_hidden(s + o.h, g.h, in, first, p);
        __syncthreads();
        gates_back(d, s, o, g, in, first, whole, p);
        __syncwarp();
        narrow(s + o.part, s + o.dv, s + o.w2, o.apart, p);
        __syncthreads();
        squeeze_back(s, o, p);
        __syncthreads();
        write_dx(dx, d, s, o, in, first, whole, add, p);
        add_rows(&all, s, o, p);
        __syncthreads(); /* the hidden rows of the next tile come */
    }
    __syncthreads();
    write_sums(to + blockIdx.x * sums_size(in.f, in.r), all, s, o, in, p);
}

extern "C" void ag__device_channel_backward(ag_real *dx, ag_real *scratch, const ag_real *dy,
                                            const ag_real *dv, const ag_real *h,
                                            const ag__channel *in, int add)
{
    const given g = {dy, dv, h};
    const int whole =
        in->f % 4 == 0 && is_whole(in->x) && is_whole(dy) && is_whole(dv) && is_whole(dx);
    const size_t bytes = shared_bytes(in->f, 1);
    ag__cuda_share((const void *)channel_backward_grid, bytes);
    AG__START_SHARED(channel_backward, (unsigned)blocks_of(in->rows, PIECES), 32 * warps_of(in->f),
                     bytes, dx, scratch, g, *in, whole, add);
}

/* ---- the sums of all blocks ---- */

enum { SIDE = 32, PARTS = 8 };

/* to[i] = the sum over the blocks of element i: eight parts, each in order, then those in order. */
static __global__ void channel_join_grid(ag_real *to, const ag_real *from, int64_t apart,
                                         int pieces, int n, int add)
{
    __shared__ ag_real part[PARTS][SIDE];
    const int lane = (int)threadIdx.x % SIDE, first = (int)threadIdx.x / SIDE;
    const int i = (int)blockIdx.x * SIDE + lane;
    ag_real sum = 0;
    for (int p = first; i < n && p < pieces; p += PARTS) sum += from[p * apart + i];
    part[first][lane] = sum;
    __syncthreads();
    if (first || i >= n) return;
    for (int p = 1; p < PARTS; p++) sum += part[p][lane];
    to[i] = add ? to[i] + sum : sum;
}

extern "C" void ag__device_channel_weight(ag_real *to, const ag_real *scratch, int which,
                                          int64_t rows, int f, int r, int add)
{
    const int fr = f * r, n = which == 1 || which == 3 ? fr : which == 2 ? r : f;
    const int at = which == 1 ? 0 : which == 3 ? fr : which == 2 ? 2 * fr : 2 * fr + r;
    AG__START(channel_join, ag__blocks(n, SIDE), SIDE * PARTS, to, scratch + at, sums_size(f, r),
              blocks_of(rows, PIECES), n, add);
}
