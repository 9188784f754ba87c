/* SPDX-License-Identifier: MIT */
/* The option --rows: the nodes that rows join, gradients, and what is there with it and without it.
   Sums over rows are compared with double in test_nests_joined. */
#include "support/test.h"
#include "core/memory.h"
#include "core/threads.h"
#include "examples/lab/fusion/fusion.h"
#include "examples/tpu/rows/rows.h"
#include "examples/tune/tune.h"
#include "support/tpu_kernels.h"
#include "support/tpu_lab.h"
#include "support/tpu_runner.h"

enum { KERNELS = 2, TILES = 3, SAMPLES = KERNELS * TILES, HIDDEN = 8, EMBEDDING = 3 };

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

/* ---- tests ---- */

/* The entries of a batch are the nests of its samples, each at the node that it computes. */
static void rows_join_their_nodes(void **state)
{
    for (int task = 0; task < 2; task++) {
        const tpu_options o = options_of(task, NESTS_COSTS);
        tpu_model m;
        tpu_batch b = {0};
        tpu_sample sample[SAMPLES];
        nests_rows one = {0};
        ag_real x[2 * NESTS_TILE_COLUMNS];
        int e = 0;
        const int n = test_samples(sample, kernel[task], KERNELS);
        expect_ok(tpu_model_add(&m, ag_params_new(), &o, new_failure()));
        expect_ok(tpu_rows_fit(&m.rows.scale, &data[task], new_failure()));
        expect_ok(tpu_batch_fill(&b, sample, n, &scaler[task], &m.batch, new_failure()));
        for (int i = 0; i < n; i++) {
            one.items = 0;
            nests_tile_rows_add(&one, sample[i].kernel, &sample[i].config, 1);
            assert_true(one.rows > 1);
            assert_int_equal(b.rows.item_start[i], e);
            for (int r = 0; r < one.rows; r++, e++) {
                const int row = b.rows.item_row[e];
                assert_int_equal(b.rows.item_place[e], b.start[i] + one.node[r]);
                assert_int_equal(b.rows.word[row], one.word[r]);
                nests_scale_apply(x, &m.rows.scale, one.x + r * NESTS_TILE_COLUMNS);
                assert_memory_equal(b.rows.x + row * b.rows.inputs, x,
                                    (size_t)b.rows.inputs * sizeof *x);
            }
        }
        nests_rows_free(&one);
        tpu_batch_free(&b);
        ag_params_free(m.params);
        tpu_model_free(&m);
    }
}

/* A parameter of a net, -1: there is none of the name. */
static int find(const tpu_net *net, const char *name)
{
    int64_t n;
    for (int p = 0; p < ag__tpu.params(net); p++)
        if (!strcmp(ag__tpu.param(net, p, &n), name)) return p;
    return -1;
}

/* Scores with rows are those of the same network without, once what rows give is 0. */
static void rows_are_added(void **state)
{
    for (int i = 0; i < 4; i++) {
        const int task = i & 1;
        const tpu_options o = options_of(task, NESTS_SUMS + i / 2),
                          bare = options_of(task, NESTS_UNUSED);
        char why[TPU_WHY];
        double with[SAMPLES], zero[SAMPLES], without[SAMPLES], join[HIDDEN * 2000] = {0};
        tpu_sample sample[SAMPLES];
        const tpu_samples s = samples_of(sample, task);
        tpu_net *net = net_of(&ag__tpu, &o), *other = net_of(&ag__tpu, &bare);
        assert_int_equal(find(net, "rows.layer.1.weight") >= 0, o.rows == NESTS_EMBEDDED);
        ag__tpu.scores(net, &s, with, why);
        ag__tpu.scores(other, &s, without, why);
        ag__tpu.set(net, find(net, "rows.join"), join);
        ag__tpu.scores(net, &s, zero, why);
        assert_string_equal(why, "");
        for (int k = 0; k < s.count; k++) {
            assert_true(fabs(zero[k] - without[k]) <= 1e-5 * fabs(without[k]));
            assert_true(fabs(with[k] - without[k]) > 1e-3 * fabs(without[k]));
        }
        ag__tpu.destroy(net);
        ag__tpu.destroy(other);
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
        int rows = 0;
        tpu_scaler_begin(&net->scaler, 1, 1);
        expect_ok(tpu_model_add(&net->model, ag_params_new(), &o, new_failure()));
        const int n = tpu_hooks_network.tensors(item, net);
        for (int i = 0; i < n; i++) rows += strstr(item[i].name, "state.row.") != NULL;
        assert_int_equal(rows, use ? NESTS_SCALE_TENSORS : 0);
        expect_ok(tpu_hooks_network.check(net, new_failure()));
        if (use) {
            net->model.rows.scale.deviation[5] = -1;
            expect_status(tpu_hooks_network.check(net, new_failure()), AG_EDATA,
                          "state.row.deviation[5]");
        }
        ag_params_free(net->model.params);
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
    ag_set_threads(1);
    ag64_set_threads(1); /* no sanitizer sees what its threads wait for */
    return RUN_TESTS_WITH(make, drop, rows_join_their_nodes, rows_are_added, gradients_are_right,
                          checkpoints_have_the_scale, no_embedding_of_the_kernel_with_costs);
}
