/* SPDX-License-Identifier: MIT */
/* Rows that join a graph network: sums by node and scores against sums in double. */
#include "support/test.h"
#include "examples/rows/joined.h"
#include "ops/ops.h"

enum { ROWS = 4, COLUMNS = 3, WORDS = 5, ITEMS = 3, ENTRIES = 7, PLACES = 6, IN = 8, OUT = 5 };
enum { BINS = 2, INPUTS = COLUMNS * (2 + BINS), MEMBERS = 3 };
#define SKIP 0.75

/* The second item has no rows; one entry has no place; place 1 has none of the entries. */
static float x[ROWS][COLUMNS] = {{1, -2, 4}, {3, 0, 4}, {-1, 5, 4}, {2, 2, 4}};
static double work[ROWS] = {10, 400, 3, 55};
static int word[ROWS] = {4, 0, 4, 2}, first[ITEMS + 1] = {0, 4, 4, 7},
           row[ENTRIES] = {2, 0, 2, 1, 3, 3, 0};
static float times[ENTRIES] = {1, 2, 1, 3, 1, 1, 4};
static const int32_t in[ENTRIES] = {5, 0, 0, 2, -1, 4, 3}, out[ENTRIES] = {0, 1, 0, 1, 0, -1, 1};
static ag_real node[PLACES * OUT];

typedef struct net {
    nests_joined joined;
    nests_joined_batch batch;
    ag_params *params;
} net;

static net make(nests_use use, int members, bool absolute, bool same)
{
    const nests_rows rows = {ROWS,  ITEMS, x[0],  word, work, NULL,
                             first, row,   times, NULL, NULL, NULL};
    net n = {.params = ag_params_new()};
    nests_joined_add(
        &n.joined, n.params,
        &(nests_joined_options){use, members, COLUMNS, WORDS, BINS, IN, OUT, true, absolute, SKIP});
    assert_int_equal(ag_params_build(n.params, 3), AG_OK);
    nests_scale_add(&n.joined.scale, x[0], ROWS);
    nests_scale_end(&n.joined.scale);
    n.joined.scale.offset = absolute ? 2.5 : 0;
    nests_joined_fill(&n.batch, &n.joined, &rows, in, PLACES, same ? NULL : out);
    return n;
}

static void drop(net *n)
{
    nests_joined_batch_free(&n->batch);
    nests_joined_free(&n->joined);
    ag_params_free(n->params);
}

/* [word, columns, signs, bins], then the layers of member m. Returns the width. */
static int embed(double *y, const nests_joined *j, int m, int r)
{
    ag_real plain[INPUTS];
    double z[NESTS_JOINED_WIDTH];
    int width = NESTS_WORD_WIDTH + INPUTS;
    nests_scale_apply(plain, &j->scale, x[r]);
    for (int k = 0; k < NESTS_WORD_WIDTH; k++)
        y[k] = (double)j->table->value[word[r] * NESTS_WORD_WIDTH + k];
    for (int k = 0; k < INPUTS; k++) y[NESTS_WORD_WIDTH + k] = (double)plain[k];
    for (int l = 0; l < NESTS_JOINED_LAYERS && j->layer[m][l].weight; l++) {
        const ag_linear_layer *layer = &j->layer[m][l];
        for (int o = 0; o < NESTS_JOINED_WIDTH; o++) {
            z[o] = (double)layer->bias->value[o];
            for (int k = 0; k < width; k++)
                z[o] += (double)layer->weight->value[o * width + k] * y[k];
        }
        width = NESTS_JOINED_WIDTH;
        for (int o = 0; o < width; o++) y[o] = fmax(z[o], 0);
    }
    return width;
}

/* Of columns from * width to (from + 1) * width - 1 of a line of w. */
static double product(const ag_param *w, int line, int from, const double *y, int width)
{
    const ag_real *weight = w->value + line * w->shape.size[1] + from * width;
    double sum = 0;
    for (int k = 0; k < width; k++) sum += (double)weight[k] * y[k];
    return sum;
}

static void check_nodes(const net *n)
{
    double y[NESTS_JOINED_WIDTH], expected[PLACES * IN] = {0};
    ag_tape *tape = ag_tape_new(AG_CPU);
    const nests_embedded e = nests_joined_embed(&n->joined, tape, &n->batch);
    ag_tensor *t = nests_joined_nodes(&n->joined, &e, &n->batch);
    ag_forward(t);
    if (ag_failed(tape)) fail_msg("%s", ag_error(tape));
    for (int i = 0; i < ENTRIES * n->joined.members; i++) {
        const int m = i / ENTRIES, e = i % ENTRIES, width = embed(y, &n->joined, m, row[e]);
        for (int k = 0; in[e] >= 0 && k < IN; k++)
            expected[in[e] * IN + k] += product(n->joined.join, k, m, y, width);
    }
    for (int i = 0; i < PLACES * IN; i++)
        assert_true(fabs((double)ag_values(t)[i] - expected[i]) < 1e-5);
    ag_tape_free(tape);
}

static void sums_of_nodes(void **state)
{
    for (nests_use use = NESTS_SUMS; use <= NESTS_COSTS; use++) {
        net n = make(use, use == NESTS_COSTS ? MEMBERS : 1, true, true);
        check_nodes(&n);
        drop(&n);
    }
}

/* share: of what the graph adds. */
static double score_of(const net *n, int m, int item, bool same, double share)
{
    const nests_joined *j = &n->joined;
    double y[NESTS_JOINED_WIDTH], v[OUT], sum = 0;
    for (int e = first[item]; e < first[item + 1]; e++) {
        const int width = embed(y, j, m, row[e]), place = same ? in[e] : out[e];
        for (int k = 0; k < OUT; k++) v[k] = place < 0 ? 0 : share * (double)node[place * OUT + k];
        sum += (double)times[e] * work[row[e]] *
               exp(product(j->of_row, m, 0, y, width) + product(j->of_node, 0, 0, v, OUT));
    }
    sum = (sum > 0 ? log(sum) : 0) + j->scale.offset;
    return j->steep ? exp((double)j->steep->value[0]) * sum : sum;
}

static void scores_are_added_up(void **state)
{
    for (int i = 0; i < PLACES * OUT; i++) node[i] = (ag_real)(0.1 * (i % 7) - 0.3);
    for (int way = 0; way < 16; way++) {
        const bool absolute = way & 1, same = way & 2, graph = way & 4, trains = way & 8;
        const double share = !graph ? 0 : trains ? 1 : 1 - SKIP;
        const int members = same ? MEMBERS : 1;
        net n = make(NESTS_COSTS, members, absolute, same);
        assert_true((n.joined.steep == NULL) == absolute);
        for (int k = 0; k < OUT; k++) n.joined.of_node->value[k] = (ag_real)(0.5 - 0.2 * k);
        ag_tape *tape = ag_tape_new(AG_CPU);
        ag_tape_training(tape, trains);
        const nests_embedded e = nests_joined_embed(&n.joined, tape, &n.batch);
        ag_tensor *v = graph ? ag_input(tape, node, AG_SHAPE(PLACES, OUT)) : NULL;
        ag_tensor *t = nests_joined_scores(&n.joined, &e, v, &n.batch);
        t = ag_concat2(nests_mean_scores(t, ITEMS), nests_member_scores(t, ITEMS, members - 1), 0);
        ag_forward(t);
        if (ag_failed(tape)) fail_msg("%s", ag_error(tape));
        assert_int_equal(ag_size(t, 0), 2 * ITEMS);
        for (int i = 0; i < ITEMS; i++) {
            double sum = 0, score = 0;
            for (int m = 0; m < members; m++) sum += score = score_of(&n, m, i, same, share);
            assert_true(fabs((double)ag_values(t)[i] - sum / members) < 1e-4);
            assert_true(fabs((double)ag_values(t)[ITEMS + i] - score) < 1e-4);
        }
        ag_tape_free(tape);
        drop(&n);
    }
}

/* ---- bins of columns ---- */

/* The median of 101 values parts two bins; three values are the edges themselves; the bins of a
   constant have no width. A sample of more rows than are kept has about the same quantiles. */
static void edges_are_quantiles(void **state)
{
    enum { LONG = 200000 };
    nests_scale s;
    nests_scale_open(&s, 3, 0, 2, false);
    for (int i = 0; i <= 100; i++)
        nests_scale_add(&s, (float[]){(float)(i * i), (float)(i % 3), 7}, 1);
    nests_scale_end(&s);
    const float edges[] = {0, 2500, 10000, 0, 1, 2, 7, 7, 7};
    assert_memory_equal(s.edge, edges, sizeof edges);
    expect_ok(nests_scale_check(&s, new_failure()));
    assert_int_equal(nests_scale_inputs(&s), 9);
    ag_real y[9];
    nests_scale_apply(y, &s, (float[]){4375, 0.5F, 7});
    const ag_real expected[] = {0.5, -0.25, 0, -0.5, 0, 0};
    assert_memory_equal(y + 3, expected, sizeof expected);
    nests_scale_apply(y, &s, (float[]){-1, 9, 8});
    const ag_real outside[] = {-0.5, -0.5, 0.5, 0.5, 0, 0};
    assert_memory_equal(y + 3, outside, sizeof outside);
    s.edge[1] = -1;
    expect_status(nests_scale_check(&s, new_failure()), AG_EDATA, "column 0 has 0 before -1");
    nests_scale_close(&s);

    nests_scale_open(&s, 1, 0, 4, false);
    for (int i = 0; i < LONG; i++) nests_scale_add(&s, (float[]){(float)i}, 1);
    nests_scale_end(&s);
    for (int k = 0; k <= 4; k++) assert_true(fabs((double)s.edge[k] / LONG - k / 4.0) < 0.02);
    nests_scale_close(&s);
}

int main(void) { return RUN_TESTS(sums_of_nodes, scores_are_added_up, edges_are_quantiles); }
