/* SPDX-License-Identifier: MIT */
/* Trained networks and their scores. */
#include "examples/harness/model/outputs.h"
#include "core/error.h"
#include "examples/harness/model/trained.h"
#include "examples/harness/files/files.h"
#include "examples/harness/files/shipped.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The path of a run's best (or last) checkpoint; one that was interrupted early has no best one. */
static const char *checkpoint_of(const char *folder, bool last)
{
    const char *best = harness_format("%s/" HARNESS_BEST, folder),
               *other = harness_format("%s/" HARNESS_LAST, folder);
    if (last) return other;
    if (access(best, F_OK) == 0 || access(other, F_OK) != 0) return best;
    harness_warn("%s has no " HARNESS_BEST " yet; " HARNESS_LAST " is taken", folder);
    return other;
}

const char *harness_checkpoint_at(const char *name, ag_failure *why)
{
    struct stat is;
    if (!stat(name, &is)) return S_ISDIR(is.st_mode) ? checkpoint_of(name, false) : name;
    if (strchr(name, '/')) return name;
    ag_failure mine = {0};
    const char *folder = harness_shipped_path(name, &mine);
    if (folder) return checkpoint_of(folder, false);
    ag_fail(why, mine.status, "there is no file or folder %.60s, and %s", name, mine.sentence);
    return NULL;
}

static ag_status open_run(harness_runs *runs, const char *folder, bool last, ag_failure *why)
{
    const char *path = checkpoint_of(folder, last);
    if (last && access(path, F_OK) && !access(checkpoint_of(folder, false), F_OK))
        return ag_fail(why, AG_EUSE,
                       "%.200s has only " HARNESS_BEST ", as models that ship do; omit "
                       "--checkpoint last",
                       folder);
    harness_trained *t = &runs->run[runs->count++];
    if (harness_trained_load(t, runs->model, path, why)) return why->status;
    return ag_params_to(t->params, ag_tape_device(runs->tape), why);
}

ag_status harness_runs_open(harness_runs *runs, const harness_model *model,
                            const harness_settings *s, ag_failure *why)
{
    runs->model = model;
    runs->tape = harness_tape_new(&s->common, why);
    if (!runs->tape) return why->status;
    runs->run = HARNESS_NEW(runs->run, 1 + (size_t)s->ensemble.count);
    for (int i = -1; i < s->ensemble.count && !why->status; i++)
        open_run(runs, i < 0 ? s->common.run : s->ensemble.list[i], s->checkpoint, why);
    return why->status;
}

void harness_runs_close(harness_runs *runs)
{
    for (int i = 0; i < runs->count; i++) harness_trained_drop(&runs->run[i]);
    harness_free(runs->run);
    ag_tape_free(runs->tape);
    *runs = (harness_runs){0};
}

/* Reads the files that the run was trained on; fails when they are others now. */
static ag_status read_trained(const harness_fit *fit, const harness_runs *runs, const char *folder,
                              ag_failure *why)
{
    harness_options *o = harness_options_new(runs->model->program, HARNESS_TRAIN, NULL);
    const harness_settings *trained = harness_options_values(o);
    if (!harness_run_read_config(folder, o, 1, why))
        fit->read(fit->data, &trained->common.data, NULL, why);
    harness_options_free(o);
    if (why->status) return why->status;
    char *now = fit->json(fit->data);
    if (strcmp(now, runs->run[0].data) != 0) ag_fail(why, AG_EDATA, "other files");
    harness_free(now);
    return why->status;
}

ag_status harness_fit_read(const harness_fit *fit, const harness_runs *runs,
                           const harness_settings *s, ag_failure *why)
{
    ag_failure mine = {0};
    if (s->fit.count) return fit->read(fit->data, &s->fit, "fit", why);
    if (!read_trained(fit, runs, s->common.run, &mine)) return AG_OK;
    if (mine.status == AG_EMEMORY || mine.status == AG_ESTOPPED)
        return ag_fail(why, mine.status, "%s", mine.sentence);
    harness_warn("there are no baselines, since the files that %s was trained on are not there as "
                 "they were: name them with --fit, or take --no-baselines",
                 s->common.run);
    fit->drop(fit->data);
    return AG_OK;
}

void harness_runs_warn_trained(const harness_runs *runs, char *const *path, int count)
{
    harness_files trained = {0};
    for (int i = 0; i < runs->count; i++)
        harness_files_recall(&trained, runs->run[i].configuration);
    harness_files_warn_trained("data", path, count, trained.path, trained.count);
    harness_files_free(&trained);
}

ag_status harness_runs_score(const harness_runs *runs, void *results, const harness_settings *s,
                             ag_failure *why)
{
    const harness_scoring how = {
        .tape = runs->tape, .settings = s, .models = runs->count, .outputs = runs->outputs};
    for (int i = 0; i < runs->count && harness_go_on(why); i++)
        if (!runs->model->add(results, &runs->run[i], &how, why) && runs->outputs)
            harness_outputs_end_run(runs->outputs, i, why);
    return why->status;
}
