/* SPDX-License-Identifier: MIT */
/* Searches for the fastest tile sizes of the kernels of one program. Source: Kaufman et al.,
   sections 7.1 and 7.2. */
#ifndef TPU_TUNE_TILES_H
#define TPU_TUNE_TILES_H

#include "examples/lab/fusion/fusion.h"

/* The way in which the tile of a kernel is chosen. */
typedef enum tune_choice {
    TUNE_TILE_DEFAULT,
    TUNE_TILE_EXHAUSTIVE, /* all valid tiles measured, up to the limit */
    TUNE_TILE_FIRST,      /* the model's best; nothing is measured */
    TUNE_TILE_TEN,        /* the fastest of the model's ten best, measured */
    TUNE_CHOICES
} tune_choice;

enum { TUNE_TOP = 10 };

/* The two sources of tile times and scores; tests have their own. *stop: the numbers mean
   nothing. */
typedef struct tune_tile_meters {
    void *state;
    /* ns of the tiles which[0..count-1] of a kernel, measured in turn */
    ag_status (*measure)(void *state, double *ns, const lab_program *kernel, int (*tile)[24],
                         const int *which, int count, int *stop, ag_failure *why);
    /* score of all: small is fast */
    ag_status (*score)(void *state, double *score, const lab_program *kernel, int (*tile)[24],
                       int count, ag_failure *why);
    /* ns of kernels that have no choice of tiles */
    ag_status (*plain)(void *state, double *ns, const lab_fusion *kernels, int *stop,
                       ag_failure *why);
} tune_tile_meters;

typedef struct tune_tiles {
    int kernels, tiled;      /* different kernels of the partition; those with a choice of tiles */
    double ns[TUNE_CHOICES]; /* of the program */
    int64_t measurements[TUNE_CHOICES]; /* tiles that were run to choose */
} tune_tiles;

/* Searches the tiles of the default partition. As in tune_fusion_search, the chosen tiles are
   measured again before they count. limit: tiles of a kernel at most, drawn evenly from seed. */
ag_status tune_tiles_search(tune_tiles *result, const lab_program *p,
                            const tune_tile_meters *meters, int limit, uint64_t seed, int *stop,
                            ag_failure *why);

#endif
