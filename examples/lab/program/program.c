/* SPDX-License-Identifier: MIT */
/* A program as a list of nodes. */
#include "examples/lab/program/program_internal.h"
#include "examples/harness/harness.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lab_program_clear(lab_program *p)
{
    ag_free(p->nodes);
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
    if (a.rank != b.rank) return 0;
    for (int i = 0; i < a.rank; i++)
        if (a.size[i] != b.size[i]) return 0;
    return 1;
}

int lab__same_shape(lab_shape a, lab_shape b) { return a.type == b.type && lab__same_sizes(a, b); }

lab_shape_text lab__shape_text(lab_shape shape)
{
    lab_shape_text t;
    int at = snprintf(t.text, sizeof t.text, "%s[", lab_type_name(shape.type));
    for (int i = 0; i < shape.rank && i < LAB_RANK; i++)
        at +=
            snprintf(t.text + at, sizeof t.text - (size_t)at, "%s%d", i ? "," : "", shape.size[i]);
    snprintf(t.text + at, sizeof t.text - (size_t)at, "]");
    return t;
}

int lab__in_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
}

int lab__is_name(const char *name)
{
    int n = 0;
    while (n < LAB_NAME && lab__in_name(name[n])) n++;
    return n > 0 && n < LAB_NAME && name[n] == 0 && name[0] != '.' && name[0] != '-';
}

ag_status lab__refuse(const lab_site *site, ag_status status, const char *format, ...)
{
    char what[360];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return ag_fail(site->why, status, "%.100s: %s: %s", site->where, lab_op_name(site->node->op),
                   what);
}

/* Makes room for one more node. */
static ag_status make_room(lab_program *p)
{
    if (p->n >= LAB_NODES)
        return ag_fail(&p->why, AG_EUSE,
                       "program %.63s: it has %d nodes already, which is the most", p->name,
                       LAB_NODES);
    if (p->n < p->capacity) return AG_OK;
    p->capacity = p->capacity < 64 ? 64 : 2 * p->capacity;
    p->nodes = harness_grow(p->nodes, (size_t)p->capacity * sizeof *p->nodes);
    return AG_OK;
}

int lab__append(lab_program *p, const lab_node *given, const char *where, int compare)
{
    char own[LAB_NAME + 40];
    lab_node node = *given; /* may point into p->nodes, which moves */
    lab_site site = {p, &node, where, &p->why};
    lab_shape shape;
    if (p->why.status) return 0;
    snprintf(own, sizeof own, "program %.63s, node %d", p->name, p->n);
    if (!where) site.where = own;
    if (lab__shape(&shape, &site, p->n, compare) || make_room(p)) return 0;
    node.shape = shape;
    lab_node *to = &p->nodes[p->n];
    *to = node;
    if (!to->name[0]) snprintf(to->name, sizeof to->name, "%s.%d", lab_op_name(to->op), p->n);
    return p->n++;
}

int lab_append(lab_program *p, const lab_node *node) { return lab__append(p, node, NULL, 1); }
