/* SPDX-License-Identifier: MIT */
/* libaugur_models: the trained cost models of tgraph, tpu, tpgnn and nests for other programs, as a
   plain C ABI. It needs no other header of Augur, and the shared object exports only these
   functions.

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

   Bad input and lack of memory never end the process, and nothing is printed. Calls neither depend
   on the process's locale, signals and floating-point mode nor change them. Threads may share a
   handle. After fork, the child may use a handle unless another thread was in a call with it at the
   fork: then the handle's locks stay locked, and the child has to open its own. A call needs 256
   KiB of stack. */
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

/* Version of this header; augur_models_version() returns the version of the shared object. The
   number grows when a struct or function changes, not when one is added. */
#define AUGUR_MODELS_VERSION 1

/* Results of calls that fail; 0 is success. */
enum {
    AUGUR_MODELS_EUSE = -1, /* an argument that is not allowed, or data that do not fit the model */
    AUGUR_MODELS_EFILE = -2,   /* a file that cannot be read or written */
    AUGUR_MODELS_EDATA = -3,   /* a file or array whose contents are not as documented */
    AUGUR_MODELS_EMEMORY = -4, /* no memory */
    AUGUR_MODELS_EFINITE = -5  /* a loss or score that is not finite */
};

typedef struct augur_models augur_models;

/* A member of an npz file (docs/formats.md) in memory, in C order. */
typedef struct augur_models_array {
    const char *name;    /* "node_feat" */
    const char *dtype;   /* numpy's type string without the byte order: f4 f8 i1 i4 i8 u1 */
    int32_t rank;        /* 0 to 4 */
    const int64_t *size; /* [rank] */
    const void *data;
} augur_models_array;

/* Items to score or to train on: files of the kind that the model was trained on, or the arrays of
   one such file. Mark unknown run times as a file marks hidden ones (docs/formats.md). Everything
   is borrowed during the call. */
typedef struct augur_models_items {
    const char *path; /* of a file, folder or list of files; NULL: the arrays */
    const augur_models_array *array;
    int64_t arrays;
} augur_models_items;

/* Items with scores that may be compared: configurations of a graph, tile sizes of a kernel,
   schedules of a program. */
typedef struct augur_models_group {
    const char *name; /* the file's name, with "/7" for group 7 of several; "items" for arrays */
    int64_t items;
    const int64_t *number; /* [items] the items' numbers in the file, from 0 */
    const double *score;   /* [items] the smaller, the faster */
    const double *ns;      /* [items] predicted run times; NULL: scores give only an order */
} augur_models_group;

typedef struct augur_models_scores {
    int64_t groups, items;
    const augur_models_group *group; /* [groups] */
} augur_models_scores;

AUGUR_MODELS_API int augur_models_version(void);

/* augur_models_error returns the sentence of this thread's last call that failed, "" if none has.
   augur_models_warnings returns the warnings of its last call (about items far from the training
   data), a line each. Both stay valid until the next call of the thread. */
AUGUR_MODELS_API const char *augur_models_error(void);
AUGUR_MODELS_API const char *augur_models_warnings(void);

/* Opens a checkpoint. path: its file, a run folder that `PROGRAM train` wrote (its best
   checkpoint), or the name of a model that ships, such as "tpgnn-schedules", from
   share/augur/models in the library's folder or the nearest one above that has it. threads: how
   many threads a call uses; 0: one per processor. The latest augur_models_open sets the number for
   all handles of the process; scores do not depend on it. For small graphs, 1 thread here and calls
   from several threads are fastest. NULL: augur_models_error() says why. */
AUGUR_MODELS_API augur_models *augur_models_open(const char *path, int threads);

/* A JSON object: "program", "model" (its name in tables), "version" (of the program that wrote it),
   "measures" (the first one chose the best step), "smaller" (whether a smaller value of that
   measure is better), "group" and "items" (what they are), "parameters" (their number), "step",
   "options" (of its training). Valid until the handle is closed. NULL for NULL. */
AUGUR_MODELS_API const char *augur_models_describe(const augur_models *model);

/* Scores all items, with the same bits as `PROGRAM predict`. A score does not depend on the other
   items of the call, except in tgraph with attention between configurations (its --cross). *scores
   is NULL after a failure; else free it. Several threads may call at once, also during an
   update. */
AUGUR_MODELS_API int augur_models_predict(augur_models *model, const augur_models_items *items,
                                          augur_models_scores **scores);
AUGUR_MODELS_API void augur_models_scores_free(augur_models_scores *scores);

typedef struct augur_models_training {
    int32_t steps;        /* 1 to 100000 */
    double learning_rate; /* above 0, at most 1 */
} augur_models_training;

AUGUR_MODELS_API augur_models_training augur_models_training_default(void); /* 10, 1e-4 */

/* Trains further on these items, which must all have run times, with the options of the run's own
   training: its loss, batches and dropout, but a constant rate, no weight decay and nothing held
   out. It starts from the current parameters and moments. It does not see the items of earlier
   calls, so pass again all that should still count. training NULL: the default. loss [2] gets the
   losses of the first and of the last step; it may be NULL. Meanwhile, predictions use the old
   parameters, and other updates of the handle wait. After a failure the model is as it was before.
   The same sequence of calls gives the same bits each time. */
AUGUR_MODELS_API int augur_models_update(augur_models *model, const augur_models_items *items,
                                         const augur_models_training *training, double loss[2]);

/* Writes a checkpoint that augur_models_open and `PROGRAM eval` read: complete, or not at all. */
AUGUR_MODELS_API int augur_models_save(augur_models *model, const char *path);

/* Closes the handle. Other calls with it must have returned, and none may follow. NULL is
   allowed. */
AUGUR_MODELS_API void augur_models_close(augur_models *model);

#ifdef __cplusplus
}
#endif

#endif
