/* SPDX-License-Identifier: MIT */
#include "core/gemm.h"
#include "core/parallel.h"

#include <string.h>

#if defined(AG_DOUBLE) || defined(AG_BUILTIN_GEMM)

/* The short loop of the oracle and of the thread sanitizer. */
static void product(ag_real *c, const ag_real *a, const ag_real *b, int ta, int tb, int m, int n,
                    int k, int64_t lda, int64_t ldb, int64_t ldc, int add)
{
    for (int i = 0; i < m; i++) {
        ag_real *row = c + i * ldc;
        if (!add) memset(row, 0, (size_t)n * sizeof *row);
        for (int p = 0; p < k; p++) {
            const ag_real v = ta ? a[p * lda + i] : a[i * lda + p];
            const ag_real *from = tb ? b + p : b + p * ldb;
            const int64_t stride = tb ? ldb : 1;
            for (int j = 0; j < n; j++) row[j] += v * from[j * stride];
        }
    }
}

#else

# include <dnnl.h>

static void product(ag_real *c, const ag_real *a, const ag_real *b, int ta, int tb, int m, int n,
                    int k, int64_t lda, int64_t ldb, int64_t ldc, int add)
{
    dnnl_sgemm(ta ? 'T' : 'N', tb ? 'T' : 'N', m, n, k, 1.0f, a, lda, b, ldb, add ? 1.0f : 0.0f, c,
               ldc);
}

#endif

enum { PIECES = 8, LONG = 2048, FEW = 128, WIDE = 512 };

/* A long inner sum with a small result is cut into pieces of k. */
static int pieces_of(int m, int n, int k)
{
    if (k < LONG || (int64_t)m * n > 1 << 20 || k < 2 * (m > n ? m : n)) return 1;
    return PIECES;
}

int64_t ag__gemm_scratch(int m, int n, int k)
{
    const int pieces = pieces_of(m, n, k);
    return pieces == 1 ? 0 : (int64_t)pieces * m * n;
}

/* Every thread wants a part, but a block has to repay the packing of B: about four million
   products, at least 512 rows of a tall matrix; a short one in halves. */
int ag__gemm_grain(int m, int n, int k)
{
    const int64_t weight = (int64_t)n * k, rows = weight ? (4 << 20) / weight : m;
    if (m <= 16) return 16;
    if (m <= 256) return (m + 1) / 2;
    if (weight >= 256 * 1024) { /* an even number of equal blocks of at most 2048 rows */
        const int blocks = 2 * ((m + 4095) / 4096);
        return (m + blocks - 1) / blocks;
    }
    if (m < 2048) return 256;
    if (weight <= 16 * 1024) { /* little to pack: a block of C that stays in the cache */
        const int few = n ? (32 << 10) / n : m;
        return few < 128 ? 128 : few > 512 ? 512 : few;
    }
    return rows < 512 ? 512 : rows > 2048 ? 2048 : (int)rows;
}

/* Few rows and a wide B: a block of columns packs its own part of B, a block of rows would pack all
   of it again. */
static int columns_of(int m, int n) { return m <= FEW && n >= 2 * WIDE ? WIDE : n; }

void ag__gemm_part(ag_real *c, const ag_real *a, const ag_real *b, int ta, int tb, int m, int n,
                   int k, int64_t ldc, int64_t lda, int64_t ldb, int add)
{
    if (m == 0 || n == 0 || (k == 0 && add)) return;
    if (k > 0) {
        product(c, a, b, ta, tb, m, n, k, lda, ldb, ldc, add);
        return;
    }
    for (int i = 0; i < m; i++) memset(c + i * ldc, 0, (size_t)n * sizeof *c);
}

void ag__gemm_rows(ag_real *c, const ag_real *a, const ag_real *b, int ta, int tb, int m, int n,
                   int k, int add, int64_t lo, int64_t hi)
{
    if (hi > lo)
        ag__gemm_part(c + lo * n, ta ? a + lo : a + lo * k, b, ta, tb, (int)(hi - lo), n, k, n,
                      ta ? m : k, tb ? k : n, add);
}

typedef struct task {
    ag_real *c, *scratch;
    const ag_real *a, *b;
    int ta, tb, m, n, k, add, grain, pieces;
} task;

static void row_block(void *context, int64_t block, int thread)
{
    const task *t = context;
    const int64_t lo = block * t->grain, hi = lo + t->grain;
    (void)thread;
    ag__gemm_rows(t->c, t->a, t->b, t->ta, t->tb, t->m, t->n, t->k, t->add, lo,
                  hi < t->m ? hi : t->m);
}

static void column_block(void *context, int64_t block, int thread)
{
    const task *t = context;
    const int lo = (int)block * WIDE, left = t->n - lo;
    (void)thread;
    product(t->c + lo, t->a, t->b + (t->tb ? (int64_t)lo * t->k : lo), t->ta, t->tb, t->m,
            left < WIDE ? left : WIDE, t->k, t->ta ? t->m : t->k, t->tb ? t->k : t->n, t->n,
            t->add);
}

static void piece(void *context, int64_t p, int thread)
{
    const task *t = context;
    const int64_t lo = p * t->k / t->pieces, hi = (p + 1) * t->k / t->pieces;
    (void)thread;
    product(t->scratch + p * t->m * t->n, t->ta ? t->a + lo * t->m : t->a + lo,
            t->tb ? t->b + lo : t->b + lo * t->n, t->ta, t->tb, t->m, t->n, (int)(hi - lo),
            t->ta ? t->m : t->k, t->tb ? t->k : t->n, t->n, 0);
}

enum { SUM_BLOCK = 4096 };

static void add_pieces(void *context, int64_t block, int thread)
{
    const task *t = context;
    const int64_t n = (int64_t)t->m * t->n, lo = block * SUM_BLOCK, end = lo + SUM_BLOCK,
                  hi = end < n ? end : n;
    (void)thread;
    for (int p = 0; p < t->pieces; p++) {
        const ag_real *from = t->scratch + p * n;
        if (p == 0 && !t->add)
            memcpy(t->c + lo, from + lo, (size_t)(hi - lo) * sizeof *from);
        else
            for (int64_t i = lo; i < hi; i++) t->c[i] += from[i];
    }
}

void ag__gemm(ag_real *c, const ag_real *a, const ag_real *b, int ta, int tb, int m, int n, int k,
              int add, ag_real *scratch)
{
    task t = {c, scratch, a, b, ta, tb, m, n, k, add, ag__gemm_grain(m, n, k), pieces_of(m, n, k)};
    if (m == 0 || n == 0) return;
    if (t.pieces > 1) {
        ag__parallel(t.pieces, piece, &t);
        ag__parallel(((int64_t)m * n + SUM_BLOCK - 1) / SUM_BLOCK, add_pieces, &t);
    } else if (k > 0 && columns_of(m, n) < n) {
        ag__parallel((n + WIDE - 1) / WIDE, column_block, &t);
    } else {
        ag__parallel((m + t.grain - 1) / t.grain, row_block, &t);
    }
}
