/* SPDX-License-Identifier: MIT */
/* Which of four groups is each person of a network in? One person in ten says so; friends are
   mostly of one's own group, and what is known of a person is noisy. GCN and GAT ask the friends,
   an MLP does not. build/release/bin/small_node_classification */
#include "augur.h"

enum { NODES = 1000, GROUPS = 4, FEATURES = 16, HIDDEN = 32, EDGES = 4 * NODES, STEPS = 200 };

static ag_real x[NODES][FEATURES];
static int32_t source[EDGES], target[EDGES];
static int32_t known[NODES], unknown[NODES]; /* labels; -1 is left out of the loss, or the score */

static void draw_network(void)
{
    ag_random random = {.seed = 1};
    for (int v = 0; v < NODES; v++) {
        const int group = v % GROUPS, says = ag_random_below(&random, 10) == 0;
        known[v] = says ? group : -1;
        unknown[v] = says ? -1 : group;
        for (int f = 0; f < FEATURES; f++)
            x[v][f] = (ag_real)(ag_random_normal(&random) + 0.4 * (f % GROUPS == group));
    }
    for (int e = 0; e < EDGES; e++) { /* four in five friends are of the same group */
        const int v = (int)ag_random_below(&random, NODES),
                  u = (int)ag_random_below(&random, NODES);
        source[e] = v;
        target[e] = ag_random_below(&random, 5) ? u / GROUPS * GROUPS + v % GROUPS : u;
    }
}

typedef struct net {
    enum { MLP, GCN, GAT } kind;
    ag_mlp_layer mlp;
    ag_gcn_layer gcn[2];
    ag_gat_layer gat[2];
} net;

static net declare(int kind, ag_params *params)
{
    net n = {.kind = kind};
    if (kind == MLP) n.mlp = ag_layer_mlp(params, "mlp", (int[]){FEATURES, HIDDEN, GROUPS}, 3);
    if (kind == GCN) {
        n.gcn[0] = ag_layer_gcn(params, "conv1", FEATURES, HIDDEN);
        n.gcn[1] = ag_layer_gcn(params, "conv2", HIDDEN, GROUPS);
    }
    if (kind == GAT) {
        n.gat[0] = ag_layer_gat(params, "conv1", FEATURES, HIDDEN / 4, 4, 0, 0);
        n.gat[1] = ag_layer_gat(params, "conv2", HIDDEN, GROUPS, 1, 0, 0);
    }
    return n;
}

static ag_tensor *apply(const net *n, ag_tape *tape, const ag_graph *graph)
{
    const ag_edges edges = ag_graph_edges(tape, graph);
    ag_tensor *h = ag_input(tape, x[0], AG_SHAPE(NODES, FEATURES));
    if (n->kind == MLP) return ag_apply_mlp(&n->mlp, h);
    h = ag_dropout(h, (ag_real)0.2);
    if (n->kind == GCN) {
        h = ag_relu(ag_apply_gcn(&n->gcn[0], h, edges));
        return ag_apply_gcn(&n->gcn[1], ag_dropout(h, (ag_real)0.5), edges);
    }
    h = ag_relu(ag_apply_gat(&n->gat[0], h, NULL, edges));
    return ag_apply_gat(&n->gat[1], ag_dropout(h, (ag_real)0.5), NULL, edges);
}

/* Returns the accuracy on those who do not say their group. */
static double train(int kind, const ag_graph *graph, ag_failure *why)
{
    ag_params *params = ag_params_new();
    const net n = declare(kind, params);
    ag_params_build(params, 1);
    ag_tape *tape = ag_tape_new(AG_CPU);
    for (int step = 0; step < STEPS && !why->status; step++) {
        ag_tape_begin(tape, 1);
        ag_tensor *truth = ag_input_i32(tape, known, AG_SHAPE(NODES));
        ag_tensor *loss = ag_cross_entropy(apply(&n, tape, graph), truth, NULL, 0);
        ag_minimize(loss, params, NULL, 0.01, why);
    }
    ag_tape_begin(tape, 0);
    const ag_real *y = ag_compute(apply(&n, tape, graph), why);
    const double accuracy = ag_accuracy(y, unknown, NODES, GROUPS);
    ag_tape_free(tape);
    ag_params_free(params);
    return accuracy;
}

int main(void)
{
    static const char *const name[] = {"MLP", "GCN", "GAT"};
    ag_failure why = {0};
    draw_network();
    ag_graph *friends = ag_graph_build(NODES, source, target, EDGES, AG_BOTH_WAYS, &why);
    ag_graph *graph = friends ? ag_graph_loops(friends, &why) : NULL; /* with its own features */
    puts("accuracy on people who do not say their group");
    for (int kind = MLP; kind <= GAT && !why.status; kind++)
        printf("%s  %.3f\n", name[kind], train(kind, graph, &why));
    ag_graph_free(graph);
    ag_graph_free(friends);
    return ag_report(&why);
}
