/* SPDX-License-Identifier: MIT */
/* Scores per task of schedules, by hand. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "examples/harness/harness.h"
#include "examples/tpgnn/grades.h"

static void near(double got, double must)
{
    if (!(fabs(got - must) < 1e-12 * (1 + fabs(must)))) fail_msg("%.17g, not %.17g", got, must);
}

static tpgnn_grade grade_one(const double *score, const double *cost, const int64_t *runtime, int n)
{
    static const int32_t zero[16];
    const tpgnn_scored s = {score, cost, runtime, zero, n, 1};
    tpgnn_grade g;
    ag_failure why = {0};
    if (tpgnn_grade_tasks(&g, &s, TPGNN_SHARE, &why)) fail_msg("%s", why.sentence);
    return g;
}

/* Two tasks whose schedules are mixed, and one without any. */
static void by_hand(void **state)
{
    (void)state;
    const int32_t task[6] = {0, 2, 0, 2, 0, 0};
    const int64_t t[6] = {100, 7, 80, 9, 160, 101};
    /* Task 0, best first: 160, 80, 101, 100. Of 6 pairs 100-101 is too close to count: 80 before
       101 and 100 are right, the three with 160 are wrong. */
    const double score[6] = {-1, -5, -3, -4, -4, -2};
    const tpgnn_scored s = {score, NULL, t, task, 6, 3};
    tpgnn_grade g[3];
    ag_failure why = {0};
    assert_int_equal(tpgnn_grade_tasks(g, &s, 0.02, &why), AG_OK);
    assert_int_equal(g[0].schedules, 4);
    near(g[0].of[TPGNN_PAIRWISE], 2 / 5.0);
    near(g[0].of[TPGNN_TAU], (2 - 4) / 6.0);
    near(g[0].of[TPGNN_TOP1], 80 / 160.0);
    near(g[0].of[TPGNN_SLOWDOWN1], 1);
    near(g[0].of[TPGNN_RECALL1], 0);
    near(g[0].of[TPGNN_TOP5], 1); /* all four */
    near(g[0].of[TPGNN_RECALL5], 1);
    near(g[0].of[TPGNN_SLOWDOWN10], 0);
    assert_true(isnan(g[0].of[TPGNN_R2]) && isnan(g[0].of[TPGNN_MAE]));
    assert_int_equal(g[1].schedules, 0);
    for (int k = 0; k < TPGNN_MEASURES; k++) assert_true(isnan(g[1].of[k]));
    near(g[2].of[TPGNN_PAIRWISE], 1);
    near(g[2].of[TPGNN_TAU], 1);
    assert_int_equal(tpgnn_grade_tasks(g, &s, 0, &why), AG_OK); /* now 100-101 counts as wrong */
    near(g[0].of[TPGNN_PAIRWISE], 2 / 6.0);
    assert_int_equal(tpgnn_grade_tasks(g, &s, 0.3, &why), AG_OK); /* only those with 160 */
    near(g[0].of[TPGNN_PAIRWISE], 0);
    assert_true(isnan(g[2].of[TPGNN_PAIRWISE])); /* 7 and 9 differ by 28.6 % */
}

/* The five and the ten best of twelve. */
static void depths(void **state)
{
    (void)state;
    const int64_t t[12] = {120, 110, 100, 90, 80, 70, 60, 50, 40, 30, 20, 10};
    double score[12];
    for (int i = 0; i < 12; i++) score[i] = i; /* the slowest first */
    tpgnn_grade g = grade_one(score, NULL, t, 12);
    near(g.of[TPGNN_TOP1], 10 / 120.0);
    near(g.of[TPGNN_TOP5], 10 / 80.0);
    near(g.of[TPGNN_TOP10], 10 / 30.0);
    near(g.of[TPGNN_SLOWDOWN5], 7);
    near(g.of[TPGNN_RECALL1], 0);
    near(g.of[TPGNN_RECALL5], 0);
    near(g.of[TPGNN_RECALL10], 0.8);
    near(g.of[TPGNN_PAIRWISE], 0);
    near(g.of[TPGNN_TAU], -1);
    score[11] = -0.5; /* the best one first */
    g = grade_one(score, NULL, t, 12);
    near(g.of[TPGNN_TOP1], 1);
    near(g.of[TPGNN_RECALL1], 1);
    near(g.of[TPGNN_RECALL5], 0.2);
    near(g.of[TPGNN_PAIRWISE], 11 / 66.0);
}

/* Equal scores: half a pair each, and the first in the file is the choice. */
static void ties(void **state)
{
    (void)state;
    const int64_t t[3] = {30, 20, 10}, same[3] = {20, 20, 20}, two[3] = {20, 10, 10};
    const double equal[3] = {1, 1, 1}, last[3] = {2, 1, 1};
    tpgnn_grade g = grade_one(equal, NULL, t, 3);
    near(g.of[TPGNN_PAIRWISE], 0.5);
    assert_true(isnan(g.of[TPGNN_TAU]));
    near(g.of[TPGNN_TOP1], 10 / 30.0);
    g = grade_one(last, NULL, t, 3);
    near(g.of[TPGNN_PAIRWISE], 2.5 / 3);
    near(g.of[TPGNN_TAU], 2 / sqrt(6));
    near(g.of[TPGNN_TOP1], 0.5);
    g = grade_one(last, NULL, same, 3);
    assert_true(isnan(g.of[TPGNN_PAIRWISE]) && isnan(g.of[TPGNN_TAU]));
    near(g.of[TPGNN_TOP1], 1);
    near(g.of[TPGNN_RECALL1], 1); /* as fast as the fastest */
    const double third[3] = {3, 2, 1};
    near(grade_one(third, NULL, two, 3).of[TPGNN_RECALL1], 1);
}

static void one_schedule(void **state)
{
    (void)state;
    const int64_t t[1] = {1000};
    const double score[1] = {3}, cost[1] = {log(1000) + 0.25};
    const tpgnn_grade g = grade_one(score, cost, t, 1);
    assert_int_equal(g.schedules, 1);
    near(g.of[TPGNN_MAE], 0.25);
    for (int k = 0; k < TPGNN_MAE; k++) assert_true(isnan(g.of[k]));
}

/* inf is worse than every other score, equal to itself, and counted. */
static void unscored(void **state)
{
    (void)state;
    const double none = (double)INFINITY;
    const int64_t t[4] = {10, 40, 20, 30};
    const double score[4] = {none, none, 1e308, -5}, cost[4] = {(double)NAN, 9, log(20), log(90)};
    tpgnn_grade g = grade_one(score, cost, t, 4); /* 30, 20, then 10 and 40 */
    assert_int_equal(g.unscored, 2);
    near(g.of[TPGNN_PAIRWISE], (0 + 0 + 1 + 0 + 1 + 0.5) / 6);
    near(g.of[TPGNN_TAU], (2 - 3) / sqrt(5 * 6));
    near(g.of[TPGNN_TOP1], 10 / 30.0);
    near(g.of[TPGNN_MAE], log(3) / 2); /* of those with a score */
    near(g.of[TPGNN_R2], 1 - log(3) * log(3) / (log(1.5) * log(1.5) / 2));
    const double nothing[4] = {none, none, none, none};
    g = grade_one(nothing, cost, t, 4);
    assert_int_equal(g.unscored, 4);
    near(g.of[TPGNN_PAIRWISE], 0.5);
    near(g.of[TPGNN_TOP1], 1); /* by order alone */
    assert_true(isnan(g.of[TPGNN_MAE]) && isnan(g.of[TPGNN_R2]) && isnan(g.of[TPGNN_TAU]));
}

static void costs(void **state)
{
    (void)state;
    const int64_t t[3] = {100, 200, 400}, same[2] = {5, 5};
    const double l = log(2), cost[3] = {log(100), log(200) + l, log(400)};
    const double *score = cost;
    tpgnn_grade g = grade_one(score, cost, t, 3);
    near(g.of[TPGNN_R2], 1 - l * l / (2 * l * l));
    near(g.of[TPGNN_MAE], l / 3);
    g = grade_one(score, cost, same, 2);
    assert_true(isnan(g.of[TPGNN_R2]));
    near(g.of[TPGNN_MAE], (2 * log(20) + l + log(2)) / 2);
}

static void refused(int status, const char *sentence, const tpgnn_scored *s, double share)
{
    tpgnn_grade g[2];
    ag_failure why = {0};
    assert_int_equal(tpgnn_grade_tasks(g, s, share, &why), status);
    assert_string_equal(why.sentence, sentence);
}

static void refusals(void **state)
{
    (void)state;
    const double fine[2] = {1, 2}, nan[2] = {1, (double)NAN}, inf[2] = {1, -(double)INFINITY};
    const int64_t t[2] = {5, 6}, zero[2] = {5, 0};
    const int32_t task[2] = {0, 1}, below[2] = {0, -1};
    refused(AG_EFINITE,
            "grades: the score of schedule 1 is nan; it must be finite, or inf where there is "
            "none",
            &(tpgnn_scored){nan, NULL, t, task, 2, 2}, 0);
    refused(AG_EFINITE,
            "grades: the score of schedule 1 is -inf; it must be finite, or inf where there is "
            "none",
            &(tpgnn_scored){inf, NULL, t, task, 2, 2}, 0);
    refused(AG_EFINITE, "grades: the predicted cost of schedule 1 is -inf; it must be finite",
            &(tpgnn_scored){fine, inf, t, task, 2, 2}, 0);
    refused(AG_EDATA, "grades: the run time of schedule 1 is 0 ns; it must be at least 1",
            &(tpgnn_scored){fine, NULL, zero, task, 2, 2}, 0);
    refused(AG_EINDEX, "grades: schedule 1 is of task 1, but there are tasks 0 to 0",
            &(tpgnn_scored){fine, NULL, t, task, 2, 1}, 0);
    refused(AG_EINDEX, "grades: schedule 1 is of task -1, but there are tasks 0 to 1",
            &(tpgnn_scored){fine, NULL, t, below, 2, 2}, 0);
    refused(AG_EUSE, "grades: pairs must differ by nan, but a share is from 0 to 1",
            &(tpgnn_scored){fine, NULL, t, task, 2, 2}, (double)NAN);
}

/* ---- several methods ---- */

enum { TASKS = 4, METHODS = 2 };
static const char *const method[] = {"model", "random"}, *const name[] = {"a_1", "a_2", "b_1", "c"},
                         *const family[] = {"a", "b", "c"};
static const int32_t family_of[TASKS] = {0, 0, 1, 2};

static tpgnn_comparison compare(tpgnn_grade grade[METHODS * TASKS])
{
    const double of_task[METHODS][TASKS] = {{0.5, 0.75, 1, (double)NAN}, {0.25, 0.5, 0.5, 0}};
    for (int m = 0; m < METHODS; m++)
        for (int t = 0; t < TASKS; t++) {
            tpgnn_grade *g = &grade[m * TASKS + t];
            g->schedules = t < 3 ? 10 + t : 0;
            g->unscored = t;
            for (int k = 0; k < TPGNN_MEASURES; k++) g->of[k] = of_task[m][t] + k;
        }
    return (tpgnn_comparison){METHODS, TASKS, 3, method, name, family, family_of, grade, 0};
}

static void means(void **state)
{
    (void)state;
    tpgnn_grade grade[METHODS * TASKS];
    const tpgnn_comparison c = compare(grade);
    near(tpgnn_mean(&c, 0, TPGNN_PAIRWISE), 0.75);
    near(tpgnn_mean_of_family(&c, 0, TPGNN_TAU, 0), 1.625);
    near(tpgnn_mean_over_families(&c, 0, TPGNN_PAIRWISE), (0.625 + 1) / 2);
    near(tpgnn_mean_over_families(&c, 1, TPGNN_PAIRWISE), (0.375 + 0.5 + 0) / 3);
    assert_true(isnan(tpgnn_mean_of_family(&c, 0, TPGNN_PAIRWISE, 2)));
}

static char *text_of(harness_table *t)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    harness_table_csv(to, t);
    fclose(to);
    harness_table_free(t);
    return text;
}

static void tables(void **state)
{
    (void)state;
    tpgnn_grade grade[METHODS * TASKS];
    tpgnn_comparison c = compare(grade);
    char *text = text_of(tpgnn_families_table("x", &c));
    assert_non_null(strstr(text, "family,tasks,schedules,model pairwise,random pairwise,"
                                 "model top-1,random top-1,model top-5,random top-5"));
    assert_non_null(strstr(text, "b,1,12,1,0.5,3,2.5,4,3.5"));
    assert_non_null(strstr(text, "mean over families,3,33,0.8125,"));
    assert_non_null(strstr(text, "mean over tasks,3,33,0.75,"));
    assert_null(strstr(text, "\nc,")); /* no schedules */
    free(text);
    text = text_of(tpgnn_tasks_table("x", &c));
    assert_non_null(strstr(text, "a_2,11,0.75,0.5,"));
    free(text);
    text = text_of(tpgnn_methods_table("x", &c, TPGNN_OVER_TASKS));
    assert_non_null(strstr(text, "method,pairwise,tau,top-1,top-5,top-10,recall@5,recall@10,"
                                 "slowdown@1,R2,MAE,unscored"));
    assert_non_null(strstr(text, "random,0.3125,1.3125,"));
    assert_non_null(strstr(text, ",6\n"));
    free(text);
    c.methods = 1; /* a model alone */
    text = text_of(tpgnn_tasks_table("x", &c));
    assert_non_null(strstr(text, "task,schedules,model pairwise,model top-1,model top-5"));
    free(text);
}

static double number(const json_t *j, const char *a, const char *b)
{
    const json_t *v = json_object_get(json_object_get(j, a), b);
    return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

static void json(void **state)
{
    (void)state;
    tpgnn_grade grade[METHODS * TASKS];
    const tpgnn_comparison c = compare(grade);
    grade[0].of[TPGNN_MAE] = (double)NAN;
    json_t *j = tpgnn_comparison_json(&c), *tasks = json_object_get(j, "tasks");
    assert_int_equal(json_array_size(tasks), 3);
    assert_int_equal(json_array_size(json_object_get(j, "families")), 2);
    near(number(json_array_get(tasks, 1), "random", "recall-5"), 0.5 + TPGNN_RECALL5);
    near(number(json_array_get(tasks, 2), "model", "unscored"), 2);
    assert_true(
        json_is_null(json_object_get(json_object_get(json_array_get(tasks, 0), "model"), "mae")));
    assert_string_equal(json_string_value(json_object_get(json_array_get(tasks, 2), "family")),
                        "b");
    near(number(json_object_get(j, "mean over tasks"), "model", "pairwise"), 0.75);
    near(number(json_object_get(j, "mean over families"), "model", "pairwise"), 0.8125);
    json_decref(j);
    for (int a = 0; a < TPGNN_MEASURES; a++)
        for (int b = 0; b < a; b++) {
            assert_string_not_equal(tpgnn_measure_json(a), tpgnn_measure_json(b));
            assert_string_not_equal(tpgnn_measure_name(a), tpgnn_measure_name(b));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),      cmocka_unit_test(depths),   cmocka_unit_test(ties),
        cmocka_unit_test(one_schedule), cmocka_unit_test(unscored), cmocka_unit_test(costs),
        cmocka_unit_test(refusals),     cmocka_unit_test(means),    cmocka_unit_test(tables),
        cmocka_unit_test(json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
