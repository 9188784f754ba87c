/* SPDX-License-Identifier: MIT */
/* The parts of attention between its products. Inputs: qkv [n, 3 heads d], starts; Y(1) [n, heads]
   is ln sum e^score of each row; attr.i[0]: heads, attr.f[0]: which share of the weights is
   dropped. */
#include "ops/dropout_mask.h"
#include "ops/row_pieces.h"

/* The number by which dropout knows the weight of key k of the graph, in row v and head h. */
AG_BOTH int64_t weight_number(const ag_args *a, int64_t v, int h, int k)
{
    return (v * a->attr.i[0] + h) * a->xs[0].size[0] + k;
}

/* For a row: the largest score so far, and the sum of e^(score - most). */
typedef struct row_sum {
    ag_real most, total;
} row_sum;

/* n more products of a row become e^(scale product - most). Returns the factor for the earlier
   ones, which had a smaller `most`. */
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

/* A unit is a row with all its heads on a CPU, and one head of a row on a GPU. */
AG_BOTH int dot_units(const ag_args *a) { return MOST_LANES == 1 ? 1 : a->attr.i[0]; }

/* scratch [n, heads] = <dy, y> of each row and head, which equals the sum of p dp. */
ROW_OF(attention_dots, (int64_t)a->xs[0].size[0] * dot_units(a),
       ag__columns(a->ys[0]) / a->attr.i[0])
{
    const int heads = a->attr.i[0], d = ag__columns(a->ys[0]) / heads, units = dot_units(a);
    const int64_t v = r / units;
    for (int h = (int)(r % units); h < heads; h += units) {
        const ag_real *y = Y(0) + (v * heads + h) * d, *dy = DY(0) + (v * heads + h) * d;
        ag_real dot;
        SUM(dot, i, d, y[i] * dy[i]);
        if (LANE == 0) a->scratch[v * heads + h] = dot;
    }
}

/* ---- on a device ---- */

/* Each lane takes one key of a row at a time. A row here is one head of one row of qkv. */

typedef struct head_row {
    int64_t v; /* the row of qkv; its graph has rows lo..hi-1 */
    int lo, hi, d;
    int64_t wide, narrow; /* elements of a row of qkv and of y */
    int64_t at;           /* where the head begins in a row of y */
    ag_real scale;
} head_row;

KERNEL head_row head_row_of(const ag_args *a, int64_t r)
{
    const int heads = a->attr.i[0], width = a->ys[0].size[1], d = width / heads;
    const int64_t v = r / heads;
    const row_cut graphs = graphs_of(a);
    const int64_t g = cut_segment(graphs, v);
    head_row w;
    w.v = v;
    w.lo = cut_start(graphs, g);
    w.hi = cut_start(graphs, g + 1);
    w.d = d;
    w.wide = 3 * (int64_t)width;
    w.narrow = width;
    w.at = r % heads * d;
    w.scale = 1 / v_sqrt((ag_real)(d ? d : 1));
    return w;
}

/* How many of a graph's rows from k on are processed together. */
KERNEL int passing(const head_row *w, int k) { return w->hi - k < LANES ? w->hi - k : LANES; }

KERNEL ag_real lane_product(const ag_real *x, const ag_real *y, int d)
{
    ag_real sum = 0;
    for (int i = 0; i < d; i++) sum += x[i] * y[i];
    return sum;
}

/* to = keep to + the sum of w x[j], with w of lane j, over the rows j < n of x. If keep is 0, `to`
   is not read. */
KERNEL void add_weighed(ag_real *to, ag_real keep, ag_real w, const ag_real *x, int64_t row, int n,
                        int d)
{
    for (int first = 0; first < d; first += LANES) {
        const int i = first + LANE;
        ag_real sum = 0;
        for (int j = 0; j < n; j++) {
            const ag_real weight = OF_LANE(j, w);
            if (i < d) sum += weight * x[j * row + i];
        }
        if (i < d) to[i] = keep == 0 ? sum : to[i] * keep + sum;
    }
}

/* The factor of dropout for the weight of row u of the graph, in row v and the head of unit r. */
KERNEL ag_real weight_factor(const ag_args *a, const head_row *w, int64_t v, int64_t r, int u)
{
    const dropout_key key = dropout_key_of(a);
    return dropout_factor(&key, weight_number(a, v, (int)(r % a->attr.i[0]), u - w->lo));
}

KERNEL void attend_row(const ag_args *a, int64_t r, const int drops)
{
    const head_row w = head_row_of(a, r);
    const ag_real *query = X(0) + w.v * w.wide + w.at;
    ag_real *y = Y(0) + w.v * w.narrow + w.at, most = -INFINITY, total = 0;
    for (int k = w.lo; k < w.hi; k += LANES) {
        const int n = passing(&w, k);
        const ag_real *key = X(0) + k * w.wide + w.narrow + w.at, *value = key + w.narrow;
        const ag_real before = most;
        ag_real p = 0, sum;
        EACH (i, n) p = w.scale * lane_product(query, key + i * w.wide, w.d);
        MAXIMUM(most, before, i, n, p);
        EACH (i, n) p = v_exp(p - most);
        SUM(sum, i, n, p);
        if (drops)
            EACH (i, n) p *= weight_factor(a, &w, w.v, r, k + i);
        const ag_real shrink = k > w.lo ? v_exp(before - most) : 0;
        add_weighed(y, shrink, p, value, w.wide, n, w.d);
        total = total * shrink + sum;
    }
    EACH (i, w.d) y[i] /= total;
    if (LANE == 0) Y(1)[r] = most + v_log(total);
}

ROW(attention_row, a->xs[0].size[0] * (int64_t)a->attr.i[0]) { attend_row(a, r, 0); }

ROW(attention_dropout_row, a->xs[0].size[0] * (int64_t)a->attr.i[0]) { attend_row(a, r, 1); }

/* Computes the gradient of the query of a row from all keys, and those of its key and its value
   from all queries. */
KERNEL void attend_row_back(const ag_args *a, int64_t r, const int add, const int drops)
{
    const head_row w = head_row_of(a, r);
    const int heads = a->attr.i[0];
    const int64_t own = w.v * w.wide + w.at, h = r % heads;
    const ag_real *logs = (const ag_real *)a->y[1], *dots = a->scratch;
    const ag_real *query = X(0) + own, *key = query + w.narrow, *value = key + w.narrow,
                  *dy = DY(0) + w.v * w.narrow + w.at;
    for (int k = w.lo; k < w.hi; k += LANES) {
        const int n = passing(&w, k);
        const ag_real *q = X(0) + k * w.wide + w.at, *dys = DY(0) + k * w.narrow + w.at;
        const ag_real keep = add || k > w.lo ? 1 : 0;
        ag_real ds = 0, p = 0;
        EACH (i, n) {
            const ag_real *other = q + i * w.wide + w.narrow;
            ag_real dp = lane_product(dy, other + w.narrow, w.d);
            if (drops) dp *= weight_factor(a, &w, w.v, r, k + i);
            p = v_exp(w.scale * lane_product(query, other, w.d) - logs[r]);
            ds = p * w.scale * (dp - dots[r]);
        }
        add_weighed(DX + own, keep, ds, q + w.narrow, w.wide, n, w.d);
        EACH (i, n) {
            const int64_t at = (int64_t)(k + i) * heads + h;
            const ag_real factor = drops ? weight_factor(a, &w, k + i, r, (int)w.v) : 1;
            p = v_exp(w.scale * lane_product(q + i * w.wide, key, w.d) - logs[at]);
            ds = p * w.scale * (factor * lane_product(dys + i * w.narrow, value, w.d) - dots[at]);
            p *= factor;
        }
        add_weighed(DX + own + w.narrow, keep, ds, q, w.wide, n, w.d);
        add_weighed(DX + own + 2 * w.narrow, keep, p, dys, w.narrow, n, w.d);
    }
}

ROW_PUT(attention_row_back, a->xs[0].size[0] * (int64_t)a->attr.i[0])
{
    attend_row_back(a, r, add, 0);
}

ROW_PUT(attention_dropout_row_back, a->xs[0].size[0] * (int64_t)a->attr.i[0])
{
    attend_row_back(a, r, add, 1);
}
