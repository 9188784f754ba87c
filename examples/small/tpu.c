/* SPDX-License-Identifier: MIT */
/* Which tile size makes a kernel fast? The TPU performance model of Kaufman et al. 2021, with the
   equations in docs/tpu.md. build/release/bin/small_tpu [STEPS [FOLDER]] */
#include "augur.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CODE, FEATURE, TILE, TIME, ARRAYS }; /* of a file: two of nodes, two of tile sizes */
enum { CODES = 121, EMBEDDING = 8, FEATURES = 140, NUMBERS = 24, HIDDEN = 64, LAYERS = 3 };
enum { KERNELS = 16, TILES = 8, MOST = 128, FILES = 1024 }; /* MOST rows of an array */

typedef struct kernel {
    int rows[ARRAYS];
    float *x[ARRAYS];
    ag_graph *graph[2]; /* messages to nodes from their operands, from their users */
} kernel;

static const int columns[] = {1, FEATURES, NUMBERS, 1};
static kernel kernels[FILES];

static void read_kernel(kernel *k, const char *path, ag_failure *why)
{
    static const char *const name[] = {"node_opcode", "node_feat", "config_feat", "config_runtime"};
    ag_shape pairs = AG_SHAPE(0, 2);
    for (int i = 0; i < ARRAYS; i++) {
        const int rows = i % 2 ? k->rows[i - 1] : 0; /* 0: any; the second has those of the first */
        ag_shape s = columns[i] > 1 ? AG_SHAPE(rows, columns[i]) : AG_SHAPE(rows);
        k->x[i] = ag_npz_load(path, name[i], AG_F32, &s, why);
        const int n = k->rows[i] = s.size[0];
        if (n < 1 || n > MOST) ag_fail(why, AG_EDATA, "%s: no or over %d rows", path, MOST);
    }
    int32_t *user = ag_npz_load(path, "edge_index", AG_I32, &pairs, why);
    int32_t *operand = ag_npz_load(path, "edge_index", AG_I32, &pairs, why); /* pairs, so twice */
    const int m = why->status ? 0 : pairs.size[0];
    for (int e = 0; e < m; e++) user[e] = user[2 * e], operand[e] = operand[2 * e + 1];
    k->graph[0] = ag_graph_build(k->rows[CODE], operand, user, m, AG_ALONG, why);
    k->graph[1] = ag_graph_build(k->rows[CODE], operand, user, m, AG_AGAINST, why);
    ag_free(user);
    ag_free(operand);
}

/* Reads the files of a list after the n that are there, and returns how many there are then. */
static int read_list(int n, const char *folder, const char *list, ag_failure *why)
{
    char name[256], path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, list);
    FILE *file = fopen(path, "r");
    if (!file) ag_fail(why, AG_EFILE, "%s cannot be read; name the folder of tile files", path);
    while (!why->status && n < FILES && fscanf(file, "%255s", name) == 1) {
        snprintf(path, sizeof path, "%s/%s", folder, name);
        read_kernel(&kernels[n++], path, why);
    }
    if (file) fclose(file);
    return n;
}

/* Sizes span decades: takes their logarithms, then 0..1 of the range in training. */
static void scale(int which, int n, int train)
{
    for (int c = 0; c < columns[which]; c++) {
        float low = INFINITY, high = -INFINITY;
        for (int i = 0; i < 2 * n; i++) /* all kernels, and again when the range is known */
            for (int r = 0; r < kernels[i % n].rows[which]; r++) {
                float *x = &kernels[i % n].x[which][r * columns[which] + c];
                if (i < n) *x = copysignf(log1pf(fabsf(*x)), *x);
                if (i < train) low = fminf(low, *x), high = fmaxf(high, *x);
                if (i >= n) *x = high > low ? fminf(fmaxf((*x - low) / (high - low), 0), 1) : 0;
            }
    }
}

/* An item is a kernel under one of its tile sizes; a group has items of one kernel. */
typedef struct batch {
    int items, nodes;
    int32_t group[KERNELS + 1], start[MOST + 1]; /* first item of each, first node of each */
    int32_t code[MOST * MOST], rank[MOST];
    float x[MOST * MOST][FEATURES + NUMBERS]; /* of a node: its own, and the tile size */
    const ag_graph *part[2][MOST];            /* of the items; together: */
    ag_graph *graph[2];
} batch;

static void add_item(batch *b, const kernel *k, int tile)
{
    for (int v = 0; v < k->rows[CODE]; v++, b->nodes++) {
        b->code[b->nodes] = (int32_t)k->x[CODE][v];
        memcpy(b->x[b->nodes], k->x[FEATURE] + v * FEATURES, FEATURES * sizeof **b->x);
        memcpy(b->x[b->nodes] + FEATURES, k->x[TILE] + tile * NUMBERS, NUMBERS * sizeof **b->x);
    }
    b->rank[b->items] = (int32_t)fminf(k->x[TIME][tile], 2e9F); /* only the order counts */
    for (int way = 0; way < 2; way++) b->part[way][b->items] = k->graph[way];
    b->start[++b->items] = b->nodes;
}

typedef struct model {
    ag_embedding_layer code;
    ag_linear_layer f1, f2[LAYERS][2], f3[LAYERS], node[LAYERS], output;
    ag_recurrent_layer lstm;
    ag_mlp_layer tile;
} model;

static model make_model(ag_params *p, int h)
{
    char text[128];
    model m = {.code = ag_layer_embedding(p, "code", CODES, EMBEDDING),
               .f1 = ag_layer_linear(p, "f1", EMBEDDING + FEATURES + NUMBERS, h, 0),
               .lstm = ag_layer_lstm(p, "lstm", h, h, 1, 0),
               .output = ag_layer_linear(p, "output", h, 1, 0),
               .tile = ag_layer_mlp(p, "tile", (int[]){NUMBERS, h, h, 1}, 4)};
    for (int k = 0; k < LAYERS; k++) {
        m.f2[k][0] = ag_layer_linear(p, ag_layer_name(text, "operands", "%d", k), h, h, 0);
        m.f2[k][1] = ag_layer_linear(p, ag_layer_name(text, "users", "%d", k), h, h, 0);
        m.f3[k] = ag_layer_linear(p, ag_layer_name(text, "f3", "%d", k), 3 * h, h, 0);
        m.node[k] = ag_layer_linear(p, ag_layer_name(text, "node", "%d", k), h, h, 0);
    }
    ag_params_init(p, NULL, ag_init_xavier_uniform(1), ag_init_constant(0));
    ag_params_build(p, 1);
    return m;
}

/* A score for each item: the smallest of a group is predicted to be its fastest. */
static ag_tensor *apply(const model *m, ag_tape *tape, batch *b, int tile_alone, ag_failure *why)
{
    for (int way = 0; way < 2; way++) {
        ag_graph_free(b->graph[way]);
        b->graph[way] = ag_graph_batch(b->part[way], b->items, why);
    }
    ag_tape_reset(tape);
    ag_tensor *x = ag_input(tape, b->x[0], AG_SHAPE(b->nodes, FEATURES + NUMBERS));
    ag_tensor *first = ag_input_i32(tape, b->start, AG_SHAPE(b->items));
    ag_tensor *start = ag_input_i32(tape, b->start, AG_SHAPE(b->items + 1));
    ag_tensor *code = ag_apply_embedding(&m->code, ag_input_i32(tape, b->code, AG_SHAPE(b->nodes)));
    ag_tensor *tile = ag_slice(ag_gather(x, first), 1, FEATURES, NUMBERS);
    if (tile_alone) return ag_reshape(ag_apply_mlp(&m->tile, tile), AG_SHAPE(b->items));
    x = ag_relu(ag_apply_linear(&m->f1, ag_concat2(code, x, 1)));
    for (int k = 0; k < LAYERS; k++) {
        ag_tensor *part[3] = {x};
        for (int way = 0; way < 2; way++)
            part[1 + way] = ag_spmm(ag_relu(ag_apply_linear(&m->f2[k][way], x)),
                                    ag_graph_edges(tape, b->graph[way]), AG_AGGREGATE_MEAN);
        x = ag_relu(ag_apply_linear(&m->f3[k], ag_concat(part, 3, 1)));
    }
    for (int k = 0; k < LAYERS; k++) x = ag_relu(ag_apply_linear(&m->node[k], x));
    x = ag_apply_recurrent_last(&m->lstm, x, start);
    return ag_reshape(ag_apply_linear(&m->output, x), AG_SHAPE(b->items));
}

/* Trains on the first kernels, then returns the mean of Kendall's tau of each of the others. */
static double train(int tile_alone, int steps, int trained, int n, ag_failure *why)
{
    static batch b;
    double tau = 0;
    ag_random random = {.seed = 1};
    ag_params *params = ag_params_new();
    ag_tape *tape = ag_tape_new(AG_CPU);
    const ag_adamw adamw = {0.9, 0.999, 1e-8, 0.05};
    const ag_schedule cosine = {.kind = AG_COSINE, .lr = 2e-3, .total = steps};
    const model m = make_model(params, HIDDEN);
    for (int step = 0; step < steps && !why->status; step++) {
        b.items = b.nodes = 0;
        for (int g = 0; g < KERNELS; g++, b.group[g] = b.items) {
            const kernel *k = &kernels[ag_random_below(&random, (uint32_t)trained)];
            for (int i = 0; i < TILES; i++)
                add_item(&b, k, (int)ag_random_below(&random, (uint32_t)k->rows[TILE]));
        }
        ag_tensor *y = apply(&m, tape, &b, tile_alone, why);
        ag_tensor *rank = ag_input_i32(tape, b.rank, AG_SHAPE(b.items));
        ag_tensor *group = ag_input_i32(tape, b.group, AG_SHAPE(KERNELS + 1));
        ag_tensor *loss = ag_pairwise_hinge_groups(y, rank, group, 1, AG_MEAN);
        ag_minimize(loss, params, &adamw, ag_schedule_at(&cosine, step), why);
    }
    for (int i = trained; i < n && !why->status; i++) {
        b.items = b.nodes = 0;
        for (int t = 0; t < kernels[i].rows[TILE]; t++) add_item(&b, &kernels[i], t);
        const ag_real *score = ag_compute(apply(&m, tape, &b, tile_alone, why), why);
        if (score) tau += ag_kendall_tau(score, kernels[i].x[TIME], b.items) / (n - trained);
    }
    ag_tape_free(tape);
    ag_params_free(params);
    return tau;
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 1000;
    const char *folder = argc > 2 ? argv[2] : "examples/data/tile";
    ag_failure why = {0};
    const int trained = read_list(0, folder, "split-random.train.txt", &why);
    const int n = read_list(trained, folder, "split-random.test.txt", &why);
    if (steps < 1 || !trained || n == trained || n == FILES)
        ag_fail(&why, AG_EUSE, "%s: no STEPS, or too few or too many files", folder);
    for (int i = FEATURE; i <= TILE && !why.status; i++) scale(i, n, trained);
    const double tile = train(1, steps, trained, n, &why), tau = train(0, steps, trained, n, &why);
    if (why.status) return ag_report(&why);
    printf("Kendall's tau, mean over %d kernels that were not trained on\n", n - trained);
    printf("tile size alone     %.3f\nGraphSAGE and LSTM  %.3f\n", tile, tau);
    return 0;
}
