/* SPDX-License-Identifier: MIT */
/* Which runs of a study a call trains: --part and --only. */
#include "examples/harness/study/study_internal.h"
#include "core/error.h"

#include <jansson.h>
#include <string.h>

static ag_status find_variant(study_outcome *x, const char *text, ag_failure *why)
{
    const harness_study *s = x->study;
    x->only = -1;
    for (int v = 0; text && v < x->variants; v++)
        if (strcmp(x->name[v], text) == 0 || strcmp(s->variants[v].folder, text) == 0) x->only = v;
    if (!text || x->only >= 0) return AG_OK;
    const char *near = harness_nearest(text, x->name, x->variants);
    return ag_fail(why, AG_EUSE, "--only: %.120s has no variant [%.60s]; %s [%.60s]", s->file, text,
                   near ? "did you mean" : "its first one is", near ? near : x->name[0]);
}

ag_status harness__study_share(study_outcome *x, ag_failure *why)
{
    const harness_common *c = &((const harness_settings *)x->call->values)->common;
    return harness_part_read(&x->part, c->part, why) ? why->status : find_variant(x, c->only, why);
}

/* The runs of --only are dealt in the order of the seeds, so that shares differ by one at most. */
bool harness__study_mine(const study_outcome *x, int variant, int seed)
{
    if (x->only >= 0 && x->only != variant) return false;
    const int ordinal = x->only >= 0 ? seed : seed * x->variants + variant;
    return ordinal % x->part.count == x->part.index - 1;
}

bool harness__study_lacks(const study_outcome *x, int variant, int seed)
{
    return json_object_size(x->result[variant * x->seeds + seed]) == 0;
}
