/* SPDX-License-Identifier: MIT */
/* Translates the words of a kind into their meaning for a nest. */
#include "examples/tpgnn/nest/nest_internal.h"

#include <stdlib.h>
#include <string.h>

/* By type or, where that is not here, by class. */
static const struct {
    const char *name;
    nest_class class;
} meanings[] = {
    {"PrimFunc", NEST_ROOT},     {"Param", NEST_BUFFER},      {"AllocBuffer", NEST_BUFFER},
    {"DeclBuffer", NEST_BUFFER}, {"For", NEST_FOR},           {"AttrStmt", NEST_ATTRIBUTE},
    {"IfThenElse", NEST_IF},     {"BufferStore", NEST_STORE}, {"BufferLoad", NEST_LOAD},
    {"Var", NEST_VAR},           {"IntImm", NEST_CONSTANT},   {"FloatImm", NEST_CONSTANT},
    {"Add", NEST_ADD},           {"Sub", NEST_SUB},           {"Mul", NEST_MUL},
    {"FloorDiv", NEST_FLOORDIV}, {"FloorMod", NEST_FLOORMOD}, {"Min", NEST_CHEAP},
    {"Max", NEST_CHEAP},         {"Div", NEST_DIVIDE},        {"Mod", NEST_DIVIDE},
    {"Select", NEST_CHOICE},     {"EQ", NEST_COMPARE},        {"NE", NEST_COMPARE},
    {"LT", NEST_COMPARE},        {"LE", NEST_COMPARE},        {"GT", NEST_COMPARE},
    {"GE", NEST_COMPARE},        {"And", NEST_COMPARE},       {"Or", NEST_COMPARE},
    {"Not", NEST_COMPARE},       {"Call", NEST_CALL},         {"Call.if_then_else", NEST_CHOICE},
    {"Call.sqrt", NEST_DIVIDE},  {"Call.rsqrt", NEST_DIVIDE}, {"Call.fabs", NEST_CHEAP},
    {"Call.fma", NEST_CHEAP},    {"Call.floor", NEST_CHEAP},
};

static nest_class find(const char *name, nest_class otherwise)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (!strcmp(name, meanings[i].name)) return meanings[i].class;
    return otherwise;
}

static uint8_t loop_of(const char *word)
{
    if (!strcmp(word, "parallel")) return NEST_PARALLEL;
    if (!strcmp(word, "vectorized")) return NEST_VECTOR;
    return !strcmp(word, "unrolled") ? NEST_UNROLLED : NEST_SERIAL;
}

/* The number after the last x, as in "float32x8" and "float32xvscalex4" (of which the vscale is not
   known and counts as 1); else 1. */
static int64_t lanes_of(const char *word)
{
    const char *x = strrchr(word, 'x');
    char *end = NULL;
    const long lanes = x ? strtol(x + 1, &end, 10) : 1;
    return lanes < 1 || (end && *end) ? 1 : lanes < 65535 ? lanes : 65535;
}

/* Bytes of "float32", "float8_e4m3fn", "custom[posites2]32", "int4x8": name, bits, maybe how they
   are used, lanes. An element has at least a byte. 4 where neither the bits nor the name tell. */
static uint32_t bytes_of(const char *word)
{
    const char *name = word, *end = strchr(word, ']');
    if (end) word = end + 1; /* any characters are in the brackets of a custom type */
    word += strcspn(word, "x0123456789");
    long bits = strtol(word, NULL, 10);
    if (bits < 1) bits = !strncmp(name, "bool", 4) ? 8 : !strncmp(name, "handle", 6) ? 64 : 32;
    return (uint32_t)(((bits < 65535 ? bits : 65535) * lanes_of(word) + 7) / 8);
}

static nest_kind look(const tpgnn_kind *k)
{
    nest_kind r = {0};
    const char *type = k->word[TPGNN_TYPE], *class = k->word[TPGNN_CLASS];
    r.class = (uint8_t)find(type, find(class, NEST_OTHER));
    r.loop = loop_of(k->word[TPGNN_LOOP]);
    r.local = strcmp(class, "Param") != 0;
    r.step = !strcmp(type, "AttrStmt.pragma_auto_unroll_max_step");
    r.real = strstr(k->word[TPGNN_DTYPE], "float") || strstr(k->word[TPGNN_DTYPE], "custom[");
    r.bytes = bytes_of(k->word[TPGNN_DTYPE]);
    return r;
}

nest_kind nest_kind_of(nest_tree *t, int v)
{
    nest_kind *k = &t->kind[t->s->kind[v]];
    if (k->class == NEST_UNSEEN) *k = look(&t->data->kind[t->s->kind[v]]);
    return *k;
}
