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
    bool open; /* the results */
} call;

/* ---- what the caller gets: one block ---- */

/* Places of the parts in the block; NULL: to count the bytes. */
static void *lay(char *block, size_t *bytes, int64_t count, size_t size)
{
    void *part = block ? block + *bytes : NULL;
    *bytes = ag_size_add(*bytes, (ag_size_mul((size_t)count, size) + 7) & ~(size_t)7);
    return part;
}

static void lay_group(augur_models_group *to, const harness_group *g, const char *name, char *block,
                      size_t *bytes)
{
    const size_t letters = strlen(name) + 1;
    char *text = lay(block, bytes, (int64_t)letters, 1);
    int64_t *number = lay(block, bytes, g->items, sizeof *number);
    double *score = lay(block, bytes, g->items, sizeof *score);
    double *ns = g->ns ? lay(block, bytes, g->items, sizeof *ns) : NULL;
    if (!block) return;
    memcpy(text, name, letters);
    for (int i = 0; i < g->items; i++) {
        number[i] = g->number ? g->number[i] : i;
        score[i] = g->score[i];
        if (g->ns) ns[i] = g->ns[i];
    }
    *to = (augur_models_group){text, g->items, number, score, ns};
}

static augur_models_scores *lay_all(const call *c, char *block, size_t *bytes)
{
    const int groups = harness_rank_groups(c->results);
    augur_models_scores *s = lay(block, bytes, 1, sizeof *s);
    augur_models_group *to = lay(block, bytes, groups, sizeof *to);
    int64_t items = 0;
    for (int i = 0; i < groups; i++) {
        const harness_group g = harness_rank_group_at(c->results, i);
        lay_group(to ? to + i : NULL, &g, library_items_name(&c->items, g.name), block, bytes);
        items += g.items;
    }
    if (s) *s = (augur_models_scores){groups, items, to};
    return s;
}

static ag_status give(call *c, ag_failure *why)
{
    size_t bytes = 0, again = 0;
    lay_all(c, NULL, &bytes);
    char *block = ag_alloc(bytes);
    if (!block)
        return ag_fail(why, AG_EMEMORY, "augur_models_predict: no memory for %zu bytes of scores",
                       bytes);
    c->scores = lay_all(c, block, &again);
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
    m->open(c->results, c->data, s);
    c->open = true;
    if (harness_runs_score(&c->runs, c->results, s, why) || harness_rank_finite(c->results, why))
        return why->status;
    harness_warn_alike(m, c->results);
    return give(c, why);
}

static void end(void *context)
{
    call *c = context;
    const harness_model *m = c->m->trained.model;
    if (c->open) harness_rank_close(c->results);
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
