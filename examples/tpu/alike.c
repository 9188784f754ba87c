/* SPDX-License-Identifier: MIT */
/* Why all scores of a kernel, or of the kernels of a program, may be equal. */
#include "examples/tpu/results.h"

#include <string.h>

/* Whether every row of so many bytes is the next one. */
static bool same_rows(const void *rows, int count, size_t bytes)
{
    return count < 2 || !memcmp(rows, (const char *)rows + bytes, (size_t)(count - 1) * bytes);
}

static bool same_kernels(const tpu_kernel *k, int count)
{
    for (int i = 1; i < count; i++) {
        const size_t n = (size_t)k->nodes;
        if (k[i].nodes != k->nodes || memcmp(k[i].opcode, k->opcode, n * sizeof *k->opcode) ||
            memcmp(k[i].feature, k->feature, n * TPUGRAPHS_FEATURES * sizeof *k->feature))
            return false;
    }
    return true;
}

const char *tpu_results_alike(const void *results, int group)
{
    const tpu_results *r = results;
    const harness_ranked *g = &r->rank.group[group];
    const tpu_kernel *k = r->files->scored.kernel;
    if (r->rank.times)
        return same_kernels(k + g->first, g->items) ? "its kernels have the same nodes" : NULL;
    k += group;
    return same_rows(k->tile, k->configs, TPUGRAPHS_TILE_FEATURES * sizeof *k->tile)
               ? "its tile sizes do not differ"
               : NULL;
}
