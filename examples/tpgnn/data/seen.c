/* SPDX-License-Identifier: MIT */
#include "examples/tpgnn/data/seen.h"

#include "examples/harness/harness.h"

#include <jansson.h>

/* ---- what occurs ---- */

static void count_loop(tpgnn_unseen *u, double extent, const tpgnn_seen *seen)
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

tpgnn_unseen tpgnn_unseen_count(const tpgnn_data *data, const tpgnn_seen *seen)
{
    tpgnn_unseen u = {.nodes = harness_alloc((size_t)data->kinds * sizeof *u.nodes + 1)};
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

void tpgnn_unseen_free(tpgnn_unseen *u) { harness_free(u->nodes); }

/* ---- of the training files ---- */

char *tpgnn_seen_json(const tpgnn_data *data, ag_failure *why)
{
    tpgnn_unseen u = tpgnn_unseen_count(data, NULL);
    tpgnn_vocabulary buffers = {0};
    const char **word = harness_alloc((size_t)data->kinds * sizeof *word + 1);
    for (int f = 0; f < TPGNN_FIELDS && !why->status; f++) {
        int n = 0;
        for (int k = 0; k < data->kinds; k++)
            if (u.nodes[k] && data->kind[k].buffer) word[n++] = data->kind[k].word[f];
        tpgnn_vocabulary_fill(&buffers, (tpgnn_field)f, word, n, why);
    }
    json_t *j = json_object();
    json_object_set_new(j, "extents", json_pack("[f, f]", u.least, u.most));
    json_object_set_new(j, "buffers", tpgnn_vocabulary_json(&buffers));
    tpgnn_vocabulary_free(&buffers);
    tpgnn_unseen_free(&u);
    harness_free(word);
    return harness_json_text(j);
}

ag_status tpgnn_seen_read(tpgnn_seen *s, const char *text, ag_failure *why)
{
    json_t *j = harness_json_loads(text, NULL);
    const json_t *extents = json_object_get(j, "extents");
    const bool known = json_array_size(extents) == 2 &&
                       json_is_number(json_array_get(extents, 0)) &&
                       json_is_number(json_array_get(extents, 1));
    s->least = json_number_value(json_array_get(extents, 0));
    s->most = json_number_value(json_array_get(extents, 1));
    if (!known)
        ag_fail(why, AG_EDATA,
                "the metadata \"seen\" do not say the smallest and the largest of \"extents\"; "
                "train again to write them anew");
    else
        tpgnn_vocabulary_read(&s->buffers, json_object_get(j, "buffers"),
                              "\"buffers\" of the metadata \"seen\"", why);
    json_decref(j);
    return why->status;
}

void tpgnn_seen_free(tpgnn_seen *s) { tpgnn_vocabulary_free(&s->buffers); }
