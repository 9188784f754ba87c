/* SPDX-License-Identifier: MIT */
/* Records the sentences of failures, and makes text safe to print. */
#ifndef AG_CORE_ERROR_H
#define AG_CORE_ERROR_H

#include "core/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Records a failure in `why` (which may be NULL) unless it already has one. Returns status. */
AG_API ag_status ag_fail(ag_failure *why, ag_status status, const char *format, ...)
    AG_PRINTF(3, 4);

/* For the end of main: prints the sentence of a failure to stderr. Returns 1, or 0 without one (or
   for NULL). */
AG_API int ag_report(const ag_failure *why);

/* Copies `text` to `out`. An escape such as \x1b or \u202e replaces each control character (C0,
   DEL, C1), line separator, mark that changes the direction of writing, and byte that is not UTF-8.
   So a name can neither control a terminal nor look like another name. Omits what does not fit into
   `size` bytes. ag_fail does this to its sentences. A NULL text counts as "". Returns out. */
AG_API char *ag_printable(char *out, size_t size, const char *text);

#ifdef __cplusplus
}
#endif

#endif
