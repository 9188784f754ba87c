/* SPDX-License-Identifier: MIT */
/* Micro-kernels of the matrix product, one set per instruction set. A tile of C, at most `rows` x
   `columns`, stays in registers while the terms of its sums pass by. B comes in panels of `columns`
   columns, a row of the panel after the other; A comes as it is stored, or, where it is transposed,
   in panels of `rows` rows. All sets add the terms of an element in the same order. */
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
       next + side and next + side + step; then next moves ahead. */
    const char *next;
    int64_t step, side, ahead;
} ag_tile;

/* A line for each term, step bytes apart. */
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
    /* c[i * c_row + j] (+)= sum over p < terms of a(i, p) * b[p * columns + j], + bias[j], for
       i < rows and j < width, at most those of a tile; a(i, p) is a[i * a_row + p], or packed
       a[p * rows + i] with the rows of a whole tile. bias: NULL, none. */
    void (*run)(ag_real *c, const ag_real *a, const ag_real *b, const ag_real *bias,
                const ag_tile *t, int rows, int width);
    /* The same without bias, of `columns` columns, for A and B as they are stored, rows of B b_row
       elements apart; leaves the panel of it in `panel`. */
    void (*run_stored)(ag_real *c, ag_real *panel, const ag_real *a, const ag_real *b,
                       int64_t b_row, const ag_tile *t, int rows);
    /* A panel of op(B): `terms` rows of `columns`, those from `width` on are 0. b is its first
       element; rows of b, as stored, are b_row elements apart; with tb, rows of b become columns.
     */
    void (*pack_b)(ag_real *to, const ag_real *b, int64_t b_row, int tb, int width, int terms);
    /* Panels of A' for a [terms,rows] whose rows are a_row elements apart: [panel][terms][tile
       rows]. `room` elements of each row of a may be read, at least `rows`. */
    void (*pack_a)(ag_real *to, const ag_real *a, int64_t a_row, int rows, int terms, int room);
} ag_tiles;

/* The set for this processor; the variable AUGUR_ISA of the environment (avx512, avx2, sse2) asks
   for a lesser one. The same for as long as the program runs. */
const ag_tiles *ag__tiles(void);

extern const ag_tiles ag__tiles_base, ag__tiles_avx2, ag__tiles_avx512;

#endif
