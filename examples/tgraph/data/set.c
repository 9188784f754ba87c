/* SPDX-License-Identifier: MIT */
#include "examples/tgraph/data/set.h"

#include <string.h>
#include <xxhash.h>

ag_status tgraph_set_paths(tgraph_set *set, const tgraph_settings *s, ag_failure *why)
{
    set->budget.limit = (size_t)s->shell.common.ram_limit;
    if (harness_files_read(&set->paths, &s->shell.common.data, "data", why)) return why->status;
    set->given = set->paths.count;
    if (harness_files_read(&set->paths, &s->shell.common.valid, "valid", why)) return why->status;
    tgraph_set_room(set);
    return AG_OK;
}

void tgraph_set_room(tgraph_set *set)
{
    set->entry = harness_alloc((size_t)set->paths.count * sizeof *set->entry);
}

static uint64_t hash_file(const tgraph_file *f)
{
    const size_t n = (size_t)f->configs, bytes = (size_t)f->store.width * sizeof *f->store.word;
    const uint64_t run = XXH3_64bits(f->runtime, n * sizeof *f->runtime);
    return XXH3_64bits_withSeed(tgraph_file_words(f, 0), n * bytes, run);
}

tgraph_entry *tgraph_set_open(tgraph_set *set, const char *path, const tgraph_data_options *options,
                              ag_failure *why)
{
    tgraph_data_options how = *options;
    tgraph_entry *e = &set->entry[set->count];
    how.operations = set->rows;
    *e = (tgraph_entry){.file = tgraph_file_open(path, &how, &set->budget, why)};
    if (!e->file) return NULL;
    if (set->rows) tgraph_rows_warn(&set->warned, e->file);
    set->count++;
    e->hash = hash_file(e->file);
    e->items = e->file->configs;
    return e;
}

void tgraph_entry_close(tgraph_entry *e)
{
    tgraph_program_free(&e->program);
    tgraph_file_close(e->file);
    *e = (tgraph_entry){0};
}

void tgraph_set_close(tgraph_set *set)
{
    for (int i = 0; i < set->count; i++) tgraph_entry_close(&set->entry[i]);
    harness_free(set->entry);
    harness_files_free(&set->paths);
    *set = (tgraph_set){0};
}

ag_status tgraph_set_programs(tgraph_set *set, const tgraph_options *options, ag_failure *why)
{
    for (int i = 0; i < set->count && !why->status; i++) {
        tgraph_program_free(&set->entry[i].program);
        tgraph_program_new(&set->entry[i].program, &set->entry[i].file->graph, options, why);
    }
    return why->status;
}

ag_status tgraph_set_fit_rows(const tgraph_set *set, nests_scale *scale, ag_failure *why)
{
    nests_rows scratch = {0};
    for (int i = 0; i < set->count && harness_go_on(why); i++)
        if (set->entry[i].train) tgraph_rows_add(scale, &scratch, set->entry[i].file);
    nests_scale_end(scale);
    nests_layout_drop(&scratch);
    return why->status;
}

void tgraph_set_fit(const tgraph_set *set, tgraph_scaler *scaler)
{
    *scaler = (tgraph_scaler){0};
    for (int i = 0; i < set->count; i++) {
        const tgraph_graph *g = &set->entry[i].file->graph;
        if (set->entry[i].train) tgraph_scaler_add(scaler, g->raw, g->nodes);
    }
    tgraph_scaler_end(scaler);
}

void tgraph_set_scale(tgraph_set *set, const tgraph_scaler *scaler)
{
    for (int i = 0; i < set->count; i++) {
        tgraph_graph *g = &set->entry[i].file->graph;
        tgraph_scaler_apply(scaler, g->feature, g->raw, g->nodes);
    }
}
