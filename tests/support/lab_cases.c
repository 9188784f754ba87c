/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "core/random.h"
#include "lab_cases.h"

#include "examples/lab/program/program_internal.h"

static int draw(ag_random *r, int low, int high)
{
    return low + (int)ag_random_below(r, (uint32_t)(high - low + 1));
}

static void shuffled(int *axis, int n, ag_random *r)
{
    int32_t order[LAB_RANK];
    for (int i = 0; i < n; i++) order[i] = i;
    ag_random_shuffle(r, order, n);
    for (int i = 0; i < n; i++) axis[i] = order[i];
}

/* Mostly small axes; now and then one that fills vectors and leaves a rest. */
static lab_shape some_shape(ag_random *r, int least)
{
    lab_shape s = {LAB_F32, draw(r, least, LAB_RANK), {0}};
    for (int i = 0; i < s.rank; i++) s.size[i] = draw(r, 1, s.rank > 4 ? 3 : 5);
    if (s.rank && s.rank < 5) s.size[draw(r, 0, s.rank - 1)] = draw(r, 1, 37);
    return s;
}

/* A parameter followed by a reshape. */
static int operand(lab_program *p, lab_type type, lab_shape s)
{
    return lab_reshape(p, lab_parameter(p, type, s.rank, s.size), s.rank, s.size);
}

/* Above zero, with a layout of its own. */
static int positive(lab_program *p, lab_shape s)
{
    const int x = lab_parameter(p, LAB_F32, s.rank, s.size);
    return lab_reshape(p, lab_unary(p, LAB_EXPONENTIAL, x), s.rank, s.size);
}

static int some_axes(int *axes, int rank, ag_random *r)
{
    int n = 0;
    for (int i = 0; i < rank; i++)
        if (draw(r, 0, 1)) axes[n++] = i;
    if (!n) axes[n++] = draw(r, 0, rank - 1);
    return n;
}

static lab_window some_window(ag_random *r, int conv)
{
    const lab_window w = {.size = draw(r, 1, 4),
                          .stride = draw(r, 1, 3),
                          .low = draw(r, -1, 3),
                          .high = draw(r, -1, 3),
                          .dilation = draw(r, 1, 2),
                          .base_dilation = draw(r, 1, draw(r, 1, 4)),
                          .reversed = conv && draw(r, 0, 1)};
    return w;
}

static void moves(lab_program *p, lab_op op, ag_random *r)
{
    lab_shape s = some_shape(r, op == LAB_RESHAPE ? 0 : 1);
    int dims[LAB_RANK], low[LAB_RANK], high[LAB_RANK], step[LAB_RANK];
    shuffled(dims, s.rank, r);
    if (op == LAB_BROADCAST) {
        lab_shape from = {LAB_F32, draw(r, 0, s.rank), {0}};
        for (int i = 0; i < from.rank; i++) from.size[i] = s.size[dims[i]];
        lab_broadcast(p, operand(p, LAB_F32, from), dims, s.rank, s.size);
        return;
    }
    const int x = operand(p, LAB_F32, s);
    for (int i = 0; i < s.rank; i++) {
        low[i] = draw(r, 0, op == LAB_PAD ? 2 : s.size[i] - 1);
        high[i] = op == LAB_PAD ? draw(r, 0, 2) : draw(r, low[i] + 1, s.size[i]);
        step[i] = draw(r, 1, 3);
    }
    if (op == LAB_TRANSPOSE)
        lab_transpose(p, x, dims);
    else if (op == LAB_SLICE)
        lab_slice(p, x, low, high, step);
    else if (op == LAB_PAD)
        lab_pad(p, x, lab_parameter(p, LAB_F32, 0, NULL), low, high);
    else if (op == LAB_REVERSE)
        lab_reverse(p, x, some_axes(dims, s.rank, r), dims);
    else { /* a reshape to the shuffled sizes, or to one axis, or with two axes joined */
        lab_shape to = {LAB_F32, s.rank, {0}};
        const int kind = draw(r, 0, 2), at = s.rank > 1 ? draw(r, 0, s.rank - 2) : 0;
        for (int i = 0; i < s.rank; i++) to.size[i] = s.size[kind ? i : dims[i]];
        if (kind == 1) to = (lab_shape){LAB_F32, 1, {(int)lab_elements(s)}};
        if (kind == 2 && s.rank > 1) {
            to.size[at] *= to.size[at + 1];
            for (int i = at + 1; i < s.rank - 1; i++) to.size[i] = s.size[i + 1];
            to.rank--;
        }
        lab_reshape(p, x, to.rank, to.size);
    }
}

static void concatenate(lab_program *p, ag_random *r)
{
    lab_shape s = some_shape(r, 1);
    const int n = draw(r, 1, 4), axis = draw(r, 0, s.rank - 1);
    int x[LAB_OPERANDS];
    for (int k = 0; k < n; k++) {
        s.size[axis] = draw(r, 1, 6);
        x[k] = operand(p, LAB_F32, s);
    }
    lab_concatenate(p, n, x, axis);
}

static void dot(lab_program *p, ag_random *r)
{
    const int batch = draw(r, 0, 2), k = draw(r, 1, 21);
    const int left = batch + draw(r, 1, 2), right = batch + draw(r, 1, 2);
    lab_shape a = {LAB_F32, left, {0}}, b = {LAB_F32, right, {0}};
    const lab_dot_dims d = {batch, draw(r, batch, left - 1), draw(r, batch, right - 1)};
    for (int i = 0; i < left; i++) a.size[i] = draw(r, 1, i < batch ? 4 : 19);
    for (int i = 0; i < right; i++) b.size[i] = i < batch ? a.size[i] : draw(r, 1, 19);
    a.size[d.left] = b.size[d.right] = k;
    const int x = operand(p, LAB_F32, a);
    lab_dot(p, x, operand(p, LAB_F32, b), d);
}

static void convolution(lab_program *p, ag_random *r)
{
    lab_conv_dims d = {.spatial = draw(r, 1, 3), .groups = draw(r, 1, 3)};
    const int rank = d.spatial + 2, each = draw(r, 1, 6), gives = draw(r, 1, 9);
    lab_shape x = {LAB_F32, rank, {0}}, w = x;
    lab_window window[LAB_RANK];
    int in[LAB_RANK], kernel[LAB_RANK], out[LAB_RANK];
    shuffled(in, rank, r);
    shuffled(kernel, rank, r);
    shuffled(out, rank, r);
    d.in_batch = in[0], d.in_feature = in[1];
    d.kernel_in = kernel[0], d.kernel_out = kernel[1];
    d.out_batch = out[0], d.out_feature = out[1];
    x.size[in[0]] = draw(r, 1, 3);
    x.size[in[1]] = each * d.groups;
    w.size[kernel[0]] = each;
    w.size[kernel[1]] = gives * d.groups;
    for (int i = 0; i < d.spatial; i++) {
        d.in_spatial[i] = in[i + 2];
        d.kernel_spatial[i] = kernel[i + 2];
        d.out_spatial[i] = out[i + 2];
        window[i] = some_window(r, 1);
        x.size[in[i + 2]] = draw(r, 1, d.spatial > 2 ? 5 : 11);
        w.size[kernel[i + 2]] = window[i].size;
    }
    const int a = operand(p, LAB_F32, x);
    lab_convolution(p, a, operand(p, LAB_F32, w), d, window);
}

static void reductions(lab_program *p, lab_op op, ag_random *r)
{
    const lab_shape s = some_shape(r, 1);
    const lab_reducer reducer = draw(r, 0, 1) ? LAB_MAX : LAB_SUM;
    const int x = operand(p, LAB_F32, s);
    int dims[LAB_RANK];
    lab_window window[LAB_RANK];
    for (int i = 0; i < LAB_RANK; i++) {
        const lab_window none = {.size = 1, .stride = 1, .dilation = 1, .base_dilation = 1};
        window[i] = draw(r, 0, 2) ? some_window(r, 0) : none;
    }
    if (op == LAB_REDUCE)
        lab_reduce(p, x, reducer, some_axes(dims, s.rank, r), dims);
    else
        lab_reduce_window(p, x, reducer, window);
}

static void gather(lab_program *p, ag_random *r)
{
    const int n = draw(r, 1, 20);
    const lab_shape table = {LAB_F32, 2, {draw(r, 1, 9), draw(r, 1, 20)}};
    const int x = operand(p, LAB_F32, table), rows = lab_parameter(p, LAB_S32, 1, &n);
    lab_gather(p, x, rows);
}

static void elementwise(lab_program *p, lab_op op, ag_random *r)
{
    const lab_shape s = some_shape(r, 0);
    const int logic = op == LAB_NOT || op == LAB_AND || op == LAB_OR;
    const int roots = op == LAB_LOG || op == LAB_SQRT || op == LAB_RSQRT || op == LAB_POWER;
    int x[3];
    for (int k = 0; k < 3; k++) {
        const lab_type type = logic || (op == LAB_SELECT && !k) ? LAB_PRED : LAB_F32;
        x[k] = roots && !k ? positive(p, s) : k < lab__ops[op].arity ? operand(p, type, s) : 0;
    }
    if (lab__ops[op].arity == 3)
        lab_ternary(p, op, x[0], x[1], x[2]);
    else if (op == LAB_CONVERT)
        lab_convert(p, x[0], (lab_type)draw(r, 0, LAB_TYPES - 1));
    else if (lab__ops[op].arity == 2)
        lab_binary(p, op, x[0], x[1]);
    else
        lab_unary(p, op, x[0]);
}

int lab_case(lab_program *p, lab_op op, ag_random *r)
{
    const lab_shape s = some_shape(r, 1);
    switch (op) {
    case LAB_PARAMETER: lab_parameter(p, (lab_type)draw(r, 0, 2), s.rank, s.size); break;
    case LAB_CONSTANT: lab_constant(p, 0.25f); break;
    case LAB_IOTA: lab_iota(p, draw(r, 0, s.rank - 1), s.rank, s.size); break;
    case LAB_BROADCAST:
    case LAB_RESHAPE:
    case LAB_TRANSPOSE:
    case LAB_SLICE:
    case LAB_PAD:
    case LAB_REVERSE: moves(p, op, r); break;
    case LAB_CONCATENATE: concatenate(p, r); break;
    case LAB_DOT: dot(p, r); break;
    case LAB_CONVOLUTION: convolution(p, r); break;
    case LAB_REDUCE:
    case LAB_REDUCE_WINDOW: reductions(p, op, r); break;
    case LAB_GATHER: gather(p, r); break;
    default: elementwise(p, op, r); break;
    }
    if (!p->why.status && p->nodes[p->n - 1].op == op) return 1;
    lab_program_clear(p);
    return 0;
}

/* An order of the axes of which `named` are named. */
static void some_order(signed char *row, int rank, ag_random *r)
{
    int axis[LAB_RANK];
    const int kind = draw(r, 0, 3), named = kind < 2 ? rank : kind < 3 ? draw(r, 0, rank) : 0;
    shuffled(axis, rank, r);
    memset(row, -1, LAB_RANK);
    for (int i = 0; i < named; i++) row[i] = (signed char)axis[i];
}

void lab_case_config(lab_layout_row *config, const lab_program *p, ag_random *r)
{
    for (int i = 0; i < p->n; i++) {
        const lab_node *v = &p->nodes[i];
        if (!lab_configurable(v)) continue;
        memset(*config, -1, sizeof *config);
        some_order(*config, v->shape.rank, r);
        for (int k = 0; k < v->n_operands; k++)
            some_order(*config + LAB_RANK * (k + 1), p->nodes[v->operand[k]].shape.rank, r);
        config++;
    }
}

static int sums(lab_op op)
{
    return op == LAB_REDUCE || op == LAB_REDUCE_WINDOW || op == LAB_DOT || op == LAB_CONVOLUTION;
}

double lab_case_error(const lab_program *p, int node, float *const *values)
{
    const lab__site site = {p, &p->nodes[node], values};
    const lab_shape shape = site.node->shape;
    const int64_t n = lab_elements(shape);
    float *right = malloc((size_t)n * sizeof *right);
    double worst = 0;
    int index[LAB_RANK] = {0};
    lab__ref_node(right, p, node, values);
    for (int64_t i = 0; i < n; i++) {
        const double a = (double)values[node][i], b = (double)right[i];
        double scale = fabs(b);
        if (sums(site.node->op)) lab__ref_sum(&site, index, &scale);
        const double error = a == b || (isnan(a) && isnan(b)) ? 0 : fabs(a - b) / (1e-5 * scale);
        if (!(error <= worst)) worst = isnan(error) ? HUGE_VAL : error;
        for (int k = shape.rank - 1; k >= 0 && ++index[k] == shape.size[k]; k--) index[k] = 0;
    }
    free(right);
    return worst;
}

float **lab_case_read(const lab_run *run, const lab_program *p)
{
    float **values = malloc((size_t)p->n * sizeof *values);
    for (int i = 0; i < p->n; i++) {
        values[i] = malloc((size_t)lab_elements(p->nodes[i].shape) * sizeof **values);
        lab_run_read(values[i], run, i);
    }
    return values;
}

void lab_case_free(float **values, const lab_program *p)
{
    for (int i = 0; i < p->n; i++) free(values[i]);
    free(values);
}
