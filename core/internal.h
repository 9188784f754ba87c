/* SPDX-License-Identifier: MIT */
/* Declarations for the library's own files. Users do not see them. */
#ifndef AG_CORE_INTERNAL_H
#define AG_CORE_INTERNAL_H

#include "core/strict.h"
#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Test hook: the nth ag_alloc or ag_grow from now on fails, and with `after` all later ones fail,
 * too; 0 turns it off. */
void ag__fail_allocation(long nth, int after);
long ag__allocations(void); /* allocations since the program started */

/* Grows an array of `size`-byte elements to hold n; 1 when there is no memory. */
int ag__reserve(void *array, int *capacity, int n, size_t size);

/* Records the failure that `argument` of `call` is NULL, and returns AG_EUSE. */
ag_status ag__refuse_null(ag_failure *why, const char *call, const char *argument);

const char *ag__device_name(ag_device device); /* "CPU", "CUDA device" */

/* 1 if text has 1..limit characters, all printable ASCII; `least` is ' ', or '!' for no space. */
int ag__plain_name(const char *text, int limit, char least);
int ag__begins_with(const char *text, const char *prefix);

/* Bytes of the UTF-8 character at s, and its code; 0: the byte there begins none (RFC 3629: no
   overlong forms, no surrogates, nothing above U+10FFFF). */
int ag__utf8(uint32_t *code, const unsigned char *s);

#ifdef __cplusplus
}
#endif

#endif
