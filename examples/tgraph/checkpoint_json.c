/* SPDX-License-Identifier: MIT */
/* The metadata of a checkpoint as JSON, and back. */
#include "examples/tgraph/shell.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

char *tgraph_features_json(const tgraph_data_options *f)
{
    return harness_json_text(json_pack("{ss ss si sb sb}", "format", "tpugraphs-140", "kind",
                                       "layout", "layout_padding", f->repad ? -1 : 0, "prune",
                                       f->prune, "log", f->logs));
}

static int says(const json_t *object, const char *key, const char *word)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text && strcmp(text, word) == 0;
}

/* Hashes are text: programs that read JSON numbers as doubles would lose bits. */
char *tgraph_files_json(const tgraph_set *set)
{
    json_t *list = json_array();
    for (int i = 0; i < set->count; i++) {
        const tgraph_entry *e = &set->entry[i];
        if (!e->train) continue;
        char hash[17];
        snprintf(hash, sizeof hash, "%016" PRIx64, e->hash);
        json_array_append_new(list,
                              json_pack("{so si ss}", "name", harness_json_name(e->file->name),
                                        "configs", e->file->configs, "xxh3", hash));
    }
    return harness_json_text(list);
}

int tgraph_files_has(const char *files, const char *name, const uint64_t *hash)
{
    json_t *list = harness_json_loads(files, NULL), *wanted = harness_json_name(name);
    char sum[17] = "";
    int found = 0;
    if (hash) snprintf(sum, sizeof sum, "%016" PRIx64, *hash);
    for (size_t i = 0; i < json_array_size(list) && !found; i++) {
        const json_t *j = json_array_get(list, i);
        found = json_equal(json_object_get(j, "name"), wanted) && (!hash || says(j, "xxh3", sum));
    }
    json_decref(wanted);
    json_decref(list);
    return found;
}
