/* SPDX-License-Identifier: MIT */
/* Checkpoints: parameters, standardisation, progress and the options of the model. */
#include "examples/harness/run/checkpoint.h"
#include "examples/tgraph/checkpoint_internal.h"

#include <math.h>

tgraph_features tgraph_settings_features(const tgraph_settings *s, int tile)
{
    return (tgraph_features){.tile = tile,
                             .prune = !tile && s->prune,
                             .repad = !tile && s->repad,
                             .logs = s->log_features};
}

void tgraph_checkpoint_free(tgraph_checkpoint *c)
{
    harness_free(c->configuration);
    harness_free(c->files);
    c->configuration = c->files = NULL;
}

/* ---- tensors ---- */

typedef struct scaler_place {
    const char *mean, *scale;
    tgraph_scaler *scaler;
    int columns;
} scaler_place;

/* Lists the scalers of a checkpoint in order and returns their number: 1, or 3 with tile files. */
static int scaler_places(scaler_place place[3], tgraph_tile_scalers *s, int tile)
{
    place[0] = (scaler_place){"state.scaler.mean", "state.scaler.scale", &s->node, TGRAPH_NUMERIC};
    place[1] = (scaler_place){"state.config_scaler.mean", "state.config_scaler.scale", &s->config,
                              TPUGRAPHS_TILE_FEATURES};
    place[2] =
        (scaler_place){"state.target_scaler.mean", "state.target_scaler.scale", &s->target, 1};
    return tile ? 3 : 1;
}

ag_status tgraph_checkpoint_save(const char *path, const tgraph_model *model,
                                 const tgraph_checkpoint *c, int resume, ag_failure *why)
{
    tgraph_tile_scalers copy = c->scalers;
    scaler_place scaler[3];
    ag_checkpoint_item item[6];
    int n = 0;
    const int scalers = scaler_places(scaler, &copy, model->options.tile);
    for (int i = 0; i < scalers; i++) {
        const ag_shape shape = AG_SHAPE(scaler[i].columns);
        item[n++] = (ag_checkpoint_item){scaler[i].mean, AG_F64, shape, scaler[i].scaler->mean};
        item[n++] = (ag_checkpoint_item){scaler[i].scale, AG_F64, shape, scaler[i].scaler->scale};
    }
    char *features = tgraph_features_json(&c->features);
    const ag_checkpoint_pair pair[] = {{"program", "tgraph " TGRAPH_VERSION},
                                       {"features", features},
                                       {"configuration", c->configuration},
                                       {"files", c->files}};
    harness_checkpoint_save(path, model->params, &c->progress, item, n, pair,
                            (int)(sizeof pair / sizeof *pair), resume, why);
    harness_free(features);
    return why->status;
}

static ag_status check_scaler(const char *path, const scaler_place *place, ag_failure *why)
{
    for (int k = 0; k < place->columns; k++) {
        const double mean = place->scaler->mean[k], scale = place->scaler->scale[k];
        if (isfinite(mean) && isfinite(scale) && scale > 0) continue;
        return ag_fail(why, AG_EDATA,
                       "%.200s: %s[%d] = %g and %s[%d] = %g; they must be finite, and the scale "
                       "above 0",
                       path, place->mean, k, mean, place->scale, k, scale);
    }
    return AG_OK;
}

static ag_status read_scalers(tgraph_checkpoint *c, const char *path, const ag_checkpoint *file,
                              ag_failure *why)
{
    scaler_place scaler[3];
    const int scalers = scaler_places(scaler, &c->scalers, c->features.tile);
    for (int i = 0; i < scalers; i++) {
        const ag_shape shape = AG_SHAPE(scaler[i].columns);
        tgraph_scaler_begin(scaler[i].scaler, scaler[i].columns);
        if (ag_checkpoint_read(file, scaler[i].mean, AG_F64, shape, scaler[i].scaler->mean, why) ||
            ag_checkpoint_read(file, scaler[i].scale, AG_F64, shape, scaler[i].scaler->scale,
                               why) ||
            check_scaler(path, &scaler[i], why))
            return why->status;
    }
    return AG_OK;
}

/* ---- loading ---- */

/* The metadata's width must be that of a tensor in the file before a model of that width is
   made. */
static ag_status check_width(const char *path, const ag_checkpoint *file, int hidden,
                             ag_failure *why)
{
    const ag_checkpoint_item *item = ag_checkpoint_find(file, "output.weight");
    if (item && ag_shape_equal(item->shape, AG_SHAPE(1, hidden))) return AG_OK;
    char text[64];
    return ag_fail(why, AG_EDATA,
                   "%.200s: output.weight is %s, but the metadata say hidden %d, so it must be "
                   "[1,%d]; the file is not whole",
                   path, item ? ag_shape_text(text, item->shape) : "missing", hidden, hidden);
}

static ag_status load(const char *path, const ag_checkpoint *file, tgraph_model *model,
                      tgraph_checkpoint *c, ag_failure *why)
{
    c->files = harness_checkpoint_text(file, "files");
    c->configuration = harness_checkpoint_text(file, "configuration");
    if (tgraph_features_parse(&c->features, path, ag_checkpoint_metadata(file, "features"), why) ||
        tgraph_configuration_parse(c, path, why) || check_width(path, file, c->model.hidden, why))
        return why->status;
    ag_failure mine = {0};
    if (tgraph_model_new(model, &c->model, 0, &mine))
        return ag_fail(why, mine.status == AG_EUSE ? AG_EDATA : mine.status, "%.200s: %s", path,
                       mine.sentence);
    if (ag_params_load(model->params, file, 0, why) || read_scalers(c, path, file, why))
        return why->status;
    return harness_checkpoint_state(&c->progress, model->params, path, file, 0, why);
}

ag_status tgraph_checkpoint_load(const char *path, tgraph_model *model, tgraph_checkpoint *c,
                                 ag_failure *why)
{
    ag_checkpoint *file = ag_checkpoint_open(path, why);
    if (!file) return why->status;
    load(path, file, model, c, why);
    harness_checkpoint_close(file, why);
    return why->status;
}

ag_status tgraph_checkpoint_resume(const char *path, tgraph_model *model, tgraph_checkpoint *c,
                                   ag_failure *why)
{
    char *features = tgraph_features_json(&c->features);
    const ag_checkpoint_pair same[] = {
        {"configuration", c->configuration}, {"features", features}, {"files", c->files}};
    ag_checkpoint *file = harness_checkpoint_resume(path, model->params, same, 3, why);
    if (file && !read_scalers(c, path, file, why))
        harness_checkpoint_state(&c->progress, model->params, path, file, 1, why);
    harness_checkpoint_close(file, why);
    harness_free(features);
    return why->status;
}

ag_status tgraph_features_check(const char *path, const tgraph_features *stored,
                                const tgraph_features *wanted, ag_failure *why)
{
    if (stored->tile != wanted->tile)
        return ag_fail(why, AG_EUSE,
                       "%.200s holds a model for %s files, but the data are %s files; choose a run "
                       "that was trained on such files",
                       path, stored->tile ? "tile" : "layout", wanted->tile ? "tile" : "layout");
    if (stored->prune == wanted->prune && stored->repad == wanted->repad &&
        stored->logs == wanted->logs)
        return AG_OK;
    return ag_fail(
        why, AG_EUSE,
        "%.200s was trained with --%sprune --%srepad --%slog-features, but this call says "
        "--%sprune --%srepad --%slog-features; the scores would mean nothing: leave these options "
        "away",
        path, stored->prune ? "" : "no-", stored->repad ? "" : "no-", stored->logs ? "" : "no-",
        wanted->prune ? "" : "no-", wanted->repad ? "" : "no-", wanted->logs ? "" : "no-");
}
