/* SPDX-License-Identifier: MIT */
/* All measures of all programs: a name, a definition and a number of digits each. They are computed
   over the items of a group that count: those with a run time of at least `least` ns. */
#ifndef HARNESS_MEASURES_H
#define HARNESS_MEASURES_H

#include "core/types.h"

#include <stdbool.h>

/* A measure is NaN where it is not defined: measures of pairs where metrics.h says so; slowdown,
   top and recall of fewer than two items, where there is nothing to choose; all others without an
   item. This depends only on a group's run times, so the means of all methods are over the same
   groups. There is one exception: a method has no MAPE, R2 and MAE of a group in which it cannot
   score an item. */
typedef enum harness_measure {
    HARNESS_TAU_B, /* up to recall: metrics.h */
    HARNESS_TAU_A,
    HARNESS_OPA,
    HARNESS_TIED,
    HARNESS_PAIRWISE,   /* over pairs that differ by more than HARNESS_SHARE */
    HARNESS_SLOWDOWN_1, /* up to recall: of the 1, 5, 10, 100 best predicted */
    HARNESS_SLOWDOWN_5,
    HARNESS_SLOWDOWN_10,
    HARNESS_SLOWDOWN_100,
    HARNESS_TOP_1,
    HARNESS_TOP_5,
    HARNESS_TOP_10,
    HARNESS_RECALL_1,
    HARNESS_RECALL_5,
    HARNESS_RECALL_10,
    /* 100 (chosen - fastest) / fastest, where each is summed over the groups of a row: eq. 2 of
       Kaufman et al., Tile-Size APE. */
    HARNESS_APE,
    HARNESS_MAPE,      /* 100 mean |score - ns| / ns, where scores are run times */
    HARNESS_MAPE_ALL,  /* also of items that take less than `least` */
    HARNESS_TAU_B_ALL, /* the same */
    HARNESS_R2,        /* 1 - sum (cost - ln ns)^2 / sum (ln ns - mean)^2 */
    HARNESS_MAE,       /* mean |cost - ln ns| */
    HARNESS_MEASURES
} harness_measure;

#define HARNESS_SHARE 0.02 /* run times that differ by less differ by noise */

typedef struct harness_measure_kind {
    const char *name;    /* in tables, CSV and JSON */
    int digits;          /* decimals in tables */
    bool smaller;        /* the smallest is the best */
    const char *meaning; /* neighbours with one meaning are explained together */
} harness_measure_kind;
extern const harness_measure_kind harness_measures[HARNESS_MEASURES];
/* The measure of a column: of that name, or of one that begins with it ("APE % median");
   HARNESS_MEASURES: none. */
harness_measure harness_measure_of(const char *column);
/* A sentence for each of the measures. */
const char *harness_measures_explain(const harness_measure *measure, int count);

/* The items of a group, and the predictions of one method. */
typedef struct harness_items {
    const char *name; /* of the group */
    int count;
    const int *number;     /* [count] their numbers in the files; NULL: 0, 1, ... */
    const double *score;   /* [count] small is fast; INFINITY: cannot be scored, the slowest */
    const double *cost;    /* [count] predicted ln(ns), not read where unscored; or NULL */
    const int64_t *actual; /* [count] ns; 0: not known */
    bool times;            /* scores are predicted run times in ns */
    int64_t least;         /* shortest run time that counts, ns */
} harness_items;

/* Why measures are not defined for a group. */
typedef enum harness_left {
    HARNESS_NONE_COUNTS, /* no item has a run time that counts */
    HARNESS_ONE_COUNTS,
    HARNESS_ALL_EQUAL, /* all run times are */
    HARNESS_ALL_NEAR,  /* no two of them differ by more than HARNESS_SHARE */
    HARNESS_LEFTS
} harness_left;
/* Whether the measure is not defined for this reason. */
bool harness_measure_left(harness_measure measure, harness_left left);

typedef struct harness_measured {
    int counted;             /* items with a run time that counts */
    int left[HARNESS_LEFTS]; /* groups of which measures are not defined */
    double chosen, fastest;  /* run times in ns of the best predicted item (or the mean of all with
                                its score) and of the fastest */
    double of[HARNESS_MEASURES];
    int groups[HARNESS_MEASURES]; /* groups with this measure, while groups are added */
} harness_measured;

/* All measures are NaN, all counts 0. */
harness_measured harness_measured_none(void);

/* Fails: AG_EFINITE (a score is NaN or -INFINITY, a cost is not finite), AG_EDATA (a run time is
   below 0). */
ag_status harness_measure_items(harness_measured *measured, const harness_items *items,
                                ag_failure *why);

/* Adds up several groups. sum begins as {0}; at the end each measure but HARNESS_APE is the mean
   over the groups where it is defined. */
void harness_measured_add(harness_measured *sum, const harness_measured *group);
void harness_measured_end(harness_measured *sum);

#endif
