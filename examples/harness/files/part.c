/* SPDX-License-Identifier: MIT */
/* --part I/N: what one of several calls takes. */
#include "examples/harness/files/files.h"
#include "core/error.h"
#include "examples/harness/base/base.h"

ag_status harness_part_read(harness_part *part, const char *text, ag_failure *why)
{
    char rest;
    *part = (harness_part){1, 1};
    if (!text || (sscanf(text, "%5d/%5d%c", &part->index, &part->count, &rest) == 2 &&
                  part->index >= 1 && part->index <= part->count))
        return AG_OK;
    return ag_fail(why, AG_EUSE,
                   "--part: \"%.60s\" is not a share; write I/N with I from 1 to N and N from 1 to "
                   "99999, as in 2/8",
                   text);
}

ag_status harness_part_cut(harness_paths *to, const harness_files *all, harness_part part,
                           ag_failure *why)
{
    const int64_t n = all->count;
    const int first = (int)(n * (part.index - 1) / part.count),
              end = (int)(n * part.index / part.count);
    if (part.count > n)
        return ag_fail(why, AG_EUSE,
                       "--part: %d/%d is a share of %d file%s, so some shares would be empty; take "
                       "at most as many shares as --data names files",
                       part.index, part.count, all->count, n == 1 ? "" : "s");
    const char **list = harness_lasting((size_t)(end - first) * sizeof *list);
    for (int i = first; i < end; i++) list[i - first] = all->path[i];
    *to = (harness_paths){list, end - first};
    return AG_OK;
}
