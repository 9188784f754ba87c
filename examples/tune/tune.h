/* SPDX-License-Identifier: MIT */
/* Searches for faster fusions and tile sizes of a program. Source: Kaufman et al., section 7. */
#ifndef TUNE_TUNE_H
#define TUNE_TUNE_H

#include "examples/harness/base/names.h"
#include "examples/harness/harness.h"
#include "examples/lab/collect/configs.h"
#include "examples/tpu/hooks.h"

/* ---- where times come from ---- */

typedef enum tune_way { TUNE_HARDWARE, TUNE_LEARNED, TUNE_WAYS } tune_way;

/* Fills ns for the kernels of a fusion or the tiles of a kernel, which[0..count-1] (NULL: the
   first), with times above 0, measured in turn or predicted. Predictions for tiles are only scores,
   of either sign: small is fast. A failure AG_ESTOPPED ends a search without a result. Tests make
   times up. */
typedef ag_status tune_meter(void *state, double *ns, const lab_configs *configs, const int *which,
                             int count, ag_failure *why);

typedef struct tune_meters {
    void *state;
    tune_meter *meter[TUNE_WAYS];
} tune_meters;

/* ---- partitions ---- */

typedef struct tune_times {
    double ns[TUNE_WAYS]; /* 0: not asked for in this search */
} tune_times;

/* The different kernels of the partitions of one program. */
typedef struct tune_pool {
    const lab_program *program; /* borrowed */
    const tune_meters *meters;
    lab_fusion kernels;      /* without partitions */
    tune_times *time;        /* [kernels.n] a bag */
    harness_name_at *number; /* from sets of nodes to kernels, or to -1: they cannot run as one */
    int *group;       /* [n] of the last partition: the output of a node's kernel; -1: none */
    uint64_t *nodes;  /* [n] scratch */
    ag_arena *memory; /* of the arrays and the partitions */
    double factor;    /* of predicted times */
} tune_pool;

/* A partition into kernels with one output each. It is defined by the nodes that are outputs: every
   other node is in the kernel of its readers. */
typedef struct tune_cut {
    unsigned char *output; /* [n] 1: a kernel ends here */
    int *part, parts;      /* [parts] its kernels in the pool, in topological order */
    char key[24];          /* equal for equal partitions */
    double ns;             /* in a list: its time when it was listed */
} tune_cut;

void tune_pool_open(tune_pool *pool, const lab_program *p, const tune_meters *meters);
void tune_pool_close(tune_pool *pool);
tune_cut tune_cut_new(tune_pool *pool);
void tune_cut_copy(tune_cut *to, const tune_cut *from, const tune_pool *pool);
/* The partition that lab_partition draws. */
void tune_cut_draw(tune_cut *cut, tune_pool *pool, double rate, uint64_t seed);
/* Makes a partition from the marked outputs; a node with readers in several kernels becomes an
   output, too. Returns 0 if one of its kernels cannot run as one. */
int tune_cut_settle(tune_cut *cut, tune_pool *pool);
/* Draws a neighbour, another partition than `from`: a kernel is merged into its reader or split in
   two, now and then several of these at once. Returns 0 when none is found. */
int tune_cut_move(tune_cut *to, const tune_cut *from, tune_pool *pool, ag_random *random);

/* ---- searches of partitions ---- */

/* Asks in one call for the times of all kernels of the cuts that this way has not given yet. */
ag_status tune_ask(tune_pool *pool, tune_way way, const tune_cut *cut, int count, ag_failure *why);
/* The sum over the kernels of their measured times, or else of predicted times x factor. */
double tune_time(const tune_pool *pool, const tune_cut *cut);

/* Simulated annealing. It asks for each partition once. The list (a bag) gets `start` and the
   fastest of the others, `kept` in all; if there are no more than that, it has all, in the order in
   which they were asked for. A partition that is slower by d in ln(time) than the one before it is
   accepted with probability exp(-d / temperature); the temperature falls geometrically. Ends after
   `partitions` partitions, or when nearly all were seen. */
ag_status tune_anneal(tune_cut **list, tune_pool *pool, const tune_cut *start, tune_way way,
                      int partitions, int kept, uint64_t seed, ag_failure *why);

/* ---- results ---- */

/* Searches of partitions have the number TUNE_WAYS * start + way; start is 0 for the default
   partition, 1 for a random one. Choices of tiles: the fastest of all, the fastest of the model's
   ten best, and the model's best without a measurement. */
enum { TUNE_SEARCHES = 2 * TUNE_WAYS, TUNE_MOST = TUNE_SEARCHES };
enum { TUNE_EXHAUSTIVE, TUNE_TEN, TUNE_FIRST, TUNE_CHOICES };

/* The times are not those that guided the search, since their minimum is biased: what was found is
   measured again, in turn with the default. */
typedef struct tune_result {
    char name[LAB_NAME];       /* of the program */
    double kernels;            /* of the default partition */
    double default_ns;         /* sum of their run times */
    double speedup[TUNE_MOST]; /* of each search or choice over the default */
} tune_result;

typedef ag_status tune_search(tune_result *result, const lab_program *p, const tune_meters *meters,
                              const tpu_settings *settings, ag_failure *why);
tune_search tune_fusion_search;
tune_search tune_tiles_search; /* of the tiles of each kernel of the default partition */

/* The kind of files that a model for the task is trained on. */
const char *tune_files(tpu_task task);

/* Appends the mean of all programs (at least one) to the list (a bag), writes autotune.json, a plot
   and report.html, and prints a table, or JSON. */
ag_status tune_report(tune_result **list, tpu_task task, const harness_call *call, ag_failure *why);

/* ---- model.c: predictions of trained models for the lab's kernels ---- */

/* Makes the arrays of a kernel as they would be read from a file. name is borrowed. */
void tune_kernel_open(tpu_kernel *kernel, const lab_program *from);
void tune_kernel_tiles(tpu_kernel *kernel, int (*tile)[24], int count); /* its configurations */

/* Run times of the kernels which[0..count-1] of a fusion, ns: finite and above 0; or scores of the
   first `count` tiles of a kernel: small is fast. Fails: AG_EFINITE (a score), and as tpu_score. */
ag_status tune_model_predict(const harness_runs *model, const tpu_settings *s, double *score,
                             const lab_configs *configs, const int *which, int count,
                             ag_failure *why);

#endif
