/* SPDX-License-Identifier: MIT */
/* Properties of any TGraph, whatever its weights: sizes, inputs that have no effect, refusals,
   memory. test_program_resume and same_bytes.sh have the bits of runs. */
#include "support/test.h"
#include "support/model_random.h"
#include "support/tgraph_defaults.h"

enum { NODES = 15, EDGES = 30, CONFIGURABLE = 6, CONFIGS = 7, HIDDEN = 32 };

static const model_api *const both[] = {&ag__model, &ag64__model};
static model_graph graph;
static model_data data;

static int make(void **state)
{
    graph = model_random_graph(NODES, EDGES, CONFIGURABLE, 21);
    for (int v = 0; v < NODES; v++) graph.opcode[v] += !graph.opcode[v]; /* none is unknown */
    data = model_random_data(&graph, CONFIGS, 22);
    return 0;
}

static int drop(void **state)
{
    model_random_free(&graph, &data);
    return 0;
}

static tgraph_options small(void)
{
    tgraph_options o = tgraph_defaults();
    o.hidden = HIDDEN;
    return o;
}

static void set_param(const model_api *api, model *m, const char *name, int64_t at, double value)
{
    int64_t n;
    for (int p = 0; p < api->params(m); p++) {
        if (strcmp(api->param(m, p, &n), name) != 0) continue;
        assert_true(at < n);
        double *v = calloc((size_t)n, sizeof *v);
        api->value(m, p, v);
        v[at] = value;
        api->set(m, p, v);
        free(v);
        return;
    }
    fail_msg("no parameter %s", name);
}

static model *make_model(const model_api *api, const tgraph_options *o, const model_graph *g)
{
    char why[MODEL_WHY];
    model *m = api->create(o, g, 5, why);
    if (!m) fail_msg("%s", why);
    return m;
}

static void predict(const model_api *api, model *m, const model_data *d, double *score)
{
    char why[MODEL_WHY];
    api->scores(m, d, score, why);
    assert_string_equal(why, "");
    for (int c = 0; c < d->configs; c++) assert_true(isfinite(score[c]));
}

static double distance(const double *a, const double *b)
{
    double worst = 0;
    for (int c = 0; c < CONFIGS; c++) worst = fmax(worst, fabs(a[c] - b[c]));
    return worst;
}

static void test_parameter_counts(void **state)
{
    static const int count[] = {215013, 460577}; /* the authors' models */
    for (int k = 0; k < 2; k++) {
        tgraph_model m;
        tgraph_options o = tgraph_defaults();
        o.cross = k != 1;
        expect_ok(tgraph_model_add(&m, ag_params_new(), &o, new_failure()));
        assert_int_equal(ag_params_build(m.params, 1), AG_OK);
        assert_int_equal(ag_params_count(m.params), count[k]);
        nests_joined_free(&m.joined);
        ag_params_free(m.params);
    }
}

static void test_options(void **state)
{
    tgraph_model m;
    tgraph_options o = small();
    o.hidden = 40;
    assert_int_equal(tgraph_model_add(&m, ag_params_new(), &o, new_failure()), AG_EUSE);
    assert_string_equal(last_failure()->sentence,
                        "--hidden is 40; it must be a multiple of 16 from 16 to 4096");
    nests_joined_free(&m.joined);
    ag_params_free(m.params);
}

/* One configuration compared with itself: the attended copy is equal to it for any temperature. */
static void test_single_configuration_is_copied(void **state)
{
    const tgraph_options o = small();
    model_data one = data;
    one.configs = 1;
    for (int k = 0; k < 2; k++) {
        double score, warmer;
        model *m = make_model(both[k], &o, &graph);
        predict(both[k], m, &one, &score);
        set_param(both[k], m, "input.1.cross.temperature", 0, 3);
        predict(both[k], m, &one, &warmer);
        assert_true(score == warmer);
        both[k]->destroy(m);
    }
}

/* A code without a row of its own reads row 0. */
static void test_unknown_opcode(void **state)
{
    const int32_t kept = graph.opcode[3];
    const tgraph_options o = small();
    for (int k = 0; k < 2; k++) {
        static const int32_t code[] = {120, 0, 119};
        double score[3][CONFIGS], changed[CONFIGS];
        for (int i = 0; i < 3; i++) {
            graph.opcode[3] = code[i];
            model *m = make_model(both[k], &o, &graph);
            predict(both[k], m, &data, score[i]);
            both[k]->destroy(m);
        }
        assert_memory_equal(score[0], score[1], sizeof *score);
        assert_true(distance(score[0], score[2]) > 1e-4);
        graph.opcode[3] = 120;
        model *m = make_model(both[k], &o, &graph);
        set_param(both[k], m, "embedding.op", 0, 9);
        predict(both[k], m, &data, changed);
        assert_true(distance(score[0], changed) > 1e-4);
        both[k]->destroy(m);
    }
    graph.opcode[3] = kept;
}

enum { LARGE = 200, LARGE_EDGES = 400, LARGE_CHOICES = 40, AT_ONCE = 32 };

/* Peak memory between the ops, in numbers per (node, configuration, channel). */
static double per_element(const tgraph_options *o, int training)
{
    char why[MODEL_WHY];
    model_graph g = model_random_graph(LARGE, LARGE_EDGES, LARGE_CHOICES, 44);
    model_data d = model_random_data(&g, AT_ONCE, 45);
    model *m = ag__model.create(o, &g, 1, why);
    if (!m) fail_msg("%s", why);
    const ag_plan_summary plan = ag__model.plan(m, &d, training, why);
    assert_string_equal(why, "");
    ag__model.destroy(m);
    model_random_free(&g, &d);
    const double numbers = (double)plan.slab / sizeof(ag_real);
    return numbers / ((double)LARGE * AT_ONCE * o->hidden);
}

static void test_memory(void **state)
{
    tgraph_options o = tgraph_defaults();
    for (int cross = 1; cross >= 0; cross--) {
        o.cross = cross;
        const double training = per_element(&o, 1), inference = per_element(&o, 0);
        print_message("cross %d: %.2f numbers per element in training, %.2f in inference\n", cross,
                      training, inference);
        assert_true(training <= (cross ? 15 : 17));
        assert_true(inference <= (cross ? 3.5 : 5.5));
        assert_true(inference >= 1); /* an activation is there at least */
    }
}

int main(void)
{
    ag_set_threads(1);
    return RUN_TESTS_WITH(make, drop, test_parameter_counts, test_options,
                          test_single_configuration_is_copied, test_unknown_opcode, test_memory);
}
