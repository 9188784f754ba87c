/* SPDX-License-Identifier: MIT */
/* A split of the configurations of one file. */
#include "examples/tgraph/data/data_internal.h"

/* The configurations whose mark is `part`, ascending. */
static int32_t *list_part(const int32_t *mark, int configs, int part, int count, ag_failure *why)
{
    int32_t *list = ag_alloc((size_t)count * sizeof *list);
    int n = 0;
    if (!list) harness_files_no_memory("split", (size_t)count * sizeof *list, why);
    for (int c = 0; list && c < configs; c++)
        if (mark[c] == part) list[n++] = c;
    return list;
}

ag_status tgraph_file_split(tgraph_file *f, double fraction, uint64_t seed, ag_failure *why)
{
    double wanted = fraction * f->configs + 0.5;
    if (!(fraction > 0 && fraction < 1) || wanted < 1 || wanted >= f->configs)
        return ag_fail(why, AG_EUSE,
                       "%s: a split of %g leaves a part of its %d configurations empty; choose a "
                       "fraction between "
                       "0 and 1 that leaves at least one on each side",
                       harness_files_short(f->path), fraction, f->configs);
    size_t bytes = (size_t)f->configs * sizeof(int32_t);
    int train = (int)wanted;
    int32_t *order = ag_alloc(bytes), *mark = ag_alloc(bytes);
    if (!order || !mark) {
        harness_files_no_memory(harness_files_short(f->path), bytes, why);
    } else {
        ag_free(f->train);
        ag_free(f->held);
        f->held = NULL;
        harness_shuffle(order, f->configs, harness_stream(HARNESS_STREAM_SPLIT, seed, 0));
        for (int i = 0; i < f->configs; i++) mark[order[i]] = i < train;
        f->train = list_part(mark, f->configs, 1, train, why);
        if (f->train) f->held = list_part(mark, f->configs, 0, f->configs - train, why);
        f->train_count = f->train ? train : 0;
        f->held_count = f->held ? f->configs - train : 0;
    }
    ag_free(order);
    ag_free(mark);
    return why->status;
}
