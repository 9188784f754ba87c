/* SPDX-License-Identifier: MIT */
/* The attributes after the operands of a node, in tables by which they are read and printed. */
#include "examples/lab/text/text_internal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum form { VALUE, LIST, AXES, INT, REDUCER, WINDOW, LABELS } form;

/* offset, step: in the node, of a number, or of one for each axis. required, optional: the ops that
   must have the attribute and that may, as sets. usual: what an optional one is without it. */
typedef struct attribute {
    const char *name;
    form form;
    size_t offset, step;
    uint64_t required, optional;
    int usual;
} attribute;

static const attribute attributes[] = {
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
enum { ATTRIBUTES = sizeof attributes / sizeof *attributes };

/* The numbers of window={size=3x3 stride=2x2}. */
#define OF_WINDOW(name) #name, AXES, offsetof(lab_node, window[0].name), sizeof(lab_window), 0, 0
static const attribute fields[] = {
    {OF_WINDOW(size), 1},     {OF_WINDOW(stride), 1},   {OF_WINDOW(low), 0},
    {OF_WINDOW(high), 0},     {OF_WINDOW(dilation), 1}, {OF_WINDOW(base_dilation), 1},
    {OF_WINDOW(reversed), 0},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static int *number_of(const lab_node *node, const attribute *a, int i)
{
    return (int *)((uintptr_t)node + a->offset + (size_t)i * a->step);
}

/* The place in a table, or the end. */
static int find(const attribute *table, int n, const char *name)
{
    int i = 0;
    while (i < n && strcmp(table[i].name, name) != 0) i++;
    return i;
}

/* The windows that a node with this attribute has. */
static int windows_of(const lab_node *node)
{
    return node->op == LAB_CONVOLUTION ? node->shape.rank - 2 : node->shape.rank;
}

/* ---- reading ---- */

/* A list with one number for each axis. */
static ag_status read_axes(lab_node *node, const attribute *a, lab_line *line)
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

static ag_status read_field(lab_node *node, int *n, unsigned *seen, lab_line *line)
{
    char name[LAB_NAME];
    int count, list[LAB_RANK];
    if (lab__read_name(name, line, "a number of the window")) return line->why->status;
    const int field = find(fields, FIELDS, name);
    if (field == FIELDS)
        return lab__bad_line(line,
                             "a window has no %s; there are size, stride, low, high, dilation, "
                             "base_dilation and reversed",
                             name);
    if (*seen >> field & 1) return lab__bad_line(line, "%s stands twice in the window", name);
    if (lab__expect(line, "=") || lab__read_numbers(&count, list, line, "x"))
        return line->why->status;
    if (*seen && count != *n)
        return lab__bad_line(line, "%s has %d numbers, but the window %d axes", name, count, *n);
    *seen |= 1u << field;
    *n = count;
    for (int i = 0; i < count; i++) *number_of(node, &fields[field], i) = list[i];
    return AG_OK;
}

static ag_status read_window(lab_node *node, lab_line *line)
{
    unsigned seen = 0;
    int n = 0;
    const int wanted = windows_of(node); /* a convolution and its operands are compared later */
    for (int i = 0; i < LAB_RANK; i++)
        for (int k = 0; k < FIELDS; k++) *number_of(node, &fields[k], i) = fields[k].usual;
    if (lab__expect(line, "{")) return line->why->status;
    while (!lab__accept(line, "}"))
        if (read_field(node, &n, &seen, line)) return line->why->status;
    memset(node->window + n, 0, (size_t)(LAB_RANK - n) * sizeof *node->window);
    if (n == wanted) return AG_OK;
    return lab__bad_line(line, "the window has %d sizes, but a result of rank %d needs %d", n,
                         node->shape.rank, wanted < 0 ? 0 : wanted);
}

/* "b01f": the axis of each letter and digit; returns the number of digits, -1: they are not all
   there, each once. */
static int read_side(int *a, int *b, int spatial[3], const char *side, const char *letters)
{
    const int n = (int)strlen(side) - 2;
    int *const to[] = {a, b, &spatial[0], &spatial[1], &spatial[2]};
    for (int i = 0; i < n + 2; i++) {
        const char c = i < 2 ? letters[i] : (char)('0' + i - 2), *at = strchr(side, c);
        if (!at || strchr(at + 1, c)) return -1;
        *to[i] = (int)(at - side);
    }
    return n;
}

/* dim_labels=b01f_01io->b01f */
static ag_status read_labels(lab_node *node, lab_line *line)
{
    lab_conv_dims *d = &node->conv;
    char in[6] = "", kernel[6] = "", out[6] = "";
    int length = 0;
    lab__skip_blanks(line);
    sscanf(line->at, "%5[bf012]_%5[io012]->%5[bf012]%n", in, kernel, out, &length);
    d->spatial = read_side(&d->in_batch, &d->in_feature, d->in_spatial, in, "bf");
    const int n = read_side(&d->kernel_in, &d->kernel_out, d->kernel_spatial, kernel, "io");
    const int wanted = read_side(&d->out_batch, &d->out_feature, d->out_spatial, out, "bf");
    if (d->spatial < 1 || n != d->spatial || n != wanted || node->shape.rank != n + 2)
        return lab__bad_line(
            line,
            "dim_labels are like b01f_01io->b01f, with as many digits as the "
            "result of rank %d has axes besides batch and feature; there is `%.24s`",
            node->shape.rank, line->at);
    line->at += length;
    return AG_OK;
}

static ag_status read_one(lab_node *node, const attribute *a, lab_line *line)
{
    switch (a->form) {
    case VALUE: return read_value(&node->value, line);
    case LIST: return lab__read_list(&node->n_dims, node->dims, line);
    case INT: return lab__read_int(number_of(node, a, 0), line);
    case REDUCER: return read_reducer(&node->reducer, line);
    case WINDOW: return read_window(node, line);
    case LABELS: return read_labels(node, line);
    default: return read_axes(node, a, line);
    }
}

static ag_status read_key(int *a, unsigned seen, lab_op op, lab_line *line)
{
    char name[LAB_NAME];
    if (lab__read_name(name, line, "an attribute")) return line->why->status;
    *a = find(attributes, ATTRIBUTES, name);
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

static int is_usual(const lab_node *node, const attribute *a, int n)
{
    int usual = 1;
    for (int i = 0; i < n; i++) usual &= *number_of(node, a, i) == a->usual;
    return usual;
}

static void print_numbers(FILE *out, const lab_node *node, const attribute *a, int n,
                          const char *between)
{
    for (int i = 0; i < n; i++) fprintf(out, "%s%d", i ? between : "", *number_of(node, a, i));
}

static void print_list(FILE *out, const lab_node *node, const attribute *a, int n)
{
    fputc('{', out);
    print_numbers(out, node, a, n, ",");
    fputc('}', out);
}

/* Sizes are always printed. */
static void print_window(FILE *out, const lab_node *node)
{
    const int n = windows_of(node);
    fputc('{', out);
    for (const attribute *f = fields; f < fields + FIELDS && n; f++) {
        if (f > fields && is_usual(node, f, n)) continue;
        fprintf(out, "%s%s=", f > fields ? " " : "", f->name);
        print_numbers(out, node, f, n, "x");
    }
    fputc('}', out);
}

static void print_side(FILE *out, const char *letters, int a, int b, const int *spatial, int n)
{
    char text[8] = "?????";
    text[a] = letters[0];
    text[b] = letters[1];
    for (int i = 0; i < n; i++) text[spatial[i]] = (char)('0' + i);
    fprintf(out, "%.*s", n + 2, text);
}

static void print_labels(FILE *out, const lab_conv_dims *d)
{
    print_side(out, "bf", d->in_batch, d->in_feature, d->in_spatial, d->spatial);
    fprintf(out, "_");
    print_side(out, "io", d->kernel_in, d->kernel_out, d->kernel_spatial, d->spatial);
    fprintf(out, "->");
    print_side(out, "bf", d->out_batch, d->out_feature, d->out_spatial, d->spatial);
}

static void print_one(FILE *out, const lab_node *node, const attribute *a)
{
    fprintf(out, " %s=", a->name);
    switch (a->form) {
    case VALUE: fprintf(out, "%.9g", (double)node->value); break;
    case LIST: print_list(out, node, a, node->n_dims); break;
    case AXES: print_list(out, node, a, node->shape.rank); break;
    case INT: fprintf(out, "%d", *number_of(node, a, 0)); break;
    case REDUCER: fputs(node->reducer == LAB_MAX ? "max" : "sum", out); break;
    case WINDOW: print_window(out, node); break;
    case LABELS: print_labels(out, &node->conv); break;
    }
}

void lab__print_attributes(FILE *out, const lab_node *node)
{
    for (const attribute *a = attributes; a < attributes + ATTRIBUTES; a++)
        if (a->required >> node->op & 1 ||
            (a->optional >> node->op & 1 &&
             !is_usual(node, a, a->form == AXES ? node->shape.rank : 1)))
            print_one(out, node, a);
}
