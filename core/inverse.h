/* SPDX-License-Identifier: MIT */
/* The inverse of an index: for each destination the places that name it, in ascending order, so
   that sums into named rows have one writer per row and a fixed order. */
#ifndef AG_CORE_INVERSE_H
#define AG_CORE_INVERSE_H

#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Elements of scratch that ag__invert wants for `count` elements of an index; on the CPU none. */
int64_t ag__invert_scratch(ag_device device, int64_t count);

/* In the memory of `device`: index [m,k]; its element i,j names destination index[i,j] + j * stride
   of n, none when index[i,j] is negative or the destination is n or more.
   order[starts[v]..starts[v+1]-1] are the i that name v, ascending. starts has n + 1 elements,
   order m * k, which is below 2^31. */
void ag__invert(ag_device device, int32_t *starts, int32_t *order, const int32_t *index, int m,
                int k, int n, int stride, ag_real *scratch);

#ifdef __cplusplus
}
#endif

#endif
