/* SPDX-License-Identifier: MIT */
/* The work and traffic of a kernel under its tiles, only from its features, and the roofline that
   is fitted to them. */
#include "examples/tpu/baseline/roofline.h"
#include "core/random.h"
#include "examples/harness/harness.h"

#include <math.h>

/* Bytes of the operands of a product that are read beyond the first time, where the result has so
   many parts along each axis. */
static double read_again(const tpu_hlo *h, int u, const double parts[TPUGRAPHS_AXES], double tiles)
{
    const tpugraphs_operation *o = &h->operation[u];
    const int conv = o->kind == TPUGRAPHS_CONVOLUTION;
    if (!conv && (o->opcode != TPUGRAPHS_DOT || o->rank < 2 || !o->operands)) return 0;
    const double left = parts[conv ? o->conv.out_feature : o->rank - 1];
    const double right = conv ? tiles / left : parts[o->rank - 2];
    return tpu_hlo_bytes(h, o->operand[0]) * (left - 1) +
           tpu_hlo_bytes(h, o->operand[1]) * (right - 1);
}

/* Adds what a tile changes. A bound is 0 where the axis is not there; a tile without bounds of the
   reduction does not block it. */
static void cut(tpu_load *load, const tpu_hlo *h, int reduction, const float *tile)
{
    const int *size = h->operation[h->root].size;
    double parts[TPUGRAPHS_AXES], tiles = 1, block = 0;
    for (int a = 0; a < TPUGRAPHS_AXES; a++) {
        const double bound = (double)tile[8 + a];
        parts[a] = bound >= 1 && bound < size[a] ? ceil(size[a] / bound) : 1;
        tiles *= parts[a];
        if (tile[a] >= 1) block = fmax(1, block) * (double)tile[a];
    }
    load->steps = tiles;
    if (reduction < 0) return;
    if (block >= 1) load->steps *= fmax(1, ceil(tpu_hlo_taken_in(h, reduction) / block));
    if (tpu_hlo_elements(h, reduction) == tpu_hlo_elements(h, h->root) &&
        h->operation[reduction].rank == h->operation[h->root].rank)
        load->bytes += read_again(h, reduction, parts, tiles);
}

void tpu_loads(tpu_load *load, const tpu_kernel *k)
{
    tpu_hlo h = {0};
    tpu_static s;
    int reduction = -1;
    tpu_analyse(&s, k);
    tpu_hlo_open(&h, k);
    for (int u = 0; u < k->nodes; u++)
        if (tpu_hlo_taken_in(&h, u) > 1) reduction = u;
    for (int c = 0; c < k->configs; c++) {
        load[c] = (tpu_load){s.flops, s.special, s.read + s.written, 1, s.type};
        if (k->tile) cut(&load[c], &h, reduction, k->tile + (size_t)c * TPUGRAPHS_TILE_FEATURES);
    }
    tpu_hlo_close(&h);
}

double tpu_roofline_time(const tpu_roofline *r, const tpu_load *k)
{
    const double transfer = k->bytes / r->bandwidth;
    const double computing = k->flops / r->peak + k->special / r->special;
    return r->scale[k->type] * fmax(transfer, computing) + r->overhead * k->steps;
}

enum { COEFFICIENTS = 4, MOST = 4096 /* configurations of tiles that are read */ };

typedef struct rows {
    tpu_load *load;
    double *measured, *ratio; /* measured: ns */
    int *first;               /* [kernels + 1] of a kernel */
    int kernels, n;
} rows;

/* The scale s with the least sum of |s / ratio - 1|: the median of the ratios, each of weight
   1 / ratio. */
static double best_scale(double *ratio, int n)
{
    double all = 0, sum = 0;
    int i = 0;
    harness_sort(ratio, n);
    for (int k = 0; k < n; k++) all += 1 / ratio[k];
    while (i < n - 1 && (sum += 1 / ratio[i]) < all / 2) i++;
    return ratio[i];
}

/* The time that a type's kernels take beyond the overhead, relative to the roofline; 0: no kernel
   determines it. */
static void scale_type(tpu_roofline *r, const rows *all, tpu_type type)
{
    int n = 0;
    r->scale[type] = 1;
    for (int i = 0; i < all->n; i++) {
        if (all->load[i].type != type) continue;
        const double modelled = tpu_roofline_time(r, &all->load[i]) - r->overhead;
        const double left = fmax(0.01 * all->measured[i], all->measured[i] - r->overhead);
        if (modelled > 0) all->ratio[n++] = left / modelled;
    }
    r->scale[type] = n ? best_scale(all->ratio, n) : 0;
}

static double percentage(const tpu_roofline *r, const rows *all)
{
    double sum = 0;
    for (int i = 0; i < all->n; i++)
        sum += fabs(tpu_roofline_time(r, &all->load[i]) / all->measured[i] - 1);
    return sum / all->n;
}

/* Of ln(time) within kernels: a factor per kernel is free, and all kernels count alike. */
static double deviation(const tpu_roofline *r, const rows *all)
{
    double sum = 0;
    for (int k = 0; k < all->kernels; k++) {
        double mean = 0, square = 0;
        const int n = all->first[k + 1] - all->first[k];
        for (int i = all->first[k]; i < all->first[k + 1]; i++) {
            const double off = log(tpu_roofline_time(r, &all->load[i]) / all->measured[i]);
            mean += off / n;
            square += off * off / n;
        }
        sum += square - mean * mean;
    }
    return isfinite(sum) ? sqrt(fmax(0, sum / all->kernels)) : (double)INFINITY;
}

/* Sets scales and error. */
static double rate(tpu_roofline *r, const rows *all, tpu_task task)
{
    for (int t = 0; t < TPU_TYPES; t++)
        if (task == TPU_TILE)
            r->scale[t] = 1;
        else
            scale_type(r, all, (tpu_type)t);
    return r->error = task == TPU_TILE ? deviation(r, all) : percentage(r, all);
}

static double *coefficient(tpu_roofline *r, int i)
{
    return (double *[COEFFICIENTS]){&r->bandwidth, &r->peak, &r->special, &r->overhead}[i];
}

/* Multiplies or divides one coefficient at a time by steps that get smaller, until none helps.
   Source: pattern search, Hooke and Jeeves (1961), in the logarithms. */
static void descend(tpu_roofline *r, const rows *all, tpu_task task)
{
    enum { ROUNDS = 40 };
    static const double step[] = {64, 8, 3, 1.7, 1.3, 1.14, 1.06, 1.02};
    rate(r, all, task);
    for (size_t s = 0; s < sizeof step / sizeof *step; s++)
        for (int round = 0, moved = 1; moved && round < ROUNDS; round++) {
            moved = 0;
            for (int i = 0; i < 2 * COEFFICIENTS; i++) {
                const tpu_roofline old = *r;
                double *x = coefficient(r, i / 2);
                *x *= i % 2 ? 1 / step[s] : step[s];
                if (rate(r, all, task) < old.error * (1 - 1e-7) && *x > 1e-30 && *x < 1e30)
                    moved = 1;
                else
                    *r = old;
            }
        }
}

/* From guesses and from three points drawn around them. */
static tpu_roofline search(const rows *all, tpu_task task)
{
    enum { STARTS = 4 };
    const tpu_roofline guess = {.bandwidth = 4, .peak = 8, .special = 0.5, .overhead = 100};
    tpu_roofline best = guess;
    ag_random random = {0, 0x545055464954, 0};
    rate(&best, all, task);
    for (int start = 0; start < STARTS; start++) {
        tpu_roofline r = guess;
        for (int i = 0; i < COEFFICIENTS && start; i++)
            *coefficient(&r, i) *= exp(6 * (ag_random_uniform(&random) - 0.5));
        descend(&r, all, task);
        if (r.error < best.error) best = r;
    }
    return best;
}

/* Only products of scales and rates are determined. Therefore other kernels have scale 1 or, if
   there are none, the last type that has some; so do types without data. */
static void normalise(tpu_roofline *r)
{
    double scale = 0;
    for (int t = TPU_TYPES - 1; t >= 0 && scale == 0; t--) scale = r->scale[t];
    if (scale == 0) scale = 1;
    r->bandwidth /= scale;
    r->peak /= scale;
    r->special /= scale;
    for (int t = 0; t < TPU_TYPES; t++) r->scale[t] = r->scale[t] > 0 ? r->scale[t] / scale : 1;
}

/* Every n-th configuration of a kernel. */
static void add_kernel(rows *all, const tpu_kernel *k, int every)
{
    tpu_load *load = HARNESS_NEW(load, k->configs);
    tpu_loads(load, k);
    for (int c = 0; c < k->configs; c += every, all->n++) {
        all->load[all->n] = load[c];
        all->measured[all->n] = fmax(1, (double)k->runtime[c]);
    }
    all->first[++all->kernels] = all->n;
    harness_free(load);
}

void tpu_roofline_fit(tpu_roofline *r, const tpu_data *train)
{
    int64_t configs = 0;
    size_t room = 0;
    int every = 1;
    rows all = {0};
    for (int i = 0; i < train->kernels; i++)
        configs += tpu_kernel_teaches(&train->kernel[i]) ? train->kernel[i].configs : 0;
    if (train->task == TPU_TILE) every = (int)((configs - 1) / MOST) + 1;
    for (int i = 0; i < train->kernels; i++) room += (size_t)(train->kernel[i].configs / every + 1);
    all.load = HARNESS_NEW(all.load, room);
    all.measured = HARNESS_NEW(all.measured, 2 * room);
    all.ratio = all.measured + room;
    all.first = HARNESS_NEW(all.first, train->kernels + 1);
    for (int i = 0; i < train->kernels; i++)
        if (tpu_kernel_teaches(&train->kernel[i])) add_kernel(&all, &train->kernel[i], every);
    *r = search(&all, train->task);
    if (train->task == TPU_FUSION) normalise(r);
    harness_free(all.load);
    harness_free(all.measured);
    harness_free(all.first);
}
