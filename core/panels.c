/* SPDX-License-Identifier: MIT */
/* This file is compiled with -ffp-contract=fast, for a * x + y to be one instruction. */
#include "core/panels.h"
#include "core/parallel.h"

#include <string.h>

/* A tile of C, at most ROWS x COLUMNS, stays in the registers; COLUMNS are two of them. */
#if defined(__AVX512F__)
enum { BYTES = 64, ROWS = 8 };
#elif defined(__AVX__)
enum { BYTES = 32, ROWS = 6 };
#else
enum { BYTES = 16, ROWS = 6 };
#endif
typedef ag_real vector __attribute__((vector_size(BYTES)));
enum { LANES = BYTES / sizeof(ag_real), COLUMNS = 2 * LANES };

/* Rows that a thread takes at a time, and multiplications at least. */
enum { MANY = 64, WORK = 1 << 18 };

static int panels_of(int n) { return n / COLUMNS + (n % COLUMNS > 0); }

int64_t ag__panels_size(int n, int k) { return (int64_t)panels_of(n) * COLUMNS * k; }

typedef struct task {
    ag_real *c, *to;
    const ag_real *a, *b;
    int tb, m, n, k, chunks, group;
} task;

static int least(int64_t a, int64_t b) { return (int)(a < b ? a : b); }

/* Columns of B that panel q holds; the others of it are 0. */
static int width_of(const task *t, int64_t q) { return least(COLUMNS, t->n - q * COLUMNS); }

/* ---- packing ---- */

enum { TURN = 16 };

/* Rows of b become columns: TURN elements of each, so that both sides stay in the cache. */
static void pack_rows(ag_real *to, const ag_real *b, int width, int k)
{
    for (int p = 0; p < k; p += TURN)
        for (int j = 0; j < width; j++) {
            const ag_real *from = b + (int64_t)j * k;
            for (int e = p; e < p + TURN && e < k; e++) to[(int64_t)e * COLUMNS + j] = from[e];
        }
}

static void pack_panel(void *context, int64_t q, int thread)
{
    const task *t = context;
    const int width = width_of(t, q);
    ag_real *to = t->to + q * COLUMNS * t->k;
    (void)thread;
    if (width < COLUMNS) memset(to, 0, (size_t)t->k * COLUMNS * sizeof *to);
    if (t->tb) {
        pack_rows(to, t->b + q * COLUMNS * t->k, width, t->k);
        return;
    }
    for (int64_t p = 0; p < t->k; p++)
        memcpy(to + p * COLUMNS, t->b + p * t->n + q * COLUMNS, (size_t)width * sizeof *to);
}

void ag__panels_pack(ag_real *panels, const ag_real *b, int tb, int n, int k)
{
    task t = {.to = panels, .b = b, .tb = tb, .n = n, .k = k};
    ag__parallel(panels_of(n), pack_panel, &t);
}

/* ---- product ---- */

static inline __attribute__((always_inline)) void
tile_of(const int rows, ag_real tile[ROWS][COLUMNS], const ag_real *a, const ag_real *b, int k)
{
    vector sum[ROWS][2], left, right;
    for (int i = 0; i < rows; i++) sum[i][0] = sum[i][1] = (vector){0};
    for (int p = 0; p < k; p++, b += COLUMNS) {
        memcpy(&left, b, sizeof left);
        memcpy(&right, b + LANES, sizeof right);
        for (int i = 0; i < rows; i++) {
            const vector x = a[(int64_t)i * k + p] - (vector){0};
            sum[i][0] += x * left;
            sum[i][1] += x * right;
        }
    }
    for (int i = 0; i < rows; i++) memcpy(tile[i], sum[i], sizeof sum[i]);
}

/* A loop over a number of rows that is known when it is compiled keeps its sums in registers. */
static void tile_rows(ag_real tile[ROWS][COLUMNS], const ag_real *a, const ag_real *b, int rows,
                      int k)
{
    switch (rows) {
    case 1: tile_of(1, tile, a, b, k); break;
    case 2: tile_of(2, tile, a, b, k); break;
    case 3: tile_of(3, tile, a, b, k); break;
    case 4: tile_of(4, tile, a, b, k); break;
    case 5: tile_of(5, tile, a, b, k); break;
    case 6: tile_of(6, tile, a, b, k); break;
#if defined(__AVX512F__)
    case 7: tile_of(7, tile, a, b, k); break;
    case 8: tile_of(8, tile, a, b, k); break;
#endif
    default: break;
    }
}

/* Columns of panel q in rows lo..hi-1, in tiles of nearly equal height. */
static void panel_rows(const task *t, int64_t q, int lo, int hi)
{
    const int tiles = (hi - lo + ROWS - 1) / ROWS;
    const size_t bytes = (size_t)width_of(t, q) * sizeof(ag_real);
    const ag_real *b = t->b + q * COLUMNS * t->k;
    ag_real tile[ROWS][COLUMNS];
    for (int i = 0; i < tiles; i++) {
        const int first = lo + i * (hi - lo) / tiles, end = lo + (i + 1) * (hi - lo) / tiles;
        tile_rows(tile, t->a + (int64_t)first * t->k, b, end - first, t->k);
        for (int r = first; r < end; r++)
            memcpy(t->c + (int64_t)r * t->n + q * COLUMNS, tile[r - first], bytes);
    }
}

static void product_block(void *context, int64_t block, int thread)
{
    const task *t = context;
    const int64_t units = (int64_t)panels_of(t->n) * t->chunks, end = (block + 1) * t->group;
    (void)thread;
    for (int64_t u = block * t->group; u < end && u < units; u++) {
        const int lo = (int)(u % t->chunks) * MANY;
        panel_rows(t, u / t->chunks, lo, least(t->m, (int64_t)lo + MANY));
    }
}

void ag__panels_product(ag_real *c, const ag_real *a, const ag_real *panels, int m, int n, int k)
{
    task t = {.c = c, .a = a, .b = panels, .m = m, .n = n, .k = k};
    t.chunks = m / MANY + (m % MANY > 0);
    t.group = 1 + (int)(WORK / (1 + (int64_t)least(m, MANY) * k * COLUMNS));
    ag__parallel(((int64_t)panels_of(n) * t.chunks + t.group - 1) / t.group, product_block, &t);
}
