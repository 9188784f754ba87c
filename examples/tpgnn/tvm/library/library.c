/* SPDX-License-Identifier: MIT */
/* The library for tuners: handles, errors, predictions. */
#define _GNU_SOURCE
#include "examples/tpgnn/tvm/library/handle.h"

#include <math.h>
#include <string.h>

/* ---- errors ---- */

static _Thread_local char last_sentence[sizeof((ag_failure *)0)->sentence];

int augur_tpgnn_version(void) { return AUGUR_TPGNN_VERSION; }
const char *augur_tpgnn_error(void) { return last_sentence; }

int tpgnn_library_failed(const ag_failure *why)
{
    memcpy(last_sentence, why->sentence, sizeof last_sentence);
    switch (why->status) {
    case AG_OK: return 0;
    case AG_EFILE: return AUGUR_TPGNN_EFILE;
    case AG_EDATA:
    case AG_ESHAPE:
    case AG_EINDEX: return AUGUR_TPGNN_EDATA;
    case AG_EMEMORY: return AUGUR_TPGNN_EMEMORY;
    case AG_EFINITE: return AUGUR_TPGNN_EFINITE;
    default: return AUGUR_TPGNN_EUSE;
    }
}

/* ---- the caller's floating point ---- */

void tpgnn_library_enter(fenv_t *caller)
{
    fegetenv(caller);
    fesetenv(FE_DFL_ENV);
}

/* ---- handles ---- */

/* Waiting updates take precedence over later predictions; otherwise threads that never stop
   predicting would keep them waiting for ever. */
static void make_lock(pthread_rwlock_t *lock)
{
    pthread_rwlockattr_t how;
    pthread_rwlockattr_init(&how);
#ifdef __GLIBC__
    pthread_rwlockattr_setkind_np(&how, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
    pthread_rwlock_init(lock, &how);
    pthread_rwlockattr_destroy(&how);
}

augur_tpgnn *augur_tpgnn_open(const char *path, int threads)
{
    ag_failure why = {0};
    augur_tpgnn *m = NULL;
    if (!path || threads < 0 || threads > 1024)
        ag_fail(&why, AG_EUSE,
                "augur_tpgnn_open: give the path of a checkpoint or of a run folder, and 0 to 1024 "
                "threads, not %s and %d",
                path ? "that path" : "NULL", threads);
    else
        m = tpgnn_library_take(1, sizeof *m, "augur_tpgnn_open", &why);
    if (m) {
        make_lock(&m->parameters);
        fenv_t caller;
        tpgnn_library_enter(&caller);
        tpgnn_stored_open(&m->stored, path, &why);
        fesetenv(&caller);
    }
    if (why.status) {
        tpgnn_library_failed(&why);
        augur_tpgnn_close(m);
        return NULL;
    }
    m->seen.given = &m->stored.vocabulary;
    ag_set_threads(threads);
    return m;
}

const char *augur_tpgnn_name(const augur_tpgnn *m)
{
    return m ? tpgnn_model_name(&m->stored.model.options) : NULL;
}

void augur_tpgnn_close(augur_tpgnn *m)
{
    if (!m) return;
    for (int i = 0; i < TPGNN_TAPES; i++) ag_tape_free(m->tapes[i]);
    tpgnn_data_free(&m->seen);
    tpgnn_stored_free(&m->stored);
    pthread_rwlock_destroy(&m->parameters);
    ag_free(m);
}

int augur_tpgnn_save(augur_tpgnn *m, const char *path)
{
    ag_failure why = {0};
    if (!m || !path) {
        ag_fail(&why, AG_EUSE, "augur_tpgnn_save: %s is NULL, but a handle and a path are needed",
                m ? "the path" : "the handle");
        return tpgnn_library_failed(&why);
    }
    pthread_rwlock_rdlock(&m->parameters);
    tpgnn_stored_save(&m->stored, path, &why);
    pthread_rwlock_unlock(&m->parameters);
    return why.status ? tpgnn_library_failed(&why) : 0;
}

/* ---- tapes ---- */

ag_tape *tpgnn_tapes_take(tpgnn_tapes tapes)
{
    for (int i = 0; i < TPGNN_TAPES; i++) {
        ag_tape *tape = atomic_exchange(&tapes[i], NULL);
        if (tape) return tape;
    }
    return ag_tape_new(AG_CPU);
}

void tpgnn_tapes_give(tpgnn_tapes tapes, ag_tape *tape)
{
    for (int i = 0; i < TPGNN_TAPES; i++) {
        ag_tape *none = NULL;
        if (atomic_compare_exchange_strong(&tapes[i], &none, tape)) return;
    }
    ag_tape_free(tape);
}

/* ---- predictions ---- */

ag_status tpgnn_library_arrays(tpgnn_arrays *to, const augur_tpgnn_graphs *g, const char *name,
                               ag_failure *why)
{
    if (!g || g->graphs < 0 || g->graphs > INT32_MAX / 8 || g->nodes < 0 || g->kinds_bytes < 0)
        return ag_fail(
            why, AG_EUSE,
            "%s: %s; give graphs with 0 to %d of them, and nodes and bytes of kinds that "
            "are not negative",
            name, g ? "a count is out of range" : "the graphs are NULL", INT32_MAX / 8);
    to->schedules = (int)g->graphs;
    if (!g->offset || !g->kinds || !g->kind || !g->children || !g->value || !g->refers)
        return ag_fail(why, AG_EUSE,
                       "%s: an array of the graphs is NULL; kinds, kind, children, value, refers "
                       "and offset are all needed",
                       name);
    const int64_t cut = g->kinds_bytes && g->kinds[g->kinds_bytes - 1] == '\n';
    *to = (tpgnn_arrays){.name = name,
                         .kinds = g->kinds,
                         .kinds_bytes = g->kinds_bytes - cut,
                         .nodes = g->nodes,
                         .schedules = (int)g->graphs,
                         .kind = g->kind,
                         .children = g->children,
                         .refers = g->refers,
                         .value = g->value,
                         .offset = g->offset};
    return AG_OK;
}

void *tpgnn_library_take(size_t count, size_t size, const char *name, ag_failure *why)
{
    const size_t bytes = ag_size_mul(count, size);
    void *block = ag_alloc(bytes);
    if (block) return memset(block, 0, bytes);
    ag_fail(why, AG_EMEMORY, "%s: no memory for %zu bytes; free some and call again", name, bytes);
    return NULL;
}

/* score: minus the cost, since TVM takes the largest. A batch has one graph, since a product of
   more rows may have other bits. */
static ag_status score_one(const tpgnn_model *model, ag_tape *tape, tpgnn_batch *batch,
                           double *score, const tpgnn_data *data, int i, ag_failure *bad,
                           ag_failure *why)
{
    const tpgnn_batch_options options = tpgnn_model_batch(model);
    const tpgnn_schedule *schedule = &data->schedule[i];
    if (tpgnn_batch_fill(batch, data, &schedule, 1, &options, why)) return why->status;
    ag_tape_reset(tape);
    ag_tensor *y = tpgnn_forward(model, tape, batch);
    ag_forward(y);
    const ag_real *cost = ag_values(y);
    if (!cost) return ag_fail(why, ag_tape_status(tape), "augur_tpgnn_predict: %s", ag_error(tape));
    *score = isfinite((double)*cost) ? -(double)*cost : -(double)INFINITY;
    if (!isfinite(*score))
        ag_fail(bad, AG_EFINITE,
                "augur_tpgnn_predict: the cost of schedule %d is %g; with this checkpoint it "
                "cannot be ranked, choose another one",
                schedule->number, (double)*cost);
    return AG_OK;
}

/* Into the places of the call. */
static ag_status score_all(augur_tpgnn *m, double *score, const tpgnn_data *data, ag_failure *bad,
                           ag_failure *why)
{
    tpgnn_batch batch = {0};
    ag_tape *tape = tpgnn_tapes_take(m->tapes);
    if (!tape)
        return ag_fail(why, AG_EMEMORY, "augur_tpgnn_predict: no memory for a tape; free some");
    pthread_rwlock_rdlock(&m->parameters);
    ag_tape_training(tape, 0);
    for (int i = 0; i < data->schedules; i++)
        if (score_one(&m->stored.model, tape, &batch, &score[data->schedule[i].number], data, i,
                      bad, why))
            break;
    ag_tape_reset(tape);
    ag_tape_training(tape, 1);
    pthread_rwlock_unlock(&m->parameters);
    tpgnn_batch_free(&batch);
    tpgnn_tapes_give(m->tapes, tape);
    return why->status;
}

static ag_status predict(augur_tpgnn *m, const tpgnn_arrays *arrays, double *score, ag_failure *why)
{
    ag_failure bad = {0};
    tpgnn_data data = {.given = &m->stored.vocabulary};
    if (!tpgnn_data_arrays(&data, arrays, &bad, why) && score_all(m, score, &data, &bad, why))
        for (int i = 0; i < arrays->schedules; i++) score[i] = -(double)INFINITY;
    tpgnn_data_free(&data);
    if (!why->status) *why = bad;
    return why->status;
}

int64_t augur_tpgnn_predict(augur_tpgnn *m, const augur_tpgnn_graphs *graphs, double *score)
{
    ag_failure why = {0};
    tpgnn_arrays arrays = {0};
    int64_t unread = 0;
    if (!m || !score)
        ag_fail(&why, AG_EUSE, "augur_tpgnn_predict: %s is NULL, but both are needed",
                m ? "the array of scores" : "the handle");
    tpgnn_library_arrays(&arrays, graphs, "augur_tpgnn_predict", &why);
    for (int i = 0; score && i < arrays.schedules; i++) score[i] = -(double)INFINITY;
    if (why.status) return tpgnn_library_failed(&why);
    if (!arrays.schedules) return 0;
    fenv_t caller;
    tpgnn_library_enter(&caller);
    predict(m, &arrays, score, &why);
    fesetenv(&caller);
    if (why.status) tpgnn_library_failed(&why);
    if (why.status == AG_EMEMORY) return AUGUR_TPGNN_EMEMORY;
    for (int i = 0; i < arrays.schedules; i++) unread += !isfinite(score[i]);
    return unread;
}
