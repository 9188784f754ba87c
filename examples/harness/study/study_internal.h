/* SPDX-License-Identifier: MIT */
/* The outcome of a study and the functions that compute and write its results, for the files of
   study/. */
#ifndef HARNESS_STUDY_INTERNAL_H
#define HARNESS_STUDY_INTERNAL_H

#include "examples/harness/base/bag.h"
#include "examples/harness/base/file.h"
#include "examples/harness/cli/options_internal.h"
#include "examples/harness/files/folder.h"
#include "examples/harness/model/model.h"
#include "examples/harness/study/study.h"

/* The results of all runs of a study. */
typedef struct study_outcome {
    const harness_study *study;
    const harness_call *call;
    const char *out;
    int folder; /* out, open */
    int variants, seeds;
    harness_part part;      /* of --part */
    int only;               /* a variant, -1: all */
    struct json_t **result; /* [variants][seeds] what result.json holds; empty: there is none */
    const char **name;      /* [variants] */
    const char *measure[HARNESS_MOST_SCORES]; /* [measures] all that any run has */
    int measures;
    harness_table *table[HARNESS_MOST_SCORES + 2]; /* of each measure, of the costs; NULL */
} study_outcome;

/* Reads --part and --only. Fails: AG_EUSE. */
ag_status harness__study_share(study_outcome *x, ag_failure *why);
/* Whether a run is of this share, and whether it has no result. */
bool harness__study_mine(const study_outcome *x, int variant, int seed);
bool harness__study_lacks(const study_outcome *x, int variant, int seed);

/* One run's mean of a measure; NaN: none. */
double harness__study_score(const study_outcome *x, int variant, int seed, int measure);

/* OUT/VARIANT/seed-N and what follows ("/config.json"). */
const char *harness__study_path(const study_outcome *x, int variant, int seed, const char *end);

/* Writes all files of OUT; returns as harness_study_run. */
harness_table *harness__study_write(study_outcome *x, struct json_t **json, ag_failure *why);
/* Writes the pictures, then study.html. */
ag_status harness__study_page(const study_outcome *x, ag_failure *why);

/* ---- paired differences ---- */

/* mean: of the differences; NaN: nothing pairs. low, high: its 95 % interval; p: two-sided, of
   Student's t. These are NaN if fewer than two seeds pair, p also if all differences are equal. */
typedef struct harness_paired {
    double mean, low, high, p;
    int seeds, groups; /* how many pair */
} harness_paired;

/* of, base [seeds][groups]: a measure of the variant and of the one that it is compared with, NaN:
   none. A seed pairs if both have a value for any group; a group pairs if both have a value for
   each seed that pairs. With d the differences, S seeds and G groups that pair, d_s the mean over
   the groups, d_g the mean over the seeds,

       v_S = var(d_s) / S,  v_G = var(d_g) / G (0 if G = 1),  var with S - 1 and G - 1,
       t = mean(d) / sqrt(v_S + v_G),
       degrees of freedom = (v_S + v_G)^2 / (v_S^2 / (S - 1) + v_G^2 / (G - 1))

   as in Welch's test, so that the interval holds for other seeds and for other groups like these.
   Noise that belongs neither to a seed nor to a group is in both variances, so the interval is
   rather too wide. */
harness_paired harness_pair(const double *of, const double *base, int seeds, int groups);

/* The two-sided p of Student's t, and the t of a two-sided p of 0.05; freedom: 1 or more. */
double harness_student_p(double t, double freedom);
double harness_student_95(double freedom);

#endif
