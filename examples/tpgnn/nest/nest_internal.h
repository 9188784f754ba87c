/* SPDX-License-Identifier: MIT */
/* Declarations for the files that analyse nests: loops, accesses and stores of one tree. Quantities
   are doubles within 0..NEST_MOST, so that products of damaged sizes stay finite. */
#ifndef TPGNN_NEST_PARTS_H
#define TPGNN_NEST_PARTS_H

#include "examples/tpgnn/nest/nest.h"

enum {
    NEST_LOOPS = 32, /* that an access looks at, from the innermost */
    NEST_SIZES = 8,  /* dimensions of a buffer; further ones count as the last of these */
    NEST_BUFFERS = 8 /* that a loop tells apart */
};
#define NEST_MOST 1e18

/* The meaning of a node's kind for a nest. */
typedef enum nest_class {
    NEST_UNSEEN, /* its words have not been looked at */
    NEST_OTHER,
    NEST_ROOT,
    NEST_BUFFER, /* Param, AllocBuffer, DeclBuffer */
    NEST_FOR,
    NEST_ATTRIBUTE,
    NEST_IF,
    NEST_STORE,
    NEST_LOAD,
    NEST_VAR,
    NEST_CONSTANT,
    NEST_ADD,
    NEST_SUB,
    NEST_MUL,
    NEST_FLOORDIV,
    NEST_FLOORMOD,
    NEST_CHEAP,  /* other arithmetic */
    NEST_DIVIDE, /* and roots */
    NEST_CALL,   /* exp, tanh, ... */
    NEST_CHOICE, /* Select, if_then_else */
    NEST_COMPARE,
    NEST_CLASSES
} nest_class;
typedef enum nest_loop_kind {
    NEST_SERIAL,
    NEST_PARALLEL,
    NEST_VECTOR,
    NEST_UNROLLED
} nest_loop_kind;

typedef struct nest_kind {
    uint8_t class, loop, local, step, real; /* step: the pragma; real: a float, or a custom type */
    uint32_t bytes;                         /* of an element */
} nest_kind;

typedef struct nest_touched {
    int buffer;
    double bytes, lines, once;
} nest_touched;

typedef struct nest_loop {
    int node, up, depth; /* up: the loop around it, -1: none; depth: how many are around it */
    int height, inside;  /* longest path of loops below it; a loop directly inside, -1: none */
    uint8_t kind, unrolled, closed; /* closed: it contains a loop that is not unrolled */
    double extent, step;
    double trips, vector, unroll, parallel; /* products of extents, its own included */
    double stores;                          /* statements in its body, unrolled ones repeated */
    double work, cycles, bytes, lines;      /* first of one run of its body, in the end of all its
                                               iterations */
    double once;                            /* lines of one run of its body */
    double size;                            /* instructions of its body as a compiler counts them */
    double branches;                        /* conditions in its body, copies included */
    double sources;                         /* statements of its body, each counted once */
    uint8_t whole;                          /* the compiler unrolls it entirely */
    uint8_t outer;                          /* it contains a loop that stays */
    nest_touched touched[NEST_BUFFERS];
    int buffers;
    float around[5]; /* columns of the nodes in it */
} nest_loop;

/* A variable in an index: how it moves the index. */
typedef struct nest_term {
    int next; /* of the access, -1: none */
    uint8_t level, dim;
    double step, count; /* how far each value moves the index; the number of values */
} nest_term;

typedef struct nest_access {
    int node, buffer, store, loop, term, loops; /* loops: levels, at most NEST_LOOPS */
    uint32_t depends;                           /* bit: on the loop of this level, 0 innermost */
    double element, size;                       /* bytes: an element, the buffer */
    double across, along; /* strides: of the vectorised loop, the innermost other one; -1: none */
    double stride[NEST_LOOPS];
    double elements[NEST_LOOPS + 1], lines[NEST_LOOPS + 1]; /* within the loops inside a level */
    double crowd[NEST_LOOPS + 1]; /* lines of a near cache that these keep from others */
} nest_access;

typedef struct nest_store {
    int access, loads; /* its accesses are consecutive */
    double ops, divides, calls, choices;
    uint8_t scalar; /* a condition depends on the vectorised loop */
    int life;       /* the innermost loop around all uses of a local buffer; -1: it outlives all */
    int hoisted;    /* the outermost loop that it leaves, since it does not depend on that loop, -1:
                       none */
    double saved;   /* how often it would run without that, divided by how often it runs */
} nest_store;

/* The estimated cost of a store. */
typedef struct nest_cost {
    double trips, lanes, copies;   /* executions; elements in one; statements of a block */
    double issue, chain, overhead; /* cycles: instructions, dependent sums, loops */
    double miss[3];                /* lines from beyond 32 KB, 1 MB, 4 MB */
    double cycles;                 /* all of them */
    double tile, vectors;          /* independent sums; registers of them */
    double moved;                  /* bytes */
    double broadcast, contiguous, strided;
    double registers, scattered; /* of a vector; elements that a loop carries one by one */
    double gathered;             /* elements of a block that are loaded or stored one by one */
    int block, vector;           /* the first level that stays; the vectorised one, -1: none */
    uint8_t update, innermost;   /* it updates what it stores; its innermost loop stores to one
                                    place again and again */
} nest_cost;

/* The effect of an index expression on the index: scale * (floor(value / div) mod period / div) */
typedef struct nest_way {
    int access; /* -1: not an index */
    uint8_t dim, condition;
    double scale, div, period;
} nest_way;

typedef struct nest_tree {
    const tpgnn_data *data;
    const tpgnn_schedule *s;
    nest_kind *kind; /* [kinds], filled as they are met */
    int32_t *last;   /* [nodes] last child, 0: none */
    int32_t *loop;   /* [nodes] innermost loop around it, -1: none */
    int32_t *own;    /* [nodes] of a For, a store, an access: its index */
    int32_t *store;  /* [nodes] the store that it is part of, -1: none */
    int32_t *open;   /* [nodes] the loops around the node at hand, by their depth */
    float *constant; /* [nodes] constant operand */
    float *step;     /* [nodes] of the pragma in force */
    uint8_t *inside; /* [nodes] conditions around it */
    nest_way *way;   /* [nodes] */
    nest_loop *loops;
    nest_access *access;
    nest_store *stores;
    nest_cost *cost; /* [stores] */
    nest_term *terms;
    double lines; /* of all buffers */
    int loop_count, access_count, store_count, term_count;
    ag_arena *memory; /* of the arrays, which are zeroed at first */
} nest_tree;

static inline double nest_cap(double x) { return x < NEST_MOST ? x : NEST_MOST; }
static inline int nest_moves(const nest_access *a, int level) { return a->depends >> level & 1; }

/* The kind of a node. */
nest_kind nest_kind_of(nest_tree *t, int v);

/* Calls the next four functions in this order, and estimates the cost of each store. Always call
   nest_free. */
void nest_analyse(nest_tree *t, const tpgnn_data *data, const tpgnn_schedule *s);
void nest_free(nest_tree *t);
/* Finds loops, accesses, stores and terms. */
void nest_scan(nest_tree *t, const tpgnn_data *data, const tpgnn_schedule *s);
/* Computes products of extents, and the loops that the pragmas unroll. */
void nest_unroll(nest_tree *t);
/* Computes which other loops a compiler unrolls; after nest_unroll. */
void nest_lower(nest_tree *t);
/* Computes what accesses touch, level by level, and their strides; then what loops touch. */
void nest_reach(nest_tree *t);

/* The stride of an access along the vectorised loop, divided by the number of neighbouring elements
   that the block accesses at each step, if these are few: 1 if no element is skipped. */
double nest_beside(const nest_tree *t, const nest_access *a, int vector, int block);
/* How many elements that are next to each other in memory an access reads or writes in the loops of
   a block, without the vectorised one; first: the level of the loop whose stride is 1, -1: none. */
double nest_adjacent(int *first, const nest_tree *t, const nest_access *a, int vector, int block);
/* How often the buffer of a store is allocated, if it is too large for the stack; 0 for others, and
   if an earlier store writes to the same buffer. */
double nest_allocations(const nest_tree *t, const nest_store *store);
/* A store with its loads and the loops around it. */
typedef struct nest_statement {
    const nest_tree *t;
    const nest_store *store;
    const nest_access *a; /* the store, followed by its loads */
    int loads, levels;
    const nest_loop *level[NEST_LOOPS]; /* from the innermost */
    int vector,
        block; /* of nest_cost.c: the level that TIR vectorises, -1: none; levels in a block */
} nest_statement;
nest_statement nest_take(const nest_tree *t, const nest_store *store);
/* nest_miss: lines that a statement fetches into caches of 32 KB, 1 MB and 4 MB. nest_fetch: lines
   that an access fetches into the first two of these. */
void nest_miss(double lines[3], const nest_statement *s);
void nest_fetch(double lines[2], const nest_statement *s, const nest_access *a);
void nest_price(nest_cost *c, const nest_tree *t, const nest_store *store);

/* nest.c: the columns of tpgnn_nest, of a tree that was analysed. */
void nest_write(float *x, nest_tree *t);

/* The innermost loop around both, -1: none. */
int nest_common(const nest_tree *t, int loop, int other);

#endif
