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

/* b01f: the axis of each letter, those of the digits in spatial; n is the number of digits. */
static ag_status read_side(int *a, int *b, int spatial[3], int *n, const char *letters,
                           lab_line *line)
{
    int at = 0;
    *n = 0;
    *a = *b = -1;
    for (int i = 0; i < 3; i++) spatial[i] = -1;
    for (; at < 5; line->at++, at++) {
        const char c = *line->at;
        int *to = c == letters[0] ? a : c == letters[1] ? b : NULL;
        if (c >= '0' && c <= '2') {
            to = &spatial[c - '0'];
            ++*n;
        }
        if (!to) break;
        if (*to >= 0) return lab__bad_line(line, "dim_labels has %c twice on one side", c);
        *to = at;
    }
    for (int i = 0; i < *n; i++)
        if (spatial[i] < 0) return lab__bad_line(line, "dim_labels leaves out the digit %d", i);
    for (int i = *n; i < 3; i++) spatial[i] = 0;
    if (*a < 0 || *b < 0 || *n == 0)
        return lab__expected(line, "a side of dim_labels with both letters and a digit at least");
    return AG_OK;
}

ag_status lab__read_labels(lab_node *node, lab_line *line)
{
    lab_conv_dims *d = &node->conv;
    int kernel, out;
    lab__skip_blanks(line);
    if (read_side(&d->in_batch, &d->in_feature, d->in_spatial, &d->spatial, "bf", line) ||
        lab__expect(line, "_") ||
        read_side(&d->kernel_in, &d->kernel_out, d->kernel_spatial, &kernel, "io", line) ||
        lab__expect(line, "->") ||
        read_side(&d->out_batch, &d->out_feature, d->out_spatial, &out, "bf", line))
        return line->why->status;
    if (d->spatial == kernel && d->spatial == out && node->shape.rank == out + 2) return AG_OK;
    return lab__bad_line(line,
                         "dim_labels has %d, %d and %d digits, but a result of rank %d needs %d",
                         d->spatial, kernel, out, node->shape.rank, node->shape.rank - 2);
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
