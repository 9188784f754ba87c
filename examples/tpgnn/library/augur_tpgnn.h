/* SPDX-License-Identifier: MIT */
/* libaugur_tpgnn: a trained cost model of schedules for a tuner, as a plain C ABI. It needs no
   other header of Augur; the shared object shows these functions and, for tvm_ffi.load_module,
   those of library/tvm_ffi.c.

       augur_tpgnn *model = augur_tpgnn_open("runs/tpgnn", 2);
       if (!model) puts(augur_tpgnn_error());
       augur_tpgnn_predict(model, &graphs, score);     the largest score is the fastest program
       ...measure some of them...
       augur_tpgnn_update(model, &graphs, runtime_ns, NULL, NULL, NULL);
       augur_tpgnn_save(model, "tuned.safetensors");
       augur_tpgnn_close(model);

   Neither bad input nor lack of memory ends the process. */
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

/* Of this header; augur_tpgnn_version() gives that of the shared object. It grows when a struct or
   function changes, not when one is added. */
#define AUGUR_TPGNN_VERSION 1

/* What calls that can fail return, if not 0. */
enum {
    AUGUR_TPGNN_EUSE = -1,    /* an argument that is not allowed */
    AUGUR_TPGNN_EFILE = -2,   /* a file that cannot be read or written */
    AUGUR_TPGNN_EDATA = -3,   /* a file or array whose contents are not as documented */
    AUGUR_TPGNN_EMEMORY = -4, /* no memory */
    AUGUR_TPGNN_EFINITE = -5  /* a loss or score that is not finite */
};

typedef struct augur_tpgnn augur_tpgnn;

/* Programs as trees, in the layout of the npz files (docs/formats.md, "Schedules of tensor
   programs"): the nodes of all graphs behind one another, each graph's in pre-order. Borrowed
   during the call. */
typedef struct augur_tpgnn_graphs {
    int64_t graphs, nodes;
    const char *kinds;       /* lines "TYPE LOOP DTYPE SCOPE NAMED"; no 0 is needed at the end */
    int64_t kinds_bytes;     /* the last line may go without its '\n' */
    const int32_t *kind;     /* [nodes] line of kinds, from 0 */
    const int32_t *children; /* [nodes] how many */
    const float *value;      /* [nodes] of a constant, a loop's extent, else 0 */
    const int32_t *refers;   /* [nodes] number of a declaration before it, from 1; 0: none */
    const int64_t *offset;   /* [graphs + 1] first node of each; the last is `nodes` */
} augur_tpgnn_graphs;

AUGUR_TPGNN_API int augur_tpgnn_version(void);

/* The sentence of the last call of this thread that failed or could not read a graph, "" before the
   first; it stays valid until the next such call of the thread. */
AUGUR_TPGNN_API const char *augur_tpgnn_error(void);

/* Opens a checkpoint, or the best one of a run folder that `tpgnn train` wrote. threads: that one
   call uses, of this and of all other handles of the process; 0: those that the machine has; scores
   do not depend on it. A graph is little work: 1, and calls from several threads, is fastest. NULL:
   augur_tpgnn_error() says why. */
AUGUR_TPGNN_API augur_tpgnn *augur_tpgnn_open(const char *path, int threads);

/* score [graphs]: the larger, the faster, comparable between graphs of one program alone; of a
   graph that cannot be read, or whose score is not finite, -INFINITY. Returns how many those are,
   or, with all scores -INFINITY, what went wrong: AUGUR_TPGNN_EUSE (NULL, counts out of range),
   AUGUR_TPGNN_EMEMORY. The score of a graph does not depend on the others of the call. Several
   threads may call at once, also during an update: they wait until it is done. */
AUGUR_TPGNN_API int64_t augur_tpgnn_predict(augur_tpgnn *model, const augur_tpgnn_graphs *graphs,
                                            double *score);

typedef struct augur_tpgnn_training {
    int32_t steps;        /* 0 to 100000 steps of Adam; 0 only remembers the graphs */
    int32_t batch;        /* 2 to 4096 graphs a step, drawn from all so far */
    double learning_rate; /* above 0 to 1 */
} augur_tpgnn_training;

AUGUR_TPGNN_API augur_tpgnn_training augur_tpgnn_training_default(void); /* 10, 64, 1e-4 */

/* Remembers measured graphs and trains on all that it remembers: the pairwise logistic loss between
   graphs of one task, dropout as in training, no weight decay, from where the parameters are.
   runtime [graphs]: ns; below 1: not measured, left out. task [graphs]: numbers of the caller's
   for the programs that graphs are schedules of; NULL: all 0. training NULL: the default.
   loss [2], or NULL: of all that is remembered, at most 4096 of them, without dropout, before and
   after the steps; 0 where no two graphs of a task differ, and then no step is done. Returns how
   many graphs were left out, or what went wrong, with parameters as they were: AUGUR_TPGNN_EUSE,
   AUGUR_TPGNN_EMEMORY, AUGUR_TPGNN_EFINITE. A sequence of calls gives the same bits each time. */
AUGUR_TPGNN_API int64_t augur_tpgnn_update(augur_tpgnn *model, const augur_tpgnn_graphs *graphs,
                                           const int64_t *runtime, const int32_t *task,
                                           const augur_tpgnn_training *training, double loss[2]);

/* Writes a checkpoint that augur_tpgnn_open and `tpgnn eval` read: complete, or not at all. What is
   remembered is not in it. 0, or AUGUR_TPGNN_EUSE, AUGUR_TPGNN_EFILE, AUGUR_TPGNN_EMEMORY. */
AUGUR_TPGNN_API int augur_tpgnn_save(augur_tpgnn *model, const char *path);

/* No call may use the handle then, or still be at work. NULL is allowed. */
AUGUR_TPGNN_API void augur_tpgnn_close(augur_tpgnn *model);

#ifdef __cplusplus
}
#endif

#endif
