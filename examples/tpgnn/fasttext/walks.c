/* SPDX-License-Identifier: MIT */
/* Walks over trees as sentences. */
#include "examples/tpgnn/fasttext/walks.h"

#include "examples/harness/harness.h"

struct tpgnn_walks {
    uint64_t seed;
    int64_t nodes;
    const int32_t *type;
    int64_t *parent; /* [nodes]: counted over all trees; -1: none */
    int64_t *first;  /* [nodes + 1]: where the children of a node begin in `child` */
    int64_t *child;  /* ascending for each node */
    int32_t token[TPGNN_WALK_STEPS + 1]; /* of the sentence that was asked for last */
};

/* Parents counted over all trees, and how many children each node has, in first[node + 1]. */
static void count_children(tpgnn_walks *w, const tpgnn_forest *forest)
{
    for (int g = 0; g < forest->trees; g++)
        for (int64_t v = forest->start[g]; v < forest->start[g + 1]; v++) {
            const int64_t up = forest->parent[v];
            w->parent[v] = up < 0 ? -1 : forest->start[g] + up;
            if (up >= 0) w->first[w->parent[v] + 1]++;
        }
}

static void list_children(tpgnn_walks *w)
{
    int64_t *next = harness_alloc(((size_t)w->nodes + 1) * sizeof *next);
    for (int64_t v = 0; v < w->nodes; v++) next[v] = w->first[v + 1] += w->first[v];
    for (int64_t v = w->nodes - 1; v >= 0; v--)
        if (w->parent[v] >= 0) w->child[--next[w->parent[v]]] = v;
    harness_free(next);
}

static int64_t degree(const tpgnn_walks *w, int64_t v)
{
    return w->first[v + 1] - w->first[v] + (w->parent[v] >= 0);
}

/* The parent is neighbour 0, then come the children. */
static int64_t neighbour(const tpgnn_walks *w, int64_t v, int64_t i)
{
    if (w->parent[v] < 0) return w->child[w->first[v] + i];
    return i == 0 ? w->parent[v] : w->child[w->first[v] + i - 1];
}

static int walk(tpgnn_walks *w, int64_t v, uint64_t number)
{
    ag_random random = {w->seed, number | (uint64_t)1 << 63,
                        0}; /* a stream that training does not use */
    int n = 0;
    w->token[n++] = w->type[v];
    for (int i = 0; i < TPGNN_WALK_STEPS && degree(w, v) > 0; i++) {
        v = neighbour(w, v, (int64_t)ag_random_below(&random, (uint32_t)degree(w, v)));
        w->token[n++] = w->type[v];
    }
    return n;
}

static const int32_t *get(void *context, int64_t index, int *length)
{
    tpgnn_walks *w = context;
    *length = walk(w, index / TPGNN_WALKS, (uint64_t)index);
    return w->token;
}

tpgnn_walks *tpgnn_walks_new(const tpgnn_forest *forest, uint64_t seed)
{
    tpgnn_walks *w = harness_alloc(sizeof *w);
    w->seed = seed;
    w->nodes = forest->start[forest->trees];
    w->type = forest->type;
    w->parent = harness_alloc(((size_t)w->nodes + 1) * sizeof *w->parent);
    w->first = harness_alloc(((size_t)w->nodes + 1) * sizeof *w->first);
    w->child = harness_alloc(((size_t)w->nodes + 1) * sizeof *w->child);
    count_children(w, forest);
    list_children(w);
    return w;
}

tpgnn_sentences tpgnn_walks_sentences(tpgnn_walks *w)
{
    return (tpgnn_sentences){w->nodes * TPGNN_WALKS, get, w};
}

void tpgnn_walks_free(tpgnn_walks *w)
{
    harness_free(w->parent);
    harness_free(w->first);
    harness_free(w->child);
    harness_free(w);
}
