/* SPDX-License-Identifier: MIT */
/* Stores past the caches: the memory is not read before it is written, and what the caches hold
   stays. */
#ifndef AG_CORE_STREAM_H
#define AG_CORE_STREAM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* memcpy past the caches where both are aligned for that, else through them. */
void ag__stream(void *to, const void *from, size_t bytes);

/* Other threads see what this one stored only after this; ag_parallel calls it. */
void ag__stream_end(void);

#ifdef __cplusplus
}
#endif

#endif
