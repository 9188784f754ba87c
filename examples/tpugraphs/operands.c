/* SPDX-License-Identifier: MIT */
/* Checks operand_index: it has the pairs of edge_index, in another order and some more than once.
 */
#include "examples/tpugraphs/tpugraphs.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/sort.h"

/* Pairs of nodes as numbers in ascending order, for the caller to release with ag_free. The pairs
   of kernel k, which are first[k]..first[k+1]-1, are counted from node base[k]. */
static uint64_t *sorted(const int32_t *pair, int n, int kernels, const int64_t *base,
                        const int64_t *first, const tpugraphs_raw *raw, ag_failure *why)
{
    const size_t bytes = (size_t)n * sizeof(uint64_t);
    uint64_t *key = ag_alloc(bytes);
    if (!key) {
        harness_files_no_memory(raw->name, bytes, why);
        return NULL;
    }
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
