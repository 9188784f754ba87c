/* SPDX-License-Identifier: MIT */
/* Gradients of the whole TGraph against central differences, in double: every block of parameters
   in 3 random directions and 8 entries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model_random.h"

#include <math.h>
#include <string.h>

enum { NODES = 12, EDGES = 20, CONFIGURABLE = 5, CONFIGS = 5 };

typedef struct variant {
    const char *name;
    tgraph_options options;
} variant;
#define USUAL .hidden = 16, .halve = 1, .channel = 1, .edges = 1
#define PAPER .outside = 1, .sum = 1, .l2 = 1, .message = 1

static variant variants[] = {
    {"cross", {USUAL, .cross = 1, .cross_input = 1}},
    {"plain", {USUAL}},
    {"paper", {USUAL, .cross = 1, PAPER}},
    {"wide convolution", {USUAL, .sum = 1, .direction = TGRAPH_OPERANDS}},
    {"both ways", {USUAL, .cross = 1, .cross_input = 1, .direction = TGRAPH_BOTH}},
    {"no channel attention", {.hidden = 16, .halve = 1, .edges = 1, .cross = 1, .cross_input = 1}},
    {"no edges", {.hidden = 16, .halve = 1, .channel = 1, .cross = 1, .cross_input = 1}},
    {"all channels", {.hidden = 16, .channel = 1, .edges = 1, .cross = 1, .cross_input = 1}},
    {"all channels, late", {.hidden = 16, .channel = 1, .edges = 1, .cross = 1}},
    {"tile", {USUAL, .tile = 1, .cross = 1, .cross_input = 1}},
    {"tile, plain", {USUAL, .tile = 1}},
    {"tile, paper", {USUAL, .tile = 1, .cross = 1, PAPER}},
};

static double largest_gradient(const model *m, int index, int64_t n)
{
    double *g = calloc((size_t)n, sizeof *g), largest = 0;
    ag64__model.gradient(m, index, g);
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(g[i]));
    free(g);
    return largest;
}

/* The following norm cancels the bias of a layer, one configuration compared with itself is a copy,
   and without edges there are no neighbours. */
static int is_idle(const tgraph_options *o, const char *name)
{
    return !strcmp(name, "input.0.linear.bias") || !strcmp(name, "input.1.linear.bias") ||
           (o->tile && strstr(name, "cross.temperature")) ||
           (!o->edges && strstr(name, "neighbour.weight"));
}

/* The check means something: no gradient is so small that a wrong one would pass. */
static void expect_sizes(const variant *v, const model *m)
{
    for (int p = 0; p < ag64__model.params(m); p++) {
        int64_t n;
        const char *name = ag64__model.param(m, p, &n);
        const double largest = largest_gradient(m, p, n);
        if (is_idle(&v->options, name))
            assert_true(largest == 0);
        else if (!(largest > 1e-4))
            fail_msg("%s: the gradient of %s is %g", v->name, name, largest);
    }
}

/* At this width the narrow side of channel attention is one or two channels: no ReLU may sleep. */
static void wake(model *m)
{
    for (int p = 0; p < ag64__model.params(m); p++) {
        int64_t n;
        const double awake[] = {1.5, 1.25};
        if (!strstr(ag64__model.param(m, p, &n), "squeeze.bias")) continue;
        assert_in_range(n, 1, 2);
        ag64__model.set(m, p, awake);
    }
}

static void test_gradients(void **state)
{
    const variant *v = *state;
    char why[MODEL_WHY], where[200];
    double score[CONFIGS];
    const int tile = v->options.tile;
    model_graph g = model_random_graph(NODES, EDGES, tile ? 0 : CONFIGURABLE, 11);
    model_data d = model_random_data(&g, CONFIGS, 12);
    model *m = ag64__model.create(&v->options, &g, 13, why);
    if (!m) fail_msg("%s: %s", v->name, why);
    wake(m);
    const double error = ag64__model.gradcheck(m, &d, score, where);
    print_message("%-20s %.1e (%s)\n", v->name, error, where);
    assert_true(error <= 1e-7);
    for (int c = 0; c < CONFIGS; c++) assert_true(fabs(score[c]) < 3.9); /* margin 8 is far away */
    expect_sizes(v, m);
    ag64__model.destroy(m);
    model_random_free(&g, &d);
}

int main(void)
{
    enum { N = sizeof variants / sizeof *variants };
    struct CMUnitTest tests[N];
    for (int i = 0; i < N; i++)
        tests[i] = (struct CMUnitTest){variants[i].name, test_gradients, NULL, NULL, variants + i};
    ag_set_threads(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
