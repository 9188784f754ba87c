/* SPDX-License-Identifier: MIT */
/* Trains the variants of a study, and the command `ablate`. */
#define _GNU_SOURCE
#include "examples/harness/study/study_internal.h"

#include "core/error.h"
#include "core/io/io.h"
#include "examples/harness/model/trained.h"

#include <fcntl.h>
#include <jansson.h>
#include <sys/file.h>
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
static ag_status train(const harness_variant *v, harness_session *s, harness_run_mode mode,
                       json_t *result, ag_failure *why)
{
    const long long seed = s->settings->common.seed;
    ag_failure mine = {0};
    harness_say("study: %s, seed %lld", v->name, seed);
    if (harness__make_inner(s->folder, why)) return why->status;
    harness_train(s, mode, result, &mine);
    if (mine.status == AG_EFINITE) {
        harness_warn("%s, seed %lld: %s", v->name, seed, mine.sentence);
        json_object_clear(result);
    } else if (mine.status) {
        ag_fail(why, mine.status, "%s, seed %lld: %s", v->name, seed, mine.sentence);
    }
    return why->status;
}

/* begun: a call that was killed has its lock's file there. What it left without a config.json is
   replaced. */
static harness_run_mode mode_of(const char *folder, bool begun)
{
    if (access(harness_format("%s/" HARNESS_CONFIG, folder), F_OK) == 0) return HARNESS_RESUME;
    return begun ? HARNESS_FORCE : HARNESS_NEW;
}

/* Removes the lock's file, unless the folder of that name is somebody else's now. */
static void release(const study_outcome *x, int *lock, const char *name)
{
    ag_failure gone = {0};
    if (*lock >= 0 && !harness__folder_stays(x->folder, x->out, &gone)) unlink(name);
    harness__unlock(lock);
}

/* A call that was killed after it wrote the result left the lock's file. */
static void tidy(const study_outcome *x, const char *name)
{
    int lock;
    ag_failure none = {0};
    if (access(name, F_OK) == 0 && !harness__lock_file(&lock, name, LOCK_EX | LOCK_NB, &none))
        release(x, &lock, name);
}

/* Trains a run, unless another call does. It has a lock of its own, which ends with the call,
   however that ends; only a call that was killed leaves the lock's file. Whoever gets a lock
   looks for a result first. NFS sees the files of others when a folder is opened. */
static ag_status take(const study_outcome *x, const harness_variant *v, harness_session *s,
                      const char *path, json_t *options, json_t *result, ag_failure *why)
{
    int lock;
    const char *name = harness_format("%s.lock", s->folder);
    if (harness__make_inner(harness_format("%s/%s", x->out, v->folder), why)) return why->status;
    const bool begun = access(name, F_OK) == 0;
    if (harness__lock_file(&lock, name, LOCK_EX | LOCK_NB, why) || lock < 0) return why->status;
    const int seen = open(s->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (seen >= 0) close(seen);
    const harness_run_mode mode = mode_of(s->folder, begun);
    if (access(path, F_OK) == 0) {
        load_result(path, options, result, why);
    } else if (!(mode == HARNESS_RESUME && check_begun(s->folder, s->options, why)) &&
               !train(v, s, mode, result, why) && !harness__folder_stays(x->folder, x->out, why)) {
        json_object_set(result, "options", options);
        harness__save_json(path, json_incref(result), why);
    }
    release(x, &lock, name);
    return why->status;
}

/* The work on each run: read results; refuse those of other options, and runs that were begun with
   other options or cannot begin; train. */
typedef enum task { READ, CHECK, TRAIN } task;

static ag_status do_one(const study_outcome *x, task what, int variant, int seed, ag_failure *why)
{
    const harness_variant *v = &x->study->variants[variant];
    const char *folder = harness__study_path(x, variant, seed, ""),
               *path = harness_format("%s/result.json", folder);
    json_t *result = x->result[variant * x->seeds + seed], *options = NULL;
    harness_options *o = harness_options_copy(x->call->options);
    harness_session s = {.model = x->call->program->model,
                         .settings = harness_options_values(o),
                         .options = o,
                         .folder = folder,
                         .command_line = x->call->command_line,
                         .compares = true};
    if (!harness__folder_stays(x->folder, x->out, why) &&
        !harness_study_options(o, x->study, v, x->study->seeds[seed], why)) {
        options = harness_options_json(o); /* before they are settled for the data */
        if (access(path, F_OK) == 0) {
            tidy(x, harness_format("%s.lock", folder));
            load_result(path, options, result, why);
        } else if (what == TRAIN) {
            take(x, v, &s, path, options, result, why);
        } else if (what == CHECK && mode_of(folder, false) == HARNESS_RESUME) {
            check_begun(folder, o, why);
        } else if (what == CHECK) {
            check_initial(v, &s, why);
        }
    }
    json_decref(options);
    harness_options_free(o);
    return why->status;
}

static ag_status do_all(const study_outcome *x, task what, ag_failure *why)
{
    for (int k = 0; k < x->seeds; k++) /* the first full comparison comes early */
        for (int v = 0; v < x->variants && harness_go_on(why); v++)
            if (harness__study_lacks(x, v, k) && (what != TRAIN || harness__study_mine(x, v, k)))
                do_one(x, what, v, k, why);
    return why->status;
}

/* Makes the folder, keeps out programs that are not studies, and removes unfinished files of a
   killed study. plots/ is made now, so that a link in its place is found before hours of training.
 */
static ag_status open_folder(study_outcome *x, bool makes, ag_failure *why)
{
    static const char *const files[] = {"study.html", "study.tex", "study.csv", "study.json"};
    if ((makes && harness__make_folder(x->out, why)) || harness__check_writable(x->out, why) ||
        harness__lock_folder(&x->folder, x->out, LOCK_SH | LOCK_NB, why))
        return why->status;
    for (int i = 0; i < 4; i++) ag_remove_leftovers(x->folder, files[i]);
    return harness__make_inner(harness_format("%s/plots", x->out), why);
}

/* Reads what other calls have finished meanwhile, and writes the tables, one call at a time: none
   replaces a later one. */
static harness_table *conclude(study_outcome *x, bool collects, json_t **json, ag_failure *why)
{
    int lock = -1, lacking = 0, taken = 0;
    const int runs = x->variants * x->seeds;
    harness_table *table = NULL;
    const char *name = harness_format("%s/study.lock", x->out);
    if (!harness__lock_file(&lock, name, LOCK_EX, why)) do_all(x, READ, why);
    for (int i = 0; i < runs; i++) {
        if (!harness__study_lacks(x, i / x->seeds, i % x->seeds)) continue;
        lacking++;
        taken += harness__study_mine(x, i / x->seeds, i % x->seeds);
    }
    if (!why->status && lacking && !collects)
        harness_say("%d of %d runs have no result yet; this call left %d to other calls that train "
                    "them; the same command with --collect makes the table of the runs that have "
                    "one",
                    lacking, runs, taken);
    else if (!why->status && lacking == runs)
        ag_fail(why, AG_EFILE,
                "no run of the study has a result in %.200s yet; train them without --collect",
                ag_path_tail(x->out));
    else if (!why->status && !harness__folder_stays(x->folder, x->out, why))
        table = harness__study_write(x, json, why);
    release(x, &lock, name);
    return table;
}

harness_table *harness_study_run(const harness_study *s, const harness_call *call, json_t **json,
                                 ag_failure *why)
{
    const harness_common *common = &((const harness_settings *)call->values)->common;
    study_outcome x = {.study = s,
                       .call = call,
                       .out = common->out,
                       .folder = -1,
                       .variants = bag_count(s->variants),
                       .seeds = bag_count(s->seeds)};
    const int runs = x.variants * x.seeds;
    const bool trains = !common->collect;
    harness_table *table = NULL;
    x.name = harness_lasting((size_t)x.variants * sizeof *x.name);
    x.result = harness_lasting((size_t)runs * sizeof *x.result);
    for (int v = 0; v < x.variants; v++) x.name[v] = s->variants[v].name;
    for (int i = 0; i < runs; i++) x.result[i] = json_object();
    if (!harness__study_share(&x, why) && !open_folder(&x, trains, why) &&
        (!trains || (!do_all(&x, CHECK, why) && !do_all(&x, TRAIN, why))))
        table = conclude(&x, !trains, json, why);
    harness__unlock(&x.folder);
    for (int i = 0; i < runs; i++) json_decref(x.result[i]);
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
