/* SPDX-License-Identifier: MIT */
/* Trains the variants of a study, and the command `ablate`. */
#define _GNU_SOURCE
#include "examples/harness/study/study_internal.h"

#include "core/io/io.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

typedef struct work {
    study_outcome x;
    int lock; /* of the folder */
} work;

static ag_status save_result(const work *w, const char *path, const harness_options *o,
                             json_t *result, ag_failure *why)
{
    if (harness__folder_stays(w->lock, w->x.call->out, why)) return why->status;
    json_object_set_new(result, "options", harness_options_json(o));
    return harness__save_json(path, json_incref(result), why);
}

/* Reads the result of a finished run, which must have been made with the same options. */
static ag_status load_result(const char *path, const harness_options *o, json_t *result,
                             ag_failure *why)
{
    json_t *read = harness__load_json(path, why), *now;
    if (!read) return why->status;
    now = harness_options_json(o);
    if (!json_equal(json_object_get(read, "options"), now))
        ag_fail(why, AG_EUSE,
                "%.200s was made with other options than the study asks for now; choose another "
                "--out, or delete that folder",
                ag_path_tail(path));
    json_object_update(result, read);
    json_decref(now);
    json_decref(read);
    return why->status;
}

/* A run that was begun goes on, so its options must be those of the study now. */
static ag_status check_begun(const harness_program *program, const char *folder,
                             const harness_options *now, ag_failure *why)
{
    harness_options *o = harness_options_new(program, HARNESS_TRAIN, NULL);
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

/* Makes the folder of the variant and, in it, that of the seed. */
static ag_status make_folders(const work *w, const harness_variant *v, const char *folder,
                              ag_failure *why)
{
    const char *variant = harness_format("%s/%s", w->x.call->out, v->folder);
    return harness__make_inner(variant, why) ? why->status : harness__make_inner(folder, why);
}

/* A run whose loss was not finite has no scores, and another failure ends the study. */
static ag_status train_one(const work *w, const harness_variant *v, const harness_study_job *job,
                           json_t *result, ag_failure *why)
{
    const harness_study_call *call = w->x.call;
    ag_failure mine = {0};
    harness_say("study: %s, seed %" PRId64, v->name, job->seed);
    if (make_folders(w, v, job->folder, why)) return why->status;
    call->train(call->user, job, result, &mine);
    if (mine.status == AG_EFINITE) {
        harness_warn("%s, seed %" PRId64 ": %s", v->name, job->seed, mine.sentence);
        json_object_clear(result);
    } else if (mine.status) {
        ag_fail(why, mine.status, "%s, seed %" PRId64 ": %s", v->name, job->seed, mine.sentence);
    }
    return why->status;
}

/* trains false: results and runs of an earlier call are refused, before anything is trained. */
static ag_status one_run(const work *w, bool trains, const harness_variant *v,
                         harness_study_job *job, json_t *result, ag_failure *why)
{
    const char *path = harness_format("%s/result.json", job->folder);
    job->started = access(harness_format("%s/" HARNESS_CONFIG, job->folder), F_OK) == 0;
    if (access(path, F_OK) == 0)
        load_result(path, job->options, result, why);
    else if (trains && !train_one(w, v, job, result, why))
        save_result(w, path, job->options, result, why);
    else if (!trains && job->started)
        check_begun(w->x.call->base->program, job->folder, job->options, why);
    return why->status;
}

static ag_status do_one(const work *w, bool trains, int variant, int seed, ag_failure *why)
{
    const harness_study_call *call = w->x.call;
    const harness_variant *v = &call->study->variants[variant];
    harness_study_job job = {harness_options_copy(call->base), v->name,
                             harness__study_path(&w->x, variant, seed, ""),
                             call->study->seeds[seed], false};
    if (!harness__folder_stays(w->lock, call->out, why) &&
        !harness_study_options(job.options, call->study, v, job.seed, why))
        one_run(w, trains, v, &job, w->x.result[variant * w->x.seeds + seed], why);
    harness_options_free(job.options);
    return why->status;
}

/* Makes the folder, locks it and removes unfinished files of a killed study. plots/ is made now, so
   that a link in its place is found before hours of training. */
static ag_status open_folder(work *w, ag_failure *why)
{
    static const char *const files[] = {"study.html", "study.tex", "study.csv", "study.json"};
    const char *const out = w->x.call->out;
    if (harness__check_folder(out, why) || harness__make_folder(out, why) ||
        harness__lock_folder(&w->lock, out, why))
        return why->status;
    for (int i = 0; i < 4; i++) ag_remove_leftovers(w->lock, files[i]);
    return harness__make_inner(harness_format("%s/plots", out), why);
}

static ag_status do_all(const work *w, bool trains, ag_failure *why)
{
    for (int k = 0; k < w->x.seeds; k++) /* the first full comparison comes early */
        for (int v = 0; v < w->x.variants && harness_go_on(why); v++) do_one(w, trains, v, k, why);
    return why->status;
}

harness_table *harness_study_run(const harness_study_call *call, json_t **json, ag_failure *why)
{
    work w = {
        {call, bag_count(call->study->variants), bag_count(call->study->seeds), NULL, {NULL}, 0},
        -1};
    const int runs = w.x.variants * w.x.seeds;
    harness_table *table = NULL;
    w.x.result = HARNESS_NEW(w.x.result, runs);
    for (int i = 0; i < runs; i++) w.x.result[i] = json_object();
    if (!open_folder(&w, why) && !do_all(&w, false, why) && !do_all(&w, true, why) &&
        !harness__folder_stays(w.lock, call->out, why))
        table = harness__study_write(&w.x, json, why);
    harness__unlock_folder(&w.lock);
    for (int i = 0; i < runs; i++) json_decref(w.x.result[i]);
    harness_free(w.x.result);
    return table;
}

/* ---- the command `ablate` ---- */

static ag_status train_job(void *user, const harness_study_job *job, json_t *result,
                           ag_failure *why)
{
    const harness_call *call = user;
    harness_options *options = harness_options_copy(job->options);
    harness_session s = {.model = call->program->model,
                         .settings = harness_options_values(options),
                         .options = options,
                         .folder = job->folder,
                         .command_line = call->command_line,
                         .compares = true};
    harness_train(&s, job->started ? HARNESS_RESUME : HARNESS_NEW, result, why);
    harness_options_free(options);
    return why->status;
}

static void print(const harness_study_call *of, const harness_table *table)
{
    const harness_study *s = of->study;
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
    harness_study plan = {0};
    harness_table *table = NULL;
    json_t *json = NULL;
    harness_study_call of = {.study = &plan,
                             .base = call->options,
                             .out = s->common.out,
                             .files = harness_model_files(call->program->model, s),
                             .command_line = call->command_line,
                             .train = train_job,
                             .user = call};
    if (!harness_study_load(&plan, s->common.study, call->options, why) &&
        !harness_study_act(&plan, call->options, of.files, why))
        table = harness_study_run(&of, &json, why);
    if (table && s->common.json)
        harness_json_print(json_incref(json), why);
    else if (table)
        print(&of, table);
    if (table) harness_say("the study is in %s; open %s/study.html", of.out, of.out);
    json_decref(json);
    harness_table_free(table);
    harness_study_free(&plan);
    return why->status;
}
