/* SPDX-License-Identifier: MIT */
/* Measured schedules of tensor programs (docs/formats/tpgnn.md): a task per file. A schedule has
   its tree, the features of its stores and its run times. Functions return AG_OK, or record the
   first failure in `why` (not NULL, {0} at the call) and return its status. */
#ifndef TPGNN_DATA_H
#define TPGNN_DATA_H

#include "examples/harness/base/names.h"
#include "examples/harness/cli/options.h"
#include "examples/tpgnn/data/vocabulary.h"
#include "examples/tpugraphs/tpugraphs.h"

enum {
    TPGNN_FEATURES = 164,    /* of a stored buffer */
    TPGNN_MOST_KINDS = 65536 /* of nodes, in all files together */
};

/* A kind of node: the fields of a line of `kinds`. */
typedef struct tpgnn_kind {
    char *text;               /* the line: "For parallel int32 - 0"; owns the words, too */
    char *word[TPGNN_FIELDS]; /* its words; the class comes from the type */
    int index[TPGNN_FIELDS];  /* of the words in the vocabulary; 0: not there */
    int named;                /* 1: nodes of the type have a name in TIR */
    int constant;             /* 1: IntImm or FloatImm */
    bool buffer, loop;        /* it declares a buffer; it is a loop */
    bool declares;            /* it is one of these, or a binding */
} tpgnn_kind;

/* A schedule. Nodes are in pre-order, from the root, 0, on. Arrays live as long as the data. */
typedef struct tpgnn_schedule {
    int task, number;     /* its task, and its place in the file */
    int nodes, stores;    /* at least 1; at least 0 */
    const uint16_t *kind; /* [nodes] index into the data's kinds */
    const float
        *value; /* [nodes] of a constant or attribute its value, of a loop its extent; else 0 */
    const int32_t *parent;   /* [nodes] before the node; -1: the root */
    const int32_t *position; /* [nodes] among the children of its parent */
    const int32_t *depth;    /* [nodes] the root's is 0 */
    const int32_t *refers;   /* [nodes] the earlier node that declares the name it uses; -1: none */
    const float *feature;    /* rows of 164, shared by the schedules of a task */
    const int32_t *store;    /* [stores] the row of each stored buffer */
    int64_t runtime;         /* ns */
    int64_t pass[2];         /* ns: smallest of the first and of the second pass */
    bool noisy;              /* the measurement did not settle */
} tpgnn_schedule;

/* A task is one file, and its schedules are consecutive. Two files of one name are two tasks. */
typedef struct tpgnn_task {
    const char *name; /* of the file, without .npz */
    int family;       /* index of its family (the name up to its first '_') in the data */
    int first, schedules;
    int rows;     /* of features */
    char *block;  /* the arrays into which its schedules point */
    size_t bytes; /* of name and block, taken from the budget */
} tpgnn_task;

/* Start from {0}; the first two may be set before the first file. */
typedef struct tpgnn_data {
    tpugraphs_budget budget;
    const tpgnn_vocabulary *given; /* of training, borrowed; NULL: the files make `own` */
    tpgnn_vocabulary own;
    tpgnn_schedule *schedule;
    tpgnn_task *task;
    char **family;
    tpgnn_kind *kind; /* those that occur, in the order of the files */
    int schedules, tasks, families, kinds;
    int64_t nodes, stores;                /* of all schedules */
    uint64_t hash;                        /* of all names and arrays, in the order of the files */
    harness_files paths;                  /* what tpgnn_data_read has read */
    harness_name_at *kind_at, *family_at; /* the places of their texts, as maps */
    int task_room, schedule_room;
    size_t bytes; /* of the lists, taken from the budget */
} tpgnn_data;

/* Reads every file of the paths and appends it to the data. The vocabulary does not depend on the
   order of the files; a later call may give its words new indices. A file that fails adds nothing;
   those before it stay. Fails: AG_EFILE, AG_EDATA (a size, offset, index, count, tree or value that
   is not as documented), AG_EMEMORY, AG_ESTOPPED. */
ag_status tpgnn_data_add(tpgnn_data *data, const harness_files *paths, ag_failure *why);
/* The same for what a user names; call it once for `data`. option: as in harness_files_read. This
   function and the next are of a harness_fit. */
ag_status tpgnn_data_read(void *data, const harness_paths *given, const char *option,
                          ag_failure *why);
void tpgnn_data_free(void *data);

/* Looks all kinds up in another vocabulary, borrowed: the same schedules for another model. */
void tpgnn_data_translate(tpgnn_data *data, const tpgnn_vocabulary *given);

bool tpgnn_is_class(const tpgnn_data *data, const tpgnn_schedule *s, int node, const char *name);

/* The vocabulary of the kinds' indices: the given one, or that of the files. */
const tpgnn_vocabulary *tpgnn_data_vocabulary(const tpgnn_data *data);

#endif
