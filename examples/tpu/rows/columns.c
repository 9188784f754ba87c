/* SPDX-License-Identifier: MIT */
/* The columns of a nest. */
#include "examples/tpu/rows/job.h"

#include <math.h>
#include <string.h>

enum { FLOAT = 4 };

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

void nests_tile_add(nests_side *s, const nests_job *w)
{
    const int row = nests_tile_next(s->rows);
    nests_rows *all = &s->rows->table;
    float *c = all->x + (size_t)row * NESTS_TILE_COLUMNS;
    nests_plan plan;
    double each = 1;
    const double times = s->times * w->share;
    nests_plan_loops(&plan, w->loop, w->n_loops);
    for (int i = 0; i < w->n_loops; i++) each *= w->loop[i].size;
    const int op = w->kind == NESTS_TILE_SUMS ? reducer_of(s, w) : op_of(s, w);
    const double price = times * nests_tile_price(w, &plan, op, runs_straight(w, &plan));
    s->rows->node[row] = w->node;
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
