/* SPDX-License-Identifier: MIT */
/* The option --rows: scores against sums over nodes and loop nests in double, gradients, and what
   is there with it and without it. */
#include "support/test.h"
#include "examples/lab/fusion/kernels.h"
#include "examples/tpu/rows/rows.h"
#include "examples/tpu/tune/model.h"
#include "support/tpu_kernels.h"
#include "support/tpu_lab.h"
#include "support/tpu_runner.h"

enum {
    KERNELS = 2,
    TILES = 3,
    SAMPLES = KERNELS * TILES,
    HIDDEN = 8,
    EMBEDDING = 3,
    INPUTS = EMBEDDING + TPUGRAPHS_FEATURES + TPU_STATIC, /* and a tile */
    WIDEST = NESTS_WORD_WIDTH + 2 * NESTS_TILE_COLUMNS
};

static tpu_kernel kernel[2][KERNELS]; /* tile, fusion */
static tpu_data data[2];
static tpu_scaler scaler[2];

/* ---- kernels ---- */

/* tanh(exp(x) w), or the sums of the squares of exp(x). */
static void make_program(lab_program *p, int which)
{
    const int x = lab_parameter(p, LAB_F32, 2, (int[]){12, 16 << which});
    const int e = lab_unary(p, LAB_EXPONENTIAL, x);
    if (which) {
        lab_reduce(p, lab_binary(p, LAB_MULTIPLY, e, e), LAB_SUM, 1, (int[]){1});
        return;
    }
    const int w = lab_parameter(p, LAB_F32, 2, (int[]){16, 20});
    lab_unary(p, LAB_TANH, lab_dot(p, e, w, (lab_dot_dims){0, 1, 0}));
}

static void make_kernel(tpu_kernel *k, int which, bool tiles)
{
    lab_program p = {0};
    int(*tile)[24];
    make_program(&p, which);
    assert_int_equal(p.why.status, AG_OK);
    tpu_lab_kernel(k, &p);
    k->runtime = calloc(TILES, sizeof *k->runtime);
    for (int c = 0; c < TILES; c++) k->runtime[c] = 1000 + 700 * c + 5000 * which;
    if (tiles) {
        assert_int_equal(lab_tiles(&tile, &p, TILES, 1), TILES);
        tune_kernel_tiles(k, tile, TILES);
        ag_free(tile);
    }
    lab_program_clear(&p);
}

static int make(void **state)
{
    for (int task = 0; task < 2; task++) {
        for (int k = 0; k < KERNELS; k++) make_kernel(&kernel[task][k], k, task == TPU_TILE);
        data[task] = (tpu_data){.task = task, .kernel = kernel[task], .kernels = KERNELS};
        tpu_scaler_fit(&scaler[task], &data[task], 1, 1);
    }
    return 0;
}

static int drop(void **state)
{
    for (int i = 0; i < 2 * KERNELS; i++) tpu_kernel_free(&kernel[i / KERNELS][i % KERNELS]);
    return 0;
}

/* ---- models ---- */

static tpu_options options_of(int task, nests_use use)
{
    return (tpu_options){.task = task,
                         .hidden = HIDDEN,
                         .embedding = EMBEDDING,
                         .reduction = TPU_PER_NODE,
                         .heads = 1,
                         .attention_heads = 1,
                         .encoder_layers = 1,
                         .feed = 1,
                         .rows = use,
                         .absolute = task == TPU_FUSION};
}

/* With parameters of both signs everywhere: g and the biases start at 0. */
static tpu_net *net_of(const tpu_api *api, const tpu_options *o)
{
    char why[TPU_WHY];
    tpu_net *net = api->create(o, 0, 7, why);
    if (!net) fail_msg("%s", why);
    api->fit(net, &data[o->task]);
    for (int p = 0; p < api->params(net); p++) {
        int64_t n;
        api->param(net, p, &n);
        double *x = calloc((size_t)n, sizeof *x);
        for (int64_t i = 0; i < n; i++) x[i] = 0.3 * sin(1.7 * (double)i + p + 1);
        api->set(net, p, x);
        free(x);
    }
    return net;
}

static tpu_samples samples_of(tpu_sample sample[SAMPLES], int task)
{
    return (tpu_samples){sample, test_samples(sample, kernel[task], KERNELS), &scaler[task]};
}

/* ---- the same in double ---- */

/* A parameter's values, NULL: there is none of the name. */
static double *values(const tpu_api *api, const tpu_net *net, const char *name)
{
    for (int p = 0; p < api->params(net); p++) {
        int64_t n;
        if (strcmp(api->param(net, p, &n), name) != 0) continue;
        double *x = calloc((size_t)n, sizeof *x);
        api->value(net, p, x);
        return x;
    }
    return NULL;
}

typedef struct plain {
    const char *const *name;
    double *op, *input, *output, *table, *weight[2], *bias[2], *join, *row, *node, *steep;
    double mean[NESTS_TILE_COLUMNS], deviation[NESTS_TILE_COLUMNS], offset;
} plain;

static void fit(plain *p, int task)
{
    double count = 0, samples = 0, square[NESTS_TILE_COLUMNS] = {0};
    nests_tile_rows rows = {0};
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < KERNELS; k++) {
            rows.table.items = 0;
            nests_tile_rows_add(&rows, &kernel[task][k], NULL, kernel[task][k].configs);
            for (int c = 0; c < rows.table.items; c++, samples++) {
                double work = 0;
                for (int r = rows.table.first[c]; r < rows.table.first[c + 1]; r++, count++) {
                    const float *x = rows.table.x + r * NESTS_TILE_COLUMNS;
                    work += rows.table.work[r];
                    for (int i = 0; i < NESTS_TILE_COLUMNS; i++)
                        if (pass)
                            square[i] += pow((double)x[i] - p->mean[i], 2);
                        else
                            p->mean[i] += (double)x[i];
                }
                p->offset += log((double)kernel[task][k].runtime[c]) - log(work);
            }
            if (pass || k + 1 < KERNELS) continue;
            for (int i = 0; i < NESTS_TILE_COLUMNS; i++) p->mean[i] /= count;
            count = 0;
        }
    for (int i = 0; i < NESTS_TILE_COLUMNS; i++) p->deviation[i] = sqrt(square[i] / count);
    p->offset /= samples;
    nests_tile_rows_free(&rows);
}

static plain plain_of(const tpu_api *api, const tpu_net *net, int task)
{
    plain p = {
        .op = values(api, net, "embedding.op"),
        .input = values(api, net, "input.weight"),
        .output = values(api, net, "output.weight"),
        .table = values(api, net, "rows.table"),
        .weight = {values(api, net, "rows.layer.0.weight"),
                   values(api, net, "rows.layer.1.weight")},
        .bias = {values(api, net, "rows.layer.0.bias"), values(api, net, "rows.layer.1.bias")},
        .join = values(api, net, "rows.join"),
        .row = values(api, net, "rows.cost.row"),
        .node = values(api, net, "rows.cost.node"),
        .steep = values(api, net, "rows.cost.steep")};
    fit(&p, task);
    return p;
}

static void plain_free(plain *p)
{
    double *all[] = {p->op,      p->input,   p->output, p->table, p->weight[0], p->weight[1],
                     p->bias[0], p->bias[1], p->join,   p->row,   p->node,      p->steep};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static double dot(const double *w, const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += w[i] * x[i];
    return sum;
}

/* [word, columns, for fusion: whether they are 0 or less], then the layers; returns the width. */
static int embed(double *y, const plain *p, const nests_rows *rows, int row, int task)
{
    const float *x = rows->x + row * NESTS_TILE_COLUMNS;
    double z[NESTS_JOINED_WIDTH];
    int n = NESTS_WORD_WIDTH;
    memcpy(y, p->table + rows->word[row] * n, sizeof *y * NESTS_WORD_WIDTH);
    for (int i = 0; i < NESTS_TILE_COLUMNS; i++) {
        const double off = ((double)x[i] - p->mean[i]) / p->deviation[i];
        y[n++] = p->deviation[i] > 1e-6 ? fmax(-5, fmin(5, off)) : 0;
    }
    for (int i = 0; task == TPU_FUSION && i < NESTS_TILE_COLUMNS; i++) y[n++] = x[i] <= 0;
    for (int k = 0; k < 2 && p->weight[k]; k++) {
        for (int o = 0; o < NESTS_JOINED_WIDTH; o++)
            z[o] = fmax(0, p->bias[k][o] + dot(p->weight[k] + o * n, y, n));
        memcpy(y, z, sizeof z);
        n = NESTS_JOINED_WIDTH;
    }
    return n;
}

/* relu of the input layer, [nodes, HIDDEN]. */
static void nodes_of(double *v, const plain *p, const nests_tile_rows *rows, const tpu_sample *s,
                     int task)
{
    const tpu_kernel *k = s->kernel;
    const tpu_scaler *by = &scaler[task];
    const int tile = task == TPU_TILE ? TPUGRAPHS_TILE_FEATURES : 0, width = INPUTS + tile;
    ag_real scaled[INPUTS + TPUGRAPHS_TILE_FEATURES];
    double x[INPUTS + TPUGRAPHS_TILE_FEATURES], y[WIDEST];
    for (int u = 0; u < k->nodes; u++) {
        memcpy(x, p->op + k->opcode[u] * EMBEDDING, sizeof *x * EMBEDDING);
        tpu_scale(scaled + EMBEDDING, by, &by->node, k->feature + (size_t)u * TPUGRAPHS_FEATURES,
                  1);
        tpu_scale(scaled + INPUTS - TPU_STATIC, by, &by->analysis, k->analysis, 1);
        if (tile) tpu_scale(scaled + INPUTS, by, &by->tile, k->tile + s->config * tile, 1);
        for (int i = EMBEDDING; i < width; i++) x[i] = (double)scaled[i];
        for (int o = 0; o < HIDDEN; o++) v[u * HIDDEN + o] = dot(p->input + o * width, x, width);
    }
    for (int r = 0; p->table && r < rows->table.rows; r++) {
        const int n = embed(y, p, &rows->table, r, task);
        for (int o = 0; o < HIDDEN; o++)
            v[rows->node[r] * HIDDEN + o] += dot(p->join + o * n, y, n);
    }
    for (int i = 0; i < k->nodes * HIDDEN; i++) v[i] = fmax(0, v[i]);
}

static double score_of(const plain *p, const tpu_sample *s, int task)
{
    double v[16 * HIDDEN], y[WIDEST], sum = 0;
    nests_tile_rows rows = {0};
    nests_tile_rows_add(&rows, s->kernel, &s->config, 1);
    assert_true(s->kernel->nodes <= 16 && rows.table.rows > 1);
    nodes_of(v, p, &rows, s, task);
    for (int u = 0; p->output && u < s->kernel->nodes; u++)
        sum += dot(p->output, v + u * HIDDEN, HIDDEN);
    for (int r = 0; p->row && r < rows.table.rows; r++) {
        const int n = embed(y, p, &rows.table, r, task);
        sum += rows.table.work[r] *
               exp(dot(p->row, y, n) + dot(p->node, v + rows.node[r] * HIDDEN, HIDDEN));
    }
    nests_tile_rows_free(&rows);
    if (!p->row) return sum;
    return (log(sum) + p->offset) * (p->steep ? exp(*p->steep) : 1);
}

/* ---- tests ---- */

static void scores_are_sums(void **state)
{
    for (int i = 0; i < 16; i++) {
        const tpu_api *api = i & 1 ? &ag64__tpu : &ag__tpu;
        const int task = i >> 1 & 1;
        const tpu_options o = options_of(task, i >> 2);
        char why[TPU_WHY];
        tpu_sample sample[SAMPLES];
        const tpu_samples s = samples_of(sample, task);
        tpu_net *net = net_of(api, &o);
        plain p = plain_of(api, net, task);
        double score[SAMPLES];
        assert_int_equal(p.table != NULL, o.rows != NESTS_UNUSED);
        assert_int_equal(p.weight[1] != NULL, o.rows >= NESTS_EMBEDDED);
        assert_int_equal(p.output == NULL, o.rows == NESTS_COSTS);
        assert_int_equal(p.steep != NULL, o.rows == NESTS_COSTS && task == TPU_TILE);
        api->scores(net, &s, score, why);
        assert_string_equal(why, "");
        for (int k = 0; k < s.count; k++) {
            const double want = score_of(&p, &sample[k], task);
            if (!(fabs(score[k] - want) <= (i & 1 ? 1e-5 : 1e-4) * fabs(want)))
                fail_msg("%s, task %d, --rows %d, sample %d: %.9g, not %.9g", api->name, task,
                         (int)o.rows, k, score[k], want);
        }
        plain_free(&p);
        api->destroy(net);
    }
}

static void gradients_are_right(void **state)
{
    for (int i = 0; i < 6; i++) {
        const int task = i & 1;
        tpu_options o = options_of(task, NESTS_SUMS + i / 2);
        char where[200];
        tpu_sample sample[SAMPLES];
        const tpu_samples s = samples_of(sample, task);
        o.gnn = TPU_GNN_SAGE;
        o.aggregate = AG_AGGREGATE_MEAN;
        o.gnn_layers = o.node_layers = 1;
        tpu_net *net = net_of(&ag64__tpu, &o);
        const double error = ag64__tpu.gradcheck(net, &s, 1e-5, 3, where);
        print_message("task %d, --rows %d: %.1e (%s)\n", task, (int)o.rows, error, where);
        assert_true(error <= 1e-6);
        ag64__tpu.destroy(net);
    }
}

/* Only with --rows has a checkpoint anything of rows; a scale that is damaged is refused. */
static void checkpoints_have_the_scale(void **state)
{
    for (nests_use use = NESTS_UNUSED; use <= NESTS_COSTS; use++) {
        const tpu_options o = options_of(TPU_FUSION, use);
        ag_checkpoint_item item[HARNESS_TENSORS];
        tpu_trained *net = calloc(1, sizeof *net);
        ag_failure why = {0};
        int rows = 0;
        tpu_scaler_begin(&net->scaler, 1, 1);
        assert_int_equal(tpu_model_add(&net->model, ag_params_new(), &o, &why), AG_OK);
        const int n = tpu_shell_network.tensors(item, net);
        for (int i = 0; i < n; i++) rows += strstr(item[i].name, "state.row.") != NULL;
        assert_int_equal(rows, use ? NESTS_SCALE_TENSORS : 0);
        assert_int_equal(tpu_shell_network.check(net, &why), AG_OK);
        if (use) {
            net->model.rows.scale.deviation[5] = -1;
            assert_int_equal(tpu_shell_network.check(net, &why), AG_EDATA);
            assert_non_null(strstr(why.sentence, "state.row.deviation[5]"));
        }
        tpu_model_free(&net->model);
        free(net);
    }
}

static void no_embedding_of_the_kernel_with_costs(void **state)
{
    char why[TPU_WHY];
    tpu_options o = options_of(TPU_TILE, NESTS_COSTS);
    o.tile_at = TPU_AT_KERNEL;
    assert_null(ag__tpu.create(&o, 0, 1, why));
    assert_non_null(strstr(why, "--tile-at kernel: --rows costs"));
    o.tile_at = TPU_NOWHERE;
    o.analysis_at = TPU_AT_KERNEL;
    assert_null(ag__tpu.create(&o, 0, 1, why));
    assert_non_null(strstr(why, "--static-at kernel: --rows costs"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_sums),
        cmocka_unit_test(gradients_are_right),
        cmocka_unit_test(checkpoints_have_the_scale),
        cmocka_unit_test(no_embedding_of_the_kernel_with_costs),
    };
    ag_set_threads(1);
    return cmocka_run_group_tests(tests, make, drop);
}
