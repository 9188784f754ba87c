/* SPDX-License-Identifier: MIT */
/* Follows a tile back from the output, places its values, and plans the nest of each node that is
   computed: once per tile after the reduction, once per block of the reduction before it. */
#include "examples/tpu/nest/nest_job.h"

#include "examples/harness/harness.h"
#include "examples/tpu/analytic/sides.h"

#include <math.h>
#include <string.h>

enum { READINGS = 4 /* of a dot at most */, FLOAT = 4 };

/* ---- nests ---- */

static void read_inputs(tpu_job *w, const tpu_side *s, int u)
{
    const tpu_hlo *h = s->h;
    for (int scalar = 0; scalar < 2; scalar++) /* inputs that move first */
        for (int i = h->start[u]; i < h->start[u + 1]; i++) {
            const int v = h->operand[i], base = s->place[v].base;
            if ((h->kernel->opcode[base] == TPU_CONSTANT) == scalar) tpu_job_read(w, s, v);
        }
}

static void add_map(tpu_side *s, int u)
{
    static const int kinds[] = {TPU_NEST_MOVES, TPU_NEST_ARITHMETIC, TPU_NEST_SPECIAL};
    const tpu_hlo *h = s->h;
    const int opcode = h->kernel->opcode[u], rank = tpu_hlo_shape(NULL, h, u);
    double to[TPU_RANK], size[TPU_RANK];
    tpu_hlo_shape(size, h, u);
    tpu_place_dense(to, u == h->root ? size : tpu_box_of(s, u), rank);
    if (opcode == TPU_CONCATENATE) {
        tpu_add_concatenate(s, u, to);
        return;
    }
    if (opcode == TPU_PAD) {
        tpu_add_pad(s, u, to);
        return;
    }
    tpu_job w = tpu_job_begin(s, u, kinds[tpu_elementwise_of(opcode)]);
    if (tpu_is_view(opcode)) { /* a copy of what it views */
        tpu_job_read(&w, s, u);
        if (s->t->copied[u]) w.from[0] = &s->view[u];
    } else
        read_inputs(&w, s, u);
    tpu_map_loops(&w, to, tpu_box_of(s, u), rank);
    tpu_nest_add(s, &w);
}

/* Where the file does not tell which axes are contracted, the first reading is taken, and that
   there are others is a column. */
static void add_dot(tpu_side *s, tpu_job *w, const double *block, const double *to)
{
    tpu_dot d[READINGS];
    w->readings = tpu_hlo_dots(d, READINGS, s->h, w->node);
    if (w->readings) tpu_dot_loops(w, s, block, to, &d[0]);
    tpu_nest_add(s, w);
}

static void add_reduction(tpu_side *s, int u, const double *block)
{
    const int opcode = s->h->kernel->opcode[u], rank = tpu_hlo_shape(NULL, s->h, u);
    double to[TPU_RANK], size[TPU_RANK];
    tpu_job w = tpu_job_begin(
        s, u, opcode == TPU_DOT || opcode == TPU_CONVOLUTION ? TPU_NEST_PRODUCTS : TPU_NEST_SUMS);
    tpu_hlo_shape(size, s->h, u);
    tpu_place_dense(to, u == s->h->root ? size : tpu_box_of(s, u), rank);
    tpu_copy_operands(s, u, block);
    switch (opcode) {
    case TPU_DOT: add_dot(s, &w, block, to); return;
    case TPU_CONVOLUTION: tpu_convolution_loops(&w, s, block, to); break;
    case TPU_REDUCE: tpu_reduce_loops(&w, s, block, to); break;
    default: tpu_window_loops(&w, s, block, to);
    }
    tpu_nest_add(s, &w);
}

/* ---- sides ---- */

/* Places every value of a side, and adds up its memory. */
static void place_all(tpu_side *s, int last)
{
    const tpu_tiling *t = s->t;
    for (int u = 0; u <= last; u++) {
        const int opcode = s->h->kernel->opcode[u], own = !tpu_is_view(opcode) || t->copied[u];
        if (!t->want[u] && opcode != TPU_PARAMETER) continue;
        const double bytes = tpu_volume(tpu_box_of(s, u)) * FLOAT;
        const int made = u == t->reduction || (tpu_tiling_computes(t, u) && own);
        if (t->copied[u]) {
            tpu_place_node(s->place, u, s->h, tpu_box_of(s, u), 0);
            s->view[u] = s->place[u];
        }
        tpu_place_node(s->place, u, s->h, tpu_box_of(s, u), made);
        if (tpu_tiling_computes(t, u)) s->scratch += bytes;
        if (t->want[u] && opcode == TPU_PARAMETER) s->outside += bytes;
    }
}

static void add_side(tpu_side *s, int last, int stop)
{
    double block[TPU_RANK];
    place_all(s, last);
    for (int u = 0; u <= last; u++) {
        if (!tpu_tiling_computes(s->t, u) || u == stop) continue;
        if (tpu_tiling_blocked(block, s->h, u))
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
    for (int a = 0; a < TPU_RANK; a++) {
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
        if (u == h->root || h->kernel->opcode[u] == TPU_PARAMETER)
            bytes += tpu_hlo_elements(h, u) * FLOAT;
    return bytes;
}

void tpu_nests_set(tpu_nests *nests, tpu_tiling *t, const float *tile)
{
    const int root = t->hlo.root, r = t->reduction;
    const size_t nodes = (size_t)t->hlo.kernel->nodes;
    double size[TPU_RANK], block[TPU_RANK], waste = 1;
    tpu_place *place = harness_alloc(2 * nodes * sizeof *place), *view = place + nodes;
    double *box = t->box + (size_t)root * TPU_RANK;
    const int rank = tpu_hlo_shape(size, &t->hlo, root);
    const double tiles = mean_blocks(box, &waste, tile + 8, size, rank);
    const double blocks = mean_blocks(block, &waste, tile, t->blocked, t->n_blocked);
    tpu_side s = {.nests = nests,
                  .t = t,
                  .h = &t->hlo,
                  .place = place,
                  .view = view,
                  .tiles = tiles,
                  .steps = tiles,
                  .times = tiles,
                  .waste = waste,
                  .kernel = kernel_bytes(&t->hlo)};
    nests->count = 0;
    tpu_want_after(t);
    const int reduces = r >= 0 && t->want[r];
    if (reduces) s.steps = tiles * blocks;
    add_side(&s, root, r);
    if (reduces) {
        tpu_side b = s;
        b.times = s.steps;
        b.before = 1;
        b.scratch = b.outside = 0;
        tpu_want_before(t, block);
        b.scratch = tpu_volume(tpu_box_of(&b, r)) * FLOAT;
        add_side(&b, r - 1, -1);
        add_reduction(&b, r, block);
    }
    harness_free(place);
}

void tpu_nests_free(tpu_nests *nests)
{
    harness_free(nests->nest);
    *nests = (tpu_nests){0};
}
