/* SPDX-License-Identifier: MIT */
/* HLO text:

       HloModule jit_f, is_scheduled=true

       ENTRY %main (x: f32[8,4], w: f32[4,2]) -> f32[8,2] {
         %x = f32[8,4]{1,0} parameter(0)
         %w = f32[4,2]{1,0} parameter(1)
         ROOT %dot = f32[8,2]{1,0} dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
       } */
#include "examples/tpugraphs/hlo/text.h"

#include <string.h>

static ag_status read_sizes(hlo_text *t, hlo_instruction *x)
{
    if (hlo_expect(t, "[") || hlo_accept(t, "]")) return t->m->why->status;
    do {
        int64_t size;
        hlo_accept(t, "<="); /* of a dynamic axis the most */
        if (hlo_number(t, &size)) return t->m->why->status;
        hlo_append(x, HLO_SIZES, size);
    } while (hlo_accept(t, ","));
    return hlo_expect(t, "]");
}

/* {1,0:T(8,128)}, without a blank before it; where there is none it is row-major. */
static ag_status read_layout(hlo_text *t, hlo_instruction *x)
{
    if (t->at == t->end || *t->at != '{') {
        for (int64_t i = x->list[HLO_SIZES].n; i-- > 0;) hlo_append(x, HLO_LAYOUT, i);
        return AG_OK;
    }
    const char *begin = t->at++;
    if (hlo_peek(t) != ':' && hlo_peek(t) != '}') do {
            int64_t axis;
            if (hlo_number(t, &axis)) return t->m->why->status;
            hlo_append(x, HLO_LAYOUT, axis);
        } while (hlo_accept(t, ","));
    t->at = begin;
    return hlo_pass(t, NULL);
}

/* f32[8,4]{1,0}, or a tuple of shapes, which only its number of members tells of. */
static ag_status read_shape(hlo_text *t, hlo_instruction *x)
{
    int64_t members = 0;
    if (hlo_peek(t) == '(') {
        x->type = HLO_TUPLE;
        hlo_pass(t, &members);
        hlo_set(x, HLO_MEMBERS, members);
        return t->m->why->status;
    }
    if (hlo_word(t, &x->type_name, "a shape like f32[8,4]{1,0}")) return t->m->why->status;
    x->type = hlo_type_number(x->type_name);
    return read_sizes(t, x) ? t->m->why->status : read_layout(t, x);
}

/* The name of an operand is the last word of it; its shape may come before. */
static ag_status read_operands(hlo_text *t)
{
    for (int c; (c = hlo_peek(t)) != ')';) {
        hlo_span name = {0};
        for (; c && c != ',' && c != ')'; c = hlo_peek(t))
            if (strchr("([{", c) ? hlo_pass(t, NULL) : hlo_name(t, &name, "an operand"))
                return t->m->why->status;
        if (!name.at) return hlo_expected(t, "an operand");
        if (hlo_add_reference(t->m, 0, hlo_hash(name, t->computation))) return t->m->why->status;
        hlo_accept(t, ",");
    }
    return hlo_expect(t, ")");
}

/* The number of a parameter, and the values of a constant, stand where others have operands. */
static ag_status read_arguments(hlo_text *t, hlo_instruction *x)
{
    int64_t number;
    if (hlo_peek(t) != '(') return hlo_expected(t, "(");
    if (hlo_same(x->opcode, "constant")) return hlo_pass(t, NULL);
    t->at++;
    if (!hlo_same(x->opcode, "parameter")) return read_operands(t);
    if (hlo_number(t, &number)) return t->m->why->status;
    hlo_set(x, TPUGRAPHS_PARAMETER_NUMBER, number);
    return hlo_expect(t, ")");
}

/* [ROOT] NAME = SHAPE OP(OPERANDS), ATTRIBUTES. *root: the id, of the last one if none is marked.
 */
static ag_status read_instruction(hlo_text *t, uint64_t *root, int *marked)
{
    hlo_instruction x = {.type = 0};
    hlo_span name;
    if (hlo_name(t, &name, "the name of an instruction")) return t->m->why->status;
    const int marks = hlo_same(name, "ROOT") && hlo_peek(t) != '=';
    if ((marks && hlo_name(t, &name, "the name of an instruction")) || hlo_expect(t, "=") ||
        read_shape(t, &x) || hlo_word(t, &x.opcode, "an op") || read_arguments(t, &x))
        return t->m->why->status;
    const int groups = hlo_same(x.opcode, "convolution") || hlo_same(x.opcode, "custom-call");
    for (int i = 0; i < 2; i++) hlo_set(&x, TPUGRAPHS_GROUPS + i, groups);
    x.id = hlo_hash(name, t->computation);
    if (marks || !*marked) *root = x.id;
    *marked |= marks;
    return hlo_attributes(t, &x) ? t->m->why->status : hlo_add_instruction(t->m, &x);
}

/* (PARAMETERS) -> SHAPE, which may be left out. */
static ag_status pass_signature(hlo_text *t)
{
    hlo_instruction nobody = {.type = 0};
    if (hlo_peek(t) != '(') return AG_OK;
    if (hlo_pass(t, NULL) || hlo_expect(t, "->")) return t->m->why->status;
    return read_shape(t, &nobody);
}

static ag_status read_computation(hlo_text *t, hlo_span name)
{
    uint64_t root = 0;
    int marked = 0;
    t->computation = hlo_hash(name, 0);
    if (pass_signature(t) || hlo_expect(t, "{")) return t->m->why->status;
    do {
        if (read_instruction(t, &root, &marked)) return t->m->why->status;
    } while (hlo_peek(t) && hlo_peek(t) != '}');
    if (hlo_expect(t, "}") || hlo_attributes(t, NULL)) return t->m->why->status;
    return hlo_add_computation(t->m, t->computation, root, name);
}

/* Tables of files and stack frames: a title alone on its line, and lines that begin with a number.
 */
static int is_of_table(hlo_text *t, hlo_span word)
{
    const char *c = t->at;
    while (c < t->end && (*c == ' ' || *c == '\r')) c++;
    if (*word.at < '0' || *word.at > '9') return c == t->end || *c == '\n';
    while (t->at < t->end && *t->at != '\n') t->at++;
    return 1;
}

static ag_status read_head(hlo_text *t)
{
    hlo_graph *g = t->m->g;
    hlo_span name;
    if (!hlo_accept(t, "HloModule")) return AG_OK;
    if (hlo_name(t, &name, "the name of the module")) return t->m->why->status;
    snprintf(g->name, sizeof g->name, "%.*s", hlo_shown(name), name.at);
    return hlo_attributes(t, NULL);
}

int hlo_is_text(hlo_span all)
{
    hlo_text t = {.at = all.at, .end = all.end};
    return hlo_accept(&t, "HloModule ") || hlo_accept(&t, "ENTRY ") || hlo_accept(&t, "%");
}

ag_status hlo_read_text(hlo_module *m, hlo_span all)
{
    hlo_text t = {.at = all.at, .end = all.end, .m = m};
    int entries = 0;
    if (read_head(&t)) return m->why->status;
    while (hlo_peek(&t)) {
        hlo_span name;
        const int entry = hlo_accept(&t, "ENTRY ");
        if (hlo_name(&t, &name, "a computation")) return m->why->status;
        if (!entry && is_of_table(&t, name)) continue;
        if (read_computation(&t, name)) return m->why->status;
        entries += entry;
    }
    return entries == 1 ? AG_OK : hlo_expected(&t, "one computation that begins with ENTRY");
}
