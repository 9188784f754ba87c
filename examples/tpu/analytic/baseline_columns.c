/* SPDX-License-Identifier: MIT */
#include "examples/tpu/analytic/baselines.h"

#include <math.h>
#include <string.h>

static float small(double v) { return (float)copysign(log1p(fabs(v)), v); }

void tpu_baseline_pool(float *out, const tpu_kernel *k)
{
    float *mean = out, *most = mean + TPUGRAPHS_FEATURES, *sum = most + TPUGRAPHS_FEATURES;
    float *opcodes = sum + TPUGRAPHS_FEATURES, *facts = opcodes + TPU_OPCODES;
    memset(out, 0, TPU_POOLED * sizeof *out);
    for (int f = 0; f < TPUGRAPHS_FEATURES; f++) {
        double all = 0;
        float largest = -INFINITY;
        for (int v = 0; v < k->nodes; v++) {
            const float x = small((double)k->feature[(size_t)v * TPUGRAPHS_FEATURES + (size_t)f]);
            all += (double)x;
            if (x > largest) largest = x;
        }
        mean[f] = (float)(all / k->nodes);
        most[f] = largest;
        sum[f] = (float)all;
    }
    for (int v = 0; v < k->nodes; v++)
        if (k->opcode[v] >= 0 && k->opcode[v] < TPU_OPCODES) opcodes[k->opcode[v]] += 1;
    for (int i = 0; i < TPU_STATIC; i++) facts[i] = small((double)k->analysis[i]);
}

void tpu_baseline_columns(float *out, const float *pooled, const tpu_kernel *k, int config)
{
    const float *tile = k->tile ? k->tile + (size_t)config * TPUGRAPHS_TILE_FEATURES : NULL;
    memcpy(out, pooled, TPU_POOLED * sizeof *out);
    for (int i = 0; i < TPUGRAPHS_TILE_FEATURES; i++)
        out[TPU_POOLED + i] = tile ? small((double)tile[i]) : 0;
}
