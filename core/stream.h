/* SPDX-License-Identifier: MIT */
/* Stores that bypass the caches: the memory is not read before it is written, and the caches keep
   what they hold. */
#ifndef AG_CORE_STREAM_H
#define AG_CORE_STREAM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* memcpy, past the caches if both pointers are aligned for that, else through them. */
void ag__stream(void *to, const void *from, size_t bytes);

/* Other threads see the stores of this thread only after this call; ag_parallel makes it. */
void ag__stream_end(void);

#ifdef __cplusplus
}
#endif

#endif
