/* SPDX-License-Identifier: MIT */
/* The TPU model against PyTorch's float64 values (tests/golden/README.md): every case of the file,
   in float and in double. */
#include "support/test.h"
#include "core/threads.h"
#include "support/golden_probe.h"
#include "support/tpu_kernels.h"
#include "support/tpu_runner.h"

#define GOLDEN AG_SOURCE_DIR "/tests/golden/tpu.npz"

enum { KERNELS = 5, SAMPLES = 14, OPTIONS = 22, ABOUT = 17, CASES = 40, WHOLE = 5 };

/* Bounds of one precision. */
typedef struct bounds {
    const tpu_api *api;
    double forward;  /* scores, relative to the largest, and the loss, relative */
    double gradient; /* share of max(largest of the tensor, 1e-3 of the largest of all) */
} bounds;
static bounds in_float = {&ag__tpu, 1e-5, 1e-4}, in_double = {&ag64__tpu, 1e-12, 1e-11};

/* ---- the file ---- */

static tpu_kernel kernel[2][KERNELS]; /* tile, fusion */
static tpu_scaler scaler;

/* In [0,1). */
static void fill(float *x, int n, uint32_t stream)
{
    for (int i = 0; i < n; i++) x[i] = (float)((golden_uniform(stream, (uint32_t)i) + 1) / 2);
}

static void read_kernels(int fusion)
{
    golden_array size = read_array("kernels"), edge = read_array("edges");
    golden_array opcode = read_array("opcodes"), runtime = read_array("runtimes");
    const double *e = edge.value, *op = opcode.value, *t = runtime.value;
    for (int k = 0; k < KERNELS; k++) {
        const int nodes = (int)size.value[3 * k], edges = (int)size.value[3 * k + 1];
        const int configs = (int)size.value[3 * k + 2];
        tpu_kernel *to = &kernel[fusion][k];
        *to = test_kernel_new(nodes, edges, fusion ? 0 : configs);
        fill(to->feature, nodes * TPUGRAPHS_FEATURES, 300 + (uint32_t)k);
        if (to->tile) fill(to->tile, configs * TPUGRAPHS_TILE_FEATURES, 400 + (uint32_t)k);
        fill(to->analysis, TPU_STATIC, 500 + (uint32_t)k);
        for (int i = 0; i < 2 * edges; i++) to->edge[i] = (int32_t)*e++;
        for (int v = 0; v < nodes; v++) to->opcode[v] = (int32_t)*op++;
        for (int c = 0; c < to->configs; c++) to->runtime[c] = (int64_t)t[c];
        t += configs;
    }
    golden_free(&size);
    golden_free(&edge);
    golden_free(&opcode);
    golden_free(&runtime);
}

static int open_file(void **state)
{
    if (probe_open(GOLDEN)) return -1;
    scaler = test_unit_scaler();
    for (int fusion = 0; fusion < 2; fusion++) read_kernels(fusion);
    return 0;
}

static int close_file(void **state)
{
    probe_close();
    for (int k = 0; k < 2 * KERNELS; k++) tpu_kernel_free(&kernel[k / KERNELS][k % KERNELS]);
    return 0;
}

/* ---- the model of a case ---- */

typedef struct trial {
    const char *name;
    tpu_options options;
    int kind;
    double margin, offset;
    tpu_sample sample[SAMPLES];
    tpu_samples samples;
} trial;

static void read_options(trial *t)
{
    golden_array a = read_array("%s.options", t->name);
    assert_int_equal(a.count, OPTIONS);
    int v[OPTIONS];
    for (int i = 0; i < OPTIONS; i++) v[i] = (int)a.value[i];
    t->options = (tpu_options){.task = (tpu_task)v[0],
                               .hidden = v[1],
                               .embedding = v[2],
                               .gnn = (tpu_gnn)v[3],
                               .reduction = (tpu_reduction)(TPU_PER_NODE + v[4]),
                               .direction = (tpu_direction)v[5],
                               .aggregate = (ag_aggregate)v[6],
                               .l2 = v[7],
                               .module_layers = v[8],
                               .module_l2 = v[9],
                               .gnn_layers = v[10],
                               .node_layers = v[11],
                               .heads = v[12],
                               .attention_heads = v[13],
                               .encoder_layers = v[14],
                               .feed = v[15],
                               .biases = v[16],
                               .tile_at = (tpu_place)v[17],
                               .analysis_at = (tpu_place)v[18]};
    t->kind = v[19];
    t->margin = a.value[20];
    t->offset = a.value[21];
    golden_free(&a);
}

static void open_trial(trial *t, const char *name)
{
    t->name = name;
    read_options(t);
    const int n = test_samples(t->sample, kernel[t->options.task == TPU_FUSION], KERNELS);
    t->samples = (tpu_samples){t->sample, n, &scaler};
}

/* about: a row per parameter, as make_golden.py's `probe` writes it, and the number of entries. */
static tpu_net *net_of(const tpu_api *api, const trial *t, const golden_array *about)
{
    char why[TPU_WHY];
    tpu_net *net = api->create(&t->options, t->offset, 1, why);
    if (!net) fail_msg("%s: %s", t->name, why);
    assert_int_equal(api->params(net) * ABOUT, about->count);
    for (int p = 0; p < api->params(net); p++) {
        int64_t n;
        const double *row = about->value + p * ABOUT;
        const char *name = api->param(net, p, &n);
        if (n != (int64_t)row[ABOUT - 1])
            fail_msg("%s: %s has %d entries, PyTorch's has %d", t->name, name, (int)n,
                     (int)row[ABOUT - 1]);
        double *value = calloc((size_t)n, sizeof *value);
        for (int64_t i = 0; i < n; i++)
            value[i] = row[2] + row[1] * golden_uniform((uint32_t)row[0], (uint32_t)i);
        api->set(net, p, value);
        free(value);
    }
    return net;
}

/* ---- comparing ---- */

static double compare_gradients(const bounds *b, const tpu_net *net, const trial *t,
                                const golden_array *about, const double *all)
{
    double floor = 0, worst = 0;
    for (int p = 0; p < b->api->params(net); p++)
        floor = fmax(floor, 1e-3 * about->value[p * ABOUT + 3]);
    for (int p = 0; p < b->api->params(net); p++) {
        int64_t n;
        const char *name = b->api->param(net, p, &n);
        const double *row = about->value + p * ABOUT, scale = fmax(row[3], floor);
        double *g = calloc((size_t)n, sizeof *g);
        b->api->gradient(net, p, g);
        double error = compare_gradient(g, n, row, floor);
        for (int64_t i = 0; all && i < n; i++) worst_of(&error, fabs(g[i] - *all++) / scale);
        free(g);
        if (!(error <= b->gradient))
            fail_msg("%s in %s: gradient of %s is off by %g", t->name, b->api->name, name, error);
        worst_of(&worst, error);
    }
    return worst;
}

/* Worst of the scores, without gradients and with them, and of the loss. */
static double compare_forward(const bounds *b, tpu_net *net, const trial *t)
{
    char why[TPU_WHY];
    const int n = t->samples.count;
    double score[SAMPLES], predicted[SAMPLES], worst = 0, largest = 0;
    golden_array want = read_array("%s.scores", t->name); /* and the loss */
    assert_int_equal(want.count, n + 1);
    b->api->scores(net, &t->samples, predicted, why);
    assert_string_equal(why, "");
    const double have = b->api->loss(net, &t->samples, t->kind, t->margin, score, why);
    assert_string_equal(why, "");
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(want.value[i]));
    for (int i = 0; i < n; i++) {
        worst_of(&worst, fabs(score[i] - want.value[i]) / largest);
        worst_of(&worst, fabs(predicted[i] - want.value[i]) / largest);
    }
    worst_of(&worst, fabs(have - want.value[n]) / want.value[n]);
    golden_free(&want);
    return worst;
}

/* Dropout acts only in training. */
static void compare_dropout(const bounds *b, const trial *t, const golden_array *about)
{
    char why[TPU_WHY];
    trial drops = *t;
    drops.options.dropout = 0.3;
    double score[SAMPLES], trained[SAMPLES], worst = 0, apart = 0, largest = 0;
    golden_array want = read_array("%s.scores", t->name);
    tpu_net *net = net_of(b->api, &drops, about);
    b->api->scores(net, &t->samples, score, why);
    b->api->loss(net, &t->samples, t->kind, t->margin, trained, why);
    for (int i = 0; i < t->samples.count; i++) {
        largest = fmax(largest, fabs(want.value[i]));
        worst_of(&worst, fabs(score[i] - want.value[i]));
        worst_of(&apart, fabs(trained[i] - want.value[i]));
    }
    if (!(worst <= b->forward * largest && apart > 1e-3 * largest))
        fail_msg("%s: dropout moves scores by %g, those of training by %g", t->name, worst, apart);
    b->api->destroy(net);
    golden_free(&want);
}

/* ---- tests ---- */

/* Returns whether the gradients were compared in full. */
static int compare_case(const bounds *b, const char *name)
{
    trial t;
    open_trial(&t, name);
    golden_array about = read_array("%s.params", name),
                 all = try_member(formatted("%s.gradients", name));
    tpu_net *net = net_of(b->api, &t, &about);
    const double forward = compare_forward(b, net, &t);
    const double gradient = compare_gradients(b, net, &t, &about, all.value);
    const int whole = all.value != NULL;
    print_message("%-6s %-24s forward %.1e, gradients %.1e%s\n", b->api->name, name, forward,
                  gradient, whole ? ", in full" : "");
    if (!(forward <= b->forward))
        fail_msg("%s in %s: scores or loss are off by %g", name, b->api->name, forward);
    b->api->destroy(net);
    compare_dropout(b, &t, &about);
    golden_free(&about);
    golden_free(&all);
    return whole;
}

static void test_cases(void **state)
{
    char name[100];
    int cases = 0, whole = 0;
    for (int64_t i = 0; golden_name(file, i, name); i++) {
        char *end = strstr(name, ".options");
        if (!end || end[strlen(".options")]) continue;
        *end = 0;
        whole += compare_case(*state, name);
        cases++;
    }
    assert_int_equal(cases, CASES);
    assert_int_equal(whole, WHOLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_cases, &in_float),
        cmocka_unit_test_prestate(test_cases, &in_double),
        cmocka_unit_test(test_whole_file),
    };
    ag_set_threads(1);
    return cmocka_run_group_tests(tests, open_file, close_file);
}
