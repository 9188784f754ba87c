/* SPDX-License-Identifier: MIT */
/* Presets: the values of Tables 5, 6 and 7 of Kaufman et al., read through the option table. */
#include "support/test.h"
#include "examples/tpu/program.h"

enum { ROWS = 24, NA = 0 };

/* A row of Table 6 or 7 in its order of columns; NA is N/A. clip: "norm" is 1, "none" 0. */
typedef struct row {
    const char *preset;
    int hidden, module_l2, module_layers, encoder_layers, heads;
    double rate, decay, clip, dropout;
    int loss;
} row;

#define HINGE    TPU_LOSS_HINGE
#define LOGISTIC TPU_LOSS_LOGISTIC
#define SQUARED  TPU_LOSS_SQUARED

static const row table[ROWS] = {
    {"none-node-tile", 512, 0, 3, NA, NA, 0.000802, 1.0, 0, 0.1, HINGE},
    {"none-column-tile", 1024, 0, 3, NA, NA, 0.000642, 1.0, 0, 0.1, HINGE},
    {"none-lstm-tile", 512, 0, 0, NA, NA, 0.000434, 0.99, 1, 0.1, HINGE},
    {"none-transformer-tile", 1024, 0, 0, 3, NA, 0.000424, 0.99, 1, 0.1, HINGE},
    {"sage-node-tile", 512, 0, 0, NA, NA, 0.001526, 1.0, 0, 0.1, HINGE},
    {"sage-column-tile", 1024, 0, 0, NA, NA, 0.000642, 1.0, 0, 0.1, LOGISTIC},
    {"sage-lstm-tile", 1024, 0, 0, NA, NA, 0.000386, 0.98, 1, 0.1, HINGE},
    {"sage-transformer-tile", 1024, 0, 0, 1, NA, 0.000466, 1.0, 1, 0.1, HINGE},
    {"gat-node-tile", 512, 0, 0, NA, 2, 0.00001, 1.0, 1, 0.1, HINGE},
    {"gat-column-tile", 512, 0, 0, NA, 4, 0.00001, 1.0, 1, 0.1, HINGE},
    {"gat-lstm-tile", 512, 0, 0, NA, 4, 0.00001, 0.99, 1, 0.1, HINGE},
    {"gat-transformer-tile", 512, 0, 0, 2, 4, 0.00001, 1.0, 1, 0.1, HINGE},
    {"none-node-fusion", 512, 0, 3, NA, NA, 0.000214, 0.95, 0, 0.2, SQUARED},
    {"none-column-fusion", 512, 0, 3, NA, NA, 0.000102, 1.0, 0, 0.25, SQUARED},
    {"none-lstm-fusion", 512, 0, 0, NA, NA, 0.000144, 1.0, 0, 0.25, SQUARED},
    {"none-transformer-fusion", 512, 1, 0, 1, NA, 0.000862, 1.0, 1, 0.25, SQUARED},
    {"sage-node-fusion", 512, 0, 0, NA, NA, 0.000664, 0.9, 0, 0.2, SQUARED},
    {"sage-column-fusion", 1024, 0, 0, NA, NA, 0.000469, 0.9, 0, 0.2, SQUARED},
    {"sage-lstm-fusion", 1024, 0, 0, NA, NA, 0.000962, 0.9, 0, 0.2, SQUARED},
    {"sage-transformer-fusion", 512, 1, 0, 2, NA, 0.000768, 1.0, 0, 0.2, SQUARED},
    {"gat-node-fusion", 1024, 0, 0, NA, 2, 0.000002, 0.90, 0, 0.25, SQUARED},
    {"gat-column-fusion", 1024, 0, 0, NA, 2, 0.000004, 0.95, 0, 0.2, SQUARED},
    {"gat-lstm-fusion", 1024, 0, 0, NA, 2, 0.000006, 0.95, 0, 0.25, SQUARED},
    {"gat-transformer-fusion", 1024, 0, 0, 2, 2, 0.000001, 1.00, 1, 0.2, SQUARED},
};

/* Options set one after the other: names and values, NULL at the end. */
static tpu_settings parse(const char *const *given)
{
    tpu_settings s;
    harness_options *o = harness_options_new(&tpu_program_table, HARNESS_TRAIN, &s);
    for (; *given; given += 2)
        expect_ok(harness_options_set(o, "the test", given[0], given[1], new_failure()));
    harness_options_free(o);
    return s;
}

static void expect_row(const tpu_settings *s, const row *r)
{
    static const char *const gnn[] = {"none", "sage", "gat"};
    static const char *const reduction[] = {"auto", "node", "column", "lstm", "transformer"};
    const harness_training *t = &s->harness.training;
    const tpu_options *m = &s->model;
    assert_string_equal(formatted("%s-%s-%s", gnn[m->gnn], reduction[m->reduction],
                                  s->loss == SQUARED ? "fusion" : "tile"),
                        r->preset);
    assert_int_equal(m->hidden, r->hidden);
    assert_int_equal(m->module_l2, r->module_l2);
    assert_int_equal(m->module_layers, r->module_layers);
    if (r->encoder_layers) assert_int_equal(m->encoder_layers, r->encoder_layers);
    if (r->heads) assert_int_equal(m->heads, r->heads);
    assert_int_equal(r->hidden % m->heads + r->hidden % m->attention_heads, 0);
    assert_true(t->learning_rate == r->rate && t->decay_rate == r->decay && t->clip == r->clip);
    assert_true(m->dropout == r->dropout && t->weight_decay == 0);
    assert_int_equal(s->loss, r->loss);
    assert_int_equal(t->schedule, AG_EXPONENTIAL);
    assert_int_equal(m->embedding, 256);
}

/* ---- tests ---- */

/* A preset sets all columns of its row, so no earlier option shows through. */
static void a_preset_wins_over_what_stands_before_it(void **state)
{
    for (int i = 0; i < ROWS; i++) {
        const tpu_settings s =
            parse((const char *const[]){"module-layers", "5", "module-l2", "true", "hidden", "64",
                                        "preset", table[i].preset, "configs", "4", NULL});
        expect_row(&s, &table[i]);
        assert_int_equal(s.configs, 4);
    }
}

/* Except the width of the table of op codes, which every preset sets. */
static void table_5_is_the_default(void **state)
{
    const tpu_settings s = parse((const char *const[]){NULL});
    assert_int_equal(TPU_NEIGHBOURS, 20);
    assert_int_equal(s.model.gnn_layers, 3);
    assert_int_equal(s.model.aggregate, AG_AGGREGATE_MEAN);
    assert_int_equal(s.model.node_layers, 3);
    assert_int_equal(s.model.attention_heads, 4);
    assert_false(s.model.biases);
}

/* GraphSAGE with static features and tile sizes at the nodes, directions apart, and the reduction
   and loss that suit the task; what is given stays. */
static void the_default_is_the_best_of_table_4(void **state)
{
    for (int fusion = 0; fusion < 2; fusion++) {
        tpu_settings s = parse((const char *const[]){NULL});
        tpu_settings given = parse((const char *const[]){"reduction", "node", NULL});
        given.loss = TPU_LOSS_SQUARED;
        tpu_settle(&s, fusion ? TPU_FUSION : TPU_TILE);
        tpu_settle(&given, fusion ? TPU_FUSION : TPU_TILE);
        assert_int_equal(s.model.gnn, TPU_GNN_SAGE);
        assert_int_equal(s.model.direction, TPU_SEPARATE);
        assert_int_equal(s.model.tile_at, TPU_AT_NODES);
        assert_int_equal(s.model.analysis_at, TPU_AT_NODES);
        assert_int_equal(s.model.reduction, fusion ? TPU_TRANSFORMER : TPU_LSTM);
        assert_int_equal(s.loss, fusion ? TPU_LOSS_SQUARED : TPU_LOSS_HINGE);
        assert_true(s.kernels > 0);
        assert_int_equal(given.model.reduction, TPU_PER_NODE);
        assert_int_equal(given.loss, TPU_LOSS_SQUARED);
    }
}

int main(void)
{
    return RUN_TESTS(a_preset_wins_over_what_stands_before_it, table_5_is_the_default,
                     the_default_is_the_best_of_table_4);
}
