/* SPDX-License-Identifier: MIT */
/* The scale of features, against plain computations from the kernels' own arrays. What a batch
   holds: test_tpu_model.c. */
#include "support/test.h"
#include "examples/tpu/data/scale.h"
#include "support/tpu_kernels.h"

#include <float.h>

enum { KERNELS = 12 };

static double taken(float x, int logs)
{
    return logs ? (double)copysignf(log1pf(fabsf(x)), x) : (double)x;
}

static void the_training_range_becomes_0_to_1(void **state)
{
    for (int logs = 0; logs < 2; logs++) {
        tpu_data d;
        tpu_scaler s;
        ag_real y[30 * 140];
        double low[140], high[140];
        test_tpu_made(&d, TPU_TILE, KERNELS, NULL, NULL, 1);
        tpu_scaler_fit(&s, &d, logs, 0);
        for (int c = 0; c < 140; c++) low[c] = INFINITY, high[c] = -INFINITY;
        for (int i = 0; i < KERNELS; i++)
            for (int v = 0; v < d.kernel[i].nodes * 140; v++) {
                low[v % 140] = fmin(low[v % 140], taken(d.kernel[i].feature[v], logs));
                high[v % 140] = fmax(high[v % 140], taken(d.kernel[i].feature[v], logs));
            }
        for (int i = 0; i < KERNELS; i++) {
            const tpu_kernel *k = &d.kernel[i];
            tpu_scale(y, &s, &s.node, k->feature, k->nodes);
            for (int v = 0; v < k->nodes * 140; v++) {
                const double l = low[v % 140], h = high[v % 140], x = taken(k->feature[v], logs);
                assert_true(fabs((double)y[v] - (h > l ? (x - l) / (h - l) : 0)) < 1e-7);
                if (x == l) assert_true(y[v] == 0);
                if (x == h && h > l) assert_true(y[v] == 1);
            }
        }
        assert_int_equal(s.tile.rows, 1 + 8 + 3 + 10 + 5 + 12 + 7 + 2 + 9 + 4 + 11 + 6);
        test_tpu_made_free(&d);
    }
}

static void unseen_values_keep_their_distance_or_are_clamped(void **state)
{
    float a[140] = {0}, b[140] = {0}, x[140] = {0};
    ag_real y[140];
    int32_t opcode = 0;
    tpu_scaler s;
    for (int c = 0; c < 8; c++) b[c] = 10;
    a[2] = 1e-45F, b[2] = 0;
    a[3] = -FLT_MAX, b[3] = FLT_MAX;
    x[0] = 100, x[1] = -5, x[2] = FLT_MAX, x[3] = FLT_MAX, x[4] = 5, x[9] = 7;
    for (int clamp = 0; clamp < 2; clamp++) {
        const float expected[10] = {clamp ? 1 : 10, clamp ? 0 : -0.5F, clamp ? 1 : FLT_MAX, 1,
                                    0.5F};
        tpu_scaler_begin(&s, 0, clamp);
        tpu_scaler_add(&s, &(tpu_kernel){.nodes = 1, .feature = a, .opcode = &opcode});
        tpu_scaler_add(&s, &(tpu_kernel){.nodes = 1, .feature = b, .opcode = &opcode});
        tpu_scale(y, &s, &s.node, x, 1);
        for (int c = 0; c < 10; c++) assert_true((float)y[c] == expected[c]);
        for (int c = 0; c < 140; c++) assert_true(isfinite(y[c]));
    }
    tpu_scaler_begin(&s, 1, 0); /* nothing was seen: 0 */
    tpu_scale(y, &s, &s.tile, x, 1);
    for (int c = 0; c < 24; c++) assert_true(y[c] == 0);
    tpu_scaler_add(&s, &(tpu_kernel){.nodes = 1, .feature = a, .opcode = &opcode});
    tpu_scaler_add(&s, &(tpu_kernel){.nodes = 1, .feature = b, .opcode = &opcode});
    tpu_scale(y, &s, &s.node, x, 1);
    assert_true(fabs((double)y[4] - log(6) / log(11)) < 1e-6);
}

int main(void)
{
    return RUN_TESTS(the_training_range_becomes_0_to_1,
                     unseen_values_keep_their_distance_or_are_clamped);
}
