/* SPDX-License-Identifier: MIT */
/* Checkpoints of TPGNN: what they say of training, states that make no sense. That scores come back
   is in test_models_library.c and test_tpgnn_program.c. */
#include "support/test.h"
#include "examples/harness/model/trained.h"
#include "examples/tpgnn/rows/rows.h"
#include "examples/tpgnn/hooks.h"
#include "support/tpgnn_npz.h"

enum { CONFIGURATION, DATA, SEEN = 3 }; /* of the texts */

/* A trained state with everything in it: words, scale, progress. */
typedef struct run {
    tpgnn_files files;
    tpgnn_settings settings;
    harness_options *options;
    harness_session session;
    harness_trained *trained;
    tpgnn_trained *net;
} run;

static void set(run *r, const char *name, const char *value)
{
    expect_ok(harness_options_set(r->options, "test", name, value, new_failure()));
}

static void start(run *r, const char *network, const char *rows)
{
    *r = (run){0};
    test_schedules_read_good(&r->files.train, "mm_1.npz");
    r->options = harness_options_new(&tpgnn_program_table, HARNESS_TRAIN, &r->settings);
    set(r, "data", "mm_1.npz");
    set(r, "network", network);
    set(r, "rows", rows);
    set(r, "types", "words");
    set(r, "hidden", "4");
    set(r, "layers", "1");
    set(r, "loss", "squared");
    set(r, "label", "log");
    r->session = (harness_session){.model = &tpgnn_hooks,
                                   .settings = &r->settings.harness,
                                   .options = r->options,
                                   .data = &r->files};
    expect_ok(harness_trained_create(&r->session, new_failure()));
    r->trained = &r->session.trained;
    r->net = r->trained->net;
    for (int i = 0; i < r->net->model.options.words[TPGNN_CLASS] * TPGNN_VECTOR; i++)
        r->net->model.vector[i] = (ag_real)sin(i);
    r->net->mean = -13.5;
    r->net->deviation = 0.75;
    *r->trained->state = (harness_state){.step = 12, .best = 0.5, .best_step = 8};
}

static void stop(run *r)
{
    harness_trained_drop(r->trained);
    harness_options_free(r->options);
    tpgnn_data_free(&r->files.train);
}

static void save(const run *r)
{
    expect_ok(harness_trained_save(test_path, r->trained, 0, new_failure()));
}

static void expect_refusal(const run *r, const char *sentence)
{
    harness_trained t = {0};
    save(r);
    expect_status(harness_trained_load(&t, &tpgnn_hooks, test_path, new_failure()), AG_EDATA,
                  sentence);
    harness_trained_drop(&t);
}

/* ---- good ones ---- */

/* ln(ns) = mean + score * deviation of ln(seconds), and ln(10^9). */
static void what_a_score_says_of_the_time(void **state)
{
    double cost = 0;
    tpgnn_trained c = {.predicts = TPGNN_LABEL_LOG, .mean = -10, .deviation = 2};
    assert_true(tpgnn_log_cost(&cost, &c, -0.5));
    assert_true(fabs(cost - (-11 + log(1e9))) < 1e-12);
    assert_true(tpgnn_log_cost(&cost, &c, 1e9) && cost == 300);
    assert_true(tpgnn_log_cost(&cost, &c, -1e9) && cost == -300);
    c.predicts = TPGNN_LABEL_COST;
    c.mean = 3e-6;
    c.deviation = 1e-6;
    assert_true(tpgnn_log_cost(&cost, &c, -1) && fabs(cost - log(2000)) < 1e-12);
    assert_true(tpgnn_log_cost(&cost, &c, -7) && fabs(cost - log(0.1)) < 1e-12);
    c.predicts = TPGNN_LABEL_RELATIVE;
    assert_false(tpgnn_log_cost(&cost, &c, 1));
    c.predicts = TPGNN_LABEL_THROUGHPUT;
    assert_false(tpgnn_log_cost(&cost, &c, 1));
}

/* The means, and the offset that lets scores begin around 0, are those of the training schedules,
   each of which stores once. */
static void scale_of_rows(void **state)
{
    run r;
    nests_rows rows = {0};
    start(&r, "paper", "costs");
    const nests_scale *s = &r.net->model.joined.scale;
    const tpgnn_data *data = &r.files.train;
    for (int i = 0; i < 2; i++) nests_schedule_rows_add(&rows, data, &data->schedule[i]);
    assert_int_equal(rows.rows, 2);
    assert_true(fabs(s->offset + (log(rows.work[0]) + log(rows.work[1])) / 2) < 1e-5);
    for (int k = 0; k < NESTS_SCHEDULE_ROW; k++) {
        const double a = (double)rows.x[k], b = (double)rows.x[NESTS_SCHEDULE_ROW + k];
        assert_true(fabs(s->mean[k] - (a + b) / 2) < 1e-6);
        assert_true(fabs(s->deviation[k] - fabs(a - b) / 2) < 1e-6);
        assert_true((double)s->edge[k * (s->bins + 1)] == fmin(a, b));
        assert_true((double)s->edge[k * (s->bins + 1) + s->bins] == fmax(a, b));
    }
    nests_rows_free(&rows);
    stop(&r);
}

static void set_text(run *r, int which, const char *text)
{
    harness_free(r->trained->text[which]);
    r->trained->text[which] = harness_copy(text);
}

/* ---- bad ones ---- */

/* Of loop nests, before they were what they are now; the paper's network reads none without rows.
 */
static void older_columns_are_refused(void **state)
{
    static const char *const network[] = {"paper", "statements", "paper"};
    static const char *const rows[] = {"none", "none", "sums"};
    for (int i = 0; i < 3; i++) {
        run r;
        harness_trained t = {0};
        start(&r, network[i], rows[i]);
        assert_non_null(strstr(r.trained->text[DATA], "\"columns\""));
        set_text(&r, DATA, "{\"format\": \"schedules\"}");
        if (i) {
            expect_refusal(&r, "the model reads version 1 of the columns of loop nests, but this "
                               "program has version 2; train it again");
        } else {
            save(&r);
            expect_ok(harness_trained_load(&t, &tpgnn_hooks, test_path, new_failure()));
        }
        harness_trained_drop(&t);
        stop(&r);
    }
}

static void states_that_make_no_sense(void **state)
{
    run r;
    start(&r, "statements", "none");
    tpgnn_trained *c = r.net;
    c->deviation = 0;
    expect_refusal(&r, "state.mean is -13.5 and state.deviation 0; they must be finite");
    c->deviation = (double)INFINITY;
    expect_refusal(&r, "they must be finite");
    c->deviation = 1;
    c->mean = (double)NAN;
    expect_refusal(&r, "they must be finite");
    c->mean = 0;
    r.net->model.vector[19] = (ag_real)INFINITY;
    expect_refusal(&r, "state.vector[19] is inf, but it must be finite");
    r.net->model.vector[19] = 0;
    set_text(&r, SEEN, "{\"extents\": [1]}");
    expect_refusal(&r, "\"seen\" do not say");
    set_text(&r, CONFIGURATION, "{\"hidden\": 8");
    expect_refusal(&r, "is it a checkpoint of tpgnn?");
    set_text(&r, CONFIGURATION, "{\"network\": \"none\"}");
    expect_refusal(&r, "network");
    set_text(&r, CONFIGURATION, "{\"network\": \"statements\", \"bags\": 5}");
    expect_refusal(&r,
                   "has no option bags; the run was made by another version; a model of loop nests "
                   "or of trees is trained by \"nests train\" now");
    stop(&r);
}

int main(void)
{
    return RUN_TESTS_WITH(test_folder_make, test_folder_remove, what_a_score_says_of_the_time,
                          scale_of_rows, older_columns_are_refused, states_that_make_no_sense);
}
