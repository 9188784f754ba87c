/* SPDX-License-Identifier: MIT */
/* Searches for faster fusions and tile sizes of a program. Source: Kaufman et al., section 7. A
   failure AG_ESTOPPED of a meter ends a search without a result. */
#ifndef TPU_TUNE_TUNE_H
#define TPU_TUNE_TUNE_H

#include "examples/harness/harness.h"
#include "examples/lab/fusion/fusion.h"
#include "examples/tpu/program.h"

/* ---- meters ---- */

/* The sources of times and scores, which tests make up. */
typedef struct tune_meters {
    void *state;
    /* ns of kernels, above 0: measured, or predicted by a model (NULL: there is none). */
    ag_status (*measure)(void *state, double *ns, const lab_fusion *kernels, ag_failure *why);
    ag_status (*predict)(void *state, double *ns, const lab_fusion *kernels, ag_failure *why);
    /* ns of the tiles which[0..count-1] of a kernel, measured in turn. */
    ag_status (*measure_tiles)(void *state, double *ns, const lab_program *kernel, int (*tile)[24],
                               const int *which, int count, ag_failure *why);
    /* Scores of all tiles of a kernel: small is fast. */
    ag_status (*score_tiles)(void *state, double *score, const lab_program *kernel, int (*tile)[24],
                             int count, ag_failure *why);
} tune_meters;

typedef enum tune_way { TUNE_HARDWARE, TUNE_LEARNED, TUNE_WAYS } tune_way;

/* ---- partitions ---- */

/* The times of a kernel: measured, predicted; 0: not asked for in this search. */
typedef struct tune_kernel {
    double ns[TUNE_WAYS];
} tune_kernel;

typedef struct tune_entry {
    char *key;
    int value;
} tune_entry;

/* The different kernels of the partitions of one program. */
typedef struct tune_pool {
    const lab_program *program; /* borrowed */
    const tune_meters *meters;
    tune_kernel *kernel;     /* a bag */
    tune_entry *number;      /* a map to kernels, or to -1: they cannot run as one */
    int *movable, n_movable; /* nodes whose place in a kernel can change */
    int *group;       /* [n] of the last partition: the output of a node's kernel; -1: none */
    uint64_t *nodes;  /* [n] scratch */
    ag_arena *memory; /* of the arrays and the partitions */
    double factor;    /* of predicted times */
    int64_t asked[TUNE_WAYS]; /* kernels, in this search */
} tune_pool;

/* A partition into kernels with one output each. It is defined by the nodes that are outputs: every
   other node is in the kernel of its readers. */
typedef struct tune_cut {
    unsigned char *output; /* [n] 1: a kernel ends here */
    int *part, parts;      /* [parts] its kernels in the pool, in topological order */
    char key[24];          /* equal for equal partitions */
} tune_cut;

void tune_pool_open(tune_pool *pool, const lab_program *p, const tune_meters *meters);
void tune_pool_close(tune_pool *pool);
tune_cut tune_cut_new(tune_pool *pool);
void tune_cut_copy(tune_cut *to, const tune_cut *from, const tune_pool *pool);
/* The partition that lab_partition draws. */
ag_status tune_cut_draw(tune_cut *cut, tune_pool *pool, double rate, uint64_t seed,
                        ag_failure *why);
/* Makes the partition whose outputs are at least those that are marked: where the readers of a node
   are in several kernels, it becomes an output too. Returns 0 when a kernel of it cannot run as
   one. */
int tune_cut_settle(tune_cut *cut, tune_pool *pool, ag_failure *why);
/* Appends the programs and the numbers (a bag) of the kernels that are neither measured nor known
   by this way, each once: kernel and n of `kernels` are filled. Fails: AG_EMEMORY. */
ag_status tune_cut_programs(lab_fusion *kernels, int **number, tune_pool *pool, tune_way way,
                            const tune_cut *cut, ag_failure *why);
/* Draws a neighbour, another partition than `from`: a kernel is merged into its reader or split in
   two, or a node moves to the kernel of its reader or of an operand; now and then several of these
   at once. Returns 0 when none is found. */
int tune_cut_move(tune_cut *to, const tune_cut *from, tune_pool *pool, ag_random *random,
                  ag_failure *why);

/* ---- annealing ---- */

/* Asks in one call for the times of all kernels of the cuts that are neither measured nor known by
   this way. */
ag_status tune_ask(tune_pool *pool, tune_way way, const tune_cut *const *cut, int count,
                   ag_failure *why);
/* The sum over the kernels: of measured times, else of predicted ones times the factor. */
double tune_time(const tune_pool *pool, const tune_cut *cut);

/* A partition and its time when it was tried. */
typedef struct tune_tried {
    tune_cut cut;
    double ns;
} tune_tried;

/* Appends a copy to a bag. */
void tune_keep(tune_tried **list, tune_pool *pool, const tune_cut *cut, double ns);

typedef struct tune_options {
    tune_way way;
    int64_t evaluations; /* different partitions that are priced at most, the start included */
    int chains; /* chains that run in parallel; each step prices the kernels of all in one call */
    int kept;   /* the fastest so many are listed, or all, in their order, if they are no more */
    double hot, cold; /* temperature at the begin and at the end, in ln(time) */
    uint64_t seed;
} tune_options;

/* All chains begin at `start`. A partition that is slower by d in ln(time) than the one before it
   is accepted with probability exp(-d / temperature), which falls geometrically with the
   evaluations. A partition that was priced before costs nothing. The search ends when the
   evaluations are used, or when nearly all partitions were seen. list: a bag, first NULL. */
ag_status tune_anneal(tune_tried **list, tune_pool *pool, const tune_cut *start,
                      const tune_options *options, ag_failure *why);

/* ---- searches ---- */

/* The result of a search, or of a choice of tiles. */
typedef struct tune_found {
    double speedup;   /* the default's time over that of what was chosen; 0: there was no search */
    int64_t measured; /* partitions or tiles, to choose it */
    int64_t kernels;  /* partitions: kernels that ran for that */
    double *curve;    /* partitions: [measured] speed-up of the best so far; a bag */
} tune_found;

enum { TUNE_MOST = 4 };

typedef struct tune_part {
    int kernels;       /* of the default partition */
    double default_ns; /* sum of their run times */
    tune_found found[TUNE_MOST];
} tune_part;

/* Searches of partitions have the number TUNE_WAYS * start + way. */
typedef enum tune_start { TUNE_DEFAULT, TUNE_RANDOM, TUNE_STARTS } tune_start;

/* The times of a result are not those that guided the search, whose minimum is biased: the best
   partitions of every search, and the default, are measured again, with all kernels in turn. */
ag_status tune_fusion_search(tune_part *result, const lab_program *p, const tune_meters *meters,
                             const tpu_settings *settings, ag_failure *why);

/* The choices of tiles: the fastest of all, of the ten that the model finds best, and the model's
   best, unseen. */
typedef enum tune_choice { TUNE_EXHAUSTIVE, TUNE_TEN, TUNE_FIRST, TUNE_CHOICES } tune_choice;

/* Searches the tiles of the default partition; the chosen ones are measured again. */
ag_status tune_tiles_search(tune_part *result, const lab_program *p, const tune_meters *meters,
                            const tpu_settings *settings, ag_failure *why);

void tune_part_clear(tune_part *result);

/* ---- results ---- */

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
