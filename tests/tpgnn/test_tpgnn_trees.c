/* SPDX-License-Identifier: MIT */
/* Trees in a model: the ones of the baseline, and their part of a score. */
#include "examples/harness/harness.h"
#include "examples/tpgnn/baseline/statements.h"
#include "examples/tpgnn/nest/nest_rows.h"
#include "examples/tpgnn/score.h"
#include "support/tpgnn_npz.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MOST = 200, TREES = 12, WEIGHT = 3 };

static void read_two(tpgnn_data *data)
{
    static const char *const name[] = {"sum-columns_784_64", "softmax_196_64"};
    *data = (tpgnn_data){0};
    for (int i = 0; i < 2; i++) {
        ag_failure why = {0};
        char path[512];
        snprintf(path, sizeof path, AG_SOURCE_DIR "/examples/data/schedules/%s.npz", name[i]);
        if (test_schedules_add(data, path, &why)) fail_msg("%s", why.sentence);
    }
    assert_true(data->schedules > 20 && data->schedules <= MOST);
}

/* cost [schedules]: ln of the sum of cycles x exp(trees(row)), statement by statement. */
static void sum_up(double *cost, const harness_trees *t, const tpgnn_data *data)
{
    static float row[100 * TPGNN_ROW], cycles[100];
    for (int i = 0; i < data->schedules; i++) {
        ag_failure why = {0};
        double sum = 0;
        const int n = tpgnn_nest_rows(row, cycles, 100, data, &data->schedule[i], &why);
        assert_in_range(n, 1, 99);
        for (int k = 0; k < n; k++)
            sum += exp((double)cycles[k] +
                       harness_trees_sum(t, 0, t->count, row + (size_t)k * TPGNN_ROW));
        cost[i] = log(sum);
    }
}

/* Trees that were drawn: the first columns, about the middle. */
static void draw(harness_trees *t)
{
    ag_random random = {3, 1, 0};
    const int nodes = t->count * harness_trees_nodes(t);
    for (int i = 0; i < nodes; i++) {
        t->column[i] = (int32_t)(ag_random_uniform(&random) * TPGNN_ROW) % TPGNN_ROW;
        t->limit[i] = (float)ag_random_uniform(&random);
    }
    for (int i = 0; i < nodes + t->count; i++)
        t->leaf[i] = (float)(0.3 * ag_random_uniform(&random));
}

static void scores(double *score, const tpgnn_model *m, const tpgnn_data *data)
{
    ag_failure why = {0};
    ag_tape *tape = ag_tape_new(AG_CPU);
    const tpgnn_scorer s = {.model = m, .tape = tape, .graphs = 16, .nodes = 10000};
    for (int i = 0; i < data->schedules; i++) score[i] = 0;
    if (tpgnn_score(&s, score, data, 1, &why)) fail_msg("%s", why.sentence);
    ag_tape_free(tape);
}

static void a_score_adds_the_trees(void **state)
{
    (void)state;
    static double with[MOST], without[MOST], trees[MOST];
    tpgnn_data data;
    tpgnn_model m;
    ag_failure why = {0};
    read_two(&data);
    tpgnn_options o = tpgnn_default_options(TPGNN_STORES);
    assert_true(o.trees > 0 && o.rows);
    o.trees = TREES / 3;
    o.tree_sets = 3;
    o.standard = false;
    o.trees_weight = WEIGHT;
    o.hidden = 8;
    for (int rows = 0; rows < 2; rows++) {
        o.rows = rows;
        assert_int_equal(tpgnn_model_add(&m, ag_params_new(), &o, &why), AG_OK);
        assert_int_equal(ag_params_build(m.params, 1), AG_OK);
        draw(&m.trees);
        sum_up(trees, &m.trees, &data);
        scores(with, &m, &data);
        m.trees.count = 0;
        scores(without, &m, &data);
        for (int i = 0; i < data.schedules; i++)
            assert_true(fabs(with[i] - without[i] - WEIGHT * trees[i]) < 1e-3);
        tpgnn_model_free(&m);
    }
    tpgnn_data_free(&data);
}

static void the_trees_of_the_baseline(void **state)
{
    (void)state;
    const tpgnn_trees_options all = {.seed = 5, .sets = 1, .columns = 1, .order = 0};
    static double kept[MOST], fitted[MOST];
    tpgnn_data data;
    tpgnn_statements s = {0};
    harness_trees t;
    ag_failure why = {0};
    read_two(&data);
    assert_int_equal(harness_trees_open(&t, TREES, TPGNN_DEPTH, &why), AG_OK);
    assert_int_equal(tpgnn_trees_fit(&t, &data, &all, &why), AG_OK);
    sum_up(kept, &t, &data);
    assert_int_equal(tpgnn_statements_take(&s, &data, &why), AG_OK);
    tpgnn_score_cycles(fitted, &s);
    if (harness_boosting_built()) { /* else they stay zeros */
        harness_boosting_options o = tpgnn_additive_options();
        o.rounds = TREES;
        harness_boosting *a = harness_additive_fit(s.group, s.tasks, TPGNN_ROW, &o, &why);
        assert_non_null(a);
        assert_true(fabs(fitted[0] - kept[0]) > 1e-3);
        assert_int_equal(tpgnn_additive_score(fitted, a, &s, &why), AG_OK);
        harness_boosting_free(a);
    }
    for (int i = 0; i < data.schedules; i++) assert_true(fabs(fitted[i] - kept[i]) < 1e-4);
    tpgnn_statements_drop(&s);
    harness_trees_close(&t);
    tpgnn_data_free(&data);
}

/* Sets are the trees of one set with other draws, and count as their mean. */
static void sets_are_averaged(void **state)
{
    (void)state;
    tpgnn_data data;
    harness_trees set[2], both;
    ag_failure why = {0};
    static float row[100 * TPGNN_ROW], cycles[100];
    if (!harness_boosting_built()) skip();
    read_two(&data);
    assert_int_equal(harness_trees_open(&both, 2 * TREES, TPGNN_DEPTH, &why), AG_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(harness_trees_open(&set[i], TREES, TPGNN_DEPTH, &why), AG_OK);
    const tpgnn_trees_options first = {0, 1, 0.3, 1, 0.3}, pair = {0, 2, 0.3, 1, 0.3},
                              other = {1, 1, 0.3, 1, 0.3};
    assert_int_equal(tpgnn_trees_fit(&set[0], &data, &first, &why), AG_OK);
    assert_int_equal(tpgnn_trees_fit(&set[1], &data, &other, &why), AG_OK);
    assert_int_equal(tpgnn_trees_fit(&both, &data, &pair, &why), AG_OK);
    double apart = 0, seeds = 0;
    assert_true(tpgnn_nest_rows(row, cycles, 100, &data, &data.schedule[0], &why) > 0);
    const double one = harness_trees_sum(&set[0], 0, TREES, row);
    assert_true(fabs(harness_trees_sum(&both, 0, TREES, row) - one / 2) < 1e-6);
    for (int i = 0; i < data.schedules; i++) {
        const int n = tpgnn_nest_rows(row, cycles, 100, &data, &data.schedule[i], &why);
        for (int k = 0; k < n; k++) {
            const float *of = row + (size_t)k * TPGNN_ROW;
            const double a = harness_trees_sum(&both, 0, TREES, of);
            apart = fmax(apart, fabs(a - harness_trees_sum(&both, TREES, TREES, of)));
            seeds = fmax(seeds, fabs(2 * a - harness_trees_sum(&set[1], 0, TREES, of)));
        }
    }
    assert_true(apart > 1e-4 && seeds > 1e-4);
    tpgnn_model m;
    tpgnn_options o = tpgnn_default_options(TPGNN_STORES);
    o.tree_sets = 17;
    assert_int_equal(tpgnn_model_add(&m, ag_params_new(), &o, &why), AG_EUSE);
    assert_string_equal(why.sentence, "--tree-sets is 17; it must be 1 to 16");
    tpgnn_model_free(&m);
    for (int i = 0; i < 2; i++) harness_trees_close(&set[i]);
    harness_trees_close(&both);
    tpgnn_data_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_score_adds_the_trees),
        cmocka_unit_test(the_trees_of_the_baseline),
        cmocka_unit_test(sets_are_averaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
