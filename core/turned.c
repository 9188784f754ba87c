/* SPDX-License-Identifier: MIT */
/* Few rows with B' : C' = B A', so that B is read where it is, and A, which is small, is packed. */
#include "core/blocks.h"
#include "core/gemm.h"
#include "core/panels.h"
#include "core/parallel.h"

/* Rows of B that a thread takes at a time, in tiles. */
static int turned_rows(const ag_product *p)
{
    const int tile = ag__tiles()->rows, tiles = ag__up(p->n, tile);
    return tile * (tiles < 32 ? 1 : tiles / 32);
}

/* Columns j..j+rows-1 of C: from the tiles in `sums`, one row of them each, or into them. */
static void put_columns(const ag_product *p, const ag_real *sums, int64_t row, int j, int rows)
{
    for (int r = 0; r < p->m; r++)
        for (int i = 0; i < rows; i++) p->c[r * p->c_row + j + i] = sums[i * row + r];
}

static void take_columns(ag_real *sums, const ag_product *p, int64_t row, int j, int rows)
{
    for (int r = 0; r < p->m; r++)
        for (int i = 0; i < rows; i++) sums[i * row + r] = p->c[r * p->c_row + j + i];
}

typedef struct task {
    const ag_product *p;
    const ag_real *panels; /* of A' */
    int rows;
} task;

static void turned_block(void *context, int64_t block, int thread)
{
    const task *t = context;
    const ag_product *p = t->p;
    const ag_tiles *set = ag__tiles();
    const int depth = ag__depth(p->k), panels = ag__panels_of(p->m), lo = (int)block * t->rows,
              hi = ag__least(p->n, (int64_t)lo + t->rows);
    ag_real sums[AG_MOST_ROWS * (AG_FEW_ROWS + AG_MOST_COLUMNS)];
    const int64_t step = set->rows * p->k * (int64_t)sizeof *p->b / (panels * (int64_t)p->k + 1);
    ag_tile tile = {.c_row = panels * set->columns, .a_row = p->b_row};
    (void)thread;
    for (int j = lo; j < hi; j += set->rows) {
        const int rows = ag__least(set->rows, hi - j);
        if (p->add) take_columns(sums, p, tile.c_row, j, rows);
        for (int k0 = 0; k0 < p->k || k0 == 0; k0 += depth) {
            tile.terms = ag__least(depth, p->k - k0);
            tile.add = k0 > 0 || p->add;
            for (int q = 0; q < panels; q++) {
                const int column = q * set->columns;
                ag__tile_bring(&tile,
                               (const char *)(p->b + (j + set->rows) * p->b_row) +
                                   (k0 * (int64_t)panels + (int64_t)q * tile.terms) * step,
                               step);
                set->run(sums + column, p->b + j * p->b_row + k0,
                         t->panels + (int64_t)column * p->k + (int64_t)k0 * set->columns, NULL,
                         &tile, rows, ag__least(set->columns, p->m - column));
            }
        }
        put_columns(p, sums, tile.c_row, j, rows);
    }
}

void ag__product_turned(const ag_product *p, ag_real *panels)
{
    task t = {p, panels, turned_rows(p)};
    ag__panels_pack(panels, p->a, 1, p->m, p->k);
    ag_parallel(ag__up(p->n, t.rows), turned_block, &t);
}
