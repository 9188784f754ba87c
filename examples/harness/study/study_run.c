/* SPDX-License-Identifier: MIT */
/* Trains the variants of a study and summarises them. */
#define _GNU_SOURCE
#include "examples/harness/run/run_internal.h"

#include "core/io/io.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

typedef struct work {
    const harness_study *study;
    const harness_options *base;
    const char *out;
    const char *const *metrics;
    int metric_count;
    harness_study_train *train;
    void *user;
    int lock;       /* of the folder */
    double *scores; /* [variant][metric][seed] */
} work;

static double *scores_of(const work *w, int variant, int metric)
{
    return w->scores + (variant * w->metric_count + metric) * bag_count(w->study->seeds);
}

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static ag_status save_result(const work *w, const char *path, const harness_options *o,
                             const double *scores, ag_failure *why)
{
    if (harness__folder_stays(w->lock, w->out, why)) return why->status;
    json_t *result = json_object(), *by_name = json_object();
    for (int m = 0; m < w->metric_count; m++)
        json_object_set_new(by_name, w->metrics[m], number(scores[m]));
    json_object_set_new(result, "scores", by_name);
    json_object_set_new(result, "options", harness_options_json(o));
    return harness__save_json(path, result, why);
}

/* Reads the scores of a finished run, which must have been made with the same options. */
static ag_status load_result(const work *w, const char *path, const harness_options *o,
                             double *scores, ag_failure *why)
{
    json_t *result = harness__load_json(path, why), *now;
    if (!result) return why->status;
    now = harness_options_json(o);
    ag_status status = AG_OK;
    if (!json_equal(json_object_get(result, "options"), now))
        status = ag_fail(
            why, AG_EUSE,
            "%.200s was made with other options than the study asks for now; choose another "
            "--out, or delete that folder",
            ag_path_tail(path));
    for (int m = 0; m < w->metric_count; m++) {
        const json_t *score = json_object_get(json_object_get(result, "scores"), w->metrics[m]);
        scores[m] = json_is_number(score) ? json_number_value(score) : (double)NAN;
    }
    json_decref(now);
    json_decref(result);
    return status;
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
    char *variant = harness_text("%s/%s", w->out, v->folder);
    if (!harness__make_inner(variant, why)) harness__make_inner(folder, why);
    harness_free(variant);
    return why->status;
}

/* A run whose loss was not finite has no scores, and another failure ends the study. */
static ag_status train_one(const work *w, const harness_variant *v, int64_t seed,
                           const char *folder, harness_options *o, bool begun, double *scores,
                           ag_failure *why)
{
    const harness_study_job job = {o, v->name, folder, seed, begun};
    ag_failure mine = {0};
    harness_say("study: %s, seed %" PRId64, v->name, seed);
    if (make_folders(w, v, folder, why)) return why->status;
    w->train(w->user, &job, scores, &mine);
    if (mine.status == AG_EFINITE) {
        harness_warn("%s, seed %" PRId64 ": %s", v->name, seed, mine.sentence);
        for (int m = 0; m < w->metric_count; m++) scores[m] = (double)NAN;
    } else if (mine.status) {
        ag_fail(why, mine.status, "%s, seed %" PRId64 ": %s", v->name, seed, mine.sentence);
    }
    return why->status;
}

/* trains false: results and runs of an earlier call are refused, before anything is trained. */
static ag_status one_run(const work *w, bool trains, const harness_variant *v, int64_t seed,
                         const char *folder, harness_options *o, double *scores, ag_failure *why)
{
    char *result = harness_text("%s/result.json", folder),
         *config = harness_text("%s/" HARNESS_CONFIG, folder);
    const bool begun = access(config, F_OK) == 0;
    if (access(result, F_OK) == 0)
        load_result(w, result, o, scores, why);
    else if (trains && !train_one(w, v, seed, folder, o, begun, scores, why))
        save_result(w, result, o, scores, why);
    else if (!trains && begun)
        check_begun(w->base->program, folder, o, why);
    harness_free(result);
    harness_free(config);
    return why->status;
}

static ag_status do_one(const work *w, bool trains, int variant, int seed, ag_failure *why)
{
    const harness_variant *v = &w->study->variants[variant];
    int64_t number = w->study->seeds[seed];
    harness_options *o = harness_options_copy(w->base, NULL);
    char *folder = harness_text("%s/%s/seed-%" PRId64, w->out, v->folder, number);
    double *scores = harness_alloc((size_t)w->metric_count * sizeof *scores);
    if (!harness__folder_stays(w->lock, w->out, why) &&
        !harness_study_options(o, w->study, v, number, why))
        one_run(w, trains, v, number, folder, o, scores, why);
    for (int m = 0; m < w->metric_count; m++) scores_of(w, variant, m)[seed] = scores[m];
    harness_free(scores);
    harness_free(folder);
    harness_options_free(o);
    return why->status;
}

/* A mean over fewer seeds than asked for is no result of the variant as such. */
static void note_missing(harness_table *t, const harness_variant *v, int64_t runs, int seeds)
{
    if (runs != seeds)
        harness_table_note(t, harness_text("%s: %lld of %d seeds left out of its means, since they "
                                           "have no score",
                                           v->name, (long long)(seeds - runs), seeds));
}

static harness_table *sum_up(const work *w)
{
    const int seeds = bag_count(w->study->seeds);
    harness_table *t = harness_table_new(w->study->title, NULL, 0);
    harness_table_column(t, "variant");
    harness_table_column(t, "runs");
    for (int m = 0; m < w->metric_count; m++) {
        char *spread = harness_text("%s spread", w->metrics[m]);
        harness_table_column(t, w->metrics[m]);
        harness_table_column(t, spread);
        harness_free(spread);
    }
    for (int v = 0; v < bag_count(w->study->variants); v++) {
        int64_t runs = 0;
        double mean, spread;
        harness_mean_spread(&mean, &spread, &runs, scores_of(w, v, 0), seeds);
        harness_table_text(t, w->study->variants[v].name);
        harness_table_count(t, runs);
        note_missing(t, &w->study->variants[v], runs, seeds);
        for (int m = 0; m < w->metric_count; m++) {
            harness_mean_spread(&mean, &spread, &runs, scores_of(w, v, m), seeds);
            harness_table_number(t, mean, 4);
            harness_table_number(t, spread, 4);
        }
    }
    return t;
}

static ag_status print_text(FILE *to, void *t)
{
    harness_table_print(to, t);
    return AG_OK;
}
static ag_status print_csv(FILE *to, void *t)
{
    harness_table_csv(to, t);
    return AG_OK;
}

static ag_status save_table(const work *w, harness_table *t, ag_failure *why)
{
    char *text = harness_text("%s/study.txt", w->out), *csv = harness_text("%s/study.csv", w->out);
    char *json = harness_text("%s/study.json", w->out);
    if (!ag_save_file(text, print_text, t, why) && !ag_save_file(csv, print_csv, t, why))
        harness__save_json(json, harness_table_json(t), why);
    harness_free(text);
    harness_free(csv);
    harness_free(json);
    return why->status;
}

static ag_status plot(const work *w, ag_failure *why)
{
    int variants = bag_count(w->study->variants), seeds = bag_count(w->study->seeds);
    const char **names = NULL;
    double *mean = harness_alloc((size_t)variants * sizeof *mean),
           *spread = harness_alloc((size_t)variants * sizeof *spread);
    int64_t runs;
    for (int v = 0; v < variants; v++) {
        bag_add(names, w->study->variants[v].name);
        harness_mean_spread(&mean[v], &spread[v], &runs, scores_of(w, v, 0), seeds);
    }
    char *label = harness_text("%s, mean and standard deviation of %d seed%s", w->metrics[0], seeds,
                               seeds == 1 ? "" : "s");
    ag_status status = harness_plot_bars(w->out, "study", w->study->title, label, names, mean,
                                         spread, variants, why);
    harness_free(label);
    harness_free(mean);
    harness_free(spread);
    bag_free(names);
    return status;
}

/* Makes the folder, locks it and removes unfinished files of a killed study. plots/ is made now, so
   that a link in its place is found before hours of training. */
static ag_status open_folder(work *w, ag_failure *why)
{
    static const char *const files[] = {"study.txt", "study.csv", "study.json"};
    if (harness__check_folder(w->out, why) || harness__make_folder(w->out, why) ||
        harness__lock_folder(&w->lock, w->out, why))
        return why->status;
    for (int i = 0; i < 3; i++) ag_remove_leftovers(w->lock, files[i]);
    char *plots = harness_text("%s/plots", w->out);
    harness__make_inner(plots, why);
    harness_free(plots);
    return why->status;
}

static ag_status do_all(const work *w, bool trains, ag_failure *why)
{
    for (int k = 0; k < bag_count(w->study->seeds); k++) /* the first full comparison comes early */
        for (int v = 0; v < bag_count(w->study->variants) && harness_go_on(why); v++)
            do_one(w, trains, v, k, why);
    return why->status;
}

harness_table *harness_study_run(const harness_study *s, const harness_options *base,
                                 const char *out, const char *const *metrics, int metric_count,
                                 harness_study_train *train, void *user, ag_failure *why)
{
    work w = {s, base, out, metrics, metric_count, train, user, -1, NULL};
    const size_t runs = (size_t)bag_count(s->variants) * (size_t)bag_count(s->seeds);
    harness_table *table = NULL;
    w.scores = harness_alloc(runs * (size_t)metric_count * sizeof *w.scores);
    if (!open_folder(&w, why) && !do_all(&w, false, why) && !do_all(&w, true, why) &&
        !harness__folder_stays(w.lock, out, why)) {
        table = sum_up(&w);
        harness__note_alike(table, s, out, w.scores, metric_count);
        if (save_table(&w, table, why) || plot(&w, why)) {
            harness_table_free(table);
            table = NULL;
        }
    }
    harness__unlock_folder(&w.lock);
    harness_free(w.scores);
    return table;
}
