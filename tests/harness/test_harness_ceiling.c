/* SPDX-License-Identifier: MIT */
/* How far noise lets any order agree with run times: harness_rank_noise, harness_rank_repeats; and
   that the means of all methods are over the same groups. */
#include "support/test.h"
#include "examples/harness/rank/rank.h"
#include "examples/harness/base/draws.h"
#include "support/table_text.h"

#include <jansson.h>

enum { N = 1500, GROUPS = 3, MODEL = 0, AGAIN, PERFECT };

/* Groups of N run times; ln of them is normally distributed with deviation 1. */
static void fill(harness_rank *r, int64_t *ns)
{
    ag_random random = {7, 7, 0};
    for (int i = 0; i < GROUPS * N; i++) ns[i] = (int64_t)(1e6 * exp(ag_random_normal(&random)));
    for (int i = 0; i < GROUPS; i++)
        harness_rank_group(r, (harness_ranked){.name = "g", .items = N, .actual = ns + i * N});
    harness_rank_method(r, "model", NULL);
}

static void compute(harness_rank *r) { expect_ok(harness_rank_compute(r, new_failure())); }

static double tau(const harness_rank *r, int method, int group)
{
    return harness_rank_at(r, method, group)->of[HARNESS_TAU_B];
}

/* docs/reading-results.md: with a tenth of the spread as noise, two measurements agree to 0.91 and
   a perfect ranker to 0.94. What is drawn depends only on the group. */
static void noise_of_groups(void **state)
{
    static int64_t ns[GROUPS * N];
    harness_rank r = {0}, same = {0};
    const double noise[] = {0.1, 0.01, 0.3};
    fill(&r, ns);
    harness_rank_noise(&r, noise);
    assert_int_equal(r.methods, 3);
    assert_string_equal(r.method[AGAIN], "second measurement, within the call");
    assert_string_equal(r.method[PERFECT], "perfect ranker");
    compute(&r);
    expect_number(tau(&r, AGAIN, 0), 0.91, 0.01);
    expect_number(tau(&r, PERFECT, 0), 0.94, 0.01);
    expect_number(tau(&r, AGAIN, 1), 0.991, 0.003);
    assert_true(tau(&r, PERFECT, 1) > tau(&r, AGAIN, 1));
    assert_true(tau(&r, AGAIN, 2) < 0.8);
    double sum = 0; /* of squares: the drawn noise is that of both measurements */
    for (int i = 0; i < N; i++) sum += pow(log(r.score[AGAIN][i] / (double)ns[i]), 2);
    expect_number(sqrt(sum / N), 0.1 * sqrt(2), 0.01);
    expect_number(r.cost[PERFECT][5], log(r.score[PERFECT][5]), 1e-12);

    fill(&same, ns);
    harness_rank_noise(&same, (const double[]){0.1, 0.2, 0.3});
    assert_memory_equal(same.score[AGAIN], r.score[AGAIN], N * sizeof(double));
    harness_rank_close(&same);
    harness_rank_close(&r);
}

/* Means over a part of the groups would not be comparable with the model's. */
static void noise_that_is_not_known(void **state)
{
    static int64_t ns[GROUPS * N];
    harness_rank r = {0};
    fill(&r, ns);
    harness_rank_noise(&r, (const double[]){0.1, 0, 0.1});
    assert_int_equal(r.methods, 1);
    harness_rank_noise(&r, (const double[]){0.1, NAN, 0.1});
    assert_int_equal(r.methods, 1);
    r.group[1].actual = NULL; /* so it has no measures, and needs no noise */
    ns[0] = 0;                /* not known either */
    harness_rank_noise(&r, (const double[]){0.1, 0, 0.1});
    assert_int_equal(r.methods, 3);
    compute(&r);
    assert_true(harness_rank_mean(&r, PERFECT, HARNESS_TAU_B) > 0.9);
    assert_true(isnan(tau(&r, PERFECT, 1)));
    harness_rank_close(&r);
}

/* The second measurement is compared with the first, whatever the run times are; a perfect ranker
   has the root of a half of the difference. */
static void repeats(void **state)
{
    static const int64_t ns[] = {100, 200, 300, 50, 60}, first[] = {110, 200, 300, 60, 70},
                         second[] = {110, 320, 300, 70, 60};
    harness_rank r = {0}, once = {0};
    for (int i = 0; i < 2; i++) {
        harness_rank *to = i ? &once : &r;
        harness_rank_group(to, (harness_ranked){.name = "g", .items = 3, .actual = ns});
        harness_rank_group(to, (harness_ranked){.name = "h", .items = 2, .actual = ns + 3});
        memcpy(harness_rank_method(to, "model", NULL), (double[]){1, 2, 3, 1, 2},
               5 * sizeof(double));
    }
    harness_rank_repeats(&r, first, second);
    compute(&r);
    expect_number(tau(&r, MODEL, 0), 1, 0);
    expect_number(tau(&r, AGAIN, 0), 1 / 3.0, 1e-12);
    expect_number(tau(&r, AGAIN, 1), -1, 0);
    expect_number(harness_rank_at(&r, AGAIN, 1)->of[HARNESS_SLOWDOWN_1], 70 / 60.0 - 1, 1e-12);
    expect_number(r.score[PERFECT][1], 200 * pow(1.6, sqrt(0.5)), 1e-9);
    expect_number(tau(&r, PERFECT, 0), 1, 0); /* 279 of 300 */
    harness_rank_repeats(&once, ns, ns);
    assert_int_equal(once.methods, 1); /* it was measured once */
    harness_rank_close(&once);
    harness_rank_close(&r);
}

/* Tables put another method next to the model, but not these. */
static void not_next_to_the_model(void **state)
{
    static const int64_t ns[] = {100, 200, 300};
    harness_table *table[HARNESS_TABLES];
    harness_rank r = {0};
    harness_rank_group(&r, (harness_ranked){.name = "g", .items = 3, .actual = ns});
    memcpy(harness_rank_method(&r, "model", NULL), (double[]){1, 2, 3}, 3 * sizeof(double));
    harness_rank_noise(&r, (const double[]){1e-9});
    compute(&r);
    assert_int_equal(harness_rank_tables(table, &r, "A title"), 2);
    char *text = table_text(harness_table_csv, table, 2);
    assert_string_equal(text, "group,items,tau-b,opa,slowdown@1\ng,3,1,1,0\n"
                              "method,tau-b,opa,slowdown@1,slowdown@5,slowdown@10\n"
                              "model,1,1,0,0,0\n\"second measurement, within the call\",1,1,0,0,0\n"
                              "perfect ranker,1,1,0,0,0\n");
    free(text);
    for (int i = 0; i < 2; i++) harness_table_free(table[i]);
    harness_rank_close(&r);
}

/* Means of all methods are over the same groups, whatever their scores are, and the table says what
   they leave out. Of five files, a is ranked except one pair; b has one item, c hidden run times,
   d equal ones, and those of e differ by less than noise does. */
static void means_of_the_same_files(void **state)
{
    static const harness_measure all[] = {HARNESS_TAU_B, HARNESS_OPA, HARNESS_PAIRWISE,
                                          HARNESS_SLOWDOWN_1, HARNESS_MEASURES};
    static const double by_model[] = {2, 1, 3, 4, 5};
    static const int items[] = {5, 1, 3, 2, 2};
    static const int64_t a[] = {100, 150, 200, 300, 400}, b[] = {70}, d[] = {50, 50},
                         e[] = {100, 101}, *const actual[] = {a, b, NULL, d, e},
                         again[] = {7, 7, 7, 7, 7, 70, 1, 1, 1, 60, 50, 100, 101};
    harness_rank r = {.form = {.row = "file", .rows = "files", .items = "items", .measure = all}};
    harness_table *table[HARNESS_TABLES];
    int64_t first[13];
    for (int i = 0; i < 5; i++)
        harness_rank_group(&r,
                           (harness_ranked){.name = "f", .items = items[i], .actual = actual[i]});
    double *model = harness_rank_method(&r, "model", NULL);
    memcpy(model, by_model, sizeof by_model);
    model[11] = 1; /* wrong in e */
    memcpy(harness_rank_method(&r, "ties in e", harness_copy("-")), by_model, sizeof by_model);
    harness_rank_method(&r, "not d", harness_copy("-"));
    harness_rank_absent(&r, 2, 3);
    for (int i = 0; i < 13; i++) first[i] = i < 5 ? a[i] : again[i];
    harness_rank_repeats(&r, again, first); /* compared with equal run times in a */
    expect_ok(harness_rank_compute(&r, new_failure()));
    expect_number(harness_rank_mean(&r, 0, HARNESS_TAU_B), (0.8 - 1) / 2, 1e-12);
    expect_number(harness_rank_mean(&r, 1, HARNESS_TAU_B), (0.8 + 0) / 2, 1e-12);
    expect_number(harness_rank_mean(&r, 1, HARNESS_OPA), (0.9 + 0) / 2, 1e-12);
    expect_number(harness_rank_mean(&r, 1, HARNESS_PAIRWISE), 0.9, 1e-12);
    assert_true(isnan(harness_rank_mean(&r, 2, HARNESS_TAU_B)));
    assert_true(isnan(harness_rank_mean(&r, 3, HARNESS_TAU_B)));
    expect_number(harness_rank_mean(&r, 3, HARNESS_SLOWDOWN_1), 0, 1e-12);
    assert_true(harness_rank_mean(&r, 3, HARNESS_MAE) > 0); /* which no other method has */

    assert_int_equal(harness_rank_tables(table, &r, "A title"), 2);
    char *text = table_text(harness_table_print, &table[1], 1);
    assert_non_null(strstr(
        text,
        "\n1 of 5 files left out of the means of tau-b, opa, pairwise, slowdown@1: no run time "
        "that counts\n1 of 5 files left out of the means of tau-b, opa, pairwise, "
        "slowdown@1: only one run time that counts\n1 of 5 files left out of the means of "
        "tau-b, opa, pairwise: equal run times only\n1 of 5 files left out of the means of "
        "pairwise: only run times that differ by 2 % or less\nnot d has no means: "
        "it has no scores for 1 of 5 files\n"));
    for (int i = 0; i < 2; i++) harness_table_free(table[i]);
    free(text);
    json_t *j = harness_rank_json(&r);
    text = json_dumps(json_array_get(json_object_get(j, "left_out"), 2), JSON_COMPACT);
    assert_string_equal(text, "{\"groups\":1,\"because\":\"equal run times only\",\"measures\":["
                              "\"tau-b\",\"opa\",\"pairwise\"]}");
    free(text);
    json_decref(j);
    harness_rank_close(&r);
}

int main(void)
{
    return RUN_TESTS(means_of_the_same_files, noise_of_groups, noise_that_is_not_known, repeats,
                     not_next_to_the_model);
}
