/* SPDX-License-Identifier: MIT */
/* Counts the elements of a shape, compares two shapes, and writes one as text. */
#ifndef AG_CORE_SHAPE_H
#define AG_CORE_SHAPE_H

#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Number of elements (1 for a scalar), or -1 if a size is negative or the count exceeds 2^40. */
AG_API int64_t ag_shape_count(ag_shape shape);
AG_API int ag_shape_equal(ag_shape a, ag_shape b);

/* Writes "[3,5]" to text and returns it. */
AG_API const char *ag_shape_text(char text[64], ag_shape shape);

#ifdef __cplusplus
}
#endif

#endif
