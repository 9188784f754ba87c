/* SPDX-License-Identifier: MIT */
/* Writes ops/elementwise_ops.h, the declarations of the elementwise ops, from ops/elementwise.def.
   tests/ops/test_ops_table.c includes this file to compare the committed header with a fresh one.
 */
#include "docs/formula.h"

enum { HEADER_WIDTH = 100 };

typedef struct declared {
    const char *name, *arguments, *value, *slope, *slope_z, *reads, *kink, *about;
} declared;

#define MAP(name, value, slope, reads, from, to, kink, about) \
 {#name, "ag_tensor *x", #value, #slope, NULL, #reads, #kink, about},
#define MAP1(name, value, slope, reads, from, to, p, kink, about) \
 {#name, "ag_tensor *x, ag_real p", #value, #slope, NULL, #reads, #kink, about},
#define MAP2(name, value, slope, reads, from, to, p, q, kink, about) \
 {#name, "ag_tensor *x, ag_real p, ag_real q", #value, #slope, NULL, #reads, #kink, about},
#define ZIP(name, value, slope, slope_z, reads, from, to, about) \
 {#name, "ag_tensor *x, ag_tensor *z", #value, #slope, #slope_z, #reads, "NONE", about},
static const declared elementwise[] = {
#include "ops/elementwise.def"
};

/* A comment of lines that are no longer than HEADER_WIDTH. */
static void put_comment(FILE *file, const char *text)
{
    int column = fprintf(file, "/*");
    while (*text) {
        const int n = (int)strcspn(text, " "), closing = text[n] ? 0 : 3;
        if (column + 1 + n + closing > HEADER_WIDTH) {
            fprintf(file, "\n  ");
            column = 2;
        }
        column += fprintf(file, " %.*s", n, text);
        text += n + (text[n] == ' ');
    }
    fprintf(file, " */\n");
}

/* "dx = dy", "dx = -dy" or "dx = dy * (slope)". */
static int put_slope(char *out, size_t size, const char *input, const char *slope)
{
    char plain[300];
    plain_formula(plain, sizeof plain, slope);
    const char *form = strcmp(plain, "1") == 0    ? "%s = dy"
                       : strcmp(plain, "-1") == 0 ? "%s = -dy"
                       : *plain == '('            ? "%s = dy * %s"
                       : strpbrk(plain, " -")     ? "%s = dy * (%s)"
                                                  : "%s = dy * %s";
    return snprintf(out, size, form, input, plain);
}

static void put_declaration(FILE *file, const declared *d)
{
    char value[300], dx[340], dz[340] = "", text[2000];
    plain_formula(value, sizeof value, d->value);
    put_slope(dx, sizeof dx, "dx", d->slope);
    if (d->slope_z) put_slope(dz, sizeof dz, ", dz", d->slope_z);
    int n = snprintf(
        text, sizeof text, "y = %s. %s. %s%s", value,
        d->slope_z ? "x and z have the same shape, which may be any" : "x has any shape", dx, dz);
    if (strcmp(d->kink, "NONE") != 0)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      strstr(d->slope, "x < p") ? ", which jumps at x = p and x = q"
                                                : ", which jumps at x = %s",
                      d->kink);
    snprintf(text + n, sizeof text - (size_t)n, ". %s %s",
             d->slope_z ? "Errors: those above, and AG_ESHAPE where x and z differ in shape."
                        : "Errors: those above.",
             d->about);
    put_comment(file, text);
    fprintf(file, "AG_API ag_tensor *ag_%s(%s);\n\n", d->name, d->arguments);
}

static void write_prototypes(FILE *file)
{
    fputs(
        "/* SPDX-License-Identifier: MIT */\n"
        "/* The elementwise ops. Made from ops/elementwise.def by docs/make_prototypes.c (cmake\n"
        "   --build --preset release --target docs); do not edit.\n"
        "\n"
        "   Each takes tensors of any shape and returns one of that shape: element i of y is a\n"
        "   function of element i of the inputs, and p and q are the same for all elements. dy is\n"
        "   the gradient of y; dx and dz are the gradients of x and z. A value outside of the\n"
        "   domain of a function is not a failure: it gives what C gives (log of 0 is -inf, of -1\n"
        "   NaN). NULL, and a tensor of another tape, of an earlier step or of int32 indices,\n"
        "   fail the tape (AG_EUSE). In these cases, and for a poison input, the result is a\n"
        "   poison tensor. */\n"
        "#ifndef AG_ELEMENTWISE_OPS_H\n"
        "#define AG_ELEMENTWISE_OPS_H\n"
        "\n"
        "#include \"autograd/autograd.h\"\n"
        "\n"
        "#ifdef __cplusplus\n"
        "extern \"C\" {\n"
        "#endif\n"
        "\n",
        file);
    for (size_t i = 0; i < sizeof elementwise / sizeof *elementwise; i++)
        put_declaration(file, &elementwise[i]);
    fputs("#ifdef __cplusplus\n"
          "}\n"
          "#endif\n"
          "\n"
          "#endif\n",
          file);
}

#ifndef AG_NO_MAIN
int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "w") : stdout;
    if (!file) {
        fprintf(stderr, "make_prototypes: %s cannot be written.\n", argv[1]);
        return 1;
    }
    write_prototypes(file);
    return fclose(file) ? 1 : 0;
}
#endif
