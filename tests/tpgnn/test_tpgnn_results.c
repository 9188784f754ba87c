/* SPDX-License-Identifier: MIT */
/* Scores of a call: measures by hand, and baselines that see only the training files. */
#include "support/test.h"
#include "examples/tpgnn/hooks.h"
#include "support/tpgnn_npz.h"

enum { TRAINING = 5, SCORED = 2 };

/* Tasks of two schedules: the first stores row 2, the second rows 0 and 2. The second one takes
   `second` ns, the first 1000. */
static void add_task(tpgnn_data *data, const char *name, int number, int64_t second)
{
    test_schedules s;
    test_schedules_make(&s);
    s.runtime[0] = 1000;
    s.runtime[1] = second;
    for (int i = 0; i < TPGNN_TEST_SCHEDULES; i++)
        s.median[i] = s.passes[i][0] = s.passes[i][1] = s.runtime[i];
    for (int r = 0; r < TPGNN_TEST_ROWS; r++) s.feature[r][7] += (float)number;
    test_schedules_read(data, &s, name);
}

static void make(tpgnn_data *data, int tasks, int64_t second)
{
    static const char *const name[] = {"a_1.npz", "a_2.npz", "b_1.npz", "b_2.npz", "c_1.npz"};
    *data = (tpgnn_data){0};
    for (int t = 0; t < tasks; t++) add_task(data, name[t], t, second);
}

static double mean(const tpgnn_results *r, int method, harness_measure measure)
{
    return harness_rank_mean(&r->rank, method, measure);
}

static void drop(tpgnn_results *r, tpgnn_files *files)
{
    harness_rank_close(r);
    tpgnn_data_free(&files->train);
    tpgnn_data_free(&files->scored);
}

/* Scores of all methods, of tasks that take `scored` ns in their second schedule. */
static void fit(tpgnn_results *r, tpgnn_files *files, int64_t learned, int64_t scored)
{
    *r = (tpgnn_results){.rank.name = "TPGNN"};
    make(&files->train, TRAINING, learned);
    make(&files->scored, SCORED, scored);
    tpgnn_results_open(r, files, NULL);
    expect_ok(tpgnn_results_baselines(r, new_failure()));
    expect_ok(harness_rank_compute(r, new_failure()));
}

static int method(const harness_rank *r, const char *name)
{
    for (int m = 0; m < r->methods; m++)
        if (strcmp(r->method[m], name) == 0) return m;
    return -1;
}

static void baselines_see_the_training_files_alone(void **state)
{
    tpgnn_results results, other, turned;
    tpgnn_files data, other_data, turned_data;
    const harness_rank *r = &results.rank;
    fit(&results, &data, 250, 250);
    fit(&other, &other_data, 250, 4000); /* other run times where it matters */
    fit(&turned, &turned_data, 4000, 250);
    assert_true(r->methods >= 4 && r->methods == other.rank.methods);
    for (int m = 1; m < r->methods; m++) {
        assert_string_equal(r->method[m], other.rank.method[m]);
        assert_non_null(r->note[m]);
        assert_memory_equal(r->score[m], other.rank.score[m], (size_t)r->items * sizeof(double));
    }
    const int trees = method(r, TPGNN_AGAINST); /* -1: a build without libxgboost */
    if (trees >= 0) {
        assert_true(mean(&results, trees, HARNESS_PAIRWISE) > 0.99);
        /* A start of 0.5 for each store keeps the order of this pair, but not the scores. */
        assert_memory_not_equal(r->score[trees], turned.rank.score[trees], sizeof(double));
    }
    const double *stores = r->score[method(r, "number of stores")];
    assert_true(stores[0] == -1 && stores[1] == -2);
    drop(&results, &data);
    drop(&other, &other_data);
    drop(&turned, &turned_data);
}

static void extents_of_vectorised_loops(void **state)
{
    test_schedules s;
    tpgnn_files files = {0};
    tpgnn_results r = {.rank.name = "TPGNN"};
    make(&files.train, 1, 250);
    test_schedules_make(&s);
    test_schedules_replace(&s, "parallel", "vectorized");
    test_schedules_read(&files.scored, &s, "p_1.npz");
    tpgnn_results_open(&r, &files, NULL);
    expect_ok(tpgnn_results_baselines(&r, new_failure()));
    const double *score = r.rank.score[method(&r.rank, "vectorised extents")];
    assert_true(score[0] == 0 && score[1] == -2); /* an extent of 4 */
    drop(&r, &files);
}

static void nothing_to_learn_from(void **state)
{
    tpgnn_files files = {0};
    tpgnn_results r = {.rank.name = "TPGNN"};
    make(&files.scored, 1, 250);
    tpgnn_results_open(&r, &files, NULL);
    expect_ok(tpgnn_results_baselines(&r, new_failure()));
    assert_int_equal(r.rank.methods, 1);
    drop(&r, &files);

    /* nothing to score is not a failure */
    r = (tpgnn_results){.rank.name = "TPGNN"};
    tpgnn_results_open(&r, &files, NULL);
    expect_ok(harness_rank_compute(&r, new_failure()));
    assert_true(isnan(mean(&r, 0, HARNESS_PAIRWISE)));
    drop(&r, &files);
}

static void why_scores_are_equal(void **state)
{
    tpgnn_files files = {0};
    make(&files.scored, 1, 500);
    const tpgnn_results r = {.files = &files};
    assert_null(tpgnn_results_alike(&r, 0));
    tpgnn_schedule other = files.scored.schedule[1], *s = files.scored.schedule;
    s[1] = s[0];
    assert_string_equal(tpgnn_results_alike(&r, 0), "its schedules are the same tree");
    s[1] = other;
    tpgnn_data_free(&files.scored);
}

int main(void)
{
    return RUN_TESTS_WITH(test_folder_make, test_folder_remove, why_scores_are_equal,
                          baselines_see_the_training_files_alone, extents_of_vectorised_loops,
                          nothing_to_learn_from);
}
