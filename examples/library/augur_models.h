/* SPDX-License-Identifier: MIT */
/* libaugur_models: the trained cost models of tgraph, tpu, tpgnn and nests for other programs, as a
   plain C ABI. It needs no other header of Augur; the shared object shows only these functions.

       augur_models *model = augur_models_open("runs/tpgnn", 1);
       if (!model) puts(augur_models_error());
       augur_models_items items = {.path = "schedules.npz"};
       augur_models_scores *scores;
       augur_models_predict(model, &items, &scores);          the smallest score is the fastest item
       ...measure some of them, write a file with their run times...
       augur_models_update(model, &measured, NULL, NULL);
       augur_models_save(model, "tuned.safetensors");
       augur_models_scores_free(scores);
       augur_models_close(model);

   Neither bad input nor lack of memory ends the process, nothing is printed, and no call depends on
   the process's locale, signals or floating-point mode, or changes them. Threads may share a
   handle. A child of fork may use a handle unless another thread was in a call with it, since then
   its locks stay locked; such a child opens a handle of its own. A call needs 256 KiB of stack. */
#ifndef AUGUR_MODELS_H
#define AUGUR_MODELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
# define AUGUR_MODELS_API __attribute__((visibility("default")))
#else
# define AUGUR_MODELS_API
#endif

/* Version of this header; augur_models_version() gives that of the shared object. It grows when a
   struct or function changes, not when one is added. */
#define AUGUR_MODELS_VERSION 1

/* Results of calls that fail; 0 is success. */
enum {
    AUGUR_MODELS_EUSE = -1,    /* an argument that is not allowed, data that do not fit the model */
    AUGUR_MODELS_EFILE = -2,   /* a file that cannot be read or written */
    AUGUR_MODELS_EDATA = -3,   /* a file or array whose contents are not as documented */
    AUGUR_MODELS_EMEMORY = -4, /* no memory */
    AUGUR_MODELS_EFINITE = -5  /* a loss or score that is not finite */
};

typedef struct augur_models augur_models;

/* A member of an npz file (docs/formats.md) in memory, in C order. */
typedef struct augur_models_array {
    const char *name;    /* "node_feat" */
    const char *dtype;   /* as numpy's str without byte order: f4 f8 i1 i4 i8 u1 */
    int32_t rank;        /* 0 to 4 */
    const int64_t *size; /* [rank] */
    const void *data;
} augur_models_array;

/* Items to score or to train on: files of the kind that the model was trained on, or the arrays of
   one such file. Unknown run times are as in files with hidden run times. Borrowed during the call.
   */
typedef struct augur_models_items {
    const char *path; /* of a file, folder or list of files; NULL: the arrays */
    const augur_models_array *array;
    int64_t arrays;
} augur_models_items;

/* Items with scores that may be compared: configurations of a graph, tile sizes of a kernel,
   schedules of a program. */
typedef struct augur_models_group {
    const char *name; /* the file's, "items" for arrays */
    int64_t items;
    const int64_t *number; /* [items] the items' numbers in the file, from 0 */
    const double *score;   /* [items] the smaller, the faster */
    const double *ns;      /* [items] predicted run times; NULL: scores only rank */
} augur_models_group;

typedef struct augur_models_scores {
    int64_t groups, items;
    const augur_models_group *group; /* [groups] */
} augur_models_scores;

AUGUR_MODELS_API int augur_models_version(void);

/* The sentence of this thread's last call that failed, "" if there was none; and the warnings of
   this thread's last call (of items far from training), a line each. Both stay valid until the next
   call of the thread. */
AUGUR_MODELS_API const char *augur_models_error(void);
AUGUR_MODELS_API const char *augur_models_warnings(void);

/* Opens a checkpoint, or the best one of a run folder that `PROGRAM train` wrote or of a model that
   ships ("tpgnn-schedules"; share/augur/models above the library has them). threads: the number
   that one call uses, the same for all handles of the process; 0: as many as the machine has.
   Scores do not depend on it. Small graphs are little work: 1 thread, and calls from several
   threads, is fastest. NULL: augur_models_error() says why. */
AUGUR_MODELS_API augur_models *augur_models_open(const char *path, int threads);

/* A JSON object: "program", "model" (its name in tables), "version" of the program that wrote it,
   "measures" (the first one chose the best step, "smaller": by its smallest value), "group" and
   "items" (what one is), "ns" (scores are run times), "parameters", "step", "options" of its
   training. Valid until the handle is closed. NULL for NULL. */
AUGUR_MODELS_API const char *augur_models_describe(const augur_models *model);

/* Scores all items, with the bits of `PROGRAM predict`. A score does not depend on the other items
   of the call, except in tgraph with attention between configurations (its --cross). *scores is
   NULL after a failure; else free it. Several threads may call at once, also during an update. */
AUGUR_MODELS_API int augur_models_predict(augur_models *model, const augur_models_items *items,
                                          augur_models_scores **scores);
AUGUR_MODELS_API void augur_models_scores_free(augur_models_scores *scores);

typedef struct augur_models_training {
    int32_t steps;        /* 1 to 100000 */
    double learning_rate; /* above 0 to 1 */
} augur_models_training;

AUGUR_MODELS_API augur_models_training augur_models_training_default(void); /* 10, 1e-4 */

/* Trains further on these items, all of which have run times, with the options of the run's own
   training: its loss, batches and dropout, but a constant rate, no weight decay and nothing held
   out. It starts from the current parameters and moments, and sees nothing of earlier items: give
   again those that should still count. training NULL: the default. loss [2], or NULL: the losses of
   the first and of the last step. Predictions go on meanwhile with the old parameters; updates wait
   for each other. After a failure the model is as it was before. The same sequence of calls gives
   the same bits each time. */
AUGUR_MODELS_API int augur_models_update(augur_models *model, const augur_models_items *items,
                                         const augur_models_training *training, double loss[2]);

/* Writes a checkpoint that augur_models_open and `PROGRAM eval` read: complete, or not at all. */
AUGUR_MODELS_API int augur_models_save(augur_models *model, const char *path);

/* Other calls with this handle must have returned, and none may follow. NULL is allowed. */
AUGUR_MODELS_API void augur_models_close(augur_models *model);

#ifdef __cplusplus
}
#endif

#endif
