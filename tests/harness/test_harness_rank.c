/* SPDX-License-Identifier: MIT */
/* The results of a ranking model, on groups whose measures are known. */
#define _GNU_SOURCE
#include "autograd/autograd.h"
#include "examples/harness/rank/rank.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Group a: five items. The model puts the fastest second and leaves the rest in order: one pair of
   ten is wrong. Group b: one item. Group c: run times are not known. */
static const int64_t in_a[] = {100, 150, 200, 300, 400}, in_b[] = {70};
static const double by_model[] = {2, 1, 3, 4, 5};
static const int numbers[] = {7, 3, 9};

static void fill(harness_rank *r)
{
    harness_rank_group(r, "a", 5, NULL, in_a);
    harness_rank_group(r, "b", 1, NULL, in_b);
    harness_rank_group(r, "c", 3, numbers, NULL);
    memcpy(harness_rank_method(r, "model", NULL), by_model, sizeof by_model);
}

static void near(double found, double expected)
{
    if (!(fabs(found - expected) < 1e-9)) fail_msg("%.12g, not %.12g", found, expected);
}

static void expect_measures(const json_t *j, const double *expected)
{
    static const char *const name[] = {"tau", "opa", "slowdown@1", "slowdown@5", "slowdown@10"};
    for (int k = 0; k < HARNESS_RANK_MEASURES; k++) {
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
    (void)state;
    const double a[] = {0.8, 0.9, 0.5, 0, 0}, none[] = {NAN, NAN, NAN, NAN, NAN},
                 b[] = {NAN, NAN, 0, 0, 0}, mean[] = {0.8, 0.9, 0.25, 0, 0},
                 worst[] = {-1, 0, 3, 0, 0};
    harness_rank r = {0};
    ag_failure why = {0};
    double value[HARNESS_RANK_MEASURES];
    const char *name[HARNESS_MOST_SCORES];
    fill(&r);
    double *other = harness_rank_method(&r, "last first", harness_copy("the last item is first"));
    for (int i = 0; i < 5; i++) other[i] = -i;
    assert_int_equal(harness_rank_grade(&r, &why), AG_OK);
    assert_int_equal(harness_rank_grade(&r, &why), AG_OK); /* again, as after more methods */

    assert_int_equal(harness_rank_measures(name, NULL, NULL), HARNESS_RANK_MEASURES);
    assert_int_equal(harness_rank_columns(name, NULL, &why), HARNESS_RANK_MEASURES);
    assert_string_equal(name[HARNESS_RANK_SLOWDOWN_5], "slowdown@5");
    harness_rank_values(value, &r);
    for (int k = 0; k < HARNESS_RANK_MEASURES; k++) near(value[k], mean[k]);
    near(harness_rank_mean(&r, 1, HARNESS_RANK_TAU), -1);
    near(harness_rank_mean(&r, 1, HARNESS_RANK_SLOWDOWN_1), 1.5);

    json_t *j = harness_rank_json(&r);
    const json_t *groups = json_object_get(j, "groups");
    assert_int_equal(json_array_size(groups), 3);
    expect_measures(json_object_get(json_array_get(groups, 0), "model"), a);
    expect_measures(json_object_get(json_array_get(groups, 1), "model"), b);
    expect_measures(json_object_get(json_array_get(groups, 2), "model"), none);
    expect_measures(json_object_get(json_object_get(j, "mean"), "model"), mean);
    expect_measures(json_object_get(json_array_get(groups, 0), "last first"), worst);
    json_decref(j);
    harness_rank_close(&r);
}

static void groups_and_methods(void **state)
{
    (void)state;
    harness_rank r = {0};
    ag_failure why = {0};
    const char *name, *note;
    fill(&r);
    harness_rank_method(&r, "other", harness_copy("says nothing"));
    assert_int_equal(harness_rank_groups(&r), 3);
    const harness_group a = harness_rank_group_at(&r, 0), c = harness_rank_group_at(&r, 2);
    assert_string_equal(a.name, "a");
    assert_int_equal(a.items, 5);
    assert_true(a.score[1] == 1 && a.actual[4] == 400 && !a.number && !a.ns);
    assert_true(c.number == numbers && !c.actual && c.score == r.score[0] + 6);
    r.times = true;
    assert_true(harness_rank_group_at(&r, 0).ns == r.score[0]);
    assert_int_equal(harness_rank_other(&name, &note, &r, 0), 1);
    assert_string_equal(name, "other");
    assert_string_equal(note, "says nothing");
    assert_int_equal(harness_rank_other(&name, &note, &r, 1), 0);

    harness_table *table[HARNESS_TABLES];
    char *text = NULL;
    size_t bytes;
    assert_int_equal(harness_rank_grade(&r, &why), AG_OK);
    assert_int_equal(harness_rank_tables(table, &r, "A title"), 2);
    FILE *to = open_memstream(&text, &bytes);
    harness_table_csv(to, table[0]);
    harness_table_csv(to, table[1]);
    fclose(to);
    assert_string_equal(
        text, "group,items,tau,opa,slowdown@1,slowdown@5,slowdown@10\n"
              "a,5,0.80000000000000004,0.90000000000000002,0.5,0,0\nb,1,,,0,0,0\nc,3,,,,,\n"
              "mean,9,0.80000000000000004,0.90000000000000002,0.25,0,0\n"
              "method,tau,opa,slowdown@1,slowdown@5,slowdown@10\n"
              "model,0.80000000000000004,0.90000000000000002,0.25,0,0\nother,,0,0,0,0\n");
    free(text);
    for (int i = 0; i < 2; i++) harness_table_free(table[i]);
    harness_rank_close(&r);
    assert_int_equal(r.groups, 0);
}

/* Nothing held out is no failure; groups without any run time are. */
static void without_run_times(void **state)
{
    (void)state;
    harness_rank r = {0};
    ag_failure why = {0};
    double value[HARNESS_RANK_MEASURES];
    harness_rank_method(&r, "model", NULL);
    assert_int_equal(harness_rank_grade(&r, &why), AG_OK);
    harness_rank_values(value, &r);
    assert_true(isnan(value[0]));
    harness_rank_close(&r);
    harness_rank_group(&r, "c", 3, numbers, NULL);
    harness_rank_method(&r, "model", NULL);
    assert_int_equal(harness_rank_grade(&r, &why), AG_EDATA);
    assert_non_null(strstr(why.sentence, "none of the 1 groups can be scored"));
    harness_rank_close(&r);
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
    (void)state;
    harness_rank r = {0};
    ag_failure why = {0};
    ag_tape *tape = ag_tape_new(AG_CPU);
    const harness_scoring how = {.tape = tape, .models = 2};
    ag_real wild[9], three[9];
    for (int i = 0; i < 9; i++) wild[i] = i == 7 ? (ag_real)INFINITY : 0, three[i] = 3;
    fill(&r);
    r.data = numbers;
    memset(r.score[0], 0, 9 * sizeof(double));
    const harness_trained one = {.net = (void *)outputs}, two = {.net = three}, bad = {.net = wild};
    assert_int_equal(harness_rank_add(&r, &one, &how, record, &why), AG_OK);
    assert_int_equal(harness_rank_add(&r, &two, &how, record, &why), AG_OK);
    for (int i = 0; i < 9; i++) near(r.score[0][i], (i + 1 + 3) / 2.0);
    assert_int_equal(harness_rank_add(&r, &bad, &how, record, &why), AG_EFINITE);
    assert_non_null(strstr(why.sentence, "c: the score of item 3 is inf"));
    harness_rank_close(&r);
    ag_tape_free(tape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_of_known_groups), cmocka_unit_test(groups_and_methods),
        cmocka_unit_test(without_run_times), cmocka_unit_test(scores_are_weighted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
