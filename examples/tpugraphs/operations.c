/* SPDX-License-Identifier: MIT */
/* Reads what op codes and features say of a node. */
#include "examples/tpugraphs/operations.h"
#include "examples/tpugraphs/tpugraphs.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A feature as a number, 10^9 at most. */
static int whole(float value)
{
    return value >= 1e9F ? 1000000000 : value > -1e9F ? (int)value : -1000000000;
}

static int at_least_one(float value)
{
    const int n = whole(value);
    return n < 1 ? 1 : n;
}

/* 1 if the list names axes below `rank`, each once. */
static int are_axes(const int *axis, int count, int rank)
{
    unsigned seen = 0;
    for (int i = 0; i < count; i++) {
        if (axis[i] < 0 || axis[i] >= rank || seen >> axis[i] & 1) return 0;
        seen |= 1u << axis[i];
    }
    return 1;
}

static void read_windows(tpugraphs_window window[TPUGRAPHS_AXES], const float *feature)
{
    for (int i = 0; i < TPUGRAPHS_AXES; i++, feature++)
        window[i] =
            (tpugraphs_window){.size = at_least_one(feature[TPUGRAPHS_WINDOW_SIZE]),
                               .stride = at_least_one(feature[TPUGRAPHS_WINDOW_STRIDE]),
                               .low = whole(feature[TPUGRAPHS_WINDOW_LOW]),
                               .high = whole(feature[TPUGRAPHS_WINDOW_HIGH]),
                               .dilation = at_least_one(feature[TPUGRAPHS_WINDOW_DILATION]),
                               .base_dilation = at_least_one(feature[TPUGRAPHS_BASE_DILATION])};
}

/* 1 if the result has the batch axes, then the free axes of both operands. */
static int free_axes_fit(const tpugraphs_dot_axes *d, const tpugraphs_operation *out,
                         const tpugraphs_operation *a, const tpugraphs_operation *b)
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

int tpugraphs_dot_readings(tpugraphs_dot_axes *dot, int most, const tpugraphs_operation *out,
                           const tpugraphs_operation *a, const tpugraphs_operation *b)
{
    tpugraphs_dot_axes d = {.batch = a->rank + b->rank - 2 - out->rank};
    int n = 0;
    if (d.batch < 0) return 0;
    for (d.left = a->rank - 1; d.left >= d.batch; d.left--)
        for (d.right = d.batch; d.right < b->rank && n < most; d.right++)
            if (free_axes_fit(&d, out, a, b)) dot[n++] = d;
    return n;
}

/* Two axes and the spatial ones of a list of features. */
static int read_axes(int *first, int *second, int *spatial, int n, const float *feature, int rank)
{
    int axis[TPUGRAPHS_AXES];
    for (int i = 0; i < TPUGRAPHS_AXES; i++) axis[i] = whole(feature[i]);
    *first = axis[0];
    *second = axis[1];
    for (int i = 0; i < n; i++) spatial[i] = axis[2 + i];
    return are_axes(axis, 2 + n, rank);
}

/* Reads the axes of a convolution whose result has this rank; 0: the features name none. */
static int read_conv(tpugraphs_conv_axes *c, const float *feature, int rank)
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

tpugraphs_operation tpugraphs_operation_read(int opcode, const float *feature)
{
    tpugraphs_operation o = {.opcode = opcode, .size = {1, 1, 1, 1, 1, 1}};
    for (; o.rank < TPUGRAPHS_AXES && feature[TPUGRAPHS_SIZES + o.rank] >= 1; o.rank++)
        o.size[o.rank] = whole(feature[TPUGRAPHS_SIZES + o.rank]);
    for (int i = 0; i < TPUGRAPHS_AXES; i++) o.dims[i] = whole(feature[TPUGRAPHS_DIMS + i]);
    read_windows(o.window, feature);
    o.known = read_conv(&o.conv, feature, o.rank) && opcode == TPUGRAPHS_CONVOLUTION;
    return o;
}

static int broadcast_fits(const tpugraphs_operation *o, const tpugraphs_operation *x)
{
    if (!are_axes(o->dims, x->rank, o->rank)) return 0;
    for (int i = 0; i < x->rank; i++)
        if (x->size[i] != o->size[o->dims[i]]) return 0;
    return 1;
}

/* Takes the axes that the file names if they fit, else the first that do. */
static int dot_fits(tpugraphs_operation *o, const tpugraphs_operation *a,
                    const tpugraphs_operation *b)
{
    enum { ALL = TPUGRAPHS_AXES * TPUGRAPHS_AXES };
    tpugraphs_dot_axes axes[ALL];
    const int n = tpugraphs_dot_readings(axes, ALL, o, a, b);
    for (int i = 0; i < n && o->known; i++)
        if (!memcmp(&axes[i], &o->dot, sizeof o->dot)) return 1;
    if (n) {
        o->dot = axes[0];
        o->known = 0;
    }
    return n > 0;
}

static int convolution_fits(const tpugraphs_operation *o, const tpugraphs_operation *in,
                            const tpugraphs_operation *kernel)
{
    const tpugraphs_conv_axes *c = &o->conv;
    if (!o->known || in->rank != o->rank || kernel->rank != o->rank ||
        in->size[c->in_feature] != (int64_t)c->groups * kernel->size[c->kernel_in] ||
        kernel->size[c->kernel_out] != o->size[c->out_feature])
        return 0;
    for (int i = 0; i < c->spatial; i++)
        if (kernel->size[c->kernel_spatial[i]] != o->window[i].size) return 0;
    return 1;
}

/* 1 if the node does with these operands what its op code says. */
static int fits(tpugraphs_operation *o, const tpugraphs_operation *a, const tpugraphs_operation *b)
{
    const int lost = a->rank - o->rank;
    switch (o->opcode) {
    case TPUGRAPHS_BROADCAST: return broadcast_fits(o, a);
    case TPUGRAPHS_TRANSPOSE: return lost == 0 && are_axes(o->dims, o->rank, o->rank);
    case TPUGRAPHS_REDUCE: return lost > 0 && are_axes(o->dims, lost, a->rank);
    case TPUGRAPHS_REDUCE_WINDOW: return lost == 0;
    case TPUGRAPHS_DOT: return dot_fits(o, a, b);
    case TPUGRAPHS_CONVOLUTION: return convolution_fits(o, a, b);
    default: return o->opcode == TPUGRAPHS_RESHAPE;
    }
}

static void swap(int operand[2])
{
    const int first = operand[0];
    operand[0] = operand[1];
    operand[1] = first;
}

static int has_operand(const tpugraphs_operation *o, int node)
{
    return (o->operands > 0 && o->operand[0] == node) || (o->operands > 1 && o->operand[1] == node);
}

void tpugraphs_name_dots(tpugraphs_operation *all, const tpugraphs_dot *dot, int count)
{
    for (; count > 0; count--, dot++) {
        tpugraphs_operation *o = &all[dot->node];
        const int ordered = has_operand(o, dot->left) && has_operand(o, dot->right);
        o->dot = (tpugraphs_dot_axes){dot->batch, dot->left_axis, dot->right_axis};
        o->known = ordered || (dot->left < 0 && dot->right < 0);
        if (!ordered) continue;
        o->operands = 2;
        o->operand[0] = dot->left;
        o->operand[1] = dot->right;
    }
}

void tpugraphs_settle(tpugraphs_operation *o, const tpugraphs_operation *all, int ordered)
{
    const int product = o->opcode == TPUGRAPHS_DOT || o->opcode == TPUGRAPHS_CONVOLUTION;
    o->kind = o->operands ? TPUGRAPHS_MAP : TPUGRAPHS_LEAF;
    /* The bounds of a clamp are mostly scalars, so its layout is that of the clamped operand. */
    if (ordered && o->opcode == TPUGRAPHS_CLAMP && o->operands == 2) swap(o->operand);
    if (product && o->operands == 1) o->operand[o->operands++] = o->operand[0];
    for (int turn = 0; turn < o->operands; turn++) {
        const tpugraphs_operation *a = &all[o->operand[0]];
        if (fits(o, a, &all[o->operand[o->operands - 1]])) o->kind = o->opcode;
        if (o->kind != TPUGRAPHS_MAP || ordered) break;
        if (o->operands == 2 && (product || a->rank != o->rank)) swap(o->operand);
    }
    if (!product && o->kind > TPUGRAPHS_MAP) o->operands = 1; /* the others are scalars */
}

tpugraphs_space tpugraphs_space_of(const tpugraphs_operation *o, const tpugraphs_operation *a,
                                   const tpugraphs_operation *b)
{
    switch (o->opcode) {
    case TPUGRAPHS_DOT: return tpugraphs_dot_space(o->dot, a->size, a->rank, b->rank);
    case TPUGRAPHS_CONVOLUTION: return tpugraphs_conv_space(&o->conv, o->window, b->size);
    case TPUGRAPHS_REDUCE_WINDOW: return tpugraphs_window_space(o->window, a->rank);
    default: return tpugraphs_reduce_space(o->dims, a->rank - o->rank, a->size, a->rank);
    }
}
