/* SPDX-License-Identifier: MIT */
/* The energy of made-up molecules: each bond has one that depends on its kind and on both atoms. A
   gated convolution reads the kinds of bonds as features of edges. The baseline adds a number for
   each atom and each bond, as chemists do with group contributions.
   build/release/bin/small_molecules */
#include "augur.h"

enum { TRAIN = 900, TEST = 300, MOLECULES = TRAIN + TEST, EPOCHS = 60 };
enum { MOST = 20, ATOMS = 4, BONDS = 3, HIDDEN = 32 };
enum { ATOM, BOND, COUNT, ENERGY, COLUMNS }; /* columns of a batch */

static int32_t number[MOLECULES], nodes[MOLECULES], edges[MOLECULES];
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
        number[m] = m;
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
    if (by_counts)
        return ag_squeeze(ag_apply_linear(&n->counts, ag_batch_column(tape, batch, COUNT)));
    const ag_edges all = ag_graph_edges(tape, batch->graph);
    ag_tensor *h = ag_batch_column(tape, batch, ATOM), *bonds = ag_batch_column(tape, batch, BOND);
    for (int k = 0; k < 2; k++) h = ag_relu(ag_apply_gated_conv(&n->conv[k], h, bonds, all));
    return ag_squeeze(ag_readout_sum(ag_apply_mlp(&n->head, h), all));
}

/* Trains on the first molecules, and returns the mean absolute error on the others. */
static double train(const ag_samples *samples, int by_counts, ag_failure *why)
{
    ag_params *params = ag_params_new();
    const net n = {{ag_layer_gated_conv(params, "conv1", ATOMS, HIDDEN, BONDS),
                    ag_layer_gated_conv(params, "conv2", HIDDEN, HIDDEN, BONDS)},
                   ag_layer_mlp(params, "head", (int[]){HIDDEN, HIDDEN, 1}, 3),
                   ag_layer_linear(params, "counts", ATOMS + BONDS, 1, 1)};
    ag_params_build(params, 1);
    ag_batches *batches = ag_batches_new(samples, number, TRAIN, 50, 1, 1, why);
    ag_batches *test = ag_batches_new(samples, number + TRAIN, TEST, TEST, 0, 1, why);
    ag_tape *tape = ag_tape_new(AG_CPU);
    const ag_schedule schedule = {.kind = AG_COSINE, .lr = 0.01, .total = EPOCHS};
    const ag_batch *batch;
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        ag_batches_begin(batches, epoch);
        while ((batch = ag_batches_next(batches, why))) {
            ag_tape_begin(tape, 1);
            ag_tensor *y = apply(&n, tape, batch, by_counts);
            ag_tensor *loss = ag_squared_error(y, ag_batch_column(tape, batch, ENERGY));
            if (ag_minimize(loss, params, NULL, ag_schedule_at(&schedule, epoch), why)) break;
        }
    }
    ag_tape_begin(tape, 0);
    batch = ag_batches_next(test, why);
    const ag_real *y = ag_compute(batch ? apply(&n, tape, batch, by_counts) : NULL, why);
    const double mae = ag_mae(y, energy + TRAIN, TEST);
    ag_tape_free(tape);
    ag_batches_free(batches);
    ag_batches_free(test);
    ag_params_free(params);
    return mae;
}

int main(void)
{
    ag_samples set = {MOLECULES, nodes, edges, source, target, AG_BOTH_WAYS, .columns = COLUMNS};
    set.column[ATOM] = (ag_column){AG_PER_NODE, ATOMS, .real = atom[0]};
    set.column[BOND] = (ag_column){AG_PER_EDGE, BONDS, .real = bond[0]};
    set.column[COUNT] = (ag_column){AG_PER_SAMPLE, ATOMS + BONDS, .real = count_of[0]};
    set.column[ENERGY] = (ag_column){AG_PER_SAMPLE, .real = energy};
    ag_failure why = {0};
    draw_molecules();
    const double counts = train(&set, 1, &why), graph = train(&set, 0, &why);
    if (why.status) return ag_report(&why);
    printf("mean absolute error on %d molecules that were not trained on\n", TEST);
    printf("counts of atoms and bonds  %.3f\ngated convolution          %.3f\n", counts, graph);
    return 0;
}
