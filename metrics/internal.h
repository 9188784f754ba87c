/* SPDX-License-Identifier: MIT */
/* Declarations for the files of metrics/. Users do not see them. */
#ifndef AG_METRICS_INTERNAL_H
#define AG_METRICS_INTERNAL_H

#include "core/internal.h"
#include "metrics/metrics.h"

typedef struct ag__item {
    double score, truth;
    int64_t index;
} ag__item;

/* Makes the n items, which ag_free frees. If truth is NULL, every truth is 0. Fails as metrics.h
   says, with a sentence that begins with `who`. */
ag_status ag__items(ag__item **items, const char *who, const double *score, const double *truth,
                    int64_t n, ag_failure *why);

/* As ag_order, but equal scores are ordered by truth, then by index. truth may be NULL. */
ag_status ag__order(int64_t *order, const char *who, const double *score, const double *truth,
                    int64_t n, ag_failure *why);

/* Fails with AG_EMEMORY and a sentence. */
ag_status ag__no_room(const char *who, int64_t n, ag_failure *why);

static inline int ag__compare(double a, double b) { return (a > b) - (a < b); }

#endif
