/* SPDX-License-Identifier: MIT */
/* Follows a tile back from the output, places its values, and plans the nest of each node that is
   computed: once per tile after the reduction, once per block of the reduction before it. */
#include "examples/tpu/analytic/nest_job.h"

#include "examples/harness/harness.h"
#include "examples/tpu/analytic/sides.h"

#include <math.h>
#include <string.h>

enum {
    READINGS = 4, /* of a dot at most */
    USES = 16,    /* operands of products whose elements a block uses this often are copied first */
    FLOAT = 4
};

/* ---- columns ---- */

/* A number that makes no sense, of features that make none, is 0. */
static float small(double x) { return isfinite(x) ? (float)copysign(log2(1 + fabs(x)), x) : 0; }

static int is_outside(const tpu_side *s, int base)
{
    return base >= 0 && s->h->kernel->opcode[base] == TPU_PARAMETER;
}

/* The elements that lie next to each other in memory. */
static double contiguous(const double *stride, const double *box, int rank)
{
    double all = 1;
    for (int a = rank - 1; a >= 0; a--) {
        if (box[a] <= 1) continue;
        if (fabs(stride[a] - all) > 1e-9 * all) break;
        all *= box[a];
    }
    return all;
}

/* The share of a loop that full vectors of so many elements leave over. */
static float left_over(double n, double vector)
{
    return isfinite(n) && n >= 1 ? (float)(fmod(n, vector) / n) : 0;
}

static void input_columns(float *c, const tpu_side *s, const tpu_job *w, int k,
                          const tpu_plan *plan)
{
    const int u = w->in[k];
    memset(c, 0, 8 * sizeof *c);
    if (u < 0) return;
    const tpu_place *p = &s->place[u];
    const double bytes = tpu_volume(w->box[k]) * FLOAT;
    const int outside = is_outside(s, p->base);
    c[0] = small(plan->row.in[k]);
    c[1] = small(plan->sum.in[k]);
    c[2] = small(bytes);
    c[3] = small(contiguous(p->stride, w->box[k], tpu_hlo_shape(NULL, s->h, u)));
    if (!outside) return;
    const double size = fmax(1, tpu_hlo_elements(s->h, p->base)) * FLOAT;
    c[4] = small(size);
    c[5] = small(bytes * s->times / size);
    c[6] = small(plan->row.in[k] * plan->row.n * FLOAT);
    c[7] = 1;
}

static void add(tpu_side *s, const tpu_job *w)
{
    tpu_nests *all = s->nests;
    tpu_plan plan;
    double each = 1;
    if (all->count == all->room) {
        all->room = 2 * all->room + 16;
        all->nest = harness_grow(all->nest, (size_t)all->room * sizeof *all->nest);
    }
    tpu_nest *nest = &all->nest[all->count++];
    float *c = nest->column;
    tpu_plan_loops(&plan, w->loop, w->n_loops, w->inputs);
    for (int i = 0; i < w->n_loops; i++) each *= w->loop[i].n;
    memset(nest, 0, sizeof *nest);
    nest->node = w->node;
    nest->work = isfinite(each * s->times) ? fmax(1, each * s->times) : 1;
    *c++ = (float)w->kind;
    *c++ = (float)s->h->kernel->opcode[w->node];
    *c++ = (float)s->before;
    *c++ = (float)plan.folds;
    *c++ = small(plan.row.n);
    *c++ = small(plan.sum.n);
    *c++ = small(plan.free);
    *c++ = small(plan.reduced);
    *c++ = small(each);
    *c++ = small(s->times);
    *c++ = small(plan.row.n * plan.sum.n);
    *c++ = small(plan.row.out);
    *c++ = small(w->written * FLOAT);
    *c++ = (float)(w->out == s->h->root);
    *c++ = small(s->scratch);
    *c++ = small(s->outside);
    *c++ = small(s->scratch + s->outside);
    *c++ = small(s->waste);
    *c++ = small(s->tiles);
    *c++ = small(s->steps / s->tiles);
    *c++ = (float)w->readings;
    for (int vector = 8; vector <= 16; vector *= 2) {
        *c++ = left_over(plan.row.n, vector);
        *c++ = left_over(plan.sum.n, vector);
    }
    input_columns(c, s, w, 0, &plan);
    input_columns(c + 8, s, w, 1, &plan);
}

static tpu_job begin(const tpu_side *s, int u, int kind)
{
    return (tpu_job){
        .node = u, .kind = kind, .in = {-1, -1}, .out = u, .written = tpu_volume(tpu_box_of(s, u))};
}

/* ---- nests ---- */

static void add_map(tpu_side *s, int u)
{
    static const int kinds[] = {TPU_NEST_MOVES, TPU_NEST_ARITHMETIC, TPU_NEST_SPECIAL};
    const tpu_hlo *h = s->h;
    tpu_job w = begin(s, u, kinds[tpu_elementwise_of(h->kernel->opcode[u])]);
    if (tpu_is_view(h->kernel->opcode[u]))
        tpu_job_read(&w, s, u); /* a copy of what it views */
    else
        for (int scalar = 0; scalar < 2; scalar++) /* inputs that move first */
            for (int i = h->start[u]; i < h->start[u + 1]; i++) {
                const int v = h->operand[i], base = s->place[v].base;
                if ((h->kernel->opcode[base] == TPU_CONSTANT) == scalar) tpu_job_read(&w, s, v);
            }
    double to[TPU_RANK];
    const double *box = tpu_box_of(s, u);
    const int rank = tpu_hlo_shape(NULL, h, u);
    if (u == h->root) {
        double size[TPU_RANK];
        tpu_hlo_shape(size, h, u);
        tpu_place_dense(to, size, rank);
    } else
        tpu_place_dense(to, box, rank);
    tpu_map_loops(&w, s, to, box, rank);
    add(s, &w);
}

/* Where the file does not tell which axes are contracted, the first reading is taken, and that
   there are others is a column. */
static void add_dot(tpu_side *s, tpu_job *w, const double *block, const double *to)
{
    tpu_dot d[READINGS];
    w->readings = tpu_hlo_dots(d, READINGS, s->h, w->node);
    if (w->readings) tpu_dot_loops(w, s, block, to, &d[0]);
    add(s, w);
}

/* ---- copies before the reduction ---- */

/* Writes all of a box that a copy of v then fills in part. */
static void add_fill(tpu_side *s, int v, const double *box, const double *to, int rank)
{
    tpu_job w = {
        .node = v, .kind = TPU_NEST_FILL, .in = {-1, -1}, .out = v, .written = tpu_volume(box)};
    tpu_map_loops(&w, s, to, box, rank);
    add(s, &w);
}

/* Copies operand v of the reduction to scratch, with borders where they are given: it is then read
   there. */
static void add_copy(tpu_side *s, int v, const double *padded, const double *every)
{
    const int rank = tpu_hlo_shape(NULL, s->h, v);
    double *box = tpu_box_of(s, v), to[TPU_RANK], dense[TPU_RANK];
    tpu_job w = {
        .node = v, .kind = TPU_NEST_MOVES, .in = {-1, -1}, .out = v, .written = tpu_volume(box)};
    tpu_place_dense(dense, padded ? padded : box, rank);
    memcpy(to, dense, sizeof to);
    if (padded) {
        add_fill(s, v, padded, dense, rank);
        for (int a = 0; a < rank; a++) to[a] *= every[a];
    }
    tpu_job_read(&w, s, v);
    tpu_map_loops(&w, s, to, box, rank);
    add(s, &w);
    memcpy(s->place[v].stride, dense, sizeof dense);
    s->place[v].base = s->t->reduction;
    if (padded) memcpy(box, padded, TPU_RANK * sizeof *box);
}

static void copy_operands(tpu_side *s, int u, const double *block)
{
    const tpu_hlo *h = s->h;
    const int opcode = h->kernel->opcode[u],
              product = opcode == TPU_DOT || opcode == TPU_CONVOLUTION;
    const double all = tpu_volume(tpu_box_of(s, u)) * tpu_volume(block);
    for (int i = h->start[u]; i < h->start[u + 1]; i++) {
        const int v = h->operand[i], base = s->place[v].base;
        double box[TPU_RANK], every[TPU_RANK];
        const int padded = tpu_padded(box, every, s->t, u, v, block);
        const int scratch = base == v && h->kernel->opcode[v] != TPU_PARAMETER;
        if (padded || (product && !scratch && all >= USES * tpu_volume(tpu_box_of(s, v))))
            add_copy(s, v, padded ? box : NULL, every);
    }
}

static void add_reduction(tpu_side *s, int u, const double *block)
{
    const int opcode = s->h->kernel->opcode[u], rank = tpu_hlo_shape(NULL, s->h, u);
    double to[TPU_RANK], size[TPU_RANK];
    tpu_job w = begin(
        s, u, opcode == TPU_DOT || opcode == TPU_CONVOLUTION ? TPU_NEST_PRODUCTS : TPU_NEST_SUMS);
    tpu_hlo_shape(size, s->h, u);
    tpu_place_dense(to, u == s->h->root ? size : tpu_box_of(s, u), rank);
    copy_operands(s, u, block);
    switch (opcode) {
    case TPU_DOT: add_dot(s, &w, block, to); return;
    case TPU_CONVOLUTION: tpu_convolution_loops(&w, s, block, to); break;
    case TPU_REDUCE: tpu_reduce_loops(&w, s, block, to); break;
    default: tpu_window_loops(&w, s, block, to);
    }
    add(s, &w);
}

/* ---- sides ---- */

static int computes(const tpu_side *s, int u)
{
    return s->t->want[u] && (u == s->h->root || !tpu_is_view(s->h->kernel->opcode[u]));
}

/* Places every value of a side, and adds up its memory. */
static void place_all(tpu_side *s, int last)
{
    for (int u = 0; u <= last; u++) {
        if (!s->t->want[u] && s->h->kernel->opcode[u] != TPU_PARAMETER) continue;
        const double bytes = tpu_volume(tpu_box_of(s, u)) * FLOAT;
        tpu_place_node(s->place, u, s->h, tpu_box_of(s, u),
                       u == s->t->reduction ||
                           (computes(s, u) && !tpu_is_view(s->h->kernel->opcode[u])));
        if (computes(s, u)) s->scratch += bytes;
        if (s->t->want[u] && s->h->kernel->opcode[u] == TPU_PARAMETER) s->outside += bytes;
    }
}

static void add_side(tpu_side *s, int last, int stop)
{
    double block[TPU_RANK];
    place_all(s, last);
    for (int u = 0; u <= last; u++) {
        if (!computes(s, u) || u == stop) continue;
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

void tpu_nests_set(tpu_nests *nests, tpu_tiling *t, const float *tile)
{
    const int root = t->hlo.root, r = t->reduction;
    const size_t nodes = (size_t)t->hlo.kernel->nodes;
    double size[TPU_RANK], block[TPU_RANK], waste = 1;
    tpu_place *place = harness_alloc(nodes * sizeof *place);
    double *box = t->box + (size_t)root * TPU_RANK;
    const int rank = tpu_hlo_shape(size, &t->hlo, root);
    const double tiles = mean_blocks(box, &waste, tile + 8, size, rank);
    const double blocks = mean_blocks(block, &waste, tile, t->blocked, t->n_blocked);
    tpu_side s = {nests, t, &t->hlo, place, tiles, tiles, tiles, waste, 0, 0, 0};
    nests->count = 0;
    tpu_want_after(t);
    const int reduces = r >= 0 && t->want[r];
    if (reduces) s.steps = tiles * blocks;
    add_side(&s, root, r);
    if (reduces) {
        tpu_side b = {nests, t, &t->hlo, place, tiles, s.steps, s.steps, waste, 0, 0, 1};
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
