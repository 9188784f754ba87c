/* SPDX-License-Identifier: MIT */
/* Rows in the networks of tpgnn: which node, statement and program each belongs to, and what the
   networks do with what it gives. */
#include "support/test.h"
#include "examples/tpgnn/rows/rows.h"
#include "examples/tpgnn/model/model.h"
#include "support/tpgnn_npz.h"

enum { ROW = NESTS_SCHEDULE_ROW, HIDDEN = 8 };

/* ---- a model and a batch of all schedules ---- */

typedef struct net {
    tpgnn_model model;
    tpgnn_batch batch;
} net;

/* The scale leaves columns as they are, except large ones. */
static net make(const tpgnn_data *data, tpgnn_options o)
{
    net n = {0};
    const tpgnn_schedule **list = malloc((size_t)data->schedules * sizeof *list);
    for (int i = 0; i < data->schedules; i++) list[i] = &data->schedule[i];
    for (int f = 0; f < TPGNN_FIELDS; f++) o.words[f] = tpgnn_data_vocabulary(data)->words[f];
    expect_ok(tpgnn_model_add(&n.model, ag_params_new(), &o, new_failure()));
    assert_int_equal(ag_params_build(n.model.params, 5), AG_OK);
    for (int k = 0; k < n.model.joined.scale.columns; k++) n.model.joined.scale.deviation[k] = 1;
    n.model.joined.scale.offset = -9;
    const tpgnn_batch_options options = tpgnn_model_batch(&n.model);
    expect_ok(tpgnn_batch_fill(&n.batch, data, list, data->schedules, &options, new_failure()));
    free((void *)list);
    return n;
}

static void drop(net *n)
{
    tpgnn_batch_free(&n->batch);
    ag_params_free(n->model.params);
    tpgnn_model_free(&n->model);
}

static void score(double *out, const net *n)
{
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_tape_training(tape, 0);
    ag_tensor *y = tpgnn_forward(&n->model, tape, &n->batch);
    ag_forward(y);
    if (ag_failed(tape)) fail_msg("%s", ag_error(tape));
    for (int i = 0; i < n->batch.graphs; i++) out[i] = (double)ag_values(y)[i];
    ag_tape_free(tape);
}

static tpgnn_options options_of(tpgnn_network network, nests_use use)
{
    tpgnn_options o = test_tpgnn_options(network);
    o.types = TPGNN_TABLE;
    o.hidden = HIDDEN;
    o.nest = false;
    o.bins = 0;
    o.rows = use;
    return o;
}

static double within(float x) { return fmax(-NESTS_FAR, fmin(NESTS_FAR, (double)x)); }

/* ---- places ---- */

static void check_schedule(const net *n, const tpgnn_data *data, int i, bool whole)
{
    nests_rows own = {0};
    const tpgnn_batch *b = &n->batch;
    const nests_joined_batch *r = &b->rows;
    const int first = r->item_start[i], store = b->store_start[i];
    nests_schedule_rows_add(&own, data, b->schedule[i]);
    const int rows = own.rows;
    double cycles = 0;
    assert_int_equal(r->item_start[i + 1] - first, rows);
    assert_int_equal(b->store_start[i + 1] - store, rows);
    for (int k = 0; k < rows; k++) cycles += own.work[k];
    assert_true(fabs((double)r->base[i] - (log(cycles) - 9)) < 1e-5);
    for (int k = 0; k < rows; k++) {
        const int at = r->item_row[first + k], node = b->store[store + k];
        assert_int_equal(r->item_place[first + k], whole ? i : store + k);
        assert_int_equal(r->place_start[node + 1] - r->place_start[node], 1);
        assert_int_equal(r->place_row[r->place_start[node]], at);
        assert_true(fabs((double)r->item_weight[first + k] - log(own.work[k] / cycles)) < 1e-5);
        for (int c = 0; c < ROW; c++)
            assert_true(fabs((double)r->x[at * ROW + c] - within(own.x[k * ROW + c])) < 1e-6);
    }
    nests_rows_free(&own);
}

/* Programs of several statements, with and without index arithmetic. */
static void rows_belong_to_their_nodes(void **state)
{
    tpgnn_data data = {0};
    expect_ok(test_schedules_add(&data, AG_SOURCE_DIR "/examples/data/schedules/softmax_196_64.npz",
                                 new_failure()));
    data.schedules = 9;
    for (int k = 0; k < 4; k++) {
        tpgnn_options o = options_of(k / 2 ? TPGNN_PAPER : TPGNN_STATEMENTS, NESTS_COSTS);
        o.compact = k % 2;
        net n = make(&data, o);
        assert_true(n.batch.stores > 2 * data.schedules);
        for (int i = 0; i < data.schedules; i++) check_schedule(&n, &data, i, k / 2);
        drop(&n);
    }
    tpgnn_data_free(&data);
}

/* ---- what the networks do with them ---- */

/* The parameters of a network without rows; further columns of a weight are 0. */
static void copy(net *to, const net *from)
{
    for (int i = 0; i < from->model.params->count; i++) {
        const ag_param *p = from->model.params->list[i];
        ag_param *q = ag_params_find(to->model.params, p->name);
        const int lines = p->shape.size[0];
        if (!q) continue;
        memset(q->value, 0, (size_t)q->count * sizeof *q->value);
        for (int r = 0; r < lines; r++)
            memcpy(q->value + r * (q->count / lines), p->value + r * (p->count / lines),
                   (size_t)(p->count / lines) * sizeof *q->value);
    }
}

/* Rows give their nodes nothing and cost nothing by themselves. Each program has one statement: its
   time is that of its cycles, times e^(what the last layer would say). */
static void add_costs(net *with, const net *without, double *expected)
{
    const bool paper = with->model.options.network == TPGNN_PAPER;
    const tpgnn_model *m = &without->model;
    const ag_param *last = paper ? m->paper.lin[2].weight : m->statements.output.weight;
    const ag_param *bias = paper ? m->paper.lin[2].bias : m->statements.output.bias;
    nests_joined *j = &with->model.joined;
    memset(j->of_row->value, 0, (size_t)j->of_row->count * sizeof *j->of_row->value);
    memcpy(j->of_node->value, last->value, (size_t)last->count * sizeof *last->value);
    score(expected, without);
    for (int i = 0; i < with->batch.graphs; i++)
        expected[i] = exp((double)j->steep->value[0]) *
                      ((double)with->batch.rows.base[i] + expected[i] - (double)bias->value[0]);
}

static void check_network(const tpgnn_data *data, tpgnn_network network, nests_use use)
{
    double plain[2], expected[2], scores[2];
    net with = make(data, options_of(network, use));
    net without = make(data, options_of(network, NESTS_UNUSED));
    copy(&with, &without);
    score(plain, &without);
    ag_param *join = with.model.joined.join;
    memset(join->value, 0, (size_t)join->count * sizeof *join->value);
    if (use == NESTS_COSTS)
        add_costs(&with, &without, expected);
    else
        memcpy(expected, plain, sizeof plain);
    score(scores, &with);
    for (int i = 0; i < 2; i++) {
        assert_true(use == NESTS_SUMS || fabs(expected[i] - plain[i]) > 5e-4);
        if (!(fabs(scores[i] - expected[i]) < 1e-6 * fmax(1, fabs(expected[i]))))
            fail_msg("network %d, use %d: score %d is %g, not %g", network, use, i, scores[i],
                     expected[i]);
    }
    for (int64_t k = 0; k < with.model.params->size; k++)
        with.model.params->value[k] = (ag_real)cos((double)(k * k % 97)) / 2;
    score(expected, &with);
    memset(join->value, 0, (size_t)join->count * sizeof *join->value);
    score(scores, &with);
    for (int i = 0; i < 2; i++) assert_true(fabs(scores[i] - expected[i]) > 1e-2);
    drop(&with);
    drop(&without);
}

/* A row that gives 0 leaves the scores as they are without rows; other ones do not. Which sums and
   costs these are: test_nests_joined.c. */
static void networks_read_rows(void **state)
{
    tpgnn_data data = {0};
    test_schedules_read_good(&data, "mm_1.npz");
    for (int k = 0; k < 4; k++)
        check_network(&data, k / 2 ? TPGNN_PAPER : TPGNN_STATEMENTS,
                      k % 2 ? NESTS_COSTS : NESTS_SUMS);
    tpgnn_data_free(&data);
}

/* Scores of the small file with another type in place of one. */
static void score_with(double *scores, tpgnn_options o, const char *type, const char *other)
{
    tpgnn_data data = {0};
    test_schedules s;
    test_schedules_make(&s);
    test_schedules_replace(&s, type, other);
    test_schedules_read(&data, &s, "odd_1.npz");
    net n = make(&data, o);
    score(scores, &n);
    drop(&n);
    tpgnn_data_free(&data);
}

/* A program without statements takes no time: no row says more. Where constants are statements,
   --compact leaves out nodes of which there are rows. */
static void odd_programs(void **state)
{
    for (int k = 0; k < 2; k++) {
        double scores[2];
        tpgnn_options o = options_of(k ? TPGNN_PAPER : TPGNN_STATEMENTS, NESTS_COSTS);
        score_with(scores, o, "BufferStore", "BufferLoad");
        for (int i = 0; i < 2; i++) assert_true(fabs(scores[i] + 9 * exp(1)) < 1e-5);
        o.compact = true;
        score_with(scores, o, "IntImm", "BufferStore");
        for (int i = 0; i < 2; i++) assert_true(scores[i] > -9 * exp(1) + 1);
    }
}

int main(void)
{
    return RUN_TESTS_WITH(test_folder_make, test_folder_remove, rows_belong_to_their_nodes,
                          networks_read_rows, odd_programs);
}
