/* SPDX-License-Identifier: MIT */
/* The plain reference of the ops with a reduction: one element of the result. */
#include "support/test.h"
#include "lab_reference.h"

/* The sum, or the largest value so far. */
typedef struct total {
    lab_reducer reducer;
    double value, magnitude;
} total;

static total begin(lab_reducer reducer)
{
    return (total){reducer, reducer == LAB_MAX ? -HUGE_VAL : 0, 0};
}

static void add(total *t, double x)
{
    t->value = t->reducer == LAB_SUM ? t->value + x : x > t->value ? x : t->value;
    t->magnitude += fabs(x);
}

static void dot(total *t, const lab__site *s, const int *index)
{
    const lab_dot_dims d = s->node->dot;
    const lab_shape a = lab__ref_shape(s, 0), b = lab__ref_shape(s, 1);
    int left[LAB_RANK], right[LAB_RANK], at = 0;
    for (; at < d.batch; at++) left[at] = right[at] = index[at];
    for (int i = d.batch; i < a.rank; i++)
        if (i != d.left) left[i] = index[at++];
    for (int i = d.batch; i < b.rank; i++)
        if (i != d.right) right[i] = index[at++];
    for (int k = 0; k < a.size[d.left]; k++) {
        left[d.left] = right[d.right] = k;
        add(t, (double)lab__ref_at(s, 0, left) * (double)lab__ref_at(s, 1, right));
    }
}

/* Index of the input under tap `tap` of a window at output position `at`; -1: in the padding or
   between two elements. */
static int under(const lab_window *w, int at, int tap, int size)
{
    const int turned = w->reversed ? w->size - 1 - tap : tap;
    const int64_t i = (int64_t)at * w->stride + (int64_t)turned * w->dilation - w->low;
    if (i < 0 || i % w->base_dilation || i / w->base_dilation >= size) return -1;
    return (int)(i / w->base_dilation);
}

static void convolution(total *t, const lab__site *s, const int *index)
{
    const lab_conv_dims *d = &s->node->conv;
    const lab_shape in = lab__ref_shape(s, 0), kernel = lab__ref_shape(s, 1);
    const int each = kernel.size[d->kernel_in];
    const int gives = kernel.size[d->kernel_out] / d->groups;
    int taps[3] = {1, 1, 1}, tap[3], x[LAB_RANK], w[LAB_RANK];
    for (int i = 0; i < d->spatial; i++) taps[i] = kernel.size[d->kernel_spatial[i]];
    x[d->in_batch] = index[d->out_batch];
    w[d->kernel_out] = index[d->out_feature];
    for (tap[0] = 0; tap[0] < taps[0]; tap[0]++)
        for (tap[1] = 0; tap[1] < taps[1]; tap[1]++)
            for (tap[2] = 0; tap[2] < taps[2]; tap[2]++) {
                int inside = 1;
                for (int i = 0; i < d->spatial; i++) {
                    const int axis = d->in_spatial[i];
                    x[axis] =
                        under(&s->node->window[i], index[d->out_spatial[i]], tap[i], in.size[axis]);
                    w[d->kernel_spatial[i]] = tap[i];
                    inside &= x[axis] >= 0;
                }
                for (int k = 0; inside && k < each; k++) {
                    x[d->in_feature] = index[d->out_feature] / gives * each + k;
                    w[d->kernel_in] = k;
                    add(t, (double)lab__ref_at(s, 0, x) * (double)lab__ref_at(s, 1, w));
                }
            }
}

static void reduce(total *t, const lab__site *s, const int *index)
{
    const lab_shape in = lab__ref_shape(s, 0);
    const int n = s->node->n_dims, *dims = s->node->dims;
    int x[LAB_RANK] = {0};
    for (int i = 0, sum = 0, out = 0; i < in.rank; i++)
        if (sum < n && dims[sum] == i)
            sum++;
        else
            x[i] = index[out++];
    for (int i = 0; i >= 0;) {
        add(t, (double)lab__ref_at(s, 0, x));
        for (i = n - 1; i >= 0 && ++x[dims[i]] == in.size[dims[i]]; i--) x[dims[i]] = 0;
    }
}

static void reduce_window(total *t, const lab__site *s, const int *index)
{
    const lab_shape in = lab__ref_shape(s, 0);
    const lab_window *w = s->node->window;
    int tap[LAB_RANK] = {0}, x[LAB_RANK];
    for (int i = 0; i >= 0;) {
        int inside = 1;
        for (int j = 0; j < in.rank; j++) {
            x[j] = under(&w[j], index[j], tap[j], in.size[j]);
            inside &= x[j] >= 0;
        }
        if (inside) add(t, (double)lab__ref_at(s, 0, x));
        for (i = in.rank - 1; i >= 0 && ++tap[i] == w[i].size; i--) tap[i] = 0;
    }
}

double lab__ref_sum(const lab__site *s, const int *index, double *magnitude)
{
    const int window = s->node->op == LAB_REDUCE || s->node->op == LAB_REDUCE_WINDOW;
    total t = begin(window ? s->node->reducer : LAB_SUM);
    switch (s->node->op) {
    case LAB_DOT: dot(&t, s, index); break;
    case LAB_CONVOLUTION: convolution(&t, s, index); break;
    case LAB_REDUCE: reduce(&t, s, index); break;
    default: reduce_window(&t, s, index); break;
    }
    if (magnitude) *magnitude = t.magnitude;
    return t.value;
}
