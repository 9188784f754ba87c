/* SPDX-License-Identifier: MIT */
/* Draws the groups and items of each step. */
#include "examples/nests/steps.h"

#include "core/error.h"
#include "core/memory.h"
#include "examples/harness/harness.h"
#include "examples/harness/base/draws.h"

/* Compared groups need two run times that differ. */
static bool can_be_drawn(const nests_set *set, int g)
{
    const int *item = nests_list(&set->train, g), n = nests_count(&set->train, g);
    const int64_t *ns = set->data.group[g].runtime;
    if (set->data.maker->absolute) return n > 0;
    for (int i = 1; i < n; i++)
        if (ns[item[i]] != ns[item[0]]) return true;
    return false;
}

ag_status nests_sampler_open(nests_sampler *s, const nests_set *set, const nests_scale *scale,
                             const nests_settings *settings, ag_failure *why)
{
    int most = 1;
    *s = (nests_sampler){.set = set, .scale = scale, .settings = settings};
    s->group = HARNESS_TAKE(&s->memory, s->group, set->data.groups);
    s->order = HARNESS_TAKE(&s->memory, s->order, set->data.groups);
    for (int g = 0; g < set->data.groups; g++) {
        const int n = nests_count(&set->train, g);
        if (can_be_drawn(set, g)) s->group[s->groups++] = g;
        if (n > most) most = n;
    }
    if (!s->groups)
        return ag_fail(why, AG_EUSE,
                       "training: none of the %d groups has two items with different run times; "
                       "name other files",
                       set->data.groups);
    s->per_step = settings->groups < s->groups ? settings->groups : s->groups;
    s->mixed = HARNESS_TAKE(&s->memory, s->mixed, most);
    if (settings->items < most) most = settings->items;
    s->pick = HARNESS_TAKE(&s->memory, s->pick, s->per_step);
    s->item = HARNESS_TAKE(&s->memory, s->item, (size_t)s->per_step * (size_t)most);
    return AG_OK;
}

void nests_sampler_close(void *sampler)
{
    nests_sampler *s = sampler;
    ag_arena_free(s->memory);
    *s = (nests_sampler){0};
}

int nests_choose(int *to, int32_t *order, const nests_set *set, int g, int most, uint64_t seed,
                 uint64_t number)
{
    const int *item = nests_list(&set->train, g), all = nests_count(&set->train, g);
    int n = 0;
    harness_shuffle(order, all, harness_stream(HARNESS_STREAM_PERMUTATION, seed, number));
    for (int i = 0; i < all; i++)
        if (order[i] < most) to[n++] = item[i];
    return n;
}

int nests_sampler_draw(nests_sampler *s, int64_t step)
{
    const uint64_t seed = (uint64_t)s->settings->harness.common.seed;
    const int64_t first = step * s->per_step;
    int64_t epoch = -1;
    int n = 0, *to = s->item;
    for (int64_t visit = first; visit < first + s->per_step; visit++) {
        if (visit / s->groups != epoch) {
            epoch = visit / s->groups;
            harness_shuffle(s->order, s->groups,
                            harness_stream(HARNESS_STREAM_EPOCH, seed, (uint64_t)epoch));
        }
        const int g = s->group[s->order[visit % s->groups]];
        const int count =
            nests_choose(to, s->mixed, s->set, g, s->settings->items, seed, (uint64_t)visit);
        s->pick[n] = (nests_pick){g, count, to};
        to += s->pick[n++].count;
    }
    return n;
}

ag_status nests_sampler_fill(void *source, int64_t step, void *buffer, ag_failure *why)
{
    nests_sampler *s = source;
    const int n = nests_sampler_draw(s, step);
    return nests_batch_fill(buffer, &s->set->data, s->scale, s->pick, n, s->settings->spread, why);
}
