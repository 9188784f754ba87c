/* SPDX-License-Identifier: MIT */
/* Compiles a program for one layout configuration. */
#include "examples/lab/run/run_internal.h"

#include "core/error.h"
#include "examples/harness/harness.h"

/* The axes of a value, the most minor first. */
typedef struct order {
    int rank;
    signed char axis[LAB_RANK];
} order;

static const lab_layout_row no_layouts = {-1, -1, -1, -1, -1, -1, -1, -1, -1,
                                          -1, -1, -1, -1, -1, -1, -1, -1, -1};

/* The order that six numbers name: axes of a value, each once, then -1; the other axes follow
   row-major. Returns how many they name, -1: they are not an order. */
static int read_order(order *o, const signed char *slot, int rank)
{
    unsigned seen = 0;
    int named = 0;
    for (; named < LAB_RANK && slot[named] != -1; named++) {
        const signed char axis = slot[named];
        if (axis < 0 || axis >= rank || seen >> axis & 1) return -1;
        seen |= 1u << axis;
        o->axis[named] = axis;
    }
    for (int i = named; i < LAB_RANK; i++)
        if (slot[i] != -1) return -1;
    o->rank = named;
    for (int axis = rank - 1; axis >= 0; axis--)
        if (!(seen >> axis & 1)) o->axis[o->rank++] = (signed char)axis;
    return named;
}

static lab_view strides_of(const order *o, lab_shape shape)
{
    lab_view view = {{0}};
    int64_t stride = 1;
    for (int i = 0; i < o->rank; i++) {
        view.stride[o->axis[i]] = stride;
        stride *= shape.size[o->axis[i]];
    }
    return view;
}

/* Axes with one element may have any place. */
static int same_place(const lab_view *a, const lab_view *b, lab_shape shape)
{
    for (int i = 0; i < shape.rank; i++)
        if (shape.size[i] > 1 && a->stride[i] != b->stride[i]) return 0;
    return 1;
}

/* ---- layouts that follow from the first operand ---- */

/* Axis i of the operand becomes axis to[i] of the output (-1: none). These axes keep the places
   that they have in row-major order together, but among them follow the operand's order. */
static void follow(order *o, const order *from, const lab_moved *to)
{
    signed char mapped[LAB_RANK];
    unsigned moved = 0;
    int n = 0;
    for (int i = 0; i < from->rank; i++) {
        const int axis = to[from->axis[i]].axis;
        if (axis < 0) continue;
        mapped[n++] = (signed char)axis;
        moved |= 1u << axis;
    }
    n = 0;
    for (int i = 0; i < o->rank; i++)
        if (moved >> o->axis[i] & 1) o->axis[i] = mapped[n++];
}

static void inherited(order *o, const lab_node *node, const order *orders)
{
    read_order(o, no_layouts, node->shape.rank);
    if (!node->n_operands || lab_configurable(node)) return;
    /* The bounds of a clamp are mostly broadcast scalars, so its layout follows the clamped
       operand. */
    const order *from = &orders[node->operand[node->op == LAB_CLAMP]];
    lab_moved to[LAB_RANK];
    lab_moved_axes(to, node);
    for (int i = 0, sum = 0; node->op == LAB_REDUCE && i < from->rank; i++) {
        const int gone = sum < node->n_dims && node->dims[sum] == i;
        to[i].axis = gone ? -1 : i - sum;
        sum += gone;
    }
    follow(o, from, to);
}

/* The operands of a node, in the layouts in which it reads them. */
typedef struct inputs {
    lab_value value[LAB_OPERANDS];
    float *room; /* where the next copy may go */
} inputs;

static lab_shape shape_of(const lab_run *run, int node, int k)
{
    return run->p->nodes[run->p->nodes[node].operand[k]].shape;
}

/* 1 if a reshape from this layout moves nothing, 0 if it does, -1 if the layouts have no axes in
   common. */
static int stays(const lab_run *run, int node, const lab_view *from)
{
    lab_reshape_axis axes[LAB_RESHAPE_AXES];
    const int n = lab_reshape_axes(axes, run->p->nodes[node].shape, &run->value[node].view,
                                   shape_of(run, node, 0), from);
    for (int i = 0; i < n; i++)
        if (axes[i].size > 1 && axes[i].out != axes[i].in) return 0;
    return n ? 1 : -1;
}

/* Gives operand k another layout: in a buffer that lives until the node has run or, if the copy is
   all of a reshape's work, in the reshape's own memory. */
static void copy_operand(lab_run *run, inputs *in, int node, int k, const lab_view *view)
{
    const lab_shape shape = shape_of(run, node, k);
    const int64_t floats = lab_elements(shape);
    lab_value copy = {.view = *view};
    if (run->p->nodes[node].op == LAB_RESHAPE && stays(run, node, view) == 1)
        copy.home = run->value[node].home;
    else {
        copy.home = lab__run_place(in->room, floats, 2 * (node + k) + 1);
        in->room = copy.home + floats;
    }
    copy.data = copy.home;
    lab__run_copy(run, shape, &copy, &in->value[k]);
    in->value[k] = copy;
    run->n_copies++;
}

static void copy_operands(lab_run *run, inputs *in, int node, const signed char *row)
{
    for (int k = 0; k < 2 && k < run->p->nodes[node].n_operands; k++) {
        order wanted;
        const lab_shape shape = shape_of(run, node, k);
        if (!read_order(&wanted, row + LAB_RANK * (k + 1), shape.rank)) continue;
        const lab_view view = strides_of(&wanted, shape);
        if (!same_place(&view, &in->value[k].view, shape)) copy_operand(run, in, node, k, &view);
    }
}

/* A reshape needs no step if the elements keep their places, and a row-major copy in between if the
   layouts have no axes in common. */
static void reshape(lab_run *run, inputs *in, int node)
{
    if (stays(run, node, &in->value[0].view) < 0) {
        lab_view plain;
        lab_view_row_major(&plain, shape_of(run, node, 0));
        copy_operand(run, in, node, 0, &plain);
    }
    if (stays(run, node, &in->value[0].view) == 1)
        run->value[node].data = in->value[0].data; /* nobody writes there any more */
    else
        lab__run_node(run, node, in->value);
}

/* row: the layouts of a configurable node. */
static void compile(lab_run *run, order *orders, int node, const signed char *row)
{
    const lab_node *v = &run->p->nodes[node];
    inputs in = {.room = run->copies};
    inherited(&orders[node], v, orders);
    if (v->op == LAB_PARAMETER || v->op == LAB_CONSTANT) return;
    for (int k = 0; k < v->n_operands; k++) in.value[k] = run->value[v->operand[k]];
    if (lab_configurable(v)) read_order(&orders[node], row, v->shape.rank);
    run->value[node].view = strides_of(&orders[node], v->shape);
    if (lab_configurable(v)) copy_operands(run, &in, node, row);
    if (v->op == LAB_RESHAPE)
        reshape(run, &in, node);
    else
        lab__run_node(run, node, in.value);
}

static ag_status check_row(const lab_program *p, int node, const signed char *row, ag_failure *why)
{
    const lab_node *v = &p->nodes[node];
    for (int k = 0; k < 3; k++) {
        const int rank = !k                   ? v->shape.rank
                         : k <= v->n_operands ? p->nodes[v->operand[k - 1]].shape.rank
                                              : 0;
        const signed char *slot = row + LAB_RANK * k;
        order o;
        if (read_order(&o, slot, rank) < 0)
            return ag_fail(why, AG_EUSE,
                           "program %.63s, node %d (%.63s): layout %d of the three is "
                           "{%d,%d,%d,%d,%d,%d}; it names axes of a value of rank %d, the most "
                           "minor first and each once, then -1",
                           p->name, node, v->name, k, slot[0], slot[1], slot[2], slot[3], slot[4],
                           slot[5], rank);
    }
    return AG_OK;
}

ag_status lab_run_layout(lab_run *run, const lab_layout_row *config, tpugraphs_rule rule,
                         ag_failure *why)
{
    const lab_program *p = run->p;
    lab__run_reset(run);
    run->rule = rule;
    order *orders = harness_take(&run->arguments, (size_t)p->n * sizeof *orders);
    for (int i = 0, k = 0; i < p->n; i++) {
        const int own = config && lab_configurable(&p->nodes[i]);
        const signed char *row = own ? config[k++] : no_layouts;
        if (check_row(p, i, row, why)) return why->status;
        compile(run, orders, i, row);
    }
    return AG_OK;
}
