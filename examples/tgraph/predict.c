/* SPDX-License-Identifier: MIT */
/* Scores of the configurations of a file, in file order, or the order that the contest asks for. */
#define _GNU_SOURCE /* strtok_r */
#include "examples/tgraph/predict.h"
#include "examples/tgraph/runs.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

/* ---- the contest's name of a file --------------------------------------------------------------
 */

enum { MOST_PARTS = 64 };

static int is_one_of(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

char *tgraph_contest_id(const char *path, int tile)
{
    char *copy = harness_copy(path), *part[MOST_PARTS], *rest = NULL, *id = NULL;
    int n = 0;
    for (char *p = strtok_r(copy, "/", &rest); p; p = strtok_r(NULL, "/", &rest)) {
        if (n == MOST_PARTS) memmove(part, part + 1, (size_t)--n * sizeof *part);
        part[n++] = p;
    }
    char *name = n ? part[n - 1] : copy;
    const size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".npz") == 0) name[length - 4] = 0;
    for (int i = n - 2; i >= 0 && !id; i--) {
        if (tile && strcmp(part[i], "tile") == 0 && i + 1 < n - 1)
            id = harness_text("tile:%s:%s", part[i + 1], name);
        if (!tile && strcmp(part[i], "layout") == 0 && i + 2 < n - 1 &&
            is_one_of(part[i + 1], "xla", "nlp") && is_one_of(part[i + 2], "default", "random"))
            id = harness_text("layout:%s:%s:%s", part[i + 1], part[i + 2], name);
    }
    if (!id) id = tile ? harness_text("tile:xla:%s", name) : harness_text("layout:%s", name);
    harness_free(copy);
    return id;
}

/* ---- output ------------------------------------------------------------------------------------
 */

typedef struct output {
    const tgraph_results *results;
    int contest;
    ag_failure *why;
} output;

static ag_status write_order(FILE *to, const tgraph_file_result *f, int tile, ag_failure *why)
{
    const int n = f->entry->items, shown = tile && n > 5 ? 5 : n;
    int64_t *order = harness_alloc((size_t)n * sizeof *order);
    char *id = tgraph_contest_id(f->entry->path, tile);
    if (!harness_order(order, f->score, n, why)) {
        harness_show_on_terminal(to, id);
        fputc(',', to);
        for (int i = 0; i < shown; i++) fprintf(to, "%s%" PRId64, i ? ";" : "", order[i]);
        fputc('\n', to);
    }
    harness_free(id);
    harness_free(order);
    return why->status;
}

static ag_status write_all(FILE *to, void *context)
{
    const output *o = context;
    const tgraph_results *r = o->results;
    fputs(o->contest ? "ID,TopConfigs\n" : "config,score\n", to);
    for (int i = 0; i < r->count && !o->why->status; i++) {
        const tgraph_file_result *f = &r->file[i];
        if (o->contest) write_order(to, f, r->tile, o->why);
        for (int c = 0; !o->contest && c < f->entry->items; c++)
            fprintf(to, "%d,%.9g\n", c, f->score[c]);
    }
    return o->why->status;
}

static ag_status print_json(const tgraph_results *r, ag_failure *why)
{
    json_t *list = json_array();
    for (int i = 0; i < r->count; i++) {
        const tgraph_file_result *f = &r->file[i];
        json_t *j = json_object(), *scores = json_array();
        char *id = tgraph_contest_id(f->entry->path, r->tile);
        for (int c = 0; c < f->entry->items; c++)
            json_array_append_new(scores, json_real(f->score[c]));
        json_object_set_new(j, "file", harness_json_name(f->entry->path));
        json_object_set_new(j, "id", harness_json_name(id));
        json_object_set_new(j, "scores", scores);
        json_array_append_new(list, j);
        harness_free(id);
    }
    return harness_json_print(list, why);
}

static ag_status check_finite(const tgraph_results *r, ag_failure *why)
{
    for (int i = 0; i < r->count; i++)
        for (int c = 0; c < r->file[i].entry->items; c++)
            if (!(r->file[i].score[c] - r->file[i].score[c] == 0))
                return ag_fail(why, AG_EFINITE,
                               "%.200s: the score of configuration %d is %g; the run is of no use, "
                               "choose another checkpoint",
                               r->file[i].entry->path, c, r->file[i].score[c]);
    return AG_OK;
}

static ag_status show(const tgraph_results *r, const tgraph_settings *s, ag_failure *why)
{
    output o = {r, s->format == TGRAPH_FORMAT_CONTEST, why};
    if (check_finite(r, why) || (s->csv && harness_write(s->csv, write_all, &o, why)))
        return why->status;
    if (s->common.json) return print_json(r, why);
    return s->csv ? AG_OK : write_all(stdout, &o);
}

/* ---- the command -------------------------------------------------------------------------------
 */

static ag_status open_files(tgraph_set *set, const tgraph_settings *s, ag_failure *why)
{
    tgraph_data_options options = tgraph_settings_data(s, set->tile);
    options.dedup = TGRAPH_KEEP_ALL;
    if (s->format == TGRAPH_FORMAT_SCORES && !s->common.json && set->paths.count > 1)
        return ag_fail(why, AG_EUSE,
                       "--data names %d files, but a table of config,score holds one; call predict "
                       "for each, or take --format contest or --json",
                       set->paths.count);
    for (int i = 0; i < set->paths.count && !why->status && !harness_interrupted(); i++) {
        tgraph_entry *e = tgraph_set_open(set, set->paths.path[i], &options, why);
        if (e) e->score = 1;
    }
    return why->status;
}

/* JSON has one form; --format says what --csv and stdout hold otherwise. */
static ag_status check_output(const tgraph_settings *s, ag_failure *why)
{
    if (s->format == TGRAPH_FORMAT_CONTEST && s->common.json && !s->csv)
        return ag_fail(why, AG_EUSE,
                       "--format contest would change nothing of what --json prints; leave one of "
                       "them away, or name a file for the contest's form by --csv");
    return tpugraphs_check_output(s->csv, &s->common.data, s->common.run, &s->ensemble, why);
}

ag_status tgraph_predict_command(harness_call *call, ag_failure *why)
{
    const tgraph_settings *s = call->values;
    tgraph_runs runs = {0};
    tgraph_set set = {0};
    tgraph_results results = {0};
    if (!tgraph_runs_open(&runs, s, why) && !check_output(s, why) &&
        !tgraph_set_paths(&set, s, why) && !tgraph_runs_check(&runs, s, set.tile, why) &&
        !open_files(&set, s, why)) {
        tgraph_results_open(&results, &set, s->tau);
        if (!tgraph_runs_score(&runs, s, &set, &results, why) && !harness_interrupted())
            show(&results, s, why);
    }
    tgraph_results_close(&results);
    tgraph_set_close(&set);
    tgraph_runs_close(&runs);
    return why->status;
}
