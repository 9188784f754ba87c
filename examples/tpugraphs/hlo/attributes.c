/* SPDX-License-Identifier: MIT */
/* The attributes of an instruction of HLO text. An attribute that a text leaves out has the value
   that it has in a message. */
#include "examples/tpugraphs/hlo/text.h"

#include <string.h>

/* Numbers with `between` between them: of each tuple a_b_c one to each of the n lists. */
static ag_status read_tuples(hlo_text *t, hlo_instruction *x, const int *list, int n,
                             const char *between)
{
    do {
        for (int i = 0; i < n; i++) {
            int64_t value;
            if ((i && hlo_expect(t, "_")) || hlo_number(t, &value)) return t->m->why->status;
            hlo_append(x, list[i], value);
        }
        int64_t interior; /* of a pad; no feature has it */
        if (hlo_accept(t, "_") && hlo_number(t, &interior)) return t->m->why->status;
    } while (hlo_accept(t, between));
    return AG_OK;
}

/* {1,2,3} */
static ag_status read_list(hlo_text *t, hlo_instruction *x, int list)
{
    if (hlo_expect(t, "{") || hlo_accept(t, "}")) return t->m->why->status;
    return read_tuples(t, x, &list, 1, ",") ? t->m->why->status : hlo_expect(t, "}");
}

static ag_status read_window(hlo_text *t, hlo_instruction *x)
{
    static const struct {
        const char *name;
        int n, list[2], usual;
    } parts[] = {{"size", 1, {HLO_WINDOW_SIZE}, 1},
                 {"stride", 1, {HLO_WINDOW_STRIDE}, 1},
                 {"pad", 2, {HLO_WINDOW_LOW, HLO_WINDOW_HIGH}, 0},
                 {"lhs_dilate", 1, {HLO_BASE_DILATION}, 1},
                 {"rhs_dilate", 1, {HLO_WINDOW_DILATION}, 1},
                 {"rhs_reversal", 1, {HLO_REVERSED}, 0}};
    enum { PARTS = sizeof parts / sizeof *parts };
    if (hlo_expect(t, "{")) return t->m->why->status;
    while (!hlo_accept(t, "}")) {
        hlo_span name;
        int i = 0;
        if (hlo_word(t, &name, "a part of the window")) return t->m->why->status;
        while (i < PARTS && !hlo_same(name, parts[i].name)) i++;
        if (i == PARTS) {
            t->at = name.at;
            return hlo_expected(t, "size, stride, pad, lhs_dilate, rhs_dilate or rhs_reversal");
        }
        if (hlo_expect(t, "=") || read_tuples(t, x, parts[i].list, parts[i].n, "x"))
            return t->m->why->status;
    }
    for (int i = 0; i < PARTS; i++)
        for (int k = 0; k < parts[i].n; k++)
            while (x->list[parts[i].list[k]].n < x->list[HLO_WINDOW_SIZE].n)
                hlo_append(x, parts[i].list[k], parts[i].usual);
    return AG_OK;
}

/* b01f: where the two letters and, in their order, the digits are. */
static void read_side(hlo_instruction *x, hlo_span side, const char *letters, int column, int list)
{
    const size_t n = (size_t)(side.end - side.at);
    const char *at;
    for (int i = 0; i < 2; i++)
        if ((at = memchr(side.at, letters[i], n))) hlo_set(x, column + i, at - side.at);
    for (int digit = '0'; list >= 0 && (at = memchr(side.at, digit, n)); digit++)
        hlo_append(x, list, at - side.at);
}

/* dim_labels=b01f_01io->b01f */
static ag_status read_labels(hlo_text *t, hlo_instruction *x)
{
    static const char letters[] = "bfio0123456789?";
    hlo_span side[3];
    hlo_peek(t);
    for (int i = 0; i < 3; i++) {
        side[i].at = t->at;
        while (t->at < t->end && *t->at && strchr(letters, *t->at)) t->at++;
        side[i].end = t->at;
        if (i < 2 && hlo_expect(t, i ? "->" : "_")) return t->m->why->status;
    }
    read_side(x, side[0], "bf", TPUGRAPHS_IN_BATCH, HLO_IN_SPATIAL);
    read_side(x, side[1], "io", TPUGRAPHS_KERNEL_IN, HLO_KERNEL_SPATIAL);
    read_side(x, side[2], "bf", TPUGRAPHS_OUT_BATCH, -1);
    return AG_OK;
}

/* slice={[0:8:2], [1:3]}: first, limit and, if it is not 1, step. */
static ag_status read_slice(hlo_text *t, hlo_instruction *x)
{
    if (hlo_expect(t, "{")) return t->m->why->status;
    while (!hlo_accept(t, "}")) {
        int64_t first, limit, step = 1;
        if (hlo_expect(t, "[") || hlo_number(t, &first) || hlo_expect(t, ":") ||
            hlo_number(t, &limit) || (hlo_accept(t, ":") && hlo_number(t, &step)) ||
            hlo_expect(t, "]"))
            return t->m->why->status;
        hlo_append(x, HLO_SLICE_START, first);
        hlo_append(x, HLO_SLICE_LIMIT, limit);
        hlo_append(x, HLO_SLICE_STRIDE, step);
        hlo_accept(t, ",");
    }
    return AG_OK;
}

/* A computation, or {some, of, them}. */
static ag_status read_calls(hlo_text *t)
{
    const int many = hlo_accept(t, "{");
    hlo_span name;
    if (many && hlo_accept(t, "}")) return AG_OK;
    do {
        if (hlo_name(t, &name, "a computation") || hlo_add_reference(t->m, 1, hlo_hash(name, 0)))
            return t->m->why->status;
    } while (many && hlo_accept(t, ","));
    return many ? hlo_expect(t, "}") : AG_OK;
}

typedef enum form { LIST, ONE_AXIS, NUMBER, TRUTH, WINDOW, LABELS, SLICE, PADDING, CALLS } form;

static const struct attribute {
    const char *name;
    form form;
    int to; /* a list, or a feature */
} attributes[] = {{"dimensions", LIST, HLO_DIMENSIONS},
                  {"iota_dimension", ONE_AXIS, HLO_DIMENSIONS},
                  {"dynamic_slice_sizes", LIST, HLO_DYNAMIC_SIZES},
                  {"lhs_contracting_dims", LIST, HLO_LEFT_AXES},
                  {"rhs_contracting_dims", LIST, HLO_RIGHT_AXES},
                  {"lhs_batch_dims", LIST, HLO_LEFT_BATCH},
                  {"rhs_batch_dims", LIST, HLO_RIGHT_BATCH},
                  {"feature_group_count", NUMBER, TPUGRAPHS_GROUPS},
                  {"batch_group_count", NUMBER, TPUGRAPHS_GROUPS + 1},
                  {"is_stable", TRUTH, HLO_STABLE},
                  {"window", WINDOW, 0},
                  {"dim_labels", LABELS, 0},
                  {"slice", SLICE, 0},
                  {"padding", PADDING, 0},
                  {"to_apply", CALLS, 0},
                  {"calls", CALLS, 0},
                  {"body", CALLS, 0},
                  {"condition", CALLS, 0},
                  {"branch_computations", CALLS, 0},
                  {"true_computation", CALLS, 0},
                  {"false_computation", CALLS, 0},
                  {"called_computations", CALLS, 0},
                  {"select", CALLS, 0},
                  {"scatter", CALLS, 0}};

static ag_status read_value(hlo_text *t, hlo_instruction *x, const struct attribute *a)
{
    static const int pads[] = {HLO_PAD_LOW, HLO_PAD_HIGH};
    int64_t value = 0;
    switch (a->form) {
    case LIST: return read_list(t, x, a->to);
    case ONE_AXIS: return read_tuples(t, x, &a->to, 1, "x");
    case WINDOW: return read_window(t, x);
    case LABELS: return read_labels(t, x);
    case SLICE: return read_slice(t, x);
    case PADDING: return read_tuples(t, x, pads, 2, "x");
    case CALLS: return read_calls(t);
    case TRUTH: value = hlo_accept(t, "true"); break;
    case NUMBER: hlo_number(t, &value); break;
    }
    hlo_set(x, a->to, value);
    return t->m->why->status ? t->m->why->status : hlo_pass_value(t);
}

ag_status hlo_attributes(hlo_text *t, hlo_instruction *x)
{
    enum { ATTRIBUTES = sizeof attributes / sizeof *attributes };
    while (hlo_accept(t, ",")) {
        hlo_span name;
        int i = 0;
        if (hlo_word(t, &name, "an attribute") || hlo_expect(t, "=")) return t->m->why->status;
        if (!x && hlo_same(name, "is_scheduled")) t->m->is_scheduled = hlo_peek(t) == 't';
        while (i < ATTRIBUTES && !(x && hlo_same(name, attributes[i].name))) i++;
        if (i < ATTRIBUTES ? read_value(t, x, &attributes[i]) : hlo_pass_value(t))
            return t->m->why->status;
    }
    return AG_OK;
}
