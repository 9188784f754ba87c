/* SPDX-License-Identifier: MIT */
/* The attributes after the operands of a node, in a table by which they are read and printed. */
#include "examples/lab/text/text_internal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum form { VALUE, LIST, AXES, INT, REDUCER, WINDOW, LABELS } form;

enum { ATTRIBUTES = 14 };
/* offset, step: in the node, of a number, or of one for each axis. required, optional: the ops that
   must have the attribute and that may, as sets. usual: what an optional one is without it. */
static const struct attribute {
    const char *name;
    form form;
    size_t offset, step;
    uint64_t required, optional;
    int usual;
} attributes[ATTRIBUTES] = {
    {"value", VALUE, 0, 0, 1ull << LAB_CONSTANT, 0, 0},
    {"dims", LIST, offsetof(lab_node, dims), sizeof(int),
     1ull << LAB_IOTA | 1ull << LAB_BROADCAST | 1ull << LAB_TRANSPOSE | 1ull << LAB_CONCATENATE |
         1ull << LAB_REVERSE | 1ull << LAB_REDUCE,
     0, 0},
    {"start", AXES, offsetof(lab_node, start), sizeof(int), 1ull << LAB_SLICE, 0, 0},
    {"limit", AXES, offsetof(lab_node, limit), sizeof(int), 1ull << LAB_SLICE, 0, 0},
    {"stride", AXES, offsetof(lab_node, stride), sizeof(int), 0, 1ull << LAB_SLICE, 1},
    {"low", AXES, offsetof(lab_node, window[0].low), sizeof(lab_window), 1ull << LAB_PAD, 0, 0},
    {"high", AXES, offsetof(lab_node, window[0].high), sizeof(lab_window), 1ull << LAB_PAD, 0, 0},
    {"window", WINDOW, 0, 0, 1ull << LAB_REDUCE_WINDOW | 1ull << LAB_CONVOLUTION, 0, 0},
    {"reducer", REDUCER, 0, 0, 1ull << LAB_REDUCE | 1ull << LAB_REDUCE_WINDOW, 0, 0},
    {"batch", INT, offsetof(lab_node, dot.batch), 0, 0, 1ull << LAB_DOT, 0},
    {"left", INT, offsetof(lab_node, dot.left), 0, 1ull << LAB_DOT, 0, 0},
    {"right", INT, offsetof(lab_node, dot.right), 0, 1ull << LAB_DOT, 0, 0},
    {"dim_labels", LABELS, 0, 0, 1ull << LAB_CONVOLUTION, 0, 0},
    {"groups", INT, offsetof(lab_node, conv.groups), 0, 0, 1ull << LAB_CONVOLUTION, 1},
};

static int *number_of(const lab_node *node, const struct attribute *a, int i)
{
    return (int *)((uintptr_t)node + a->offset + (size_t)i * a->step);
}

/* ---- reading ---- */

/* A list with one number for each axis. */
static ag_status read_axes(lab_node *node, const struct attribute *a, lab_line *line)
{
    int n, list[LAB_RANK];
    if (lab__read_list(&n, list, line)) return line->why->status;
    if (n != node->shape.rank)
        return lab__bad_line(line, "%s has %d numbers, but the rank is %d", a->name, n,
                             node->shape.rank);
    for (int i = 0; i < n; i++) *number_of(node, a, i) = list[i];
    return AG_OK;
}

static ag_status read_reducer(lab_reducer *reducer, lab_line *line)
{
    *reducer = lab__accept(line, "sum") ? LAB_SUM : LAB_MAX;
    if (*reducer == LAB_SUM || lab__accept(line, "max")) return AG_OK;
    return lab__expected(line, "the reducer sum or max");
}

static ag_status read_value(float *value, lab_line *line)
{
    char *end;
    lab__skip_blanks(line);
    *value = strtof(line->at, &end);
    if (end == line->at || !strchr(" \t{}[](),", *end)) return lab__expected(line, "a number");
    line->at = end;
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

static ag_status read_one(lab_node *node, const struct attribute *a, lab_line *line)
{
    switch (a->form) {
    case VALUE: return read_value(&node->value, line);
    case LIST: return lab__read_list(&node->n_dims, node->dims, line);
    case INT: return lab__read_int(number_of(node, a, 0), line);
    case REDUCER: return read_reducer(&node->reducer, line);
    case WINDOW: return read_windows(node, line);
    case LABELS: return lab__read_labels(node, line);
    default: return read_axes(node, a, line);
    }
}

static ag_status read_key(int *a, unsigned seen, lab_op op, lab_line *line)
{
    char name[LAB_NAME];
    if (lab__read_name(name, line, "an attribute")) return line->why->status;
    for (*a = 0; *a < ATTRIBUTES && strcmp(attributes[*a].name, name) != 0;) ++*a;
    if (*a == ATTRIBUTES || !((attributes[*a].required | attributes[*a].optional) >> op & 1))
        return lab__bad_line(line, "%s has no attribute %s", lab_op_name(op), name);
    if (seen >> *a & 1) return lab__bad_line(line, "the attribute %s stands twice", name);
    return lab__expect(line, "=");
}

ag_status lab__read_attributes(lab_node *node, lab_line *line)
{
    unsigned seen = 0;
    int a = 0;
    for (int i = 0; node->op == LAB_SLICE && i < node->shape.rank; i++) node->stride[i] = 1;
    node->conv.groups = node->op == LAB_CONVOLUTION;
    for (lab__skip_blanks(line); *line->at; lab__skip_blanks(line)) {
        if (read_key(&a, seen, node->op, line) || read_one(node, &attributes[a], line))
            return line->why->status;
        seen |= 1u << a;
        if (!strchr(" \t", *line->at)) return lab__expected(line, "a blank behind an attribute");
    }
    for (a = 0; a < ATTRIBUTES; a++)
        if (attributes[a].required >> node->op & ~seen >> a & 1)
            return lab__bad_line(line, "%s needs the attribute %s", lab_op_name(node->op),
                                 attributes[a].name);
    return AG_OK;
}

/* ---- printing ---- */

static int is_usual(const lab_node *node, const struct attribute *a)
{
    int usual = 1;
    for (int i = 0; i < (a->form == AXES ? node->shape.rank : 1); i++)
        usual &= *number_of(node, a, i) == a->usual;
    return usual;
}

static void print_list(FILE *out, const lab_node *node, const struct attribute *a, int n)
{
    for (int i = 0; i < n; i++) fprintf(out, "%c%d", i ? ',' : '{', *number_of(node, a, i));
    fputs(n ? "}" : "{}", out);
}

static void print_one(FILE *out, const lab_node *node, const struct attribute *a)
{
    fprintf(out, " %s=", a->name);
    switch (a->form) {
    case VALUE: fprintf(out, "%.9g", (double)node->value); break;
    case LIST: print_list(out, node, a, node->n_dims); break;
    case AXES: print_list(out, node, a, node->shape.rank); break;
    case INT: fprintf(out, "%d", *number_of(node, a, 0)); break;
    case REDUCER: fputs(node->reducer == LAB_MAX ? "max" : "sum", out); break;
    case WINDOW: lab__print_window(out, node); break;
    case LABELS: lab__print_labels(out, &node->conv); break;
    }
}

void lab__print_attributes(FILE *out, const lab_node *node)
{
    for (const struct attribute *a = attributes; a < attributes + ATTRIBUTES; a++)
        if (a->required >> node->op & 1 || (a->optional >> node->op & 1 && !is_usual(node, a)))
            print_one(out, node, a);
}
