/* SPDX-License-Identifier: MIT */
/* Micro-kernels of the matrix product, one set per instruction set. A tile of C, at most `rows` x
   `columns`, stays in registers while the terms of its sums are added. B is packed in panels of
   `columns` columns, row after row. A is read as it is stored; a transposed A is packed in panels
   of `rows` rows. All sets add the terms of an element in the same order. */
#ifndef AG_CORE_TILE_H
#define AG_CORE_TILE_H

#include "core/strict.h"
#include "core/types.h"

enum { AG_MOST_COLUMNS = 32, AG_MOST_ROWS = 14 }; /* of a tile of any set */

/* The arguments that all tiles of a block share. */
typedef struct ag_tile {
    int64_t c_row, a_row;
    int terms, packed, add; /* packed: A is in panels, else its rows are a_row elements apart */
    /* The memory to prefetch meanwhile: for every four terms the cache lines at next, next + step,
       next + side and next + side + step; then `next` grows by `ahead`. */
    const char *next;
    int64_t step, side, ahead;
} ag_tile;

/* Makes a tile prefetch a cache line for each term: the lines are `step` bytes apart. */
static inline void ag__tile_bring(ag_tile *t, const void *from, int64_t step)
{
    t->next = from;
    t->step = step;
    t->side = 2 * step;
    t->ahead = 4 * step;
}

typedef struct ag_tiles {
    const char *name; /* the instruction set: "avx512", "avx2", "sse2", "neon" or "plain" */
    int rows, columns;
    /* c[i * c_row + j] (+)= sum over p < terms of a(i, p) * b[p * columns + j], + bias[j], for i <
       rows and j < width, which are at most those of a tile. a(i, p) is a[i * a_row + p]; in a
       packed A it is a[p * R + i], where R is the number of rows of a whole tile. Without a bias,
       bias is NULL. */
    void (*run)(ag_real *c, const ag_real *a, const ag_real *b, const ag_real *bias,
                const ag_tile *t, int rows, int width);
    /* The same without bias, for `columns` columns, and for A and B as they are stored: rows of B
       are b_row elements apart. Leaves the packed panel of B in `panel`. */
    void (*run_stored)(ag_real *c, ag_real *panel, const ag_real *a, const ag_real *b,
                       int64_t b_row, const ag_tile *t, int rows);
    /* Packs a panel of op(B): `terms` rows of `columns` elements; columns from `width` on are 0. b
       is its first element; stored rows of b are b_row elements apart; with tb, rows of b become
       columns. */
    void (*pack_b)(ag_real *to, const ag_real *b, int64_t b_row, int tb, int width, int terms);
    /* Packs panels of A' from a [terms,rows], which has rows a_row elements apart:
       [panel][terms][tile rows]. `room` elements of each row of a may be read, at least `rows`. */
    void (*pack_a)(ag_real *to, const ag_real *a, int64_t a_row, int rows, int terms, int room);
} ag_tiles;

/* The set for this processor, or a smaller one that the environment variable AUGUR_ISA (avx512,
   avx2, sse2) names. It stays the same while the program runs. */
const ag_tiles *ag__tiles(void);

extern const ag_tiles ag__tiles_base, ag__tiles_avx2, ag__tiles_avx512;

#endif
