/* SPDX-License-Identifier: MIT */
/* A tensor as text, in NumPy's manner. */
#include "autograd/tape.h"
#include "core/error.h"
#include "core/params.h"
#include "core/shape.h"

#include <math.h>

enum { EDGE = 3, LONG = 10, MANY = 1000, NUMBER = 32 };

typedef struct printer {
    const ag_tensor *x;
    const void *values;
    int shown[AG_MAX_AXES]; /* sizes of what is shown: 2 EDGE where the axis is cut */
    int64_t count;          /* of numbers that are shown */
    const char *format;
    int width;
} printer;

/* ---- which numbers ---- */

/* An axis is cut when it is longer than a line, or as soon as possible where there are many
   numbers. */
static printer begin_print(const ag_tensor *x, const void *values)
{
    printer p = {.x = x, .values = values, .count = 1};
    const int most = x->count > MANY ? 2 * EDGE : LONG;
    for (int a = 0; a < x->shape.rank; a++) {
        const int size = x->shape.size[a];
        p.shown[a] = size > most ? 2 * EDGE : size;
        p.count *= p.shown[a];
    }
    return p;
}

/* The element that is shown as number i; k: its position along each axis of what is shown. */
static int64_t element(const printer *p, int64_t i, int k[AG_MAX_AXES])
{
    int64_t at = 0, stride = 1;
    for (int a = p->x->shape.rank - 1; a >= 0; a--) {
        const int size = p->x->shape.size[a], shown = p->shown[a];
        k[a] = (int)(i % shown);
        i /= shown;
        at += stride * (k[a] < EDGE ? k[a] : size - shown + k[a]);
        stride *= size;
    }
    return at;
}

/* ---- how they are written ---- */

static int write_number(const printer *p, int64_t at, char text[NUMBER])
{
    if (p->x->is_int) return snprintf(text, NUMBER, "%d", (int)((const int32_t *)p->values)[at]);
    return snprintf(text, NUMBER, p->format, (double)((const ag_real *)p->values)[at]);
}

/* One format for all: whole numbers, four decimals, or powers of ten where those would hide much.
 */
static const char *choose_format(const printer *p)
{
    double least = (double)INFINITY, most = 0;
    int whole = 1, k[AG_MAX_AXES];
    for (int64_t i = 0; i < p->count; i++) {
        const double v = fabs((double)((const ag_real *)p->values)[element(p, i, k)]);
        if (!isfinite(v)) continue;
        whole &= v == floor(v);
        most = fmax(most, v);
        if (v > 0) least = fmin(least, v);
    }
    if (most >= 1e8 || (!whole && (least < 1e-4 || most / least > 1e5))) return "%.4e";
    return whole ? "%.0f." : "%.4f";
}

static void settle(printer *p)
{
    char text[NUMBER];
    int k[AG_MAX_AXES];
    if (!p->x->is_int) p->format = choose_format(p);
    for (int64_t i = 0; i < p->count; i++) {
        const int width = write_number(p, element(p, i, k), text);
        if (width > p->width) p->width = width;
    }
}

static void repeat(FILE *file, char c, int n)
{
    for (int i = 0; i < n; i++) fputc(c, file);
}

/* Between two numbers, the second of which opens `opens` new axes. */
static void separate(const printer *p, int opens, const int k[AG_MAX_AXES], FILE *file)
{
    const int rank = p->x->shape.rank, axis = rank - 1 - opens;
    const int gap = k[axis] == EDGE && p->shown[axis] < p->x->shape.size[axis];
    if (!opens) {
        fputs(gap ? " ... " : " ", file);
        return;
    }
    for (int g = 0; g <= gap; g++) {
        repeat(file, '\n', opens);
        repeat(file, ' ', rank - opens);
        if (g < gap) fputs("...", file);
    }
}

static void print_values(const printer *p, FILE *file)
{
    const int rank = p->x->shape.rank;
    char text[NUMBER];
    if (!p->count) fputs("[]", file);
    for (int64_t i = 0; i < p->count; i++) {
        int k[AG_MAX_AXES], opens = 0, closes = 0;
        const int64_t at = element(p, i, k);
        while (opens < rank && !k[rank - 1 - opens]) opens++;
        while (closes < rank && k[rank - 1 - closes] == p->shown[rank - 1 - closes] - 1) closes++;
        if (i) separate(p, opens, k, file);
        repeat(file, '[', opens);
        write_number(p, at, text);
        fprintf(file, "%*s", p->width, text);
        repeat(file, ']', closes);
    }
    fputc('\n', file);
}

/* ---- which tensors have values ---- */

/* NULL: there are none, and *why says so. */
static const void *values_of(const ag_tensor *x, const char **why)
{
    const int elsewhere = x->param && x->param->block->behind;
    if (x->node < 0 && x->data && !elsewhere) return x->data;
    *why = "the tape failed";
    if (ag_failed(x->tape)) return NULL;
    *why = elsewhere
               ? "it is on the CUDA device; call ag_params_fetch first, or print it after a run"
               : "not computed yet; run ag_forward or ag_backward on it first";
    if (!x->tape->ran) return NULL;
    *why = "the run did not keep it; call ag_keep on it before the run";
    if (x->data || !x->there) return x->data;
    *why = "the device could not bring it";
    return ag__device_result(x->tape->tensors[x->id]);
}

/* NULL, or why x is not a tensor of this step. */
static const char *ended(const ag_tensor *x)
{
    if (!x || !x->tape) return x ? "it was recorded on a tape that is NULL" : "it is NULL";
    if (x == &x->tape->poison) return "the call that should have made it failed";
    return ag__is_live(x) ? NULL : "it is of an earlier step, which ag_tape_reset ended";
}

static const char *param_name(const ag_tensor *x)
{
    return x->name ? x->name : x->node < 0 ? "input" : x->tape->nodes[x->node].op->name;
}

void ag_print(const ag_tensor *x, FILE *file)
{
    char name[200], shape[64];
    if (!file) return;
    const char *why = ended(x);
    if (why) {
        const int failed = x && x->tape && ag_failed(x->tape);
        fprintf(file, "no tensor: %s%s%s\n", why, failed ? ": " : "",
                failed ? ag_error(x->tape) : "");
        return;
    }
    fprintf(file, "%s %s %s", ag_printable(name, sizeof name, param_name(x)),
            ag_shape_text(shape, x->shape),
            x->is_int              ? "int32"
            : sizeof(ag_real) == 8 ? "float64"
                                   : "float32");
    const void *values = x->count ? values_of(x, &why) : "";
    if (values) {
        printer p = begin_print(x, values);
        settle(&p);
        fputc('\n', file);
        print_values(&p, file);
    } else {
        const int failed = ag_failed(x->tape);
        fprintf(file, ": %s%s%s\n", why, failed ? ": " : "", failed ? ag_error(x->tape) : "");
    }
}
