/* SPDX-License-Identifier: MIT */
/* HLO modules, which are what XLA compiles, as the arrays of a TpuGraphs layout file: the graph,
   and configurations of its layouts. Functions return AG_OK, or record the first failure in `why`
   (not NULL, {0} at the call) and return its status. */
#ifndef TPUGRAPHS_HLO_HLO_H
#define TPUGRAPHS_HLO_HLO_H

#include "examples/tpugraphs/tpugraphs.h"

/* Ops and element types that the lists of TpuGraphs lack, since they are newer: read as the nearest
   one of the list; read as op code 0 and no type, as by TpuGraphs' own tool; or refused. */
typedef enum hlo_unknown { HLO_NEAREST, HLO_ZERO, HLO_REFUSE } hlo_unknown;

/* An op or an element type that is not in the lists, and how often it occurs. */
enum { HLO_MOST_NEWER = 32, HLO_NEWER_NAME = 32 };
typedef struct hlo_newer {
    char name[HLO_NEWER_NAME];
    const char *as; /* the one that it was read as */
    int is_type, count;
} hlo_newer;

/* The layout of a node's result or of an operand: the axes that can be named, in row-major order
   from the most minor one on, and the group of each. Groups move as a whole. */
typedef struct hlo_slot {
    signed char n, axis[TPUGRAPHS_AXES], group[TPUGRAPHS_AXES];
} hlo_slot;

/* A node with layouts to choose: slots of its result and first two operands. Slots of a reshape
   have common groups (groups -1: it has no choice); axes of size 1 come last, in group HLO_LAST.
   Slots of a convolution or dot have two axes, which may change places; alone: they may also be
   named for the result only, as in dots of matrices. */
enum { HLO_LAST = TPUGRAPHS_AXES };
typedef struct hlo_choosing {
    int32_t node;
    uint8_t opcode, alone;
    signed char groups;
    hlo_slot slot[3];
} hlo_choosing;

/* A module. Its arrays are those of a TpuGraphs file; nodes are in the order of the module. */
typedef struct hlo_graph {
    char name[128];
    int is_text;  /* 0: it was read as protobuf */
    int is_after; /* layouts have been assigned: most products are inside of fused computations */
    int nodes, edges, operands, dots, configurable, splits;
    int products, fused_products; /* convolutions and dots: all, and those that are fused */
    float (*feature)[TPUGRAPHS_FEATURES];
    uint8_t *opcode;
    int64_t (*edge)[2], (*operand)[2], (*dot)[4], *split;
    hlo_choosing *choosing; /* [configurable] */
    hlo_newer newer[HLO_MOST_NEWER];
    int n_newer, more_newer; /* more: occurrences of others that newer has no room for */
    size_t bytes;            /* in the budget */
} hlo_graph;

/* Reads a file: an HloModuleProto, a message that has one in field 1 (HloProto, TpuGraphs'
   ModuleTuningData), or HLO text. Bytes that are none of these are refused (AG_EDATA). Fails also:
   AG_EFILE, AG_EMEMORY. */
ag_status hlo_read(hlo_graph *g, const char *path, hlo_unknown unknown, tpugraphs_budget *budget,
                   ag_failure *why);
/* The same for bytes in memory; name: what sentences call them. */
ag_status hlo_read_bytes(hlo_graph *g, const void *bytes, size_t n, const char *name,
                         hlo_unknown unknown, tpugraphs_budget *budget, ag_failure *why);
void hlo_free(hlo_graph *g, tpugraphs_budget *budget);

/* Layouts of the configurable nodes, in the form of TpuGraphs' files, with 18 digits per node: the
   axes of its result and of its first two operands, the most minor first, then -1. */
typedef struct hlo_configs {
    int count;
    int64_t *runtime; /* [count]; all 0: not measured */
    float *digit;     /* [count, configurable, 18] */
    size_t bytes;
} hlo_configs;

/* The number of layouts that TpuGraphs' files have for a node. A convolution: batch and features in
   either order, in result and input, and in the kernel its two axes of features. A dot: in each
   operand the last contracted and the last other axis in either order, and in the result these two
   other axes in either order. A reshape: no layout, or those in which it moves no element. The
   first choice is row-major, of a reshape no layout. */
int hlo_choices(const hlo_choosing *x);
/* One of these layouts, as 18 digits. */
void hlo_choice(float digit[18], const hlo_choosing *x, int choice);

/* Draws `count` configurations, none twice; the first has the first choice of every node. Nodes
   with the same choices choose alike, as in TpuGraphs' files; when (nearly) all such configurations
   are drawn, each node chooses for itself. There are fewer when these are used up, too. */
ag_status hlo_configs_draw(hlo_configs *c, const hlo_graph *g, int count, uint64_t seed,
                           tpugraphs_budget *budget, ag_failure *why);
/* Makes the configuration with the first choice of every node, then one for each other choice of
   each node, in which all other nodes keep their first. */
ag_status hlo_configs_sweep(hlo_configs *c, const hlo_graph *g, tpugraphs_budget *budget,
                            ag_failure *why);
/* Reads an npz file: node_config_feat and, if they are there, node_config_ids, which must be the
   graph's, and config_runtime. */
ag_status hlo_configs_read(hlo_configs *c, const hlo_graph *g, const char *path,
                           tpugraphs_budget *budget, ag_failure *why);
void hlo_configs_free(hlo_configs *c, tpugraphs_budget *budget);

/* Adds the nodes, edges, operands and dots of a graph to a file, and the op code of what each node
   reduces by, unless reducer is NULL. */
ag_status hlo_add_nodes(ag_npz_writer *w, const hlo_graph *g, const uint8_t *reducer,
                        ag_failure *why);
/* Writes a layout file. */
ag_status hlo_write(const char *path, const hlo_graph *g, const hlo_configs *c,
                    const tpugraphs_budget *budget, ag_failure *why);

#endif
