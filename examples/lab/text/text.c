/* SPDX-License-Identifier: MIT */
/* Reads programs, line by line. */
#include "examples/lab/text/text_internal.h"
#include "examples/harness/cli/options_internal.h"

#include <string.h>

enum { FILE_LIMIT = 64 << 20 }; /* bytes; a program of LAB_NODES takes a fifth of it */

typedef struct reader {
    lab_program *p;
    lab_name *names;
    lab_line line;
} reader;

/* program NAME [FAMILY]; a name of - means none. */
static ag_status read_head(reader *r)
{
    lab_line *line = &r->line;
    if (lab__expect(line, "program")) return line->why->status;
    if (line->at < line->end && *line->at != ' ' && *line->at != '\t')
        return lab__bad_line(line, "a blank is expected behind program, but there is %s",
                             lab__next(line).text);
    lab__skip_blanks(line);
    if (line->end - line->at > 0 && *line->at == '-' &&
        (line->end - line->at == 1 || line->at[1] == ' ' || line->at[1] == '\t'))
        line->at++;
    else if (lab__read_name(r->p->name, line, "the program's name"))
        return line->why->status;
    lab__skip_blanks(line);
    if (line->at < line->end && lab__read_name(r->p->family, line, "the family's name"))
        return line->why->status;
    lab__skip_blanks(line);
    if (line->at < line->end)
        return lab__bad_line(line, "the line should end, but there is %s", lab__next(line).text);
    return AG_OK;
}

static ag_status read_shape(lab_shape *shape, lab_line *line)
{
    lab__skip_blanks(line);
    lab_next next = lab__next(line);
    int type = 0;
    while (type < LAB_TYPES && !lab__accept(line, lab_type_name((lab_type)type))) type++;
    if (type == LAB_TYPES)
        return lab__bad_line(line,
                             "a shape like f32[2,3], s32[] or pred[4] is expected, but there is %s",
                             next.text);
    shape->type = (lab_type)type;
    if (lab__expect(line, "[")) return line->why->status;
    if (lab__accept(line, "]")) return AG_OK;
    do {
        if (shape->rank == LAB_RANK)
            return lab__bad_line(line, "the shape has more than %d sizes", LAB_RANK);
        if (lab__read_int(&shape->size[shape->rank++], line)) return line->why->status;
    } while (lab__accept(line, ","));
    return lab__expect(line, "]");
}

static ag_status read_operands(lab_node *node, lab_name **names, lab_line *line)
{
    char name[LAB_NAME];
    if (lab__expect(line, "(")) return line->why->status;
    if (lab__accept(line, ")")) return AG_OK;
    do {
        if (node->n_operands == LAB_OPERANDS)
            return lab__bad_line(line, "it has more than %d operands", LAB_OPERANDS);
        if (lab__read_name(name, line, "an operand")) return line->why->status;
        int x = map_find(*names, name);
        if (x < 0) return lab__bad_line(line, "no line above defines %s", name);
        node->operand[node->n_operands++] = (*names)[x].value;
    } while (lab__accept(line, ","));
    return lab__expect(line, ")");
}

static ag_status read_op(lab_op *op, lab_line *line)
{
    char name[LAB_NAME];
    if (lab__read_name(name, line, "an op")) return line->why->status;
    int found = lab_op_find(name);
    if (found < 0) return lab__bad_line(line, "there is no op %s", name);
    *op = (lab_op)found;
    return AG_OK;
}

/* NAME = SHAPE OP(OPERANDS) ATTRIBUTES */
static ag_status read_node(reader *r)
{
    lab_line *line = &r->line;
    lab_node node;
    char where[128];
    memset(&node, 0, sizeof node);
    if (lab__read_name(node.name, line, "the name of a node")) return line->why->status;
    if (map_find(r->names, node.name) >= 0)
        return lab__bad_line(line, "%s has been defined before", node.name);
    if (lab__expect(line, "=") || read_shape(&node.shape, line) || read_op(&node.op, line) ||
        read_operands(&node, &r->names, line) || lab__read_attributes(&node, line))
        return line->why->status;
    snprintf(where, sizeof where, "%.100s:%d", line->path, line->number);
    const int at = lab__append(r->p, &node, where, 1);
    if (r->p->why.status) return ag_fail(line->why, AG_EDATA, "%s", r->p->why.sentence);
    map_add(r->names, node.name, at);
    return AG_OK;
}

/* Comments and blanks at the end are cut off. */
static void trim(lab_line *line)
{
    const char *comment = memchr(line->at, '#', (size_t)(line->end - line->at));
    if (comment) line->end = comment;
    while (line->end > line->at && strchr(" \t\r", line->end[-1]) && line->end[-1]) line->end--;
    lab__skip_blanks(line);
}

ag_status lab_text_read(lab_program *p, const char *text, size_t length, const char *path)
{
    ag_failure why = {0};
    reader r = {.p = p, .line = {.path = path, .why = &why}};
    const char *at = text, *end = length ? text + length : text;
    int head = 0;
    memset(p, 0, sizeof *p);
    map_owns(r.names);
    while (at < end && !why.status) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        r.line.number++;
        r.line.at = at;
        r.line.end = stop ? stop : end;
        at = stop ? stop + 1 : end;
        trim(&r.line);
        if (r.line.at == r.line.end) continue;
        if (!head++)
            read_head(&r);
        else
            read_node(&r);
    }
    if (!why.status && !p->n)
        ag_fail(&why, AG_EDATA, "%.100s: there is no %s in it", path, head ? "node" : "program");
    map_free(r.names);
    if (why.status) lab_program_clear(p);
    p->why = why;
    return why.status;
}

ag_status lab_text_load(lab_program *p, const char *path)
{
    ag_failure why = {0};
    size_t length;
    char *text = harness__read_file(path, FILE_LIMIT, &length, &why);
    if (text)
        lab_text_read(p, text, length, path);
    else
        *p = (lab_program){.why = why};
    harness_free(text);
    return p->why.status;
}
