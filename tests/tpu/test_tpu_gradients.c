/* SPDX-License-Identifier: MIT */
/* Gradients of the whole TPU model against central differences, in double: every block of
   parameters in 3 random directions and 8 entries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/tpu_kernels.h"
#include "support/tpu_runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS = 4, SAMPLES = 7 };

typedef struct variant {
    const char *name;
    tpu_options options;
} variant;
#define SMALL .hidden = 8, .embedding = 4, .gnn_layers = 2, .node_layers = 1
#define HEADS .heads = 2, .attention_heads = 2, .encoder_layers = 1, .feed = 2
#define USUAL SMALL, HEADS, .aggregate = AG_AGGREGATE_MEAN

static variant variants[] = {
    {"none, node", {USUAL, .gnn = TPU_GNN_NONE, .reduction = TPU_PER_NODE}},
    {"none, column", {USUAL, .gnn = TPU_GNN_NONE, .reduction = TPU_COLUMN}},
    {"none, LSTM", {USUAL, .gnn = TPU_GNN_NONE, .reduction = TPU_LSTM}},
    {"none, Transformer", {USUAL, .gnn = TPU_GNN_NONE, .reduction = TPU_TRANSFORMER}},
    {"GraphSAGE, node", {USUAL, .gnn = TPU_GNN_SAGE, .reduction = TPU_PER_NODE}},
    {"GraphSAGE, column", {USUAL, .gnn = TPU_GNN_SAGE, .reduction = TPU_COLUMN}},
    {"GraphSAGE, LSTM", {USUAL, .gnn = TPU_GNN_SAGE, .reduction = TPU_LSTM}},
    {"GraphSAGE, Transformer", {USUAL, .gnn = TPU_GNN_SAGE, .reduction = TPU_TRANSFORMER}},
    {"GAT, node", {USUAL, .gnn = TPU_GNN_GAT, .reduction = TPU_PER_NODE}},
    {"GAT, column", {USUAL, .gnn = TPU_GNN_GAT, .reduction = TPU_COLUMN}},
    {"GAT, LSTM", {USUAL, .gnn = TPU_GNN_GAT, .reduction = TPU_LSTM}},
    {"GAT, Transformer", {USUAL, .gnn = TPU_GNN_GAT, .reduction = TPU_TRANSFORMER}},
    {"fusion", {USUAL, .gnn = TPU_GNN_SAGE, .reduction = TPU_LSTM, .task = TPU_FUSION}},
    {"fusion, GAT, module",
     {USUAL, .gnn = TPU_GNN_GAT, .task = TPU_FUSION, .module_layers = 2, .module_l2 = 1}},
    {"shared", {USUAL, .gnn = TPU_GNN_SAGE, .direction = TPU_SHARED, .reduction = TPU_COLUMN}},
    {"undirected, largest",
     {SMALL, HEADS, .gnn = TPU_GNN_SAGE, .direction = TPU_UNDIRECTED,
      .aggregate = AG_AGGREGATE_MAX}},
    {"as printed", {SMALL, HEADS, .gnn = TPU_GNN_SAGE, .direction = TPU_SHARED, .l2 = 1}},
    {"biases", {USUAL, .gnn = TPU_GNN_SAGE, .reduction = TPU_TRANSFORMER, .biases = 1}},
    {"biases, GAT", {USUAL, .gnn = TPU_GNN_GAT, .reduction = TPU_LSTM, .biases = 1}},
    {"at the kernel",
     {USUAL, .gnn = TPU_GNN_SAGE, .tile_at = TPU_AT_KERNEL, .analysis_at = TPU_AT_KERNEL}},
    {"nowhere", {USUAL, .gnn = TPU_GNN_SAGE, .tile_at = TPU_NOWHERE, .analysis_at = TPU_NOWHERE}},
};

static int ends(const char *name, const char *with)
{
    const size_t n = strlen(name), m = strlen(with);
    return n >= m && !strcmp(name + n - m, with);
}

/* Biases that are not 0, where a ReLU has its kink, and scores of attention with both signs: with
   one sign, those of the receiver would cancel in the softmax. So the receiver's parameters are
   about those of the sender, which come before them, with the other sign. */
static void wake(tpu_net *net)
{
    ag_random r = {17, 0, 0};
    for (int p = 0; p < ag64__tpu.params(net); p++) {
        int64_t n;
        const char *name = ag64__tpu.param(net, p, &n);
        const int bias = ends(name, ".bias"), receiver = ends(name, ".to");
        double *x = calloc((size_t)n, sizeof *x);
        ag64__tpu.value(net, p - receiver, x);
        for (int64_t i = 0; i < n; i++)
            x[i] = bias ? ag_random_normal(&r) / 2 : receiver ? -0.9 * x[i] : 1.5 * x[i];
        ag64__tpu.set(net, p, x);
        free(x);
    }
}

/* The check means something: no gradient is so small that a wrong one would pass. */
static void expect_sizes(const variant *v, const tpu_net *net)
{
    for (int p = 0; p < ag64__tpu.params(net); p++) {
        int64_t n;
        const char *name = ag64__tpu.param(net, p, &n);
        double *g = calloc((size_t)n, sizeof *g), largest = 0;
        ag64__tpu.gradient(net, p, g);
        for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(g[i]));
        free(g);
        if (!(largest > 1e-4)) fail_msg("%s: the gradient of %s is %g", v->name, name, largest);
    }
}

/* One node, no edges, a chain and more; the samples of a kernel are adjacent. */
static void test_gradients(void **state)
{
    static const int nodes[KERNELS] = {1, 3, 5, 6}, edges[KERNELS] = {0, 0, 6, 11};
    static const int kernel_of[SAMPLES] = {0, 1, 1, 2, 2, 3, 3};
    const variant *v = *state;
    const int tile = v->options.task == TPU_TILE;
    const tpu_scaler scaler = test_unit_scaler();
    test_kernel kernel[KERNELS];
    tpu_sample sample[SAMPLES];
    char why[TPU_WHY], where[200];
    int count = 0;
    for (int k = 0; k < KERNELS; k++)
        kernel[k] = test_kernel_random(nodes[k], edges[k], tile ? 2 : 0, 40 + (uint64_t)k);
    for (int i = 0; i < SAMPLES; i++) {
        const int again = i && kernel_of[i] == kernel_of[i - 1];
        if (again && !tile) continue;
        sample[count++] = (tpu_sample){&kernel[kernel_of[i]].kernel, again};
    }
    const tpu_samples samples = {sample, count, &scaler};
    tpu_net *net = ag64__tpu.create(&v->options, 0, 7, why);
    if (!net) fail_msg("%s: %s", v->name, why);
    wake(net);
    const double error = ag64__tpu.gradcheck(net, &samples, 1e-5, 5, where);
    print_message("%-24s %.1e (%s)\n", v->name, error, where);
    assert_true(error <= 1e-7);
    expect_sizes(v, net);
    ag64__tpu.destroy(net);
    for (int k = 0; k < KERNELS; k++) test_kernel_free(&kernel[k]);
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
