/* SPDX-License-Identifier: MIT */
/* The table of the ops, and the shapes that follow from operands, except of reductions. */
#include "examples/lab/program/program_internal.h"

#include <math.h>

/* The shape that the node itself states. */
static ag_status given(lab_shape *shape, const lab_site *site)
{
    *shape = site->node->shape;
    if (lab_elements(*shape) > 0) return AG_OK;
    return lab__refuse(site, "the shape %s has a size below 1 or more than %d elements",
                       lab__shape_text(*shape).text, LAB_ELEMENTS);
}

/* Checks that all operands from `first` on have one shape. */
static ag_status check_equal(const lab_site *site, int first)
{
    const lab_shape a = lab__operand(site, first);
    for (int k = first + 1; k < site->node->n_operands; k++) {
        const lab_shape b = lab__operand(site, k);
        if (!lab__same_shape(a, b))
            return lab__refuse(site, "operand %d is %s and operand %d is %s; they must be equal",
                               first, lab__shape_text(a).text, k, lab__shape_text(b).text);
    }
    return AG_OK;
}

ag_status lab__shape_same(lab_shape *shape, const lab_site *site)
{
    *shape = lab__operand(site, 0);
    return check_equal(site, 0);
}

ag_status lab__shape_compare(lab_shape *shape, const lab_site *site)
{
    const ag_status status = lab__shape_same(shape, site);
    shape->type = LAB_PRED;
    return status;
}

static ag_status select_shape(lab_shape *shape, const lab_site *site)
{
    const lab_shape which = lab__operand(site, 0);
    *shape = lab__operand(site, 1);
    if (check_equal(site, 1) || lab__same_sizes(which, *shape)) return site->why->status;
    return lab__refuse(site, "operand 0 is %s, but what it chooses from is %s",
                       lab__shape_text(which).text, lab__shape_text(*shape).text);
}

static ag_status constant(lab_shape *shape, const lab_site *site)
{
    const float value = site->node->value;
    if (given(shape, site)) return site->why->status;
    const int fits = shape->type == LAB_F32 ? !isnan(value)
                     : shape->type == LAB_S32
                         ? fabsf(value) <= 16777216.0f && truncf(value) == value
                         : value == 0.0f || value == 1.0f;
    if (fits) return AG_OK;
    return lab__refuse(site, "the value %g is none of type %s", (double)value,
                       lab_type_name(shape->type));
}

static ag_status iota(lab_shape *shape, const lab_site *site)
{
    if (given(shape, site)) return site->why->status;
    if (shape->type == LAB_PRED)
        return lab__refuse(site, "its type is pred; f32 and s32 are possible");
    if (site->node->n_dims != 1)
        return lab__refuse(site, "it has %d dims; one axis is counted along", site->node->n_dims);
    return lab__check_axes(site, shape->rank, 0);
}

static ag_status gather(lab_shape *shape, const lab_site *site)
{
    const lab_shape x = lab__operand(site, 0), rows = lab__operand(site, 1);
    *shape = (lab_shape){x.type, 2, {rows.size[0], x.size[1]}};
    if (x.rank == 2 && rows.rank == 1 && rows.type == LAB_S32) return AG_OK;
    return lab__refuse(site, "operands are %s and %s; a table [v,f] and row numbers s32[n] are due",
                       lab__shape_text(x).text, lab__shape_text(rows).text);
}

/* There is a dim for every axis of the operand. */
static ag_status check_dims(const lab_site *site, lab_shape x, int rank)
{
    if (site->node->n_dims == x.rank) return lab__check_axes(site, rank, 0);
    return lab__refuse(site, "it has %d dims, but operand 0 is %s", site->node->n_dims,
                       lab__shape_text(x).text);
}

static ag_status broadcast(lab_shape *shape, const lab_site *site)
{
    const int *dims = site->node->dims;
    const lab_shape x = lab__operand(site, 0);
    if (given(shape, site) || check_dims(site, x, shape->rank)) return site->why->status;
    shape->type = x.type;
    for (int i = 0; i < x.rank; i++)
        if (x.size[i] != shape->size[dims[i]])
            return lab__refuse(site, "axis %d of operand 0 %s becomes axis %d of %s: sizes differ",
                               i, lab__shape_text(x).text, dims[i], lab__shape_text(*shape).text);
    return AG_OK;
}

static ag_status reshape(lab_shape *shape, const lab_site *site)
{
    const lab_shape x = lab__operand(site, 0);
    if (given(shape, site)) return site->why->status;
    shape->type = x.type;
    if (lab_elements(x) == lab_elements(*shape)) return AG_OK;
    return lab__refuse(site, "operand 0 %s and the result %s differ in elements",
                       lab__shape_text(x).text, lab__shape_text(*shape).text);
}

static ag_status transpose(lab_shape *shape, const lab_site *site)
{
    const lab_shape x = *shape;
    if (check_dims(site, x, x.rank)) return site->why->status;
    for (int i = 0; i < x.rank; i++) shape->size[i] = x.size[site->node->dims[i]];
    return AG_OK;
}

static ag_status convert(lab_shape *shape, const lab_site *site)
{
    shape->type = site->node->shape.type;
    return AG_OK;
}

static ag_status concatenate(lab_shape *shape, const lab_site *site)
{
    const lab_node *node = site->node;
    const int axis = node->dims[0];
    if (node->n_dims != 1)
        return lab__refuse(site, "it has %d dims; one axis is joined along", node->n_dims);
    if (lab__check_axes(site, shape->rank, 0)) return site->why->status;
    for (int k = 1; k < node->n_operands; k++) {
        lab_shape part = lab__operand(site, k), like = *shape;
        if (axis < part.rank) like.size[axis] = part.size[axis];
        if (!lab__same_shape(part, like))
            return lab__refuse(site, "operand %d is %s, which does not fit to %s along axis %d", k,
                               lab__shape_text(part).text,
                               lab__shape_text(lab__operand(site, 0)).text, axis);
        if (part.size[axis] > LAB_ELEMENTS - shape->size[axis])
            return lab__refuse(site, "axis %d of the result has more than %d elements", axis,
                               LAB_ELEMENTS);
        shape->size[axis] += part.size[axis];
    }
    return AG_OK;
}

static ag_status slice(lab_shape *shape, const lab_site *site)
{
    for (int i = 0; i < shape->rank; i++) {
        const int start = site->node->start[i], limit = site->node->limit[i],
                  stride = site->node->stride[i];
        if (start < 0 || limit <= start || limit > shape->size[i] || stride < 1)
            return lab__refuse(site,
                               "axis %d of operand 0 has %d elements; start %d, limit %d, stride "
                               "%d do not name a part of it",
                               i, shape->size[i], start, limit, stride);
        shape->size[i] = (limit - start - 1) / stride + 1;
    }
    return AG_OK;
}

static ag_status pad(lab_shape *shape, const lab_site *site)
{
    const lab_shape value = lab__operand(site, 1);
    if (value.rank || value.type != shape->type)
        return lab__refuse(site, "operand 1 is %s; a scalar of type %s is due",
                           lab__shape_text(value).text, lab_type_name(shape->type));
    for (int i = 0; i < shape->rank; i++) {
        const int low = site->node->window[i].low, high = site->node->window[i].high;
        if (low < 0 || high < 0 || low > LAB_ELEMENTS || high > LAB_ELEMENTS)
            return lab__refuse(site, "axis %d is padded by %d and %d; 0 to %d are possible", i, low,
                               high, LAB_ELEMENTS);
        shape->size[i] += low + high; /* 3 * 2^28 at most */
    }
    return AG_OK;
}

static ag_status reverse(lab_shape *shape, const lab_site *site)
{
    if (site->node->n_dims < 1)
        return lab__refuse(site, "it names no axis to reverse; name one at least");
    return lab__check_axes(site, shape->rank, 1);
}

enum {
    F32 = 1 << LAB_F32,
    PRED = 1 << LAB_PRED,
    NUMBERS = F32 | 1 << LAB_S32,
    ANY = NUMBERS | PRED
};

#undef LAB_OP
#undef LAB_MAP
#define LAB_OP(name, text, code, arity, types, shape) \
 [LAB_##name] = {text, code, arity, types, shape},
#define LAB_MAP(name, text, code, arity, types, shape, y) \
 [LAB_##name] = {text, code, arity, types, shape},
const lab_op_entry lab__ops[LAB_OPS] = {
#include "examples/lab/program/ops.def"
};
