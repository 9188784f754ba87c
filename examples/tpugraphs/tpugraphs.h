/* SPDX-License-Identifier: MIT */
/* Common parts of programs that read TpuGraphs' npz files: the memory that they may take, and their
   arrays, read and checked. Functions return AG_OK, or record the first failure in `why` (not NULL,
   {0} at the call) and return its status. */
#ifndef TPUGRAPHS_TPUGRAPHS_H
#define TPUGRAPHS_TPUGRAPHS_H

#include "core/io/io.h"
#include "examples/harness/files/files.h"
#include "examples/tpugraphs/space.h"

enum {
    TPUGRAPHS_FEATURES = 140,    /* columns of node_feat */
    TPUGRAPHS_TILE_FEATURES = 24 /* columns of config_feat in a tile file */
};

/* ---- memory ---- */

/* The memory that all open files share. A packed store that does not fit below `limit` bytes (0: no
   limit) lives in a temporary file in $TMPDIR; everything else must fit. Start from {limit, 0}. */
typedef struct tpugraphs_budget {
    size_t limit, used; /* bytes in memory */
} tpugraphs_budget;

/* Memory that the caller releases with ag_free; name: of the file, for the sentence. NULL: `why`
   has it. */
void *tpugraphs_alloc(size_t bytes, const char *name, ag_failure *why);
/* The same, counted in *bytes and in the budget. */
void *tpugraphs_take(tpugraphs_budget *budget, size_t *bytes, size_t count, size_t size,
                     const char *name, ag_failure *why);
/* The name of the file at `path` without folder and .npz, allocated in the same way. */
char *tpugraphs_take_name(tpugraphs_budget *budget, size_t *bytes, const char *path,
                          ag_failure *why);
/* Returns the list with room for `count` items; it grows if necessary, and is counted in the same
   way. NULL: `why` has a sentence, and the list is unchanged. */
void *tpugraphs_grow(tpugraphs_budget *budget, size_t *bytes, void *list, int *room, int64_t count,
                     size_t size, ag_failure *why);
/* The limit for files that are read in addition: what the budget has left. */
size_t tpugraphs_rest(const tpugraphs_budget *budget);
/* 1 (with a failure) when `bytes` more would exceed the limit. */
int tpugraphs_exceeds(const tpugraphs_budget *budget, size_t bytes);
ag_status tpugraphs_fits(const tpugraphs_budget *budget, size_t bytes, const char *name,
                         const char *what, ag_failure *why);

/* The next array of a block, at a multiple of 64 bytes; with block NULL only *at grows, to count
   the bytes of all arrays. */
void *tpugraphs_lay(char *block, size_t *at, int64_t count, size_t size);

/* ---- features ---- */

/* x = sign(x) ln(1 + |x|), which brings products of sizes and their sums to a common scale. */
void tpugraphs_take_logs(float *x, int64_t n);

/* ---- noise ---- */

struct harness_rank;

/* harness_rank_noise with the noise of the file at path[i] for each group i, as manifest.json in
   its folder states it. */
void tpugraphs_noise(struct harness_rank *rank, const char *const *path);

/* ---- the arrays ---- */

/* An open npz with the arrays that are small enough to be held whole, checked. */
typedef struct tpugraphs_raw {
    ag_npz *npz;
    const char *path, *name;        /* name: the file's name in sentences */
    tpugraphs_budget *budget;       /* NULL: there is no limit */
    int nodes, edges, configurable; /* configurable is 0 in a tile file */
    int configs, has_runtimes;
    int32_t *opcode;  /* [nodes] */
    int32_t *reducer; /* [nodes] op code of what a reduction does, else 0; NULL: not in the file */
    int32_t *edge;    /* [edges,2] */
    int32_t *config_node; /* [configurable] */
} tpugraphs_raw;

/* A member of this rank and size (-1: any), or NULL with a sentence; `means` says what the sizes
   count. */
const ag_array_info *tpugraphs_member(const tpugraphs_raw *raw, const char *name, ag_shape size,
                                      const char *means, ag_failure *why);

/* 1: the file has this array. 0: it has not, or has it in a form that cannot be read, which `why`
   then says. */
int tpugraphs_has(const tpugraphs_raw *raw, const char *name, ag_failure *why);

/* Opens the file and checks node_feat's shape, node_opcode, node_reducer and edge_index. */
ag_status tpugraphs_raw_open(tpugraphs_raw *raw, const char *path, tpugraphs_budget *budget,
                             int opcodes, ag_failure *why);
ag_status tpugraphs_raw_config_nodes(tpugraphs_raw *raw,
                                     ag_failure *why); /* node_config_ids and node_splits */
/* Pairs of nodes [count,2] (consumer, producer), for the caller to release with ag_free; NULL with
   a sentence. */
int32_t *tpugraphs_raw_pairs(int *count, const tpugraphs_raw *raw, const char *name,
                             ag_failure *why);
/* Run times into [configs] that the caller owns; sets has_runtimes. */
ag_status tpugraphs_raw_runtimes(tpugraphs_raw *raw, int64_t *runtime, ag_failure *why);
ag_status tpugraphs_raw_positive(const tpugraphs_raw *raw, const char *name, const int64_t *value,
                                 ag_failure *why);
/* Numbers into [rows, columns] that the caller owns; they must be finite. */
ag_status tpugraphs_raw_finite(const tpugraphs_raw *raw, const char *name, float *value,
                               size_t rows, size_t columns, ag_failure *why);
/* A dot of the lab's files: its operands (-1: the file does not say), the number of leading batch
   axes, and the axis of each operand that is contracted. */
typedef struct tpugraphs_dot {
    int32_t node, left, right, batch, left_axis, right_axis;
} tpugraphs_dot;

/* The dots of dot_axes with the operands of operand_index, ascending by node, for the caller to
   release with ag_free, also after a failure. None: the file has no such array, or `why` has a
   sentence (AG_EDATA: a node or an axis out of range, nodes that do not ascend or are not dots, a
   dot without two operands; AG_EMEMORY). raw->opcode must be there. */
tpugraphs_dot *tpugraphs_dots_read(int *count, const tpugraphs_raw *raw, ag_failure *why);

/* Refuses operand_index (AG_EDATA) if it has other pairs than edge_index. Kernel k has the edges
   first[k]..first[k+1]-1, and they count nodes from node base[k]; kernels 0: all edges count from
   node 0. */
ag_status tpugraphs_operands_check(const tpugraphs_raw *raw, int kernels, const int64_t *base,
                                   const int64_t *first, ag_failure *why);

/* Inflates every member once to check its CRC, except those named in `read`, with blanks between.
 */
ag_status tpugraphs_raw_verify(tpugraphs_raw *raw, const char *read, ag_failure *why);
void tpugraphs_raw_close(tpugraphs_raw *raw);

/* Reads a member that is held whole; NULL with a sentence. Release it with ag_free. */
void *tpugraphs_raw_read(const tpugraphs_raw *raw, const char *name, ag_dtype as, int64_t count,
                         ag_failure *why);
/* The same for a member of this size, as tpugraphs_member checks it. */
void *tpugraphs_raw_array(const tpugraphs_raw *raw, const char *name, ag_dtype as, ag_shape size,
                          const char *means, ag_failure *why);
/* [count + 1] numbers that go from 0 to `end`, each at least `least` above the one before it. NULL
   with a sentence; release them with ag_free. */
int64_t *tpugraphs_raw_offsets(const tpugraphs_raw *raw, const char *name, int count, int64_t end,
                               int least, const char *means, ag_failure *why);

#endif
