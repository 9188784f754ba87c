/* SPDX-License-Identifier: MIT */
/* Computes shapes from operands: rules of all ops, and those of the elementwise ones. */
#include "examples/lab/program/program_internal.h"

#include <math.h>

static int type_bit(lab_type type) { return 1 << (int)type; }

/* The shape that the node itself states. */
ag_status lab__shape_given(lab_shape *shape, const lab_site *site)
{
    const lab_shape *s = &site->node->shape;
    if ((unsigned)s->type >= LAB_TYPES)
        return lab__refuse(site, AG_EUSE, "element type %d is unknown; there are f32, s32 and pred",
                           (int)s->type);
    if (s->rank < 0 || s->rank > LAB_RANK)
        return lab__refuse(site, AG_ESHAPE, "the rank is %d; 0 to %d are possible", s->rank,
                           LAB_RANK);
    if (lab_elements(*s) < 1)
        return lab__refuse(site, AG_ESHAPE,
                           "the shape %s has a size below 1 or more than %d elements",
                           lab__shape_text(*s).text, LAB_ELEMENTS);
    *shape = *s;
    return AG_OK;
}

static ag_status check_operands(const lab_site *site, const lab_op_entry *op, int below)
{
    const lab_node *node = site->node;
    int least = op->arity < 0 ? 1 : op->arity, most = op->arity < 0 ? LAB_OPERANDS : op->arity;
    if (node->n_operands < least || node->n_operands > most)
        return lab__refuse(site, AG_EUSE, "it has %d operands, but takes %d%s", node->n_operands,
                           most, least < most ? " at most and one at least" : "");
    for (int k = 0; k < node->n_operands; k++)
        if (node->operand[k] < 0 || node->operand[k] >= below)
            return lab__refuse(site, AG_EINDEX,
                               "operand %d is node %d; %d nodes stand before this one", k,
                               node->operand[k], below);
    if (node->n_operands && !(op->types & type_bit(lab__operand(site, 0)->shape.type)))
        return lab__refuse(site, AG_EUSE, "operand 0 has type %s, which this op does not take",
                           lab_type_name(lab__operand(site, 0)->shape.type));
    return AG_OK;
}

/* Checks that all operands from `first` on have one shape. */
static ag_status check_equal(const lab_site *site, int first)
{
    lab_shape a = lab__operand(site, first)->shape;
    for (int k = first + 1; k < site->node->n_operands; k++) {
        lab_shape b = lab__operand(site, k)->shape;
        if (!lab__same_shape(a, b))
            return lab__refuse(site, AG_ESHAPE,
                               "operand %d is %s and operand %d is %s; they must be equal", first,
                               lab__shape_text(a).text, k, lab__shape_text(b).text);
    }
    return AG_OK;
}

ag_status lab__shape_select(lab_shape *shape, const lab_site *site)
{
    if (check_equal(site, 1)) return site->why->status;
    *shape = lab__operand(site, 1)->shape;
    lab_shape which = lab__operand(site, 0)->shape;
    if (!lab__same_sizes(which, *shape))
        return lab__refuse(site, AG_ESHAPE, "operand 0 is %s, but what it chooses from is %s",
                           lab__shape_text(which).text, lab__shape_text(*shape).text);
    return AG_OK;
}

ag_status lab__shape_constant(lab_shape *shape, const lab_site *site)
{
    float value = site->node->value;
    if (lab__shape_given(shape, site)) return site->why->status;
    int fits = shape->type == LAB_F32   ? !isnan(value)
               : shape->type == LAB_S32 ? fabsf(value) <= 16777216.0f && truncf(value) == value
                                        : value == 0.0f || value == 1.0f;
    if (fits) return AG_OK;
    return lab__refuse(site, AG_EUSE, "the value %g is none of type %s", (double)value,
                       lab_type_name(shape->type));
}

ag_status lab__shape_iota(lab_shape *shape, const lab_site *site)
{
    if (lab__shape_given(shape, site)) return site->why->status;
    if (shape->type == LAB_PRED)
        return lab__refuse(site, AG_EUSE, "its type is pred; f32 and s32 are possible");
    if (site->node->n_dims != 1)
        return lab__refuse(site, AG_EUSE, "it has %d dims; one axis is counted along",
                           site->node->n_dims);
    return lab__check_axes(site, shape->rank, 0);
}

ag_status lab__check_reducer(const lab_site *site)
{
    const int reducer = (int)site->node->reducer;
    if ((unsigned)reducer <= LAB_MAX) return AG_OK;
    return lab__refuse(site, AG_EUSE, "reducer %d is unknown; there are sum and max", reducer);
}

ag_status lab__shape_reduce(lab_shape *shape, const lab_site *site)
{
    const lab_node *node = site->node;
    lab_shape x = lab__operand(site, 0)->shape;
    if (lab__check_reducer(site)) return site->why->status;
    if (node->n_dims < 1)
        return lab__refuse(site, AG_EUSE, "it names no axis to reduce; name one at least");
    if (lab__check_axes(site, x.rank, 1)) return site->why->status;
    *shape = (lab_shape){.type = x.type};
    for (int i = 0, k = 0; i < x.rank; i++)
        if (k < node->n_dims && node->dims[k] == i)
            k++;
        else
            shape->size[shape->rank++] = x.size[i];
    return AG_OK;
}

ag_status lab__shape_gather(lab_shape *shape, const lab_site *site)
{
    lab_shape x = lab__operand(site, 0)->shape, rows = lab__operand(site, 1)->shape;
    if (x.rank != 2 || rows.rank != 1 || rows.type != LAB_S32)
        return lab__refuse(site, AG_ESHAPE,
                           "operands are %s and %s; a table [v,f] and row numbers s32[n] are due",
                           lab__shape_text(x).text, lab__shape_text(rows).text);
    *shape = (lab_shape){x.type, 2, {rows.size[0], x.size[1]}};
    return AG_OK;
}

ag_status lab__shape_same(lab_shape *shape, const lab_site *site)
{
    *shape = lab__operand(site, 0)->shape;
    return check_equal(site, 0);
}

ag_status lab__shape_compare(lab_shape *shape, const lab_site *site)
{
    const ag_status status = lab__shape_same(shape, site);
    shape->type = LAB_PRED;
    return status;
}

ag_status lab__shape(lab_shape *shape, const lab_site *site, int below, int compare)
{
    const lab_op_entry *op = lab__op(site->node->op);
    if (!op)
        return lab__refuse(site, AG_EUSE, "op %d is none of the %d that exist", (int)site->node->op,
                           LAB_OPS);
    if (site->node->name[0] && !lab__is_name(site->node->name))
        return lab__refuse(site, AG_EUSE,
                           "its name is longer than %d bytes or has characters besides letters, "
                           "digits and _ . -",
                           LAB_NAME - 1);
    if (check_operands(site, op, below)) return site->why->status;
    if (op->shape(shape, site)) return site->why->status;
    if (lab_elements(*shape) < 1)
        return lab__refuse(site, AG_ESHAPE, "the result %s has more than %d elements",
                           lab__shape_text(*shape).text, LAB_ELEMENTS);
    if (compare && !lab__same_shape(*shape, site->node->shape))
        return lab__refuse(site, AG_ESHAPE, "the shape is %s, but %s follows from the operands",
                           lab__shape_text(site->node->shape).text, lab__shape_text(*shape).text);
    return AG_OK;
}
