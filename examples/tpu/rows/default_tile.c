/* SPDX-License-Identifier: MIT */
/* Finds the tile that a fused kernel runs with when nobody chooses one. */
#include "examples/harness/harness.h"
#include "examples/tpu/rows/tiling.h"
#include "examples/tpugraphs/cut.h"

#include <math.h>
#include <string.h>

typedef struct items {
    nests_tiling *t;
    tpugraphs_value *item; /* [2 nodes + edges], in the order in which they are computed */
    int *of;               /* [nodes] the item of a node; below 0 for views: none */
    int *last;             /* [nodes] the last item that reads a view or a value */
    int n;
    double work; /* elements that the items have */
} items;

/* A value, which has scratch unless it is the kernel's result. */
static int add_item(items *s, double n, int result)
{
    s->item[s->n] = (tpugraphs_value){.size = n, .last = result ? -1 : s->n};
    return s->n++;
}

/* Appends the values of a side, except for the reduction. */
static void add_side(items *s, int last)
{
    for (int u = 0; u <= last; u++) {
        s->of[u] = s->last[u] = -1;
        if (!nests_tiling_computes(s->t, u) || u == s->t->reduction) continue;
        const double n = nests_volume(s->t->box[u]);
        s->of[u] = add_item(s, n, u == s->t->hlo.root);
        s->work += n;
    }
}

/* Notes which item reads each item of a side last, through views. */
static void read_side(items *s, int last)
{
    const tpu_hlo *h = &s->t->hlo;
    for (int u = last; u >= 0; u--) {
        if (!s->t->want[u]) continue;
        const int reader = s->of[u] >= 0 ? s->of[u] : s->last[u];
        if (s->of[u] >= 0 && s->last[u] > s->item[s->of[u]].last)
            s->item[s->of[u]].last = s->last[u];
        if (u == s->t->reduction) continue;
        for (int i = h->start[u]; i < h->start[u + 1]; i++)
            if (reader > s->last[h->operand[i]]) s->last[h->operand[i]] = reader;
    }
}

/* The copies that the reduction reads; returns its products. */
static double add_copies(items *s, const double *block)
{
    const tpu_hlo *h = &s->t->hlo;
    const int r = s->t->reduction, product = nests_is_product(h, r);
    const double work = nests_volume(s->t->box[r]) * nests_volume(block);
    for (int i = h->start[r]; i < h->start[r + 1]; i++) {
        const int v = h->operand[i];
        double padded[TPUGRAPHS_AXES], every[TPUGRAPHS_AXES], n = nests_volume(s->t->box[v]);
        const int borders = nests_padded(padded, every, s->t, r, v, block);
        if (borders) n = nests_volume(padded);
        if (!borders && (!product || s->of[v] >= 0 || work < TPUGRAPHS_TILE_USES * n)) continue;
        s->last[v] = add_item(s, n, 0);
        s->work += n;
    }
    return work;
}

/* Scratch, steps and work, with copies of what products use often. */
static tpugraphs_cost cost_of(void *empty, const tpugraphs_bounds *b)
{
    items s = *(const items *)empty;
    nests_tiling *t = s.t;
    const int root = t->hlo.root, r = t->reduction;
    double tiles = 1, blocks = 1;
    for (int a = 0; a < TPUGRAPHS_AXES; a++)
        tiles *= ceil(t->hlo.operation[root].size[a] / b->out[a]);
    for (int a = 0; a < t->n_blocked; a++) blocks *= ceil(t->blocked[a] / b->blocked[a]);
    memcpy(t->box[root], b->out, sizeof b->out);
    nests_want_after(t);
    const int reduces = r >= 0 && t->want[r];
    double before = 0;
    int own = -1;
    if (reduces) {
        nests_want_before(t, b->blocked);
        add_side(&s, r - 1);
        const int copies_from = s.n;
        const double products = add_copies(&s, b->blocked);
        own = add_item(&s, nests_volume(t->box[r]), r == root);
        for (int i = t->hlo.start[r]; i < t->hlo.start[r + 1]; i++)
            if (s.last[t->hlo.operand[i]] < 0) s.last[t->hlo.operand[i]] = own;
        for (int i = copies_from; i < own; i++) s.item[i].last = own;
        read_side(&s, r - 1);
        before = s.work + products;
        s.work = 0;
        nests_want_after(t);
    }
    add_side(&s, root);
    read_side(&s, root);
    if (own >= 0 && s.last[r] > own) s.item[own].last = s.last[r];
    return (tpugraphs_cost){tpugraphs_find_slots(s.item, s.n, own),
                            tiles * (reduces ? blocks + (r != root) : 1),
                            tiles * (s.work + blocks * before)};
}

/* The work when nothing is computed twice. */
static double least_work(const tpu_hlo *h)
{
    double work = 0, axes[TPUGRAPHS_AXES];
    for (int u = 0; u < h->kernel->nodes; u++) {
        const int opcode = h->kernel->opcode[u];
        if (u != h->root && (opcode == TPUGRAPHS_PARAMETER || opcode == TPUGRAPHS_CONSTANT))
            continue;
        nests_tiling_blocked(axes, h, u);
        work += tpu_hlo_elements(h, u) * nests_volume(axes);
    }
    return work;
}

void nests_default_tile(float tile[TPUGRAPHS_TILE_FEATURES], nests_tiling *t)
{
    const tpugraphs_operation *out = &t->hlo.operation[t->hlo.root];
    const size_t nodes = (size_t)t->hlo.kernel->nodes, edges = (size_t)t->hlo.kernel->edges;
    ag_arena **memory = &t->hlo.memory;
    items s = {.t = t,
               .item = HARNESS_TAKE(memory, s.item, 2 * nodes + edges + 2),
               .of = HARNESS_TAKE(memory, s.of, 2 * nodes)};
    s.last = s.of + nodes;
    const tpugraphs_cut cut = {.rank = out->rank,
                               .n_blocked = t->n_blocked,
                               .size = out->size,
                               .blocked = t->blocked,
                               .product =
                                   t->reduction >= 0 && nests_is_product(&t->hlo, t->reduction),
                               .least = least_work(&t->hlo),
                               .cost = cost_of,
                               .kernel = &s};
    tpugraphs_bounds b;
    tpugraphs_default_tile(&b, &cut);
    memset(tile, 0, TPUGRAPHS_TILE_FEATURES * sizeof *tile);
    for (int a = 0; a < t->n_blocked; a++) tile[a] = (float)b.blocked[a];
    for (int a = 0; a < out->rank; a++) tile[8 + a] = (float)b.out[a];
}
