/* SPDX-License-Identifier: MIT */
/* Walks over trees as sentences. */
#include "examples/harness/harness.h"
#include "examples/tpgnn/fasttext.h"

struct tpgnn_walks {
    tpgnn_walk_options o;
    int64_t nodes;
    const int32_t *type;
    int64_t *parent; /* [nodes]: counted over all graphs; -1: none */
    int64_t *first;  /* [nodes + 1]: where the children of a node begin in `child` */
    int64_t *child;  /* ascending for each node */
    int32_t *token;  /* of the sentence that was asked for last */
};

tpgnn_walk_options tpgnn_walk_defaults(void) { return (tpgnn_walk_options){3, 50, 0, 0}; }

/* Parents counted over all graphs, and how many children each node has, in first[node + 1]. */
static ag_status check_parents(tpgnn_walks *w, const int32_t *parent, const int64_t *start,
                               int graphs, ag_failure *why)
{
    for (int g = 0; g < graphs; g++)
        for (int64_t v = start[g]; v < start[g + 1]; v++) {
            const int64_t up = parent[v];
            if (up < -1 || up >= v - start[g])
                return ag_fail(why, AG_EINDEX,
                               "walks: the parent of node %lld of graph %d is %lld, but must stand "
                               "before it or be -1",
                               (long long)(v - start[g]), g, (long long)up);
            w->parent[v] = up < 0 ? -1 : start[g] + up;
            if (up >= 0) w->first[w->parent[v] + 1]++;
        }
    return AG_OK;
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
    ag_random random = {w->o.seed, number | (uint64_t)1 << 63, 0}; /* no stream of the training */
    int n = 0;
    w->token[n++] = w->type[v];
    for (int i = 0; i < w->o.steps && degree(w, v) > 0; i++) {
        v = neighbour(w, v, (int64_t)ag_random_below(&random, (uint32_t)degree(w, v)));
        w->token[n++] = w->type[v];
    }
    return n;
}

/* A node and its children; 0: it has too few neighbours. */
static int family(tpgnn_walks *w, int64_t v)
{
    int n = 0;
    if (degree(w, v) < 2) return 0;
    w->token[n++] = w->type[v];
    for (int64_t i = w->first[v]; i < w->first[v + 1]; i++) w->token[n++] = w->type[w->child[i]];
    return n;
}

static const int32_t *get(void *context, int64_t index, int *length)
{
    tpgnn_walks *w = context;
    const int64_t each = w->o.walks + (w->o.families != 0), v = index / each;
    *length = index % each < w->o.walks ? walk(w, v, (uint64_t)index) : family(w, v);
    return w->token;
}

tpgnn_walks *tpgnn_walks_new(const tpgnn_walk_options *o, const int32_t *type,
                             const int32_t *parent, const int64_t *start, int graphs,
                             ag_failure *why)
{
    int64_t most = o->steps;
    if (o->walks < 0 || o->walks > 1000000 || o->steps < 0 || o->steps > 1000000)
        ag_fail(why, AG_EUSE, "walks: %d walks of %d steps, but each must be 0 to 1000000",
                o->walks, o->steps);
    for (int g = 0; g <= graphs && !why->status; g++)
        if (start[g] < (g ? start[g - 1] : 0) || start[g] > INT32_MAX || (g == 0 && start[0]))
            ag_fail(why, AG_EINDEX,
                    "walks: graph %d begins at node %lld, but starts must ascend from 0 to at most "
                    "2147483647",
                    g, (long long)start[g]);
    if (why->status) return NULL;
    tpgnn_walks *w = harness_alloc(sizeof *w);
    w->o = *o;
    w->nodes = start[graphs];
    w->type = type;
    w->parent = harness_alloc(((size_t)w->nodes + 1) * sizeof *w->parent);
    w->first = harness_alloc(((size_t)w->nodes + 1) * sizeof *w->first);
    w->child = harness_alloc(((size_t)w->nodes + 1) * sizeof *w->child);
    if (check_parents(w, parent, start, graphs, why)) {
        tpgnn_walks_free(w);
        return NULL;
    }
    list_children(w);
    for (int64_t v = 0; v < w->nodes; v++)
        if (degree(w, v) > most) most = degree(w, v);
    w->token = harness_alloc(((size_t)most + 2) * sizeof *w->token);
    return w;
}

tpgnn_sentences tpgnn_walks_sentences(tpgnn_walks *w)
{
    return (tpgnn_sentences){w->nodes * (w->o.walks + (w->o.families != 0)), get, w};
}

void tpgnn_walks_free(tpgnn_walks *w)
{
    if (!w) return;
    harness_free(w->parent);
    harness_free(w->first);
    harness_free(w->child);
    harness_free(w->token);
    harness_free(w);
}
