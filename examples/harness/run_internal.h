/* SPDX-License-Identifier: MIT */
#ifndef HARNESS_RUN_INTERNAL_H
#define HARNESS_RUN_INTERNAL_H

#include "examples/harness/options_internal.h"

struct harness_run {
    char *folder;
    char **columns, **paths; /* stb_ds arrays */
    FILE *jsonl, *csv, *timing;
};

/* Makes a folder and those above it. */
ag_status harness__make_folder(const char *folder, ag_failure *why);

ag_status harness__open_metrics(harness_run *run, ag_failure *why);
ag_status harness__close_metrics(harness_run *run, ag_failure *why);

/* Writes the object in one piece and frees it; reads one of at most 16 MiB (NULL: AG_EFILE,
 * AG_EDATA). */
ag_status harness__save_json(const char *path, struct json_t *object, ag_failure *why);
struct json_t *harness__load_json(const char *path, ag_failure *why);

#endif
