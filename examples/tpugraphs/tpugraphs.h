/* SPDX-License-Identifier: MIT */
/* What the npz files of TpuGraphs have in common: which files a call names, how much memory they
   may take, and their arrays, read and checked. Functions return AG_OK, or record the first failure
   in `why` (not NULL, {0} at the call) and return its status. */
#ifndef TPUGRAPHS_TPUGRAPHS_H
#define TPUGRAPHS_TPUGRAPHS_H

#include "core/internal.h"
#include "examples/harness/options.h"

enum {
    TPUGRAPHS_FEATURES = 140,    /* columns of node_feat */
    TPUGRAPHS_TILE_FEATURES = 24 /* columns of config_feat in a tile file */
};

/* ---- which files ---------------------------------------------------------------------------- */

typedef struct tpugraphs_paths {
    char **path;
    int count;
} tpugraphs_paths;

/* Appends a file, every .npz below a folder (all levels, sorted by path), or what a list names: a
   file whose name ends in .txt, a path per line, relative to the folder of the list. Start from
   {0}. Fails: AG_EFILE (no such path, a folder or list that cannot be read or gives no file),
   AG_EMEMORY. */
ag_status tpugraphs_paths_add(tpugraphs_paths *paths, const char *path, ag_failure *why);
/* Appends a name as it is. Fails: AG_EMEMORY. */
ag_status tpugraphs_paths_name(tpugraphs_paths *paths, const char *path, ag_failure *why);
void tpugraphs_paths_free(tpugraphs_paths *paths);

/* Appends what an option names, each file once, however often and by whatever way it is named; with
   a warning when there are such, unless `option` (its name) is NULL. Fails: as above. */
ag_status tpugraphs_paths_read(tpugraphs_paths *paths, const harness_paths *given,
                               const char *option, ag_failure *why);

/* Refuses a file of results (--csv; NULL: none) that is a file of --data or of a run that the call
   reads, by whatever name or link. Fails: AG_EUSE, and as above. */
ag_status tpugraphs_check_output(const char *output, const harness_paths *data, const char *run,
                                 const harness_paths *more_runs, ag_failure *why);

/* Appends what --data named in a run of this configuration (the JSON in its checkpoints), as far as
   it is still there; what is not, by its name. Fails: AG_EMEMORY. */
ag_status tpugraphs_paths_recall(tpugraphs_paths *paths, const char *configuration,
                                 ag_failure *why);
/* Warns when files of an option have the names (without folders) of files that were trained on. */
void tpugraphs_warn_trained(const char *option, char *const *path, int count, char *const *trained,
                            int trained_count);

/* ---- memory ----------------------------------------------------------------------------------
 */

/* What all open files hold together. A packed store that does not fit below `limit` bytes (0:
   no limit) lives in a temporary file in $TMPDIR; everything else must fit. Start from {limit,
   0, 0}. */
typedef struct tpugraphs_budget {
    size_t limit, used; /* bytes in memory */
    size_t on_disk;     /* bytes in temporary files */
} tpugraphs_budget;

/* Memory that a file keeps: counted in *bytes and in the budget. NULL with a sentence. */
void *tpugraphs_take(tpugraphs_budget *budget, size_t *bytes, size_t count, size_t size,
                     const char *name, ag_failure *why);
/* The name of the file at `path` without folder and .npz, kept likewise. */
char *tpugraphs_take_name(tpugraphs_budget *budget, size_t *bytes, const char *path,
                          ag_failure *why);
ag_status tpugraphs_no_memory(const char *name, size_t bytes, ag_failure *why);
/* The limit of what is read beside it. */
size_t tpugraphs_rest(const tpugraphs_budget *budget);
/* 1, or a failure, when so many more bytes would exceed the limit. */
int tpugraphs_exceeds(const tpugraphs_budget *budget, size_t bytes);
ag_status tpugraphs_fits(const tpugraphs_budget *budget, size_t bytes, const char *name,
                         const char *what, ag_failure *why);

/* ---- features --------------------------------------------------------------------------------
 */

/* x = sign(x) ln(1 + |x|): products of sizes and their sums come to one scale. */
void tpugraphs_take_logs(float *x, int64_t n);

/* ---- the arrays ------------------------------------------------------------------------------
 */

/* An open npz with the arrays that are small enough to be held whole, checked. */
typedef struct tpugraphs_raw {
    ag_npz *npz;
    const char *path, *name; /* name: what sentences call the file */
    const tpugraphs_budget *budget;
    int nodes, edges, configurable; /* configurable is 0 in a tile file */
    int configs, has_runtimes;
    int32_t *opcode;      /* [nodes] */
    int32_t *edge;        /* [edges,2] */
    int32_t *config_node; /* [configurable] */
} tpugraphs_raw;

/* The path, or its end when it is too long for a sentence. */
const char *tpugraphs_short(const char *path);
const char *tpugraphs_base(const char *path);

/* A member of this rank and size (-1: any), or NULL with a sentence; `means` says what the sizes
   count. */
const ag_array_info *tpugraphs_member(const tpugraphs_raw *raw, const char *name, ag_shape size,
                                      const char *means, ag_failure *why);

/* Opens the file and checks node_feat's shape, node_opcode and edge_index. */
ag_status tpugraphs_raw_open(tpugraphs_raw *raw, const char *path, const tpugraphs_budget *budget,
                             int opcodes, ag_failure *why);
ag_status tpugraphs_raw_config_nodes(tpugraphs_raw *raw,
                                     ag_failure *why); /* node_config_ids and node_splits */
/* Run times into [configs] that the caller owns; sets has_runtimes. */
ag_status tpugraphs_raw_runtimes(tpugraphs_raw *raw, int64_t *runtime, ag_failure *why);
ag_status tpugraphs_raw_positive(const tpugraphs_raw *raw, const char *name, const int64_t *value,
                                 ag_failure *why);
/* Inflates every member not in `read` (NULL-terminated) once, for its CRC. */
ag_status tpugraphs_raw_verify(tpugraphs_raw *raw, const char *const *read, ag_failure *why);
void tpugraphs_raw_close(tpugraphs_raw *raw);

/* Reads a member that is held whole; NULL with a sentence. Release it with ag__free. */
void *tpugraphs_raw_read(const tpugraphs_raw *raw, const char *name, ag_dtype as, int64_t count,
                         ag_failure *why);

#endif
