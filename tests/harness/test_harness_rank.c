/* SPDX-License-Identifier: MIT */
/* The results of a ranking model, on groups whose measures are known. */
#include "support/test.h"
#include "autograd/autograd.h"
#include "examples/harness/rank/rank_internal.h"
#include "support/table_text.h"

#include <jansson.h>

/* Group a: five items. The model puts the fastest second and leaves the rest in order: one pair of
   ten is wrong. Group b: one item. Group c: run times are not known. */
static const int64_t in_a[] = {100, 150, 200, 300, 400}, in_b[] = {70};
static const double by_model[] = {2, 1, 3, 4, 5};
static const int numbers[] = {7, 3, 9};

/* Of each test. */
static harness_rank r;
static ag_failure why;

static int drop(void **state)
{
    harness_rank_close(&r);
    why = (ag_failure){0};
    return r.groups;
}

static void fill(void)
{
    harness_rank_group(&r, (harness_ranked){.name = "a", .items = 5, .actual = in_a});
    harness_rank_group(&r, (harness_ranked){.name = "b", .items = 1, .actual = in_b});
    harness_rank_group(&r, (harness_ranked){.name = "c", .items = 3, .number = numbers});
    memcpy(harness_rank_method(&r, "model", NULL), by_model, sizeof by_model);
}

static void near(double got, double expected) { expect_number(got, expected, 1e-9); }

enum { PLAIN = 5 };

static void expect_measures(const json_t *j, const double *expected)
{
    static const char *const name[] = {"tau-b", "opa", "slowdown@1", "slowdown@5", "slowdown@10"};
    for (int k = 0; k < PLAIN; k++) {
        const json_t *value = json_object_get(j, name[k]);
        if (isnan(expected[k]))
            assert_true(json_is_null(value));
        else
            near(json_number_value(value), expected[k]);
    }
}

/* ---- measures ---- */

static void measures_of_known_groups(void **state)
{
    const double a[] = {0.8, 0.9, 0.5, 0, 0}, none[] = {NAN, NAN, NAN, NAN, NAN},
                 b[] = {NAN, NAN, NAN, NAN, NAN}, mean[] = {0.8, 0.9, 0.5, 0, 0},
                 worst[] = {-1, 0, 3, 0, 0};
    double value[PLAIN];
    const char *name[HARNESS_MOST_SCORES];
    fill();
    double *other = harness_rank_method(&r, "last first", harness_copy("the last item is first"));
    for (int i = 0; i < 5; i++) other[i] = -i;
    assert_int_equal(harness_rank_compute(&r, &why), AG_OK);
    assert_int_equal(harness_rank_compute(&r, &why), AG_OK); /* again, as after more methods */

    bool smaller = true;
    assert_int_equal(harness_rank_measures(name, &smaller, &r), PLAIN);
    assert_false(smaller); /* the largest tau-b is the best */
    assert_string_equal(name[0], "tau-b");
    assert_string_equal(name[3], "slowdown@5");
    harness_rank_values(value, &r);
    for (int k = 0; k < PLAIN; k++) near(value[k], mean[k]);
    near(harness_rank_mean(&r, 1, HARNESS_TAU_B), -1);
    near(harness_rank_mean(&r, 1, HARNESS_SLOWDOWN_1), 3);

    json_t *j = harness_rank_json(&r);
    const json_t *groups = json_object_get(j, "groups");
    assert_int_equal(json_array_size(groups), 3);
    expect_measures(json_object_get(json_array_get(groups, 0), "model"), a);
    expect_measures(json_object_get(json_array_get(groups, 1), "model"), b);
    expect_measures(json_object_get(json_array_get(groups, 2), "model"), none);
    expect_measures(json_object_get(json_object_get(j, "mean"), "model"), mean);
    expect_measures(json_object_get(json_array_get(groups, 0), "last first"), worst);
    json_decref(j);
}

/* A study reads the model's means, and its measures in each group. */
static void result_of_a_run(void **state)
{
    const double a[] = {0.8, 0.9, 0.5, 0, 0}, none[] = {NAN, NAN, NAN, NAN, NAN};
    fill();
    assert_int_equal(harness_rank_compute(&r, &why), AG_OK);
    json_t *result = json_object();
    harness_rank_result(result, &r);
    const json_t *groups = json_object_get(result, "groups");
    expect_measures(json_object_get(result, "scores"), a);
    expect_measures(json_array_get(groups, 0), a);
    expect_measures(json_array_get(groups, 2), none);
    json_decref(result);
}

static char *all_tables(void write(FILE *to, const harness_table *t), int tables)
{
    harness_table *table[HARNESS_TABLES];
    assert_int_equal(harness_rank_tables(table, &r, "A title"), tables);
    char *text = table_text(write, table, tables);
    for (int i = 0; i < tables; i++) harness_table_free(table[i]);
    return text;
}

/* Neither parts of the model nor what noise leaves possible is one. */
static void a_baseline_that_wins_is_named(void **state)
{
    static const double sorted[] = {1, 2, 3, 4, 5};
    fill();
    memcpy(harness_rank_method(&r, "model, calibrated", harness_copy("")), sorted, sizeof sorted);
    memcpy(harness_rank_method(&r, "worse", harness_copy("")), by_model, sizeof by_model);
    r.score[2][0] = 4;
    r.ceiling = r.methods;
    memcpy(harness_rank_method(&r, "perfect ranker", harness_copy("")), sorted, sizeof sorted);
    assert_int_equal(harness_rank_compute(&r, &why), AG_OK);
    assert_null(harness__winner(&r));
    r.ceiling = 0;
    assert_string_equal(harness__winner(&r),
                        "On these groups the method \"perfect ranker\" (tau-b 1.0000) is "
                        "better than model (0.8000).");
    char *text = all_tables(harness_table_html, 2);
    assert_non_null(strstr(text, "<th class=\"n own\">model tau-b</th><th class=\"n\">"));
    assert_non_null(strstr(text, "<td class=\"own\">model, calibrated</td><td class=\"n own\">"));
    free(text);
}

static void expect_csv(int tables, const char *expected)
{
    char *text = all_tables(harness_table_csv, tables);
    assert_string_equal(text, expected);
    free(text);
}

static void groups_and_methods(void **state)
{
    fill();
    harness_rank_method(&r, "other", harness_copy("says nothing"));
    assert_int_equal(harness_rank_groups(&r), 3);
    const harness_ranked a = harness_rank_group_at(&r, 0), c = harness_rank_group_at(&r, 2);
    assert_string_equal(a.name, "a");
    assert_int_equal(a.items, 5);
    assert_true(a.score[1] == 1 && a.actual[4] == 400 && !a.number && !a.ns);
    assert_true(c.number == numbers && !c.actual && c.score == r.score[0] + 6);
    r.times = true;
    assert_true(harness_rank_group_at(&r, 0).ns == r.score[0]);

    assert_int_equal(harness_rank_compute(&r, &why), AG_OK);
    expect_csv(2, "group,items,model tau-b,other tau-b,model opa,other opa,model slowdown@1,other "
                  "slowdown@1\n"
                  "a,5,0.80000000000000004,0,0.90000000000000002,0,0.5,1.3\n"
                  "b,1,,,,,,\nc,3,,,,,,\n"
                  "mean,9,0.80000000000000004,0,0.90000000000000002,0,0.5,1.3\n"
                  "method,tau-b,opa,slowdown@1,slowdown@5,slowdown@10\n"
                  "model,0.80000000000000004,0.90000000000000002,0.5,0,0\nother,0,0,1.3,0,0\n");
}

/* ---- rows of several groups ---- */

static const harness_measure of_tiles[] = {HARNESS_APE, HARNESS_TAU_B, HARNESS_MEASURES};
static const harness_rank_form tiles = {.kind = "tile",
                                        .row = "program",
                                        .rows = "programs",
                                        .groups = "kernels",
                                        .items = "tiles",
                                        .measure = of_tiles,
                                        .studied = 1,
                                        .median = "APE % median",
                                        .against = "roofline"};
static const char *const programs[] = {"p", "q"};

/* Kernels of p are not neighbours; of q, one has hidden run times. The second tile of each is the
   fastest, and takes half as long as the first. */
static void fill_tiles(void)
{
    static const int64_t a[] = {200, 100}, b[] = {20, 10, 40}, c[] = {8, 4};
    r.form = tiles;
    r.row_name = programs;
    r.rows = 2;
    harness_rank_group(&r, (harness_ranked){.name = "p1", .items = 2, .actual = a, .row = 0});
    harness_rank_group(&r, (harness_ranked){.name = "q1", .items = 2, .actual = c, .row = 1});
    harness_rank_group(&r, (harness_ranked){.name = "p2", .items = 3, .actual = b, .row = 0});
    harness_rank_group(&r, (harness_ranked){.name = "q2", .items = 2, .row = 1});
    const double score[] = {1, 2, 5, 4, 2, 1, 3, 0, 0};
    memcpy(harness_rank_method(&r, "model", NULL), score, sizeof score);
    harness_rank_method(&r, "constant", harness_copy("nothing"));
    double *roofline = harness_rank_method(&r, "roofline", harness_copy("the slower one"));
    for (int i = 0; i < r.items; i++) roofline[i] = -score[i];
}

/* p: 200 instead of 100 and 10 as it should be; all equal: 150 and 70 / 3. */
static void programs_of_kernels(void **state)
{
    fill_tiles();
    assert_int_equal(harness_rank_compute(&r, &why), AG_OK);
    near(harness_rank_at(&r, 0, 0)->of[HARNESS_APE], 100 * 100 / 110.0);
    near(harness_rank_at(&r, 0, 0)->of[HARNESS_TAU_B], 0); /* -1 and 1 */
    near(harness_rank_at(&r, 1, 0)->of[HARNESS_APE], 100 * (50 + 40 / 3.0) / 110);
    near(harness_rank_at(&r, 0, 1)->of[HARNESS_APE], 0);
    assert_int_equal(harness_rank_at(&r, 0, 1)->counted, 2);
    json_t *result = json_object();
    harness_rank_result(result, &r);
    const json_t *scores = json_object_get(result, "scores");
    near(json_number_value(json_object_get(scores, "APE %")), 50 / 1.1);
    near(json_number_value(json_object_get(scores, "APE % median")), 50 / 1.1);
    json_decref(result);
    near(harness__number(&r, 1, HARNESS_APE, HARNESS_GEOMETRIC, 0), 100 * sqrt(19 / 66.0));
    expect_csv(2, "program,kernels,tiles,model APE %,roofline APE %,model tau-b,roofline tau-b\n"
                  "p,2,5,90.909090909090907,27.272727272727273,0,0\nq,2,4,0,100,1,-1\n"
                  "median,4,9,45.454545454545453,63.63636363636364,0.5,-0.5\n"
                  "geometric mean,4,9,0,52.223296786709355,0,\n"
                  "mean,4,9,45.454545454545453,63.63636363636364,0.5,-0.5\n"
                  "method,APE % median,APE % geometric mean,APE %,tau-b\n"
                  "model,45.454545454545453,0,45.454545454545453,0.5\n"
                  "constant,53.787878787878789,53.654336998865958,53.787878787878789,0\n"
                  "roofline,63.63636363636364,52.223296786709355,63.63636363636364,-0.5\n");
    json_t *j = harness_rank_json(&r);
    char *text = json_dumps(json_object_get(j, "groups"), JSON_COMPACT | JSON_REAL_PRECISION(3));
    assert_string_equal(
        text, "[{\"group\":\"p\",\"kernels\":2,\"items\":5,\"model\":{\"APE %\":90.9,"
              "\"tau-b\":0.0},\"constant\":{\"APE %\":57.6,\"tau-b\":0.0},\"roofline\":{"
              "\"APE %\":27.3,\"tau-b\":0.0}},{\"group\":\"q\",\"kernels\":2,\"items\":4,"
              "\"model\":{\"APE %\":0.0,\"tau-b\":1.0},\"constant\":{\"APE %\":50.0,\"tau-b\":"
              "0.0},\"roofline\":{\"APE %\":100.0,\"tau-b\":-1.0}}]");
    free(text);
    assert_string_equal(json_string_value(json_object_get(j, "kind")), "tile");
    static const char *const over[] = {"median", "geometric mean", "mean"};
    for (int i = 0; i < 3; i++) {
        const json_t *constant = json_object_get(json_object_get(j, over[i]), "constant");
        near(json_number_value(json_object_get(constant, "APE %")),
             i == 1 ? 100 * sqrt(19 / 66.0) : 25 + 50 * 19 / 33.0);
    }
    json_decref(j);
    harness_rank_absent(&r, 2, 2); /* the other kernel of p does not stand for both */
    assert_int_equal(harness_rank_compute(&r, &why), AG_OK);
    assert_true(isnan(harness_rank_at(&r, 2, 0)->of[HARNESS_APE]));
    near(harness_rank_at(&r, 2, 1)->of[HARNESS_APE], 100);
}

/* ---- families, and runs that are too short to count ---- */

static const harness_measure of_tasks[] = {HARNESS_MAPE, HARNESS_MAPE_ALL, HARNESS_R2, HARNESS_MAE,
                                           HARNESS_MEASURES};
static const char *const families[] = {"f", "g", "none"};

static void means_over_families(void **state)
{
    static const int64_t t[] = {100, 200, 100, 10, 300};
    static const double predicted[] = {150, 200, 200, 20, 300}, cost[] = {0, 0, 0, 0, 0};
    r = (harness_rank){.form = {.row = "task",
                                .rows = "tasks",
                                .items = "schedules",
                                .measure = of_tasks,
                                .main = 1,
                                .shown = 2},
                       .family_name = families,
                       .families = 3,
                       .times = true,
                       .least = 50};
    harness_rank_group(&r, (harness_ranked){.name = "f_1", .items = 2, .actual = t});
    harness_rank_group(&r, (harness_ranked){.name = "f_2", .items = 2, .actual = t + 2});
    harness_rank_group(&r,
                       (harness_ranked){.name = "g_1", .items = 1, .actual = t + 4, .family = 1});
    memcpy(harness_rank_method(&r, "model", NULL), predicted, sizeof predicted);
    r.cost[0] = cost;
    assert_int_equal(harness_rank_compute(&r, &why), AG_OK);
    near(harness_rank_at(&r, 0, 0)->of[HARNESS_MAE], (log(100) + log(200)) / 2);
    expect_csv(4, "task,schedules,counted,MAPE %\nf_1,2,2,25\nf_2,2,1,100\ng_1,1,1,0\n"
                  "mean,5,4,41.666666666666664\n"
                  "family,tasks,schedules,MAPE %\nf,2,4,62.5\ng,1,1,0\nmean,3,5,31.25\n"
                  "method,MAPE %,MAPE % of all\nmodel,41.666666666666664,41.666666666666664\n"
                  "method,MAPE %,MAPE % of all\nmodel,31.25,31.25\n");
    json_t *j = harness_rank_json(&r);
    const json_t *list = json_object_get(j, "families"), *f = json_array_get(list, 0);
    assert_int_equal(json_array_size(list), 2); /* "none" has no task */
    assert_int_equal(json_integer_value(json_object_get(f, "groups")), 2);
    near(json_number_value(json_object_get(json_object_get(f, "model"), "MAPE %")), 62.5);
    const json_t *over = json_object_get(json_object_get(j, "mean over families"), "model");
    near(json_number_value(json_object_get(over, "MAPE %")), 31.25);
    const json_t *task = json_array_get(json_object_get(j, "groups"), 1);
    assert_string_equal(json_string_value(json_object_get(task, "family")), "f");
    assert_int_equal(json_integer_value(json_object_get(task, "counted")), 1);
    json_decref(j);
}

/* ---- scores ---- */

static const ag_real outputs[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

static ag_tensor *record(const void *net, const void *data, int group, ag_tape *tape)
{
    static const int first[] = {0, 5, 6}, items[] = {5, 1, 3};
    assert_ptr_equal(data, numbers);
    const ag_real *from = net;
    return ag_input(tape, from + first[group], AG_SHAPE(items[group]));
}

static void scores_are_weighted(void **state)
{
    ag_tape *tape = ag_tape_new(AG_CPU);
    const harness_scoring how = {.tape = tape, .models = 2};
    ag_real wild[9], three[9];
    for (int i = 0; i < 9; i++) wild[i] = i == 7 ? (ag_real)INFINITY : 0, three[i] = 3;
    fill();
    r.data = numbers;
    memset(r.score[0], 0, 9 * sizeof(double));
    const harness_trained one = {.net = (void *)outputs}, two = {.net = three}, bad = {.net = wild};
    assert_int_equal(harness_rank_add(&r, &one, &how, record, &why), AG_OK);
    assert_int_equal(harness_rank_add(&r, &two, &how, record, &why), AG_OK);
    for (int i = 0; i < 9; i++) near(r.score[0][i], (i + 1 + 3) / 2.0);
    assert_int_equal(harness_rank_finite(&r, &why), AG_OK);
    assert_int_equal(harness_rank_add(&r, &bad, &how, record, &why), AG_OK);
    assert_int_equal(harness_rank_finite(&r, &why), AG_EFINITE);
    assert_non_null(strstr(why.sentence, "c: the score of item 3 is inf"));
    ag_tape_free(tape);
}

int main(void)
{
    return RUN_TESTS_EACH(NULL, drop, measures_of_known_groups, result_of_a_run,
                          a_baseline_that_wins_is_named, groups_and_methods, programs_of_kernels,
                          means_over_families, scores_are_weighted);
}
