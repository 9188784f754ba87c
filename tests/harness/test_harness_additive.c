/* SPDX-License-Identifier: MIT */
/* Additive trees learn what one row costs from run times of sums over rows, and an order with a
   loss of its own; boosted trees as arrays give the same predictions. */
#include "support/test.h"
#include "core/random.h"
#include "examples/harness/baseline/additive.h"
#include "examples/harness/harness.h"
#include "examples/harness/baseline/trees.h"
#include "metrics/metrics.h"

/* Made groups. A row costs its work, eight times as much when exactly one of its two features is
   above a half; a group has a speed of its own, which is not to be learned. Row 0 is counted by all
   items. */
enum { GROUPS = 200, LEARN = 160, ROWS = 12, ITEMS = 30, COLUMNS = 2, PICKS = 3 };
typedef struct made {
    float x[ROWS * COLUMNS], always[ROWS], times[ITEMS * PICKS];
    double work[ROWS], y[ITEMS];
    int first[ITEMS + 1], row[ITEMS * PICKS];
} made;

static double cost_of(const made *m, int r)
{
    const float *x = m->x + (size_t)r * COLUMNS;
    return m->work[r] * ((x[0] > 0.5F) != (x[1] > 0.5F) ? 8 : 1);
}

static harness_additive_group make(made *m, int index)
{
    ag_random random = {7, (uint64_t)index, 0};
    memset(m, 0, sizeof *m);
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < COLUMNS; c++) m->x[r * COLUMNS + c] = (float)ag_random_uniform(&random);
        m->work[r] = exp(3 * ag_random_uniform(&random));
    }
    m->always[0] = 2;
    for (int i = 0; i < ITEMS; i++) {
        double time = 2 * cost_of(m, 0);
        for (int k = 0; k < PICKS; k++) {
            const int e = i * PICKS + k;
            m->row[e] = (int)(ROWS * ag_random_uniform(&random)) % ROWS;
            m->times[e] = (float)(1 + k);
            time += (1 + k) * cost_of(m, m->row[e]);
        }
        m->first[i + 1] = (i + 1) * PICKS;
        m->y[i] = log(time) + index;
    }
    return (harness_additive_group){.rows = ROWS,
                                    .items = ITEMS,
                                    .x = m->x,
                                    .work = m->work,
                                    .always = m->always,
                                    .first = m->first,
                                    .row = m->row,
                                    .times = m->times,
                                    .y = m->y};
}

static made store[GROUPS];

static void groups_of(harness_additive_group *group)
{
    for (int i = 0; i < GROUPS; i++) group[i] = make(&store[i], i);
}

/* score [items]: ln of the sum over an item's rows of times * work * exp(trees(row)). */
static void score_items(double *score, harness_boosting *trees, const harness_additive_group *g)
{
    double *cost = calloc((size_t)g->rows, sizeof *cost), alike = 0;
    expect_ok(harness_boosting_predict(cost, trees, g->x, g->rows, new_failure()));
    for (int r = 0; r < g->rows; r++) {
        cost[r] = g->work[r] * exp(cost[r]);
        if (g->always) alike += (double)g->always[r] * cost[r];
    }
    for (int i = 0; i < g->items; i++) {
        double sum = alike;
        for (int e = g->first[i]; e < g->first[i + 1]; e++)
            sum += (g->times ? (double)g->times[e] : 1) * cost[g->row[e]];
        score[i] = log(sum);
    }
    free(cost);
}

static double tau_of(const double *score, const harness_additive_group *g)
{
    ag_pairs pairs;
    expect_ok(ag_pairs_count(&pairs, score, g->y, g->items, new_failure()));
    return ag_tau_b(&pairs);
}

static harness_boosting_options of_rounds(int rounds)
{
    harness_boosting_options o = harness_boosting_defaults();
    o.rounds = rounds;
    o.rate = 0.3;
    return o;
}

/* The mean tau-b over the groups that were not learned from. */
static double held_out(const harness_additive_group *group, harness_boosting_options o)
{
    double score[ITEMS], sum = 0;
    harness_boosting *a =
        expect_made(harness_additive_fit(group, LEARN, COLUMNS, &o, new_failure()));
    assert_int_equal(harness_boosting_trees(a), o.rounds);
    for (int i = LEARN; i < GROUPS; i++) {
        score_items(score, a, &group[i]);
        sum += tau_of(score, &group[i]);
    }
    harness_boosting_free(a);
    return sum / (GROUPS - LEARN);
}

/* With a loss of the order, too, and with rows that all items count, and how often an item counts
   one. */
static void costs_of_rows_are_learned(void **state)
{
    harness_additive_group group[GROUPS];
    harness_boosting_options by_order = of_rounds(60);
    by_order.order = 1;
    by_order.top = 0.3;
    if (!harness_boosting_built()) skip();
    groups_of(group);
    const double one = held_out(group, of_rounds(1)), many = held_out(group, of_rounds(60)),
                 ordered = held_out(group, by_order);
    print_message("tau-b after one tree %.3f, after 60 %.3f, by order %.3f\n", one, many, ordered);
    assert_true(many > 0.92 && one < many - 0.1);
    assert_true(ordered > 0.92 && ordered != many);
    for (int i = 0; i < GROUPS; i++) group[i].always = NULL;
    assert_true(held_out(group, of_rounds(60)) < many);
    groups_of(group);
    for (int i = 0; i < GROUPS; i++) group[i].times = NULL;
    assert_true(held_out(group, of_rounds(60)) < many - 0.05);
}

/* A group whose run times are equal, or not known, has nothing to teach and does no harm. */
static void test_groups_without_order_are_left_out(void **state)
{
    harness_additive_group group[GROUPS];
    static double equal[ITEMS];
    harness_boosting_options o = harness_boosting_defaults();
    double score[ITEMS], again[ITEMS];
    if (!harness_boosting_built()) skip();
    groups_of(group);
    o.rounds = 5;
    harness_boosting *a =
        expect_made(harness_additive_fit(group + 2, 10, COLUMNS, &o, new_failure()));
    group[0].y = NULL;
    group[1].y = equal;
    harness_boosting *b = expect_made(harness_additive_fit(group, 12, COLUMNS, &o, new_failure()));
    score_items(score, a, &group[20]);
    score_items(again, b, &group[20]);
    assert_memory_equal(score, again, sizeof score);
    harness_boosting_free(a);
    harness_boosting_free(b);
    expect_null(harness_additive_fit(group, 2, COLUMNS, &o, new_failure()), AG_EDATA, "");
}

enum { SAMPLES = 300, FEATURES = 3, TREES = 30 };

static void the_same_predictions(void **state)
{
    static float x[SAMPLES * FEATURES];
    static double y[SAMPLES], score[SAMPLES];
    ag_random random = {7, 1, 0};
    harness_trees t = {0};
    harness_boosting_options o = harness_boosting_defaults();
    if (!harness_boosting_built()) skip();
    for (int i = 0; i < SAMPLES * FEATURES; i++) x[i] = (float)ag_random_uniform(&random);
    for (int i = 0; i < SAMPLES; i++)
        y[i] = sin(9 * (double)x[i * FEATURES]) + (x[i * FEATURES + 1] > 0.3F) * 2 +
               (i < 3 ? 50 : 0); /* rare ones make branches that end early */
    o.rounds = TREES;
    o.depth = 4;
    harness_boosting *b =
        expect_made(harness_boosting_fit(x, y, SAMPLES, FEATURES, &o, new_failure()));
    expect_ok(harness_boosting_predict(score, b, x, SAMPLES, new_failure()));
    harness_trees_open(&t, TREES + 5, 5);
    expect_ok(harness_trees_take(&t, 2, b, new_failure()));
    expect_ok(harness_trees_check(&t, FEATURES, new_failure()));
    for (int i = 0; i < SAMPLES; i++) {
        const float *row = x + (size_t)i * FEATURES;
        assert_true(fabs(harness_trees_sum(&t, 0, t.count, row) - score[i]) < 1e-4);
        assert_true(harness_trees_sum(&t, 0, 2, row) == 0); /* those before stay */
    }
    harness_trees_close(&t);
    /* fewer trees than there are; too small a depth */
    harness_trees_open(&t, 2, 4);
    expect_ok(harness_trees_take(&t, 0, b, new_failure()));
    harness_trees_close(&t);
    harness_trees_open(&t, TREES, 2);
    assert_int_equal(harness_trees_take(&t, 0, b, new_failure()), AG_EDATA);
    harness_trees_close(&t);
    harness_boosting_free(b);
}

/* Depth 2: x1 < 0.5 ? (x0 < 1 ? 1 : 2) : (x0 < 3 ? 4 : 8), and a tree of zeros. */
static void trees_by_hand(void **state)
{
    harness_trees t;
    harness_trees_open(&t, 2, 2);
    const int32_t column[] = {1, 0, 0};
    const float limit[] = {0.5F, 1, 3}, leaf[] = {1, 2, 4, 8};
    for (int i = 0; i < 3; i++) t.column[i] = column[i], t.limit[i] = limit[i];
    for (int i = 0; i < 4; i++) t.leaf[i] = leaf[i];
    static const float row[][2] = {{0, 0}, {1, 0}, {2, 0.5F}, {3, 1}};
    for (int i = 0; i < 4; i++) assert_true(harness_trees_sum(&t, 0, 2, row[i]) == (double)leaf[i]);
    expect_ok(harness_trees_check(&t, 2, new_failure()));
    assert_int_equal(harness_trees_check(&t, 1, new_failure()), AG_EDATA);
    t.leaf[3] = (float)NAN;
    assert_int_equal(harness_trees_check(&t, 2, new_failure()), AG_EDATA);
    t.leaf[3] = 0;
    t.limit[0] = (float)INFINITY;
    assert_int_equal(harness_trees_check(&t, 2, new_failure()), AG_EDATA);
    harness_trees_close(&t);
}

enum { FEW = 5 };
static const double y[FEW] = {2, 1, 1, 4, 3}, z[FEW] = {2.1, 1.3, 0.9, 3.6, 3.8};
static double gain[FEW], place[FEW];

static harness_order_loss start(double order, double top)
{
    harness_order_loss o = {.order = order, .top = top, .gain = gain, .place = place};
    harness_order_gains(&o, y, FEW);
    return o;
}

/* Gains are those of the fastest / run time, the best order first. */
static void gains_and_pairs(void **state)
{
    const harness_order_loss o = start(1, 1);
    const double of[FEW] = {exp2(exp(-1)) - 1, 1, 1, exp2(exp(-3)) - 1, exp2(exp(-2)) - 1};
    const double best = of[1] + of[2] / log2(3) + of[0] / 2 + of[4] / log2(5) + of[3] / log2(6);
    assert_true(o.pairs == 9); /* two are equal */
    for (int i = 0; i < FEW; i++) assert_true(fabs(gain[i] - of[i] / best) < 1e-12);
}

/* Places are those of z, as they count as constants. */
static double loss(const harness_order_loss *o, const double *x)
{
    double sum = 0;
    for (int i = 0; i < FEW; i++)
        for (int j = 0; j < FEW; j++) {
            if (y[i] <= y[j]) continue;
            const double change = fabs(gain[i] - gain[j]) * fabs(place[i] - place[j]);
            sum += o->order / 2 * (1 / o->pairs + o->top * change) * log1p(exp(-4 * (x[i] - x[j])));
        }
    return sum;
}

static void slopes_are_derivatives(void **state)
{
    static const double weight[][2] = {{1, 0}, {1, 0.3}, {2, 5}};
    for (size_t w = 0; w < 3; w++) {
        const harness_order_loss o = start(weight[w][0], weight[w][1]);
        double slope[FEW] = {0}, curve[FEW] = {0};
        harness_order_slopes(slope, curve, &o, z, y, FEW);
        for (int i = 0; i < FEW; i++) {
            double up[FEW], down[FEW];
            memcpy(up, z, sizeof up);
            memcpy(down, z, sizeof down);
            up[i] += 1e-4;
            down[i] -= 1e-4;
            const double bend = (loss(&o, up) + loss(&o, down) - 2 * loss(&o, z)) / 1e-8;
            assert_true(fabs(slope[i] - (loss(&o, up) - loss(&o, down)) / 2e-4) < 1e-6);
            assert_true(fabs(curve[i] - bend) < 1e-5);
        }
    }
}

/* A group of one item teaches its run time, if that is what is learned. */
static void single_items(void **state)
{
    const float x[] = {1, 2};
    const double work[] = {1, 1}, runtime[] = {1, 3};
    const int first[] = {0, 1}, row[] = {0};
    harness_additive_group group[2];
    harness_boosting_options o = harness_boosting_defaults();
    double score = 0;
    if (!harness_boosting_built()) skip();
    for (int g = 0; g < 2; g++)
        group[g] = (harness_additive_group){.rows = 1,
                                            .items = 1,
                                            .x = x + g,
                                            .work = work,
                                            .first = first,
                                            .row = row,
                                            .y = runtime + g,
                                            .weight = 1,
                                            .absolute = 1};
    harness_boosting *trees = expect_made(harness_additive_fit(group, 2, 1, &o, new_failure()));
    for (int g = 0; g < 2; g++) {
        score_items(&score, trees, &group[g]);
        assert_true(fabs(score - runtime[g]) < 0.1);
    }
    harness_boosting_free(trees);
    group[0].absolute = group[1].absolute = 0;
    expect_null(harness_additive_fit(group, 2, 1, &o, new_failure()), AG_EDATA, "");
}

int main(void)
{
    return RUN_TESTS(costs_of_rows_are_learned, test_groups_without_order_are_left_out,
                     the_same_predictions, trees_by_hand, gains_and_pairs, slopes_are_derivatives,
                     single_items);
}
