/* SPDX-License-Identifier: MIT */
/* A module while it is read. Both readers, protobuf.c and text.c, hand over one instruction after
   the other; module.c makes nodes of them and, at the end, edges of their references. */
#ifndef TPUGRAPHS_HLO_PARTS_H
#define TPUGRAPHS_HLO_PARTS_H

#include "examples/tpugraphs/hlo/hlo.h"
#include "examples/tpugraphs/operations.h"

/* Bytes of the file. */
typedef struct hlo_span {
    const char *at, *end;
} hlo_span;

/* How many bytes of a name are shown. */
static inline int hlo_shown(hlo_span name)
{
    return name.end - name.at < 127 ? (int)(name.end - name.at) : 127;
}

/* The lists of an instruction, in the order of their features; those of a dot have none. */
enum {
    HLO_SIZES,
    HLO_DIMENSIONS,
    HLO_WINDOW_SIZE,
    HLO_WINDOW_STRIDE,
    HLO_WINDOW_LOW,
    HLO_WINDOW_HIGH,
    HLO_WINDOW_DILATION,
    HLO_BASE_DILATION,
    HLO_REVERSED,
    HLO_IN_SPATIAL,
    HLO_KERNEL_SPATIAL,
    HLO_SLICE_START,
    HLO_SLICE_STRIDE,
    HLO_SLICE_LIMIT,
    HLO_DYNAMIC_SIZES,
    HLO_PAD_LOW,
    HLO_PAD_HIGH,
    HLO_LAYOUT,
    HLO_LEFT_AXES, /* contracted */
    HLO_RIGHT_AXES,
    HLO_LEFT_BATCH,
    HLO_RIGHT_BATCH,
    HLO_LISTS
};

/* Columns of features that are not lists and have no name in operations.h; and the number of all
   columns, with the lists of a dot. */
enum { HLO_MEMBERS = 29, HLO_STABLE = 133, HLO_COLUMNS = 164 };

enum { HLO_TUPLE = 13 }; /* XLA's number of this type */

typedef struct hlo_instruction {
    hlo_span opcode;
    int64_t type;       /* XLA's number; -1: only its name is known */
    hlo_span type_name; /* of a text */
    uint64_t id;
    float row[HLO_COLUMNS]; /* the features, then the first numbers of the lists of a dot */
    struct {
        int64_t n;
        uint64_t sum, product; /* they wrap around */
    } list[HLO_LISTS];
} hlo_instruction;

void hlo_append(hlo_instruction *x, int list, int64_t value);
/* The first six numbers of a list of a dot. */
static inline const float *hlo_axes(const hlo_instruction *x, int list)
{
    return x->row + TPUGRAPHS_FEATURES + TPUGRAPHS_AXES * (list - HLO_LEFT_AXES);
}
static inline void hlo_set(hlo_instruction *x, int column, int64_t value)
{
    x->row[column] = (float)value;
}
/* Completes the row: sums and products of lists. */
void hlo_features(hlo_instruction *x);

/* A node that names another one, its operand, or a computation that it calls. */
typedef struct hlo_reference {
    uint64_t id; /* hlo_connect puts the number of what is named in its place */
    int32_t node, is_call;
} hlo_reference;

typedef struct hlo_computation {
    uint64_t id, root;
    int end, references_end; /* of its nodes and their references, which follow those of the
                                computation before */
    int is_fused;            /* called by a fusion, directly or not */
} hlo_computation;

/* Ids in ascending order, and the node or computation of each. */
typedef struct hlo_ids {
    uint64_t *id;
    int32_t *of; /* after the ids, in their memory */
    int n;
} hlo_ids;

typedef struct hlo_node {
    uint64_t id;
    int32_t computation;
    uint8_t rank;     /* 255: or more */
    uint8_t bound[2]; /* of a dot: which axes of each operand are contracted or of the batch */
    signed char contracted[2]; /* the last contracted one; -1: there is none */
} hlo_node;

typedef struct hlo_module {
    hlo_graph *g;
    const char *begin, *name; /* of the file: its bytes, what sentences call it */
    hlo_unknown unknown;
    tpugraphs_budget *budget;
    ag_failure *why;
    hlo_node *node; /* [g->nodes] */
    hlo_reference *reference;
    hlo_computation *computation;
    int references, computations;
    hlo_ids by_id[2]; /* of nodes, of computations */
    int room[7];      /* of the lists that grow */
    int is_scheduled;
    size_t bytes; /* of what hlo_read_bytes frees */
} hlo_module;

/* Adds a reference of the instruction that is added next. */
ag_status hlo_add_reference(hlo_module *m, int is_call, uint64_t id);
/* Adds a node of the computation that is added next. */
ag_status hlo_add_instruction(hlo_module *m, hlo_instruction *x);
ag_status hlo_add_computation(hlo_module *m, uint64_t id, uint64_t root, hlo_span name);
/* When all is added, in this order: the last split, edges (edges.c), nodes with layouts to choose
   (choosing.c). */
ag_status hlo_end_splits(hlo_module *m);
ag_status hlo_connect(hlo_module *m);
ag_status hlo_choose(hlo_module *m);

/* Memory of the module or the graph, counted in *bytes, which belongs to one of the two. */
void *hlo_take(hlo_module *m, size_t *bytes, int64_t count, size_t size);

int hlo_same(hlo_span word, const char *text);
/* The op code of a name; -1: it is newer and refused, with a sentence in m->why. */
int hlo_opcode(hlo_module *m, hlo_span name);
/* XLA's number of a type; -1: a newer one. */
int hlo_type_number(hlo_span name);
/* Sets the feature of the instruction's type. */
ag_status hlo_set_type(hlo_module *m, hlo_instruction *x);

/* ---- the readers ---- */

ag_status hlo_read_protobuf(hlo_module *m, hlo_span all);
ag_status hlo_read_text(hlo_module *m, hlo_span all);
int hlo_is_text(hlo_span all);

#endif
