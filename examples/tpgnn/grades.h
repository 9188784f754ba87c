/* SPDX-License-Identifier: MIT */
/* Grades of a ranking of schedules: per task (one workload with all its schedules), and their mean
   over tasks and over families of tasks. A score grows with the predicted run time: the smallest
   is predicted fastest. INFINITY is the score of a schedule that cannot be scored and is worse than
   any other. */
#ifndef TPGNN_GRADES_H
#define TPGNN_GRADES_H

#include "examples/harness/report/table.h"
#include "core/core.h"

/* t: run times in ns; best: the smallest of the task. The k best predicted are those with the
   smallest scores, equal ones in their order; k is at most the number of schedules. Sources: the
   top-k score of TenSet (Zheng et al. 2021) and TLP (Zhai et al. 2023), per task. */
typedef enum tpgnn_measure {
    /* The share of pairs that the scores order correctly, among pairs whose run times differ by
       more than `share` of the shorter one; equal scores count one half. */
    TPGNN_PAIRWISE,
    TPGNN_TAU,  /* Kendall's tau-b of scores and run times, over all pairs */
    TPGNN_TOP1, /* best / (smallest t of the k best predicted), k = 1, 5, 10; 1 is perfect */
    TPGNN_TOP5,
    TPGNN_TOP10,
    /* The share of the k best predicted that is no slower than the k-th fastest, k = 1, 5, 10. */
    TPGNN_RECALL1,
    TPGNN_RECALL5,
    TPGNN_RECALL10,
    TPGNN_SLOWDOWN1, /* 1 / (top-k score) - 1: how much longer the choice runs; 0 is perfect */
    TPGNN_SLOWDOWN5,
    TPGNN_SLOWDOWN10,
    TPGNN_R2,  /* 1 - sum (cost - ln t)^2 / sum (ln t - mean)^2; below 0: worse than the mean */
    TPGNN_MAE, /* mean |cost - ln t| */
    TPGNN_MEASURES
} tpgnn_measure;

/* Of one task. A measure that is not defined is NaN and excluded from every mean: fewer than two
   schedules (all but MAE), no pair that counts (pairwise), all scores or all run times equal (tau),
   all run times equal (R2), no costs (R2, MAE). */
typedef struct tpgnn_grade {
    int schedules, unscored; /* unscored: number with INFINITY */
    double of[TPGNN_MEASURES];
} tpgnn_grade;

/* Predictions of one method. Borrowed. */
typedef struct tpgnn_scored {
    const double *score;    /* [schedules] */
    const double *cost;     /* [schedules] predicted ln t, not read of unscored ones; or NULL */
    const int64_t *runtime; /* [schedules] t */
    const int32_t *task;    /* [schedules] 0 to tasks - 1, in any order */
    int schedules, tasks;
} tpgnn_scored;

#define TPGNN_SHARE 0.02 /* run times that are closer differ by noise */

/* grade [tasks]. All schedules as one task: give zeros as `task`; R2 then is that over tasks.
   Fails: AG_EFINITE (a score is NaN or -INFINITY, a cost is not finite), AG_EINDEX (a task),
   AG_EDATA (a run time below 1), AG_EUSE (a share that is not in 0..1). */
ag_status tpgnn_grade_tasks(tpgnn_grade *grade, const tpgnn_scored *scored, double share,
                            ag_failure *why);

/* ---- comparison of several methods ---- */

/* grade[m * tasks + t]: of method m on task t. Borrowed. Method 0 is the model. */
typedef struct tpgnn_comparison {
    int methods, tasks, families;
    const char *const *method; /* [methods] names */
    const char *const *name;   /* [tasks] */
    const char *const *family; /* [families] names */
    const int32_t *family_of;  /* [tasks] 0 to families - 1 */
    const tpgnn_grade *grade;
    int beside; /* the method whose columns are next to the model's; 0: the next one */
} tpgnn_comparison;

/* Mean over the tasks for which the measure is defined; NaN if there are none. */
double tpgnn_mean(const tpgnn_comparison *comparison, int method, tpgnn_measure measure);
/* The same over the tasks of one family; and the mean of those means, in which families have equal
   weight however many tasks they have. */
double tpgnn_mean_of_family(const tpgnn_comparison *comparison, int method, tpgnn_measure measure,
                            int family);
double tpgnn_mean_over_families(const tpgnn_comparison *comparison, int method,
                                tpgnn_measure measure);

/* "pairwise", "tau", "top-1", ..., "recall@1", ..., "slowdown@1", ..., "R2", "MAE": in tables; and
   in JSON: "pairwise", "tau", "top-1", ..., "recall-1", ..., "slowdown-1", ..., "r2", "mae". */
const char *tpgnn_measure_name(tpgnn_measure measure);
const char *tpgnn_measure_json(tpgnn_measure measure);

typedef enum tpgnn_over { TPGNN_OVER_TASKS, TPGNN_OVER_FAMILIES } tpgnn_over;

/* A row per method: means of all measures but recall@1 (top-1 says more), slowdown@5 and
   slowdown@10 (so do top-5 and top-10), and the number of schedules that it could not score. */
harness_table *tpgnn_methods_table(const char *title, const tpgnn_comparison *comparison,
                                   tpgnn_over over);
/* A row per family (its tasks, schedules), then mean over families and mean over tasks; columns:
   pairwise accuracy, top-1 and top-5 score of two methods each. */
harness_table *tpgnn_families_table(const char *title, const tpgnn_comparison *comparison);
/* The same with a row per task. */
harness_table *tpgnn_tasks_table(const char *title, const tpgnn_comparison *comparison);

/* {"tasks": [{"task", "family", "schedules", METHOD: {MEASURE: number or null, ..., "unscored"}}],
   "families": [{"family", "tasks", "schedules", METHOD: {MEASURE: ...}}], "mean over tasks":
   {METHOD: {MEASURE: ...}}, "mean over families": ...}; owned by the caller. */
struct json_t *tpgnn_comparison_json(const tpgnn_comparison *comparison);

#endif
