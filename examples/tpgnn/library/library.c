/* SPDX-License-Identifier: MIT */
/* The library for tuners: handles, errors, predictions. */
#define _GNU_SOURCE
#include "examples/harness/checkpoint.h"
#include "examples/harness/harness.h"
#include "examples/harness/rescue.h"
#include "examples/tpgnn/library/handle.h"
#include "examples/tpgnn/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { GRAPHS_OF_BATCH = 1, NODES_OF_BATCH = 1 }; /* a product of more rows may have other bits */

/* ---- errors --------------------------------------------------------------------------------- */

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

/* ---- handles -------------------------------------------------------------------------------- */

/* What augur_tpgnn_open reads, within harness_without_exit. */
typedef struct loading {
    augur_tpgnn *m;
    const char *path;
    ag_checkpoint *file;
    ag_failure *why;
} loading;

static void read_checkpoint(void *context)
{
    loading *l = context;
    struct stat what;
    const int folder = !stat(l->path, &what) && S_ISDIR(what.st_mode);
    char *chosen = folder ? harness_checkpoint_choose(l->path, 0) : NULL;
    const char *path = chosen ? chosen : l->path;
    l->file = ag_checkpoint_open(path, l->why);
    if (l->file) tpgnn_checkpoint_take(path, l->file, &l->m->model, &l->m->checkpoint, l->why);
    harness_free(chosen);
}

static ag_status load(augur_tpgnn *m, const char *path, ag_failure *why)
{
    loading l = {m, path, NULL, why};
    ag_failure memory = {0};
    if (harness_without_exit(read_checkpoint, &l, &memory)) {
        m->checkpoint = (tpgnn_checkpoint){0}; /* its parts are freed */
        *why = (ag_failure){0};
        ag_fail(why, memory.status, "augur_tpgnn_open: %s", memory.sentence);
    }
    ag_checkpoint_close(l.file);
    return why->status;
}

/* An update comes before the predictions that ask after it: threads that never stop predicting
   would keep it waiting for ever. */
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
    if (!path || threads < 0 || threads > 1024) {
        ag_fail(&why, AG_EUSE,
                "augur_tpgnn_open: give the path of a checkpoint or of a run folder, and 0 to 1024 "
                "threads, not %s and %d",
                path ? "that path" : "NULL", threads);
        tpgnn_library_failed(&why);
        return NULL;
    }
    augur_tpgnn *m = calloc(1, sizeof *m);
    if (!m) {
        ag_fail(&why, AG_EMEMORY,
                "augur_tpgnn_open: no memory for %zu bytes; free some and call "
                "again",
                sizeof *m);
        tpgnn_library_failed(&why);
        return NULL;
    }
    make_lock(&m->parameters);
    pthread_mutex_init(&m->tapes.lock, NULL);
    if (load(m, path, &why)) {
        tpgnn_library_failed(&why);
        augur_tpgnn_close(m);
        return NULL;
    }
    m->seen.given = &m->checkpoint.vocabulary;
    ag_set_threads(threads);
    return m;
}

void augur_tpgnn_close(augur_tpgnn *m)
{
    if (!m) return;
    tpgnn_tapes_free(&m->tapes);
    tpgnn_data_free(&m->seen);
    tpgnn_model_free(&m->model);
    tpgnn_checkpoint_free(&m->checkpoint);
    harness_free(m->task);
    pthread_mutex_destroy(&m->tapes.lock);
    pthread_rwlock_destroy(&m->parameters);
    free(m);
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
    tpgnn_checkpoint_save(path, &m->model, &m->checkpoint, 0, &why);
    pthread_rwlock_unlock(&m->parameters);
    return why.status ? tpgnn_library_failed(&why) : 0;
}

/* ---- tapes ---------------------------------------------------------------------------------- */

ag_tape *tpgnn_tapes_take(tpgnn_tapes *tapes)
{
    pthread_mutex_lock(&tapes->lock);
    ag_tape *tape = tapes->count ? tapes->tape[--tapes->count] : NULL;
    pthread_mutex_unlock(&tapes->lock);
    return tape ? tape : ag_tape_new(AG_CPU);
}

void tpgnn_tapes_give(tpgnn_tapes *tapes, ag_tape *tape)
{
    pthread_mutex_lock(&tapes->lock);
    if (tapes->count == tapes->room) {
        ag_tape **more = realloc(tapes->tape, ((size_t)tapes->room + 8) * sizeof *more);
        if (more) tapes->tape = more, tapes->room += 8;
    }
    const int kept = tapes->count < tapes->room;
    if (kept) tapes->tape[tapes->count++] = tape;
    pthread_mutex_unlock(&tapes->lock);
    if (!kept) ag_tape_free(tape);
}

void tpgnn_tapes_free(tpgnn_tapes *tapes)
{
    for (int i = 0; i < tapes->count; i++) ag_tape_free(tapes->tape[i]);
    free(tapes->tape);
}

/* ---- predictions ---------------------------------------------------------------------------- */

ag_status tpgnn_library_arrays(tpgnn_arrays *to, const augur_tpgnn_graphs *g, const char *name,
                               ag_failure *why)
{
    if (!g || g->graphs < 0 || g->graphs > INT32_MAX / 8 || g->nodes < 0 || g->kinds_bytes < 0)
        return ag_fail(
            why, AG_EUSE,
            "%s: %s; give graphs with 0 to %d of them, and nodes and bytes of kinds that "
            "are not negative",
            name, g ? "a count is out of range" : "the graphs are NULL", INT32_MAX / 8);
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
    const size_t bytes = ag__mul(count, size);
    void *block = ag__alloc(bytes);
    if (block) return memset(block, 0, bytes);
    ag_fail(why, AG_EMEMORY, "%s: no memory for %zu bytes; free some and call again", name, bytes);
    return NULL;
}

/* score [data->schedules] */
static ag_status score_all(augur_tpgnn *m, double *score, const tpgnn_data *data, ag_failure *bad,
                           ag_failure *why)
{
    tpgnn_scorer s = {.model = &m->model,
                      .graphs = GRAPHS_OF_BATCH,
                      .nodes = NODES_OF_BATCH,
                      .patient = 1,
                      .bad = bad,
                      .tape = tpgnn_tapes_take(&m->tapes)};
    if (!s.tape)
        return ag_fail(why, AG_EMEMORY, "augur_tpgnn_predict: no memory for a tape; free some");
    pthread_rwlock_rdlock(&m->parameters);
    tpgnn_score(&s, score, data, 1, why);
    pthread_rwlock_unlock(&m->parameters);
    tpgnn_tapes_give(&m->tapes, s.tape);
    return why->status;
}

static ag_status predict(augur_tpgnn *m, const tpgnn_arrays *arrays, double *score, ag_failure *why)
{
    ag_failure bad = {0};
    tpgnn_data data = {.given = &m->checkpoint.vocabulary};
    int32_t *index =
        tpgnn_library_take((size_t)arrays->schedules, sizeof *index, arrays->name, why);
    if (index && !tpgnn_data_arrays(&data, index, arrays, &bad, why)) {
        double *found =
            tpgnn_library_take((size_t)data.schedules, sizeof *found, arrays->name, why);
        if (found && !score_all(m, found, &data, &bad, why))
            for (int i = 0; i < arrays->schedules; i++)
                if (index[i] >= 0) score[i] = found[index[i]];
        ag__free(found);
    }
    ag__free(index);
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
    for (int64_t i = 0; score && graphs && i < graphs->graphs; i++) score[i] = -(double)INFINITY;
    if (why.status || tpgnn_library_arrays(&arrays, graphs, "augur_tpgnn_predict", &why))
        return tpgnn_library_failed(&why);
    if (!arrays.schedules) return 0;
    predict(m, &arrays, score, &why);
    if (why.status) tpgnn_library_failed(&why);
    if (why.status == AG_EMEMORY) return AUGUR_TPGNN_EMEMORY;
    for (int i = 0; i < arrays.schedules; i++) unread += !isfinite(score[i]);
    return unread;
}
