/* SPDX-License-Identifier: MIT */
/* Warns of what training did not have: element types of buffers and extents of loops, which a
   checkpoint remembers, and statements far from those of training. */
#include "examples/harness/rank/unseen.h"
#include "core/error.h"
#include "examples/tpgnn/rows/rows.h"
#include "examples/tpgnn/hooks.h"

#include <jansson.h>
#include <string.h>

/* Extents and sizes that are not constants are not known; they are 0 in the files, and a model
   takes them for 1. */
typedef struct counts {
    int64_t *nodes;               /* [kinds] */
    int64_t loops, outside;       /* all; those with an extent beyond what was seen */
    int64_t extents, no_constant; /* of loops, and sizes of buffers; those that are not known */
    double least, most;           /* extents of loops that are known; 0: there are none */
} counts;

static void count_loop(counts *u, double extent, const tpgnn_seen *seen)
{
    u->loops++;
    u->extents++;
    if (extent < 1) {
        u->no_constant++;
        return;
    }
    if (!u->most || extent < u->least) u->least = extent;
    if (extent > u->most) u->most = extent;
    u->outside += seen && (extent < seen->least || extent > seen->most);
}

/* seen: NULL, or of another run. The caller frees the nodes (harness_free). */
static counts count(const tpgnn_data *data, const tpgnn_seen *seen)
{
    counts u = {.nodes = HARNESS_NEW(u.nodes, data->kinds)};
    for (int i = 0; i < data->schedules; i++) {
        const tpgnn_schedule *s = &data->schedule[i];
        for (int v = 0; v < s->nodes; v++) {
            const int up = s->parent[v];
            const tpgnn_kind *k = &data->kind[s->kind[v]];
            u.nodes[s->kind[v]]++;
            if (k->loop) count_loop(&u, (double)s->value[v], seen);
            if (up < 0 || !data->kind[s->kind[up]].buffer) continue;
            u.extents++;
            u.no_constant += !k->constant || s->value[v] < 1;
        }
    }
    return u;
}

char *tpgnn_seen_json(const tpgnn_data *data)
{
    counts u = count(data, NULL);
    tpgnn_vocabulary buffers = {0};
    const char **word = HARNESS_NEW(word, data->kinds);
    for (int f = 0; f < TPGNN_FIELDS; f++) {
        int n = 0;
        for (int k = 0; k < data->kinds; k++)
            if (u.nodes[k] && data->kind[k].buffer) word[n++] = data->kind[k].word[f];
        tpgnn_vocabulary_fill(&buffers, (tpgnn_field)f, word, n);
    }
    json_t *j = json_object();
    json_object_set_new(j, "extents", json_pack("[f, f]", u.least, u.most));
    json_object_set_new(j, "buffers", tpgnn_vocabulary_json(&buffers));
    tpgnn_vocabulary_free(&buffers);
    harness_free(u.nodes);
    harness_free(word);
    return harness_json_text(j);
}

ag_status tpgnn_seen_read(tpgnn_seen *s, const char *text, ag_failure *why)
{
    json_t *j = harness_json_loads(text, NULL);
    if (json_unpack(j, "{s: [F, F!]}", "extents", &s->least, &s->most))
        ag_fail(why, AG_EDATA,
                "the metadata \"seen\" do not say the smallest and the largest of \"extents\"; "
                "train again to rewrite them");
    else
        tpgnn_vocabulary_read(&s->buffers, json_object_get(j, "buffers"),
                              "\"buffers\" of the metadata \"seen\"", why);
    json_decref(j);
    return why->status;
}

/* An element type is new, too, where no buffer of training had it. */
static bool is_new(const tpgnn_kind *k, tpgnn_field field, const tpgnn_seen *seen)
{
    const bool buffer = field == TPGNN_DTYPE && k->buffer;
    return !k->index[field] ||
           (buffer && !tpgnn_vocabulary_find(&seen->buffers, field, k->word[field]));
}

static void warn_words(const tpgnn_data *data, const counts *u, const tpgnn_seen *seen,
                       tpgnn_field field, const char *what, const char *run)
{
    enum { SHOWN = 8 };
    const char *word[SHOWN]; /* kinds are sorted by their whole text, so a word may come again */
    int shown = 0;
    int64_t nodes = 0;
    const char *words = "";
    for (int k = 0; k < data->kinds; k++) {
        const tpgnn_kind *of = &data->kind[k];
        if (!u->nodes[k] || !is_new(of, field, seen)) continue;
        nodes += u->nodes[k];
        int i = 0;
        while (i < shown && strcmp(word[i], of->word[field])) i++;
        if (i < shown || shown == SHOWN) continue;
        word[shown++] = of->word[field];
        words = harness_format("%s%s%s", words, i ? ", " : "", word[i]);
    }
    if (nodes)
        harness_warn("%lld of %lld nodes have %s that no training file of %.200s has: %s",
                     (long long)nodes, (long long)data->nodes, what, run, words);
}

/* Looks at no more than SAMPLE schedules of a task, evenly. With the splits of examples/data at
   most 67 % of the statements of a program that is held out are far. */
static ag_status warn_rows(const tpgnn_data *data, const nests_scale *scale, const char *run,
                           ag_failure *why)
{
    enum { SAMPLE = 64 };
    nests_rows rows = {0};
    harness_far far = {.what = "task",
                       .rows = "statements",
                       .limit = "more than 10 standard deviations",
                       .run = run,
                       .most = 0.7};
    for (int i = 0; i < data->tasks && harness_go_on(why); i++) {
        const tpgnn_task *t = &data->task[i];
        const int step = (t->schedules + SAMPLE - 1) / SAMPLE;
        rows.items = 0;
        for (int k = 0; k < t->schedules; k += step)
            nests_schedule_rows_add(&rows, data, &data->schedule[t->first + k]);
        harness_far_add(&far, t->name, nests_scale_far(scale, rows.x, rows.rows), rows.rows);
    }
    if (!why->status) harness_far_warn(&far);
    nests_rows_free(&rows);
    return why->status;
}

ag_status tpgnn_warn_unseen(const tpgnn_data *data, const tpgnn_trained *net, const char *run,
                            ag_failure *why)
{
    static const char *const what[TPGNN_FIELDS] = {[TPGNN_TYPE] = "a type",
                                                   [TPGNN_LOOP] = "a kind of loop",
                                                   [TPGNN_DTYPE] = "an element type",
                                                   [TPGNN_SCOPE] = "a scope"};
    const tpgnn_seen *seen = net ? &net->seen : NULL;
    counts u = count(data, seen);
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
    harness_free(u.nodes);
    if (!net || !net->model.options.rows) return AG_OK;
    return warn_rows(data, &net->model.joined.scale, run, why);
}
