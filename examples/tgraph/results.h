/* SPDX-License-Identifier: MIT */
/* The scores of a whole call, file by file, and the tables that show them. */
#ifndef TGRAPH_RESULTS_H
#define TGRAPH_RESULTS_H

#include "examples/tgraph/calibration.h"

struct json_t;

enum { TGRAPH_MOST_BASELINES = 4 };

typedef struct tgraph_file_result {
    const tgraph_entry *entry;
    double *score; /* [entry->items] */
    tgraph_grades grades;
    tgraph_calibration calibrated;
    tgraph_grades baseline[TGRAPH_MOST_BASELINES]; /* NaN: none */
} tgraph_file_result;

typedef struct tgraph_results {
    struct tgraph_files *files;          /* that the set is of */
    int tile, tau_a, count, calibrated;  /* files: all, and those that were split */
    tgraph_file_result *file;            /* [count] */
    tgraph_grades mean, calibrated_mean; /* calibrated: none unless all files are */
    int baselines;
    const char *baseline_name[TGRAPH_MOST_BASELINES];
    char *baseline_note[TGRAPH_MOST_BASELINES]; /* settings of a baseline or why there is none; of
                                                   the first file */
    tgraph_grades baseline_mean[TGRAPH_MOST_BASELINES];
} tgraph_results;

/* One row per file of the set that is to be scored, with zeroed scores. */
void tgraph_results_open(tgraph_results *r, const tgraph_set *set, int tau_a);
void tgraph_results_close(tgraph_results *r);

/* Adds the scores of one model, divided by `models`: call it once per model of an ensemble. */
ag_status tgraph_results_add(tgraph_results *r, tgraph_scorer *scorer, int models, ag_failure *why);

ag_status tgraph_results_grade(tgraph_results *r, ag_failure *why);

/* Adds the baselines' results. A file with a training part of its own is fitted on that part; all
   others share a fit on the training parts of `learn`, and have random scores alone where that is
   empty. After an interruption, results that are not ready are left out. */
ag_status tgraph_results_baselines(tgraph_results *r, const tgraph_entry *const *learn, int count,
                                   ag_failure *why);

/* The k-th ranking of a file (f NULL: mean over the files), with its name: TGraph, its calibrated
   scores if there are any, then the baselines. NULL after the last. */
const tgraph_grades *tgraph_results_ranking(const char **name, const tgraph_results *r,
                                            const tgraph_file_result *f, int k);

/* A row per file and ranking, and the mean if there are several files. */
harness_table *tgraph_results_table(const tgraph_results *r, const char *title);
struct json_t *tgraph_results_json(const tgraph_results *r);

#endif
