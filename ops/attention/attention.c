/* SPDX-License-Identifier: MIT */
/* attention: every node attends to the nodes of its graph, head by head. A graph's scores are made
   block by block and never stored as a whole: backward makes them again from the logarithm of each
   row's sum (Dao et al. 2022). So a graph of n nodes needs memory for n rows, not for n^2 scores,
   and nothing is padded. */
#include "ops/attention/attention.h"
#include "core/gemm.h"
#include "core/room.h"
#include "ops/ops.h"
#include "ops/table.h"

/* Most rows and columns of scores at a time, and about how many parts kernels launch. */
enum { BLOCK = 64, PARTS = 256 };
_Static_assert((int)AG_ROOM_OP >= 2 * BLOCK * BLOCK, "a thread's room holds two blocks of scores");

/* One head of one graph. */
typedef struct head {
    int first, rows,
        block; /* the graph's rows; how many of them in a block, the last may be less */
    int h, d;
    int64_t wide, narrow; /* elements of a row of qkv and of y */
    ag_real scale;
} head;

/* Blocks of equal size: a graph of 65 nodes has 33 and 32, not 64 and 1. */
static int block_of(int rows)
{
    const int blocks = (rows + BLOCK - 1) / BLOCK;
    return blocks ? (rows + blocks - 1) / blocks : 1;
}

/* Unit u is head u % heads of graph u / heads. */
static head head_of(const ag_args *a, int64_t u)
{
    const int heads = a->attr.i[0], width = ag__columns(a->ys[0]), d = width / heads;
    const row_cut graphs = graphs_of(a);
    const int first = cut_start(graphs, u / heads), rows = cut_start(graphs, u / heads + 1) - first;
    return (head){.first = first,
                  .rows = rows > 0 ? rows : 0,
                  .block = block_of(rows > 0 ? rows : 0),
                  .h = (int)(u % heads),
                  .d = d,
                  .wide = 3 * (int64_t)width,
                  .narrow = width,
                  .scale = 1 / v_sqrt((ag_real)(d ? d : 1))};
}

static int block_rows(const head *w, int row)
{
    return w->rows - row < w->block ? w->rows - row : w->block;
}

/* Where the head's part of a row starts: in qkv, and in y. */
enum { QUERY, KEY, VALUE };
static int64_t in_qkv(const head *w, int part, int row)
{
    return (w->first + row) * w->wide + part * w->narrow + w->h * w->d;
}
static int64_t in_y(const head *w, int row) { return (w->first + row) * w->narrow + w->h * w->d; }

/* s [m, n] = x y', x [m, d] and y [n, d]. */
static void outer(ag_real *s, const ag_real *x, const ag_real *y, int m, int n, int d,
                  int64_t x_row, int64_t y_row)
{
    ag__gemm_part(s, x, y, 0, 1, m, n, d, BLOCK, x_row, y_row, 0);
}

/* ---- dropout of weights ---- */

/* The factors of the weights of keys k..k+n-1 in row `row`; returns 0, and writes none, without
   dropout. */
static int drops(ag_real factor[BLOCK], const ag_args *a, const head *w, int row, int k, int n)
{
    if (!(a->attr.f[0] > 0)) return 0;
    const int64_t e = weight_number(a, w->first + row, w->h, k);
    for (int i = 0; i < n;) {
        ag_real block[128];
        const int skip = (int)((e + i) % 128);
        dropout_factors(block, a, (uint64_t)((e + i) / 128));
        for (int j = skip; j < 128 && i < n; j++) factor[i++] = block[j];
    }
    return 1;
}

static void multiply(ag_real *__restrict__ x, const ag_real *__restrict__ factor, int n)
{
    for (int i = 0; i < n; i++) x[i] *= factor[i];
}

/* ---- forward ---- */

/* The rows q..q+m-1 of y take up the values of keys k..k+n-1. */
static void attend(const ag_args *a, const head *w, row_sum *sums, int q, int m, int k, int n)
{
    ag_real *s = ag__room()->op, *y = Y(0) + in_y(w, q);
    outer(s, X(0) + in_qkv(w, QUERY, q), X(0) + in_qkv(w, KEY, k), m, n, w->d, w->wide, w->wide);
    for (int r = 0; r < m; r++) {
        ag_real factor[BLOCK];
        const ag_real shrink = weigh_row(s + r * BLOCK, &sums[r], w->scale, n);
        if (drops(factor, a, w, q + r, k, n)) multiply(s + r * BLOCK, factor, n);
        for (int i = 0; i < w->d && k > 0; i++) y[r * w->narrow + i] *= shrink;
    }
    ag__gemm_part(y, s, X(0) + in_qkv(w, VALUE, k), 0, 0, m, w->d, n, w->narrow, BLOCK, w->wide,
                  k > 0);
}

static void forward_head(const ag_args *a, const head *w)
{
    for (int q = 0; q < w->rows; q += w->block) {
        const int m = block_rows(w, q);
        row_sum sums[BLOCK];
        for (int r = 0; r < m; r++) sums[r] = (row_sum){(ag_real)-INFINITY, 0};
        for (int k = 0; k < w->rows; k += w->block) attend(a, w, sums, q, m, k, block_rows(w, k));
        for (int r = 0; r < m; r++) {
            ag_real *y = Y(0) + in_y(w, q + r);
            for (int i = 0; i < w->d; i++) y[i] /= sums[r].total;
            Y(1)
            [(int64_t)(w->first + q + r) * a->attr.i[0] + w->h] =
                sums[r].most + v_log(sums[r].total);
        }
    }
}

static int64_t attention_units(const ag_args *a) { return graphs_of(a).segments * a->attr.i[0]; }
static int64_t attention_grain(const ag_args *a) { return 1 + attention_units(a) / PARTS; }

static void forward_units(const ag_args *a, int64_t lo, int64_t hi)
{
    for (int64_t u = lo; u < hi; u++) {
        const head w = head_of(a, u);
        forward_head(a, &w);
    }
}
static const ag_kernel attention_forward = {.name = "attention_forward",
                                            .count = attention_units,
                                            .range = forward_units,
                                            .grain = attention_grain};

/* ---- backward ---- */

/* The terms between queries q..q+m-1 and keys k..k+n-1: with P the weights and S the
   products, dV += P' dY, dP = dY V', dS as in weight_gradient, dQ += dS K, dK += dS' Q. Dropout
   multiplies dP, and P where it meets dY. */
static void attend_back(const ag_args *a, const head *w, int q, int m, int k, int n)
{
    const int heads = a->attr.i[0], old = a->add;
    const ag_real *query = X(0) + in_qkv(w, QUERY, q), *key = X(0) + in_qkv(w, KEY, k);
    const ag_real *dy = DY(0) + in_y(w, q);
    ag_real *p = ag__room()->op, *ds = p + BLOCK * BLOCK;
    outer(p, query, key, m, n, w->d, w->wide, w->wide);
    outer(ds, dy, X(0) + in_qkv(w, VALUE, k), m, n, w->d, w->narrow, w->wide);
    for (int r = 0; r < m; r++) {
        const int64_t at = (int64_t)(w->first + q + r) * heads + w->h;
        ag_real factor[BLOCK];
        const int drop = drops(factor, a, w, q + r, k, n);
        if (drop) multiply(ds + r * BLOCK, factor, n);
        weight_gradient(p + r * BLOCK, ds + r * BLOCK, ((const ag_real *)a->y[1])[at],
                        a->scratch[at], w->scale, n);
        if (drop) multiply(p + r * BLOCK, factor, n);
    }
    ag__gemm_part(DX + in_qkv(w, VALUE, k), p, dy, 1, 0, n, w->d, m, w->wide, BLOCK, w->narrow,
                  old || q > 0);
    ag__gemm_part(DX + in_qkv(w, QUERY, q), ds, key, 0, 0, m, w->d, n, w->wide, BLOCK, w->wide,
                  old || k > 0);
    ag__gemm_part(DX + in_qkv(w, KEY, k), ds, query, 1, 0, n, w->d, m, w->wide, BLOCK, w->wide,
                  old || q > 0);
}

static void backward_units(const ag_args *a, int64_t lo, int64_t hi)
{
    for (int64_t u = lo; u < hi; u++) {
        const head w = head_of(a, u);
        for (int q = 0; q < w.rows; q += w.block)
            for (int k = 0; k < w.rows; k += w.block)
                attend_back(a, &w, q, block_rows(&w, q), k, block_rows(&w, k));
    }
}
static const ag_kernel attention_backward = {.name = "attention_backward",
                                             .count = attention_units,
                                             .range = backward_units,
                                             .grain = attention_grain};

static int64_t attention_scratch(const ag_args *a, int backward)
{
    return backward ? (int64_t)a->xs[0].size[0] * a->attr.i[0] : 0;
}

/* ---- the op ---- */

static int attention_shape(ag_call *call)
{
    const ag_shape x = call->xs[0], starts = call->xs[1];
    const int heads = call->attr.i[0], width = x.rank == 2 ? x.size[1] / 3 : 0;
    if (x.rank != 2 || starts.rank != 1 || starts.size[0] < 1)
        return ag__reject_input(call, x.rank != 2 ? 0 : 1,
                                "qkv needs axes of rows and features, starts one element more than "
                                "there are graphs");
    if (heads < 1)
        return ag__reject(call, "there are %d heads, but there must be 1 or more", heads);
    if (x.size[1] % 3 || width % heads)
        return ag__reject_input(call, 0,
                                "%d features do not split into query, key and value of %d head%s",
                                x.size[1], heads, heads == 1 ? "" : "s");
    if (starts.size[0] < 2 && x.size[0] > 0)
        return ag__reject_input(call, 1, "there are %d rows, but no graph", x.size[0]);
    if (!(call->attr.f[0] >= 0 && call->attr.f[0] <= 1 - 1.0 / 65536))
        return ag__reject(call, "dropout is %g, but must be at least 0 and at most 1 - 2^-16",
                          call->attr.f[0]);
    call->ys[0] = (ag_shape){2, {x.size[0], width}};
    call->ys[1] = (ag_shape){2, {x.size[0], heads}};
    return 0;
}

static const int32_t pair[] = {0, 2}, mixed[] = {0, 0, 1, 3, 3, 9}, nothing[] = {0, 0, 0},
                     tall[] = {0, 33, 164}, no_graph[] = {0};
#define CASE(n, features, count, heads, starts, p)                                     \
 {                                                                                     \
  .x = {{2, {n, features}}, {1, {count}}}, .attr = {.i = {heads}, .f = {p}}, .ints = { \
      NULL,                                                                            \
      starts                                                                           \
  }                                                                                    \
 }
#define CASES(p)                                                                                \
 CASE(2, 3, 2, 1, pair, p), CASE(9, 12, 6, 2, mixed, p), CASE(9, 18, 6, 1, mixed, p),           \
     CASE(0, 12, 3, 2, nothing, p), CASE(0, 12, 1, 2, no_graph, p), CASE(9, 0, 6, 2, mixed, p), \
     CASE(164, 6, 3, 2, tall, p), CASE(9, 198, 6, 2, mixed, p), CASE(2, 3075, 2, 1, pair, p)
static const ag_case cases[] = {CASES(0)}, dropout_cases[] = {CASES(0.3)};

static const ag_kernels cuda = {
    .forward = {&attention_row_kernel},
    .prepare = {&attention_dots_kernel},
    .backward = {&attention_row_back_kernel},
    .scratch = attention_scratch,
};
static const ag_kernels dropout_cuda = {
    .forward = {&attention_dropout_row_kernel},
    .prepare = {&attention_dots_kernel},
    .backward = {&attention_dropout_row_back_kernel},
    .scratch = attention_scratch,
};

#define ATTENTION(NAME, FORMULA, RANDOM, CUDA, CASE_LIST)                                         \
 {                                                                                                \
  .name = NAME, .formula = FORMULA, .inputs = "qkv starts", .ints = SAVE_X(1), .outputs = 2,      \
  .shape = attention_shape, .forward = {&attention_forward}, .prepare = {&attention_dots_kernel}, \
  .backward = {&attention_backward}, .saves = SAVE_X(0) | SAVE_X(1) | SAVE_Y(0) | SAVE_Y(1),      \
  .scratch = attention_scratch, .cuda = &CUDA, .random = RANDOM, AG_CASES(CASE_LIST)              \
 }
static const ag_op attention = ATTENTION(
    "attention", "y = softmax(q k' / sqrt(d)) v within each graph, head by head", 0, cuda, cases);
static const ag_op attention_dropout =
    ATTENTION("attention_dropout",
              "y = dropout(softmax(q k' / sqrt(d)), f0) v within each graph, head by head", 1,
              dropout_cuda, dropout_cases);

const ag_op *const ag__ops_attention[] = {&attention, &attention_dropout, NULL};

ag_tensor *ag_attention(ag_tensor *qkv, ag_tensor *starts, int heads, ag_real dropout)
{
    const int drop = ag_is_training(ag_tape_of(qkv)) && dropout != 0;
    return ag__check_starts(
        ag__record2(drop ? &attention_dropout : &attention, qkv, starts,
                    &(ag_attr){.f = {drop ? (double)dropout : 0}, .i = {heads}}),
        1);
}
