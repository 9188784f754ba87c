/* SPDX-License-Identifier: MIT */
/* Gradients of the whole models of tgraph and tpu against central differences, in double: every
   block of parameters in 3 random directions and 8 entries. The variants of tpgnn
   have more to check: test_tpgnn_model.c. */
#include "support/test.h"
#include "support/model_random.h"
#include "support/sanitized.h"
#include "support/tpu_kernels.h"
#include "support/tpu_runner.h"

/* The check means something: no gradient is so small that a wrong one would pass. idle: it is 0. */
static void expect_size(const char *variant, const char *name, const double *g, int64_t n, int idle)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(g[i]));
    if (idle ? largest > 0 : !(largest > 1e-4))
        fail_msg("%s: the gradient of %s is %g", variant, name, largest);
}

static void expect_error(const char *variant, double error, const char *where)
{
    print_message("%-24s %.1e (%s)\n", variant, error, where);
    assert_true(error <= 1e-7);
}

/* ---- tgraph ---- */

enum { NODES = 12, EDGES = 20, CONFIGURABLE = 5, CONFIGS = 5 };

static const struct {
    const char *name;
    tgraph_options options;
} tgraphs[] = {
#define TGRAPH     .hidden = 16, .halve = 1, .channel = 1, .edges = 1
#define AS_PRINTED .outside = 1, .sum = 1, .l2 = 1, .message = 1
    {"cross", {TGRAPH, .cross = 1, .cross_input = 1}},
    {"plain", {TGRAPH}},
    {"paper", {TGRAPH, .cross = 1, AS_PRINTED}},
    {"wide convolution", {TGRAPH, .sum = 1, .direction = TGRAPH_OPERANDS}},
    {"both ways", {TGRAPH, .cross = 1, .cross_input = 1, .direction = TGRAPH_BOTH}},
    {"no channel attention", {.hidden = 16, .halve = 1, .edges = 1, .cross = 1, .cross_input = 1}},
    {"no edges", {.hidden = 16, .halve = 1, .channel = 1, .cross = 1, .cross_input = 1}},
    {"all channels", {.hidden = 16, .channel = 1, .edges = 1, .cross = 1, .cross_input = 1}},
    {"all channels, late", {.hidden = 16, .channel = 1, .edges = 1, .cross = 1}},
    {"sums of rows", {TGRAPH, .rows = NESTS_SUMS}},
    {"embedded rows", {TGRAPH, .cross = 1, .cross_input = 1, .rows = NESTS_EMBEDDED}},
    {"costs of rows", {TGRAPH, .cross = 1, .cross_input = 1, .rows = NESTS_COSTS}},
    {"two networks of rows", {TGRAPH, .rows = NESTS_COSTS, .members = 2}},
};

/* The following norm cancels the bias of a layer, and without edges there are no neighbours. */
static int is_idle(const tgraph_options *o, const char *name)
{
    return !strcmp(name, "input.0.linear.bias") || !strcmp(name, "input.1.linear.bias") ||
           (!o->edges && strstr(name, "neighbour.weight"));
}

/* At this width the narrow side of channel attention is one or two channels: no ReLU may sleep. And
   costs of nodes, which begin with 0, hang on the graph. */
static void wake_tgraph(model *m)
{
    for (int p = 0; p < ag64__model.params(m); p++) {
        int64_t n;
        const double awake[] = {1.5, 1.25}, costs[] = {0.2, -0.1, 0.3, -0.2, 0.1, 0.2, -0.3, 0.1,
                                                       0.2, -0.1, 0.3, -0.2, 0.1, 0.2, -0.3, 0.1};
        const char *name = ag64__model.param(m, p, &n);
        if (strstr(name, "squeeze.bias")) {
            assert_in_range(n, 1, 2);
            ag64__model.set(m, p, awake);
        } else if (!strcmp(name, "rows.cost.node")) {
            assert_int_equal(n, 16);
            ag64__model.set(m, p, costs);
        }
    }
}

static void of_tgraph(void **state)
{
    if (SANITIZED) skip(); /* too long, and the steps of shorter tests are the same */
    for (size_t i = 0; i < sizeof tgraphs / sizeof *tgraphs; i++) {
        const tgraph_options *o = &tgraphs[i].options;
        const char *const name = tgraphs[i].name;
        char why[MODEL_WHY], where[200];
        double score[CONFIGS];
        model_graph g = model_random_graph(NODES, EDGES, CONFIGURABLE, 11);
        model_data d = model_random_data(&g, CONFIGS, 12);
        model *m = ag64__model.create(o, &g, 13, why);
        if (!m) fail_msg("%s: %s", name, why);
        wake_tgraph(m);
        expect_error(name, ag64__model.gradcheck(m, &d, score, where), where);
        for (int c = 0; c < CONFIGS; c++)
            assert_true(fabs(score[c]) < 3.9); /* margin 8 is far away */
        for (int p = 0; p < ag64__model.params(m); p++) {
            int64_t n;
            const char *const param = ag64__model.param(m, p, &n);
            double *x = calloc((size_t)n, sizeof *x);
            ag64__model.gradient(m, p, x);
            expect_size(name, param, x, n, is_idle(o, param));
            free(x);
        }
        ag64__model.destroy(m);
        model_random_free(&g, &d);
    }
}

/* ---- tpu ---- */

enum { KERNELS = 4, SAMPLES = 7 };

static const struct {
    const char *name;
    tpu_options options;
} tpus[] = {
#define TPU_SMALL .hidden = 8, .embedding = 4, .gnn_layers = 2, .node_layers = 1
#define TPU_HEADS .heads = 2, .attention_heads = 2, .encoder_layers = 1, .feed = 2
#define TPU       TPU_SMALL, TPU_HEADS, .aggregate = AG_AGGREGATE_MEAN
    {"none, node", {TPU, .gnn = TPU_GNN_NONE, .reduction = TPU_PER_NODE}},
    {"none, column", {TPU, .gnn = TPU_GNN_NONE, .reduction = TPU_COLUMN}},
    {"none, LSTM", {TPU, .gnn = TPU_GNN_NONE, .reduction = TPU_LSTM}},
    {"none, Transformer", {TPU, .gnn = TPU_GNN_NONE, .reduction = TPU_TRANSFORMER}},
    {"GraphSAGE, node", {TPU, .gnn = TPU_GNN_SAGE, .reduction = TPU_PER_NODE}},
    {"GraphSAGE, column", {TPU, .gnn = TPU_GNN_SAGE, .reduction = TPU_COLUMN}},
    {"GraphSAGE, LSTM", {TPU, .gnn = TPU_GNN_SAGE, .reduction = TPU_LSTM}},
    {"GraphSAGE, Transformer", {TPU, .gnn = TPU_GNN_SAGE, .reduction = TPU_TRANSFORMER}},
    {"GAT, node", {TPU, .gnn = TPU_GNN_GAT, .reduction = TPU_PER_NODE}},
    {"GAT, column", {TPU, .gnn = TPU_GNN_GAT, .reduction = TPU_COLUMN}},
    {"GAT, LSTM", {TPU, .gnn = TPU_GNN_GAT, .reduction = TPU_LSTM}},
    {"GAT, Transformer", {TPU, .gnn = TPU_GNN_GAT, .reduction = TPU_TRANSFORMER}},
    {"fusion", {TPU, .gnn = TPU_GNN_SAGE, .reduction = TPU_LSTM, .task = TPU_FUSION}},
    {"fusion, GAT, module",
     {TPU, .gnn = TPU_GNN_GAT, .reduction = TPU_PER_NODE, .task = TPU_FUSION, .module_layers = 2,
      .module_l2 = 1}},
    {"shared", {TPU, .gnn = TPU_GNN_SAGE, .direction = TPU_SHARED, .reduction = TPU_COLUMN}},
    {"undirected, largest",
     {TPU_SMALL, TPU_HEADS, .gnn = TPU_GNN_SAGE, .reduction = TPU_PER_NODE,
      .direction = TPU_UNDIRECTED, .aggregate = AG_AGGREGATE_MAX}},
    {"as printed",
     {TPU_SMALL, TPU_HEADS, .gnn = TPU_GNN_SAGE, .reduction = TPU_PER_NODE, .direction = TPU_SHARED,
      .l2 = 1}},
    {"biases", {TPU, .gnn = TPU_GNN_SAGE, .reduction = TPU_TRANSFORMER, .biases = 1}},
    {"biases, GAT", {TPU, .gnn = TPU_GNN_GAT, .reduction = TPU_LSTM, .biases = 1}},
    {"at the kernel",
     {TPU, .gnn = TPU_GNN_SAGE, .reduction = TPU_PER_NODE, .tile_at = TPU_AT_KERNEL,
      .analysis_at = TPU_AT_KERNEL}},
    {"nowhere",
     {TPU, .gnn = TPU_GNN_SAGE, .reduction = TPU_PER_NODE, .tile_at = TPU_NOWHERE,
      .analysis_at = TPU_NOWHERE}},
};

/* Biases that are not 0, where a ReLU has its kink, and scores of attention with both signs: with
   one sign, those of the receiver would cancel in the softmax. So the receiver's parameters are
   about those of the sender, which come before them, with the other sign. */
static void wake_tpu(tpu_net *net)
{
    ag_random r = {17, 0, 0};
    for (int p = 0; p < ag64__tpu.params(net); p++) {
        int64_t n;
        const char *name = ag64__tpu.param(net, p, &n);
        const int bias = ends_with(name, ".bias"), receiver = ends_with(name, ".to");
        double *x = calloc((size_t)n, sizeof *x);
        ag64__tpu.value(net, p - receiver, x);
        for (int64_t i = 0; i < n; i++)
            x[i] = bias ? ag_random_normal(&r) / 2 : receiver ? -0.9 * x[i] : 1.5 * x[i];
        ag64__tpu.set(net, p, x);
        free(x);
    }
}

/* One node, no edges, a chain and more; the samples of a kernel are adjacent. */
static int make_samples(tpu_sample sample[SAMPLES], tpu_kernel kernel[KERNELS], int tile)
{
    static const int nodes[KERNELS] = {1, 3, 5, 6}, edges[KERNELS] = {0, 0, 6, 11};
    static const int kernel_of[SAMPLES] = {0, 1, 1, 2, 2, 3, 3};
    int count = 0;
    for (int k = 0; k < KERNELS; k++)
        kernel[k] = test_kernel_random(nodes[k], edges[k], tile ? 2 : 0, 40 + (uint64_t)k);
    for (int i = 0; i < SAMPLES; i++) {
        const int again = i && kernel_of[i] == kernel_of[i - 1];
        if (again && !tile) continue;
        sample[count++] = (tpu_sample){&kernel[kernel_of[i]], again};
    }
    return count;
}

static void of_tpu(void **state)
{
    for (size_t i = 0; i < sizeof tpus / sizeof *tpus; i++) {
        const tpu_options *o = &tpus[i].options;
        const char *const name = tpus[i].name;
        const tpu_scaler scaler = test_unit_scaler();
        tpu_kernel kernel[KERNELS];
        tpu_sample sample[SAMPLES];
        char why[TPU_WHY], where[200];
        const tpu_samples samples = {sample, make_samples(sample, kernel, o->task == TPU_TILE),
                                     &scaler};
        tpu_net *net = ag64__tpu.create(o, 0, 7, why);
        if (!net) fail_msg("%s: %s", name, why);
        wake_tpu(net);
        expect_error(name, ag64__tpu.gradcheck(net, &samples, 1e-5, 5, where), where);
        for (int p = 0; p < ag64__tpu.params(net); p++) {
            int64_t n;
            const char *const param = ag64__tpu.param(net, p, &n);
            double *x = calloc((size_t)n, sizeof *x);
            ag64__tpu.gradient(net, p, x);
            expect_size(name, param, x, n, 0);
            free(x);
        }
        ag64__tpu.destroy(net);
        for (int k = 0; k < KERNELS; k++) tpu_kernel_free(&kernel[k]);
    }
}

int main(void)
{
    ag_set_threads(1);
    return RUN_TESTS(of_tgraph, of_tpu);
}
