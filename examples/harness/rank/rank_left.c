/* SPDX-License-Identifier: MIT */
/* The groups that means leave out, and the reasons. */
#include "examples/harness/rank/rank_internal.h"

#include <jansson.h>

static const char *const reason[HARNESS_LEFTS] = {
    [HARNESS_NONE_COUNTS] = "no run time that counts",
    [HARNESS_ONE_COUNTS] = "only one run time that counts",
    [HARNESS_ALL_EQUAL] = "equal run times only",
    [HARNESS_ALL_NEAR] = "only run times that differ by 2 % or less",
};

/* The groups of a reason, over all rows. A group is left out for all methods alike. */
static int64_t count_left(const harness_rank *r, harness_left left)
{
    int64_t n = 0;
    for (int i = 0; i < r->rows; i++) n += harness_rank_at(r, 0, i)->left[left];
    return n;
}

static const char *groups_of(const harness_rank_form *form)
{
    return form->groups ? form->groups : form->rows;
}

/* The names of the first measures of the form, all of them for 0, that are left out. */
static const char *list_measures(const harness_rank_form *form, int shown, harness_left left)
{
    const char *all = "";
    for (int k = 0; k < harness__count(form, shown); k++)
        if (harness_measure_left(form->measure[k], left))
            all = harness_format("%s%s%s", all, *all ? ", " : "",
                                 harness_measure_name(form->measure[k]));
    return all;
}

static void note_reason(harness_table *t, const harness_rank *r, harness_left left)
{
    const harness_rank_form *form = harness__form(r);
    const int64_t n = count_left(r, left);
    const char *measures = list_measures(form, form->shown, left);
    if (n && *measures)
        harness_table_note(t, harness_format("%lld of %d %s left out of the means of %s: %s",
                                             (long long)n, r->groups, groups_of(form), measures,
                                             reason[left]));
}

static void note_absent(harness_table *t, const harness_rank *r, int method)
{
    const int n = harness__lacking(r, method);
    if (n)
        harness_table_note(t, harness_format("%s has no means: it has no scores for %d of %d %s",
                                             r->method[method], n, r->groups,
                                             groups_of(harness__form(r))));
}

void harness__note_left(harness_table *t, const harness_rank *r)
{
    for (int k = 0; k < HARNESS_LEFTS; k++) note_reason(t, r, (harness_left)k);
    for (int m = 0; m < r->methods; m++) note_absent(t, r, m);
}

json_t *harness__left_json(const harness_rank *r)
{
    const harness_rank_form *form = harness__form(r);
    json_t *list = json_array();
    for (int k = 0; k < HARNESS_LEFTS; k++) {
        const int64_t n = count_left(r, (harness_left)k);
        if (!n) continue;
        json_t *measures = json_array();
        for (int i = 0; i < harness__count(form, 0); i++)
            if (harness_measure_left(form->measure[i], (harness_left)k))
                json_array_append_new(measures,
                                      json_string(harness_measure_name(form->measure[i])));
        json_array_append_new(list, json_pack("{s:I, s:s, s:o}", "groups", (json_int_t)n, "because",
                                              reason[k], "measures", measures));
    }
    return list;
}
