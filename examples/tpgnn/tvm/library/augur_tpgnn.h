/* SPDX-License-Identifier: MIT */
/* libaugur_tpgnn: a trained cost model of schedules for a tuner, as a plain C ABI. It needs no
   other header of Augur; the shared object shows these functions alone.

       augur_tpgnn *model = augur_tpgnn_open("runs/tpgnn", 2);
       if (!model) puts(augur_tpgnn_error());
       augur_tpgnn_predict(model, &graphs, score);     the largest score is the fastest program
       ...measure some of them...
       augur_tpgnn_update(model, &graphs, runtime_ns, NULL, NULL, NULL);
       augur_tpgnn_save(model, "tuned.safetensors");
       augur_tpgnn_close(model);

   Neither bad input nor lack of memory ends the process, and no call depends on its locale, signals
   and floating-point mode or changes them. A child of fork may go on with a handle unless another
   thread was in a call with it, which would keep its lock; then it opens a handle of its own. */
#ifndef AUGUR_TPGNN_H
#define AUGUR_TPGNN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
# define AUGUR_TPGNN_API __attribute__((visibility("default")))
#else
# define AUGUR_TPGNN_API
#endif

/* Version of this header; augur_tpgnn_version() gives that of the shared object. It grows when a
   struct or function changes, not when one is added. */
#define AUGUR_TPGNN_VERSION 1

/* Results of calls that fail; 0 is success. */
enum {
    AUGUR_TPGNN_EUSE = -1,    /* an argument that is not allowed */
    AUGUR_TPGNN_EFILE = -2,   /* a file that cannot be read or written */
    AUGUR_TPGNN_EDATA = -3,   /* a file or array whose contents are not as documented */
    AUGUR_TPGNN_EMEMORY = -4, /* no memory */
    AUGUR_TPGNN_EFINITE = -5  /* a loss or score that is not finite */
};

typedef struct augur_tpgnn augur_tpgnn;

/* Programs as trees, in the layout of the npz files (docs/formats.md, "Schedules of tensor
   programs"): the nodes of all graphs, concatenated, each graph's in pre-order. Borrowed during the
   call. */
typedef struct augur_tpgnn_graphs {
    int64_t graphs, nodes;
    const char *kinds;       /* lines "TYPE LOOP DTYPE SCOPE NAMED"; no 0 is needed at the end */
    int64_t kinds_bytes;     /* the last line may go without its '\n' */
    const int32_t *kind;     /* [nodes] line of kinds, from 0 */
    const int32_t *children; /* [nodes] number of children */
    const float *value;      /* [nodes] value of a constant, extent of a loop, else 0 */
    const int32_t *refers;   /* [nodes] number of a declaration before it, from 1; 0: none */
    const int64_t *offset;   /* [graphs + 1] first node of each; the last is `nodes` */
} augur_tpgnn_graphs;

AUGUR_TPGNN_API int augur_tpgnn_version(void);

/* The sentence of this thread's last call that failed or could not read a graph, "" if there was
   none. It stays valid until the next such call of the thread. */
AUGUR_TPGNN_API const char *augur_tpgnn_error(void);

/* Opens a checkpoint, or the best one of a run folder that `tpgnn train` wrote. threads: the number
   that one call uses; it applies to all handles of the process; 0: those that the machine has.
   Scores do not depend on it. A graph is little work: 1 thread, and calls from several threads, is
   fastest. NULL: augur_tpgnn_error() says why. */
AUGUR_TPGNN_API augur_tpgnn *augur_tpgnn_open(const char *path, int threads);

/* The name of the model in tables: "TPGNN" for the paper's network, "network of statements" for the
   other one, with " with rows (costs)" where it reads rows of loop nests. NULL for NULL. */
AUGUR_TPGNN_API const char *augur_tpgnn_name(const augur_tpgnn *model);

/* score [graphs]: the larger, the faster; comparable only between graphs of one program; -INFINITY
   for a graph that cannot be read or whose score is not finite. Returns the number of those graphs
   or, with all scores -INFINITY, an error: AUGUR_TPGNN_EUSE (NULL; counts out of range, which leave
   score as it is), AUGUR_TPGNN_EMEMORY. The score of a graph does not depend on the others of the
   call. Several threads may call at once, also during an update: they wait until it is done. */
AUGUR_TPGNN_API int64_t augur_tpgnn_predict(augur_tpgnn *model, const augur_tpgnn_graphs *graphs,
                                            double *score);

typedef struct augur_tpgnn_training {
    int32_t steps;        /* 0 to 100000 steps of Adam; 0 only remembers the graphs */
    int32_t batch;        /* 2 to 4096 graphs a step, drawn from all so far */
    double learning_rate; /* above 0 to 1 */
} augur_tpgnn_training;

AUGUR_TPGNN_API augur_tpgnn_training augur_tpgnn_training_default(void); /* 10, 64, 1e-4 */

/* Remembers measured graphs and trains on all that it remembers: the pairwise logistic loss between
   graphs of one task, dropout as in training, no weight decay, starting from the current
   parameters. runtime [graphs]: ns; below 1: not measured, left out. task [graphs]: the caller's
   numbers for the programs that the graphs are schedules of; NULL: all 0. training NULL: the
   default. loss [2], or NULL: the loss over at most 4096 of the remembered graphs, without dropout,
   before and after the steps; 0 where no two graphs of a task differ, and then no step is done.
   Returns the number of graphs that were left out, or an error, with unchanged parameters:
   AUGUR_TPGNN_EUSE, AUGUR_TPGNN_EMEMORY, AUGUR_TPGNN_EFINITE. The same sequence of calls gives the
   same bits each time. */
AUGUR_TPGNN_API int64_t augur_tpgnn_update(augur_tpgnn *model, const augur_tpgnn_graphs *graphs,
                                           const int64_t *runtime, const int32_t *task,
                                           const augur_tpgnn_training *training, double loss[2]);

/* Writes a checkpoint that augur_tpgnn_open and `tpgnn eval` read: complete, or not at all. It does
   not contain the remembered graphs. 0, or AUGUR_TPGNN_EUSE, AUGUR_TPGNN_EFILE,
   AUGUR_TPGNN_EMEMORY. */
AUGUR_TPGNN_API int augur_tpgnn_save(augur_tpgnn *model, const char *path);

/* Other calls with this handle must have returned, and none may follow. NULL is allowed. */
AUGUR_TPGNN_API void augur_tpgnn_close(augur_tpgnn *model);

#ifdef __cplusplus
}
#endif

#endif
