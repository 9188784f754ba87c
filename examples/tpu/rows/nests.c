/* SPDX-License-Identifier: MIT */
/* Follows a tile back from the output, places its values, and plans the nest of each node that is
   computed: once per tile after the reduction, once per block of the reduction before it. */
#include "examples/tpu/rows/job.h"
#include "examples/tpugraphs/cut.h"

#include <math.h>
#include <string.h>

enum { FLOAT = 4 };

/* ---- copies ---- */

/* Writes all of a box that a copy of v then fills in part. */
static void add_fill(nests_side *s, int v, const double *box, const double *to, int rank)
{
    nests_job w = nests_job_begin(s, v, NESTS_TILE_FILL);
    w.written = nests_volume(box);
    nests_map_loops(&w, to, box, rank);
    nests_tile_add(s, &w);
}

/* Copies operand v of the reduction to scratch, with borders where they are given: it is then read
   there. */
static void add_copy(nests_side *s, int v, const double *padded, const double *every)
{
    const int rank = s->h->operation[v].rank;
    double *box = s->t->box[v], to[TPUGRAPHS_AXES], dense[TPUGRAPHS_AXES];
    nests_job w = nests_job_begin(s, v, NESTS_TILE_MOVES);
    nests_place_dense(dense, padded ? padded : box, rank);
    memcpy(to, dense, sizeof to);
    if (padded) {
        add_fill(s, v, padded, dense, rank);
        for (int a = 0; a < rank; a++) to[a] *= every[a];
    }
    nests_job_read(&w, s, v);
    nests_map_loops(&w, to, box, rank);
    nests_tile_add(s, &w);
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
        double box[TPUGRAPHS_AXES];
        const int v = h->operand[i];
        nests_job w = nests_job_begin(s, u, NESTS_TILE_MOVES);
        nests_job_read(&w, s, v);
        memcpy(box, out, sizeof box);
        if (axis >= 0 && axis < rank) {
            const int size = h->operation[v].size[axis];
            box[axis] = fmin(out[axis], size);
            w.share = out[axis] * size / h->operation[u].size[axis] / box[axis];
        }
        w.written = nests_volume(box);
        nests_map_loops(&w, to, box, rank);
        nests_tile_add(s, &w);
    }
}

static void add_pad(nests_side *s, int u, const double *to)
{
    const tpu_hlo *h = s->h;
    const int v = tpu_hlo_largest(h, u), rank = h->operation[u].rank;
    const double *out = s->t->box[u];
    if (v < 0) return;
    const double *box = s->t->box[v];
    nests_job w = nests_job_begin(s, u, NESTS_TILE_MOVES);
    if (nests_volume(box) < nests_volume(out)) add_fill(s, u, out, to, rank);
    nests_job_read(&w, s, v);
    w.written = nests_volume(box);
    nests_map_loops(&w, to, box, rank);
    nests_tile_add(s, &w);
}

/* ---- nests ---- */

static void read_inputs(nests_job *w, const nests_side *s, int u)
{
    const tpu_hlo *h = s->h;
    for (int scalar = 0; scalar < 2; scalar++) /* inputs that move first */
        for (int i = h->start[u]; i < h->start[u + 1]; i++) {
            const int v = h->operand[i], base = s->place[v].base;
            if ((h->kernel->opcode[base] == TPUGRAPHS_CONSTANT) == scalar) nests_job_read(w, s, v);
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
    if (opcode == TPUGRAPHS_CONCATENATE) {
        add_concatenate(s, u, to);
        return;
    }
    if (opcode == TPUGRAPHS_PAD) {
        add_pad(s, u, to);
        return;
    }
    nests_job w = nests_job_begin(s, u, kinds[tpu_elementwise_of(opcode)]);
    if (nests_is_view(opcode)) { /* a copy of what it views */
        nests_job_read(&w, s, u);
        if (s->t->copied[u]) w.from[0] = &s->view[u];
    } else
        read_inputs(&w, s, u);
    nests_map_loops(&w, to, s->t->box[u], rank);
    nests_tile_add(s, &w);
}

/* Where the file does not tell which axes a dot contracts, the first reading is taken, and that
   there are others is a column. */
static void add_reduction(nests_side *s, int u, const double *block)
{
    double to[TPUGRAPHS_AXES];
    nests_job w =
        nests_job_begin(s, u, nests_is_product(s->h, u) ? NESTS_TILE_PRODUCTS : NESTS_TILE_SUMS);
    output_strides(to, s, u);
    copy_operands(s, u, block);
    if (s->h->kernel->opcode[u] == TPUGRAPHS_DOT) w.readings = tpu_hlo_readings(s->h, u);
    nests_reduction_loops(&w, s, block, to);
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

void nests_tile_set(nests_tile_rows *rows, const float *tile)
{
    nests_tiling *t = &rows->tiling;
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
