/* SPDX-License-Identifier: MIT */
/* The operands of the scores of poolings. */
#ifndef AG_GNN_POOL_SCORE_H
#define AG_GNN_POOL_SCORE_H

#include "core/kernel.h"

KERNEL ag_real pool_dot(const ag_real *a, const ag_real *b, int f)
{
    ag_real s;
    SUM(s, i, f, a[i] * b[i]);
    return s;
}

/* 1 / |p|, and 0 for a p of zeros: then all scores are 0. */
KERNEL ag_real pool_unit(const ag_real *p, int f)
{
    const ag_real size = v_sqrt(pool_dot(p, p, f));
    return size > 0 ? 1 / size : 0;
}

#endif
