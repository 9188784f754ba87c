/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "examples/tpgnn/tvm/library/handle.h"

#include "examples/tpgnn/program.h"

#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const keys[TPGNN_STORED_TEXTS] = {"configuration", "data", "vocabulary", "seen"};

/* ---- options of a model in the configuration of its run ---- */

/* The place of an option's word among `words`, "one|two|three". */
static int place_of(const char *option, const char *word, const char *words, const char *name,
                    ag_failure *why)
{
    int place = 0;
    for (const char *at = words;; place++) {
        const size_t n = strcspn(at, "|");
        if (n == strlen(word) && !memcmp(at, word, n)) return place;
        if (!at[n]) break;
        at += n + 1;
    }
    if (!why->status)
        ag_fail(why, AG_EDATA, "%s: \"%s\" must be %s; train the model with this version", name,
                option, words);
    return 0;
}

ag_status tpgnn_stored_options(tpgnn_options *o, const json_t *json, const char *name,
                               ag_failure *why)
{
    const char *network, *types, *readout, *rows = "none", *edges, *conv, *pool;
    int compact, nest, logs;
    json_error_t error;
    *o = (tpgnn_options){.paper = tpgnn_paper_defaults()};
    if (json_unpack_ex((json_t *)(uintptr_t)json, &error, 0,
                       "{s:s, s:s, s:s, s?s, s:s, s:s, s:s, s:i, s:i, s:b, s:b, s:b, s:F, s:F}",
                       "network", &network, "types", &types, "readout", &readout, "rows", &rows,
                       "edges", &edges, "conv", &conv, "pool", &pool, "hidden", &o->hidden,
                       "layers", &o->layers, "compact", &compact, "nest", &nest, "log-features",
                       &logs, "dropout", &o->dropout, "ratio", &o->paper.ratio))
        return ag_fail(why,
                       json_error_code(&error) == json_error_out_of_memory ? AG_EMEMORY : AG_EDATA,
                       "%s does not say how the model is made (%s); give a checkpoint that this "
                       "version of tpgnn "
                       "has written",
                       name, error.text);
    for (int f = 0; f < TPGNN_FIELDS; f++) o->words[f] = 1;
    o->network = (tpgnn_network)place_of("network", network, "statements|paper", name, why);
    o->types = (tpgnn_types)place_of("types", types, "table|words", name, why);
    o->readout = (tpgnn_readout)place_of("readout", readout, "sum|mean", name, why);
    o->rows = (nests_use)place_of("rows", rows, NESTS_USES, name, why);
    o->edges = (unsigned)place_of("edges", edges, "none|tree|names|both", name, why);
    o->paper.conv = (tpgnn_conv)place_of("conv", conv, "graph|gcn", name, why);
    o->paper.pool = (tpgnn_pool)place_of("pool", pool, "none|topk|sag", name, why);
    o->paper.hidden = o->hidden;
    o->paper.layers = o->layers;
    o->paper.dropout = o->dropout;
    o->compact = compact;
    o->nest = nest;
    o->log_features = logs;
    return why->status;
}

/* ---- reading ---- */

/* The checkpoint of a run folder, or the path itself. */
static ag_status choose(char *chosen, size_t room, const char *path, ag_failure *why)
{
    struct stat about;
    const int folder = !stat(path, &about) && S_ISDIR(about.st_mode);
    int n = snprintf(chosen, room, "%s%s", path, folder ? "/best.safetensors" : "");
    if (folder && access(chosen, F_OK)) /* interrupted early */
        n = snprintf(chosen, room, "%s/last.safetensors", path);
    if (n >= 0 && (size_t)n < room) return AG_OK;
    return ag_fail(why, AG_EFILE, "%.100s...: the path is longer than %zu bytes", path, room - 1);
}

static ag_status keep_texts(tpgnn_stored *s, const ag_checkpoint *file, const char *path,
                            ag_failure *why)
{
    for (int i = 0; i < TPGNN_STORED_TEXTS; i++) {
        const char *text = ag_checkpoint_metadata(file, keys[i]);
        const size_t bytes = strlen(text ? text : "") + 1;
        s->text[i] = ag_alloc(bytes);
        if (!s->text[i]) return ag_fail(why, AG_EMEMORY, "%.200s: no memory for its texts", path);
        memcpy(s->text[i], text ? text : "", bytes);
    }
    return AG_OK;
}

/* Parses one of the texts; NULL: no JSON, or with a sentence: no memory. */
static json_t *parse(const tpgnn_stored *s, int text, const char *path, ag_failure *why)
{
    json_error_t error;
    json_t *json = harness_json_loads(s->text[text], &error);
    if (!json && json_error_code(&error) == json_error_out_of_memory)
        ag_fail(why, AG_EMEMORY, "%.200s: no memory for the metadata \"%s\"", path, keys[text]);
    return json;
}

static ag_status read_texts(tpgnn_stored *s, tpgnn_options *options, const char *path,
                            ag_failure *why)
{
    char name[240];
    json_t *json = parse(s, TPGNN_STORED_CONFIGURATION, path, why);
    snprintf(name, sizeof name, "%.120s: the metadata \"configuration\"", path);
    if (!why->status) tpgnn_stored_options(options, json, name, why);
    json_decref(json);
    if (why->status) return why->status;
    json = parse(s, TPGNN_STORED_VOCABULARY, path, why);
    snprintf(name, sizeof name, "%.120s: the metadata \"vocabulary\"", path);
    if (!why->status) tpgnn_vocabulary_read(&s->vocabulary, json, name, why);
    json_decref(json);
    for (int f = 0; f < TPGNN_FIELDS; f++) options->words[f] = s->vocabulary.words[f];
    return why->status;
}

/* The tensors that are no parameters, in the order in which a program writes them; their number. */
static int list_state(ag_checkpoint_item item[5 + TPGNN_STATE], const tpgnn_stored *s)
{
    item[0] = (ag_checkpoint_item){"state.mean", AG_F64, AG_SCALAR, &s->mean};
    item[1] = (ag_checkpoint_item){"state.deviation", AG_F64, AG_SCALAR, &s->deviation};
    int n = 2 + tpgnn_model_state(item + 2, &s->model);
    item[n++] = (ag_checkpoint_item){"state.step", AG_I64, AG_SCALAR, &s->step};
    item[n++] = (ag_checkpoint_item){"state.best.score", AG_F64, AG_SCALAR, &s->best};
    item[n++] = (ag_checkpoint_item){"state.best.step", AG_I64, AG_SCALAR, &s->best_step};
    return n;
}

static ag_status read_state(tpgnn_stored *s, const ag_checkpoint *file, const char *path,
                            ag_failure *why)
{
    ag_checkpoint_item item[5 + TPGNN_STATE];
    const int items = list_state(item, s);
    for (int i = 0; i < items; i++)
        if (ag_checkpoint_read(file, item[i].name, item[i].dtype, item[i].shape,
                               (void *)(uintptr_t)item[i].data, why))
            return why->status;
    ag_failure mine = {0};
    if (tpgnn_model_check(&s->model, &mine))
        return ag_fail(why, mine.status, "%.200s: %s", path, mine.sentence);
    return AG_OK;
}

static ag_status read_file(tpgnn_stored *s, const ag_checkpoint *file, const char *path,
                           ag_failure *why)
{
    tpgnn_options options = {0};
    ag_failure mine = {0};
    if (keep_texts(s, file, path, why) || read_texts(s, &options, path, why)) return why->status;
    if (tpgnn_model_columns(&options, s->text[TPGNN_STORED_DATA], &mine) ||
        tpgnn_model_add(&s->model, ag_params_new(), &options, &mine))
        return ag_fail(why, mine.status == AG_EUSE ? AG_EDATA : mine.status, "%.200s: %s", path,
                       mine.sentence);
    if (ag_params_build(s->model.params, 0))
        return ag_fail(why, s->model.params->failure.status, "%.200s: %s", path,
                       s->model.params->failure.sentence);
    if (ag_params_load(s->model.params, file, 0, why)) return why->status;
    return read_state(s, file, path, why);
}

ag_status tpgnn_stored_open(tpgnn_stored *s, const char *path, ag_failure *why)
{
    char chosen[4096];
    if (choose(chosen, sizeof chosen, path, why)) return why->status;
    ag_checkpoint *file = ag_checkpoint_open(chosen, why);
    if (file) read_file(s, file, chosen, why);
    ag_checkpoint_close(file);
    return why->status;
}

/* ---- writing ---- */

ag_status tpgnn_stored_save(const tpgnn_stored *s, const char *path, ag_failure *why)
{
    ag_checkpoint_item item[5 + TPGNN_STATE];
    const int n = list_state(item, s);
    ag_checkpoint_pair pair[1 + TPGNN_STORED_TEXTS] = {{"program", "tpgnn " TPGNN_VERSION}};
    for (int i = 0; i < TPGNN_STORED_TEXTS; i++)
        pair[1 + i] = (ag_checkpoint_pair){keys[i], s->text[i]};
    return ag_params_save(path, s->model.params, 0, item, n, pair, 1 + TPGNN_STORED_TEXTS, why);
}

void tpgnn_stored_free(tpgnn_stored *s)
{
    for (int i = 0; i < TPGNN_STORED_TEXTS; i++) ag_free(s->text[i]);
    tpgnn_vocabulary_free(&s->vocabulary);
    tpgnn_model_free(&s->model);
    *s = (tpgnn_stored){0};
}
