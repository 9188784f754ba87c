/* SPDX-License-Identifier: MIT */
/* The energy of made-up molecules: each bond has one that depends on its kind and on both atoms. A
   gated convolution reads the kinds of bonds as features of edges. The baseline adds a number for
   each atom and each bond, as chemists do with group contributions.
   build/release/bin/small_molecules */
#include "augur.h"

enum { MOLECULES = 1200, TRAIN = 900, MOST = 20, ATOMS = 4, BONDS = 3, HIDDEN = 32, EPOCHS = 60 };

static int32_t nodes[MOLECULES], edges[MOLECULES];
static int32_t source[MOLECULES * MOST], target[MOLECULES * MOST];
static ag_real atom[MOLECULES * MOST][ATOMS], bond[MOLECULES * MOST][BONDS];
static ag_real count_of[MOLECULES][ATOMS + BONDS], energy[MOLECULES];

static void draw_molecules(void)
{
    ag_random random = {.seed = 1};
    double of_bond[BONDS][ATOMS][ATOMS];
    for (int b = 0; b < BONDS; b++)
        for (int i = 0; i < ATOMS; i++)
            for (int j = i; j < ATOMS; j++)
                of_bond[b][i][j] = of_bond[b][j][i] = 0.3 * ag_random_normal(&random);
    for (int m = 0, v = 0, e = 0; m < MOLECULES; v += nodes[m], e += edges[m], m++) {
        int kind[MOST];
        nodes[m] = 8 + (int)ag_random_below(&random, MOST - 8);
        edges[m] = nodes[m] - 1; /* a tree */
        for (int i = 0; i < nodes[m]; i++) {
            kind[i] = (int)ag_random_below(&random, ATOMS);
            atom[v + i][kind[i]] = 1;
            count_of[m][kind[i]]++;
        }
        for (int i = 0; i < edges[m]; i++) {
            const int b = (int)ag_random_below(&random, BONDS);
            const int to = (int)ag_random_below(&random, (uint32_t)i + 1);
            source[e + i] = i + 1;
            target[e + i] = to;
            bond[e + i][b] = 1;
            count_of[m][ATOMS + b]++;
            energy[m] += (ag_real)of_bond[b][kind[i + 1]][kind[to]];
        }
    }
}

typedef struct net {
    ag_gated_conv_layer conv[2];
    ag_mlp_layer head;
    ag_linear_layer counts;
} net;

static ag_tensor *apply(const net *n, ag_tape *tape, const ag_batch *batch, int by_counts)
{
    const ag_shape one = AG_SHAPE(batch->count);
    if (by_counts)
        return ag_reshape(ag_apply_linear(&n->counts, ag_batch_column(tape, batch, 2)), one);
    const ag_edges all = ag_graph_edges(tape, batch->graph);
    ag_tensor *h = ag_batch_column(tape, batch, 0), *bonds = ag_batch_column(tape, batch, 1);
    for (int k = 0; k < 2; k++) h = ag_relu(ag_apply_gated_conv(&n->conv[k], h, bonds, all));
    return ag_reshape(ag_readout_sum(ag_apply_mlp(&n->head, h), all), one);
}

/* Trains on the first molecules, and returns the mean absolute error on the others. */
static double train(const ag_samples *samples, int by_counts, ag_failure *why)
{
    int32_t others[MOLECULES - TRAIN];
    for (int i = 0; i < MOLECULES - TRAIN; i++) others[i] = TRAIN + i;
    ag_params *params = ag_params_new();
    const net n = {{ag_layer_gated_conv(params, "conv1", ATOMS, HIDDEN, BONDS),
                    ag_layer_gated_conv(params, "conv2", HIDDEN, HIDDEN, BONDS)},
                   ag_layer_mlp(params, "head", (int[]){HIDDEN, HIDDEN, 1}, 3),
                   ag_layer_linear(params, "counts", ATOMS + BONDS, 1, 1)};
    ag_params_build(params, 1);
    ag_batches *batches = ag_batches_new(samples, NULL, TRAIN, 50, 1, 1, why);
    ag_batches *test = ag_batches_new(samples, others, MOLECULES - TRAIN, MOLECULES, 0, 1, why);
    ag_tape *tape = ag_tape_new(AG_CPU);
    const ag_adamw adamw = ag_adamw_default();
    const ag_schedule schedule = {.kind = AG_COSINE, .lr = 0.01, .total = EPOCHS};
    const ag_batch *batch;
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        ag_batches_begin(batches, epoch);
        while ((batch = ag_batches_next(batches, why))) {
            ag_tape_reset(tape);
            ag_tensor *y = apply(&n, tape, batch, by_counts);
            ag_tensor *loss = ag_squared_error(y, ag_batch_column(tape, batch, 3));
            if (ag_minimize(loss, params, &adamw, ag_schedule_at(&schedule, epoch), why)) break;
        }
    }
    ag_tape_reset(tape);
    ag_tape_training(tape, 0);
    batch = ag_batches_next(test, why);
    ag_tensor *y = batch ? apply(&n, tape, batch, by_counts) : NULL;
    ag_forward(y);
    const double mae = y ? ag_mae(ag_values(y), energy + TRAIN, MOLECULES - TRAIN) : 0;
    ag_tape_free(tape);
    ag_batches_free(batches);
    ag_batches_free(test);
    ag_params_free(params);
    return mae;
}

int main(void)
{
    const ag_samples samples = {.count = MOLECULES,
                                .nodes = nodes,
                                .edges = edges,
                                .source = source,
                                .target = target,
                                .direction = AG_BOTH_WAYS,
                                .columns = 4,
                                .column = {{.per = AG_PER_NODE, .width = ATOMS, .real = atom[0]},
                                           {.per = AG_PER_EDGE, .width = BONDS, .real = bond[0]},
                                           {.width = ATOMS + BONDS, .real = count_of[0]},
                                           {.real = energy}}};
    ag_failure why = {0};
    draw_molecules();
    const double counts = train(&samples, 1, &why), graph = train(&samples, 0, &why);
    if (why.status) return puts(why.sentence), 1;
    printf("mean absolute error on %d molecules that were not trained on\n", MOLECULES - TRAIN);
    printf("counts of atoms and bonds  %.3f\ngated convolution          %.3f\n", counts, graph);
    return 0;
}
