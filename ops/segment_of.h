/* SPDX-License-Identifier: MIT */
/* The rows of each segment: starts[g]..starts[g+1]-1. A start outside of the rows counts as the
   nearest end, so that bad starts read no other memory. */
#ifndef AG_OPS_SEGMENT_OF_H
#define AG_OPS_SEGMENT_OF_H

#include "core/kernel.h"

AG_BOTH int32_t start_within(const int32_t *starts, int64_t g, int rows)
{
    const int32_t start = starts[g];
    return start < 0 ? 0 : start < rows ? start : rows;
}

/* The segment that holds row r: the last that starts at r or before, if it ends after r; else -1.
 */
AG_BOTH int32_t segment_holding(const int32_t *starts, int32_t segments, int rows, int64_t r)
{
    int32_t lo = -1, hi = segments; /* starts[lo] <= r < starts[hi], if both exist */
    while (hi - lo > 1) {
        const int32_t middle = lo + (hi - lo) / 2;
        if (start_within(starts, middle, rows) <= r)
            lo = middle;
        else
            hi = middle;
    }
    return lo >= 0 && lo < segments && r < start_within(starts, lo + 1, rows) ? lo : -1;
}

#endif
