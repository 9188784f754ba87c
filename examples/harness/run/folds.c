/* SPDX-License-Identifier: MIT */
/* Apart from draws.c, which the library for tuners links: it never ends its process. */
#include "examples/harness/harness.h"
#include "examples/harness/run/draws.h"

ag_status harness_folds(int32_t *fold, int count, int folds, uint64_t seed, ag_failure *why)
{
    if (folds < 2 || folds > count)
        return ag_fail(why, AG_EUSE, "folds: %d files cannot be cut into %d folds; choose 2 to %d",
                       count, folds, count);
    int32_t *order = HARNESS_NEW(order, count);
    harness_shuffle(order, count, harness_stream(HARNESS_STREAM_FOLD, seed, 0));
    for (int k = 0; k < folds; k++) {
        int first, length;
        harness_chunk(&first, &length, count, folds, k);
        for (int i = first; i < first + length; i++) fold[order[i]] = k;
    }
    harness_free(order);
    return AG_OK;
}
