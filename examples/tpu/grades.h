/* SPDX-License-Identifier: MIT */
/* Scores as in Tables 2 and 8 of Kaufman et al.: per program, and their median and mean over
   programs. A score of a kernel's configuration grows with the predicted run time; that of a fusion
   kernel is the predicted run time in ns. */
#ifndef TPU_GRADES_H
#define TPU_GRADES_H

#include "examples/harness/report/table.h"
#include "examples/tpu/data/data.h"

typedef enum tpu_measure {
    /* Tile: how much longer a program takes with the predicted-best tiles than with the best ones,
       in % (Tile-Size APE, eq. 2; of equal scores the first in the file counts). Fusion: mean
       absolute percentage error of its kernels of at least `least` ns. */
    TPU_ERROR,
    /* Kendall's tau-b. Tile: mean over its kernels. Fusion: of those at least `least` ns long. */
    TPU_TAU,
    TPU_ERROR_ALL, /* fusion: of all kernels. Tile: not defined */
    TPU_TAU_ALL,
    TPU_MEASURES
} tpu_measure;

/* Of one program. A measure that is not defined is NaN: no kernel with run times, none of at least
   `least` ns; tau: fewer than two different scores or run times. Kernels without tau are left out
   of the mean of taus, but not of the error. */
typedef struct tpu_grade {
    int kernels, long_kernels; /* with run times; of at least `least` ns */
    double of[TPU_MEASURES];
} tpu_grade;

enum { TPU_LEAST = 5000 }; /* ns: 5 us, section 5.2 */

/* grade [programs]: of kernels [count], whose `program` is below programs; score[i] has an entry
   per configuration. Kernels with hidden run times are skipped. Fails: AG_EFINITE (a score is not
   finite), AG_EINDEX (a kernel's program). */
ag_status tpu_grade_programs(tpu_grade *grade, int programs, tpu_task task,
                             const tpu_kernel *const *kernel, const double *const *score, int count,
                             int64_t least, ag_failure *why);

/* Over programs, NaN left out. The paper's mean is the geometric one; it is NaN when a value is
   below 0 (a tau can be) and 0 when one is 0. All are NaN without values. */
typedef struct tpu_summary {
    double median, geometric, mean;
    int count;
} tpu_summary;
tpu_summary tpu_summarise(const tpu_grade *grade, int programs, tpu_measure measure);

/* ---- comparison of several methods ---- */

/* grade[m * programs + p]: of method m on program p. Borrowed. Method 0 is the model. */
typedef struct tpu_comparison {
    tpu_task task;
    int methods, programs;
    const char *const *method;  /* [methods] names */
    const char *const *program; /* [programs] */
    const tpu_grade *grade;
    int beside; /* the method whose columns are next to the model's; 0: the next one */
} tpu_comparison;

/* "APE %", "tau"; fusion: "MAPE %", "tau", "MAPE % of all", "tau of all". NULL: not of this task.
 */
const char *tpu_measure_name(tpu_task task, tpu_measure measure);

/* As Table 2: a row per program that has kernels, then median, geometric mean and mean; columns:
   program, kernels (fusion: and those that count), then error and tau, of two methods each. */
harness_table *tpu_comparison_table(const char *title, const tpu_comparison *comparison);

/* A row per method: median, geometric mean and mean over the programs of the error, median and mean
   of tau. all 1: over all kernels (fusion), 0: over those that count. */
harness_table *tpu_methods_table(const char *title, const tpu_comparison *comparison, int all);

/* {"programs": [{"program", "kernels", METHOD: {MEASURE: number or null}}], "median": {METHOD:
   ...}, "geometric mean": ..., "mean": ...}; owned by the caller. Measures are ape, tau; mape, tau,
   mape-all, tau-all. */
struct json_t *tpu_comparison_json(const tpu_comparison *comparison);

#endif
