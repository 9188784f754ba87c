/* SPDX-License-Identifier: MIT */
/* operand_index and dot_axes, which the lab's files have and TpuGraphs' files lack. operand_index
   has the pairs of edge_index, in another order and some more than once. */
#include "examples/tpugraphs/operations.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/sort.h"
#include "examples/tpugraphs/tpugraphs.h"

#include <stdlib.h>

static int is_in_range(const int64_t row[4], int nodes)
{
    return row[0] >= 0 && row[0] < nodes && row[1] >= 0 && row[2] >= row[1] && row[3] >= row[1] &&
           row[2] < TPUGRAPHS_AXES && row[3] < TPUGRAPHS_AXES;
}

static ag_status read_axes(tpugraphs_dot *dot, const int64_t *row, int n, const tpugraphs_raw *raw,
                           ag_failure *why)
{
    for (int i = 0; i < n; i++, row += 4) {
        if (!is_in_range(row, raw->nodes))
            return ag_fail(
                why, AG_EDATA,
                "%s: dot_axes[%d] = (%lld, %lld, %lld, %lld), but nodes are 0 to %d, and axes "
                "0 to %d, those of the batch first",
                raw->name, i, (long long)row[0], (long long)row[1], (long long)row[2],
                (long long)row[3], raw->nodes - 1, TPUGRAPHS_AXES - 1);
        if (i && row[0] <= row[-4])
            return ag_fail(why, AG_EDATA,
                           "%s: dot_axes[%d] is of node %lld and follows node %lld, but nodes "
                           "must ascend",
                           raw->name, i, (long long)row[0], (long long)row[-4]);
        if (raw->opcode[row[0]] != TPUGRAPHS_DOT)
            return ag_fail(why, AG_EDATA,
                           "%s: dot_axes[%d] is of node %lld with the op code %d, but only a dot "
                           "(%d) has such axes",
                           raw->name, i, (long long)row[0], raw->opcode[row[0]], TPUGRAPHS_DOT);
        dot[i] = (tpugraphs_dot){(int32_t)row[0], -1, -1, (int32_t)row[1], (int32_t)row[2],
                                 (int32_t)row[3]};
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
    int64_t *row = tpugraphs_raw_read(raw, "dot_axes", AG_I64, info->count, why);
    tpugraphs_dot *dot = NULL;
    if (row) dot = tpugraphs_alloc((size_t)n * sizeof *dot + 1, raw->name, why);
    if (dot && !read_axes(dot, row, n, raw, why)) read_operands(dot, n, raw, why);
    ag_free(row);
    *count = why->status ? 0 : n;
    return dot;
}

/* Pairs of nodes as numbers in ascending order, for the caller to release with ag_free. The pairs
   of kernel k, which are first[k]..first[k+1]-1, are counted from node base[k]. */
static uint64_t *sorted(const int32_t *pair, int n, int kernels, const int64_t *base,
                        const int64_t *first, const tpugraphs_raw *raw, ag_failure *why)
{
    uint64_t *key = tpugraphs_alloc((size_t)n * sizeof *key, raw->name, why);
    if (!key) return NULL;
    for (int i = 0, k = 0; i < n; i++) {
        while (k < kernels && i >= first[k + 1]) k++;
        const int64_t from = kernels ? base[k] : 0;
        key[i] = (uint64_t)(pair[2 * i] + from) << 32 | (uint32_t)(pair[2 * i + 1] + from);
    }
    ag_sort_u64(key, NULL, n, why);
    return key;
}

static ag_status lacks(const tpugraphs_raw *raw, const char *has, const char *lacks, uint64_t key,
                       ag_failure *why)
{
    return ag_fail(why, AG_EDATA,
                   "%s: %s has the pair (%d, %d) of nodes and %s has not, but both hold the "
                   "operands of the same graph",
                   raw->name, has, (int)(key >> 32), (int)(uint32_t)key, lacks);
}

/* Refuses a key that only one of the two lists has. */
static ag_status compare(const uint64_t *edge, int edges, const uint64_t *operand, int operands,
                         const tpugraphs_raw *raw, ag_failure *why)
{
    int e = 0, o = 0;
    while (e < edges || o < operands) {
        if (o == operands || (e < edges && edge[e] < operand[o]))
            return lacks(raw, "edge_index", "operand_index", edge[e], why);
        if (e == edges || operand[o] < edge[e])
            return lacks(raw, "operand_index", "edge_index", operand[o], why);
        const uint64_t key = edge[e];
        while (e < edges && edge[e] == key) e++;
        while (o < operands && operand[o] == key) o++;
    }
    return AG_OK;
}

ag_status tpugraphs_operands_check(const tpugraphs_raw *raw, int kernels, const int64_t *base,
                                   const int64_t *first, ag_failure *why)
{
    int operands = 0;
    if (!tpugraphs_has(raw, "operand_index", why)) return why->status;
    int32_t *pair = tpugraphs_raw_pairs(&operands, raw, "operand_index", why);
    uint64_t *operand = pair ? sorted(pair, operands, 0, NULL, NULL, raw, why) : NULL;
    uint64_t *edge = operand ? sorted(raw->edge, raw->edges, kernels, base, first, raw, why) : NULL;
    if (edge && !why->status) compare(edge, raw->edges, operand, operands, raw, why);
    ag_free(edge);
    ag_free(operand);
    ag_free(pair);
    return why->status;
}
