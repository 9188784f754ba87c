/* SPDX-License-Identifier: MIT */
/* Trees of schedules, node by node, and the columns of their nests. */
#ifndef TEST_TPGNN_TREE_H
#define TEST_TPGNN_TREE_H

#include "core/memory.h"
#include "support/test.h"
#include "examples/harness/harness.h"
#include "examples/tpgnn/nest/nest.h"

enum { MOST = 40000 };

/* A tree that is being built: nodes are opened and closed; every one may have children. */
typedef struct tree {
    tpgnn_data data;
    tpgnn_schedule s;
    tpgnn_kind kinds[64];
    uint16_t kind[MOST];
    float value[MOST];
    int32_t parent[MOST], position[MOST], depth[MOST], refers[MOST], children[MOST];
    int top;
    float *x;
} tree;

static inline tree *start(void)
{
    tree *t = harness_alloc(sizeof *t);
    t->data.kind = t->kinds;
    t->s = (tpgnn_schedule){.kind = t->kind,
                            .value = t->value,
                            .parent = t->parent,
                            .position = t->position,
                            .depth = t->depth,
                            .refers = t->refers};
    t->top = -1;
    return t;
}

static inline void drop(tree *t)
{
    for (int i = 0; i < t->data.kinds; i++)
        for (int f = 0; f < TPGNN_FIELDS; f++) harness_free(t->kinds[i].word[f]);
    harness_free(t->x);
    harness_free(t);
}

static inline int kind_of(tree *t, const char *type, const char *loop, const char *dtype)
{
    for (int i = 0; i < t->data.kinds; i++)
        if (!strcmp(t->kinds[i].word[TPGNN_TYPE], type) &&
            !strcmp(t->kinds[i].word[TPGNN_LOOP], loop) &&
            !strcmp(t->kinds[i].word[TPGNN_DTYPE], dtype))
            return i;
    assert_true(t->data.kinds < 64);
    tpgnn_kind *k = &t->kinds[t->data.kinds];
    k->word[TPGNN_TYPE] = harness_copy(type);
    k->word[TPGNN_CLASS] = harness_text("%.*s", (int)strcspn(type, "."), type);
    k->word[TPGNN_LOOP] = harness_copy(loop);
    k->word[TPGNN_DTYPE] = harness_copy(dtype);
    k->word[TPGNN_SCOPE] = harness_copy("global");
    return t->data.kinds++;
}

static inline int open_as(tree *t, int kind, double value, int refers)
{
    const int v = t->s.nodes++;
    assert_true(v < MOST);
    t->kind[v] = (uint16_t)kind;
    t->value[v] = (float)value;
    t->parent[v] = t->top;
    t->position[v] = t->top < 0 ? 0 : t->children[t->top]++;
    t->depth[v] = t->top < 0 ? 0 : t->depth[t->top] + 1;
    t->refers[v] = refers;
    return t->top = v;
}

static inline int node(tree *t, const char *type, const char *dtype, double value, int refers)
{
    return open_as(t, kind_of(t, type, "-", dtype), value, refers);
}

static inline void end(tree *t, int times)
{
    while (times--) t->top = t->parent[t->top];
}

static inline int number(tree *t, double value)
{
    const int v = node(t, "IntImm", "int32", value, -1);
    end(t, 1);
    return v;
}

static inline void var(tree *t, int loop)
{
    node(t, "Var", "int32", 0, loop);
    end(t, 1);
}

static inline int buffer(tree *t, const char *type, int rows, int columns)
{
    const int v = node(t, type, "float32", 0, -1);
    number(t, rows);
    if (columns) number(t, columns);
    end(t, 1);
    return v;
}

static inline int loop(tree *t, const char *kind, int extent)
{
    const int v = open_as(t, kind_of(t, "For", kind, "int32"), extent, -1);
    number(t, 0);
    number(t, extent);
    return v;
}

/* An operator with a variable and a constant. */
static inline void with(tree *t, const char *type, int variable, double constant)
{
    node(t, type, "int32", 0, -1);
    var(t, variable);
    number(t, constant);
    end(t, 1);
}

static inline int load(tree *t, int from, int row, int column)
{
    const int v = node(t, "BufferLoad", "float32", 0, from);
    var(t, row);
    if (column >= 0) var(t, column);
    end(t, 1);
    return v;
}

static inline void constant(tree *t)
{
    node(t, "FloatImm", "float32", 1.5, -1);
    end(t, 1);
}

/* A tree with its root, to which the nodes that follow belong. */
static inline tree *program(void)
{
    tree *t = start();
    node(t, "PrimFunc", "-", 0, -1);
    return t;
}

/* Element 0 of a buffer. */
static inline void load_first(tree *t, int from)
{
    node(t, "BufferLoad", "float32", 0, from);
    number(t, 0);
    end(t, 1);
}

/* C[i,j] = C[i,j] + A[i,k] B[k,j] in the loops that are open: the nodes of the store and of the
   loads of C, A and B. */
typedef struct multiplied {
    int store, c, a, b;
} multiplied;

static inline multiplied multiply(tree *t, const int abc[3], int i, int k, int j)
{
    multiplied m = {.store = node(t, "BufferStore", "float32", 0, abc[2])};
    node(t, "Add", "float32", 0, -1);
    m.c = load(t, abc[2], i, j);
    node(t, "Mul", "float32", 0, -1);
    m.a = load(t, abc[0], i, k);
    m.b = load(t, abc[1], k, j);
    end(t, 2);
    var(t, i);
    var(t, j);
    end(t, 1);
    return m;
}

static inline void compute(tree *t)
{
    harness_free(t->x);
    t->x = HARNESS_NEW(t->x, (size_t)t->s.nodes * TPGNN_NEST);
    ag_arena *memory = NULL;
    tpgnn_nest(t->x, &t->data, &t->s, &memory);
    ag_arena_free(memory);
}

/* The columns of tpgnn_nest, in their order. */
static const char column_names[] =
    "trips vector unroll parallel loops step conditions loop_extent loop_work "
    "loop_cycles loop_bytes loop_lines loop_height loop_inside loop_unrolled "
    "is_broadcast is_contiguous across is_fixed is_next along bytes lines reuse buffer "
    "is_local ops calls choices is_scalar statements issue chain overhead miss_near "
    "miss_middle miss_far cycles tile vectors fits is_update is_innermost moved "
    "loads_broadcast loads_contiguous loads_strided copies";

/* The number of a column. */
static inline size_t column_of(const char *name)
{
    size_t i = 0;
    for (const char *at = column_names; *at; at += strcspn(at, " "), at += *at == ' ', i++)
        if (strcspn(at, " ") == strlen(name) && !strncmp(at, name, strlen(name))) return i;
    fail_msg("no column %s", name);
    return 0;
}

static inline double column(const tree *t, int v, const char *name)
{
    return (double)t->x[(size_t)v * TPGNN_NEST + column_of(name)];
}

/* A column that is log2(1 + quantity) / 8. */
static inline void check(const tree *t, int v, const char *name, double quantity)
{
    const double is = column(t, v, name), should = log2(1 + quantity) / 8;
    if (fabs(is - should) > 1e-6)
        fail_msg("node %d: %s is %g, should be %g", v, name, exp2(8 * is) - 1, quantity);
}

static inline void check_flag(const tree *t, int v, const char *name, int set)
{
    if (fabs(column(t, v, name) - set) > 0) fail_msg("node %d: %s is not %d", v, name, set);
}

#endif
