/* SPDX-License-Identifier: MIT */
/* Draws tiles: each bound is a power of two or the whole axis. Inner loops shorter than a vector
   are never worth measuring, so the most minor axes start at eight. */
#include "examples/harness/harness.h"
#include "examples/lab/fusion/kernels.h"
#include "examples/lab/tile/tile_plan.h"

#include <string.h>

/* The axes that are cut, those of the output first. */
typedef struct axes {
    int n, size[2 * LAB_RANK], choices[2 * LAB_RANK];
    int least[2 * LAB_RANK]; /* the smallest bound is two to the power of this, or the axis */
    double all;              /* number of tiles, valid or not */
} axes;

static int choices_of(int size, int least)
{
    int n = 1;
    for (int bound = 1 << least; bound < size; bound *= 2) n++;
    return n;
}

static void find_axes(axes *x, const tile_items *t)
{
    const tile_item *root = &t->item[t->root];
    x->n = root->rank + t->n_blocked;
    x->all = 1;
    for (int i = 0; i < x->n; i++) {
        x->size[i] = i < root->rank ? root->size[i] : t->blocked[i - root->rank];
        x->least[i] = i == root->rank - 1 || i == x->n - 1 ? 3 : 0;
        x->choices[i] = choices_of(x->size[i], x->least[i]);
        x->all *= x->choices[i];
    }
}

/* Tile `number` of all. */
static void nth(tpugraphs_bounds *bounds, const axes *x, int rank, int64_t number)
{
    for (int a = 0; a < LAB_RANK; a++) bounds->out[a] = bounds->blocked[a] = 1;
    for (int i = 0; i < x->n; i++) {
        const int choice = (int)(number % x->choices[i]);
        const int bound = choice < x->choices[i] - 1 ? 1 << (choice + x->least[i]) : x->size[i];
        number /= x->choices[i];
        if (i < rank)
            bounds->out[i] = bound;
        else
            bounds->blocked[i - rank] = bound;
    }
}

static int known(int (*tiles)[TILE_BOUNDS], int n, const int *tile)
{
    for (int i = 0; i < n; i++)
        if (!memcmp(tiles[i], tile, sizeof tiles[i])) return 1;
    return 0;
}

/* Adds tile `number` when it is valid and new. */
static int add(int (*tiles)[TILE_BOUNDS], int n, tile_items *t, const lab_program *kernel,
               const axes *x, int64_t number)
{
    tpugraphs_bounds bounds;
    const int rank = kernel->nodes[kernel->n - 1].shape.rank;
    nth(&bounds, x, rank, number);
    tile_write(tiles[n], &bounds, t);
    if (known(tiles, n, tiles[n])) return n;
    return n + lab_tile_valid(kernel, tiles[n]);
}

/* All of few tiles are tried, in random order; of many tiles a sample. */
static int draw(int (*tiles)[TILE_BOUNDS], tile_items *t, const lab_program *kernel, int limit,
                uint64_t seed, int32_t *order, int n_order)
{
    ag_random random = {seed, 0x711e, 0};
    axes x;
    int n = 1;
    find_axes(&x, t);
    if (x.all <= n_order) {
        const int all = (int)x.all;
        for (int i = 0; i < all; i++) order[i] = i;
        ag_random_shuffle(&random, order, all);
        for (int i = 0; i < all && n < limit; i++) n = add(tiles, n, t, kernel, &x, order[i]);
        return n;
    }
    for (int i = 0; i < n_order && n < limit; i++)
        n = add(tiles, n, t, kernel, &x, (int64_t)(ag_random_uniform(&random) * x.all));
    return n;
}

int lab_tiles(int (**tiles)[24], const lab_program *kernel, int limit, uint64_t seed)
{
    enum { TRIES = 16, MOST = 1 << 20 };
    int n = 0;
    tpugraphs_bounds bounds;
    *tiles = NULL;
    if (limit < 1) return 0;
    if (limit > MOST) limit = MOST;
    tile_items *t = harness_alloc(sizeof *t);
    if (tile_default(&bounds, t, kernel)) {
        const int n_order = TRIES * limit;
        int32_t *order = harness_alloc((size_t)n_order * sizeof *order);
        *tiles = harness_alloc(((size_t)limit + 1) * sizeof **tiles);
        tile_write((*tiles)[0], &bounds, t);
        n = draw(*tiles, t, kernel, limit, seed, order, n_order);
        harness_free(order);
    }
    harness_free(t);
    return n;
}
