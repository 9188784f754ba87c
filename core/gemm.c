/* SPDX-License-Identifier: MIT */
#include "core/gemm.h"
#include "core/blocks.h"
#include "core/cuda/device.h"
#include "core/panels.h"
#include "core/parallel.h"

#include <string.h>

/* A long inner sum with a small result is cut in pieces, which are added in order. */
enum { LONG = 2048, PIECES = 16, SMALL = 1 << 18 };

static int pieces_of(int ta, int m, int n, int k)
{
    return ta && k >= LONG && (int64_t)m * n <= SMALL && k >= 2 * (m > n ? m : n) ? PIECES : 1;
}

/* Many rows share op(B), packed beforehand by all threads; few rows have ways of their own. With A
   transposed each block of the result packs what it wants. */
enum { TALL = 256, TURNED_WIDE = 512 };

static int turns(int ta, int tb, int m) { return !ta && tb && m <= AG_FEW_ROWS; }
static int few(int ta, int tb, int m) { return !ta && !tb && m <= AG_FEW_ROWS; }
static int packs(int ta, int m) { return !ta && m > AG_FEW_ROWS; }

int64_t ag__gemm_scratch(ag_device device, int ta, int tb, int m, int n, int k)
{
    const int pieces = pieces_of(ta, m, n, k);
    if (device == AG_CUDA) return 0;
    if (pieces > 1) return (int64_t)pieces * m * n;
    if (turns(ta, tb, m)) return ag__panels_size(m, k);
    if (few(ta, tb, m)) return ag__few_size(m, n, k);
    return packs(ta, m) ? ag__panels_size(n, k) : 0;
}

typedef struct task {
    ag_product p;
    ag_real *scratch;
    int pieces, rows, panels, across; /* of a block; blocks side by side */
} task;

/* ---- pieces of the inner sum ---- */

static void piece(void *context, int64_t i, int thread)
{
    const task *t = context;
    const int64_t lo = i * t->p.k / t->pieces, hi = (i + 1) * t->p.k / t->pieces;
    ag_product p = t->p;
    (void)thread;
    p.a += lo * p.a_row;
    p.b += p.tb ? lo : lo * p.b_row;
    p.c = t->scratch + i * p.m * p.n;
    p.k = (int)(hi - lo);
    p.add = 0;
    ag__product_alone(&p, 0, p.m, 0, ag__panels_of(p.n));
}

enum { SUM_BLOCK = 4096 };

static void add_pieces(void *context, int64_t block, int thread)
{
    const task *t = context;
    const int64_t n = (int64_t)t->p.m * t->p.n, lo = block * SUM_BLOCK, end = lo + SUM_BLOCK,
                  hi = end < n ? end : n;
    (void)thread;
    for (int p = 0; p < t->pieces; p++) {
        const ag_real *from = t->scratch + p * n;
        if (p == 0 && !t->p.add)
            memcpy(t->p.c + lo, from + lo, (size_t)(hi - lo) * sizeof *from);
        else
            for (int64_t i = lo; i < hi; i++) t->p.c[i] += from[i];
    }
}

/* ---- blocks of the result ---- */

static void block_of(void *context, int64_t block, int thread)
{
    const task *t = context;
    const int lo = (int)(block / t->across) * t->rows, q = (int)(block % t->across) * t->panels,
              hi = ag__least(t->p.m, (int64_t)lo + t->rows),
              last = ag__least(ag__panels_of(t->p.n), q + t->panels);
    (void)thread;
    if (t->scratch)
        ag__product_packed(&t->p, t->scratch, lo, hi, q, last);
    else
        ag__product_alone(&t->p, lo, hi, q, last);
}

/* Rows of a block: without ta, an even number of blocks of nearly equal height. */
static int rows_of(const ag_product *p)
{
    return p->ta ? TALL : ag__up(p->m, 2 * ag__up(p->m, 2 * TALL));
}

static void run_blocks(task *t)
{
    const ag_product *p = &t->p;
    t->rows = rows_of(p);
    t->panels = ag__panels_of(p->ta ? TURNED_WIDE : p->n);
    t->across = ag__up(ag__panels_of(p->n), t->panels);
    ag_parallel((int64_t)ag__up(p->m, t->rows) * t->across, block_of, t);
}

void ag__gemm(ag_device device, ag_real *c, const ag_real *a, const ag_real *b, int ta, int tb,
              int m, int n, int k, int add, ag_real *scratch)
{
    task t = {.p = {.c = c,
                    .a = a,
                    .b = b,
                    .c_row = n,
                    .a_row = ta ? m : k,
                    .b_row = tb ? k : n,
                    .ta = ta,
                    .tb = tb,
                    .m = m,
                    .n = n,
                    .k = k,
                    .add = add},
              .scratch = scratch,
              .pieces = pieces_of(ta, m, n, k)};
    if (m == 0 || n == 0) return;
    if (device == AG_CUDA) {
        ag__device_gemm(c, a, b, ta, tb, m, n, k, add);
        return;
    }
    if (t.pieces > 1) {
        ag_parallel(t.pieces, piece, &t);
        ag_parallel(((int64_t)m * n + SUM_BLOCK - 1) / SUM_BLOCK, add_pieces, &t);
        return;
    }
    if (turns(ta, tb, m)) {
        ag__product_turned(&t.p, scratch);
        return;
    }
    if (few(ta, tb, m)) {
        ag__product_few(&t.p, scratch);
        return;
    }
    if (packs(ta, m))
        ag__panels_pack(scratch, b, tb, n, k);
    else
        t.scratch = NULL;
    run_blocks(&t);
}

void ag__gemm_part(ag_real *c, const ag_real *a, const ag_real *b, int ta, int tb, int m, int n,
                   int k, int64_t ldc, int64_t lda, int64_t ldb, int add)
{
    const ag_product p = {.c = c,
                          .a = a,
                          .b = b,
                          .c_row = ldc,
                          .a_row = lda,
                          .b_row = ldb,
                          .ta = ta,
                          .tb = tb,
                          .m = m,
                          .n = n,
                          .k = k,
                          .add = add};
    if (m && n) ag__product_alone(&p, 0, m, 0, ag__panels_of(n));
}
