/* SPDX-License-Identifier: MIT */
/* TPGNN, a cost model: the syntax tree of a tensor program that a compiler has scheduled goes
   through graph convolutions, poolings and readouts and becomes a cost, which is to order schedules
   as their run times do. The baseline looks at vectorised loops, in that tree loops like any other.
   build/release/bin/small_tpgnn [STEPS [GRAPHS.npz]] */
#include "augur.h"

#include <math.h>
#include <stdlib.h>

enum { VECTOR = 18, HIDDEN = 128, CONVS = 3, MOST = 1 << 16 };
enum { TASKS = 4, DRAWN = 8, STEP = TASKS * DRAWN }; /* workloads of a step, schedules of each */

/* Workload t has the schedules first[t] to first[t + 1] - 1; the first *train are to learn from. */
static int workloads, schedules, classes;
static int32_t *first, *workload, *train;
static ag_real *vector;
static double *time_of, *vectorised, cost[MOST];
static ag_samples samples = {.direction = AG_BOTH_WAYS, .columns = 4};

/* An array of the file, which stays until the program ends. */
static void *load(const char *path, const char *name, ag_dtype as, int *count, ag_failure *why)
{
    ag_shape shape = {0};
    void *array = ag_npz_load(path, name, as, &shape, why);
    *count = shape.size[0];
    return array;
}

/* docs/formats/tpgnn.md says what the arrays of graphs of schedules are. */
static void read_graphs(const char *path, ag_failure *why)
{
    int nodes, n;
    ag_real(*value)[2] = load(path, "value", AG_F32, &nodes, why); /* a constant; named, 0 or 1 */
    samples.nodes = load(path, "nodes", AG_I32, &schedules, why);
    samples.edges = load(path, "edges", AG_I32, &n, why);
    samples.source = load(path, "source", AG_I32, &n, why);
    samples.target = load(path, "target", AG_I32, &n, why);
    samples.column[0] = (ag_column){AG_PER_NODE, .whole = load(path, "class", AG_I32, &n, why)};
    samples.column[1] = (ag_column){AG_PER_NODE, .width = 2, .real = (ag_real *)value};
    samples.column[2].whole = load(path, "time", AG_I32, &n, why); /* in ns: as good as ranks */
    samples.column[3].real = load(path, "speed", AG_F32, &n, why);
    samples.count = schedules;
    vector = load(path, "vectors", AG_F32, &classes, why);
    workload = load(path, "workload", AG_I32, &n, why);
    first = load(path, "first", AG_I32, &workloads, why);
    time_of = load(path, "time", AG_F64, &n, why);
    vectorised = load(path, "vectorised", AG_F64, &n, why);
    train = load(path, "workloads", AG_I32, &n, why);
    if (schedules > MOST) ag_fail(why, AG_EDATA, "%s has more than %d schedules", path, MOST);
    workloads--;
    for (int v = 0; v < nodes && !why->status; v++) /* constants go up to millions */
        value[v][0] = (ag_real)(copysign(log2(1 + fmin(fabs(value[v][0]), 1e6)), value[v][0]) / 8);
}

typedef struct net {
    ag_graph_conv_layer conv[CONVS];
    ag_topk_layer pool[CONVS];
    ag_linear_layer lin[3];
} net;

static net declare(ag_params *params)
{
    static const char *const name[] = {"conv1", "pool1", "conv2", "pool2", "conv3", "pool3"};
    net n;
    for (int k = 0; k < CONVS; k++) {
        n.conv[k] = ag_layer_graph_conv(params, name[2 * k], k ? HIDDEN : VECTOR + 2, HIDDEN);
        n.pool[k] = ag_layer_topk(params, name[2 * k + 1], HIDDEN, (ag_real)0.8);
    }
    n.lin[0] = ag_layer_linear(params, "lin1", 2 * HIDDEN, HIDDEN, 1);
    n.lin[1] = ag_layer_linear(params, "lin2", HIDDEN, HIDDEN / 2, 1);
    n.lin[2] = ag_layer_linear(params, "lin3", HIDDEN / 2, 1, 1);
    return n;
}

/* The cost of each program. A readout is the largest and the mean of what a pooling has left. */
static ag_tensor *apply(const net *n, ag_tape *tape, const ag_batch *batch)
{
    ag_tensor *table = ag_input(tape, vector, AG_SHAPE(classes, VECTOR)), *sum = NULL;
    ag_tensor *h = ag_gather(table, ag_batch_column(tape, batch, 0));
    ag_edges tree = ag_graph_edges(tape, batch->graph);
    h = ag_concat2(h, ag_batch_column(tape, batch, 1), 1);
    for (int k = 0; k < CONVS; k++) {
        h = ag_relu(ag_apply_graph_conv(&n->conv[k], h, tree));
        const ag_pooled kept = ag_apply_topk(&n->pool[k], h, tree);
        h = kept.x;
        tree = kept.edges;
        ag_tensor *readout = ag_readout_max_mean(h, tree);
        sum = sum ? ag_add(sum, readout) : readout;
    }
    h = ag_dropout(ag_relu(ag_apply_linear(&n->lin[0], sum)), (ag_real)0.5);
    h = ag_relu(ag_apply_linear(&n->lin[1], h));
    return ag_reshape(ag_apply_linear(&n->lin[2], h), AG_SHAPE(batch->count));
}

/* Every pair of schedules of a workload counts, one with its fastest more: a tuner wants these. */
static ag_tensor *loss_of(ag_tensor *y, ag_tape *tape, const ag_batch *batch)
{
    static int32_t start[TASKS + 1];
    int n = 0;
    for (int i = 0; i < STEP; i += DRAWN) /* a workload that is drawn twice in a row is one */
        if (!i || workload[batch->which[i]] != workload[batch->which[i - 1]]) start[n++] = i;
    start[n] = STEP;
    ag_tensor *starts = ag_input_i32(tape, start, AG_SHAPE(n + 1));
    ag_tensor *time = ag_batch_column(tape, batch, 2), *speed = ag_batch_column(tape, batch, 3);
    ag_tensor *pairs = ag_pairwise_logistic_groups(y, time, starts, AG_MEAN);
    ag_tensor *fastest = ag_lambda_rank(ag_neg(y), speed, starts, AG_MEAN);
    return ag_add(pairs, ag_scale(fastest, (ag_real)0.3));
}

/* The schedules of each step, from a stream of random numbers of its own, which is that of `tpgnn
   train` with seed 0; then the `held` ones that no step has. */
static int32_t *draw(int steps, int held)
{
    static int32_t order[MOST];
    int32_t *which = ag_alloc((size_t)(steps * STEP + held) * sizeof *which);
    ag_random random = {0};
    for (int i = 0; i < steps * TASKS; i++) {
        if (i % TASKS == 0) random = (ag_random){.stream = 0x5449ull << 48 ^ (uint64_t)(i / TASKS)};
        const int t = (int)ag_random_below(&random, (uint32_t)*train), n = first[t + 1] - first[t];
        for (int k = 0; k < n; k++) order[k] = first[t] + k;
        for (int k = 0; k < DRAWN; k++) {
            const int j = k + (int)ag_random_below(&random, (uint32_t)(n - k));
            which[i * DRAWN + k] = order[j];
            order[j] = order[k];
        }
    }
    for (int i = 0; i < held; i++) which[steps * STEP + i] = first[*train] + i;
    return which;
}

/* Trains, then fills `cost` of the schedules that no step has. */
static ag_status learn(int steps, ag_failure *why)
{
    ag_params *params = ag_params_new();
    const net n = declare(params);
    ag_params_build(params, 0);
    ag_tape *tape = ag_tape_new(AG_CPU);
    const ag_adam adam = ag_adam_default();
    const ag_schedule rate = {AG_COSINE, .lr = 2e-3, .warmup = (steps + 49) / 50, .total = steps};
    const int held = schedules - first[*train];
    int32_t *which = draw(steps, held);
    ag_batches *all = ag_batches_new(&samples, which, steps * STEP + held, STEP, 0, 0, why);
    const ag_batch *batch;
    for (int step = 0; (batch = ag_batches_next(all, why)); step++) {
        ag_tape_begin(tape, step < steps);
        ag_tape_seed(tape, 0, (uint64_t)step + 1);
        ag_tensor *y = apply(&n, tape, batch);
        if (step < steps) {
            ag_tensor *loss = loss_of(y, tape, batch);
            if (ag_minimize(loss, params, &adam, ag_schedule_at(&rate, step), why)) break;
            continue;
        }
        const ag_real *score = ag_compute(y, why);
        if (!score) break;
        for (int i = 0; i < batch->count; i++) cost[batch->which[i]] = (double)score[i];
    }
    ag_batches_free(all);
    ag_free(which);
    ag_tape_free(tape);
    ag_params_free(params);
    return why->status;
}

/* The share of pairs that a score has in the order of their run times, mean over the workloads that
   were not trained on; run times within 2 % of each other are no pair. */
static double ordered(const double *score, ag_failure *why)
{
    double share = 0, sum = 0;
    for (int t = *train; t < workloads; t++, sum += share) {
        const int at = first[t], n = first[t + 1] - at;
        ag_pairwise(&share, score + at, time_of + at, n, 0.02, why);
    }
    return sum / (workloads - *train);
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 600;
    ag_failure why = {0};
    if (steps < 1) return puts("usage: small_tpgnn [STEPS [GRAPHS.npz]]"), 2;
    read_graphs(argc > 2 ? argv[2] : "examples/data/schedules-sums.npz", &why);
    if (!why.status) learn(steps, &why);
    if (why.status) return puts(why.sentence), 1;
    printf("pairs in order, mean over %d workloads not trained on\n", workloads - *train);
    printf("vectorised loops  %.3f\n", 1 - ordered(vectorised, &why)); /* many are fast */
    printf("TPGNN             %.3f\n", ordered(cost, &why));
    return 0;
}
