/* SPDX-License-Identifier: MIT */
/* Whole files as text and as JSON. */
#ifndef HARNESS_FILE_H
#define HARNESS_FILE_H

#include "core/types.h"

struct json_t;

/* Reads a whole file of at most `limit` bytes and adds a terminating 0. NULL: AG_EFILE. */
char *harness__read_file(const char *path, size_t limit, size_t *bytes, ag_failure *why);

/* harness__save_json writes the object atomically and frees it; harness__load_json reads a file of
   at most 16 MiB (NULL: AG_EFILE, AG_EDATA). */
ag_status harness__save_json(const char *path, struct json_t *object, ag_failure *why);
struct json_t *harness__load_json(const char *path, ag_failure *why);

int harness__utf8(const char *text); /* whether it is well-formed UTF-8 */

ag_status harness__refuse_stdout(ag_failure *why); /* fails: stdout could not be written */

#endif
