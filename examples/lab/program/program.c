/* SPDX-License-Identifier: MIT */
/* A program as a list of nodes. */
#include "examples/lab/program/program_internal.h"
#include "core/error.h"
#include "examples/harness/base/bag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *lab_op_name(lab_op op) { return lab__ops[op].name; }

int lab_op_code(lab_op op) { return lab__ops[op].code; }

const char *lab_type_name(lab_type type)
{
    static const char *const names[LAB_TYPES] = {"f32", "s32", "pred"};
    return names[type];
}

void lab_program_clear(lab_program *p)
{
    bag_free(p->nodes);
    memset(p, 0, sizeof *p);
}

int64_t lab_elements(lab_shape s)
{
    int64_t n = 1;
    if (s.rank < 0 || s.rank > LAB_RANK) return -1;
    for (int i = 0; i < s.rank; i++) {
        if (s.size[i] < 1 || s.size[i] > LAB_ELEMENTS / n) return -1;
        n *= s.size[i];
    }
    return n;
}

void lab_strides(int64_t *stride, const int *size, int rank)
{
    int64_t next = 1;
    for (int a = rank - 1; a >= 0; a--) {
        stride[a] = next;
        next *= size[a];
    }
}

int lab_configurable(const lab_node *node)
{
    return node->op == LAB_CONVOLUTION || node->op == LAB_DOT || node->op == LAB_RESHAPE;
}

int lab_configurable_nodes(int *nodes, const lab_program *p)
{
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        if (!lab_configurable(&p->nodes[i])) continue;
        if (nodes) nodes[n] = i;
        n++;
    }
    return n;
}

int lab__same_sizes(lab_shape a, lab_shape b)
{
    return a.rank == b.rank && !memcmp(a.size, b.size, (size_t)a.rank * sizeof *a.size);
}

int lab__same_shape(lab_shape a, lab_shape b) { return a.type == b.type && lab__same_sizes(a, b); }

lab_shape_text lab__shape_text(lab_shape shape)
{
    lab_shape_text t;
    int at = snprintf(t.text, sizeof t.text, "%s[", lab_type_name(shape.type));
    for (int i = 0; i < shape.rank && i < LAB_RANK; i++)
        at += snprintf(t.text + at, sizeof t.text - (size_t)at, i ? ",%d" : "%d", shape.size[i]);
    snprintf(t.text + at, sizeof t.text - (size_t)at, "]");
    return t;
}

ag_status lab__refuse(const lab_site *site, const char *format, ...)
{
    char what[360], own[LAB_NAME + 40];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    snprintf(own, sizeof own, "program %.63s, node %d", site->p->name, site->p->n);
    return ag_fail(site->why, AG_EDATA, "%.100s: %s: %s", site->where ? site->where : own,
                   lab_op_name(site->node->op), what);
}

static ag_status check_operands(const lab_site *site)
{
    const lab_op_entry *op = &lab__ops[site->node->op];
    const int n = site->node->n_operands, least = op->arity < 0 ? 1 : op->arity,
              most = op->arity < 0 ? LAB_OPERANDS : op->arity;
    if (n < least || n > most)
        return lab__refuse(site, "it has %d operands, but takes %d%s", n, most,
                           least < most ? " at most and one at least" : "");
    for (int k = 0; k < n; k++)
        if (site->node->operand[k] < 0 || site->node->operand[k] >= site->p->n)
            return lab__refuse(site, "operand %d is node %d; %d nodes stand before this one", k,
                               site->node->operand[k], site->p->n);
    if (n && !(op->types >> lab__operand(site, 0).type & 1))
        return lab__refuse(site, "operand 0 has type %s, which this op does not take",
                           lab_type_name(lab__operand(site, 0).type));
    return AG_OK;
}

/* Checks everything about the site's node and computes its shape. */
static ag_status shape_of(lab_shape *shape, const lab_site *site, int compare)
{
    const lab_node *node = site->node;
    if (site->p->n == LAB_NODES)
        return lab__refuse(site, "the program has %d nodes already, which is the most", LAB_NODES);
    if (check_operands(site)) return site->why->status;
    *shape = node->n_operands ? lab__operand(site, 0) : node->shape;
    if (lab__ops[node->op].shape(shape, site)) return site->why->status;
    if (lab_elements(*shape) < 1)
        return lab__refuse(site, "the result %s has more than %d elements",
                           lab__shape_text(*shape).text, LAB_ELEMENTS);
    if (compare && !lab__same_shape(*shape, node->shape))
        return lab__refuse(site, "the shape is %s, but %s follows from the operands",
                           lab__shape_text(node->shape).text, lab__shape_text(*shape).text);
    return AG_OK;
}

int lab__append(lab_program *p, const lab_node *given, const char *where, int compare)
{
    lab_node node = *given; /* may point into p->nodes, which moves */
    const lab_site site = {p, &node, where, &p->why};
    lab_shape shape;
    if (p->why.status || shape_of(&shape, &site, compare)) return 0;
    node.shape = shape;
    if (!node.name[0]) snprintf(node.name, sizeof node.name, "%s.%d", lab_op_name(node.op), p->n);
    bag_add(p->nodes, node);
    return p->n++;
}

int lab_append(lab_program *p, const lab_node *node) { return lab__append(p, node, NULL, 1); }
