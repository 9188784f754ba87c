/* SPDX-License-Identifier: MIT */
#include "examples/tgraph/data/set.h"

#include "examples/tgraph/rows/file.h"

#include <string.h>
#include <xxhash.h>

static ag_status check_kinds(tgraph_set *set, ag_failure *why)
{
    for (int i = 0; i < set->paths.count; i++) {
        const int tile = tgraph_is_tile(set->paths.path[i], why);
        if (tile < 0) return why->status;
        if (i == 0) set->tile = tile;
        if (tile != set->tile)
            return ag_fail(why, AG_EUSE,
                           "%.160s is a %s file, but %.160s is a %s file; the two kinds have "
                           "different models: name files of one kind",
                           set->paths.path[0], set->tile ? "tile" : "layout", set->paths.path[i],
                           tile ? "tile" : "layout");
    }
    return AG_OK;
}

ag_status tgraph_set_paths(tgraph_set *set, const tgraph_settings *s, ag_failure *why)
{
    set->budget.limit = (size_t)s->shell.common.ram_limit;
    if (harness_files_read(&set->paths, &s->shell.common.data, "data", why)) return why->status;
    set->given = set->paths.count;
    if (harness_files_read(&set->paths, &s->shell.common.valid, "valid", why)) return why->status;
    set->entry = harness_alloc((size_t)set->paths.count * sizeof *set->entry);
    return check_kinds(set, why);
}

void tgraph_set_room(tgraph_set *set, int more)
{
    const size_t room = (size_t)set->paths.count + (size_t)more;
    harness_free(set->entry);
    set->entry = harness_alloc(room * sizeof *set->entry);
}

static uint64_t hash_file(const tgraph_file *f)
{
    const size_t words = (size_t)f->store.rows * (size_t)f->store.width;
    const uint64_t run = XXH3_64bits(f->runtime, (size_t)f->configs * sizeof *f->runtime);
    return XXH3_64bits_withSeed(f->store.word, words * sizeof *f->store.word, run);
}

static uint64_t hash_tile(const tgraph_tile *t)
{
    const size_t n = (size_t)t->configs;
    const uint64_t run = XXH3_64bits(t->runtime, n * sizeof *t->runtime);
    return XXH3_64bits_withSeed(t->raw, n * TPUGRAPHS_TILE_FEATURES * sizeof *t->raw, run);
}

tgraph_entry *tgraph_set_open(tgraph_set *set, const char *path, const tgraph_data_options *options,
                              ag_failure *why)
{
    tgraph_data_options how = *options;
    tgraph_entry *e = &set->entry[set->count];
    *e = (tgraph_entry){0};
    how.operations = set->rows;
    if (set->tile)
        e->tile = tgraph_tile_open(path, &how, &set->budget, why);
    else
        e->file = tgraph_file_open(path, &how, &set->budget, why);
    if (why->status) return NULL;
    if (set->rows) nests_layout_warn(&set->warned, e->file);
    set->count++;
    e->path = set->tile ? e->tile->path : e->file->path;
    e->name = set->tile ? e->tile->name : e->file->name;
    e->graph = set->tile ? &e->tile->graph : &e->file->graph;
    e->hash = set->tile ? hash_tile(e->tile) : hash_file(e->file);
    e->configs = e->items = set->tile ? e->tile->configs : e->file->configs;
    e->has_runtimes = set->tile ? e->tile->has_runtimes : e->file->has_runtimes;
    return e;
}

void tgraph_entry_close(tgraph_entry *e)
{
    tgraph_program_free(&e->program);
    tgraph_file_close(e->file);
    tgraph_tile_close(e->tile);
    harness_free(e->item);
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
        tgraph_program_new(&set->entry[i].program, set->entry[i].graph, options, why);
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

void tgraph_set_fit(const tgraph_set *set, tgraph_tile_scalers *scalers)
{
    tgraph_file **files = harness_alloc((size_t)set->count * sizeof *files);
    tgraph_tile **tiles = harness_alloc((size_t)set->count * sizeof *tiles);
    int n = 0;
    for (int i = 0; i < set->count; i++)
        if (set->entry[i].train) {
            files[n] = set->entry[i].file;
            tiles[n++] = set->entry[i].tile;
        }
    if (set->tile)
        tgraph_tile_fit(scalers, tiles, n);
    else
        tgraph_scaler_fit(&scalers->node, files, n);
    harness_free(files);
    harness_free(tiles);
}

ag_status tgraph_set_scale(tgraph_set *set, const tgraph_tile_scalers *scalers, ag_failure *why)
{
    for (int i = 0; i < set->count && !why->status; i++)
        if (set->tile)
            tgraph_tile_scale(set->entry[i].tile, scalers, why);
        else
            tgraph_graph_scale(set->entry[i].graph, &scalers->node, why);
    return why->status;
}
