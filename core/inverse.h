/* SPDX-License-Identifier: MIT */
/* The inverse of an index lists, for each destination, the elements of the index that name it, in
   ascending order. With it a sum into rows has one writer per row and a fixed order. */
#ifndef AG_CORE_INVERSE_H
#define AG_CORE_INVERSE_H

#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Elements of scratch that ag__invert needs for `count` elements of an index; on the CPU none. */
int64_t ag__invert_scratch(ag_device device, int64_t count);

/* Inverts index [m,k] in the memory of `device`. Its element i,j names destination index[i,j] + j *
   stride, or none when index[i,j] is negative or this number is n or more. Afterwards
   order[starts[v]..starts[v+1]-1] are the i that name v, ascending. starts has n + 1 elements;
   order has m * k, which is below 2^31. */
void ag__invert(ag_device device, int32_t *starts, int32_t *order, const int32_t *index, int m,
                int k, int n, int stride, ag_real *scratch);

#ifdef __cplusplus
}
#endif

#endif
