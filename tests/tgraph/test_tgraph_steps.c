/* SPDX-License-Identifier: MIT */
/* Training steps of TGraph: the same bits from run to run and for any number of threads; memory. */
#include "support/test.h"
#include "support/model_random.h"

enum { STEPS = 20, NODES = 200, EDGES = 400, CONFIGURABLE = 40, CONFIGS = 32 };

/* 20 steps with dropout, warm-up, cosine and clipping: hash of the parameters and their moments. */
static uint64_t train(const tgraph_options *o, const model_graph *g, const model_data *sets,
                      uint64_t seed, int threads)
{
    const ag_schedule schedule = {.kind = AG_COSINE, .lr = 1e-3, .warmup = 2, .total = STEPS};
    char why[MODEL_WHY];
    double norm, first = 0, last = 0;
    ag_set_threads(threads);
    model *m = ag__model.create(o, g, seed, why);
    if (!m) fail_msg("%s", why);
    for (int s = 0; s < STEPS; s++) {
        last = ag__model.loss(m, sets + s % 2, s, NULL, why);
        assert_string_equal(why, "");
        if (!s) first = last;
        ag__model.update(m, ag_schedule_at(&schedule, s), 1e-5, 1, &norm, why);
        assert_string_equal(why, "");
        assert_true(isfinite(norm) && norm > 0);
    }
    assert_true(isfinite(last) && last != first);
    const uint64_t hash = ag__model.hash(m);
    ag__model.destroy(m);
    return hash;
}

/* Large enough that products, norms and sums are cut into several blocks. */
static void test_same_bits(void **state)
{
    static const int threads[] = {1, 2, 1, 2, 1, 2};
    tgraph_options o = tgraph_defaults();
    o.hidden = 32;
    model_graph g = model_random_graph(NODES, EDGES, CONFIGURABLE, 41);
    model_data d[2] = {model_random_data(&g, 16, 42), model_random_data(&g, 12, 43)};
    const uint64_t hash = train(&o, &g, d, 7, 1);
    for (int run = 1; run < 6; run++) assert_true(train(&o, &g, d, 7, threads[run]) == hash);
    assert_true(train(&o, &g, d, 8, 1) != hash); /* another seed */
    model_random_free(&g, d);
    model_random_free(&(model_graph){0}, d + 1);
    ag_set_threads(1);
}

/* Peak memory between the ops, in numbers per (node, configuration, channel). */
static double per_element(const tgraph_options *o, int training)
{
    char why[MODEL_WHY];
    model_graph g = model_random_graph(NODES, EDGES, CONFIGURABLE, 44);
    model_data d = model_random_data(&g, CONFIGS, 45);
    model *m = ag__model.create(o, &g, 1, why);
    if (!m) fail_msg("%s", why);
    const ag_plan_summary plan = ag__model.plan(m, &d, training, why);
    assert_string_equal(why, "");
    ag__model.destroy(m);
    model_random_free(&g, &d);
    const double numbers = (double)plan.slab / sizeof(ag_real);
    return numbers / ((double)NODES * CONFIGS * o->hidden);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
