/* SPDX-License-Identifier: MIT */
/* The sentences of failures. */
#ifndef AG_CORE_ERROR_H
#define AG_CORE_ERROR_H

#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Records a failure unless one is there already (the first wins; `why` may be NULL); returns
 * status. */
AG_API ag_status ag_fail(ag_failure *why, ag_status status, const char *format, ...)
    AG_PRINTF(3, 4);

/* Copies `text` with control characters (C0, DEL, C1), line separators, marks that change the
   direction of writing and bytes that are not UTF-8 written as \x1b or \u202e. So a name can
   neither control a terminal nor look like another one. Omits what does not fit into `size` bytes.
   ag_fail applies it to its sentences. A NULL text counts as "". Returns out. */
AG_API char *ag_printable(char *out, size_t size, const char *text);

#ifdef __cplusplus
}
#endif

#endif
