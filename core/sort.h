/* SPDX-License-Identifier: MIT */
/* Sorting. */
#ifndef AG_CORE_SORT_H
#define AG_CORE_SORT_H

#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sorts keys in ascending order and moves values with them, by a stable radix sort. values may be
   NULL. Fails, leaving the arrays unchanged: AG_EMEMORY; AG_EUSE when n is negative. */
AG_API ag_status ag_sort_u64(uint64_t *keys, int32_t *values, int64_t n, ag_failure *why);

#ifdef __cplusplus
}
#endif

#endif
