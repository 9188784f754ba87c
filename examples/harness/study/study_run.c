/* SPDX-License-Identifier: MIT */
/* Trains the variants of a study, and the command `ablate`. */
#define _GNU_SOURCE
#include "examples/harness/study/study_internal.h"

#include "core/io/io.h"
#include "examples/harness/model/trained.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

/* Reads the result of a finished run, which must have been made with the same options. */
static ag_status load_result(const char *path, const json_t *options, json_t *result,
                             ag_failure *why)
{
    json_t *read = harness__load_json(path, why);
    if (read && !json_equal(json_object_get(read, "options"), options))
        ag_fail(why, AG_EUSE,
                "%.200s was made with other options than the study asks for now; choose another "
                "--out, or delete that folder",
                ag_path_tail(path));
    json_object_update(result, read);
    json_decref(read);
    return why->status;
}

/* A run that was begun goes on, so its options must be those of the study now. */
static ag_status check_begun(const char *folder, const harness_options *now, ag_failure *why)
{
    harness_options *o = harness_options_new(now->program, HARNESS_TRAIN, NULL);
    if (!harness_run_read_config(folder, o, 1, why)) {
        const harness_option *differs = harness_options_differ(o, now, false);
        if (differs)
            ag_fail(why, AG_EUSE,
                    "the run that was begun in %.200s had another --%s; delete that folder, or "
                    "choose another --out",
                    folder, differs->name);
    }
    harness_options_free(o);
    return why->status;
}

/* A variant's --init can be read. */
static ag_status check_initial(const harness_variant *v, const harness_session *s, ag_failure *why)
{
    ag_failure mine = {0};
    harness_trained from = {0};
    if (s->model && harness__initial_load(&from, s, &mine))
        ag_fail(why, mine.status, "%s: --init: %s", v->name, mine.sentence);
    harness_trained_drop(&from);
    return why->status;
}

/* Trains into OUT/VARIANT/seed-N. A run whose loss was not finite has no scores, and another
   failure ends the study. */
static ag_status train(const study_outcome *x, const harness_variant *v, harness_session *s,
                       bool started, json_t *result, ag_failure *why)
{
    const long long seed = s->settings->common.seed;
    ag_failure mine = {0};
    harness_say("study: %s, seed %lld", v->name, seed);
    if (harness__make_inner(harness_format("%s/%s", x->out, v->folder), why) ||
        harness__make_inner(s->folder, why))
        return why->status;
    harness_train(s, started ? HARNESS_RESUME : HARNESS_NEW, result, &mine);
    if (mine.status == AG_EFINITE) {
        harness_warn("%s, seed %lld: %s", v->name, seed, mine.sentence);
        json_object_clear(result);
    } else if (mine.status) {
        ag_fail(why, mine.status, "%s, seed %lld: %s", v->name, seed, mine.sentence);
    }
    return why->status;
}

/* trains false: results and runs of an earlier call are refused, before anything is trained. */
static ag_status do_one(const study_outcome *x, int lock, bool trains, int variant, int seed,
                        ag_failure *why)
{
    const harness_variant *v = &x->study->variants[variant];
    const char *folder = harness__study_path(x, variant, seed, ""),
               *path = harness_format("%s/result.json", folder);
    const bool started = access(harness_format("%s/" HARNESS_CONFIG, folder), F_OK) == 0;
    json_t *result = x->result[variant * x->seeds + seed], *options = NULL;
    harness_options *o = harness_options_copy(x->call->options);
    harness_session s = {.model = x->call->program->model,
                         .settings = harness_options_values(o),
                         .options = o,
                         .folder = folder,
                         .command_line = x->call->command_line,
                         .compares = true};
    if (!harness__folder_stays(lock, x->out, why) &&
        !harness_study_options(o, x->study, v, x->study->seeds[seed], why)) {
        options = harness_options_json(o); /* before they are settled for the data */
        if (access(path, F_OK) == 0)
            load_result(path, options, result, why);
        else if (started && !trains)
            check_begun(folder, o, why);
        else if (!trains)
            check_initial(v, &s, why);
        else if (!train(x, v, &s, started, result, why) &&
                 !harness__folder_stays(lock, x->out, why)) {
            json_object_set(result, "options", options);
            harness__save_json(path, json_incref(result), why);
        }
    }
    json_decref(options);
    harness_options_free(o);
    return why->status;
}

static ag_status do_all(const study_outcome *x, int lock, bool trains, ag_failure *why)
{
    for (int k = 0; k < x->seeds; k++) /* the first full comparison comes early */
        for (int v = 0; v < x->variants && harness_go_on(why); v++)
            do_one(x, lock, trains, v, k, why);
    return why->status;
}

/* Makes the folder, locks it and removes unfinished files of a killed study. plots/ is made now, so
   that a link in its place is found before hours of training. */
static ag_status open_folder(int *lock, const char *out, ag_failure *why)
{
    static const char *const files[] = {"study.html", "study.tex", "study.csv", "study.json"};
    if (harness__make_folder(out, why) || harness__check_writable(out, why) ||
        harness__lock_folder(lock, out, why))
        return why->status;
    for (int i = 0; i < 4; i++) ag_remove_leftovers(*lock, files[i]);
    return harness__make_inner(harness_format("%s/plots", out), why);
}

harness_table *harness_study_run(const harness_study *s, const harness_call *call, json_t **json,
                                 ag_failure *why)
{
    study_outcome x = {.study = s,
                       .call = call,
                       .out = ((const harness_settings *)call->values)->common.out,
                       .variants = bag_count(s->variants),
                       .seeds = bag_count(s->seeds)};
    const int runs = x.variants * x.seeds;
    int lock = -1;
    harness_table *table = NULL;
    x.result = HARNESS_NEW(x.result, runs);
    for (int i = 0; i < runs; i++) x.result[i] = json_object();
    if (!open_folder(&lock, x.out, why) && !do_all(&x, lock, false, why) &&
        !do_all(&x, lock, true, why) && !harness__folder_stays(lock, x.out, why))
        table = harness__study_write(&x, json, why);
    harness__unlock_folder(&lock);
    for (int i = 0; i < runs; i++) json_decref(x.result[i]);
    harness_free(x.result);
    return table;
}

/* ---- the command `ablate` ---- */

static void print(const harness_study *s, const harness_table *table)
{
    if (*s->title) {
        harness_show(stdout, s->title);
        putchar('\n');
    }
    harness_table_print(stdout, table);
    if (bag_count(s->variants) == 1 || bag_count(s->seeds) == 1) return;
    fputs("difference: to ", stdout);
    harness_show(stdout, s->variants[0].name);
    puts(", paired by seed and group; low, high: its 95 % interval; p: Student's t");
}

ag_status harness_ablate_command(harness_call *call, ag_failure *why)
{
    const harness_settings *s = call->values;
    harness_study study = {0};
    harness_table *table = NULL;
    json_t *json = NULL;
    if (!harness_study_load(&study, s->common.study, call->options, why) &&
        !harness_study_act(&study, call->options, harness_model_files(call->program->model, s),
                           why))
        table = harness_study_run(&study, call, &json, why);
    if (table && s->common.json)
        harness_json_print(json_incref(json), why);
    else if (table)
        print(&study, table);
    if (table) harness_say("the study is in %s; open %s/study.html", s->common.out, s->common.out);
    json_decref(json);
    harness_table_free(table);
    harness_study_free(&study);
    return why->status;
}
