/* SPDX-License-Identifier: MIT */
/* The network of TPGNN and its checkpoints: parameters, vocabulary, vectors, scale of the labels.
 */
#include "examples/tpgnn/hooks.h"

#include "core/error.h"
#include "examples/tpgnn/rows/rows.h"
#include "examples/tpgnn/steps.h"

#include <jansson.h>
#include <math.h>

int tpgnn_log_cost(double *cost, const tpgnn_trained *net, double score)
{
    static const double shortest = 1e-10, most = 300;
    const double label = net->mean + score * net->deviation;
    if (net->predicts == TPGNN_LABEL_COST)
        *cost = log(fmax(label, shortest) * 1e9);
    else if (net->predicts == TPGNN_LABEL_LOG)
        *cost = fmax(-most, fmin(most, label + log(1e9)));
    else
        return 0;
    return 1;
}

enum { CONFIGURATION, DATA, VOCABULARY, SEEN };

char *tpgnn_data_json(const void *files)
{
    const tpgnn_data *data = files;
    return harness_json_text(json_pack(
        "{ss si si so si}", "format", "schedules", "tasks", data->tasks, "schedules",
        data->schedules, "xxh3", harness_json_hash(data->hash), "columns", (int)TPGNN_COLUMNS));
}

static void identify(harness_session *session)
{
    const tpgnn_data *train = &((const tpgnn_files *)session->data)->train;
    char **text = session->trained.text;
    text[DATA] = tpgnn_data_json(train);
    text[VOCABULARY] = harness_json_text(tpgnn_vocabulary_json(tpgnn_data_vocabulary(train)));
    text[SEEN] = tpgnn_seen_json(train);
}

/* The label that the model predicts, up to scale; a rank loss takes the throughput. */
static int label_of(const tpgnn_settings *s)
{
    const bool rank = s->loss != TPGNN_LOSS_HUBER && s->loss != TPGNN_LOSS_SQUARED;
    return rank ? TPGNN_LABEL_THROUGHPUT : s->label;
}

/* Refuses a model of columns that have changed since it was trained: `data` is the metadata "data"
   of its checkpoint. */
static ag_status check_columns(const tpgnn_options *o, const char *data, ag_failure *why)
{
    if (!o->rows && (o->network == TPGNN_PAPER || !o->nest)) return AG_OK;
    json_error_t error;
    json_t *j = harness_json_loads(data ? data : "", &error);
    if (!j && json_error_code(&error) == json_error_out_of_memory)
        return ag_fail(why, AG_EMEMORY, "There is no memory for the metadata \"data\"");
    const json_t *columns = json_object_get(j, "columns");
    const int version = json_is_integer(columns) ? (int)json_integer_value(columns) : 1;
    json_decref(j);
    if (version == TPGNN_COLUMNS) return AG_OK;
    return ag_fail(why, AG_EDATA,
                   "the model reads version %d of the columns of loop nests, but this program has "
                   "version %d; train it again",
                   version, TPGNN_COLUMNS);
}

static ag_status build(harness_trained *t, const harness_settings *settings, ag_failure *why)
{
    const tpgnn_settings *s = (const tpgnn_settings *)settings;
    tpgnn_trained *net = t->net;
    tpgnn_options options = s->model;
    net->predicts = label_of(s);
    json_t *words = harness_json_loads(t->text[VOCABULARY], NULL);
    tpgnn_vocabulary_read(&net->vocabulary, words, "the metadata \"vocabulary\"", why);
    json_decref(words);
    if (why->status || tpgnn_seen_read(&net->seen, t->text[SEEN], why)) return why->status;
    for (int f = 0; f < TPGNN_FIELDS; f++) options.words[f] = net->vocabulary.words[f];
    if (check_columns(&options, t->text[DATA], why)) return why->status;
    return tpgnn_model_add(&net->model, t->params, &options, why);
}

/* Of the rows of all training schedules; scores begin around 0. */
static ag_status fit_rows(nests_scale *scale, const tpgnn_data *train, ag_failure *why)
{
    nests_rows rows = {0};
    for (int i = 0; i < train->schedules && harness_go_on(why); i++) {
        rows.items = 0;
        nests_schedule_rows_add(&rows, train, &train->schedule[i]);
        nests_scale_add(scale, rows.x, rows.rows);
        scale->offset -= nests_log_work(&rows, 0, 0) / train->schedules;
    }
    nests_scale_end(scale);
    nests_rows_free(&rows);
    return why->status;
}

static ag_status fit(harness_session *session, ag_failure *why)
{
    tpgnn_files *files = session->data;
    const tpgnn_data *train = &files->train;
    const tpgnn_settings *s = (const tpgnn_settings *)session->settings;
    tpgnn_trained *net = session->trained.net;
    if (session->initial) {
        tpgnn_data_translate(&files->train, &net->vocabulary);
        tpgnn_data_translate(&files->scored, &net->vocabulary);
        return AG_OK;
    }
    if (net->model.vector &&
        tpgnn_vectors_read(net->model.vector, &net->vocabulary, s->vectors, why))
        return why->status;
    tpgnn_label_scale(&net->mean, &net->deviation, train, net->predicts);
    return net->model.options.rows ? fit_rows(&net->model.joined.scale, train, why) : AG_OK;
}

static void drop(void *trained)
{
    tpgnn_trained *net = trained;
    tpgnn_model_free(&net->model);
    tpgnn_vocabulary_free(&net->vocabulary);
    tpgnn_vocabulary_free(&net->seen.buffers);
}

#define REALS (sizeof(ag_real) == sizeof(double) ? AG_F64 : AG_F32)

static int list_tensors(ag_checkpoint_item *item, const void *trained)
{
    const tpgnn_trained *net = trained;
    const tpgnn_model *m = &net->model;
    const ag_shape shape = AG_SHAPE(m->options.words[TPGNN_CLASS], TPGNN_VECTOR);
    int n = 0;
    item[n++] = (ag_checkpoint_item){"state.mean", AG_F64, AG_SCALAR, &net->mean};
    item[n++] = (ag_checkpoint_item){"state.deviation", AG_F64, AG_SCALAR, &net->deviation};
    if (m->vector) item[n++] = (ag_checkpoint_item){"state.vector", REALS, shape, m->vector};
    return m->options.rows ? n + nests_scale_list(item + n, &m->joined.scale) : n;
}

static ag_status check(const void *trained, ag_failure *why)
{
    const tpgnn_trained *net = trained;
    const tpgnn_model *m = &net->model;
    const int n = m->vector ? m->options.words[TPGNN_CLASS] * TPGNN_VECTOR : 0;
    if (!isfinite(net->mean) || !isfinite(net->deviation) || net->deviation <= 0)
        return ag_fail(why, AG_EDATA,
                       "state.mean is %g and state.deviation %g; they must be finite, and the "
                       "second above 0",
                       net->mean, net->deviation);
    for (int i = 0; i < n; i++)
        if (!isfinite((double)m->vector[i]))
            return ag_fail(why, AG_EDATA, "state.vector[%d] is %g, but it must be finite", i,
                           (double)m->vector[i]);
    return nests_scale_check(&m->joined.scale, why);
}

const harness_network tpgnn_hooks_network = {.bytes = sizeof(tpgnn_trained),
                                             .key = {[CONFIGURATION] = "configuration",
                                                     [DATA] = "data",
                                                     [VOCABULARY] = "vocabulary",
                                                     [SEEN] = "seen"},
                                             .inherited = "vocabulary",
                                             .identify = identify,
                                             .build = build,
                                             .drop = drop,
                                             .fit = fit,
                                             .tensors = list_tensors,
                                             .check = check};
