/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "lab_reference.h"

static double unary(lab_op op, double a)
{
    switch (op) {
    case LAB_ABS: return fabs(a);
    case LAB_EXPONENTIAL: return exp(a);
    case LAB_LOG: return log(a);
    case LAB_LOGISTIC: return 1 / (1 + exp(-a));
    case LAB_NEGATE: return -a;
    case LAB_RSQRT: return 1 / sqrt(a);
    case LAB_SQRT: return sqrt(a);
    case LAB_SIGN: return (a > 0) - (a < 0);
    case LAB_TANH: return tanh(a);
    case LAB_NOT: return a == 0;
    default: return a;
    }
}

static double binary(lab_op op, double a, double b)
{
    switch (op) {
    case LAB_ADD: return a + b;
    case LAB_SUBTRACT: return a - b;
    case LAB_MULTIPLY: return a * b;
    case LAB_DIVIDE: return a / b;
    case LAB_MAXIMUM: return a > b ? a : b;
    case LAB_MINIMUM: return a < b ? a : b;
    case LAB_POWER: return pow(a, b);
    case LAB_COMPARE: return a > b;
    case LAB_AND: return a != 0 && b != 0;
    default: return a != 0 || b != 0;
    }
}

static double elementwise(const lab__site *s, const int *index)
{
    double x[3] = {0};
    for (int k = 0; k < s->node->n_operands; k++) x[k] = (double)lab__ref_at(s, k, index);
    switch (s->node->op) {
    case LAB_SELECT: return x[0] != 0 ? x[1] : x[2];
    case LAB_CLAMP: return x[1] < x[0] ? x[0] : x[1] > x[2] ? x[2] : x[1];
    case LAB_CONVERT:
        return s->node->shape.type == LAB_S32    ? trunc(x[0])
               : s->node->shape.type == LAB_PRED ? x[0] != 0
                                                 : x[0];
    default: break;
    }
    return s->node->n_operands == 1 ? unary(s->node->op, x[0]) : binary(s->node->op, x[0], x[1]);
}

static double joined(const lab__site *s, const int *index)
{
    const int axis = s->node->dims[0];
    int x[LAB_RANK], k = 0;
    memcpy(x, index, sizeof x);
    while (x[axis] >= lab__ref_shape(s, k).size[axis]) x[axis] -= lab__ref_shape(s, k++).size[axis];
    return (double)lab__ref_at(s, k, x);
}

static double padded(const lab__site *s, const int *index)
{
    const lab_shape in = lab__ref_shape(s, 0);
    int x[LAB_RANK], inside = 1;
    for (int i = 0; i < in.rank; i++) {
        x[i] = index[i] - s->node->window[i].low;
        inside &= x[i] >= 0 && x[i] < in.size[i];
    }
    return (double)(inside ? lab__ref_at(s, 0, x) : lab__ref_at(s, 1, x));
}

static double row_of_table(const lab__site *s, const int *index)
{
    const float last = (float)(lab__ref_shape(s, 0).size[0] - 1), row = lab__ref_at(s, 1, index);
    return (double)lab__ref_at(s, 0,
                               (int[]){(int)(row > 0 ? row < last ? row : last : 0), index[1]});
}

static double moved(const lab__site *s, const int *index)
{
    const lab_node *v = s->node;
    int x[LAB_RANK];
    memcpy(x, index, sizeof x);
    for (int i = 0; v->op == LAB_BROADCAST && i < v->n_dims; i++) x[i] = index[v->dims[i]];
    for (int i = 0; v->op == LAB_TRANSPOSE && i < v->n_dims; i++) x[v->dims[i]] = index[i];
    for (int i = 0; v->op == LAB_SLICE && i < v->shape.rank; i++)
        x[i] = v->start[i] + index[i] * v->stride[i];
    for (int i = 0; v->op == LAB_REVERSE && i < v->n_dims; i++)
        x[v->dims[i]] = v->shape.size[v->dims[i]] - 1 - index[v->dims[i]];
    return (double)lab__ref_at(s, 0, x);
}

/* Element i of the node, at `index`. */
static double element(const lab__site *s, const int *index, int64_t i)
{
    switch (s->node->op) {
    case LAB_CONSTANT: return (double)s->node->value;
    case LAB_IOTA: return index[s->node->dims[0]];
    case LAB_RESHAPE: return (double)s->values[s->node->operand[0]][i];
    case LAB_CONCATENATE: return joined(s, index);
    case LAB_PAD: return padded(s, index);
    case LAB_GATHER: return row_of_table(s, index);
    case LAB_BROADCAST:
    case LAB_TRANSPOSE:
    case LAB_SLICE:
    case LAB_REVERSE: return moved(s, index);
    case LAB_REDUCE:
    case LAB_REDUCE_WINDOW:
    case LAB_DOT:
    case LAB_CONVOLUTION: return lab__ref_sum(s, index, NULL);
    default: return elementwise(s, index);
    }
}

void lab__ref_node(float *out, const lab_program *p, int node, float *const *values)
{
    const lab__site site = {p, &p->nodes[node], values}, *s = &site;
    const lab_shape shape = s->node->shape;
    const int64_t n = lab_elements(shape);
    int index[LAB_RANK] = {0};
    for (int64_t i = 0; i < n; i++) {
        out[i] = (float)element(s, index, i);
        for (int k = shape.rank - 1; k >= 0 && ++index[k] == shape.size[k]; k--) index[k] = 0;
    }
}

void lab_run_read(float *elements, const lab_run *run, int node)
{
    const lab_shape shape = run->p->nodes[node].shape;
    const lab_value *v = &run->value[node];
    const int64_t n = lab_elements(shape);
    int index[LAB_RANK] = {0};
    for (int64_t i = 0; i < n; i++) {
        int64_t at = 0;
        for (int k = 0; k < shape.rank; k++) at += index[k] * v->view.stride[k];
        elements[i] = v->data[at];
        for (int k = shape.rank - 1; k >= 0 && ++index[k] == shape.size[k]; k--) index[k] = 0;
    }
}
