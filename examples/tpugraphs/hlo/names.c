/* SPDX-License-Identifier: MIT */
/* Ops and element types by name: those of TpuGraphs' lists, and newer ones with the nearest of
   these. */
#include "examples/tpugraphs/hlo/parts.h"
#include "core/error.h"

#include <string.h>

enum { OPS = 121, TYPES = 37, OWN_TYPES = 19 };

/* clang-format off */
/* In the order of their codes. */
static const char *const ops[OPS] = {
    "unknown", "abs", "add", "add-dependency", "after-all", "all-reduce", "all-to-all", "atan2",
    "batch-norm-grad", "batch-norm-inference", "batch-norm-training", "bitcast", "bitcast-convert",
    "broadcast", "call", "ceil", "cholesky", "clamp", "collective-permute", "count-leading-zeros",
    "compare", "complex", "concatenate", "conditional", "constant", "convert", "convolution",
    "copy", "copy-done", "copy-start", "cosine", "custom-call", "divide", "domain", "dot",
    "dynamic-slice", "dynamic-update-slice", "exponential", "exponential-minus-one", "fft", "floor",
    "fusion", "gather", "get-dimension-size", "set-dimension-size", "get-tuple-element", "imag",
    "infeed", "iota", "is-finite", "log", "log-plus-one", "and", "not", "or", "xor", "map",
    "maximum", "minimum", "multiply", "negate", "outfeed", "pad", "parameter", "partition-id",
    "popcnt", "power", "real", "recv", "recv-done", "reduce", "reduce-precision", "reduce-window",
    "remainder", "replica-id", "reshape", "reverse", "rng", "rng-get-and-update-state",
    "rng-bit-generator", "round-nearest-afz", "rsqrt", "scatter", "select", "select-and-scatter",
    "send", "send-done", "shift-left", "shift-right-arithmetic", "shift-right-logical", "sign",
    "sine", "slice", "sort", "sqrt", "subtract", "tanh", "trace", "transpose", "triangular-solve",
    "tuple", "tuple-select", "while", "cbrt", "all-gather", "collective-permute-start",
    "collective-permute-done", "logistic", "dynamic-reshape", "all-reduce-start", "all-reduce-done",
    "reduce-scatter", "all-gather-start", "all-gather-done", "opt-barrier", "async-start",
    "async-update", "async-done", "round-nearest-even", "stochastic-convert", "tan"};

static const char *const newer_ops[][2] = {
    {"erf", "tanh"}, {"sinh", "exponential"}, {"cosh", "exponential"}, {"asin", "atan2"},
    {"acos", "atan2"}, {"atan", "atan2"}, {"asinh", "log"}, {"acosh", "log"},
    {"atanh", "log-plus-one"}, {"mulhi", "multiply"}, {"topk", "sort"}, {"ragged-dot", "dot"},
    {"scaled-dot", "dot"}, {"scan", "while"}, {"shuffle", "gather"},
    {"ragged-all-to-all", "all-to-all"}, {"collective-broadcast", "collective-permute"},
    {"collective-reduce", "all-reduce"}};
/* clang-format on */

/* By XLA's number; the first one of a feature is TpuGraphs' own, others are read as that. */
static const struct type {
    const char *name;
    int feature;
} types[TYPES] = {{"invalid", 0},     {"pred", 1},        {"s8", 2},      {"s16", 3},
                  {"s32", 4},         {"s64", 5},         {"u8", 6},      {"u16", 7},
                  {"u32", 8},         {"u64", 9},         {"f16", 10},    {"f32", 11},
                  {"f64", 12},        {"tuple", 16},      {"opaque", 17}, {"c64", 14},
                  {"bf16", 13},       {"token", 18},      {"c128", 15},   {"f8e5m2", 13},
                  {"f8e4m3fn", 13},   {"s4", 2},          {"u4", 6},      {"f8e4m3b11fnuz", 13},
                  {"f8e5m2fnuz", 13}, {"f8e4m3fnuz", 13}, {"s2", 2},      {"u2", 6},
                  {"f8e4m3", 13},     {"f8e3m4", 13},     {"s1", 2},      {"u1", 6},
                  {"f4e2m1fn", 13},   {"f8e8m0fnu", 13},  {"buffer", 0},  {"type 35", 13},
                  {"type 36", 13}};

int hlo_same(hlo_span word, const char *text)
{
    const size_t n = (size_t)(word.end - word.at);
    return n && *text == *word.at && strlen(text) == n && !memcmp(text, word.at, n);
}

static void count(hlo_graph *g, int is_type, const char *name, const char *as)
{
    hlo_newer *x = g->newer;
    while (x < g->newer + g->n_newer && (x->is_type != is_type || strcmp(x->name, name) != 0)) x++;
    if (x == g->newer + HLO_MOST_NEWER) {
        g->more_newer++;
        return;
    }
    if (x == g->newer + g->n_newer) {
        *x = (hlo_newer){.as = as, .is_type = is_type};
        strcpy(x->name, name);
        g->n_newer++;
    }
    x->count++;
}

/* Counts a newer op or type, or refuses it. */
static ag_status meet(hlo_module *m, int is_type, const char name[HLO_NEWER_NAME], const char *as)
{
    if (m->unknown == HLO_REFUSE)
        return ag_fail(m->why, AG_EDATA,
                       "%s: node %d has the %s %s, which TpuGraphs' list does not have; without "
                       "--unknown refuse it is read as %s",
                       m->name, m->g->nodes, is_type ? "element type" : "op", name, as);
    count(m->g, is_type, name, m->unknown == HLO_ZERO ? "none" : as);
    return AG_OK;
}

/* 0: it is in no list. */
static int code_of(hlo_span name)
{
    int code = OPS - 1;
    while (code && !hlo_same(name, ops[code])) code--;
    return code;
}

int hlo_opcode(hlo_module *m, hlo_span name)
{
    const int code = code_of(name);
    const char *as = ops[0];
    char text[HLO_NEWER_NAME];
    if (code) return code;
    for (size_t i = 0; i < sizeof newer_ops / sizeof *newer_ops; i++)
        if (hlo_same(name, newer_ops[i][0])) as = newer_ops[i][1];
    snprintf(text, sizeof text, "%.*s", hlo_shown(name), name.at);
    if (meet(m, 0, text, as)) return -1;
    return m->unknown == HLO_NEAREST ? code_of((hlo_span){as, as + strlen(as)}) : 0;
}

int hlo_type_number(hlo_span name)
{
    int number = TYPES - 1;
    while (number >= 0 && !hlo_same(name, types[number].name)) number--;
    return number;
}

/* The feature of a type that came after this was written. */
static int guess(hlo_span name)
{
    const int letter = name.at < name.end ? *name.at : 0;
    return letter == 's' ? 2 : letter == 'u' ? 6 : letter == 'f' ? 13 : 0;
}

static void name_type(char text[HLO_NEWER_NAME], const hlo_instruction *x)
{
    const hlo_span name = x->type_name;
    if (name.at)
        snprintf(text, HLO_NEWER_NAME, "%.*s", hlo_shown(name), name.at);
    else if (x->type >= 0 && x->type < TYPES)
        snprintf(text, HLO_NEWER_NAME, "%s", types[x->type].name);
    else
        snprintf(text, HLO_NEWER_NAME, "type %lld", (long long)x->type);
}

ag_status hlo_set_type(hlo_module *m, hlo_instruction *x)
{
    const int known = x->type >= 0 && x->type < TYPES;
    const int feature = known ? types[x->type].feature : guess(x->type_name);
    if (!known || x->type >= OWN_TYPES) {
        char name[HLO_NEWER_NAME];
        int as = 0;
        while (types[as].feature != feature) as++;
        name_type(name, x);
        if (meet(m, 1, name, types[as].name) || m->unknown == HLO_ZERO) return m->why->status;
    }
    x->row[TPUGRAPHS_TYPE + feature] = 1;
    return AG_OK;
}
