/* SPDX-License-Identifier: MIT */
/* The loss of the trees that looks at the order: by hand, against central differences, refusals. */
#include "examples/tpgnn/baseline/ordered.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>

enum { ITEMS = 5 };
static const double y[ITEMS] = {2, 1, 1, 4, 3}, z[ITEMS] = {2.1, 1.3, 0.9, 3.6, 3.8};

typedef struct numbers {
    double slope[ITEMS], curve[ITEMS], gain[ITEMS], place[ITEMS];
} numbers;

static tpgnn_order start(numbers *n, double order, double top)
{
    tpgnn_order o = {order, top, n->slope, n->curve, n->gain, n->place, 0};
    tpgnn_order_prepare(&o, y, ITEMS);
    return o;
}

/* Gains are those of the fastest / run time, the best order first. */
static void gains_and_pairs(void **state)
{
    (void)state;
    numbers n;
    const tpgnn_order o = start(&n, 1, 1);
    const double gain[ITEMS] = {exp2(exp(-1)) - 1, 1, 1, exp2(exp(-3)) - 1, exp2(exp(-2)) - 1};
    const double best =
        gain[1] + gain[2] / log2(3) + gain[0] / 2 + gain[4] / log2(5) + gain[3] / log2(6);
    assert_true(o.pairs == 9); /* two are equal */
    for (int i = 0; i < ITEMS; i++) assert_true(fabs(n.gain[i] - gain[i] / best) < 1e-12);
}

/* The loss of ordered.h; places are those of `at`, as they count as constants. */
static double loss(const tpgnn_order *o, const double *x, const numbers *at)
{
    double mean = 0, variance = 0, sum = 0;
    for (int i = 0; i < ITEMS; i++) {
        mean += (x[i] - y[i]) / ITEMS;
        variance += (y[i] - 2.2) * (y[i] - 2.2) / ITEMS;
    }
    for (int i = 0; i < ITEMS; i++)
        sum += pow(x[i] - y[i] - mean, 2) / (variance + 1e-3) / ITEMS / 2;
    for (int i = 0; i < ITEMS; i++)
        for (int j = 0; j < ITEMS; j++) {
            if (y[i] <= y[j]) continue;
            const double change =
                fabs(at->gain[i] - at->gain[j]) * fabs(at->place[i] - at->place[j]);
            sum += o->order / 2 * (1 / o->pairs + o->top * change) * log1p(exp(-4 * (x[i] - x[j])));
        }
    return sum;
}

static void slopes_are_derivatives(void **state)
{
    (void)state;
    static const double weight[][2] = {{0, 0}, {1, 0}, {1, 0.3}, {2, 5}};
    for (size_t w = 0; w < 4; w++) {
        numbers n;
        tpgnn_order o = start(&n, weight[w][0], weight[w][1]);
        tpgnn_order_slopes(&o, z, y, ITEMS);
        for (int i = 0; i < ITEMS; i++) {
            double up[ITEMS], down[ITEMS];
            memcpy(up, z, sizeof up);
            memcpy(down, z, sizeof down);
            up[i] += 1e-5;
            down[i] -= 1e-5;
            const double slope = (loss(&o, up, &n) - loss(&o, down, &n)) / 2e-5;
            const double curve = (loss(&o, up, &n) + loss(&o, down, &n) - 2 * loss(&o, z, &n));
            assert_true(fabs(n.slope[i] - slope) < 1e-8);
            assert_true(n.curve[i] >= curve / 1e-10 - 1e-3); /* a bound, since the mean moves */
        }
    }
}

static void the_order_is_learned(void **state)
{
    (void)state;
    enum { EACH = 12, ROWS = 2 * EACH };
    float x[ROWS];
    double work[ROWS], runtime[ROWS];
    int first[EACH + 1], row[EACH];
    harness_additive_group group[2];
    ag_failure why = {0};
    if (!harness_boosting_built()) skip();
    for (int i = 0; i < ROWS; i++) {
        x[i] = (float)(i % EACH);
        work[i] = 1;
        runtime[i] = (i % EACH) * (i % EACH) + 100 * (i / EACH);
    }
    for (int i = 0; i < EACH; i++) row[i] = first[i] = i;
    first[EACH] = EACH;
    for (int g = 0; g < 2; g++)
        group[g] = (harness_additive_group){.rows = EACH,
                                            .items = EACH,
                                            .x = x + g * EACH,
                                            .work = work + g * EACH,
                                            .first = first,
                                            .row = row,
                                            .y = runtime + g * EACH};
    harness_boosting_options o = harness_boosting_defaults();
    harness_boosting *trees = tpgnn_ordered_fit(group, 2, 1, 1, 0.3, &o, &why);
    if (!trees) fail_msg("%s", why.sentence);
    double score[EACH];
    assert_int_equal(harness_additive_score(score, trees, &group[1], &why), AG_OK);
    for (int i = 1; i < EACH; i++) assert_true(score[i] >= score[i - 1]); /* some share a leaf */
    assert_true(score[EACH - 1] > score[EACH / 2] && score[EACH / 2] > score[0] + 1);
    harness_boosting_free(trees);
    for (int i = 0; i < ROWS; i++) runtime[i] = 7;
    assert_null(tpgnn_ordered_fit(group, 2, 1, 1, 0.3, &o, &why));
    assert_true(why.status == AG_EDATA);
    assert_non_null(strstr(why.sentence, "none of the 2 tasks has two schedules with different"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gains_and_pairs),
        cmocka_unit_test(slopes_are_derivatives),
        cmocka_unit_test(the_order_is_learned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
