/* SPDX-License-Identifier: MIT */
/* The options of the runs of a study. */
#include "examples/harness/cli/options_internal.h"

#include <inttypes.h>
#include <string.h>

static ag_status apply(harness_options *o, const harness_study *s, const harness_override *list,
                       ag_failure *why)
{
    for (int i = 0; i < bag_count(list) && !why->status; i++)
        harness_options_set(o, harness_format("%.100s line %d", s->file, list[i].line),
                            list[i].name, list[i].value, why);
    return why->status;
}

ag_status harness_study_options(harness_options *o, const harness_study *s,
                                const harness_variant *v, int64_t seed, ag_failure *why)
{
    harness__begin_layer(o);
    apply(o, s, s->common, why);
    harness__begin_layer(o);
    if (apply(o, s, v->overrides, why)) return why->status;
    return harness_options_set(o, s->file, "seed", harness_format("%" PRId64, seed), why);
}

/* The number of variants in which options that they share have an effect, and a sentence on one
   that has none in any. */
typedef struct shared {
    int *acting; /* per option */
    ag_failure *idle;
} shared;

static ag_status check_variant(shared *of, const harness_options *o, const char *files,
                               ag_failure *why)
{
    for (int i = 0; i < o->program->option_count; i++) {
        if (!harness__idle(o, i, files))
            of->acting[i] += o->origin[i].where != NULL;
        else if (o->origin[i].layer == o->layer)
            return harness__refuse_idle(o, i, "", why);
        else if (!of->idle[i].status)
            harness__refuse_idle(o, i, " in any variant", &of->idle[i]);
    }
    return AG_OK;
}

ag_status harness_study_act(const harness_study *s, const harness_options *base, const char *files,
                            ag_failure *why)
{
    const int count = base->program->option_count;
    shared of = {harness_alloc((size_t)count * sizeof *of.acting),
                 harness_alloc((size_t)count * sizeof *of.idle)};
    for (int v = 0; v < bag_count(s->variants) && !why->status; v++) {
        harness_options *o = harness_options_copy(base);
        if (!harness_study_options(o, s, &s->variants[v], s->seeds[0], why))
            check_variant(&of, o, files, why);
        harness_options_free(o);
    }
    for (int i = 0; i < count && !why->status; i++)
        if (of.idle[i].status && !of.acting[i]) *why = of.idle[i];
    harness_free(of.acting);
    harness_free(of.idle);
    return why->status;
}
