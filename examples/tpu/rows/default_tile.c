/* SPDX-License-Identifier: MIT */
#include "examples/harness/harness.h"
#include "examples/tpu/rows/places.h"

#include <math.h>
#include <string.h>

enum {
    SCRATCH = 64 * 1024, /* floats of a tile at most */
    FIRST_SCRATCH = 8 * 1024,
    ALIGN = 16,       /* floats of a cache line */
    REPEATED = 8,     /* work at most, as a multiple of the least possible */
    FEW_STEPS = 64,   /* a tile with more steps than this */
    STEP_WORK = 1024, /* does at least so much work in each of them */
    MOST_STEPS = 8192 /* and never has more steps than this */
};

typedef struct bounds {
    double out[TPUGRAPHS_AXES], blocked[TPUGRAPHS_AXES];
} bounds;

typedef struct cost {
    double scratch, steps, work;
} cost;

/* A value in scratch, in the order in which values are computed, and the last that reads it. */
typedef struct item {
    double n;
    int last, first; /* first: 1 for the reduction, whose memory lives through all blocks */
} item;

typedef struct items {
    nests_tiling *t;
    item *item; /* [2 nodes + edges] */
    int *of;    /* [nodes] the item of a node; below 0 for views: none */
    int *last;  /* [nodes] the last item that reads a view or a value */
    int n;
    double work; /* elements that the items have */
} items;

static int add_item(items *s, double n, int first)
{
    s->item[s->n] = (item){n, s->n, first};
    return s->n++;
}

/* Appends the values of a side, except for the root and the reduction, which are given places. */
static void add_side(items *s, int last)
{
    for (int u = 0; u <= last; u++) {
        s->of[u] = s->last[u] = -1;
        if (!nests_tiling_computes(s->t, u) || u == s->t->reduction) continue;
        const double n = nests_volume(s->t->box[u]);
        s->of[u] = add_item(s, u == s->t->hlo.root ? 0 : n, 0);
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

/* Scratch of values that are no longer read is used again. */
static double slots(const items *s)
{
    double size[64], all = 0;
    int busy[64], n = 0;
    for (int i = 0; i < s->n; i++)
        if (s->item[i].first && n < 64) {
            size[n] = s->item[i].n;
            busy[n++] = s->item[i].last;
        }
    for (int i = 0; i < s->n; i++) {
        if (s->item[i].first || s->item[i].n <= 0) continue;
        int best = n;
        for (int j = 0; j < n; j++)
            if (busy[j] < i && (best == n || size[j] > size[best])) best = j;
        if (best == 64) continue;
        if (best == n) size[n++] = 0;
        size[best] = fmax(size[best], s->item[i].n);
        busy[best] = s->item[i].last;
    }
    for (int j = 0; j < n; j++) all += ceil(size[j] / ALIGN) * ALIGN;
    return all;
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
        if (!borders && (!product || s->of[v] >= 0 || work < NESTS_TILE_USES * n)) continue;
        s->last[v] = add_item(s, n, 0);
        s->work += n;
    }
    return work;
}

/* Scratch, steps and work, with copies of what products use often. */
static cost cost_of(nests_tiling *t, const bounds *b)
{
    const int root = t->hlo.root, r = t->reduction;
    const size_t nodes = (size_t)t->hlo.kernel->nodes, edges = (size_t)t->hlo.kernel->edges;
    double tiles = 1, blocks = 1;
    const size_t most = 2 * nodes + edges + 2;
    items s = {.t = t};
    s.item = nests_tiling_scratch(&t->items, t, most * sizeof(item) + 2 * nodes * sizeof(int));
    s.of = (int *)(s.item + most);
    s.last = s.of + nodes;
    for (int a = 0; a < TPUGRAPHS_AXES; a++) tiles *= ceil(t->hlo.shape[root].size[a] / b->out[a]);
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
        own = add_item(&s, r == root ? 0 : nests_volume(t->box[r]), 1);
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
    return (cost){slots(&s), tiles * (reduces ? blocks + (r != root) : 1),
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

/* Enlarges one bound towards `target`, as far as the scratch allows. */
static void enlarge(bounds *b, double *bound, double size, double target, nests_tiling *t,
                    double scratch)
{
    const double old = *bound;
    for (*bound = fmin(target, size); *bound > old; *bound = floor(*bound / 2))
        if (cost_of(t, b).scratch <= scratch) return;
    *bound = old;
}

static void enlarge_all(bounds *b, nests_tiling *t, double scratch)
{
    const int *size = t->hlo.shape[t->hlo.root].size;
    const int minor = t->hlo.shape[t->hlo.root].rank - 1;
    const int product = t->reduction >= 0 && nests_is_product(&t->hlo, t->reduction);
    for (int round = 0; round < 2; round++) {
        const double whole = round ? 1e300 : 64, wide = !round && product ? 256 : whole;
        if (minor >= 0) enlarge(b, &b->out[minor], size[minor], wide, t, scratch);
        for (int a = t->n_blocked - 1; a >= 0; a--)
            enlarge(b, &b->blocked[a], t->blocked[a], whole, t, scratch);
        for (int a = minor - 1; a >= 0; a--)
            enlarge(b, &b->out[a], size[a], round ? whole : 8, t, scratch);
    }
}

static int is_good(const cost *c, double least)
{
    return c->scratch <= SCRATCH && c->work <= REPEATED * least &&
           (c->steps <= FEW_STEPS || (c->steps <= MOST_STEPS && c->steps * STEP_WORK <= least));
}

void nests_default_tile(float tile[TPUGRAPHS_TILE_FEATURES], nests_tiling *t)
{
    const int rank = t->hlo.shape[t->hlo.root].rank;
    const double least = least_work(&t->hlo);
    bounds b;
    for (int a = 0; a < TPUGRAPHS_AXES; a++) b.out[a] = b.blocked[a] = 1;
    enlarge_all(&b, t, FIRST_SCRATCH);
    cost c = cost_of(t, &b);
    for (double scratch = 2 * FIRST_SCRATCH; scratch <= SCRATCH && !is_good(&c, least);
         scratch *= 2) {
        enlarge_all(&b, t, scratch);
        c = cost_of(t, &b);
    }
    memset(tile, 0, TPUGRAPHS_TILE_FEATURES * sizeof *tile);
    for (int a = 0; a < t->n_blocked; a++) tile[a] = (float)b.blocked[a];
    for (int a = 0; a < rank; a++) tile[8 + a] = (float)b.out[a];
}
