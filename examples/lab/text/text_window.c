/* SPDX-License-Identifier: MIT */
/* window={size=3x3 stride=2x2 ...} and dim_labels=b01f_01io->b01f. */
#include "examples/lab/text/text_internal.h"

#include <stddef.h>
#include <string.h>

/* The numbers of a window, their names and defaults. */
static const struct field {
    const char *name;
    size_t offset;
    int usual;
} fields[] = {
    {"size", offsetof(lab_window, size), 1},
    {"stride", offsetof(lab_window, stride), 1},
    {"low", offsetof(lab_window, low), 0},
    {"high", offsetof(lab_window, high), 0},
    {"dilation", offsetof(lab_window, dilation), 1},
    {"base_dilation", offsetof(lab_window, base_dilation), 1},
    {"reversed", offsetof(lab_window, reversed), 0},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static int *number_of(lab_window *window, int field)
{
    return (int *)(void *)((char *)window + fields[field].offset);
}

static ag_status read_field(lab_window *window, int *n, unsigned *seen, lab_line *line)
{
    char name[LAB_NAME];
    int field = 0, count, list[LAB_RANK];
    if (lab__read_name(name, line, "a number of the window")) return line->why->status;
    while (field < FIELDS && strcmp(fields[field].name, name) != 0) field++;
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
    for (int i = 0; i < count; i++) *number_of(&window[i], field) = list[i];
    return AG_OK;
}

ag_status lab__read_window(lab_node *node, int *n, lab_line *line)
{
    unsigned seen = 0;
    *n = 0;
    for (int i = 0; i < LAB_RANK; i++)
        for (int field = 0; field < FIELDS; field++)
            *number_of(&node->window[i], field) = fields[field].usual;
    if (lab__expect(line, "{")) return line->why->status;
    while (!lab__accept(line, "}"))
        if (read_field(node->window, n, &seen, line)) return line->why->status;
    memset(node->window + *n, 0, (size_t)(LAB_RANK - *n) * sizeof *node->window);
    return AG_OK;
}

void lab__print_window(FILE *out, const lab_node *node)
{
    const int n = node->op == LAB_CONVOLUTION ? node->conv.spatial : node->shape.rank;
    const char *blank = "";
    fputc('{', out);
    for (int field = 0; field < FIELDS && n; field++) {
        int usual = field > 0; /* sizes are always printed */
        for (int i = 0; i < n; i++)
            usual &= *number_of((lab_window *)&node->window[i], field) == fields[field].usual;
        if (usual) continue;
        fprintf(out, "%s%s=", blank, fields[field].name);
        for (int i = 0; i < n; i++)
            fprintf(out, "%s%d", i ? "x" : "", *number_of((lab_window *)&node->window[i], field));
        blank = " ";
    }
    fputc('}', out);
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

ag_status lab__read_labels(lab_node *node, lab_line *line)
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

static void print_side(FILE *out, const char *letters, int a, int b, const int *spatial, int n)
{
    char text[8] = "?????";
    text[a] = letters[0];
    text[b] = letters[1];
    for (int i = 0; i < n; i++) text[spatial[i]] = (char)('0' + i);
    fprintf(out, "%.*s", n + 2, text);
}

void lab__print_labels(FILE *out, const lab_conv_dims *d)
{
    print_side(out, "bf", d->in_batch, d->in_feature, d->in_spatial, d->spatial);
    fprintf(out, "_");
    print_side(out, "io", d->kernel_in, d->kernel_out, d->kernel_spatial, d->spatial);
    fprintf(out, "->");
    print_side(out, "bf", d->out_batch, d->out_feature, d->out_spatial, d->spatial);
}
