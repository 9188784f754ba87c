/* SPDX-License-Identifier: MIT */
/* The models as a library: errors, handles, descriptions, checkpoints. */
#define _GNU_SOURCE /* locale_t, the kind of a lock */
#include "examples/library/handle.h"

#include "examples/harness/rank/rank.h"
#include "examples/nests/program.h"
#include "examples/tgraph/program.h"
#include "examples/tpgnn/program.h"
#include "examples/tpu/program.h"

#include <fenv.h>
#include <jansson.h>
#include <locale.h>
#include <string.h>

static _Thread_local char last_sentence[sizeof((ag_failure *)0)->sentence];

int augur_models_version(void) { return AUGUR_MODELS_VERSION; }
const char *augur_models_error(void) { return last_sentence; }
const char *augur_models_warnings(void) { return harness_guest_warnings(); }

static int code_of(const ag_failure *why)
{
    if (why->status) memcpy(last_sentence, why->sentence, sizeof last_sentence);
    switch (why->status) {
    case AG_OK: return 0;
    case AG_EFILE: return AUGUR_MODELS_EFILE;
    case AG_EDATA:
    case AG_ESHAPE:
    case AG_EINDEX: return AUGUR_MODELS_EDATA;
    case AG_EMEMORY: return AUGUR_MODELS_EMEMORY;
    case AG_EFINITE: return AUGUR_MODELS_EFINITE;
    default: return AUGUR_MODELS_EUSE;
    }
}

/* Numbers in options and metadata have a point, whatever the host's locale. */
int library_call(ag_status (*call)(void *context, ag_failure *why), void (*close)(void *context),
                 void *context, ag_failure *why)
{
    fenv_t caller;
    if (why->status) return code_of(why);
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0),
                   before = plain ? uselocale(plain) : (locale_t)0;
    fegetenv(&caller);
    fesetenv(FE_DFL_ENV);
    harness_guest(call, close, context, why);
    fesetenv(&caller);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    return code_of(why);
}

harness_options *library_options(const harness_trained *t, unsigned command, ag_failure *why)
{
    harness_options *o = harness_options_new(t->model->program, command, NULL);
    json_t *j = harness_json_loads(t->configuration, NULL);
    harness_options_from_json(o, j, t->path, 0, why);
    json_decref(j);
    return o;
}

/* The programs' tables of options never change, so calls share them. */
static const harness_model *model_of(const char *made)
{
    const harness_program *const programs[] = {&tgraph_program_table, &tpu_program_table,
                                               &tpgnn_program_table, &nests_program_table};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const size_t length = strlen(programs[i]->name);
        if (!strncmp(programs[i]->name, made, length) && made[length] == ' ')
            return programs[i]->model;
    }
    return NULL;
}

static json_t *measures_json(harness_rank *rank, json_t *about)
{
    const char *name[HARNESS_MOST_SCORES];
    bool smaller;
    json_t *list = json_array();
    const int n = harness_rank_measures(name, &smaller, rank);
    for (int i = 0; i < n; i++) json_array_append_new(list, json_string(name[i]));
    json_object_set_new(about, "smaller", json_boolean(smaller));
    return list;
}

static ag_status describe(augur_models *m, const char *made, ag_failure *why)
{
    const harness_trained *t = &m->trained;
    const harness_program *of = t->model->program;
    harness_rank rank = {0};
    harness_options *o = library_options(t, HARNESS_PREDICT, why);
    t->model->form(&rank.form, t->net, harness_options_values(o));
    harness_options_free(o);
    json_t *j = json_pack(
        "{ss so ss ss ss sI sI so}", "program", of->name, "version",
        harness_json_name(made + strlen(of->name) + 1), "model", t->model->name(t->net), "group",
        rank.form.groups ? rank.form.groups : rank.form.rows, "items", rank.form.items,
        "parameters", (json_int_t)ag_params_count(t->params), "step", (json_int_t)t->state->step,
        "options", harness_json_loads(t->configuration, NULL));
    json_object_set_new(j, "measures", measures_json(&rank, j));
    m->about = harness_json_text(j);
    return why->status;
}

typedef struct opening {
    augur_models *m;
    const ag_failure *why;
    const char *path;
} opening;

/* "tpgnn 0.1.0" */
static ag_status find_program(char made[128], const char *path, ag_failure *why)
{
    ag_checkpoint *file = ag_checkpoint_open(path, why);
    const char *program = file ? ag_checkpoint_metadata(file, "program") : NULL;
    snprintf(made, 128, "%s", program ? program : "");
    ag_checkpoint_close(file);
    return why->status;
}

static ag_status open_model(void *context, ag_failure *why)
{
    const opening *o = context;
    augur_models *m = o->m;
    char made[128];
    const char *path = harness_checkpoint_at(o->path, why);
    if (!path) return why->status;
    if (find_program(made, path, why)) return why->status;
    const harness_model *model = model_of(made);
    if (!model)
        return ag_fail(why, AG_EDATA,
                       "%.200s is a checkpoint of %.60s; choose one of tgraph, tpu, tpgnn or nests",
                       path, *made ? made : "no program");
    return harness_trained_load(&m->trained, model, path, why) ? why->status
                                                               : describe(m, made, why);
}

/* A failed call frees its own here, before the handle. */
static void drop(augur_models *m)
{
    harness_trained_drop(&m->trained);
    harness_free(m->about);
    m->about = NULL;
}

static void end_opening(void *context)
{
    const opening *o = context;
    if (o->why->status) drop(o->m);
}

/* A waiting update takes precedence over later predictions; otherwise threads that never stop
   predicting would keep it waiting for ever. */
static void make_locks(augur_models *m)
{
    pthread_rwlockattr_t how;
    pthread_rwlockattr_init(&how);
#ifdef __GLIBC__
    pthread_rwlockattr_setkind_np(&how, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
    pthread_rwlock_init(&m->parameters, &how);
    pthread_rwlockattr_destroy(&how);
    pthread_mutex_init(&m->update, NULL);
}

augur_models *augur_models_open(const char *path, int threads)
{
    ag_failure why = {0};
    opening o = {.path = path, .why = &why, .m = ag_alloc(sizeof *o.m)};
    if (!o.m) {
        ag_fail(&why, AG_EMEMORY, "augur_models_open: no memory for a handle; free some");
        return code_of(&why), NULL;
    }
    memset(o.m, 0, sizeof *o.m);
    make_locks(o.m);
    if (!path || threads < 0 || threads > 1024)
        ag_fail(
            &why, AG_EUSE,
            "augur_models_open: give a checkpoint, a run folder or the name of a model that ships, "
            "and 0 to 1024 threads, not %s and %d",
            path ? "that path" : "NULL", threads);
    if (!library_call(open_model, end_opening, &o, &why)) {
        ag_set_threads(threads);
        return o.m;
    }
    augur_models_close(o.m);
    return NULL;
}

const char *augur_models_describe(const augur_models *m) { return m ? m->about : NULL; }

void augur_models_close(augur_models *m)
{
    if (!m) return;
    drop(m);
    pthread_rwlock_destroy(&m->parameters);
    pthread_mutex_destroy(&m->update);
    ag_free(m);
}

typedef struct saving {
    augur_models *m;
    const char *path;
} saving;

static ag_status save(void *context, ag_failure *why)
{
    const saving *s = context;
    return harness_trained_save(s->path, &s->m->trained, 0, why);
}

static void unlock(void *context) { pthread_rwlock_unlock(&((saving *)context)->m->parameters); }

int augur_models_save(augur_models *m, const char *path)
{
    ag_failure why = {0};
    saving s = {m, path};
    if (!m || !path)
        ag_fail(&why, AG_EUSE, "augur_models_save: %s is NULL, but a handle and a path are needed",
                m ? "the path" : "the handle");
    else
        pthread_rwlock_rdlock(&m->parameters);
    return library_call(save, unlock, &s, &why);
}
