/* SPDX-License-Identifier: MIT */
/* A split of the configurations of one file. */
#include "examples/harness/harness.h"
#include "examples/tgraph/data/data_internal.h"

ag_status tgraph_file_split(tgraph_file *f, double fraction, uint64_t seed, ag_failure *why)
{
    double wanted = fraction * f->configs + 0.5;
    if (!(fraction > 0 && fraction < 1) || wanted < 1 || wanted >= f->configs)
        return ag_fail(why, AG_EUSE,
                       "%s: a split of %g leaves a part of its %d configurations empty; choose a "
                       "fraction between "
                       "0 and 1 that leaves at least one on each side",
                       harness_files_short(f->path), fraction, f->configs);
    const size_t n = (size_t)f->configs;
    int32_t *order = harness_alloc(n * sizeof *order), *mark = harness_alloc(n * sizeof *mark);
    harness_free(f->train);
    harness_free(f->held);
    f->train_count = (int)wanted;
    f->held_count = f->configs - f->train_count;
    harness_shuffle(order, f->configs, harness_stream(HARNESS_STREAM_SPLIT, seed, 0));
    for (int i = 0; i < f->configs; i++) mark[order[i]] = i < f->train_count;
    f->train = harness_alloc((size_t)f->train_count * sizeof *f->train);
    f->held = harness_alloc((size_t)f->held_count * sizeof *f->held);
    for (int c = 0, train = 0; c < f->configs; c++) /* ascending */
        if (mark[c])
            f->train[train++] = c;
        else
            f->held[c - train] = c;
    harness_free(order);
    harness_free(mark);
    return AG_OK;
}
