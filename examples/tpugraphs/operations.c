/* SPDX-License-Identifier: MIT */
#include "examples/tpugraphs/operations.h"

#include <stddef.h>
#include <stdint.h>

int tpugraphs_whole(float value)
{
    return value >= 1e9F ? 1000000000 : value > -1e9F ? (int)value : -1000000000;
}

static int at_least_one(float value)
{
    const int n = tpugraphs_whole(value);
    return n < 1 ? 1 : n;
}

tpugraphs_shape tpugraphs_shape_of(const float *feature)
{
    tpugraphs_shape s = {0, {1, 1, 1, 1, 1, 1}};
    for (; s.rank < TPUGRAPHS_AXES && feature[TPUGRAPHS_SIZES + s.rank] >= 1; s.rank++)
        s.size[s.rank] = tpugraphs_whole(feature[TPUGRAPHS_SIZES + s.rank]);
    return s;
}

int tpugraphs_are_axes(const int *axis, int count, int rank)
{
    unsigned seen = 0;
    for (int i = 0; i < count; i++) {
        if (axis[i] < 0 || axis[i] >= rank || seen >> axis[i] & 1) return 0;
        seen |= 1u << axis[i];
    }
    return 1;
}

int tpugraphs_windows_read(tpugraphs_window window[TPUGRAPHS_AXES], const float *feature)
{
    int n = 0;
    while (n < TPUGRAPHS_AXES && feature[TPUGRAPHS_WINDOW_SIZE + n] >= 1) n++;
    for (int i = 0; i < TPUGRAPHS_AXES; i++, feature++)
        window[i] =
            (tpugraphs_window){.size = at_least_one(feature[TPUGRAPHS_WINDOW_SIZE]),
                               .stride = at_least_one(feature[TPUGRAPHS_WINDOW_STRIDE]),
                               .low = tpugraphs_whole(feature[TPUGRAPHS_WINDOW_LOW]),
                               .high = tpugraphs_whole(feature[TPUGRAPHS_WINDOW_HIGH]),
                               .dilation = at_least_one(feature[TPUGRAPHS_WINDOW_DILATION]),
                               .base_dilation = at_least_one(feature[TPUGRAPHS_BASE_DILATION])};
    return n;
}

/* ---- dot ---- */

/* 1 if the result has the batch axes, then the free axes of both operands. */
static int free_axes_fit(const tpugraphs_dot_axes *d, const tpugraphs_shape *out,
                         const tpugraphs_shape *a, const tpugraphs_shape *b)
{
    int n = 0;
    for (; n < d->batch; n++)
        if (a->size[n] != out->size[n] || b->size[n] != out->size[n]) return 0;
    for (int i = d->batch; i < a->rank; i++)
        if (i != d->left && a->size[i] != out->size[n++]) return 0;
    for (int i = d->batch; i < b->rank; i++)
        if (i != d->right && b->size[i] != out->size[n++]) return 0;
    return a->size[d->left] == b->size[d->right];
}

int tpugraphs_dot_fits(const tpugraphs_dot_axes *d, const tpugraphs_shape *out,
                       const tpugraphs_shape *a, const tpugraphs_shape *b)
{
    return d->batch >= 0 && d->batch == a->rank + b->rank - 2 - out->rank && d->left >= d->batch &&
           d->left < a->rank && d->right >= d->batch && d->right < b->rank &&
           free_axes_fit(d, out, a, b);
}

int tpugraphs_dot_readings(tpugraphs_dot_axes *dot, int most, const tpugraphs_shape *out,
                           const tpugraphs_shape *a, const tpugraphs_shape *b)
{
    tpugraphs_dot_axes d = {.batch = a->rank + b->rank - 2 - out->rank};
    int n = 0;
    if (d.batch < 0) return 0;
    for (d.left = a->rank - 1; d.left >= d.batch; d.left--)
        for (d.right = d.batch; d.right < b->rank && n < most; d.right++)
            if (free_axes_fit(&d, out, a, b)) dot[n++] = d;
    return n;
}

/* ---- convolution ---- */

/* Two axes and the spatial ones of a list of features. */
static int read_axes(int *first, int *second, int *spatial, int n, const float *feature, int rank)
{
    int axis[TPUGRAPHS_AXES];
    for (int i = 0; i < TPUGRAPHS_AXES; i++) axis[i] = tpugraphs_whole(feature[i]);
    *first = axis[0];
    *second = axis[1];
    for (int i = 0; i < n; i++) spatial[i] = axis[2 + i];
    return tpugraphs_are_axes(axis, 2 + n, rank);
}

int tpugraphs_conv_read(tpugraphs_conv_axes *c, const float *feature, int rank)
{
    const int n = rank < 2 ? 0 : rank - 2;
    *c = (tpugraphs_conv_axes){.spatial = n, .groups = at_least_one(feature[TPUGRAPHS_GROUPS])};
    if (!read_axes(&c->out_batch, &c->out_feature, NULL, 0, feature + TPUGRAPHS_OUT_BATCH, rank))
        return 0;
    /* The features omit the result's spatial axes, which are the remaining ones, ascending. */
    for (int a = 0, i = 0; a < rank && i < TPUGRAPHS_SPATIAL; a++)
        if (a != c->out_batch && a != c->out_feature) c->out_spatial[i++] = a;
    return read_axes(&c->in_batch, &c->in_feature, c->in_spatial, n, feature + TPUGRAPHS_IN_BATCH,
                     rank) &&
           read_axes(&c->kernel_in, &c->kernel_out, c->kernel_spatial, n,
                     feature + TPUGRAPHS_KERNEL_IN, rank);
}

int tpugraphs_conv_fits(const tpugraphs_conv_axes *c, const tpugraphs_shape *out,
                        const tpugraphs_shape *in, const tpugraphs_shape *kernel)
{
    return in->rank == out->rank && kernel->rank == out->rank &&
           in->size[c->in_feature] == (int64_t)c->groups * kernel->size[c->kernel_in] &&
           kernel->size[c->kernel_out] == out->size[c->out_feature];
}
