/* SPDX-License-Identifier: MIT */
#include "linear_run.h"

#include "core_product.h"
#include "mark.h"
#include "onednn.h"
#include "probe.h"

#include <stdlib.h>

enum { MOST_COPIES = 40 };

/* One product as core and oneDNN are called: c = op(a) op(b). */
typedef struct product {
    int ta, tb, m, n, k;
    const ag_real *a, *b;
    ag_real *c;
} product;

static product product_of(const bench_linear *l, bench_way way, int copy)
{
    const int r = l->rows, o = l->out, i = l->in;
    const ag_real *x = l->x->list[copy]->value, *w = l->w->list[0]->value,
                  *dy = l->dy + (int64_t)copy * r * o;
    product p = {0, 1, r, o, i, x, w, NULL};
    if (way == BENCH_BACKWARD_X) p = (product){0, 0, r, i, o, dy, w, NULL};
    if (way == BENCH_BACKWARD_W) p = (product){1, 0, o, i, r, dy, x, NULL};
    p.c = l->result + (int64_t)copy * p.m * p.n;
    return p;
}

/* -0.5 to 0.5; drawing random numbers would take longer than the products. */
static void fill(ag_real *x, int64_t n, int64_t start)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = (ag_real)(((i + start) * 2654435761) & 1023) / 1024 - (ag_real)0.5;
}

static ag_params *parameters(int copies, int rows, int columns)
{
    ag_params *params = ag_params_new();
    for (int i = 0; params && i < copies; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        ag_params_add(params, name, AG_SHAPE(rows, columns), ag_init_constant(0), 0);
    }
    if (!params || ag_params_build(params, 1)) {
        ag_params_free(params);
        return NULL;
    }
    for (int i = 0; i < copies; i++) fill(params->list[i]->value, params->list[i]->count, 1000 * i);
    return params;
}

static ag_real *numbers(int64_t n)
{
    ag_real *x = malloc((size_t)n * sizeof *x + 1);
    if (x) fill(x, n, 77);
    return x;
}

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

int bench_linear_open(bench_linear *l, int rows, int out, int in, int copies)
{
    int64_t result = 0, scratch = 1;
    copies = copies < MOST_COPIES ? copies : MOST_COPIES;
    *l = (bench_linear){.rows = rows, .out = out, .in = in, .copies = copies};
    l->tape = ag_tape_new(AG_CPU);
    l->x = parameters(copies, rows, in);
    l->w = parameters(copies, out, in);
    l->bias = numbers(out);
    l->dy = numbers((int64_t)copies * rows * out);
    if (!l->x || !l->w) return 1;
    for (int way = 0; way < BENCH_WAYS; way++) {
        const product p = product_of(l, (bench_way)way, 0);
        result = most(result, (int64_t)p.m * p.n);
        scratch = most(scratch, bench_core_scratch(p.ta, p.tb, p.m, p.n, p.k));
    }
    l->result = numbers(copies * result);
    l->scratch = numbers(scratch);
    return !l->tape || !l->bias || !l->dy || !l->result || !l->scratch;
}

void bench_linear_close(bench_linear *l)
{
    ag_tape_free(l->tape);
    ag_params_free(l->x);
    ag_params_free(l->w);
    free(l->bias);
    free(l->dy);
    free(l->result);
    free(l->scratch);
}

/* As a leaf whose gradient is wanted, or as numbers alone. */
static ag_tensor *leaf(bench_linear *l, ag_param *p, int wanted)
{
    return wanted ? ag_parameter(l->tape, p) : ag_input(l->tape, p->value, p->shape);
}

static double forward(bench_linear *l)
{
    ag_tensor *bias = ag_input(l->tape, l->bias, AG_SHAPE(l->out)), *y = NULL;
    ag_tensor *w = leaf(l, l->w->list[0], 0);
    for (int i = 0; i < l->copies; i++) y = ag_keep(ag_linear(leaf(l, l->x->list[i], 0), w, bias));
    const double start = bench_now();
    ag_forward(y);
    return bench_now() - start;
}

static double backward(bench_linear *l, int of_w)
{
    ag_tensor *y[MOST_COPIES];
    ag_params_reset(l->x);
    ag_params_reset(l->w);
    for (int i = 0; i < l->copies; i++) {
        ag_tensor *x = leaf(l, l->x->list[i], !of_w);
        y[i] = ag_linear(x, leaf(l, l->w->list[of_w ? i : 0], of_w), NULL);
    }
    bench_marked.evict = 0;
    ag_backward(bench_mark_all(y, l->copies));
    return bench_now() - bench_marked.backward_start;
}

double bench_linear_op(bench_linear *l, bench_way way)
{
    ag_tape_reset(l->tape);
    return way == BENCH_FORWARD ? forward(l) : backward(l, way == BENCH_BACKWARD_W);
}

double bench_linear_core(bench_linear *l, bench_way way)
{
    const double start = bench_now();
    for (int i = 0; i < l->copies; i++) {
        const product p = product_of(l, way, i);
        bench_core_product(p.c, p.a, p.b, p.ta, p.tb, p.m, p.n, p.k, l->scratch);
    }
    return bench_now() - start;
}

double bench_linear_onednn(bench_linear *l, bench_way way)
{
    const double start = bench_now();
    for (int i = 0; i < l->copies; i++) {
        const product p = product_of(l, way, i);
        bench_onednn_product(p.c, p.a, p.b, p.ta, p.tb, p.m, p.n, p.k);
    }
    return bench_now() - start;
}
