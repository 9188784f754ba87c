/* SPDX-License-Identifier: MIT */
/* One case of the op table on a tape: inputs are parameters, the loss is sum <y_j, c_j>. */
#include "support/op_runner.h"
#include "core/memory.h"
#include "core/shape.h"
#include "op_inside.h"
#include "autograd/tape.h"
#include "support/device.h"
#include "optim/internal.h"
#include "ops/ops.h"
#include "ops/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { COTANGENTS = 1000 }; /* streams of cotangents; inputs have those below */

/* ---- drawing ---- */

static uint64_t name_key(const char *name)
{
    uint64_t key = 14695981039346656037u;
    while (*name) key = (key ^ (unsigned char)*name++) * 1099511628211u;
    return key;
}

static void draw(double *out, int64_t n, const inside *in, uint64_t stream, double lo, double hi)
{
    ag_random r = {name_key(in->op->name) + (uint64_t)in->index, stream, 0};
    for (int64_t i = 0; i < n; i++)
        out[i] = (double)(float)(lo + (hi - lo) * ag_random_uniform(&r));
}

static double *doubles(int64_t n) { return calloc((size_t)n + 1, sizeof(double)); }

/* Shapes of the table leave unused sizes at 0; a shape {0,{0}} means that the input is absent. */
static ag_shape whole(ag_shape s)
{
    for (int i = s.rank; i < AG_MAX_AXES; i++) s.size[i] = 1;
    return s;
}

static int inputs_of(const ag_op *op, const ag_case *c)
{
    int n = 0, names = 1;
    for (const char *p = op->inputs; *p; p++) names += *p == ' ';
    if (strstr(op->inputs, "...")) names = AG_MAX_IN;
    while (n < names && n < AG_MAX_IN && (c->x[n].rank > 0 || c->x[n].size[0] != 0)) n++;
    return n;
}

static int has_gradient(const ag_op *op, int i)
{
    if (op->ints >> i & 1) return 0;
    return op->view || (strstr(op->inputs, "...") ? op->backward[0] : op->backward[i]) != NULL;
}

static void add_input(op_trial *t, inside *in, const ag_case *c, int i)
{
    char name[] = {'x', (char)('0' + i), 0};
    t->xs[i] = whole(c->x[i]);
    t->x_count[i] = ag_shape_count(t->xs[i]);
    t->is_int[i] = (int)(in->op->ints >> i & 1);
    t->same[i] = i;
    if (t->is_int[i]) {
        t->ints[i] = in->ints[i] = calloc((size_t)t->x_count[i] + 1, sizeof(int32_t));
        if (c->ints[i]) memcpy(in->ints[i], c->ints[i], (size_t)t->x_count[i] * sizeof(int32_t));
        return;
    }
    const int plain = c->lo >= c->hi;
    t->x[i] = doubles(t->x_count[i]);
    t->dx[i] = doubles(t->x_count[i]);
    draw(t->x[i], t->x_count[i], in, (uint64_t)i, plain ? -1 : c->lo, plain ? 1 : c->hi);
    in->param[i] = ag_params_add(in->params, name, t->xs[i], ag_init_constant(0), 0);
    t->has_dx[i] = has_gradient(in->op, i);
    t->differentiable |= t->has_dx[i];
}

/* ---- recording ---- */

static ag_tensor *input(op_trial *t, inside *in, int i, unsigned how)
{
    if (t->is_int[i]) return ag_input_i32(in->tape, in->ints[i], t->xs[i]);
    ag_tensor *x = ag_parameter(in->tape, in->param[t->same[i]]);
    if (how & RUN_INNER) x = ag_scale(x, 1);
    if (how & RUN_VIEWS) x = ag_reshape(ag_reshape(x, AG_SHAPE((int)t->x_count[i])), t->xs[i]);
    return x;
}

static void record(op_trial *t, ag_tensor *y[AG_MAX_OUT], unsigned how)
{
    inside *in = t->inside;
    ag_tensor *x[AG_MAX_IN];
    for (int i = 0; i < t->n_in; i++) x[i] = input(t, in, i, how);
    y[0] = ag__record(in->op, x, t->n_in, &in->attr);
    for (int j = 1; j < t->n_out; j++) y[j] = ag__output(y[0], j);
}

static ag_tensor *loss_of(op_trial *t, ag_tensor *const *y, unsigned how)
{
    inside *in = t->inside;
    ag_tensor *loss = NULL;
    for (int j = 0; j < t->n_out; j++) {
        if (!t->flows[j]) continue;
        const ag_shape flat = AG_SHAPE((int)t->y_count[j]);
        ag_tensor *v = how & RUN_VIEWS ? ag_reshape(y[j], flat) : y[j];
        ag_tensor *c = ag_input(in->tape, in->c[j], how & RUN_VIEWS ? flat : t->ys[j]);
        ag_tensor *part = ag_sum_all(ag_mul(v, c));
        loss = loss ? ag_add(loss, part) : part;
    }
    return loss;
}

/* ---- making and freeing ---- */

static int open(op_trial *t, inside *in, const ag_op *op, int index)
{
    const ag_case *c = &op->cases[index];
    t->inside = in;
    t->n_in = inputs_of(op, c);
    t->n_out = op->outputs ? op->outputs : 1;
    *in = (inside){.op = op, .index = index, .attr = c->attr};
    memcpy(t->f, c->attr.f, sizeof t->f);
    memcpy(t->i, c->attr.i, sizeof t->i);
    in->tape = ag_tape_new(test_device());
    in->params = ag_params_new();
    for (int i = 0; i < t->n_in; i++) add_input(t, in, c, i);
    ag_params_build(in->params, 0);
    ag_params_to(in->params, test_device(), NULL);
    ag_tensor *y[AG_MAX_OUT];
    record(t, y, 0);
    if (ag_failed(in->tape)) return 1;
    in->attr = in->tape->nodes[y[0]->node].attr; /* as the shape rule left them, for bare kernels */
    for (int j = 0; j < t->n_out; j++) {
        t->ys[j] = ag_shape_of(y[j]);
        t->y_count[j] = ag_shape_count(t->ys[j]);
        t->out_int[j] = (int)(op->ints >> (8 + j) & 1);
        t->shown[j] = t->out_int[j] || ((op->flows ? op->flows : SAVE_Y(0)) & SAVE_Y(j)) != 0;
        t->flows[j] = t->differentiable && t->shown[j] && !t->out_int[j];
        t->y[j] = doubles(t->y_count[j]);
        t->c[j] = doubles(t->y_count[j]);
        in->c[j] = calloc((size_t)t->y_count[j] + 1, sizeof(ag_real));
    }
    ag__trial_cotangent(t, 0);
    return 0;
}

op_trial *ag__trial_new(const char *name, int index, char why[480])
{
    const ag_op *op = ag__op_named(name);
    strcpy(why, "no such case");
    if (!op || index < 0 || index >= op->n_cases) return NULL;
    op_trial *t = calloc(1, sizeof *t);
    if (!open(t, calloc(1, sizeof(inside)), op, index)) return t;
    strcpy(why, ag_error(((inside *)t->inside)->tape));
    ag__trial_free(t);
    return NULL;
}

void ag__trial_free(op_trial *t)
{
    if (!t) return;
    inside *in = t->inside;
    for (int i = 0; i < AG_MAX_IN; i++) {
        free(t->x[i]);
        free(t->dx[i]);
        free(in->ints[i]);
    }
    for (int j = 0; j < AG_MAX_OUT; j++) {
        free(t->y[j]);
        free(t->c[j]);
        free(in->c[j]);
    }
    ag_tape_free(in->tape);
    ag_params_free(in->params);
    free(in);
    free(t);
}

void ag__trial_cotangent(op_trial *t, int number)
{
    for (int j = 0; j < t->n_out; j++)
        draw(t->c[j], t->y_count[j], t->inside, (uint64_t)(COTANGENTS + 10 * number + j), -1.5,
             1.5);
}

/* ---- running ---- */

static uint64_t inputs_hash(const op_trial *t)
{
    const inside *in = t->inside;
    uint64_t h = 1;
    for (int i = 0; i < t->n_in; i++)
        h = t->is_int[i]
                ? XXH3_64bits_withSeed(in->ints[i], (size_t)t->x_count[i] * sizeof(int32_t), h)
                : XXH3_64bits_withSeed(in->param[i]->value, (size_t)t->x_count[i] * sizeof(ag_real),
                                       h);
    return h;
}

static void spoil_slab(ag_tape *tape)
{
    const size_t n = (size_t)tape->slab_bytes;
    if (tape->device != AG_CPU)
        ag__device_fill(tape->slab, 0xff, tape->slab ? n : 0);
    else if (tape->slab)
        memset(tape->slab, 0xff, n);
    if (tape->tiles) memset(tape->tiles, 0xff, (size_t)tape->tiles_bytes);
}

/* Gradients are NaN where they are, and the gaps between parameters stay 0. */
static void spoil_gradients(ag_params *params)
{
    ag_params_reset(params);
    for (int i = 0; i < params->count; i++)
        memset(params->list[i]->gradient, 0xff, (size_t)params->list[i]->count * sizeof(ag_real));
}

/* Fills everything that a run must write with NaN, so that reading before writing shows. */
static void fill(op_trial *t, unsigned how)
{
    inside *in = t->inside;
    for (int i = 0; i < t->n_in; i++)
        for (int64_t k = 0; k < t->x_count[i] && in->param[i]; k++)
            in->param[i]->value[k] = (ag_real)t->x[i][k];
    for (int j = 0; j < t->n_out; j++)
        for (int64_t k = 0; k < t->y_count[j]; k++) in->c[j][k] = (ag_real)t->c[j][k];
    spoil_slab(in->tape);
    if (how & RUN_BACKWARD && !(how & RUN_ADD)) spoil_gradients(in->params);
}

static void prepare(op_trial *t, unsigned how)
{
    ag_params *params = ((inside *)t->inside)->params;
    ag_params_fetch(params, NULL);
    fill(t, how);
    if (params->device != AG_CPU) ag__params_send(params, NULL);
}

static void read_outputs(op_trial *t, ag_tensor *const *y)
{
    t->y_bits = 1;
    for (int j = 0; j < t->n_out; j++) {
        if (t->y_count[j] == 0 || !t->shown[j])
            continue; /* others may have rows that nobody writes */
        const size_t one = t->out_int[j] ? sizeof(int32_t) : sizeof(ag_real);
        const int32_t *whole_numbers = t->out_int[j] ? ag_values_i32(y[j]) : NULL;
        const ag_real *real = t->out_int[j] ? NULL : ag_values(y[j]);
        if (!real && !whole_numbers) return;
        for (int64_t k = 0; k < t->y_count[j]; k++)
            t->y[j][k] = real ? (double)real[k] : whole_numbers[k];
        t->y_bits = XXH3_64bits_withSeed(real ? (const void *)real : whole_numbers,
                                         (size_t)t->y_count[j] * one, t->y_bits);
    }
}

static void read_gradients(op_trial *t)
{
    const inside *in = t->inside;
    t->dx_bits = 1;
    for (int i = 0; i < t->n_in; i++) {
        if (t->is_int[i]) continue;
        const ag_real *g = in->param[i]->gradient;
        for (int64_t k = 0; k < t->x_count[i]; k++) t->dx[i][k] = (double)g[k];
        t->dx_bits = XXH3_64bits_withSeed(g, (size_t)t->x_count[i] * sizeof *g, t->dx_bits);
    }
}

static int guards_whole(const inside *in)
{
    const ag_tape *tape = in->tape;
    return ag_arena_intact(tape->arena) && ag_arena_intact(in->params->arena) &&
           (!tape->slab_arena || ag_arena_intact(tape->slab_arena)) &&
           (!tape->tiles_arena || ag_arena_intact(tape->tiles_arena));
}

void ag__trial_run(op_trial *t, unsigned how)
{
    inside *in = t->inside;
    ag_tensor *y[AG_MAX_OUT];
    prepare(t, how);
    const uint64_t before = inputs_hash(t);
    const long allocations = ag__allocations();
    ag_tape_reset(in->tape);
    ag_tape_seed(in->tape, 0, 0); /* every run draws the same */
    record(t, y, how);
    for (int j = 0; j < t->n_out && !(how & RUN_LEAN); j++) ag_keep(y[j]);
    if (how & RUN_BACKWARD)
        ag_backward(loss_of(t, y, how));
    else
        ag_forward(y[0]);
    t->allocations = ag__allocations() - allocations;
    ag_params_fetch(in->params, NULL);
    t->untouched = inputs_hash(t) == before && guards_whole(in);
    if (!(how & RUN_LEAN)) read_outputs(t, y);
    if (how & RUN_BACKWARD) read_gradients(t);
    strcpy(t->error, ag_error(in->tape));
}
