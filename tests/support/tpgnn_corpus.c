/* SPDX-License-Identifier: MIT */
#include "tpgnn_corpus.h"

#include <math.h>
#include <stdlib.h>

enum {
    SEQ,
    FOR,
    STORE,
    LOAD,
    ADD,
    MUL,
    SUB,
    MAX,
    SELECT,
    LT,
    EQ,
    INT,
    FLOAT,
    VAR,
    LET,
    IF,
    CALL,
    CAST
};

const char *const corpus_names[CORPUS_TYPES] = {
    "SeqStmt", "For", "BufferStore", "BufferLoad", "Add", "Mul",     "Sub",        "Max",  "Select",
    "LT",      "EQ",  "IntImm",      "FloatImm",   "Var", "LetStmt", "IfThenElse", "Call", "Cast"};

enum { MOST_NODES = 400, DEEPEST = 9 };

typedef struct growing {
    tpgnn_forest *c;
    int64_t n;
    ag_random random;
} growing;

static int dice(growing *g, int n) { return (int)ag_random_below(&g->random, (uint32_t)n); }

static int32_t node(growing *g, int type, int32_t parent)
{
    const int64_t first = g->c->start[g->c->trees];
    g->c->type[g->n] = type;
    g->c->parent[g->n] = parent;
    return (int32_t)(g->n++ - first);
}

static void index_of(growing *g, int32_t parent, int depth)
{
    const int kind = depth > DEEPEST ? 2 : dice(g, 4);
    if (kind == 3) return (void)node(g, INT, parent);
    if (kind == 2) return (void)node(g, VAR, parent);
    const int32_t at = node(g, kind ? ADD : MUL, parent);
    index_of(g, at, depth + 2);
    node(g, kind ? VAR : INT, at);
}

static void value_of(growing *g, int32_t parent, int depth)
{
    static const int kinds[] = {LOAD, LOAD, FLOAT, ADD, MUL, SUB, MAX, SELECT, CALL, CAST};
    const int type = kinds[dice(g, depth > DEEPEST ? 3 : 10)];
    const int32_t at = node(g, type, parent);
    if (type == FLOAT) return;
    if (type == LOAD) return index_of(g, at, depth + 1);
    if (type == SELECT) {
        const int32_t test = node(g, dice(g, 2) ? LT : EQ, at);
        index_of(g, test, depth + 2);
        node(g, INT, test);
    }
    value_of(g, at, depth + 1);
    if (type != CALL && type != CAST) value_of(g, at, depth + 1);
}

static void statement(growing *g, int32_t parent, int depth)
{
    const int kind = depth > 4 ? 0 : dice(g, 8);
    const int type = kind < 3 ? STORE : kind < 6 ? FOR : kind == 6 ? LET : IF;
    const int32_t at = node(g, type, parent);
    if (type == STORE || type == LET) value_of(g, at, depth + 2);
    if (type == STORE) return index_of(g, at, depth + 2);
    if (type == FOR) node(g, INT, at), node(g, INT, at);
    if (type == IF) node(g, VAR, node(g, LT, at));
    if (dice(g, 3) == 0) {
        const int32_t all = node(g, SEQ, at);
        statement(g, all, depth + 1);
        statement(g, all, depth + 1);
    } else
        statement(g, at, depth + 1);
}

tpgnn_forest corpus_new(int trees, uint64_t seed)
{
    tpgnn_forest c = {0};
    const size_t room = (size_t)trees * MOST_NODES * 64;
    c.start = calloc((size_t)trees + 1, sizeof *c.start);
    c.type = calloc(room, sizeof *c.type);
    c.parent = calloc(room, sizeof *c.parent);
    growing g = {&c, 0, {seed, 0, 0}};
    for (; c.trees < trees; c.trees++) {
        c.start[c.trees] = g.n;
        statement(&g, -1, 0);
        c.start[c.trees + 1] = g.n;
    }
    return c;
}

void corpus_free(tpgnn_forest *c)
{
    free(c->start);
    free(c->type);
    free(c->parent);
}

static const int32_t *get(void *context, int64_t index, int *length)
{
    const corpus_list *list = context;
    *length = list->first[index + 1] - list->first[index];
    return list->token + list->first[index];
}

tpgnn_sentences corpus_sentences(corpus_list *list, int count)
{
    return (tpgnn_sentences){count, get, list};
}

double corpus_cosine(const float *a, const float *b, int size)
{
    double ab = 0, aa = 0, bb = 0;
    for (int k = 0; k < size; k++) {
        ab += (double)a[k] * (double)b[k];
        aa += (double)a[k] * (double)a[k];
        bb += (double)b[k] * (double)b[k];
    }
    return ab / sqrt(aa * bb);
}
