/* SPDX-License-Identifier: MIT */
/* Are two red nodes of a graph neighbours? Graph convolutions, each followed by a pooling that
   keeps the nodes of highest score, answer this for graphs that they have not seen; a baseline that
   sees the counts of the colours cannot. build/release/bin/small_graph_classification */
#include "augur.h"

enum { TRAIN = 1000, TEST = 500, GRAPHS = TRAIN + TEST, EPOCHS = 30 };
enum { MOST = 24, COLOURS = 4, RED = 0, HIDDEN = 32 };
enum { COLOUR, COUNT, LABEL, COLUMNS }; /* columns of a batch */

static int32_t number[GRAPHS], nodes[GRAPHS], edges[GRAPHS], label[GRAPHS];
static int32_t source[GRAPHS * MOST], target[GRAPHS * MOST];
static ag_real colour[GRAPHS * MOST][COLOURS], count_of[GRAPHS][COLOURS];

static void draw_graphs(void)
{
    ag_random random = {.seed = 1};
    for (int g = 0, v = 0, e = 0; g < GRAPHS; v += nodes[g], e += edges[g], g++) {
        number[g] = g;
        edges[g] = nodes[g] = 12 + (int)ag_random_below(&random, MOST - 12);
        for (int i = 0; i < nodes[g]; i++) {
            const uint32_t c = ag_random_below(&random, COLOURS);
            colour[v + i][c] = 1;
            count_of[g][c] += (ag_real)0.1;
        }
        for (int i = 0; i < edges[g]; i++) { /* a tree, and one edge more */
            source[e + i] = i;
            target[e + i] = (int32_t)ag_random_below(&random, (uint32_t)(i ? i : nodes[g]));
            label[g] |= i != target[e + i] && colour[v + i][RED] && colour[v + target[e + i]][RED];
        }
    }
}

typedef struct net {
    ag_graph_conv_layer conv[2];
    ag_topk_layer pool[2];
    ag_mlp_layer head, counts; /* of what the graph says; only of the counts */
} net;

static ag_tensor *apply(const net *n, ag_tape *tape, const ag_batch *batch, int by_counts)
{
    if (by_counts) return ag_apply_mlp(&n->counts, ag_batch_column(tape, batch, COUNT));
    ag_pooled g = {.x = ag_batch_column(tape, batch, COLOUR),
                   .edges = ag_graph_edges(tape, batch->graph)};
    ag_tensor *sum = NULL;
    for (int k = 0; k < 2; k++) {
        ag_tensor *h = ag_relu(ag_apply_graph_conv(&n->conv[k], g.x, g.edges));
        g = ag_apply_topk(&n->pool[k], h, g.edges);
        h = ag_readout_max_mean(g.x, g.edges);
        sum = sum ? ag_add(sum, h) : h;
    }
    return ag_apply_mlp(&n->head, sum);
}

/* Trains on the first graphs, and returns the accuracy on the others. */
static double train(const ag_samples *samples, int by_counts, ag_failure *why)
{
    ag_params *params = ag_params_new();
    const net n = {{ag_layer_graph_conv(params, "conv1", COLOURS, HIDDEN),
                    ag_layer_graph_conv(params, "conv2", HIDDEN, HIDDEN)},
                   {ag_layer_topk(params, "pool1", HIDDEN, (ag_real)0.8),
                    ag_layer_topk(params, "pool2", HIDDEN, (ag_real)0.8)},
                   ag_layer_mlp(params, "head", (int[]){2 * HIDDEN, HIDDEN, 2}, 3),
                   ag_layer_mlp(params, "counts", (int[]){COLOURS, HIDDEN, 2}, 3)};
    ag_params_build(params, 1);
    ag_batches *batches = ag_batches_new(samples, number, TRAIN, 50, 1, 1, why);
    ag_batches *test = ag_batches_new(samples, number + TRAIN, TEST, TEST, 0, 1, why);
    ag_tape *tape = ag_tape_new(AG_CPU);
    const ag_batch *batch;
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        ag_batches_begin(batches, epoch);
        while ((batch = ag_batches_next(batches, why))) {
            ag_tape_begin(tape, 1);
            ag_tensor *y = apply(&n, tape, batch, by_counts);
            ag_tensor *loss = ag_cross_entropy(y, ag_batch_column(tape, batch, LABEL), NULL, 0);
            if (ag_minimize(loss, params, NULL, 0.003, why)) break;
        }
    }
    ag_tape_begin(tape, 0);
    batch = ag_batches_next(test, why);
    const ag_real *y = ag_compute(batch ? apply(&n, tape, batch, by_counts) : NULL, why);
    const double accuracy = ag_accuracy(y, label + TRAIN, TEST, 2);
    ag_tape_free(tape);
    ag_batches_free(batches);
    ag_batches_free(test);
    ag_params_free(params);
    return accuracy;
}

int main(void)
{
    ag_samples set = {GRAPHS, nodes, edges, source, target, AG_BOTH_WAYS, .columns = COLUMNS};
    set.column[COLOUR] = (ag_column){AG_PER_NODE, COLOURS, .real = colour[0]};
    set.column[COUNT] = (ag_column){AG_PER_SAMPLE, COLOURS, .real = count_of[0]};
    set.column[LABEL] = (ag_column){AG_PER_SAMPLE, .whole = label};
    ag_failure why = {0};
    draw_graphs();
    const double counts = train(&set, 1, &why), graph = train(&set, 0, &why);
    if (why.status) return ag_report(&why);
    printf("accuracy on %d graphs that were not trained on\n", TEST);
    printf("counts of colours   %.3f\nGraphConv and TopK  %.3f\n", counts, graph);
    return 0;
}
