/* SPDX-License-Identifier: MIT */
/* TGraph (Khizbullin et al. 2024; docs/tgraph.md has its equations) orders layouts of programs that
   it has not seen. The baseline counts layouts. build/release/bin/small_tgraph [STEPS [FOLDER]] */
#include "augur.h"

#include <math.h>
#include <stdlib.h>

/* The codes of an axis in a layout are 0: nothing to choose, 1: no axis, 2 to 7: which axis. */
enum { NUMBERS = 134, AXES = 6, CHOSEN = 18, LAYOUTS = CHOSEN + AXES, CODES = 8, OPS = 120 };
enum { INPUTS = NUMBERS + LAYOUTS * 4 + 16, HALF = 128, CONFIGS = 32 }; /* HALF of the channels */
enum { PROGRAMS = 1000, NODES = 1 << 16, MOST = 4096, SETS = 128, ROWS = SETS * MOST }; /* room */

typedef struct program {
    int first, nodes, chosen, configs; /* its nodes; those with a choice come first */
    float *code, *time; /* layouts [configs,chosen,CHOSEN], codes less 2; [configs] ns */
    ag_graph *graph;
} program;
static program programs[PROGRAMS + 1];
static ag_real number[NODES][NUMBERS];
static int32_t op[NODES], layout[NODES][AXES], total;

/* Of all nodes those with a choice stay, and their neighbours. */
static void read_program(program *p, const char *path, ag_failure *why)
{
    static int32_t kept[MOST], source[MOST], target[MOST];
    ag_shape list = AG_SHAPE(0), pairs = AG_SHAPE(0, 2), cube = AG_SHAPE(0, 0, CHOSEN);
    int32_t *code = ag_npz_load(path, "node_opcode", AG_I32, &list, why), m = 0;
    int32_t *edge = ag_npz_load(path, "edge_index", AG_I32, &pairs, why);
    p->code = ag_npz_load(path, "node_config_feat", AG_F32, &cube, why);
    const int n = list.size[0], edges = pairs.size[0], sets = cube.size[0], chosen = cube.size[1];
    ag_shape all = AG_SHAPE(n, NUMBERS + AXES), times = AG_SHAPE(sets), some = AG_SHAPE(chosen);
    float *row = ag_npz_load(path, "node_feat", AG_F32, &all, why);
    p->time = ag_npz_load(path, "config_runtime", AG_F32, &times, why);
    int32_t *choice = ag_npz_load(path, "node_config_ids", AG_I32, &some, why);
    int fits = n <= MOST && n <= NODES - total && edges <= MOST && sets <= SETS && !why->status;
    for (int v = 0; v < MOST; v++) kept[v] = -1;
    for (int k = 0; fits && k < chosen; k++)
        if ((fits = choice[k] >= 0 && choice[k] < n && kept[choice[k]] < 0)) kept[choice[k]] = k;
    for (int k = 0; fits && k < 2 * edges; k++) fits = edge[k] >= 0 && edge[k] < n;
    if (!fits && ag_fail(why, AG_EDATA, "%s is damaged or too large; leave it out", path)) return;
    *p = (program){total, chosen, chosen, sets, p->code, p->time, NULL};
    for (int e = 0; e < edges; e++) {
        int32_t *u = &kept[edge[2 * e]], *v = &kept[edge[2 * e + 1]];
        if ((*u < 0 || *u >= chosen) && (*v < 0 || *v >= chosen)) continue;
        source[m] = *u = *u < 0 ? p->nodes++ : *u;
        target[m++] = *v = *v < 0 ? p->nodes++ : *v;
    }
    for (int v = 0; v < n; v++) {
        const float *x = row + v * (NUMBERS + AXES);
        const int to = total + kept[v];
        if (kept[v] < 0) continue;
        for (int k = 0; k < NUMBERS; k++) number[to][k] = copysignf(log1pf(fabsf(x[k])), x[k]);
        for (int k = 0; k < AXES; k++) layout[to][k] = (int)x[NUMBERS + k] + 2;
        op[to] = code[v];
    }
    total += p->nodes;
    p->graph = ag_graph_build(p->nodes, source, target, m, AG_ALONG, why);
    ag_free(row), ag_free(code), ag_free(edge), ag_free(choice);
}

/* Reads the programs of a list after the n that are there; returns how many there are then. */
static int read_list(int n, const char *folder, const char *list, ag_failure *why)
{
    char name[256], path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, list);
    FILE *file = fopen(path, "r");
    if (!file) ag_fail(why, AG_EFILE, "%s cannot be read; name the folder of layout files", path);
    while (!why->status && n < PROGRAMS && fscanf(file, "%255s", name) == 1) {
        snprintf(path, sizeof path, "%s/%s", folder, name);
        read_program(&programs[n++], path, why);
    }
    if (file) fclose(file);
    return n;
}

/* Every number gets mean 0 and variance 1 over the first nodes, those of training. */
static void standardise(int train)
{
    for (int k = 0; k < NUMBERS; k++) {
        double mean = 0, variance = 0;
        for (int v = 0; v < train; v++) mean += (double)number[v][k] / train;
        for (int v = 0; v < train; v++) variance += pow((double)number[v][k] - mean, 2) / train;
        const double scale = variance > 1e-9 ? sqrt(variance) : 1; /* of what never changes */
        for (int v = 0; v < total; v++) number[v][k] = (ag_real)((number[v][k] - mean) / scale);
    }
}

typedef struct net {
    ag_embedding_layer op, code;
    ag_linear_layer input[2], output;
    ag_sage_layer sage[2];
    ag_mlp_layer gate[4];
    ag_param *temperature[4], *count; /* of the baseline: a weight for each code of each axis */
} net;

static net declare(ag_params *params, int baseline)
{
    net n = {.op = ag_layer_embedding(params, "op", OPS, 16),
             .code = ag_layer_embedding(params, "code", CODES, 4)};
    char name[128];
    for (int k = 0; k < 4; k++) {
        ag_layer_name(name, NULL, "layer%d", k);
        if (k < 2) n.input[k] = ag_layer_linear(params, name, k ? 2 * HALF : INPUTS, HALF, 1);
        if (k < 2) ag_param_init(n.input[k].weight, ag_init_xavier_normal(1));
        if (k >= 2) n.sage[k - 2] = ag_layer_sage(params, name, 2 * HALF, HALF);
        n.gate[k] = ag_layer_mlp(params, name, (int[]){HALF, HALF / 8, HALF}, 3);
        ag_layer_name(name, NULL, "temperature%d", k);
        n.temperature[k] = ag_params_add(params, name, AG_SHAPE(1), ag_init_constant(0.5), 1);
    }
    n.output = ag_layer_linear(params, "output", 2 * HALF, 1, 1);
    if (!baseline) return n;
    n.count = ag_params_add(params, "count", AG_SHAPE(LAYOUTS * CODES, 1), ag_init_constant(0), 1);
    return n;
}

/* Channel attention; then, next to its result, a copy that compares the configurations. */
static ag_tensor *attend(const net *n, int k, ag_tensor *x)
{
    x = ag_mul(x, ag_sigmoid(ag_apply_mlp(&n->gate[k], x)));
    return ag_concat2(x, ag_cross_attention(x, ag_parameter(ag_tape_of(x), n->temperature[k])), -1);
}

static ag_tensor *norm(ag_tensor *x, ag_edges e) { return ag_instance_norm(x, e.starts, 1e-5F); }

/* The scores of c configurations; the smallest is predicted to be the fastest. */
static ag_tensor *apply(const net *n, ag_tape *tape, const program *p, const int32_t *config, int c)
{
    static int32_t node[ROWS], code[ROWS][LAYOUTS];
    const int nodes = p->nodes, rows = nodes * c; /* each node in each configuration */
    for (int r = 0; r < rows; r++) {
        const int v = node[r] = r / c, at = (config[r % c] * p->chosen + v) * CHOSEN;
        for (int k = 0; k < CHOSEN; k++) code[r][k] = v < p->chosen ? 2 + (int)p->code[at + k] : 0;
        for (int k = 0; k < AXES; k++) code[r][CHOSEN + k] = layout[p->first + v][k];
    }
    ag_tensor *x = ag_input_i32(tape, code[0], AG_SHAPE(rows, LAYOUTS));
    if (n->count) x = ag_embedding_bag(ag_parameter(tape, n->count), x, CODES);
    if (n->count) return ag_mean_rows(ag_reshape(x, AG_SHAPE(nodes, c)));
    ag_tensor *of = ag_input_i32(tape, node, AG_SHAPE(rows));
    ag_tensor *numbers = ag_input(tape, number[p->first], AG_SHAPE(nodes, NUMBERS));
    ag_tensor *codes = ag_input_i32(tape, code[0], AG_SHAPE(rows * LAYOUTS));
    ag_tensor *ops = ag_apply_embedding(&n->op, ag_input_i32(tape, op + p->first, AG_SHAPE(nodes)));
    codes = ag_reshape(ag_apply_embedding(&n->code, codes), AG_SHAPE(rows, LAYOUTS * 4));
    x = ag_concat((ag_tensor *[]){ag_gather(numbers, of), codes, ag_gather(ops, of)}, 3, 1);
    const ag_edges e = ag_graph_edges(tape, p->graph);
    x = ag_reshape(x, AG_SHAPE(nodes, c, INPUTS));
    for (int k = 0; k < 2; k++)
        x = ag_gelu(attend(n, k, norm(ag_apply_linear(&n->input[k], x), e)));
    for (int k = 0; k < 2; k++) {
        ag_tensor *h = attend(n, 2 + k, ag_apply_sage(&n->sage[k], norm(x, e), e));
        x = ag_dropout(ag_gelu(ag_add(x, h)), 0.2F);
    }
    return ag_reshape(ag_apply_linear(&n->output, ag_mean_rows(x)), AG_SHAPE(c));
}

/* Trains on the first programs, then returns the mean of Kendall's tau of each of the others. */
static double train(int baseline, int first, int all, int steps, ag_failure *why)
{
    static int32_t config[SETS], time[SETS];
    ag_params *params = ag_params_new();
    const net n = declare(params, baseline);
    ag_params_build(params, 0);
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_random random = {.seed = 0};
    const ag_schedule rate = {AG_COSINE, baseline ? 0.1 : 1e-3, (steps + 19) / 20, steps, 0, 0, 0};
    double tau = 0;
    for (int step = 0, test = first; test < all && !why->status; step++) {
        const int learns = step < steps;
        const program *p = &programs[learns ? (int)ag_random_below(&random, first) : test++];
        const int c = learns && p->configs > CONFIGS ? CONFIGS : p->configs;
        for (int i = 0; i < p->configs; i++) config[i] = i;
        if (learns) ag_random_shuffle(&random, config, p->configs);
        for (int i = 0; i < c; i++) time[i] = (int32_t)fminf(p->time[config[i]], 2e9F);
        ag_tape_begin(tape, learns);
        ag_tensor *y = apply(&n, tape, p, config, c), *rank = ag_input_i32(tape, time, AG_SHAPE(c));
        ag_tensor *loss = ag_pairwise_hinge(y, rank, 1, AG_MEAN);
        if (learns) ag_minimize(loss, params, NULL, ag_schedule_at(&rate, step), why);
        if (!learns && ag_compute(y, why)) tau += ag_kendall_tau(ag_values(y), p->time, c);
    }
    ag_tape_free(tape);
    ag_params_free(params);
    return tau / (all - first);
}

int main(int count, char **words)
{
    const int steps = count > 1 ? atoi(words[1]) : 200;
    const char *folder = count > 2 ? words[2] : "examples/data/layout";
    ag_failure why = {0};
    const int n = read_list(0, folder, "split-random.train.txt", &why);
    const int all = read_list(n, folder, "split-random.test.txt", &why);
    if (steps < 1 || !n || n == all || all == PROGRAMS)
        ag_fail(&why, AG_EUSE, "%s: no STEPS, or too few or too many files", folder);
    standardise(programs[n].first);
    const double counts = train(1, n, all, steps, &why), graph = train(0, n, all, steps, &why);
    if (why.status) return ag_report(&why);
    printf("Kendall's tau, mean over %d programs that were not trained on\n", all - n);
    printf("counts of layouts  %.3f\nTGraph             %.3f\n", counts, graph);
    return 0;
}
