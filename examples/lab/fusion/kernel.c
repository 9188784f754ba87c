/* SPDX-License-Identifier: MIT */
/* A group of nodes as a program of its own, and its name. */
#include "examples/harness/harness.h"
#include "examples/lab/fusion/fusion.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

static int is_everywhere(const lab_program *p, int i)
{
    const lab_node *node = &p->nodes[i];
    return node->op == LAB_CONSTANT ||
           (node->op == LAB_BROADCAST && p->nodes[node->operand[0]].op == LAB_CONSTANT);
}

int lab_is_grouped(const lab_program *p, int i)
{
    return p->nodes[i].op != LAB_PARAMETER && (i == p->n - 1 || !is_everywhere(p, i));
}

/* The kernel's node for a value from outside of the group, node `from` of the program. */
static int outside_value(lab_program *kernel, int *number, const lab_program *p, int from)
{
    lab_node node = {.op = LAB_PARAMETER, .shape = p->nodes[from].shape};
    if (number[from] >= 0) return number[from];
    if (is_everywhere(p, from)) {
        node = p->nodes[from];
        if (node.n_operands) node.operand[0] = outside_value(kernel, number, p, node.operand[0]);
    } else
        memcpy(node.name, p->nodes[from].name, sizeof node.name);
    return number[from] = lab_append(kernel, &node);
}

ag_status lab_kernel(lab_program *kernel, const lab_program *p, const int *group, int g)
{
    memset(kernel, 0, sizeof *kernel);
    snprintf(kernel->name, sizeof kernel->name, "%.48s_%d", p->name, g);
    memcpy(kernel->family, p->family, sizeof kernel->family);
    int *number = HARNESS_NEW(number, p->n);
    for (int i = 0; i < p->n; i++) number[i] = -1;
    for (int i = 0; i < p->n && !kernel->why.status; i++) {
        if (group[i] != g) continue;
        lab_node node = p->nodes[i];
        for (int k = 0; k < node.n_operands; k++)
            node.operand[k] = outside_value(kernel, number, p, node.operand[k]);
        number[i] = lab_append(kernel, &node);
    }
    harness_free(number);
    return kernel->why.status;
}

/* Fields that an op does not use are zero, so all fields can be hashed. The names of files have the
   hash, so it takes the three spatial axes that the lab's convolutions have at most. */
uint64_t lab_kernel_hash(const lab_program *kernel)
{
    const size_t spatial = 3 * sizeof(int);
    uint64_t hash = (uint64_t)kernel->n;
    for (int i = 0; i < kernel->n; i++) {
        const lab_node *n = &kernel->nodes[i];
        const int head[] = {(int)n->op,          (int)n->shape.type, n->shape.rank,
                            n->n_operands,       n->n_dims,          n->dot.batch,
                            n->dot.left,         n->dot.right,       (int)n->reducer,
                            n->conv.spatial,     n->conv.in_batch,   n->conv.in_feature,
                            n->conv.kernel_in,   n->conv.kernel_out, n->conv.out_batch,
                            n->conv.out_feature, n->conv.groups};
        const struct {
            const void *data;
            size_t bytes;
        } part[] = {{head, sizeof head},
                    {n->shape.size, sizeof n->shape.size},
                    {n->operand, sizeof n->operand},
                    {n->dims, sizeof n->dims},
                    {n->window, sizeof n->window},
                    {n->start, sizeof n->start},
                    {n->limit, sizeof n->limit},
                    {n->stride, sizeof n->stride},
                    {n->conv.in_spatial, spatial},
                    {n->conv.kernel_spatial, spatial},
                    {n->conv.out_spatial, spatial},
                    {&n->value, sizeof n->value}};
        for (size_t k = 0; k < sizeof part / sizeof *part; k++)
            hash = XXH3_64bits_withSeed(part[k].data, part[k].bytes, hash);
    }
    return hash;
}
