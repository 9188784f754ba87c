/* SPDX-License-Identifier: MIT */
/* The results of `tpu autotune`, program by program. */
#ifndef TPU_TUNE_RESULTS_H
#define TPU_TUNE_RESULTS_H

#include "examples/tpu/program.h"
#include "examples/tpu/tune/tune.h"

typedef enum tune_kind { TUNE_FUSION, TUNE_TILES, TUNE_KINDS } tune_kind;

typedef struct tune_result {
    char name[LAB_NAME];
    tune_part part[TUNE_KINDS];
} tune_result;

typedef struct tune_results {
    const tpu_settings *settings;
    bool wanted[TUNE_KINDS];
    tune_result *list; /* a bag */
} tune_results;

/* The most measurements of a search of partitions. */
int tune_budget(const tune_results *r, int search);
/* Mean over the programs of the speed-up, of searches after their first `measured` partitions (the
   last one if they have fewer; 0: the last one); NaN: there was no such search. */
double tune_mean(const tune_results *r, tune_kind kind, int found, int measured);

/* A row per program and the means. */
harness_table *tune_table(const tune_results *r, tune_kind kind);
struct json_t *tune_json(const tune_results *r);
/* autotune.json, plots and report.html. */
ag_status tune_report(const tune_results *r, const char *folder, const harness_call *call,
                      ag_failure *why);

#endif
