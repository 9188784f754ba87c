/* SPDX-License-Identifier: MIT */
#include "core/vmath.h"
#include "examples/tpgnn/fasttext/parts.h"

#include <string.h>

void tpgnn__fasttext_step(float *input, float *output, const int32_t *rows, int n,
                          const int32_t *targets, int count, float rate, int size, float *work)
{
    float *h = work, *e = work + size;
    memset(work, 0, 2 * (size_t)size * sizeof *work);
    for (int r = 0; r < n; r++) {
        const float *x = input + (size_t)rows[r] * (size_t)size;
        for (int k = 0; k < size; k++) h[k] += x[k];
    }
    for (int k = 0; k < size; k++) h[k] /= (float)n;
    for (int j = 0; j < count; j++) {
        float *o = output + (size_t)targets[j] * (size_t)size, dot = 0;
        for (int k = 0; k < size; k++) dot += h[k] * o[k];
        const float g = rate * ((j == 0 ? 1.0f : 0.0f) - v_sigmoid(dot));
        for (int k = 0; k < size; k++) {
            e[k] += g * o[k];
            o[k] += g * h[k];
        }
    }
    for (int r = 0; r < n; r++) {
        float *x = input + (size_t)rows[r] * (size_t)size;
        for (int k = 0; k < size; k++) x[k] += e[k];
    }
}
