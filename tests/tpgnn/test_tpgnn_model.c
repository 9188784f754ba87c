/* SPDX-License-Identifier: MIT */
/* The model of TPGNN: gradients against central differences in double, float against double, scores
   that are not numbers, refusals. */
#include "support/test.h"
#include "examples/tpgnn/hooks.h"
#include "support/tpgnn_npz.h"
#include "support/tpgnn_runner.h"

/* Two tasks of two schedules each. */
static void make_small(tpgnn_data *data)
{
    test_schedules s;
    *data = (tpgnn_data){0};
    test_schedules_make(&s);
    test_schedules_read(data, &s, "mm_1.npz");
    s.value[7] = -0.25F;
    s.value[12] = 5;
    s.value[15] = 5;
    test_schedules_read(data, &s, "mm_2.npz");
}

typedef struct variant {
    const char *name;
    tpgnn_network network;
    tpgnn_types types;
    tpgnn_readout readout;
    tpgnn_conv conv;
    tpgnn_pool pool;
    int compact, nest, loss, label, plain, bare; /* plain: constants as they are; bare: no layers */
    nests_use rows;
} variant;

static const variant variants[] = {
    {"statements", .compact = 1, .nest = 1},
    {"mean", .readout = TPGNN_READ_MEAN, .nest = 1, .loss = TPGNN_LOSS_HINGE},
    {"words", .types = TPGNN_WORDS, .compact = 1, .loss = TPGNN_LOSS_LAMBDA,
     .label = TPGNN_LABEL_THROUGHPUT},
    {"topk", TPGNN_PAPER, TPGNN_WORDS, .pool = TPGNN_POOL_TOPK, .loss = TPGNN_LOSS_HUBER,
     .plain = 1},
    {"sag", TPGNN_PAPER, TPGNN_TABLE, .pool = TPGNN_POOL_SAG, .loss = TPGNN_LOSS_SQUARED,
     .label = TPGNN_LABEL_LOG},
    {"gcn", TPGNN_PAPER, TPGNN_TABLE, .conv = TPGNN_GCN_CONV, .pool = TPGNN_POOL_NONE, .compact = 1,
     .loss = TPGNN_LOSS_PAIRS, .label = TPGNN_LABEL_RELATIVE},
    {"sums", .compact = 1, .rows = NESTS_SUMS},
    {"costs", .nest = 1, .rows = NESTS_COSTS},
    {"costs alone", .bare = 1, .rows = NESTS_COSTS},
    {"embedded", TPGNN_PAPER, TPGNN_WORDS, .rows = NESTS_EMBEDDED},
    {"paper's costs", TPGNN_PAPER, TPGNN_WORDS, .pool = TPGNN_POOL_TOPK, .rows = NESTS_COSTS},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static tpgnn_options options_of(const variant *v, const tpgnn_data *data, int hidden)
{
    tpgnn_options o = test_tpgnn_options(v->network);
    o.types = v->types;
    o.readout = v->readout;
    o.rows = v->rows;
    o.compact = v->compact;
    o.nest = v->nest;
    o.log_features = !v->plain;
    if (v->bare) o.layers = 0;
    o.hidden = hidden;
    o.paper.conv = v->conv;
    o.paper.pool = v->pool;
    for (int f = 0; f < TPGNN_FIELDS; f++) o.words[f] = tpgnn_data_vocabulary(data)->words[f];
    return o;
}

static tpgnn_trial trial_of(const variant *v, const tpgnn_data *data)
{
    return (tpgnn_trial){.data = data,
                         .options = options_of(v, data, 8),
                         .settings = {.loss = v->loss, .margin = 1, .top = 0.3},
                         .label = v->label,
                         .seed = 3};
}

static void in_both_precisions(void **state)
{
    tpgnn_data data;
    make_small(&data);
    for (int i = 0; i < VARIANTS; i++) {
        char why[TPGNN_WHY];
        double one[4], other[4], worst = (double)INFINITY;
        const tpgnn_trial t = trial_of(&variants[i], &data);
        const double b = ag64__tpgnn(other, &worst, &t, why);
        print_message("%-10s gradients %.1e\n", variants[i].name, worst);
        if (!(worst < 1e-6)) fail_msg("%s: %g, %s", variants[i].name, worst, why);
        const double a = ag__tpgnn(one, NULL, &t, why);
        assert_string_equal(why, "");
        assert_true(fabs(a - b) <= 1e-5 * fmax(1, fabs(b)));
        for (int k = 0; k < 4; k++)
            if (!(fabs(one[k] - other[k]) <= 1e-5 * fmax(1, fabs(other[k]))))
                fail_msg("%s: cost %d is %g and %g", variants[i].name, k, one[k], other[k]);
        assert_true(fabs(other[0] - other[1]) > 1e-6);
    }
    tpgnn_data_free(&data);
}

/* ---- scores ---- */

/* A cost that is not a number names its schedule. */
static void scores_or_new_failure(void **state)
{
    tpgnn_data data;
    tpgnn_model m;
    double score[4];
    make_small(&data);
    const tpgnn_options o = options_of(&variants[0], &data, 16);
    expect_ok(tpgnn_model_add(&m, ag_params_new(), &o, new_failure()));
    assert_int_equal(ag_params_build(m.params, 5), AG_OK);
    ag_tape *tape = ag_tape_new(AG_CPU);
    const tpgnn_settings settings = {.eval_graphs = 3, .eval_nodes = 1000};
    const harness_scoring how = {.tape = tape, .settings = &settings.harness, .models = 1};
    expect_ok(tpgnn_score(score, &m, &how, &data, new_failure()));
    for (int i = 0; i < 4; i++) assert_true(isfinite(score[i]));
    m.statements.output.bias->value[0] = (ag_real)NAN;
    expect_ok(tpgnn_score(score, &m, &how, &data, new_failure()));
    harness_rank rank = {0};
    harness_rank_group(&rank, (harness_ranked){.name = "mm_1", .items = 4});
    memcpy(harness_rank_method(&rank, "tpgnn", NULL), score, sizeof score);
    expect_status(harness_rank_finite(&rank, new_failure()), AG_EFINITE,
                  "mm_1: the score of item 0 is");
    harness_rank_close(&rank);
    ag_tape_free(tape);
    ag_params_free(m.params);
    tpgnn_model_free(&m);
    tpgnn_data_free(&data);
}

/* ---- options of a model ---- */

static void expect_refusal(tpgnn_options o, const char *sentence)
{
    tpgnn_model m;
    expect_status(tpgnn_model_add(&m, ag_params_new(), &o, new_failure()), AG_EUSE, sentence);
    ag_params_free(m.params);
    tpgnn_model_free(&m);
}

static void sizes_out_of_range_are_refused(void **state)
{
    const tpgnn_options statements = test_tpgnn_options(TPGNN_STATEMENTS);
    tpgnn_options o = statements;
    o.hidden = 3;
    expect_refusal(o, "--hidden is 3; it must be 4 to 4096");
    o = statements;
    o.layers = TPGNN_MOST_LAYERS + 1;
    expect_refusal(o, "--layers is 9; it must be 0 to 8");
    o = statements;
    o.dropout = 1;
    expect_refusal(o, "--dropout is 1; it must be at least 0 and below 1");
}

/* It does not pay for columns that it does not read. */
static void the_papers_batch(void **state)
{
    tpgnn_model m;
    tpgnn_options o = test_tpgnn_options(TPGNN_PAPER);
    o.nest = 1;
    expect_ok(tpgnn_model_add(&m, ag_params_new(), &o, new_failure()));
    const tpgnn_batch_options b = tpgnn_model_batch(&m);
    assert_true(b.both && !b.compact && !b.nest && b.logs && b.edges == TPGNN_TREE);
    ag_params_free(m.params);
    tpgnn_model_free(&m);
}

int main(void)
{
    return RUN_TESTS_WITH(test_folder_make, test_folder_remove, in_both_precisions,
                          scores_or_new_failure, sizes_out_of_range_are_refused, the_papers_batch);
}
