/* SPDX-License-Identifier: MIT */
/* Checkpoints: parameters, vocabulary, scale of the labels, progress and the options of the
   model. */
#include "examples/tpgnn/checkpoint.h"

#include "examples/harness/run/checkpoint.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>

#define REALS (sizeof(ag_real) == sizeof(double) ? AG_F64 : AG_F32)

void tpgnn_checkpoint_free(tpgnn_checkpoint *c)
{
    harness_free(c->configuration);
    harness_free(c->data);
    tpgnn_vocabulary_free(&c->vocabulary);
    c->configuration = c->data = NULL;
}

/* ---- metadata ---- */

char *tpgnn_data_json(const tpgnn_data *data)
{
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, data->hash);
    json_t *j = json_object();
    json_object_set_new(j, "format", json_string("schedules"));
    json_object_set_new(j, "tasks", json_integer(data->tasks));
    json_object_set_new(j, "schedules", json_integer(data->schedules));
    json_object_set_new(j, "xxh3", json_string(hash));
    return harness_json_text(j);
}

static ag_status parse_options(tpgnn_checkpoint *c, const char *path, ag_failure *why)
{
    tpgnn_settings s;
    harness_options *o =
        harness_checkpoint_options(&tpgnn_program_table, &s, path, c->configuration, why);
    if (!why->status) {
        c->model = tpgnn_settings_model(&s);
        c->predicts = tpgnn_settings_label(&s);
    }
    harness_options_free(o);
    return why->status;
}

static ag_status parse_vocabulary(tpgnn_checkpoint *c, const char *path, const ag_checkpoint *file,
                                  ag_failure *why)
{
    char *text = harness_checkpoint_text(file, "vocabulary");
    json_t *j = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    char *where = harness_text("%.120s: the metadata \"vocabulary\"", path);
    tpgnn_vocabulary_read(&c->vocabulary, j, where, why);
    for (int f = 0; f < TPGNN_FIELDS && !why->status; f++)
        c->model.words[f] = c->vocabulary.words[f];
    json_decref(j);
    harness_free(where);
    harness_free(text);
    return why->status;
}

int tpgnn_log_cost(double *cost, const tpgnn_checkpoint *c, double score)
{
    static const double shortest = 1e-10, most = 300;
    const double label = c->mean + score * c->deviation;
    if (c->predicts == TPGNN_LABEL_COST)
        *cost = log(fmax(label, shortest) * 1e9);
    else if (c->predicts == TPGNN_LABEL_LOG)
        *cost = fmax(-most, fmin(most, label + log(1e9)));
    else
        return 0;
    return 1;
}

/* ---- tensors ---- */

ag_status tpgnn_checkpoint_save(const char *path, const tpgnn_model *model,
                                const tpgnn_checkpoint *c, int resume, ag_failure *why)
{
    const ag_checkpoint_item item[] = {{"state.mean", AG_F64, AG_SCALAR, &c->mean},
                                       {"state.deviation", AG_F64, AG_SCALAR, &c->deviation},
                                       {"state.vector", REALS,
                                        AG_SHAPE(model->options.words[TPGNN_CLASS], TPGNN_VECTOR),
                                        model->vector}};
    json_t *vocabulary = tpgnn_vocabulary_json(&c->vocabulary);
    char *words = vocabulary ? json_dumps(vocabulary, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(vocabulary);
    if (!words) return ag_fail(why, AG_EMEMORY, "%.200s: no memory for the vocabulary", path);
    const ag_checkpoint_pair pair[] = {{"program", "tpgnn " TPGNN_VERSION},
                                       {"configuration", c->configuration},
                                       {"data", c->data},
                                       {"vocabulary", words}};
    harness_checkpoint_save(path, model->params, &c->progress, item, model->vector ? 3 : 2, pair,
                            (int)(sizeof pair / sizeof *pair), resume, why);
    harness_free(words);
    return why->status;
}

static ag_status check_state(const tpgnn_checkpoint *c, const tpgnn_model *model, const char *path,
                             ag_failure *why)
{
    if (!isfinite(c->mean) || !isfinite(c->deviation) || c->deviation <= 0)
        return ag_fail(why, AG_EDATA,
                       "%.200s: state.mean is %g and state.deviation %g; they must be finite, and "
                       "the second above 0",
                       path, c->mean, c->deviation);
    const int n = model->vector ? model->options.words[TPGNN_CLASS] * TPGNN_VECTOR : 0;
    for (int i = 0; i < n; i++)
        if (!isfinite((double)model->vector[i]))
            return ag_fail(why, AG_EDATA, "%.200s: state.vector[%d] is %g, but it must be finite",
                           path, i, (double)model->vector[i]);
    return AG_OK;
}

static ag_status read_state(tpgnn_checkpoint *c, tpgnn_model *model, const char *path,
                            const ag_checkpoint *file, int resume, ag_failure *why)
{
    const ag_shape vectors = AG_SHAPE(model->options.words[TPGNN_CLASS], TPGNN_VECTOR);
    if (ag_checkpoint_read(file, "state.mean", AG_F64, AG_SCALAR, &c->mean, why) ||
        ag_checkpoint_read(file, "state.deviation", AG_F64, AG_SCALAR, &c->deviation, why))
        return why->status;
    if (model->vector &&
        ag_checkpoint_read(file, "state.vector", REALS, vectors, model->vector, why))
        return why->status;
    if (check_state(c, model, path, why)) return why->status;
    return harness_checkpoint_state(&c->progress, model->params, path, file, resume, why);
}

/* ---- loading ---- */

/* The metadata's width must be that of a tensor in the file before a model of that width is
   made. */
static ag_status check_width(const char *path, const ag_checkpoint *file, int hidden,
                             ag_failure *why)
{
    for (int i = 0; i < ag_checkpoint_count(file); i++) {
        const ag_shape shape = ag_checkpoint_at(file, i)->shape;
        for (int axis = 0; axis < shape.rank; axis++)
            if (shape.size[axis] == hidden) return AG_OK;
    }
    return ag_fail(why, AG_EDATA,
                   "%.200s: the metadata say hidden %d, but no tensor has that size; the file "
                   "contradicts itself, so choose another checkpoint",
                   path, hidden);
}

ag_status tpgnn_checkpoint_take(const char *path, const ag_checkpoint *file, tpgnn_model *model,
                                tpgnn_checkpoint *c, ag_failure *why)
{
    c->configuration = harness_checkpoint_text(file, "configuration");
    c->data = harness_checkpoint_text(file, "data");
    if (parse_options(c, path, why) || parse_vocabulary(c, path, file, why) ||
        check_width(path, file, c->model.hidden, why))
        return why->status;
    ag_failure mine = {0};
    if (tpgnn_model_new(model, &c->model, 0, &mine))
        return ag_fail(why, mine.status == AG_EUSE ? AG_EDATA : mine.status, "%.200s: %s", path,
                       mine.sentence);
    if (ag_params_load(model->params, file, 0, why)) return why->status;
    return read_state(c, model, path, file, 0, why);
}

ag_status tpgnn_checkpoint_load(const char *path, tpgnn_model *model, tpgnn_checkpoint *c,
                                ag_failure *why)
{
    ag_checkpoint *file = ag_checkpoint_open(path, why);
    if (!file) return why->status;
    tpgnn_checkpoint_take(path, file, model, c, why);
    harness_checkpoint_close(file, why);
    return why->status;
}

ag_status tpgnn_checkpoint_resume(const char *path, tpgnn_model *model, tpgnn_checkpoint *c,
                                  ag_failure *why)
{
    const ag_checkpoint_pair same[] = {{"configuration", c->configuration}, {"data", c->data}};
    ag_checkpoint *file = harness_checkpoint_resume(path, model->params, same, 2, why);
    if (file) read_state(c, model, path, file, 1, why);
    harness_checkpoint_close(file, why);
    return why->status;
}
