/* SPDX-License-Identifier: MIT */
#include "core/panels.h"
#include "core/blocks.h"
#include "core/parallel.h"

/* The most rows that a thread takes at a time, and the fewest multiplications. */
enum { MANY = 96, WORK = 1 << 18 };

/* Rows of B that are packed at a time. */
enum { TERMS = 16 };

int64_t ag__panels_size(int n, int k)
{
    return (int64_t)ag__panels_of(n) * ag__tiles()->columns * k;
}

typedef struct task {
    ag_product p;
    ag_real *to;
    const ag_real *panels;
    int chunks, group;
} task;

/* Terms k0.. of panel q. */
static void pack(const task *t, int64_t q, int k0, int terms)
{
    const int64_t columns = ag__tiles()->columns;
    ag__pack_panel(t->to + (q * t->p.k + k0) * columns, &t->p, q, k0, terms);
}

static void pack_panel(void *context, int64_t q, int thread)
{
    const task *t = context;
    (void)thread;
    pack(t, q, 0, t->p.k);
}

/* Rows of B are read from end to end. */
static void pack_rows(void *context, int64_t block, int thread)
{
    const task *t = context;
    const int k0 = (int)block * TERMS;
    (void)thread;
    for (int q = 0; q < ag__panels_of(t->p.n); q++) pack(t, q, k0, ag__least(TERMS, t->p.k - k0));
}

void ag__panels_pack(ag_real *panels, const ag_real *b, int tb, int n, int k)
{
    task t = {.p = {.b = b, .b_row = tb ? k : n, .tb = tb, .n = n, .k = k}, .to = panels};
    if (tb)
        ag_parallel(ag__panels_of(n), pack_panel, &t);
    else
        ag_parallel(ag__up(k, TERMS), pack_rows, &t);
}

static void product_block(void *context, int64_t block, int thread)
{
    const task *t = context;
    const int64_t units = (int64_t)ag__panels_of(t->p.n) * t->chunks, end = (block + 1) * t->group;
    (void)thread;
    for (int64_t u = block * t->group; u < end && u < units; u++) {
        const int lo = (int)(u % t->chunks) * MANY, q = (int)(u / t->chunks);
        ag__product_packed(&t->p, t->panels, lo, ag__least(t->p.m, (int64_t)lo + MANY), q, q + 1);
    }
}

void ag__panels_product(ag_real *c, const ag_real *a, const ag_real *panels, int m, int n, int k)
{
    task t = {.p = {.c = c, .a = a, .c_row = n, .a_row = k, .m = m, .n = n, .k = k},
              .panels = panels};
    t.chunks = ag__up(m, MANY);
    t.group = 1 + (int)(WORK / (1 + (int64_t)ag__least(m, MANY) * k * ag__tiles()->columns));
    ag_parallel(ag__up((int64_t)ag__panels_of(n) * t.chunks, t.group), product_block, &t);
}

void ag__panels_rows(ag_real *c, const ag_real *a, const ag_real *panels, const ag_real *bias,
                     int m, int n, int k, int add, int64_t lo, int64_t hi)
{
    const ag_product p = {
        .c = c, .a = a, .bias = bias, .c_row = n, .a_row = k, .m = m, .n = n, .k = k, .add = add};
    ag__product_packed(&p, panels, (int)lo, (int)hi, 0, ag__panels_of(n));
}

/* Whole tiles of every instruction set, a block of C that stays in the second cache, and eight
   blocks at least. */
int ag__panels_grain(int m, int n)
{
    enum { UNIT = 84, MOST = 6, ELEMENTS = 48 << 10 };
    const int eighth = ag__up(m, 8), units = n ? ELEMENTS / n / UNIT : MOST;
    const int rows = UNIT * (units < 1 ? 1 : units > MOST ? MOST : units);
    return rows <= eighth ? rows : eighth < 1 ? 1 : eighth;
}
