/* SPDX-License-Identifier: MIT */
/* Compiles a program for one layout configuration. */
#include "examples/lab/run/run_internal.h"

#include <stdio.h>
#include <string.h>

/* ---- orders and strides ---- */

/* The axes of a value, the most minor first. */
typedef struct order {
    int rank;
    signed char axis[LAB_RANK];
} order;

static void row_major(order *o, int rank)
{
    o->rank = rank;
    for (int i = 0; i < rank && i < LAB_RANK; i++) o->axis[i] = (signed char)(rank - 1 - i);
}

static void strides_of(lab_view *view, const order *o, lab_shape shape)
{
    int64_t stride = 1;
    memset(view, 0, sizeof *view);
    for (int i = 0; i < o->rank; i++) {
        view->stride[o->axis[i]] = stride;
        stride *= shape.size[o->axis[i]];
    }
}

/* Axes with one element may have any place. */
static int same_place(const lab_view *a, const lab_view *b, lab_shape shape)
{
    for (int i = 0; i < shape.rank; i++)
        if (shape.size[i] > 1 && a->stride[i] != b->stride[i]) return 0;
    return 1;
}

/* ---- the configuration ---- */

enum { OUTPUT = -1 };

static ag_status refuse(const lab_run *run, int node, int k, const char *what, int number,
                        ag_failure *why)
{
    char part[32] = "output";
    if (k != OUTPUT) snprintf(part, sizeof part, "operand %d", k);
    return ag_fail(why, AG_EUSE,
                   "program %.63s, node %d (%.63s): the layout of the %s %s %d; it names axes of "
                   "the value, the most minor first and each once, then -1",
                   run->p->name, node, run->p->nodes[node].name, part, what, number);
}

/* Reads an order from six numbers; *given: 0 when none of them is an axis. */
static ag_status read_order(order *o, int *given, const lab_run *run, int node, int k,
                            const signed char row[LAB_RANK], ag_failure *why)
{
    const lab_node *v = &run->p->nodes[node];
    const int there = k == OUTPUT || k < v->n_operands;
    const int rank = k == OUTPUT ? v->shape.rank
                     : there     ? run->p->nodes[v->operand[k]].shape.rank
                                 : 0;
    unsigned seen = 0;
    int n = 0;
    for (; n < LAB_RANK && row[n] != -1; n++) {
        if (row[n] < 0 || row[n] >= rank) return refuse(run, node, k, "names axis", row[n], why);
        if (seen >> row[n] & 1) return refuse(run, node, k, "names twice axis", row[n], why);
        seen |= 1u << row[n];
        o->axis[n] = row[n];
    }
    *given = n > 0;
    for (int i = n; i < LAB_RANK; i++)
        if (row[i] != -1) return refuse(run, node, k, "has after a -1 the number", row[i], why);
    for (int axis = rank - 1; axis >= 0; axis--)
        if (!(seen >> axis & 1)) o->axis[n++] = (signed char)axis;
    o->rank = rank;
    return AG_OK;
}

/* ---- layouts that follow from the first operand ---- */

/* Axis i of the operand becomes axis map[i] of the output (-1: none). These axes keep the places
   that they have in row-major order together, but among them follow the operand's order. */
static void follow(order *o, int rank, const order *from, const int *map)
{
    signed char mapped[LAB_RANK];
    unsigned moved = 0;
    int n = 0;
    for (int i = 0; i < from->rank; i++) {
        const int axis = map[from->axis[i]];
        if (axis < 0) continue;
        mapped[n++] = (signed char)axis;
        moved |= 1u << axis;
    }
    row_major(o, rank);
    n = 0;
    for (int i = 0; i < rank; i++)
        if (moved >> o->axis[i] & 1) o->axis[i] = mapped[n++];
}

static void inherited(order *o, const lab_program *p, const lab_node *node, const order *orders)
{
    const int rank = node->shape.rank;
    if (!node->n_operands || lab_configurable(node)) {
        row_major(o, rank);
        return;
    }
    /* The bounds of a clamp are mostly broadcast scalars, so its layout follows the clamped
       operand. */
    const order *from = &orders[node->operand[node->op == LAB_CLAMP]];
    int map[LAB_RANK];
    for (int i = 0; i < LAB_RANK; i++) map[i] = i;
    if (node->op == LAB_BROADCAST)
        memcpy(map, node->dims, sizeof map);
    else if (node->op == LAB_TRANSPOSE)
        for (int i = 0; i < rank; i++) map[node->dims[i]] = i;
    else if (node->op == LAB_REDUCE) {
        const int before = p->nodes[node->operand[0]].shape.rank;
        for (int i = 0, sum = 0; i < before; i++) {
            const int gone = sum < node->n_dims && node->dims[sum] == i;
            map[i] = gone ? -1 : i - sum;
            sum += gone;
        }
    }
    follow(o, rank, from, map);
}

/* ---- nodes ---- */

/* The operands of a node, in the layouts in which it reads them. */
typedef struct inputs {
    const float *data[LAB_OPERANDS];
    lab_view view[LAB_OPERANDS];
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
static ag_status copy_operand(lab_run *run, inputs *in, int node, int k, const lab_view *view,
                              ag_failure *why)
{
    const lab_shape shape = shape_of(run, node, k);
    const int home = run->p->nodes[node].op == LAB_RESHAPE && stays(run, node, view) == 1;
    const int64_t floats = lab_elements(shape);
    float *to = home ? run->value[node].home : lab__run_place(in->room, floats, 2 * (node + k) + 1);
    if (lab__run_copy(run, shape, to, view, in->data[k], &in->view[k], why)) return why->status;
    if (!home) in->room = to + floats;
    in->data[k] = to;
    in->view[k] = *view;
    run->n_copies++;
    return AG_OK;
}

static ag_status wanted_operands(lab_run *run, inputs *in, int node, const signed char *row,
                                 ag_failure *why)
{
    for (int k = 0; k < 2; k++) {
        order wanted;
        lab_view view;
        int given;
        if (read_order(&wanted, &given, run, node, k, row + LAB_RANK * (k + 1), why))
            return why->status;
        if (!given) continue;
        const lab_shape shape = shape_of(run, node, k);
        strides_of(&view, &wanted, shape);
        if (same_place(&view, &in->view[k], shape)) continue;
        if (copy_operand(run, in, node, k, &view, why)) return why->status;
    }
    return AG_OK;
}

/* A reshape needs no step if the elements keep their places, and a row-major copy in between if the
   layouts have no axes in common. */
static ag_status reshape(lab_run *run, inputs *in, int node, ag_failure *why)
{
    lab_value *value = &run->value[node];
    if (stays(run, node, &in->view[0]) < 0) {
        lab_view plain;
        lab_view_row_major(&plain, shape_of(run, node, 0));
        if (copy_operand(run, in, node, 0, &plain, why)) return why->status;
    }
    if (stays(run, node, &in->view[0]) != 1)
        return lab__run_node(run, node, in->data, in->view, why);
    value->data = (float *)in->data[0]; /* nobody writes there any more */
    return AG_OK;
}

/* Rows of a table by number: out[i, j] = table[rows[i], j], with the numbers clamped to the
   table. */
typedef struct gather_args {
    float *out;
    const float *table, *rows;
    int64_t n, width, height; /* rows of the result, elements of a row, rows of the table */
    int64_t out_row, out_element, table_row, table_element, rows_step;
} gather_args;

static void gather_run(const void *args)
{
    const gather_args *g = args;
    const int by_row = g->out_element <= g->out_row;
    const int64_t outer = by_row ? g->n : g->width, inner = by_row ? g->width : g->n;
    for (int64_t i = 0; i < outer; i++)
        for (int64_t j = 0; j < inner; j++) {
            const int64_t row = by_row ? i : j, element = by_row ? j : i;
            const float wanted = g->rows[row * g->rows_step];
            const float last = (float)(g->height - 1);
            const int64_t at = wanted > 0 ? (int64_t)(wanted < last ? wanted : last) : 0;
            g->out[row * g->out_row + element * g->out_element] =
                g->table[at * g->table_row + element * g->table_element];
        }
}

static ag_status gather(lab_run *run, const inputs *in, int node, ag_failure *why)
{
    const lab_node *v = &run->p->nodes[node];
    const lab_value *value = &run->value[node];
    const gather_args args = {
        value->home,           in->data[0],           in->data[1],
        v->shape.size[0],      v->shape.size[1],      run->p->nodes[v->operand[0]].shape.size[0],
        value->view.stride[0], value->view.stride[1], in->view[0].stride[0],
        in->view[0].stride[1], in->view[1].stride[0]};
    return lab__run_step(run, gather_run, &args, sizeof args, why);
}

/* row: the layouts of a configurable node, or NULL. */
static ag_status compile(lab_run *run, order *orders, int node, const signed char *row,
                         ag_failure *why)
{
    const lab_node *v = &run->p->nodes[node];
    lab_value *value = &run->value[node];
    inputs in = {.room = run->copies};
    int given;
    inherited(&orders[node], run->p, v, orders);
    if (v->op == LAB_PARAMETER || v->op == LAB_CONSTANT) return AG_OK;
    for (int k = 0; k < v->n_operands; k++) {
        in.data[k] = run->value[v->operand[k]].data;
        in.view[k] = run->value[v->operand[k]].view;
    }
    if (row && read_order(&orders[node], &given, run, node, OUTPUT, row, why)) return why->status;
    strides_of(&value->view, &orders[node], v->shape);
    if (row && wanted_operands(run, &in, node, row, why)) return why->status;
    if (v->op == LAB_RESHAPE) return reshape(run, &in, node, why);
    if (v->op == LAB_GATHER) return gather(run, &in, node, why);
    return lab__run_node(run, node, in.data, in.view, why);
}

ag_status lab_run_layout(lab_run *run, const lab_layout_row *config, ag_failure *why)
{
    lab__run_reset(run);
    order *orders = lab__run_take(run, (size_t)run->p->n * sizeof *orders, why);
    if (!orders) return why->status;
    for (int i = 0; i < run->p->n; i++) {
        const signed char *row = NULL;
        if (config && lab_configurable(&run->p->nodes[i])) row = *config++;
        const ag_status status = compile(run, orders, i, row, why);
        if (!status) continue;
        lab__run_reset(run);
        return status;
    }
    return AG_OK;
}
