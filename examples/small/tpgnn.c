/* SPDX-License-Identifier: MIT */
/* TPGNN, a cost model: the syntax tree of a tensor program that a compiler has scheduled goes
   through graph convolutions, poolings and readouts and becomes a cost, which is to order schedules
   as their run times do. The baseline looks at vectorised loops, which are loops like any other in
   that tree. build/release/bin/small_tpgnn [STEPS [GRAPHS.npz]] */
#include "augur.h"

#include <math.h>
#include <stdlib.h>

enum { VECTOR = 18, HIDDEN = 128, CONVS = 3, MOST = 1 << 16, STEPS = 10000 };
enum { TASKS = 4, DRAWN = 8, STEP = TASKS * DRAWN }; /* workloads of a step, schedules of each */

/* Workload t has the schedules first[t] to first[t + 1] - 1; the first *train are to learn from. */
static int workloads, schedules, classes;
static int32_t *first, *workload, *train;
static ag_real *vector;
static double *time_of, *vectorised, cost[MOST];
static ag_samples samples = {.direction = AG_BOTH_WAYS, .columns = 4};

/* An array of the file, which stays until the program ends: [count] or [count,width]. */
static void *load(const char *path, const char *name, ag_dtype as, int *count, int width,
                  ag_failure *why)
{
    ag_shape s = width ? AG_SHAPE(*count, width) : AG_SHAPE(*count);
    void *array = ag_npz_load(path, name, as, &s, why);
    *count = s.size[0];
    if (!*count) ag_fail(why, AG_EDATA, "%s: %s is empty; take a file of graphs.py", path, name);
    return array;
}

/* docs/formats/tpgnn.md says what the arrays of graphs of schedules are. */
static void read_graphs(const char *path, ag_failure *why)
{
    int64_t n = 0, m = 0;
    samples.nodes = load(path, "nodes", AG_I32, &schedules, 0, why);
    samples.edges = load(path, "edges", AG_I32, &schedules, 0, why);
    for (int i = 0; !why->status && i < schedules; i++)
        n += samples.nodes[i], m += samples.edges[i];
    int any = 0, nodes = n > INT32_MAX ? -1 : (int)n, edges = m > INT32_MAX ? -1 : (int)m;
    samples.source = load(path, "source", AG_I32, &edges, 0, why);
    samples.target = load(path, "target", AG_I32, &edges, 0, why);
    ag_real *value = load(path, "value", AG_F32, &nodes, 2, why); /* a constant; named, 0 or 1 */
    ag_column *column = samples.column;
    column[0] = (ag_column){AG_PER_NODE, .whole = load(path, "class", AG_I32, &nodes, 0, why)};
    column[1] = (ag_column){AG_PER_NODE, .width = 2, .real = value};
    column[2].whole = load(path, "time", AG_I32, &schedules, 0, why); /* ns, as ranks */
    column[3].real = load(path, "speed", AG_F32, &schedules, 0, why);
    samples.count = schedules;
    vector = load(path, "vectors", AG_F32, &classes, VECTOR, why);
    workload = load(path, "workload", AG_I32, &schedules, 0, why);
    first = load(path, "first", AG_I32, &workloads, 0, why);
    time_of = load(path, "time", AG_F64, &schedules, 0, why);
    vectorised = load(path, "vectorised", AG_F64, &schedules, 0, why);
    train = load(path, "workloads", AG_I32, &any, 0, why);
    workloads--;
    for (ag_real *v = value; !why->status && v < value + 2 * nodes; v += 2) /* up to millions */
        *v = (ag_real)(copysign(log2(1 + fmin(fabs((double)*v), 1e6)), (double)*v) / 8);
    int fits = !why->status && schedules <= MOST && *train > 0 && *train < workloads;
    for (int t = 0; fits && t < workloads; t++)
        fits = first[t] >= 0 && first[t + 1] - first[t] >= DRAWN && first[t + 1] <= schedules;
    if (!fits) ag_fail(why, AG_EDATA, "%s is not a file of graphs.py, or too large", path);
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
        h = kept.x, tree = kept.edges;
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
static void draw(int32_t *which, int steps, int held)
{
    static int32_t order[MOST];
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
}

/* Trains, then fills `cost` of the schedules that no step has. */
static ag_status learn(int steps, ag_failure *why)
{
    static int32_t which[STEPS * STEP + MOST];
    ag_params *params = ag_params_new();
    const net n = declare(params);
    ag_params_build(params, 0);
    ag_tape *tape = ag_tape_new(AG_CPU);
    const ag_adam adam = ag_adam_default();
    const ag_schedule rate = {AG_COSINE, .lr = 2e-3, .warmup = (steps + 49) / 50, .total = steps};
    const int held = schedules - first[*train];
    draw(which, steps, held);
    ag_batches *all = ag_batches_new(&samples, which, steps * STEP + held, STEP, 0, 0, why);
    const ag_batch *batch;
    for (int step = 0; (batch = ag_batches_next(all, why)) && !why->status; step++) {
        const int learns = step < steps;
        ag_tape_begin(tape, learns);
        ag_tape_seed(tape, 0, (uint64_t)step + 1);
        ag_tensor *y = apply(&n, tape, batch), *loss = learns ? loss_of(y, tape, batch) : NULL;
        if (learns) ag_minimize(loss, params, &adam, ag_schedule_at(&rate, step), why);
        const ag_real *score = learns ? NULL : ag_compute(y, why);
        for (int i = 0; score && i < batch->count; i++) cost[batch->which[i]] = (double)score[i];
    }
    ag_batches_free(all);
    ag_tape_free(tape);
    ag_params_free(params);
    return why->status;
}

/* The share of pairs that a score has in the order of their run times, mean over the workloads that
   were not trained on; run times within 2 % of each other are not a pair. */
static double ordered(const double *score, ag_failure *why)
{
    double share = 0, sum = 0;
    for (int t = *train; t < workloads; t++, sum += share)
        ag_pairwise(&share, score + first[t], time_of + first[t], first[t + 1] - first[t], 0.02,
                    why);
    return sum / (workloads - *train);
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 600;
    ag_failure why = {0};
    if (steps < 1 || steps > STEPS)
        ag_fail(&why, AG_EUSE, "usage: small_tpgnn [STEPS, at most 10000 [GRAPHS.npz]]");
    if (!why.status) read_graphs(argc > 2 ? argv[2] : "examples/data/schedules-sums.npz", &why);
    if (why.status || learn(steps, &why)) return ag_report(&why);
    printf("pairs in order, mean over %d workloads not trained on\n", workloads - *train);
    printf("vectorised loops  %.3f\n", 1 - ordered(vectorised, &why)); /* many are fast */
    printf("TPGNN             %.3f\n", ordered(cost, &why));
    return 0;
}
