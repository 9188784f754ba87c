/* SPDX-License-Identifier: MIT */
/* Follows a tile back from the output, places its values, and plans the nest of each node that is
   computed: once per tile after the reduction, once per block of the reduction before it. */
#include "examples/harness/base/bag.h"
#include "examples/tpu/rows/job.h"
#include "examples/tpugraphs/cut.h"

#include <math.h>
#include <string.h>

enum { FLOAT = 4 };

/* ---- loops ---- */

/* A job without inputs that writes node u as large as its box is. */
static nests_job job_of(const nests_side *s, int u, int kind)
{
    return (nests_job){.node = u, .kind = kind, .written = nests_volume(s->t->box[u]), .share = 1};
}

static tpugraphs_loop *loop(nests_job *w, double n, int reduce, double out, double left,
                            double right)
{
    if (w->n_loops == NESTS_TILE_LOOPS) return NULL;
    w->loop[w->n_loops] = (tpugraphs_loop){n, out, {left, right}, reduce, 0};
    return &w->loop[w->n_loops++];
}

/* Makes node v the next input, of three at most. */
static void read_input(nests_job *w, const nests_side *s, int v)
{
    if (w->inputs == NESTS_TILE_INPUTS) return;
    w->in[w->inputs] = v;
    w->from[w->inputs] = &s->place[v];
    w->box[w->inputs++] = s->t->box[v];
}

/* Loops over the box of a node and the places of inputs of its shape. */
static void map_loops(nests_job *w, const double *to, const double *box, int rank)
{
    for (int a = 0; a < rank; a++) {
        tpugraphs_loop *l = loop(w, box[a], 0, to[a], 0, 0);
        for (int k = 0; k < w->inputs && l; k++) l->in[k] = w->from[k]->stride[a];
    }
}

/* Features that are made run group by group. */
static void feature_loops(nests_job *w, double of_group, double made, double to, double in,
                          double kernel)
{
    const double each = fmin(of_group, made);
    loop(w, made / each, 0, each * to, in, each * kernel);
    loop(w, each, 0, to, 0, kernel);
}

/* to: strides of the output; block: of the reduction. */
static void reduction_loops(nests_job *w, const nests_side *s, const double *block,
                            const double *to)
{
    tpugraphs_space space;
    const double *out = s->t->box[w->node], *stride[2] = {0};
    const tpugraphs_operation *o = tpu_hlo_sum(&space, s->h, w->node);
    if (!o) return;
    for (int k = 0; k < o->operands; k++) {
        read_input(w, s, o->operand[k]);
        stride[k] = s->place[o->operand[k]].stride;
    }
    for (int i = 0; i < space.n; i++) {
        const tpugraphs_index *x = &space.index[i];
        const double left = x->in[0] < 0 ? 0 : x->step * stride[0][x->in[0]];
        const double right = x->in[1] < 0 ? 0 : stride[1][x->in[1]];
        if (x->in[0] < 0 && x->in[1] < 0) { /* unknown axes: as if both were contiguous */
            map_loops(w, to, out, TPUGRAPHS_AXES);
            loop(w, block[0], 1, 0, 1, 1);
        } else if (x->split) /* the features of a group that are read come next */
            feature_loops(w, nests_made(o), out[x->axis], to[x->axis], block[x[1].axis] * left,
                          right);
        else if (x->sum)
            loop(w, block[x->axis], 1, 0, left, right);
        else
            loop(w, out[x->axis], 0, to[x->axis], left, right);
    }
}

/* ---- copies ---- */

/* Writes a box for node u: elements of node v; -1: one number, to all of a box that is then filled
   in part. */
static void add_move(nests_side *s, int u, int v, const double *box, const double *to, int rank,
                     double share)
{
    nests_job w = job_of(s, u, v < 0 ? NESTS_TILE_FILL : NESTS_TILE_MOVES);
    if (v >= 0) read_input(&w, s, v);
    w.written = nests_volume(box);
    w.share = share;
    map_loops(&w, to, box, rank);
    nests_tile_add(s, &w);
}

/* Copies operand v of the reduction to scratch, with borders where they are given: it is then read
   there. */
static void add_copy(nests_side *s, int v, const double *padded, const double *every)
{
    const int rank = s->h->operation[v].rank;
    double *box = s->t->box[v], to[TPUGRAPHS_AXES], dense[TPUGRAPHS_AXES];
    nests_place_dense(dense, padded ? padded : box, rank);
    memcpy(to, dense, sizeof to);
    if (padded) {
        add_move(s, v, -1, padded, dense, rank, 1);
        for (int a = 0; a < rank; a++) to[a] *= every[a];
    }
    add_move(s, v, v, box, to, rank, 1);
    memcpy(s->place[v].stride, dense, sizeof dense);
    s->place[v].base = s->t->reduction;
    if (padded) memcpy(box, padded, TPUGRAPHS_AXES * sizeof *box);
}

static void copy_operands(nests_side *s, int u, const double *block)
{
    const tpu_hlo *h = s->h;
    const int product = nests_is_product(h, u);
    const double all = nests_volume(s->t->box[u]) * nests_volume(block);
    for (int i = h->start[u]; i < h->start[u + 1]; i++) {
        const int v = h->operand[i], base = s->place[v].base;
        double box[TPUGRAPHS_AXES], every[TPUGRAPHS_AXES];
        const int padded = nests_padded(box, every, s->t, u, v, block);
        const int scratch = base == v && h->kernel->opcode[v] != TPUGRAPHS_PARAMETER;
        if (padded ||
            (product && !scratch && all >= TPUGRAPHS_TILE_USES * nests_volume(s->t->box[v])))
            add_copy(s, v, padded ? box : NULL, every);
    }
}

/* ---- parts that are put together ---- */

/* Of each operand the part that a tile needs, in the tiles that need one. */
static void add_concatenate(nests_side *s, int u, const double *to)
{
    const tpu_hlo *h = s->h;
    const double *out = s->t->box[u];
    const int rank = h->operation[u].rank, axis = tpu_hlo_dim(h, u, 0);
    for (int i = h->start[u]; i < h->start[u + 1]; i++) {
        double box[TPUGRAPHS_AXES], share = 1;
        const int v = h->operand[i];
        memcpy(box, out, sizeof box);
        if (axis >= 0 && axis < rank) {
            const int size = h->operation[v].size[axis];
            box[axis] = fmin(out[axis], size);
            share = out[axis] * size / h->operation[u].size[axis] / box[axis];
        }
        add_move(s, u, v, box, to, rank, share);
    }
}

static void add_pad(nests_side *s, int u, const double *to)
{
    const tpu_hlo *h = s->h;
    const int v = tpu_hlo_largest(h, u), rank = h->operation[u].rank;
    const double *out = s->t->box[u];
    if (v < 0) return;
    const double *box = s->t->box[v];
    if (nests_volume(box) < nests_volume(out)) add_move(s, u, -1, out, to, rank, 1);
    add_move(s, u, v, box, to, rank, 1);
}

/* ---- nests ---- */

static void read_inputs(nests_job *w, const nests_side *s, int u)
{
    const tpu_hlo *h = s->h;
    for (int scalar = 0; scalar < 2; scalar++) /* inputs that move first */
        for (int i = h->start[u]; i < h->start[u + 1]; i++) {
            const int v = h->operand[i], base = s->place[v].base;
            if ((h->kernel->opcode[base] == TPUGRAPHS_CONSTANT) == scalar) read_input(w, s, v);
        }
}

/* Strides of what the nest of node u writes: its box, or the kernel's result. */
static void output_strides(double to[TPUGRAPHS_AXES], const nests_side *s, int u)
{
    double size[TPUGRAPHS_AXES];
    const int rank = tpu_hlo_shape(size, s->h, u);
    nests_place_dense(to, u == s->h->root ? size : s->t->box[u], rank);
}

static void add_map(nests_side *s, int u)
{
    static const int kinds[] = {NESTS_TILE_MOVES, NESTS_TILE_ARITHMETIC, NESTS_TILE_SPECIAL};
    const tpu_hlo *h = s->h;
    const int opcode = h->kernel->opcode[u], rank = h->operation[u].rank;
    double to[TPUGRAPHS_AXES];
    output_strides(to, s, u);
    if (opcode == TPUGRAPHS_CONCATENATE || opcode == TPUGRAPHS_PAD) {
        (opcode == TPUGRAPHS_PAD ? add_pad : add_concatenate)(s, u, to);
        return;
    }
    nests_job w = job_of(s, u, kinds[tpu_elementwise_of(opcode)]);
    if (nests_is_view(opcode)) { /* a copy of what it views */
        read_input(&w, s, u);
        if (s->t->copied[u]) w.from[0] = &s->view[u];
    } else
        read_inputs(&w, s, u);
    map_loops(&w, to, s->t->box[u], rank);
    nests_tile_add(s, &w);
}

/* Where the file does not tell which axes a dot contracts, the first reading is taken, and that
   there are others is a column. */
static void add_reduction(nests_side *s, int u, const double *block)
{
    double to[TPUGRAPHS_AXES];
    nests_job w = job_of(s, u, nests_is_product(s->h, u) ? NESTS_TILE_PRODUCTS : NESTS_TILE_SUMS);
    output_strides(to, s, u);
    copy_operands(s, u, block);
    if (s->h->kernel->opcode[u] == TPUGRAPHS_DOT) w.readings = tpu_hlo_readings(s->h, u);
    reduction_loops(&w, s, block, to);
    nests_tile_add(s, &w);
}

/* ---- sides ---- */

/* Places every value of a side, and adds up its memory. */
static void place_all(nests_side *s, int last)
{
    const nests_tiling *t = s->t;
    for (int u = 0; u <= last; u++) {
        const int opcode = s->h->kernel->opcode[u], own = !nests_is_view(opcode) || t->copied[u];
        if (!t->want[u] && opcode != TPUGRAPHS_PARAMETER) continue;
        const double bytes = nests_volume(s->t->box[u]) * FLOAT;
        const int made = u == t->reduction || (nests_tiling_computes(t, u) && own);
        if (t->copied[u]) {
            nests_place_node(s->place, u, s->h, s->t->box[u], 0);
            s->view[u] = s->place[u];
        }
        nests_place_node(s->place, u, s->h, s->t->box[u], made);
        if (nests_tiling_computes(t, u)) s->scratch += bytes;
        if (t->want[u] && opcode == TPUGRAPHS_PARAMETER) s->outside += bytes;
    }
}

static void add_side(nests_side *s, int last, int stop)
{
    double block[TPUGRAPHS_AXES];
    place_all(s, last);
    for (int u = 0; u <= last; u++) {
        if (!nests_tiling_computes(s->t, u) || u == stop) continue;
        if (nests_tiling_blocked(block, s->h, u))
            add_reduction(s, u, block);
        else
            add_map(s, u);
    }
}

/* The mean size of the blocks of each axis, and their number; waste: what the last ones lack. */
static double mean_blocks(double *mean, double *waste, const float *part, const double *size,
                          int rank)
{
    double blocks = 1;
    for (int a = 0; a < TPUGRAPHS_AXES; a++) {
        const double whole = a < rank ? size[a] : 1;
        const double bound = part[a] >= 1 && (double)part[a] < whole ? (double)part[a] : whole;
        const double n = ceil(whole / bound);
        mean[a] = whole / n;
        blocks *= n;
        *waste *= bound / mean[a];
    }
    return blocks;
}

/* Bytes of all parameters and of the result. */
static double kernel_bytes(const tpu_hlo *h)
{
    double bytes = 0;
    for (int u = 0; u < h->kernel->nodes; u++)
        if (u == h->root || h->kernel->opcode[u] == TPUGRAPHS_PARAMETER)
            bytes += tpu_hlo_elements(h, u) * FLOAT;
    return bytes;
}

/* Appends the nests of one tile; `tile`: 24 numbers, see docs/formats.md and
   examples/lab/run/run.h; bounds that are absent or too large are the whole axis. */
static void add_tile(nests_rows *rows, const float *tile)
{
    nests_tiling *t = rows->memory;
    const int root = t->hlo.root, r = t->reduction;
    double size[TPUGRAPHS_AXES], block[TPUGRAPHS_AXES], waste = 1;
    double *box = t->box[root];
    const int rank = tpu_hlo_shape(size, &t->hlo, root);
    const double tiles = mean_blocks(box, &waste, tile + 8, size, rank);
    const double blocks = mean_blocks(block, &waste, tile, t->blocked, t->n_blocked);
    nests_side s = {.rows = rows,
                    .t = t,
                    .h = &t->hlo,
                    .place = t->place,
                    .view = t->place + t->hlo.kernel->nodes,
                    .tiles = tiles,
                    .steps = tiles,
                    .times = tiles,
                    .waste = waste,
                    .kernel = kernel_bytes(&t->hlo)};
    nests_want_after(t);
    const int reduces = r >= 0 && t->want[r];
    if (reduces) s.steps = tiles * blocks;
    add_side(&s, root, r);
    if (reduces) {
        nests_side b = s;
        b.times = s.steps;
        b.before = 1;
        b.scratch = b.outside = 0;
        nests_want_before(t, block);
        b.scratch = nests_volume(t->box[r]) * FLOAT;
        add_side(&b, r - 1, -1);
        add_reduction(&b, r, block);
    }
}

/* ---- rows ---- */

static void drop(void *tiling)
{
    nests_tiling_close(tiling);
    harness_free(tiling);
}

void nests_tile_rows_add(nests_rows *rows, const tpu_kernel *k, const int *config, int n)
{
    float standard[TPUGRAPHS_TILE_FEATURES];
    if (!rows->memory) rows->memory = harness_alloc(sizeof(nests_tiling));
    rows->drop = drop;
    if (!rows->items) nests_rows_clear(rows);
    nests_tiling_open(rows->memory, k);
    if (!k->tile) nests_default_tile(standard, rows->memory);
    for (int i = 0; i < n; i++) {
        const size_t c = (size_t)(config ? config[i] : i);
        add_tile(rows, k->tile ? k->tile + c * TPUGRAPHS_TILE_FEATURES : standard);
        bag_add(rows->first, rows->rows);
        rows->items++;
    }
}
