/* SPDX-License-Identifier: MIT */
/* The results of `tpu autotune`, program by program. */
#ifndef TPU_TUNE_RESULTS_H
#define TPU_TUNE_RESULTS_H

#include "examples/harness/harness.h"
#include "examples/tpu/program.h"
#include "examples/tpu/tune/fusion.h"
#include "examples/tpu/tune/tiles.h"

typedef struct tune_result {
    char name[LAB_NAME];
    int nodes;
    tune_fusion fusion;
    tune_tiles tiles; /* kernels 0: not asked for */
} tune_result;

typedef struct tune_results {
    const tpu_settings *settings;
    tune_result *list; /* a bag */
    int fusion, tiles; /* 1: asked for */
} tune_results;

/* "default" and "random" of a search; "default", "exhaustive", "learned 1", "learned 10". */
const char *tune_start_name(int search);
const char *tune_choice_name(tune_choice choice);

/* Measurements of a search at most; the most of all searches. */
int tune_budget(const tune_results *r, int search);
int tune_most_budget(const tune_results *r);

/* Mean over the programs of a search's speed-up after its first `measurements` (the last one if it
   has fewer); NaN: there was no such search. */
double tune_mean_speedup(const tune_results *r, int search, int measurements);
int tune_was_done(const tune_results *r, int search);
double tune_tile_speedup(const tune_tiles *tiles, tune_choice choice); /* of one program */
double tune_mean_tiles(const tune_results *r, tune_choice choice);
/* The share of the speed-up of the hardware search that the learned model with hardware reaches,
   mean over the programs. With gain 1 it is the share of the mean speed-up minus 1 (of the means,
   since a program may gain nothing). */
double tune_share(const tune_results *r, tune_start start, int gain);

/* A row per program and the means; NULL: not asked for. */
harness_table *tune_fusion_table(const tune_results *r);
harness_table *tune_tiles_table(const tune_results *r);
struct json_t *tune_json(const tune_results *r);

/* autotune.json, plots and report.html. */
ag_status tune_report(const tune_results *r, const char *folder, const harness_call *call,
                      ag_failure *why);

#endif
