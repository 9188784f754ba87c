/* SPDX-License-Identifier: MIT */
#ifndef HARNESS_STUDY_INTERNAL_H
#define HARNESS_STUDY_INTERNAL_H

#include "examples/harness/run/model.h"
#include "examples/harness/run/run_internal.h"

/* The results of all runs of a study. */
typedef struct study_outcome {
    const harness_study_call *call;
    int variants, seeds;
    struct json_t **result;                   /* [variants][seeds] what result.json holds */
    const char *measure[HARNESS_MOST_SCORES]; /* [measures] all that a run has */
    int measures;
} study_outcome;

/* One run's mean of a measure; NaN: none. */
double harness__study_score(const study_outcome *x, int variant, int seed, int measure);

/* Says in the table of a measure, a row per variant, which of them cannot be told apart. */
void harness__note_alike(harness_table *table, const study_outcome *x);
/* A row per variant: runs, parameters, and what they took. */
harness_table *harness__study_costs(const study_outcome *x);

/* OUT/VARIANT/seed-N and what follows ("/config.json"). */
const char *harness__study_path(const study_outcome *x, int variant, int seed, const char *end);

/* Writes all files of OUT; returns as harness_study_run. */
harness_table *harness__study_write(study_outcome *x, struct json_t **json, ag_failure *why);
/* The pictures, then study.html. measures: a table of each. */
ag_status harness__study_page(const study_outcome *x, harness_table *const *measures,
                              ag_failure *why);

#endif
