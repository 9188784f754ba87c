/* SPDX-License-Identifier: MIT */
/* Few rows, nothing transposed: the first tile of a panel reads B where it is, and leaves the panel
   packed for the tiles below. */
#include "core/blocks.h"
#include "core/gemm.h"
#include "core/parallel.h"
#include "core/room.h"

#include <string.h>

enum {
    LINE = 64, /* bytes of a cache line */
    WIDE = 128 /* columns of a block */
};

typedef struct task {
    const ag_product *p;
    ag_real *copy; /* of A; NULL: A is read where it is */
    int depth, panels;
} task;

/* ---- A, copied part by part: as many terms of all rows as a partial sum has ---- */

/* Rows of a part are an element further apart than they are long, so that they do not all come to
   the end of a cache line at the same term, nor push each other out of the cache. That pays where
   the rows of A are aligned alike, and where many columns share the copy. */
static int copies(int n, int k) { return k % (LINE / (int)sizeof(ag_real)) == 0 && n >= WIDE; }

int64_t ag__few_size(int m, int n, int k)
{
    return copies(n, k) ? (int64_t)m * (k + ag__up(k, ag__depth(k))) : 0;
}

static ag_real *part_of(const task *t, int k0)
{
    return t->copy + (int64_t)(k0 / t->depth) * (t->depth + 1) * t->p->m;
}

static void copy_part(void *context, int64_t part, int thread)
{
    const task *t = context;
    const ag_product *p = t->p;
    const int k0 = (int)part * t->depth, terms = ag__least(t->depth, p->k - k0);
    ag_real *to = part_of(t, k0);
    (void)thread;
    for (int i = 0; i < p->m; i++, to += terms + 1)
        memcpy(to, p->a + i * p->a_row + k0, (size_t)terms * sizeof *to);
}

/* ---- what comes closer while a panel is computed ---- */

typedef struct ahead {
    const char *at;
    int64_t row; /* bytes from one row to the next */
    int rows, lines;
} ahead;

/* The next panel of the block: only one, since rows that are a power of two apart share few lines
   of the second cache. After the last panel the first of the next terms, or of the next block. */
static ahead next_panel(const task *t, int first, int last, int q, int k0)
{
    const ag_product *p = t->p;
    const int columns = ag__tiles()->columns, ends = ++q == last, done = k0 + t->depth >= p->k;
    if (ends) q = done ? last : first;
    if (ends) k0 = done ? 0 : k0 + t->depth;
    const int64_t column = (int64_t)q * columns;
    if (column >= p->n) return (ahead){0};
    return (ahead){(const char *)(p->b + k0 * p->b_row + column), p->b_row * (int64_t)sizeof *p->b,
                   ag__least(t->depth, p->k - k0),
                   ag__up(ag__least(columns, p->n - column) * (int64_t)sizeof *p->b, LINE)};
}

/* Rows `row` and on, a row or more for every four terms; a row is a line, or two. */
static void bring(ag_tile *tile, ahead next, int row, int rows)
{
    const int turns = tile->terms / 4 + 1, most = 4 / next.lines, each = ag__up(rows, turns),
              per = each < most ? each : most;
    tile->next = next.at + row * next.row;
    tile->step = next.lines > 1 ? LINE : per > 1 ? next.row : 0;
    tile->side = per * next.lines > 2 ? 2 / next.lines * next.row : 0;
    tile->ahead = per * next.row;
}

/* ---- blocks ---- */

/* Panel q, terms k0 and on. */
static void add_panel(const task *t, ag_tile *tile, const ag_real *a, int q, int k0, ahead next)
{
    const ag_tiles *set = ag__tiles();
    const ag_product *p = t->p;
    const int64_t column = (int64_t)q * set->columns;
    const int width = ag__least(set->columns, p->n - column), whole = width == set->columns,
              tiles = ag__up(p->m, set->rows), high = ag__up(p->m, tiles),
              even = ag__up(next.rows, tiles), turns = tile->terms / 4 + 1,
              share = even > turns ? even : turns;
    const ag_real *b = p->b + k0 * p->b_row + column;
    ag_real *panel = ag__room()->b;
    if (!whole) set->pack_b(panel, b, p->b_row, 0, width, tile->terms);
    for (int i = 0, row = 0; i < p->m; i += high, row += share) {
        ag_real *c = p->c + i * p->c_row + column;
        const int rows = ag__least(high, p->m - i);
        if (row < next.rows)
            bring(tile, next, row, share);
        else
            ag__tile_bring(tile, panel, 0);
        if (whole && i == 0)
            set->run_stored(c, panel, a, b, p->b_row, tile, rows);
        else
            set->run(c, a + i * tile->a_row, panel, NULL, tile, rows, width);
    }
}

static void few_block(void *context, int64_t block, int thread)
{
    const task *t = context;
    const ag_product *p = t->p;
    const int first = (int)block * t->panels,
              last = ag__least(ag__panels_of(p->n), first + t->panels);
    ag_tile tile = {.c_row = p->c_row};
    (void)thread;
    for (int k0 = 0; k0 < p->k || k0 == 0; k0 += t->depth) {
        const ag_real *a = t->copy ? part_of(t, k0) : p->a + k0;
        tile.terms = ag__least(t->depth, p->k - k0);
        tile.a_row = t->copy ? tile.terms + 1 : p->a_row;
        tile.add = k0 > 0 || p->add;
        for (int q = first; q < last; q++)
            add_panel(t, &tile, a, q, k0, next_panel(t, first, last, q, k0));
    }
}

void ag__product_few(const ag_product *p, ag_real *scratch)
{
    task t = {p, copies(p->n, p->k) ? scratch : NULL, ag__depth(p->k), ag__panels_of(WIDE)};
    if (t.copy) ag_parallel(ag__up(p->k, t.depth), copy_part, &t);
    ag_parallel(ag__up(ag__panels_of(p->n), t.panels), few_block, &t);
}
