/* SPDX-License-Identifier: MIT */
/* TpuGraphs files for TGraph: read and checked, pruned, packed, standardised; and how batches are
   drawn. Functions return AG_OK, or record the first failure in `why` (not NULL, {0} at the call)
   and return its status. */
#ifndef TGRAPH_DATA_H
#define TGRAPH_DATA_H

#include "examples/harness/base/draws.h"
#include "examples/harness/commands/loader.h"
#include "examples/rows/joined.h"
#include "examples/tgraph/rows/layout.h"
#include "examples/tpugraphs/tpugraphs.h"

enum {
    TGRAPH_NUMERIC = 134,   /* the first columns of node_feat: numbers, standardised */
    TGRAPH_LAYOUT = 6,      /* the next columns: the layout, minor to major */
    TGRAPH_DIGITS = 18,     /* columns of node_config_feat: output, input and kernel layout */
    TGRAPH_WORDS = 3,       /* packed size of the digits of one node: 3 x 32 bits */
    TGRAPH_LAYOUT_ROWS = 8, /* rows of the layout table: value + 2; row 0 is "not configurable" */
    TGRAPH_OPCODES = 121    /* HLO op codes 0..120 */
};

/* ---- how to read one ---- */

/* In the order of the words of --dedup. */
typedef enum tgraph_dedup {
    TGRAPH_KEEP_ALL,    /* every configuration: validation, test, prediction */
    TGRAPH_KEEP_FIRST,  /* equal configurations become one, with the run time of the first */
    TGRAPH_KEEP_FASTEST /* ... with the smallest run time (the paper) */
} tgraph_dedup;

typedef struct tgraph_data_options {
    bool prune;         /* keep configurable nodes and their neighbours only */
    bool repad;         /* write -1 after the rank into the layout columns of node_feat */
    bool logs;          /* sign(x) ln(1 + |x|) of the numeric features */
    tgraph_dedup dedup; /* for the training split */
    bool configs_only;  /* the graph is left out */
    bool operations;    /* the operations, of which rows of loop nests are made, are read, too */
} tgraph_data_options;

/* prune, repad, no logs and TGRAPH_KEEP_ALL. */
tgraph_data_options tgraph_layout_defaults(void);

/* ---- a graph ---- */

/* A program as the model sees it (after pruning). */
typedef struct tgraph_graph {
    int nodes, edges, configurable;
    float *raw;           /* [nodes,134] as in the file */
    ag_real *feature;     /* [nodes,134] standardised; 0 before tgraph_set_scale */
    int32_t *layout;      /* [nodes,6] rows 0..7 of the layout table */
    int32_t *opcode;      /* [nodes] */
    int32_t *edge;        /* [edges,2] pairs (u, v) as in the file: u consumes the output of v */
    int32_t *config_node; /* [configurable] ascending node indices */
    int32_t *kept;        /* [known] number of each node of the file, or -1 */
    int known;            /* nodes of the file; 0: there is no `kept` */
    char *block;          /* of these arrays */
} tgraph_graph;

/* One-hop pruning: an edge stays when either end is configurable; a node stays when it is
   configurable or an end of such an edge. edge [edges,2] is compacted and renumbered in place;
   new_id [nodes] gets the new number of each node, or -1. Returns the number of nodes kept.
   Source: prune_graph of the authors' code. */
int tgraph_prune(int32_t *new_id, int32_t *edge, int *edges, int nodes, const int32_t *config_node,
                 int configurable);

/* Layout columns of one node, [6] of -1..5. With `repad`, columns after the rank (read from the
   shape columns) become -1. */
void tgraph_layout_index(int32_t row[TGRAPH_LAYOUT], const float node_feat[TPUGRAPHS_FEATURES],
                         int repad);

/* ---- packed configurations ---- */

/* 18 values -1..5 to 3 words: sum of (value+1) 7^k over 6 values each. Returns -1, or the index of
   the first value that is not an integer in -1..5. */
int tgraph_pack(uint32_t word[TGRAPH_WORDS], const float value[TGRAPH_DIGITS]);

/* Unpacks the words as rows of the layout table: value + 2. */
void tgraph_unpack(int32_t row[TGRAPH_DIGITS], const uint32_t word[TGRAPH_WORDS]);

/* Packed rows of equal width, in memory or in a mapped, already unlinked, temporary file. */
typedef struct tgraph_store {
    uint32_t *word;         /* [capacity, width] */
    int64_t rows, capacity; /* rows written, rows that fit */
    int64_t width;          /* words per row: 3 x configurable nodes */
    size_t mapped;          /* bytes of the mapping; 0: in memory */
} tgraph_store;

/* Makes room for `capacity` rows: 4 x capacity x width bytes. `name` is for sentences. Fails:
   AG_EMEMORY; AG_EFILE (the temporary file has no room). */
ag_status tgraph_store_open(tgraph_store *store, int64_t capacity, int64_t width,
                            tpugraphs_budget *budget, const char *name, ag_failure *why);
/* Appends a row, for which there must be room. */
void tgraph_store_put(tgraph_store *store, const uint32_t *row);
/* Frees the memory of rows that were not written. */
void tgraph_store_trim(tgraph_store *store, tpugraphs_budget *budget);
void tgraph_store_close(tgraph_store *store, tpugraphs_budget *budget);

/* ---- a file ---- */

typedef struct tgraph_file {
    const char *path, *name; /* borrowed; name: the file name, part of path */
    tgraph_graph graph;
    int file_nodes, file_edges; /* before pruning */
    int file_configs;           /* before de-duplication */
    int configs;                /* kept */
    int has_runtimes;           /* 0: all are 0 (the contest's test split) */
    int64_t *runtime;           /* [configs] ns */
    int64_t fastest, slowest;   /* ns, over all configurations of the file */
    size_t bytes;               /* taken from the budget, store excluded */
    tpugraphs_budget *budget;
    nests_layout operations;     /* of the whole file; empty unless they were asked for */
    int32_t *file_row;           /* [configs] row in the file that the run time is from */
    tgraph_store store;          /* [configs, 3 configurable] */
    int32_t *train, *held;       /* the parts after tgraph_file_split, ascending; NULL before it */
    int train_count, held_count; /* all are for training before it */
} tgraph_file;

/* Reads and checks everything, every CRC included; the npz file is closed again on return. NULL:
   `why` says what is wrong, where, with value and range. budget may be NULL (no limit); it and the
   path must outlive the file. */
tgraph_file *tgraph_file_open(const char *path, const tgraph_data_options *options,
                              tpugraphs_budget *budget, ag_failure *why);
void tgraph_file_close(tgraph_file *file);

/* The packed digits of a configuration, [store.width]: the model reads nothing else of it. The
   digits of the next configurations follow. */
static inline const uint32_t *tgraph_file_words(const tgraph_file *file, int config)
{
    return file->store.word + config * file->store.width;
}

/* Splits the configurations of a file by a permutation that depends on the seed and their
   number: round(fraction x configs) train, the others are held out. Fails: AG_EUSE when either part
   would be empty. */
ag_status tgraph_file_split(tgraph_file *file, double fraction, uint64_t seed, ag_failure *why);

/* 1 if the training part has known run times and at least two configurations. */
int tgraph_file_trainable(const tgraph_file *file);

/* ---- standardisation ---- */

/* Mean and biased standard deviation per column; scale is 1 for a constant column (sklearn
   StandardScaler). */
typedef struct tgraph_scaler {
    int64_t count;
    double mean[TGRAPH_NUMERIC], scale[TGRAPH_NUMERIC];
    double squares[TGRAPH_NUMERIC]; /* sums of squared deviations while fitting */
} tgraph_scaler;

/* Adds rows x [rows, 134] to a scaler that starts from {0}. */
void tgraph_scaler_add(tgraph_scaler *scaler, const float *x, int64_t rows);
void tgraph_scaler_end(tgraph_scaler *scaler);
/* y = (x - mean) / scale, computed in double; x, y [rows, 134]. */
void tgraph_scaler_apply(const tgraph_scaler *scaler, ag_real *y, const float *x, int64_t rows);

/* How many nodes have a feature more than TGRAPH_FAR deviations from its mean. */
enum { TGRAPH_FAR = 10 };
int tgraph_graph_far(const tgraph_graph *graph, const tgraph_scaler *scaler);

/* ---- batches ---- */

/* A batch: some configurations of one file. Start from {0}; `joined` may be set before the batch is
   filled, and a source sets it to its own. */
typedef struct tgraph_batch {
    const nests_joined *joined; /* of the model that the rows are for; NULL: there are none */
    nests_joined_batch nests;   /* of `joined`, where that is used */
    nests_rows rows;            /* scratch */
    const tgraph_file *file;
    int configs;
    int32_t *config;  /* [configs] index in the file's store */
    int32_t *digit;   /* [configurable, configs, 18] rows 1..7 of the layout table */
    int32_t *rank;    /* [configs] dense ranks of the run times; all 0 when they are hidden */
    int64_t *runtime; /* [configs] ns */
    ag_arena *memory; /* of the arrays above */
} tgraph_batch;

/* Takes the named configurations, in this order. Fails: AG_EMEMORY. */
ag_status tgraph_batch_fill(tgraph_batch *batch, const tgraph_file *file, const int32_t *config,
                            int count, ag_failure *why);
void tgraph_batch_free(void *batch);

/* ---- rows of loop nests, of a file that was opened with operations ---- */

/* Warns once, as *warned notes, if the file does not say in which order nodes take their
   operands. */
void tgraph_rows_warn(bool *warned, const tgraph_file *file);
/* Opens the rows of configurations (NULL: 0..count-1); always free them. */
void tgraph_rows_take(nests_rows *rows, const tgraph_file *file, bool by_node,
                      const int32_t *config, int count);

/* The source of training batches: step s visits file s % files of epoch s / files and draws from
   its training part. A draw depends only on (seed, step), so the step's number is enough to resume
   a run. */
typedef struct tgraph_source {
    tgraph_file **files; /* [count] */
    int count;
    int configs;                /* per step */
    const nests_joined *joined; /* of the batches; may be set after the source is opened */
    uint64_t seed;
    int32_t *order; /* of `epoch` */
    int64_t epoch;
    int32_t *items; /* scratch, as long as the number of configurations of the largest file */
} tgraph_source;

/* files [count]: at least one, all trainable. */
void tgraph_source_open(tgraph_source *source, tgraph_file *const *files, int count, int configs,
                        uint64_t seed);
/* A harness_fill of a tgraph_batch. */
ag_status tgraph_source_draw(void *source, int64_t step, void *batch, ag_failure *why);
void tgraph_source_close(void *source);

#endif
