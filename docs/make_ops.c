/* SPDX-License-Identifier: MIT */
/* Writes ops.md, the reference of all ops, from the op table. tests/ops/test_ops_table.c includes
   this file to compare the committed page with a fresh one. */
#include "docs/formula.h"
#include "ops/table.h"

#include <math.h>

/* A formula as code inside a cell, where a bar would end the cell. */
static void put_formula(FILE *file, const char *text)
{
    char plain[400];
    plain_formula(plain, sizeof plain, text);
    fputc('`', file);
    for (const char *c = plain; *c; c++) fprintf(file, *c == '|' ? "\\%c" : "%c", *c);
    fputc('`', file);
}

static int is_variadic(const ag_op *op) { return strstr(op->inputs, "...") != NULL; }

static int input_count(const ag_op *op)
{
    int n = 1;
    for (const char *p = op->inputs; *p; p++) n += *p == ' ';
    return is_variadic(op) ? 1 : n;
}

/* Copies the i-th name of "x w b". */
static void input_name(char out[32], const ag_op *op, int i)
{
    const char *p = op->inputs;
    while (i-- > 0) p += strcspn(p, " ") + 1;
    snprintf(out, 32, "%.*s", (int)strcspn(p, " "), p);
}

static void put_inputs(FILE *file, const ag_op *op)
{
    char name[32];
    for (int i = 0; i < input_count(op); i++) {
        input_name(name, op, i);
        fprintf(file, "%s%s%s", i ? ", " : "", name, op->ints >> i & 1 ? " (int32)" : "");
    }
    if (is_variadic(op)) fprintf(file, "...");
}

/* "x, y": the values that backward reads besides dy. */
static void put_saved(FILE *file, const ag_op *op)
{
    char name[32];
    int n = 0;
    for (int i = 0; i < input_count(op); i++) {
        input_name(name, op, i);
        if (op->saves & SAVE_X(i)) fprintf(file, "%s%s", n++ ? ", " : "", name);
    }
    for (int j = 0; j < AG_MAX_OUT; j++)
        if (op->saves & SAVE_Y(j)) fprintf(file, j ? "%sy%d" : "%sy", n++ ? ", " : "", j);
    if (!n) fprintf(file, "nothing");
}

/* Inputs with a gradient; those with a backward that adds to zeros are PARTIAL. */
static void put_gradients(FILE *file, const ag_op *op)
{
    char name[32];
    int n = 0;
    if (op->view) {
        fprintf(file, "a view of dy");
        return;
    }
    for (int i = 0; i < input_count(op); i++) {
        if (!op->backward[i] || op->ints >> i & 1) continue;
        input_name(name, op, i);
        fprintf(file, "%s%s%s", n++ ? ", " : "", name, op->partial & SAVE_X(i) ? " PARTIAL" : "");
    }
    if (!n) fprintf(file, "none");
}

static void put_kind(FILE *file, const ag_op *op)
{
    fputs(op->view          ? "view"
          : op->elementwise ? "elementwise"
          : op->leads       ? "leads a group"
                            : "",
          file);
    if (op->random) fprintf(file, ", random");
    if (op->has_kinks) fprintf(file, "%skinks", op->leads ? ", " : "");
    if (op->elementwise && !isnan(op->kink)) fprintf(file, ", kink at %g", op->kink);
}

/* 1: every kernel that CUDA runs of the op has a form for it. */
static int runs_on_cuda(const ag_op *op)
{
    const ag_kernel *const *forward = op->cuda ? op->cuda->forward : op->forward;
    const ag_kernel *const *prepare = op->cuda ? op->cuda->prepare : op->prepare;
    const ag_kernel *const *backward = op->cuda ? op->cuda->backward : op->backward;
    int all = 1;
    for (int k = 0; k < AG_MAX_KERNELS; k++)
        all &= (!forward[k] || forward[k]->cuda) && (!prepare[k] || prepare[k]->cuda);
    for (int i = 0; i < AG_MAX_IN; i++) all &= !backward[i] || backward[i]->cuda;
    return all;
}

static void put_row(FILE *file, const ag_op *op)
{
    fprintf(file, "| `%s` | ", op->name);
    put_formula(file, op->formula);
    fprintf(file, " | ");
    put_inputs(file, op);
    fprintf(file, " | ");
    put_gradients(file, op);
    fprintf(file, " | ");
    put_saved(file, op);
    fprintf(file, " | ");
    put_kind(file, op);
    fprintf(file, " | %s | %d |\n", runs_on_cuda(op) ? "yes" : "no", op->n_cases);
}

static void write_ops(FILE *file)
{
    const ag_op *op;
    int n = 0;
    fprintf(
        file,
        "# Ops\n\n"
        "Made from the op table by `docs/make_ops.c` (`cmake --build --preset release --target "
        "docs`); do\nnot edit. Shapes and sources are in `ops/ops.h` and `gnn/gnn.h`, the "
        "bodies in the `.h` file of the op.\n\n"
        "- *gradients*: the inputs that get one. PARTIAL: backward does not write every element "
        "once, so the\n  plan fills with zeros first.\n"
        "- *saved*: what backward reads besides the gradient of the output; the plan keeps it "
        "until then.\n"
        "- *kind*: elementwise ops join a fused group, which an op that *leads* may begin; a "
        "*view* computes\n  nothing; a *kink* is where the derivative jumps.\n"
        "- *cases*: how many inputs the tests try (`tests/ops/test_ops*.c`).\n\n"
        "| op | formula | inputs | gradients | saved | kind | CUDA | cases |\n"
        "|---|---|---|---|---|---|---|---|\n");
    for (; (op = ag__op(n)) != NULL; n++) put_row(file, op);
    fprintf(file, "\n%d ops.\n\n## Fused ops and what they replace\n\n", n);
    for (int i = 0; (op = ag__op(i)) != NULL; i++)
        if (op->replaces) fprintf(file, "- `%s`: `%s`\n", op->name, op->replaces);
}

#ifndef AG_NO_MAIN
int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "w") : stdout;
    if (!file) {
        fprintf(stderr, "make_ops: cannot write %s.\n", argv[1]);
        return 1;
    }
    write_ops(file);
    return fclose(file) ? 1 : 0;
}
#endif
