/* SPDX-License-Identifier: MIT */
/* Gradient boosting by XGBoost's C interface; in a build without it, functions that fail with a
   sentence. */
#include "examples/harness/baseline/boosting.h"
#include "core/error.h"
#include "core/threads.h"
#include "examples/harness/base/base.h"
#include "examples/harness/machine/threads.h"

#include <string.h>

harness_boosting_options harness_boosting_defaults(void)
{
    return (harness_boosting_options){.rounds = 100, .depth = 6, .rate = 0.1};
}

struct harness_boosting {
    void *booster; /* BoosterHandle */
    int columns, trees, threads;
};

int harness_boosting_trees(const harness_boosting *b) { return b->trees; }

#ifdef AG_HAVE_XGBOOST
# include <xgboost/c_api.h>

enum {
    LARGE = 1 << 22
}; /* cells from which threads are worth while; results do not depend on them */

int harness_boosting_built(void) { return 1; }

/* The first line of XGBoost's message, without its time stamp. */
static ag_status say(const char *doing, ag_failure *why)
{
    const char *text = XGBGetLastError();
    if (*text == '[' && strchr(text, ']')) text = strchr(text, ']') + 1;
    text += strspn(text, " ");
    return ag_fail(why, AG_EDATA, "boosting: XGBoost could not %s: %.*s", doing,
                   (int)(strcspn(text, "\n") > 120 ? 120 : strcspn(text, "\n")), text);
}

/* XGBoost's copy of x [rows, columns]; NULL with a sentence. */
static DMatrixHandle take_data(const float *x, int rows, const harness_boosting *b, ag_failure *why)
{
    DMatrixHandle data = NULL;
    char array[160], config[64];
    snprintf(array, sizeof array,
             "{\"data\":[%llu,false],\"shape\":[%d,%d],\"typestr\":\"<f4\",\"version\":3}",
             (unsigned long long)(uintptr_t)x, rows, b->columns);
    snprintf(config, sizeof config, "{\"missing\":NaN,\"nthread\":%d}", b->threads);
    if (!XGDMatrixCreateFromDense(array, config, &data)) return data;
    say("take the data", why);
    return NULL;
}

static ag_status set_label(DMatrixHandle data, const double *y, int rows, ag_failure *why)
{
    float *label = HARNESS_NEW(label, rows);
    for (int i = 0; i < rows; i++) label[i] = (float)y[i];
    if (XGDMatrixSetFloatInfo(data, "label", label, (bst_ulong)rows)) say("take the target", why);
    harness_free(label);
    return why->status;
}

static const char *number(double value) { return harness_format("%.17g", value); }

static ag_status set_parameters(const harness_boosting *b, const harness_boosting_options *o,
                                ag_failure *why)
{
    const harness_boosting_loss *loss = o->loss;
    const char *const set[][2] = {{"objective", "reg:squarederror"},
                                  {"base_score", number(loss ? loss->start : 0)},
                                  {"tree_method", "hist"},
                                  {"verbosity", "0"},
                                  {"max_depth", number(o->depth)},
                                  {"eta", number(o->rate)},
                                  {"colsample_bytree", number(o->columns > 0 ? o->columns : 1)},
                                  {"nthread", number(b->threads)},
                                  {"seed", number((double)(o->seed & INT32_MAX))},
                                  {"gamma", number(loss ? loss->least_gain : 0)},
                                  {"min_child_weight", number(loss ? loss->least_weight : 0)}};
    const size_t count = sizeof set / sizeof *set - (loss ? 0 : 2); /* the limits of splits */
    for (size_t i = 0; i < count; i++)
        if (XGBoosterSetParam(b->booster, set[i][0], set[i][1]))
            return say("take its settings", why);
    return AG_OK;
}

/* Adds one tree. The result is not 0 when the loss ends the fit. */
static int grow_one(harness_boosting *b, DMatrixHandle data, const harness_boosting_loss *loss,
                    float *slope, int rows, ag_failure *why)
{
    if (!loss) {
        if (XGBoosterUpdateOneIter(b->booster, b->trees, data)) say("grow a tree", why);
        return 0;
    }
    bst_ulong count = 0;
    const float *out = NULL;
    if (XGBoosterPredict(b->booster, data, 0, 0, 1, &count, &out) || count != (bst_ulong)rows)
        return say("predict", why) != AG_OK;
    if (loss->at(slope, slope + rows, out, rows, loss->context)) return 1;
    if (XGBoosterBoostOneIter(b->booster, data, slope, slope + rows, count))
        say("grow a tree", why);
    return 0;
}

static ag_status grow(harness_boosting *b, DMatrixHandle data, int rows,
                      const harness_boosting_options *o, ag_failure *why)
{
    /* gradient, then curvature */
    float *slope = o->loss ? HARNESS_NEW(slope, 2 * (size_t)rows) : NULL;
    for (b->trees = 0; b->trees < o->rounds; b->trees++) {
        if (o->progress && o->progress(o->context, "boosting", (double)b->trees / o->rounds)) break;
        if (grow_one(b, data, o->loss, slope, rows, why) || why->status) break;
    }
    harness_free(slope);
    return why->status;
}

harness_boosting *harness_boosting_fit(const float *x, const double *y, int rows, int columns,
                                       const harness_boosting_options *o, ag_failure *why)
{
    DMatrixHandle data;
    harness_boosting *b = harness_alloc(sizeof *b);
    b->columns = columns;
    b->threads = (int64_t)rows * columns < LARGE ? 1 : harness_threads_to_be_had(ag_threads());
    data = take_data(x, rows, b, why);
    if (data && (o->loss || !set_label(data, y, rows, why))) {
        if (XGBoosterCreate(&data, 1, &b->booster))
            say("start", why);
        else if (!set_parameters(b, o, why))
            grow(b, data, rows, o, why);
    }
    if (data) XGDMatrixFree(data);
    if (!why->status) return b;
    harness_boosting_free(b);
    return NULL;
}

ag_status harness_boosting_predict(double *score, harness_boosting *b, const float *x, int rows,
                                   ag_failure *why)
{
    bst_ulong count = 0;
    const float *out = NULL;
    DMatrixHandle data = take_data(x, rows, b, why);
    if (!data) return why->status;
    if (XGBoosterPredict(b->booster, data, 0, 0, 0, &count, &out) || count != (bst_ulong)rows)
        say("predict", why);
    for (int i = 0; !why->status && i < rows; i++) score[i] = (double)out[i];
    XGDMatrixFree(data);
    return why->status;
}

const char *harness_boosting_json(size_t *bytes, harness_boosting *b, ag_failure *why)
{
    bst_ulong length = 0;
    const char *text = NULL;
    if (XGBoosterSaveModelToBuffer(b->booster, "{\"format\":\"json\"}", &length, &text)) {
        say("write its trees", why);
        return NULL;
    }
    *bytes = (size_t)length;
    return text;
}

void harness_boosting_free(harness_boosting *b)
{
    if (b && b->booster) XGBoosterFree(b->booster);
    harness_free(b);
}

#else

int harness_boosting_built(void) { return 0; }

harness_boosting *harness_boosting_fit(const float *x, const double *y, int rows, int columns,
                                       const harness_boosting_options *o, ag_failure *why)
{
    (void)x, (void)y, (void)rows, (void)columns, (void)o;
    ag_fail(why, AG_EUSE, "not built: libxgboost is not installed");
    return NULL;
}

ag_status harness_boosting_predict(double *score, harness_boosting *b, const float *x, int rows,
                                   ag_failure *why)
{
    (void)score, (void)b, (void)x, (void)rows;
    return ag_fail(why, AG_EUSE, "not built: libxgboost is not installed");
}

const char *harness_boosting_json(size_t *bytes, harness_boosting *b, ag_failure *why)
{
    (void)bytes, (void)b;
    ag_fail(why, AG_EUSE, "not built: libxgboost is not installed");
    return NULL;
}

void harness_boosting_free(harness_boosting *b) { (void)b; }

#endif
