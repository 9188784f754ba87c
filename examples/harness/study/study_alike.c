/* SPDX-License-Identifier: MIT */
/* Variants that cannot be told apart: an option that has no effect, or data that do not ask for it.
 */
#include "examples/harness/study/study_internal.h"

#include "core/io/io.h"

#include <math.h>
#include <string.h>

/* All but the best score so far, by the checksums in the metadata. */
static bool same_tensors(const ag_checkpoint *a, const ag_checkpoint *b)
{
    bool same = ag_checkpoint_count(a) == ag_checkpoint_count(b);
    for (int i = 0; same && i < ag_checkpoint_count(a); i++) {
        const char *name = ag_checkpoint_at(a, i)->name;
        const char *key = harness_format("xxh3:%s", name);
        const char *one = ag_checkpoint_metadata(a, key), *other = ag_checkpoint_metadata(b, key);
        same = strncmp(name, "state.best.", 11) == 0 || (one && other && !strcmp(one, other));
    }
    return same;
}

static ag_checkpoint *open_last(const study_outcome *x, int variant, int seed)
{
    ag_failure none = {0};
    return ag_checkpoint_open(harness__study_path(x, variant, seed, "/" HARNESS_LAST), &none);
}

static bool same_parameters(const study_outcome *x, int v, int w)
{
    bool same = true;
    for (int k = 0; same && k < x->seeds; k++) {
        ag_checkpoint *a = open_last(x, v, k), *b = open_last(x, w, k);
        same = a && b && same_tensors(a, b);
        ag_checkpoint_close(a);
        ag_checkpoint_close(b);
    }
    return same;
}

/* A score that is missing in both is no sign of anything. */
static bool same_scores(const study_outcome *x, int v, int w)
{
    bool same = true, any = false;
    for (int i = 0; same && i < x->seeds * x->measures; i++) {
        const int seed = i % x->seeds, measure = i / x->seeds;
        const double a = harness__study_score(x, v, seed, measure),
                     b = harness__study_score(x, w, seed, measure);
        same = a == b || (isnan(a) && isnan(b));
        any = any || !isnan(a);
    }
    return same && any;
}

void harness__note_alike(harness_table *t, const study_outcome *x)
{
    const harness_variant *variant = x->call->study->variants;
    for (int v = 1; v < x->variants; v++) {
        const char *note = NULL, *name = variant[v].name;
        for (int w = 0; w < v; w++) {
            const char *other = variant[w].name;
            const bool parameters = same_parameters(x, v, w);
            if (!parameters && !same_scores(x, v, w)) continue;
            harness_table_equal(t, v, w);
            if (!note)
                note = parameters
                           ? harness_format("%s: trained to the same parameters as %s, so what it "
                                            "changes has no effect on training here",
                                            name, other)
                           : harness_format("%s: has all scores of %s, so the study does not tell "
                                            "them apart",
                                            name, other);
        }
        if (note) harness_table_note(t, note);
    }
}
