/* SPDX-License-Identifier: MIT */
/* Reads operand_index and dot_axes, which the lab's files have and TpuGraphs' files lack. */
#include "examples/tpugraphs/operations.h"
#include "core/error.h"
#include "core/memory.h"
#include "examples/tpugraphs/tpugraphs.h"

#include <stdlib.h>

static int is_in_range(const int32_t row[4], int nodes)
{
    return row[0] >= 0 && row[0] < nodes && row[1] >= 0 && row[2] >= row[1] && row[3] >= row[1] &&
           row[2] < TPUGRAPHS_AXES && row[3] < TPUGRAPHS_AXES;
}

static ag_status read_axes(tpugraphs_dot *dot, const int32_t *row, int n, const tpugraphs_raw *raw,
                           ag_failure *why)
{
    for (int i = 0; i < n; i++, row += 4) {
        if (!is_in_range(row, raw->nodes))
            return ag_fail(
                why, AG_EDATA,
                "%s: dot_axes[%d] = (%d, %d, %d, %d), but nodes are 0 to %d, and axes 0 to %d, "
                "those of the batch first",
                raw->name, i, row[0], row[1], row[2], row[3], raw->nodes - 1, TPUGRAPHS_AXES - 1);
        if (i && row[0] <= row[-4])
            return ag_fail(why, AG_EDATA,
                           "%s: dot_axes[%d] is of node %d and follows node %d, but nodes must "
                           "ascend",
                           raw->name, i, row[0], row[-4]);
        if (raw->opcode[row[0]] != TPUGRAPHS_DOT)
            return ag_fail(why, AG_EDATA,
                           "%s: dot_axes[%d] is of node %d with the op code %d, but only a dot "
                           "(%d) has such axes",
                           raw->name, i, row[0], raw->opcode[row[0]], TPUGRAPHS_DOT);
        dot[i] = (tpugraphs_dot){row[0], -1, -1, row[1], row[2], row[3]};
    }
    return AG_OK;
}

static int by_node(const void *a, const void *b)
{
    return ((const tpugraphs_dot *)a)->node - ((const tpugraphs_dot *)b)->node;
}

static ag_status not_two(const tpugraphs_raw *raw, int node, const char *count, ag_failure *why)
{
    return ag_fail(why, AG_EDATA, "%s: operand_index has %s 2 operands of node %d, which is a dot",
                   raw->name, count, node);
}

/* The two pairs of a node are its left and its right operand. */
static ag_status read_operands(tpugraphs_dot *dot, int n, const tpugraphs_raw *raw, ag_failure *why)
{
    int pairs = 0;
    if (!tpugraphs_has(raw, "operand_index", why)) return why->status;
    int32_t *pair = tpugraphs_raw_pairs(&pairs, raw, "operand_index", why);
    for (int e = 0; pair && e < pairs && !why->status; e++) {
        const tpugraphs_dot key = {.node = pair[2 * e]};
        tpugraphs_dot *of = bsearch(&key, dot, (size_t)n, sizeof key, by_node);
        if (!of) continue;
        if (of->right >= 0) not_two(raw, of->node, "more than", why);
        *(of->left < 0 ? &of->left : &of->right) = pair[2 * e + 1];
    }
    ag_free(pair);
    for (int i = 0; i < n && !why->status; i++)
        if (dot[i].right < 0) not_two(raw, dot[i].node, "fewer than", why);
    return why->status;
}

tpugraphs_dot *tpugraphs_dots_read(int *count, const tpugraphs_raw *raw, ag_failure *why)
{
    *count = 0;
    if (!tpugraphs_has(raw, "dot_axes", why)) return NULL;
    const ag_array_info *info = tpugraphs_member(
        raw, "dot_axes", AG_SHAPE(-1, 4), "node, batch axes, contracted axis of each operand", why);
    if (!info) return NULL;
    if (info->size[0] > raw->nodes) {
        ag_fail(why, AG_EDATA, "%s: dot_axes has %lld rows, but there are %d nodes", raw->name,
                (long long)info->size[0], raw->nodes);
        return NULL;
    }
    const int n = (int)info->size[0];
    int32_t *row = tpugraphs_raw_read(raw, "dot_axes", AG_I32, info->count, why);
    tpugraphs_dot *dot = row ? ag_alloc((size_t)n * sizeof *dot + 1) : NULL;
    if (row && !dot) harness_files_no_memory(raw->name, (size_t)n * sizeof *dot, why);
    if (dot && !read_axes(dot, row, n, raw, why)) read_operands(dot, n, raw, why);
    ag_free(row);
    *count = why->status ? 0 : n;
    if (!why->status) return dot;
    ag_free(dot);
    return NULL;
}
