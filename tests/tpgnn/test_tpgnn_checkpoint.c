/* SPDX-License-Identifier: MIT */
/* Checkpoints of TPGNN: the restored state, words that training did not see, states that make no
   sense. */
#define _GNU_SOURCE
#include "examples/harness/run/trained.h"
#include "examples/tpgnn/shell.h"
#include "support/tpgnn_npz.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { DATA = 1 }; /* of the texts */

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
    ag_failure why = {0};
    if (harness_options_set(r->options, "test", name, value, &why)) fail_msg("%s", why.sentence);
}

static void start(run *r, const char *network)
{
    test_schedules s;
    ag_failure why = {0};
    *r = (run){0};
    test_schedules_make(&s);
    test_schedules_read(&r->files.train, &s, "mm_1.npz");
    r->options = harness_options_new(&tpgnn_program_table, HARNESS_TRAIN, &r->settings);
    set(r, "data", "mm_1.npz");
    set(r, "network", network);
    set(r, "types", "words");
    set(r, "hidden", "4");
    set(r, "layers", "1");
    set(r, "loss", "squared");
    set(r, "label", "log");
    r->session = (harness_session){.model = &tpgnn_shell,
                                   .settings = &r->settings.shell,
                                   .options = r->options,
                                   .data = &r->files};
    if (harness_trained_create(&r->session, &why)) fail_msg("%s", why.sentence);
    r->trained = &r->session.trained;
    r->net = r->trained->net;
    for (int i = 0; i < r->net->model.options.words[TPGNN_CLASS] * TPGNN_VECTOR; i++)
        r->net->model.vector[i] = (ag_real)sin(i);
    for (int k = 0; k < TPGNN_ROW; k++) {
        r->net->model.scale.mean[k] = 0.01 * k;
        r->net->model.scale.deviation[k] = 0.1 + 0.001 * k;
    }
    r->net->checkpoint.mean = -13.5;
    r->net->checkpoint.deviation = 0.75;
    *r->trained->state = (harness_state){.step = 12, .best = 0.5, .best_step = 8};
}

static void stop(run *r)
{
    harness_trained_drop(r->trained);
    harness_options_free(r->options);
    tpgnn_data_free(&r->files.train);
}

static void save(const run *r, int resume)
{
    ag_failure why = {0};
    if (harness_trained_save(test_path, r->trained, resume, &why)) fail_msg("%s", why.sentence);
}

static void scores(double score[2], const tpgnn_model *m, const tpgnn_data *data)
{
    ag_failure why = {0};
    ag_tape *tape = ag_tape_new(AG_CPU);
    const tpgnn_scorer s = {.model = m, .tape = tape, .graphs = 2, .nodes = 1000};
    score[0] = score[1] = 0;
    if (tpgnn_score(&s, score, data, 1, &why)) fail_msg("%s", why.sentence);
    ag_tape_free(tape);
}

/* Compares every member, since the padding between members is undefined. */
static void assert_same_model(const tpgnn_options *a, const tpgnn_options *b)
{
    const tpgnn_paper_options *p = &a->paper, *q = &b->paper;
    assert_true(a->network == b->network && a->types == b->types && a->readout == b->readout);
    assert_true(a->members == b->members && a->hidden == b->hidden && a->layers == b->layers);
    assert_true(a->edges == b->edges && a->compact == b->compact && a->nest == b->nest);
    assert_true(a->dropout == b->dropout);
    assert_memory_equal(a->words, b->words, sizeof a->words);
    assert_true(p->inputs == q->inputs && p->hidden == q->hidden && p->layers == q->layers);
    assert_true(p->conv == q->conv && p->pool == q->pool);
    assert_true(p->ratio == q->ratio && p->dropout == q->dropout);
}

/* ---- good ones ---- */

static void what_was_saved_comes_back(void **state)
{
    (void)state;
    static const char *const network[] = {"stores", "paper"};
    for (int i = 0; i < 2; i++) {
        run r;
        harness_trained t = {0};
        ag_failure why = {0};
        double before[2], after[2];
        start(&r, network[i]);
        save(&r, 0);
        if (harness_trained_load(&t, &tpgnn_shell, test_path, &why)) fail_msg("%s", why.sentence);
        const tpgnn_trained *net = t.net;
        const tpgnn_checkpoint *c = &net->checkpoint;
        assert_same_model(&net->model.options, &r.net->model.options);
        assert_true(c->mean == -13.5 && c->deviation == 0.75 && c->predicts == TPGNN_LABEL_LOG);
        assert_true(t.state->step == 12 && t.state->best == 0.5);
        assert_string_equal(t.configuration, r.trained->configuration);
        assert_string_equal(t.data, r.trained->data);
        scores(before, &r.net->model, &r.files.train);
        scores(after, &net->model, &r.files.train);
        assert_memory_equal(before, after, sizeof before);
        if (i == 0) { /* the scale counts */
            r.net->model.scale.mean[0] += 0.5;
            scores(before, &r.net->model, &r.files.train);
            assert_memory_not_equal(before, after, sizeof before);
        }
        harness_trained_drop(&t);
        stop(&r);
    }
}

/* Words that training did not have are word 0, whose vector is the first. */
static void unknown_words_are_word_0(void **state)
{
    (void)state;
    run r;
    test_schedules s;
    harness_trained t = {0};
    ag_failure why = {0};
    start(&r, "stores");
    save(&r, 0);
    assert_int_equal(harness_trained_load(&t, &tpgnn_shell, test_path, &why), AG_OK);
    const tpgnn_trained *net = t.net;
    tpgnn_data other = {.given = &net->checkpoint.vocabulary};
    test_schedules_make(&s);
    memcpy(strstr(s.kinds, "FloatImm - float32"), "FloatNew - float33", 18);
    memcpy(strstr(s.kinds, "parallel"), "parallax", 8);
    test_schedules_read(&other, &s, "mm_2.npz");
    const tpgnn_kind *k = &other.kind[other.schedule[0].kind[7]];
    assert_string_equal(k->word[TPGNN_TYPE], "FloatNew");
    assert_true(!k->index[TPGNN_TYPE] && !k->index[TPGNN_CLASS] && !k->index[TPGNN_DTYPE]);
    assert_true(k->index[TPGNN_LOOP] > 0 && tpgnn_data_unknown(&other, TPGNN_LOOP) == 1);
    double score[2];
    scores(score, &net->model, &other);
    assert_true(isfinite(score[0]) && isfinite(score[1]));
    tpgnn_data_free(&other);
    harness_trained_drop(&t);
    stop(&r);
}

/* ln(ns) = mean + score * deviation of ln(seconds), and ln(10^9). */
static void what_a_score_says_of_the_time(void **state)
{
    (void)state;
    double cost = 0;
    tpgnn_checkpoint c = {.predicts = TPGNN_LABEL_LOG, .mean = -10, .deviation = 2};
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

/* Gives the run another configuration, which it takes over. */
static void configure(run *r, char *text)
{
    harness_free(r->trained->text[0]);
    r->trained->text[0] = text;
}

static void only_the_same_run_goes_on(void **state)
{
    (void)state;
    run r;
    ag_failure why = {0};
    start(&r, "stores");
    r.trained->params->step = 12;
    save(&r, 1);
    r.net->checkpoint.mean = 0;
    r.trained->state->best_step = 0;
    if (harness_trained_resume(test_path, r.trained, &why)) fail_msg("%s", why.sentence);
    assert_true(r.net->checkpoint.mean == -13.5 && r.trained->state->best_step == 8);
    save(&r, 0);
    assert_int_not_equal(harness_trained_resume(test_path, r.trained, &why), AG_OK);
    save(&r, 1);
    why = (ag_failure){0};
    r.trained->text[DATA][2]++;
    assert_int_equal(harness_trained_resume(test_path, r.trained, &why), AG_EUSE);
    assert_non_null(strstr(why.sentence, "the data have changed since"));
    why = (ag_failure){0};
    set(&r, "hidden", "5");
    configure(&r, harness_json_text(harness_options_json(r.options)));
    assert_int_equal(harness_trained_resume(test_path, r.trained, &why), AG_EUSE);
    assert_non_null(strstr(why.sentence, "start a new run in another folder"));
    stop(&r);
}

/* ---- bad ones ---- */

static void expect_refusal(run *r, const char *sentence)
{
    harness_trained t = {0};
    ag_failure why = {0};
    save(r, 0);
    assert_int_not_equal(harness_trained_load(&t, &tpgnn_shell, test_path, &why), AG_OK);
    if (!strstr(why.sentence, sentence)) fail_msg("%s", why.sentence);
    harness_trained_drop(&t);
}

/* Of statements, before they were what they are now; the paper's network reads none. */
static void older_columns_are_refused(void **state)
{
    (void)state;
    static const char *const network[] = {"stores", "paper"};
    for (int i = 0; i < 2; i++) {
        run r;
        harness_trained t = {0};
        ag_failure why = {0};
        start(&r, network[i]);
        assert_non_null(strstr(r.trained->text[DATA], "\"columns\""));
        harness_free(r.trained->text[DATA]);
        r.trained->text[DATA] = harness_copy("{\"format\": \"schedules\"}");
        if (i == 0)
            expect_refusal(&r, "the model reads version 1 of the columns of statements, but this "
                               "program has version 2; train it again");
        save(&r, 0);
        assert_int_equal(harness_trained_load(&t, &tpgnn_shell, test_path, &why) == AG_OK, i);
        harness_trained_drop(&t);
        stop(&r);
    }
}

static void states_that_make_no_sense(void **state)
{
    (void)state;
    run r;
    start(&r, "stores");
    tpgnn_checkpoint *c = &r.net->checkpoint;
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
    r.net->model.scale.mean[3] = (double)NAN;
    expect_refusal(&r, "state.row.mean[3] is nan and state.row.deviation[3] 0.103; they must be");
    r.net->model.scale.mean[3] = 0;
    r.net->model.scale.deviation[203] = -1;
    expect_refusal(&r, "state.row.deviation[203] -1; they must be finite, and the second at least");
    r.net->model.scale.deviation[203] = 0;
    configure(&r, harness_copy("{\"hidden\": 8"));
    expect_refusal(&r, "is it a checkpoint of tpgnn?");
    configure(&r, harness_copy("{\"network\": \"none\"}"));
    expect_refusal(&r, "network");
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_saved_comes_back),
        cmocka_unit_test(unknown_words_are_word_0),
        cmocka_unit_test(what_a_score_says_of_the_time),
        cmocka_unit_test(only_the_same_run_goes_on),
        cmocka_unit_test(older_columns_are_refused),
        cmocka_unit_test(states_that_make_no_sense),
    };
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
