/* SPDX-License-Identifier: MIT */
/* The parts of attention between its products. Inputs: qkv [n, 3 heads d], starts; Y(1) [n, heads]
   is ln sum e^score of each row; attr.i[0]: heads. */
#include "core/kernel.h"
#include "ops/starts.h"

/* Of a row: the largest score so far and the sum of e^(score - most). */
typedef struct row_sum {
    ag_real most, total;
} row_sum;

/* n more products of a row become e^(scale product - most); returns by what the earlier ones, which
   had a smaller `most`, are multiplied. */
KERNEL ag_real weigh_row(ag_real *s, row_sum *sum, ag_real scale, int n)
{
    ag_real most, total;
    MAXIMUM(most, sum->most, i, n, s[i] * scale);
    EACH (i, n) s[i] = v_exp(s[i] * scale - most);
    SUM(total, i, n, s[i]);
    const ag_real shrink = v_exp(sum->most - most);
    sum->total = sum->total * shrink + total;
    sum->most = most;
    return shrink;
}

/* s: n products of a row become its weights p; dp, their gradients, become those of the products:
   scale p (dp - dot), where dot is the sum of p dp over the whole row. */
KERNEL void weight_gradient(ag_real *__restrict__ s, ag_real *__restrict__ dp, ag_real log_sum,
                            ag_real dot, ag_real scale, int n)
{
    EACH (i, n) {
        s[i] = v_exp(s[i] * scale - log_sum);
        dp[i] = s[i] * (dp[i] - dot) * scale;
    }
}

/* scratch [n, heads] = <dy, y> of each row and head, which is that sum of p dp. */
ROW(attention_dots, a->xs[0].size[0])
{
    const int heads = a->attr.i[0], d = ag__columns(a->ys[0]) / heads;
    (void)add;
    for (int h = 0; h < heads; h++) {
        const ag_real *y = Y(0) + (r * heads + h) * d, *dy = DY(0) + (r * heads + h) * d;
        ag_real dot;
        SUM(dot, i, d, y[i] * dy[i]);
        if (LANE == 0) a->scratch[r * heads + h] = dot;
    }
}
