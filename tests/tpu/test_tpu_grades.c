/* SPDX-License-Identifier: MIT */
/* Scores per program, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "examples/harness/harness.h"
#include "examples/tpu/grades.h"

static void near(double got, double must)
{
    if (!(fabs(got - must) < 1e-12 * (1 + fabs(must)))) fail_msg("%.17g, not %.17g", got, must);
}

static tpu_kernel kernel(int program, int configs, const int64_t *runtime)
{
    return (tpu_kernel){.program = program, .name = "k", .configs = configs, .runtime = runtime};
}

static void tile_by_hand(void **state)
{
    (void)state;
    const int64_t a[3] = {100, 80, 120}, b[4] = {50, 40, 40, 60}, one[1] = {10}, two[2] = {7, 9};
    const tpu_kernel k[] = {kernel(0, 3, a), kernel(0, 4, b), kernel(0, 1, one), kernel(2, 2, two),
                            kernel(1, 2, NULL)};
    /* Picks 120 (best 80); all equal: the first, 50 (best 40), no tau; one configuration: 10. */
    const double sa[3] = {2, 3, 1}, sb[4] = {1, 1, 1, 1}, sone[1] = {5}, stwo[2] = {-2, -1};
    const double *score[] = {sa, sb, sone, stwo, stwo};
    const tpu_kernel *all[] = {&k[0], &k[1], &k[2], &k[3], &k[4]};
    tpu_grade g[4];
    ag_failure why = {0};
    assert_int_equal(tpu_grade_programs(g, 4, TPU_TILE, all, score, 5, 0, &why), AG_OK);
    near(g[0].of[TPU_ERROR], 100 * (40 + 10 + 0) / (80.0 + 40 + 10));
    near(g[0].of[TPU_TAU], -1); /* 2 3 1 against 100 80 120: no pair agrees */
    assert_int_equal(g[0].kernels, 3);
    near(g[2].of[TPU_ERROR], 0);
    near(g[2].of[TPU_TAU], 1);
    assert_int_equal(g[1].kernels, 0); /* hidden run times */
    assert_true(isnan(g[1].of[TPU_ERROR]) && isnan(g[1].of[TPU_TAU]) && isnan(g[3].of[TPU_ERROR]));
    assert_true(isnan(g[0].of[TPU_ERROR_ALL]));
    tpu_summary s = tpu_summarise(g, 4, TPU_ERROR);
    assert_int_equal(s.count, 2);
    near(s.mean, 100 * 50 / 130.0 / 2);
    near(s.median, s.mean);
    near(s.geometric, 0);
    assert_true(isnan(tpu_summarise(g, 4, TPU_TAU).geometric)); /* a tau below 0 */
    near(tpu_summarise(g, 4, TPU_TAU).mean, 0);
    assert_true(isnan(tpu_summarise(g + 3, 1, TPU_TAU).median));
}

/* Equal scores: the first in the file is taken, which need not be the fastest. */
static void ties(void **state)
{
    (void)state;
    const int64_t runtime[3] = {30, 20, 10};
    const double first[3] = {2, 1, 1};
    const tpu_kernel k = kernel(0, 3, runtime), *all[] = {&k};
    const double *score[] = {first};
    tpu_grade g;
    ag_failure why = {0};
    assert_int_equal(tpu_grade_programs(&g, 1, TPU_TILE, all, score, 1, 0, &why), AG_OK);
    near(g.of[TPU_ERROR], 100);
    near(g.of[TPU_TAU], 2 / sqrt(6)); /* two pairs agree, one is tied by score */
}

static void fusion_by_hand(void **state)
{
    (void)state;
    const int64_t t[5] = {10000, 5000, 4999, 20000, 100};
    const double p[5] = {11000, 4000, 4999, 30000, 200};
    const tpu_kernel k[] = {kernel(0, 1, t), kernel(0, 1, t + 1), kernel(0, 1, t + 2),
                            kernel(0, 1, t + 3), kernel(1, 1, t + 4)};
    const tpu_kernel *all[] = {&k[0], &k[1], &k[2], &k[3], &k[4]};
    const double *score[] = {p, p + 1, p + 2, p + 3, p + 4};
    tpu_grade g[2];
    ag_failure why = {0};
    assert_int_equal(tpu_grade_programs(g, 2, TPU_FUSION, all, score, 5, TPU_LEAST, &why), AG_OK);
    assert_int_equal(g[0].kernels, 4);
    assert_int_equal(g[0].long_kernels, 3); /* 5000 is long, 4999 is not */
    near(g[0].of[TPU_ERROR], 100 * (0.1 + 0.2 + 0.5) / 3);
    near(g[0].of[TPU_ERROR_ALL], 100 * (0.1 + 0.2 + 0 + 0.5) / 4);
    near(g[0].of[TPU_TAU], 1);
    near(g[0].of[TPU_TAU_ALL], (5 - 1) / 6.0); /* 5000 and 4999 are the wrong way round */
    assert_true(isnan(g[1].of[TPU_ERROR]) && isnan(g[1].of[TPU_TAU]));
    near(g[1].of[TPU_ERROR_ALL], 100);
    assert_int_equal(tpu_summarise(g, 2, TPU_ERROR).count, 1);
    assert_int_equal(tpu_summarise(g, 2, TPU_ERROR_ALL).count, 2);
}

/* The learned model's column of Table 2: its mean is the geometric one. */
static void means_of_the_paper(void **state)
{
    (void)state;
    static const double ape[8] = {9.7, 1.5, 3.1, 3.9, 8.0, 2.8, 2.7, 3.4};
    tpu_grade g[8] = {0};
    for (int i = 0; i < 8; i++) g[i].of[TPU_ERROR] = ape[i];
    const tpu_summary s = tpu_summarise(g, 8, TPU_ERROR);
    assert_true(fabs(s.geometric - 3.7) < 0.05);
    near(s.median, 3.25); /* printed as 3.3 */
}

static void refusals(void **state)
{
    (void)state;
    const int64_t t[2] = {5, 6};
    const double bad[2] = {1, (double)NAN}, good[2] = {1, 2};
    const double *score[] = {bad}, *fine[] = {good};
    const tpu_kernel k = kernel(0, 2, t), far = kernel(3, 2, t), *all[] = {&k}, *beyond[] = {&far};
    tpu_grade g[3];
    ag_failure why = {0};
    assert_int_equal(tpu_grade_programs(g, 3, TPU_TILE, all, score, 1, 0, &why), AG_EFINITE);
    assert_string_equal(why.sentence, "k: score 1 is nan; only finite scores can be graded");
    why = (ag_failure){0};
    assert_int_equal(tpu_grade_programs(g, 3, TPU_TILE, beyond, fine, 1, 0, &why), AG_EINDEX);
    assert_string_equal(why.sentence, "k: program 3, but there are programs 0 to 2");
    why = (ag_failure){0};
    assert_int_equal(tpu_grade_programs(g, 3, TPU_FUSION, all, fine, 0, 0, &why), AG_OK);
    assert_int_equal(g[0].kernels, 0);
}

static void expect_csv(harness_table *t, const char *want)
{
    char csv[1000] = "";
    FILE *to = tmpfile();
    assert_non_null(to);
    harness_table_csv(to, t);
    rewind(to);
    assert_true(fread(csv, 1, sizeof csv - 1, to) > 0);
    fclose(to);
    assert_string_equal(csv, want);
    harness_table_free(t);
}

static const double none = (double)NAN;

static void tables(void **state)
{
    (void)state;
    const tpu_grade g[4] = {{2, 2, {10, 0.5, none, none}},
                            {0, 0, {none, none, none, none}},
                            {2, 2, {40, none, none, none}},
                            {0, 0, {none, none, none, none}}};
    const char *const method[] = {"model", "constant"}, *const program[] = {"a_1", "b_1"};
    const tpu_comparison c = {TPU_TILE, 2, 2, method, program, g, 0};
    expect_csv(tpu_comparison_table("scores", &c),
               "program,kernels,model APE %,constant APE %,model tau,constant tau\n"
               "a_1,2,10,40,0.5,\n"
               "median,2,10,40,0.5,\n"
               "geometric mean,2,10.000000000000002,40,0.5,\n"
               "mean,2,10,40,0.5,\n");
    expect_csv(tpu_methods_table("methods", &c, 0),
               "method,median APE %,geometric mean,mean,median tau,mean tau\n"
               "model,10,10.000000000000002,10,0.5,0.5\n"
               "constant,40,40,40,,\n");
    json_t *j = tpu_comparison_json(&c);
    char *text = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(3));
    assert_string_equal(text,
                        "{\"programs\":[{\"program\":\"a_1\",\"kernels\":2,\"model\":{\"ape\":10.0,"
                        "\"tau\":0.5},\"constant\":{\"ape\":40.0,\"tau\":null}}],\"median\":{"
                        "\"model\":{\"ape\":10.0,\"tau\":0.5},\"constant\":{\"ape\":40.0,"
                        "\"tau\":null}},\"geometric mean\":{\"model\":{\"ape\":10.0,\"tau\":0.5},"
                        "\"constant\":{\"ape\":40.0,\"tau\":null}},\"mean\":{\"model\":{\"ape\":"
                        "10.0,\"tau\":0.5},\"constant\":{\"ape\":40.0,\"tau\":null}}}");
    free(text);
    json_decref(j);
}

/* The table has the columns of two of three methods, and only kernels that count. */
static void tables_of_fusion(void **state)
{
    (void)state;
    const tpu_grade g[6] = {
        {4, 1, {40, none, 40, 0.5}}, {2, 2, {40, 1, 40, 0.25}},  /* model */
        {4, 1, {40, none, 40, 0.5}}, {2, 2, {40, 1, 40, 0.25}},  /* constant */
        {4, 1, {90, none, 90, -1}},  {2, 2, {90, -1, 90, -0.5}}, /* roofline */
    };
    const char *const method[] = {"model", "constant", "roofline"};
    const char *const program[] = {"a_1", "b_1"};
    const tpu_comparison c = {TPU_FUSION, 3, 2, method, program, g, 2};
    expect_csv(tpu_comparison_table("scores", &c),
               "program,kernels,long,model MAPE %,roofline MAPE %,model tau,roofline tau\n"
               "a_1,4,1,40,90,,\n"
               "b_1,2,2,40,90,1,-1\n"
               "median,6,3,40,90,1,-1\n"
               "geometric mean,6,3,40,90,1,\n"
               "mean,6,3,40,90,1,-1\n");
    expect_csv(tpu_methods_table("methods", &c, 1),
               "method,median MAPE %,geometric mean,mean,median tau,mean tau\n"
               "model,40,40,40,0.375,0.375\n"
               "constant,40,40,40,0.375,0.375\n"
               "roofline,90,90,90,-0.75,-0.75\n");
    const tpu_comparison alone = {TPU_FUSION, 1, 2, method, program, g, 0};
    expect_csv(tpu_comparison_table("scores", &alone),
               "program,kernels,long,model MAPE %,model tau\n"
               "a_1,4,1,40,\n"
               "b_1,2,2,40,1\n"
               "median,6,3,40,1\n"
               "geometric mean,6,3,40,1\n"
               "mean,6,3,40,1\n");
}

/* The time grows with the kernels, not with their square: that would be minutes. */
static void many_programs(void **state)
{
    (void)state;
    enum { N = 200000 };
    tpu_kernel *k = calloc(N, sizeof *k);
    const tpu_kernel **all = calloc(N, sizeof *all);
    int64_t *ns = calloc(N, sizeof *ns);
    double *value = calloc(N, sizeof *value);
    const double **score = calloc(N, sizeof *score);
    tpu_grade *g = calloc(N / 2, sizeof *g);
    ag_failure why = {0};
    for (int i = 0; i < N; i++) { /* a program's two kernels lie far apart */
        ns[i] = 1000 + i;
        value[i] = i % 3 && i >= N / 2 ? 1 : 3000 + i;
        k[i] = kernel(i % (N / 2), 1, &ns[i]);
        all[i] = &k[i];
        score[i] = &value[i];
    }
    const clock_t from = clock();
    assert_int_equal(tpu_grade_programs(g, N / 2, TPU_FUSION, all, score, N, 0, &why), AG_OK);
    assert_true((double)(clock() - from) / CLOCKS_PER_SEC < 10);
    for (int p = 0; p < N / 2; p++)
        if (g[p].of[TPU_TAU] != ((p + N / 2) % 3 ? -1 : 1)) fail_msg("program %d", p);
    free(k);
    free(all);
    free(ns);
    free(value);
    free(score);
    free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tile_by_hand),     cmocka_unit_test(ties),
        cmocka_unit_test(fusion_by_hand),   cmocka_unit_test(means_of_the_paper),
        cmocka_unit_test(refusals),         cmocka_unit_test(tables),
        cmocka_unit_test(tables_of_fusion), cmocka_unit_test(many_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
