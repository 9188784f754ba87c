/* SPDX-License-Identifier: MIT */
/* The plan of a nest, its columns and its price. */
#include "examples/harness/base/bag.h"
#include "examples/tpu/rows/job.h"

#include <math.h>
#include <string.h>

enum { FLOAT = 4, VECTOR = 8, ROWS = 4, MAXIMUM = 57 };

/* A number that makes no sense, of features that make none, is 0. */
static float small(double x) { return isfinite(x) ? (float)copysign(log2(1 + fabs(x)), x) : 0; }

static int is_outside(const nests_side *s, int base)
{
    return base >= 0 && s->h->kernel->opcode[base] == TPUGRAPHS_PARAMETER;
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

static void input_columns(float *c, const nests_side *s, const nests_job *w, int k,
                          const nests_plan *plan)
{
    memset(c, 0, 8 * sizeof *c);
    if (k >= w->inputs) return;
    const nests_place *p = w->from[k];
    const double bytes = nests_volume(w->box[k]) * FLOAT;
    const int outside = is_outside(s, p->base);
    c[0] = small(plan->row.in[k]);
    c[1] = small(plan->sum.in[k]);
    c[2] = small(bytes);
    c[3] = small(contiguous(p->stride, w->box[k], s->h->operation[w->in[k]].rank));
    if (!outside) return;
    const double size = fmax(1, tpu_hlo_elements(s->h, p->base)) * FLOAT;
    c[4] = small(size);
    c[5] = small(bytes * s->times * w->share / size);
    c[6] = small(plan->row.in[k] * plan->row.size * FLOAT);
    c[7] = 1;
}

/* Whether the inner loops run through memory one element after the other, or read one element all
   the time, in a way for which the lab has loops that make vectors. */
static int runs_straight(const nests_job *w, const nests_plan *plan)
{
    const tpugraphs_loop *l = plan->folds ? &plan->sum : &plan->row;
    int still = 0, next = 0;
    for (int k = 0; k < w->inputs; k++) {
        still += l->in[k] == 0;
        next += l->in[k] == 1;
    }
    if (!plan->folds && l->out != 1) return 0;
    if (plan->folds || w->inputs != 2) return next == w->inputs;
    return next > 0 && next + still == w->inputs;
}

/* How often a stride can be halved: caches have a place for few of the rows that are a power of two
   apart. */
static float halvings(double stride)
{
    enum { MOST = 12 };
    int n = 0;
    if (!(stride >= 1) || stride != floor(stride)) return 0;
    for (; n < MOST && fmod(stride, 2) == 0; n++) stride /= 2;
    return (float)n;
}

static float halvings_of(const nests_plan *plan, int k)
{
    return fmaxf(halvings(fabs(plan->row.in[k])), halvings(fabs(plan->sum.in[k])));
}

/* ---- the plan ---- */

static double iterations(const tpugraphs_loop *loop, int n)
{
    double all = 1;
    for (int i = 0; i < n; i++) all *= loop[i].size;
    return all;
}

void nests_plan_loops(nests_plan *plan, const tpugraphs_loop *loop, int n)
{
    const tpugraphs_loop one = {.size = 1, .out = 1};
    tpugraphs_loop all[NESTS_TILE_LOOPS + 1];
    int count = 0, free = 0;
    for (int i = 0; i < n; i++)
        if (loop[i].size > 1) all[count++] = loop[i];
    *plan = (nests_plan){.row = one, .sum = one, .next = one};
    count = tpugraphs_plan_loops(all, count, TPUGRAPHS_BY_STRIDES, &plan->folds);
    while (free < count && !all[free].reduce) free++;
    const int rows = free ? free - 1 : 0, sums = count > free ? count - free - 1 : 0;
    if (free) plan->row = all[rows];
    if (count > free) plan->sum = all[count - 1];
    plan->free = iterations(all, rows);
    plan->reduced = iterations(all + free, sums);
    plan->depth = rows + sums;
    if (plan->depth) plan->next = sums ? all[free + sums - 1] : all[rows - 1];
}

/* ---- the price ---- */

/* ns of parts of a nest: a first guess of its run time. These are costs of the lab's loops on the
   machine of its files, fitted to the training files and rounded; those of both splits give nearly
   the same ones. They need not be right: trees and networks learn by how much a nest differs. */
typedef struct cost {
    double call;      /* of the two inner loops */
    double rows, row; /* start of a loop along four rows of the reduction at once, along one */
    double vector;    /* of 8 elements */
    double left;      /* of an element that vectors leave over */
    double jump;      /* of an element of loops that do not run through memory in order */
} cost;

static cost cost_of_map(const nests_job *w, int opcode)
{
    static const struct {
        int opcode;
        cost cost;
    } op[] = {{TPUGRAPHS_GATHER, {.call = 15, .vector = 0.8, .left = 0.6, .jump = 0.6}},
              {37 /* exponential */, {.call = 27, .vector = 2.7, .left = 3.6, .jump = 3.6}},
              {107 /* logistic */, {.call = 31, .vector = 3.3, .left = 2.7, .jump = 3}},
              {96 /* tanh */, {.call = 30, .vector = 4.7, .left = 3.6, .jump = 3.6}},
              {32 /* divide */, {.call = 21, .vector = 0.8, .left = 1.4, .jump = 1.4}},
              {94 /* sqrt */, {.call = 20, .vector = 1.3, .left = 1.7, .jump = 1.7}},
              {81 /* rsqrt */, {.call = 22, .vector = 2, .left = 2, .jump = 2}},
              {83 /* select */, {.call = 19, .vector = 0.7, .left = 0.95, .jump = 0.95}},
              {TPUGRAPHS_CLAMP, {.call = 19, .vector = 0.6, .left = 1, .jump = 1}}};
    for (size_t i = 0; i < sizeof op / sizeof *op; i++)
        if (op[i].opcode == opcode) return op[i].cost;
    if (w->kind == NESTS_TILE_SPECIAL)
        return (cost){.call = 26, .vector = 3, .left = 2.5, .jump = 3};
    if (w->kind == NESTS_TILE_ARITHMETIC)
        return (cost){.call = 19, .vector = 0.6, .left = 0.3, .jump = 0.4};
    return (cost){.call = 14, .vector = 0.6, .left = 0.3, .jump = 0.35};
}

static cost cost_of_reduction(const nests_job *w, int folds)
{
    const int product = w->kind == NESTS_TILE_PRODUCTS;
    if (folds)
        return product ? (cost){.call = 25, .row = 1.2, .vector = 2.2, .left = 0.73, .jump = 0.7}
                       : (cost){.call = 38, .row = 1.05, .jump = 0.9};
    return product ? (cost){24, 4.7, 2.6, 0.95, 0.7, 0.17} : (cost){20, 2, 2, 1.03, 0.7, 0.25};
}

/* ns of a row of n elements in memory order that becomes one number: sums and maxima keep eight
   parts of it, and what vectors leave over is joined with them in memory, unless it is half a
   vector. */
static double folded_row(int maximum, double n)
{
    const double vectors = floor(n / VECTOR), left = n - VECTOR * vectors;
    if (vectors < 1) return 1;
    const double rest = left == 0 ? 0 : left == VECTOR / 2 ? 1.2 : 10;
    return (maximum ? 2.2 + 1.1 * vectors : 1.9 + 0.25 * vectors) + rest;
}

/* A loop of n elements, `times` times. */
static double loop(const cost *c, double n, double times, int straight)
{
    const double vectors = floor(n / VECTOR);
    return straight ? times * (vectors * c->vector + (n - VECTOR * vectors) * c->left) : 0;
}

/* ns of one run. op: its op code, of a reduction that of what it does with its elements; straight:
   the inner loops run through memory in order. */
static double price_of(const nests_job *w, const nests_plan *plan, int op, int straight)
{
    static const double one_of_four = 0.4; /* a row alone, of the cost of four together */
    const double calls = plan->free * plan->reduced, n = plan->row.size, r = plan->sum.size;
    if (w->kind < NESTS_TILE_PRODUCTS) {
        const cost c = cost_of_map(w, op);
        return calls * (c.call + (straight ? loop(&c, n, 1, 1) : c.jump * n));
    }
    const cost c = cost_of_reduction(w, plan->folds);
    if (w->kind == NESTS_TILE_SUMS && plan->folds && straight)
        return calls * (c.call + n * folded_row(op == MAXIMUM, r));
    const double jumps = straight ? 0 : c.jump * n * r;
    if (plan->folds) return calls * (c.call + n * c.row + loop(&c, r, n, straight) + jumps);
    const double fours = floor(r / ROWS), ones = r - ROWS * fours;
    return calls * (c.call + fours * c.rows + ones * c.row +
                    loop(&c, n, fours + one_of_four * ones, straight) + jumps);
}

/* ---- all of a nest ---- */

/* The op code of what a reduction does with its elements; 0 where the file does not say. */
static int reducer_of(const nests_side *s, const nests_job *w)
{
    const int32_t *reducer = s->h->kernel->reducer;
    return reducer && w->kind == NESTS_TILE_SUMS ? reducer[w->node] : 0;
}

/* The loop around the two innermost ones, what is called how often, and memory. */
static void outer_columns(float *c, const nests_side *s, const nests_job *w, const nests_plan *plan,
                          double all)
{
    double touched = w->written * FLOAT;
    for (int k = 0; k < w->inputs; k++) touched += nests_volume(w->box[k]) * FLOAT;
    *c++ = (float)runs_straight(w, plan);
    *c++ = (float)w->inputs;
    *c++ = (float)plan->depth;
    *c++ = small(plan->next.size);
    *c++ = small(plan->next.out);
    *c++ = small(plan->next.in[0]);
    *c++ = small(plan->next.in[1]);
    *c++ = tpugraphs_left_over(plan->sum.size, 4);
    *c++ = tpugraphs_left_over(plan->row.size, 32);
    *c++ = small(all);
    *c++ = small(plan->free * plan->reduced * s->times * w->share);
    *c++ = small(touched);
    *c++ = small(s->kernel);
    *c++ = halvings_of(plan, 0);
    *c++ = halvings_of(plan, 1);
    *c++ = small(plan->row.in[2]);
    *c++ = (float)reducer_of(s, w);
}

/* All ops that only move elements run the same loops; rows that are looked up do not. */
static int op_of(const nests_side *s, const nests_job *w)
{
    const int opcode = s->h->kernel->opcode[w->node];
    return w->kind == NESTS_TILE_FILL || (w->kind == NESTS_TILE_MOVES && opcode != TPUGRAPHS_GATHER)
               ? TPUGRAPHS_COPY
               : opcode;
}

/* Makes room for a row; returns its number. */
static int next_row(nests_rows *t)
{
    const int at = t->rows++;
    bag_resize(t->x, (size_t)t->rows * NESTS_TILE_COLUMNS);
    bag_resize(t->word, t->rows);
    bag_resize(t->work, t->rows);
    bag_resize(t->row, t->rows);
    bag_resize(t->node, t->rows);
    return t->row[at] = at;
}

void nests_tile_add(nests_side *s, const nests_job *w)
{
    const int row = next_row(s->rows);
    nests_rows *all = s->rows;
    float *c = all->x + (size_t)row * NESTS_TILE_COLUMNS;
    nests_plan plan;
    double each = 1;
    const double times = s->times * w->share;
    nests_plan_loops(&plan, w->loop, w->n_loops);
    for (int i = 0; i < w->n_loops; i++) each *= w->loop[i].size;
    const int op = w->kind == NESTS_TILE_SUMS ? reducer_of(s, w) : op_of(s, w);
    const double price = times * price_of(w, &plan, op, runs_straight(w, &plan));
    all->node[row] = w->node;
    all->word[row] = w->kind;
    all->work[row] = isfinite(price) ? fmax(1e-3, price) : 1;
    *c++ = (float)op_of(s, w);
    *c++ = (float)s->before;
    *c++ = (float)plan.folds;
    *c++ = small(plan.row.size);
    *c++ = small(plan.sum.size);
    *c++ = small(plan.free);
    *c++ = small(plan.reduced);
    *c++ = small(each);
    *c++ = small(times);
    *c++ = small(plan.row.size * plan.sum.size);
    *c++ = small(plan.row.out);
    *c++ = small(w->written * FLOAT);
    *c++ = (float)(w->node == s->h->root);
    *c++ = small(s->scratch);
    *c++ = small(s->outside);
    *c++ = small(s->scratch + s->outside);
    *c++ = small(s->waste);
    *c++ = small(s->tiles);
    *c++ = small(s->steps / s->tiles);
    *c++ = (float)w->readings;
    for (int vector = 8; vector <= 16; vector *= 2) {
        *c++ = tpugraphs_left_over(plan.row.size, vector);
        *c++ = tpugraphs_left_over(plan.sum.size, vector);
    }
    input_columns(c, s, w, 0, &plan);
    input_columns(c + 8, s, w, 1, &plan);
    outer_columns(c + 16, s, w, &plan, each * times);
}
