/* SPDX-License-Identifier: MIT */
/* Warnings of words and extents that training did not have. */
#include "examples/tpgnn/shell.h"

#include <math.h>
#include <string.h>

/* ---- words ---- */

/* An element type is new, too, where no buffer of training had it. */
static bool is_new(const tpgnn_kind *k, tpgnn_field field, const tpgnn_seen *seen)
{
    const bool buffer = field == TPGNN_DTYPE && tpgnn_declares_buffer(k);
    return !k->index[field] ||
           (buffer && !tpgnn_vocabulary_find(&seen->buffers, field, k->word[field]));
}

/* Kinds are sorted by their whole text, so a word may come again. */
static bool is_listed(const tpgnn_data *data, const int *kind, int count, tpgnn_field field,
                      const char *word)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(data->kind[kind[i]].word[field], word)) return true;
    return false;
}

static void warn_words(const tpgnn_data *data, const tpgnn_unseen *u, const tpgnn_seen *seen,
                       tpgnn_field field, const char *what, const char *run)
{
    enum { SHOWN = 8 };
    int kind[SHOWN], shown = 0;
    int64_t nodes = 0;
    char *words = harness_copy("");
    for (int k = 0; k < data->kinds; k++) {
        const tpgnn_kind *of = &data->kind[k];
        if (!u->nodes[k] || !is_new(of, field, seen)) continue;
        nodes += u->nodes[k];
        if (shown == SHOWN || is_listed(data, kind, shown, field, of->word[field])) continue;
        char *longer = harness_text("%s%s%s", words, shown ? ", " : "", of->word[field]);
        harness_free(words);
        words = longer;
        kind[shown++] = k;
    }
    if (nodes)
        harness_warn("%lld of %lld nodes have %s that no training file of %.200s has: %s",
                     (long long)nodes, (long long)data->nodes, what, run, words);
    harness_free(words);
}

/* ---- extents ---- */

static void warn_unknown(const tpgnn_unseen *u)
{
    if (u->no_constant)
        harness_warn("of %lld extents of loops and sizes of buffers, %lld are not known (0, or no "
                     "constant); each counts as 1, so scores of these programs may mean nothing",
                     (long long)u->extents, (long long)u->no_constant);
}

static void warn_extents(const tpgnn_unseen *u, const tpgnn_seen *seen, const char *run)
{
    if (u->outside)
        harness_warn("%lld of %lld loops have extents that no training file of %.200s has: they "
                     "go from %.0f to %.0f, those of training from %.0f to %.0f",
                     (long long)u->outside, (long long)u->loops, run, u->least, u->most,
                     seen->least, seen->most);
}

void tpgnn_warn_unknown(const tpgnn_data *data)
{
    tpgnn_unseen u = tpgnn_unseen_count(data, NULL);
    warn_unknown(&u);
    tpgnn_unseen_free(&u);
}

/* ---- the whole ---- */

void tpgnn_warn_unseen(const tpgnn_data *data, const tpgnn_trained *net, const char *run)
{
    const tpgnn_seen *seen = &net->checkpoint.seen;
    tpgnn_unseen u = tpgnn_unseen_count(data, seen);
    warn_words(data, &u, seen, TPGNN_TYPE, "a type", run);
    warn_words(data, &u, seen, TPGNN_LOOP, "a kind of loop", run);
    warn_words(data, &u, seen, TPGNN_DTYPE, "an element type", run);
    warn_words(data, &u, seen, TPGNN_SCOPE, "a scope", run);
    warn_unknown(&u);
    warn_extents(&u, seen, run);
    tpgnn_unseen_free(&u);
}
