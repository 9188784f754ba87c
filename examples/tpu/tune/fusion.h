/* SPDX-License-Identifier: MIT */
/* Searches for the fastest partition of one program. Source: Kaufman et al., section 7.3. */
#ifndef TPU_TUNE_FUSION_H
#define TPU_TUNE_FUSION_H

#include "examples/tpu/tune/search.h"

typedef enum tune_way { TUNE_HARDWARE, TUNE_LEARNED, TUNE_WAYS } tune_way;
typedef enum tune_start { TUNE_DEFAULT, TUNE_RANDOM, TUNE_STARTS } tune_start;

/* Searches are numbered from 0: a start, each with all ways. */
enum { TUNE_SEARCHES = TUNE_STARTS * TUNE_WAYS };

/* Options of the searches. A measurement is a partition whose run time is taken on hardware, the
   start included. A kernel that a search has measured before is not run again, and a partition that
   it has measured before does not count as a measurement. */
typedef struct tune_fusion_options {
    int wanted[TUNE_STARTS];     /* 1: search from there */
    int measurements[TUNE_WAYS]; /* most per search */
    int64_t steps;               /* partitions that the model may price in one search */
    uint64_t seed;
} tune_fusion_options;

/* The two sources of a kernel's run time; state and price as in tune_prices. With predicted.price
   NULL there is no model, and only hardware searches run. */
typedef struct tune_meters {
    tune_prices measured, predicted;
} tune_meters;

typedef struct tune_found {
    int done;          /* 0: not wanted */
    int measurements;  /* used */
    int64_t kernels;   /* run for them */
    int64_t predicted; /* kernels whose time was predicted */
    double *curve;     /* [measurements] default's time over that of the best found so far */
    double speedup;    /* the last of the curve */
} tune_found;

typedef struct tune_fusion {
    int kernels;       /* of the default partition, with repetitions of equal ones */
    double default_ns; /* sum of their run times */
    tune_found found[TUNE_SEARCHES];
} tune_fusion;

/* The times of a result are not those that guided the search, whose minimum is biased: the best
   partitions of every search, and the default, are measured again, with all kernels in turn.
   Returns with *stop set, and without a result, when a meter stopped. */
ag_status tune_fusion_search(tune_fusion *result, const lab_program *p, const tune_meters *meters,
                             const tune_fusion_options *options, int *stop, ag_failure *why);
void tune_fusion_clear(tune_fusion *result);

#endif
