/* SPDX-License-Identifier: MIT */
/* Shapes of the ops that move elements. */
#include "examples/lab/program/program_internal.h"

ag_status lab__check_axes(const lab_site *site, int rank, int ascending)
{
    const lab_node *node = site->node;
    unsigned seen = 0;
    if (node->n_dims < 0 || node->n_dims > LAB_RANK)
        return lab__refuse(site, AG_EUSE, "it has %d dims; 0 to %d are possible", node->n_dims,
                           LAB_RANK);
    for (int i = 0; i < node->n_dims; i++) {
        int axis = node->dims[i];
        if (axis < 0 || axis >= rank)
            return lab__refuse(site, AG_EINDEX, "dims[%d] is axis %d of a value of rank %d", i,
                               axis, rank);
        if (seen >> axis & 1) return lab__refuse(site, AG_EUSE, "dims names axis %d twice", axis);
        if (ascending && seen >> axis)
            return lab__refuse(site, AG_EUSE, "dims must ascend, but axis %d follows a larger one",
                               axis);
        seen |= 1u << axis;
    }
    return AG_OK;
}

/* There is a dim for every axis of the operand. */
static ag_status check_dims(const lab_site *site, lab_shape x, int rank)
{
    if (site->node->n_dims == x.rank) return lab__check_axes(site, rank, 0);
    return lab__refuse(site, AG_EUSE, "it has %d dims, but operand 0 is %s", site->node->n_dims,
                       lab__shape_text(x).text);
}

ag_status lab__shape_broadcast(lab_shape *shape, const lab_site *site)
{
    const lab_node *node = site->node;
    lab_shape x = lab__operand(site, 0)->shape;
    if (lab__shape_given(shape, site) || check_dims(site, x, shape->rank)) return site->why->status;
    shape->type = x.type;
    for (int i = 0; i < x.rank; i++)
        if (x.size[i] != shape->size[node->dims[i]])
            return lab__refuse(
                site, AG_ESHAPE, "axis %d of operand 0 %s becomes axis %d of %s: sizes differ", i,
                lab__shape_text(x).text, node->dims[i], lab__shape_text(*shape).text);
    return AG_OK;
}

ag_status lab__shape_reshape(lab_shape *shape, const lab_site *site)
{
    lab_shape x = lab__operand(site, 0)->shape;
    if (lab__shape_given(shape, site)) return site->why->status;
    shape->type = x.type;
    if (lab_elements(x) != lab_elements(*shape))
        return lab__refuse(site, AG_ESHAPE, "operand 0 %s and the result %s differ in elements",
                           lab__shape_text(x).text, lab__shape_text(*shape).text);
    return AG_OK;
}

ag_status lab__shape_transpose(lab_shape *shape, const lab_site *site)
{
    const lab_node *node = site->node;
    lab_shape x = lab__operand(site, 0)->shape;
    if (check_dims(site, x, x.rank)) return site->why->status;
    *shape = x;
    for (int i = 0; i < x.rank; i++) shape->size[i] = x.size[node->dims[i]];
    return AG_OK;
}

ag_status lab__shape_concatenate(lab_shape *shape, const lab_site *site)
{
    const lab_node *node = site->node;
    *shape = lab__operand(site, 0)->shape;
    if (node->n_dims != 1)
        return lab__refuse(site, AG_EUSE, "it has %d dims; one axis is joined along", node->n_dims);
    if (lab__check_axes(site, shape->rank, 0)) return site->why->status;
    int axis = node->dims[0];
    for (int k = 1; k < node->n_operands; k++) {
        lab_shape part = lab__operand(site, k)->shape, like = *shape;
        if (axis < part.rank) like.size[axis] = part.size[axis];
        if (!lab__same_shape(part, like))
            return lab__refuse(site, AG_ESHAPE,
                               "operand %d is %s, which does not fit to %s along axis %d", k,
                               lab__shape_text(part).text,
                               lab__shape_text(lab__operand(site, 0)->shape).text, axis);
        if (part.size[axis] > LAB_ELEMENTS - shape->size[axis])
            return lab__refuse(site, AG_ESHAPE, "axis %d of the result has more than %d elements",
                               axis, LAB_ELEMENTS);
        shape->size[axis] += part.size[axis];
    }
    return AG_OK;
}

ag_status lab__shape_slice(lab_shape *shape, const lab_site *site)
{
    const lab_node *node = site->node;
    *shape = lab__operand(site, 0)->shape;
    for (int i = 0; i < shape->rank; i++) {
        int start = node->start[i], limit = node->limit[i], stride = node->stride[i];
        if (start < 0 || limit <= start || limit > shape->size[i] || stride < 1 ||
            stride > LAB_ELEMENTS)
            return lab__refuse(site, AG_EINDEX,
                               "axis %d of operand 0 has %d elements; start %d, limit %d, stride "
                               "%d do not name a part of it",
                               i, shape->size[i], start, limit, stride);
        shape->size[i] = (limit - start - 1) / stride + 1;
    }
    return AG_OK;
}

ag_status lab__shape_pad(lab_shape *shape, const lab_site *site)
{
    const lab_node *node = site->node;
    lab_shape value = lab__operand(site, 1)->shape;
    *shape = lab__operand(site, 0)->shape;
    if (value.rank || value.type != shape->type)
        return lab__refuse(site, AG_ESHAPE, "operand 1 is %s; a scalar of type %s is due",
                           lab__shape_text(value).text, lab_type_name(shape->type));
    for (int i = 0; i < shape->rank; i++) {
        int low = node->window[i].low, high = node->window[i].high;
        if (low < 0 || high < 0 || low > LAB_ELEMENTS || high > LAB_ELEMENTS)
            return lab__refuse(site, AG_EINDEX,
                               "axis %d is padded by %d and %d; 0 to %d are possible", i, low, high,
                               LAB_ELEMENTS);
        shape->size[i] += low + high; /* 3 * 2^28 at most */
    }
    return AG_OK;
}

ag_status lab__shape_convert(lab_shape *shape, const lab_site *site)
{
    const ag_status status = lab__shape_given(shape, site);
    *shape = lab__operand(site, 0)->shape;
    shape->type = site->node->shape.type;
    return status;
}

ag_status lab__shape_reverse(lab_shape *shape, const lab_site *site)
{
    *shape = lab__operand(site, 0)->shape;
    if (site->node->n_dims < 1)
        return lab__refuse(site, AG_EUSE, "it names no axis to reverse; name one at least");
    return lab__check_axes(site, shape->rank, 1);
}
