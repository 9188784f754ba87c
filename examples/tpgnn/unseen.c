/* SPDX-License-Identifier: MIT */
/* Warnings of words and extents that training did not have, and of statements far from its own. */
#include "examples/harness/rank/unseen.h"
#include "examples/tpgnn/rows/rows.h"
#include "examples/tpgnn/shell.h"

#include <string.h>

/* ---- words ---- */

/* An element type is new, too, where no buffer of training had it. */
static bool is_new(const tpgnn_kind *k, tpgnn_field field, const tpgnn_seen *seen)
{
    const bool buffer = field == TPGNN_DTYPE && k->buffer;
    return !k->index[field] ||
           (buffer && !tpgnn_vocabulary_find(&seen->buffers, field, k->word[field]));
}

static void warn_words(const tpgnn_data *data, const tpgnn_unseen *u, const tpgnn_seen *seen,
                       tpgnn_field field, const char *what, const char *run)
{
    enum { SHOWN = 8 };
    const char *word[SHOWN]; /* kinds are sorted by their whole text, so a word may come again */
    int shown = 0;
    int64_t nodes = 0;
    char *words = harness_copy("");
    for (int k = 0; k < data->kinds; k++) {
        const tpgnn_kind *of = &data->kind[k];
        if (!u->nodes[k] || !is_new(of, field, seen)) continue;
        nodes += u->nodes[k];
        int i = 0;
        while (i < shown && strcmp(word[i], of->word[field])) i++;
        if (i < shown || shown == SHOWN) continue;
        word[shown++] = of->word[field];
        char *longer = harness_text("%s%s%s", words, i ? ", " : "", word[i]);
        harness_free(words);
        words = longer;
    }
    if (nodes)
        harness_warn("%lld of %lld nodes have %s that no training file of %.200s has: %s",
                     (long long)nodes, (long long)data->nodes, what, run, words);
    harness_free(words);
}

/* ---- rows ---- */

/* Looks at no more than SAMPLE schedules of a task, evenly. With the splits of examples/data at
   most 67 % of the statements of a program that is held out are far. */
static ag_status warn_rows(const tpgnn_data *data, const nests_scale *scale, const char *run,
                           ag_failure *why)
{
    enum { SAMPLE = 64 };
    float *x = NULL, *cost = NULL;
    harness_far far = {
        .rows = "statements", .limit = "more than 10 standard deviations", .run = run, .most = 0.7};
    for (int i = 0; i < data->tasks && harness_go_on(why); i++) {
        const tpgnn_task *t = &data->task[i];
        const int step = (t->schedules + SAMPLE - 1) / SAMPLE;
        int64_t outside = 0, all = 0;
        for (int k = 0; k < t->schedules; k += step) {
            const tpgnn_schedule *s = &data->schedule[t->first + k];
            const int most = nests_schedule_stores(data, s);
            x = harness_grow(x, (size_t)most * NESTS_SCHEDULE_ROW * sizeof *x + 1);
            cost = harness_grow(cost, (size_t)most * sizeof *cost + 1);
            const int n = nests_schedule_rows(x, cost, most, data, s, why);
            if (n < 0) break;
            outside += nests_scale_far(scale, x, n);
            all += n;
        }
        harness_far_add(&far, t->name, outside, all);
    }
    if (!why->status) harness_far_warn(&far);
    harness_free(x);
    harness_free(cost);
    return why->status;
}

/* ---- the whole ---- */

ag_status tpgnn_warn_unseen(const tpgnn_data *data, const tpgnn_trained *net, const char *run,
                            ag_failure *why)
{
    static const char *const what[TPGNN_FIELDS] = {[TPGNN_TYPE] = "a type",
                                                   [TPGNN_LOOP] = "a kind of loop",
                                                   [TPGNN_DTYPE] = "an element type",
                                                   [TPGNN_SCOPE] = "a scope"};
    const tpgnn_seen *seen = net ? &net->seen : NULL;
    tpgnn_unseen u = tpgnn_unseen_count(data, seen);
    for (int f = 0; f < TPGNN_FIELDS; f++)
        if (seen && what[f]) warn_words(data, &u, seen, (tpgnn_field)f, what[f], run);
    if (u.no_constant)
        harness_warn("of %lld extents of loops and sizes of buffers, %lld are not known (0, or no "
                     "constant); each counts as 1, so scores of these programs may mean nothing",
                     (long long)u.extents, (long long)u.no_constant);
    if (u.outside)
        harness_warn("%lld of %lld loops have extents that no training file of %.200s has: they "
                     "go from %.0f to %.0f, those of training from %.0f to %.0f",
                     (long long)u.outside, (long long)u.loops, run, u.least, u.most, seen->least,
                     seen->most);
    tpgnn_unseen_free(&u);
    if (!net || !net->model.options.rows) return AG_OK;
    return warn_rows(data, &net->model.joined.scale, run, why);
}
