/* SPDX-License-Identifier: MIT */
/* The attributes after the operands of a node. */
#include "examples/lab/text/text_internal.h"

#include <stdlib.h>
#include <string.h>

typedef enum attribute {
    A_VALUE,
    A_DIMS,
    A_START,
    A_LIMIT,
    A_STRIDE,
    A_LOW,
    A_HIGH,
    A_REDUCER,
    A_WINDOW,
    A_BATCH,
    A_LEFT,
    A_RIGHT,
    A_LABELS,
    A_GROUPS,
    ATTRIBUTES
} attribute;

static const char *const names[ATTRIBUTES] = {
    [A_VALUE] = "value",   [A_DIMS] = "dims",         [A_START] = "start", [A_LIMIT] = "limit",
    [A_STRIDE] = "stride", [A_LOW] = "low",           [A_HIGH] = "high",   [A_REDUCER] = "reducer",
    [A_WINDOW] = "window", [A_BATCH] = "batch",       [A_LEFT] = "left",   [A_RIGHT] = "right",
    [A_GROUPS] = "groups", [A_LABELS] = "dim_labels",
};

/* The attributes that an op must have, and those it may have, as sets. */
static unsigned required(lab_op op)
{
    switch (op) {
    case LAB_CONSTANT: return 1u << A_VALUE;
    case LAB_IOTA:
    case LAB_BROADCAST:
    case LAB_TRANSPOSE:
    case LAB_CONCATENATE:
    case LAB_REVERSE: return 1u << A_DIMS;
    case LAB_SLICE: return 1u << A_START | 1u << A_LIMIT;
    case LAB_PAD: return 1u << A_LOW | 1u << A_HIGH;
    case LAB_REDUCE: return 1u << A_DIMS | 1u << A_REDUCER;
    case LAB_REDUCE_WINDOW: return 1u << A_WINDOW | 1u << A_REDUCER;
    case LAB_DOT: return 1u << A_LEFT | 1u << A_RIGHT;
    case LAB_CONVOLUTION: return 1u << A_WINDOW | 1u << A_LABELS;
    default: return 0;
    }
}

static unsigned optional(lab_op op)
{
    return op == LAB_SLICE         ? 1u << A_STRIDE
           : op == LAB_DOT         ? 1u << A_BATCH
           : op == LAB_CONVOLUTION ? 1u << A_GROUPS
                                   : 0;
}

/* A list with one number for each axis. */
static ag_status read_axes(int list[LAB_RANK], const lab_node *node, attribute a, lab_line *line)
{
    int n;
    if (lab__read_list(&n, list, line)) return line->why->status;
    if (n == node->shape.rank) return AG_OK;
    return lab__bad_line(line, "%s has %d numbers, but the rank is %d", names[a], n,
                         node->shape.rank);
}

static ag_status read_reducer(lab_reducer *reducer, lab_line *line)
{
    if (lab__accept(line, "sum"))
        *reducer = LAB_SUM;
    else if (lab__accept(line, "max"))
        *reducer = LAB_MAX;
    else
        return lab__bad_line(line, "the reducer is sum or max, but there is %s",
                             lab__next(line).text);
    return AG_OK;
}

static ag_status read_value(float *value, lab_line *line)
{
    char token[64], *end;
    lab__skip_blanks(line);
    lab_next next = lab__next(line);
    lab__read_token(token, sizeof token, line);
    *value = strtof(token, &end);
    if (end == token || *end)
        return lab__bad_line(line, "a number is expected, but there is %s", next.text);
    return AG_OK;
}

static ag_status read_padding(lab_node *node, attribute a, lab_line *line)
{
    int list[LAB_RANK];
    if (read_axes(list, node, a, line)) return line->why->status;
    for (int i = 0; i < node->shape.rank; i++)
        *(a == A_LOW ? &node->window[i].low : &node->window[i].high) = list[i];
    return AG_OK;
}

static ag_status read_windows(lab_node *node, lab_line *line)
{
    int n, wanted;
    if (lab__read_window(node, &n, line)) return line->why->status;
    /* the ranks of a convolution and its operands are compared later */
    wanted = node->op == LAB_CONVOLUTION ? node->shape.rank - 2 : node->shape.rank;
    if (n == wanted) return AG_OK;
    return lab__bad_line(line, "the window has %d sizes, but a result of rank %d needs %d", n,
                         node->shape.rank, wanted < 0 ? 0 : wanted);
}

static ag_status read_one(lab_node *node, attribute a, lab_line *line)
{
    switch (a) {
    case A_VALUE: return read_value(&node->value, line);
    case A_DIMS: return lab__read_list(&node->n_dims, node->dims, line);
    case A_START: return read_axes(node->start, node, a, line);
    case A_LIMIT: return read_axes(node->limit, node, a, line);
    case A_STRIDE: return read_axes(node->stride, node, a, line);
    case A_LOW:
    case A_HIGH: return read_padding(node, a, line);
    case A_REDUCER: return read_reducer(&node->reducer, line);
    case A_WINDOW: return read_windows(node, line);
    case A_BATCH: return lab__read_int(&node->dot.batch, line);
    case A_LEFT: return lab__read_int(&node->dot.left, line);
    case A_RIGHT: return lab__read_int(&node->dot.right, line);
    case A_LABELS: return lab__read_labels(node, line);
    case A_GROUPS: return lab__read_int(&node->conv.groups, line);
    default: return AG_OK; /* not reached */
    }
}

static ag_status read_key(attribute *a, unsigned seen, lab_op op, lab_line *line)
{
    char name[LAB_NAME];
    if (lab__read_name(name, line, "an attribute")) return line->why->status;
    for (*a = 0; *a < ATTRIBUTES && strcmp(names[*a], name) != 0;) ++*a;
    unsigned bit = *a < ATTRIBUTES ? 1u << *a : 0;
    if (!(bit & (required(op) | optional(op))))
        return lab__bad_line(line, "%s has no attribute %s", lab_op_name(op), name);
    if (bit & seen) return lab__bad_line(line, "the attribute %s stands twice", name);
    return lab__expect(line, "=");
}

ag_status lab__read_attributes(lab_node *node, lab_line *line)
{
    unsigned seen = 0;
    attribute a = ATTRIBUTES;
    for (int i = 0; i < LAB_RANK; i++) node->stride[i] = 1;
    node->conv.groups = 1;
    for (lab__skip_blanks(line); line->at < line->end; lab__skip_blanks(line)) {
        if (read_key(&a, seen, node->op, line) || read_one(node, a, line)) return line->why->status;
        seen |= 1u << a;
        if (line->at < line->end && *line->at != ' ' && *line->at != '\t')
            return lab__bad_line(line, "a blank is expected behind %s, but there is %s", names[a],
                                 lab__next(line).text);
    }
    for (a = 0; a < ATTRIBUTES; a++)
        if (required(node->op) & ~seen & 1u << a)
            return lab__bad_line(line, "%s needs the attribute %s", lab_op_name(node->op),
                                 names[a]);
    return AG_OK;
}
