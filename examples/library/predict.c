/* SPDX-License-Identifier: MIT */
/* Scores. */
#define _GNU_SOURCE /* locks */
#include "examples/library/handle.h"

#include "core/error.h"
#include "core/memory.h"
#include "examples/harness/rank/rank.h"
#include "examples/harness/rank/unseen.h"

#include <string.h>

typedef struct call {
    augur_models *m;
    library_items items;
    augur_models_scores *scores;
    ag_failure *why;
    harness_options *options;
    harness_runs runs;
    void *data, *results;
} call;

/* The scores are one block: groups, then numbers, scores and times of all, then names. */
static ag_status give(call *c, ag_failure *why)
{
    const int groups = harness_rank_groups(c->results);
    size_t items = 0, letters = 0;
    for (int i = 0; i < groups; i++) {
        const harness_ranked g = harness_rank_group_at(c->results, i);
        items += (size_t)g.items;
        letters += strlen(library_items_name(&c->items, g.name)) + 1;
    }
    const size_t bytes = sizeof *c->scores + (size_t)groups * sizeof *c->scores->group +
                         items * (sizeof(int64_t) + 2 * sizeof(double)) + letters;
    augur_models_scores *s = c->scores = ag_alloc(bytes);
    if (!s)
        return ag_fail(why, AG_EMEMORY, "augur_models_predict: no memory for %zu bytes of scores",
                       bytes);
    augur_models_group *to = (augur_models_group *)(void *)(s + 1);
    int64_t *number = (int64_t *)(void *)(to + groups);
    double *score = (double *)(void *)(number + items), *ns = score + items;
    char *name = (char *)(ns + items);
    *s = (augur_models_scores){groups, (int64_t)items, to};
    for (int i = 0; i < groups; i++) {
        const harness_ranked g = harness_rank_group_at(c->results, i);
        strcpy(name, library_items_name(&c->items, g.name));
        *to++ = (augur_models_group){name, g.items, number, score, g.ns ? ns : NULL};
        for (int k = 0; k < g.items; k++) {
            *number++ = g.number ? g.number[k] : k;
            *score++ = g.score[k];
            *ns++ = g.ns ? g.ns[k] : 0;
        }
        name += strlen(name) + 1;
    }
    return AG_OK;
}

void augur_models_scores_free(augur_models_scores *scores) { ag_free(scores); }

static ag_status score(void *context, ag_failure *why)
{
    call *c = context;
    const harness_model *m = c->m->trained.model;
    c->options = library_options(&c->m->trained, HARNESS_PREDICT, why);
    if (why->status || library_items_open(&c->items, c->options, why)) return why->status;
    const harness_settings *s = harness_options_values(c->options);
    c->runs = (harness_runs){.model = m, .run = &c->m->trained, .count = 1};
    c->runs.tape = ag_tape_new(AG_CPU);
    if (!c->runs.tape)
        return ag_fail(why, AG_EMEMORY, "augur_models_predict: no memory for a tape");
    c->data = harness_alloc(m->data_bytes);
    c->results = harness_alloc(m->results_bytes);
    if (m->read_scored(c->data, &c->runs, s, false, why)) return why->status;
    harness_rank_open(c->results, &c->runs, c->data, s);
    if (harness_runs_score(&c->runs, c->results, s, why) || harness_rank_finite(c->results, why))
        return why->status;
    harness_warn_alike(m, c->results);
    return give(c, why);
}

static void end(void *context)
{
    call *c = context;
    const harness_model *m = c->m->trained.model;
    if (c->results) harness_rank_close(c->results);
    if (c->data) m->close(c->data);
    harness_free(c->data);
    harness_free(c->results);
    ag_tape_free(c->runs.tape);
    harness_options_free(c->options);
    library_items_close(&c->items);
    library_items_rename(&c->items, c->why);
    pthread_rwlock_unlock(&c->m->parameters);
}

int augur_models_predict(augur_models *m, const augur_models_items *items,
                         augur_models_scores **scores)
{
    ag_failure why = {0};
    call c = {.m = m, .items = {.given = items}, .why = &why};
    if (!m || !scores)
        ag_fail(&why, AG_EUSE, "augur_models_predict: %s is NULL, but both are needed",
                m ? "where the scores go" : "the handle");
    if (scores) *scores = NULL;
    if (!why.status && !library_items_check(items, "augur_models_predict", &why))
        pthread_rwlock_rdlock(&m->parameters);
    const int code = library_call(score, end, &c, &why);
    if (code)
        ag_free(c.scores);
    else
        *scores = c.scores;
    return code;
}
