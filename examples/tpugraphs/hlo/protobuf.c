/* SPDX-License-Identifier: MIT */
/* HLO modules as protocol buffers: the 51 fields of 12 messages that features and edges are made of
   (xla/service/hlo.proto, xla/xla_data.proto). The tables nest to a fixed depth, whatever the file
   does. */
#include "examples/tpugraphs/hlo/parts.h"
#include "core/error.h"

/* ---- the wire format of protocol buffers ---- */

/* A message is a range of bytes, and so is a field of it. Nothing is copied, and unknown fields are
   passed over. */
enum { VARINT = 0, EIGHT_BYTES = 1, BYTES = 2, FOUR_BYTES = 5 }; /* forms of a field */

typedef struct field {
    int number, form;
    uint64_t value; /* of a varint */
    hlo_span bytes;
} field;

/* Reads a number of at most ten bytes; bits beyond the 64th are dropped. Returns 0 if there is
   none. */
static int read_varint(hlo_span *s, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; shift < 70 && s->at < s->end; shift += 7) {
        const unsigned char byte = (unsigned char)*s->at++;
        if (shift < 64) *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return 1;
    }
    return 0;
}

/* Moves on by a field's bytes. */
static int take(hlo_span *s, field *f, uint64_t n)
{
    if (n > (uint64_t)(s->end - s->at)) return -1;
    f->bytes = (hlo_span){s->at, s->at + n};
    s->at += n;
    return 1;
}

/* 1: the next field. 0: the end. -1: damage at s->at. */
static int next_field(hlo_span *s, field *f)
{
    enum { MOST_NUMBER = 0x1fffffff };
    uint64_t tag, n;
    if (s->at == s->end) return 0;
    if (!read_varint(s, &tag) || tag >> 3 == 0 || tag >> 3 > MOST_NUMBER) return -1;
    *f = (field){.number = (int)(tag >> 3), .form = (int)(tag & 7)};
    switch (f->form) {
    case VARINT: return read_varint(s, &f->value) ? 1 : -1;
    case BYTES: return read_varint(s, &n) ? take(s, f, n) : -1;
    case EIGHT_BYTES: return take(s, f, 8);
    case FOUR_BYTES: return take(s, f, 4);
    default: return -1; /* groups ended with proto2 */
    }
}

/* ---- the fields of HLO ---- */

/* The contents of a field: a number is a feature; a list has a number after the other, packed or
   not; of a row, a message, each number goes to a list of its own, 0 where it is not written. First
   come those that are one number, then lists, then those that are bytes. */
typedef enum { NUMBER, FLAG, TYPE, ID, LIST, OPERANDS, CALLS, OPCODE, MEMBERS, MESSAGE, ROW } kind;

typedef struct known {
    int number;
    kind kind;
    int to; /* a feature, or a list */
    const struct known *inside;
} known;

static const known layout[] = {{1, LIST, HLO_LAYOUT, NULL}, {0}};

static const known shape[] = {{2, TYPE, 0, NULL},
                              {3, LIST, HLO_SIZES, NULL},
                              {4, MEMBERS, HLO_MEMBERS, NULL},
                              {5, MESSAGE, 0, layout},
                              {0}};

static const known window_row[] = {
    {1, NUMBER, HLO_WINDOW_SIZE, NULL},     {2, NUMBER, HLO_WINDOW_STRIDE, NULL},
    {3, NUMBER, HLO_WINDOW_LOW, NULL},      {4, NUMBER, HLO_WINDOW_HIGH, NULL},
    {5, NUMBER, HLO_WINDOW_DILATION, NULL}, {6, NUMBER, HLO_BASE_DILATION, NULL},
    {7, FLAG, HLO_REVERSED, NULL},          {0}};
static const known window[] = {{1, ROW, 0, window_row}, {0}};

static const known convolution[] = {{3, NUMBER, TPUGRAPHS_KERNEL_IN, NULL},
                                    {4, NUMBER, TPUGRAPHS_KERNEL_IN + 1, NULL},
                                    {6, LIST, HLO_KERNEL_SPATIAL, NULL},
                                    {7, NUMBER, TPUGRAPHS_IN_BATCH, NULL},
                                    {8, NUMBER, TPUGRAPHS_IN_BATCH + 1, NULL},
                                    {9, NUMBER, TPUGRAPHS_OUT_BATCH, NULL},
                                    {10, NUMBER, TPUGRAPHS_OUT_BATCH + 1, NULL},
                                    {11, LIST, HLO_IN_SPATIAL, NULL},
                                    {0}};

static const known slice_row[] = {{1, NUMBER, HLO_SLICE_START, NULL},
                                  {2, NUMBER, HLO_SLICE_LIMIT, NULL},
                                  {3, NUMBER, HLO_SLICE_STRIDE, NULL},
                                  {0}};

static const known padding_row[] = {
    {1, NUMBER, HLO_PAD_LOW, NULL}, {2, NUMBER, HLO_PAD_HIGH, NULL}, {0}};
static const known padding[] = {{1, ROW, 0, padding_row}, {0}};

static const known dot[] = {{1, LIST, HLO_LEFT_AXES, NULL},
                            {2, LIST, HLO_RIGHT_AXES, NULL},
                            {3, LIST, HLO_LEFT_BATCH, NULL},
                            {4, LIST, HLO_RIGHT_BATCH, NULL},
                            {0}};

static const known instruction[] = {{2, OPCODE, 0, NULL},
                                    {3, MESSAGE, 0, shape},
                                    {9, NUMBER, TPUGRAPHS_PARAMETER_NUMBER, NULL},
                                    {14, LIST, HLO_DIMENSIONS, NULL},
                                    {15, MESSAGE, 0, window},
                                    {16, MESSAGE, 0, convolution},
                                    {17, ROW, 0, slice_row},
                                    {20, LIST, HLO_DYNAMIC_SIZES, NULL},
                                    {21, MESSAGE, 0, padding},
                                    {30, MESSAGE, 0, dot},
                                    {35, ID, 0, NULL},
                                    {36, OPERANDS, 0, NULL},
                                    {38, CALLS, 0, NULL},
                                    {50, NUMBER, TPUGRAPHS_GROUPS, NULL},
                                    {58, NUMBER, TPUGRAPHS_GROUPS + 1, NULL},
                                    {60, FLAG, HLO_STABLE, NULL},
                                    {0}};

static ag_status damaged(const hlo_module *m, hlo_span at)
{
    return ag_fail(m->why, AG_EDATA,
                   "%s: the message is damaged at byte %lld; make or copy the file again", m->name,
                   (long long)(at.at - m->begin));
}

static const known *find(const known *table, int number)
{
    while (table->number && table->number != number) table++;
    return table->number ? table : NULL;
}

/* A list is one range of numbers (packed), or as many fields. */
static ag_status read_list(hlo_module *m, hlo_instruction *x, const field *f, const known *k)
{
    hlo_span s = f->bytes;
    uint64_t value = f->value;
    for (int left = f->form == VARINT; left || s.at < s.end; left = 0) {
        if (!left && !read_varint(&s, &value)) return damaged(m, s);
        if (k->kind == LIST)
            hlo_append(x, k->to, (int64_t)value);
        else if (hlo_add_reference(m, k->kind == CALLS, value))
            return m->why->status;
    }
    return AG_OK;
}

static ag_status read_row(hlo_module *m, hlo_instruction *x, hlo_span s, const known *table)
{
    enum { MOST = 8 };
    int64_t value[MOST] = {0};
    field f;
    int more;
    while ((more = next_field(&s, &f)) > 0)
        for (int i = 0; table[i].number; i++)
            if (table[i].number == f.number)
                value[i] = table[i].kind == FLAG ? f.value != 0 : (int64_t)f.value;
    for (int i = 0; table[i].number; i++) hlo_append(x, table[i].to, value[i]);
    return more < 0 ? damaged(m, s) : AG_OK;
}

static ag_status read_message(hlo_module *m, hlo_instruction *x, hlo_span s, const known *table);

static ag_status read_known(hlo_module *m, hlo_instruction *x, const field *f, const known *k)
{
    switch (k->kind) {
    case NUMBER: hlo_set(x, k->to, (int64_t)f->value); break;
    case FLAG: hlo_set(x, k->to, f->value != 0); break;
    case TYPE: x->type = (int64_t)f->value; break;
    case MEMBERS: x->row[k->to]++; break;
    case ID: x->id = f->value; break;
    case OPCODE: x->opcode = f->bytes; break;
    case LIST:
    case OPERANDS:
    case CALLS: return read_list(m, x, f, k);
    case ROW: return read_row(m, x, f->bytes, k->inside);
    case MESSAGE: return read_message(m, x, f->bytes, k->inside);
    }
    return AG_OK;
}

static int is_form(const field *f, kind kind)
{
    return f->form == BYTES ? kind >= LIST : f->form == VARINT && kind < OPCODE;
}

static ag_status read_message(hlo_module *m, hlo_instruction *x, hlo_span s, const known *table)
{
    field f;
    int more;
    while ((more = next_field(&s, &f)) > 0) {
        const known *k = find(table, f.number);
        if (!k) continue;
        if (!is_form(&f, k->kind)) return damaged(m, s);
        if (read_known(m, x, &f, k)) return m->why->status;
    }
    return more < 0 ? damaged(m, s) : AG_OK;
}

static ag_status read_instruction(hlo_module *m, hlo_span s)
{
    hlo_instruction x = {.type = 0};
    return read_message(m, &x, s, instruction) ? m->why->status : hlo_add_instruction(m, &x);
}

static ag_status read_computation(hlo_module *m, hlo_span s)
{
    enum { NAME = 1, INSTRUCTION = 2, ID = 5, ROOT = 6 };
    uint64_t id = 0, root = 0;
    hlo_span name = {0};
    field f;
    int more;
    while ((more = next_field(&s, &f)) > 0) {
        if (f.number == NAME && f.form == BYTES) name = f.bytes;
        if (f.number == ID) id = f.value;
        if (f.number == ROOT) root = f.value;
        if (f.number == INSTRUCTION && read_instruction(m, f.bytes)) return m->why->status;
    }
    return more < 0 ? damaged(m, s) : hlo_add_computation(m, id, root, name);
}

/* A message is known by its contents: a module has computations, which have
   instructions, which have op codes. Runs of TpuGraphs have the same numbers, and none of these. */
static int is_instruction(hlo_span s)
{
    field f;
    while (next_field(&s, &f) > 0) {
        if (f.number != 2) continue; /* its op code */
        for (const char *c = f.bytes.at; c < f.bytes.end; c++)
            if (!((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '-')) return 0;
        return f.bytes.at < f.bytes.end;
    }
    return 0;
}

/* 1 if a message has one field of this number or more, and each is what `is` asks for. */
static int has(hlo_span s, int number, int (*is)(hlo_span s))
{
    field f;
    int more, n = 0;
    while ((more = next_field(&s, &f)) > 0) {
        if (f.number != number) continue;
        if (f.form != BYTES || !is(f.bytes)) return 0;
        n++;
    }
    return !more && n;
}

static int is_computation(hlo_span s) { return has(s, 2, is_instruction); }
static int is_module(hlo_span s) { return has(s, 3, is_computation); }

static ag_status read_module(hlo_module *m, hlo_span s)
{
    enum { NAME = 1, COMPUTATION = 3, SCHEDULE = 7 };
    hlo_graph *g = m->g;
    field f;
    while (next_field(&s, &f) > 0) {
        if (f.number == NAME && f.form == BYTES)
            snprintf(g->name, sizeof g->name, "%.*s", hlo_shown(f.bytes), f.bytes.at);
        m->is_scheduled |= f.number == SCHEDULE;
        if (f.number == COMPUTATION && read_computation(m, f.bytes)) break;
    }
    return m->why->status;
}

ag_status hlo_read_protobuf(hlo_module *m, hlo_span all)
{
    hlo_span s = all;
    field f;
    if (is_module(all)) return read_module(m, all);
    while (next_field(&s, &f) > 0) /* HloProto, ModuleTuningData */
        if (f.number == 1 && f.form == BYTES && is_module(f.bytes)) return read_module(m, f.bytes);
    return ag_fail(
        m->why, AG_EDATA,
        "%s is not an HLO module, or it is damaged or cut off: it is neither an HloModuleProto "
        "or HloProto nor a text that begins with HloModule; docs/tgraph.md says how to "
        "get one of JAX, TensorFlow and PyTorch",
        m->name);
}
