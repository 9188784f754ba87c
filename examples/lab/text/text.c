/* SPDX-License-Identifier: MIT */
/* Reads programs, line by line, and prints them. */
#include "examples/lab/text/text_internal.h"
#include "core/error.h"
#include "examples/harness/cli/options_internal.h"
#include "examples/harness/base/bag.h"
#include "examples/harness/base/names.h"

#include <string.h>

enum { FILE_LIMIT = 64 << 20 }; /* bytes; a program of LAB_NODES takes a fifth of it */

typedef struct reader {
    lab_program *p;
    harness_name_at *nodes; /* a map from their names to their numbers */
    lab_line line;
} reader;

/* program NAME [FAMILY]; a name of - means none. */
static ag_status read_head(reader *r)
{
    lab_line *line = &r->line;
    if (lab__expect(line, "program")) return line->why->status;
    if (!strchr(" \t", *line->at)) return lab__expected(line, "a blank behind program");
    lab__skip_blanks(line);
    if (line->at[0] == '-' && strchr(" \t", line->at[1]))
        line->at++;
    else if (lab__read_name(r->p->name, line, "the program's name"))
        return line->why->status;
    lab__skip_blanks(line);
    if (*line->at && lab__read_name(r->p->family, line, "the family's name"))
        return line->why->status;
    lab__skip_blanks(line);
    return *line->at ? lab__expected(line, "the end of the line") : AG_OK;
}

static ag_status read_shape(lab_shape *shape, lab_line *line)
{
    int type = 0;
    while (type < LAB_TYPES && !lab__accept(line, lab_type_name((lab_type)type))) type++;
    if (type == LAB_TYPES) return lab__expected(line, "a shape like f32[2,3], s32[] or pred[4]");
    shape->type = (lab_type)type;
    if (lab__expect(line, "[")) return line->why->status;
    if (lab__accept(line, "]")) return AG_OK;
    return lab__read_numbers(&shape->rank, shape->size, line, ",") ? line->why->status
                                                                   : lab__expect(line, "]");
}

static ag_status read_operands(lab_node *node, reader *r)
{
    lab_line *line = &r->line;
    char name[LAB_NAME];
    if (lab__expect(line, "(")) return line->why->status;
    if (lab__accept(line, ")")) return AG_OK;
    do {
        if (node->n_operands == LAB_OPERANDS)
            return lab__bad_line(line, "it has more than %d operands", LAB_OPERANDS);
        if (lab__read_name(name, line, "an operand")) return line->why->status;
        const int x = map_find(r->nodes, name);
        if (x < 0) return lab__bad_line(line, "no line above defines %s", name);
        node->operand[node->n_operands++] = r->nodes[x].value;
    } while (lab__accept(line, ","));
    return lab__expect(line, ")");
}

static ag_status read_op(lab_op *op, lab_line *line)
{
    char name[LAB_NAME];
    int found = 0;
    if (lab__read_name(name, line, "an op")) return line->why->status;
    while (found < LAB_OPS && strcmp(name, lab_op_name((lab_op)found)) != 0) found++;
    if (found == LAB_OPS) return lab__bad_line(line, "there is no op %s", name);
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
    if (map_find(r->nodes, node.name) >= 0)
        return lab__bad_line(line, "%s has been defined before", node.name);
    if (lab__expect(line, "=") || read_shape(&node.shape, line) || read_op(&node.op, line) ||
        read_operands(&node, r) || lab__read_attributes(&node, line))
        return line->why->status;
    snprintf(where, sizeof where, "%.100s:%d", line->path, line->number);
    const int at = lab__append(r->p, &node, where, 1);
    if (!line->why->status) map_add(r->nodes, node.name, at);
    return line->why->status;
}

/* Cuts off comments and blanks at the end. */
static void trim(lab_line *line)
{
    char *end = line->at + strcspn(line->at, "#");
    while (end > line->at && strchr(" \t\r", end[-1])) end--;
    *end = 0;
    lab__skip_blanks(line);
}

ag_status lab_text_read(lab_program *p, const char *text, size_t length, const char *path)
{
    reader r = {.p = p, .line = {.path = path, .why = &p->why}};
    char *copy = harness_alloc(length + 1);
    int head = 0;
    memset(p, 0, sizeof *p);
    map_owns(r.nodes);
    if (length) memcpy(copy, text, length);
    if (strlen(copy) < length)
        ag_fail(&p->why, AG_EDATA, "%.100s: there is a zero byte in it", path);
    for (char *next = copy; *next && !p->why.status;) {
        r.line.at = next;
        r.line.number++;
        next += strcspn(next, "\n");
        if (*next) *next++ = 0;
        trim(&r.line);
        if (!*r.line.at) continue;
        if (!head++)
            read_head(&r);
        else
            read_node(&r);
    }
    if (!p->n)
        ag_fail(&p->why, AG_EDATA, "%.100s: there is no %s in it", path, head ? "node" : "program");
    map_free(r.nodes);
    harness_free(copy);
    const ag_failure why = p->why;
    if (why.status) lab_program_clear(p);
    p->why = why;
    return why.status;
}

ag_status lab_text_load(lab_program *p, const char *path)
{
    size_t length;
    *p = (lab_program){.n = 0};
    char *text = harness__read_file(path, FILE_LIMIT, &length, &p->why);
    if (text) lab_text_read(p, text, length, path);
    harness_free(text);
    return p->why.status;
}

void lab_text_print(FILE *out, const lab_program *p)
{
    fprintf(out, "program %s", p->name[0] ? p->name : "-");
    fprintf(out, p->family[0] ? " %s\n" : "%s\n", p->family);
    for (int i = 0; i < p->n; i++) {
        const lab_node *node = &p->nodes[i];
        fprintf(out, "%s = %s %s(", node->name, lab__shape_text(node->shape).text,
                lab_op_name(node->op));
        for (int k = 0; k < node->n_operands; k++)
            fprintf(out, "%s%s", k ? ", " : "", p->nodes[node->operand[k]].name);
        fprintf(out, ")");
        lab__print_attributes(out, node);
        fprintf(out, "\n");
    }
}
