/* SPDX-License-Identifier: MIT */
#include "examples/tpugraphs/tpugraphs.h"

#include <math.h>

void tpugraphs_take_logs(float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (x[i] != 0.0F) x[i] = copysignf(log1pf(fabsf(x[i])), x[i]); /* most features are 0 */
}
