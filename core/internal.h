/* SPDX-License-Identifier: MIT */
/* Declarations for the library's own files, which users do not see. */
#ifndef AG_CORE_INTERNAL_H
#define AG_CORE_INTERNAL_H

#include "core/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every allocation of the library goes through these three, so that a test can make the nth one
 * fail. */
void *ag__alloc(size_t bytes);
void *ag__grow(void *block, size_t bytes); /* realloc: the old block stays when it returns NULL */
void ag__free(void *block);

/* Test hook: the nth allocation from now on fails (once, or with `after` all that follow it too); 0
 * turns it off. */
void ag__fail_allocation(long nth, int after);
long ag__allocations(void); /* allocations since the program started */

/* Refuses an argument that is NULL: a failure with the names of call and argument; returns AG_EUSE.
 */
ag_status ag__refuse_null(ag_failure *why, const char *call, const char *argument);

const char *ag__device_name(ag_device device); /* "CPU", "CUDA device" */

/* `text` with control characters (C0, DEL, C1), line separators, marks that turn the direction of
   writing and bytes that are not UTF-8 written as \x1b or \u202e, so that a name can neither drive
   a terminal nor look like another one; what does not fit is left out. Returns out. */
char *ag__printable(char *out, size_t size, const char *text);

/* a + b and a * b, or SIZE_MAX when the result does not fit (which no allocation can satisfy). */
static inline size_t ag__add(size_t a, size_t b) { return a > SIZE_MAX - b ? SIZE_MAX : a + b; }
static inline size_t ag__mul(size_t a, size_t b)
{
    return a && b > SIZE_MAX / a ? SIZE_MAX : a * b;
}

#ifdef __cplusplus
}
#endif

#endif
