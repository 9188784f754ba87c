/* SPDX-License-Identifier: MIT */
#include "examples/harness/machine/device.h"

#include "core/core.h"
#include "examples/harness/cli/options_internal.h"
#include "examples/harness/machine/processor.h"
#include "examples/harness/run/run_internal.h"
#include "examples/harness/machine/threads.h"
#include "ops/ops.h"

#include <jansson.h>
#include <string.h>
#include <unistd.h>

/* ---- which one ---- */

ag_device harness_device(int wanted)
{
    if (wanted != HARNESS_ON_ANY) return (ag_device)wanted;
    return ag_device_open(NULL) == AG_OK ? AG_CUDA : AG_CPU;
}

const char *harness_device_word(ag_device device) { return device == AG_CUDA ? "cuda" : "cpu"; }

static char *name_of(ag_device device)
{
    char processor[128];
    ag_device_about about;
    if (device == AG_CPU) return harness_copy(harness_processor(processor));
    ag_device_describe(&about);
    return harness_copy(about.name);
}

static const char *const precision_words[] = {"fp32", "tf32"}; /* of ag_precision */

/* The precision is named only if it is not fp32. */
static char *text_of(const char *device, const char *name, const char *precision)
{
    if (!precision || strcmp(precision, precision_words[AG_FP32]) == 0)
        return harness_text("%s (%s)", device, name);
    return harness_text("%s (%s, products in %s)", device, name, precision);
}

char *harness_device_text(ag_device device, ag_precision precision)
{
    char *name = name_of(device);
    char *text = text_of(harness_device_word(device), name, precision_words[precision]);
    harness_free(name);
    return text;
}

/* ---- a tape ---- */

/* Reports the device that auto chose, and why not the other: the reason without its remedy. */
static void say_taken(void)
{
    static int said; /* a study has many runs */
    ag_failure why = {0};
    if (said++) return;
    if (ag_device_open(&why)) {
        harness_say("--device auto takes cpu: %.*s", (int)strcspn(why.sentence, ";"), why.sentence);
        return;
    }
    char *text = harness_device_text(AG_CUDA, AG_FP32);
    harness_say("--device auto takes %s", text);
    harness_free(text);
}

/* Runs a first product, so that a library that cannot be loaded fails now, and its device memory is
   allocated. */
static void try_product(ag_tape *tape)
{
    const ag_real one = 1;
    ag_tensor *x = ag_input(tape, &one, AG_SHAPE(1, 1)), *b = ag_input(tape, &one, AG_SHAPE(1));
    ag_tensor *y = ag_linear(ag_linear(x, x, NULL), x, b); /* both forms of products */
    ag_forward(y);
    ag_item(y);
    if (!ag_failed(tape)) ag_tape_reset(tape);
}

/* A precision that the CPU does not have is refused, not silently ignored. */
static ag_status check_precision(const harness_common *common, ag_failure *why)
{
    if (common->precision == AG_FP32 || harness_device(common->device) != AG_CPU) return AG_OK;
    return ag_fail(why, AG_EUSE,
                   "--precision %s: only a CUDA device has such products, and --device auto takes "
                   "cpu here; leave fp32, or take --device cuda",
                   precision_words[common->precision]);
}

ag_tape *harness_tape_new(const harness_common *common, ag_failure *why)
{
    if (check_precision(common, why)) return NULL;
    harness_threads_start(common->threads);
    if (common->device == HARNESS_ON_ANY) say_taken();
    ag_tape *tape = ag_tape_new(harness_device(common->device));
    ag_tape_precision(tape, (ag_precision)common->precision);
    if (ag_tape_device(tape) != AG_CPU && !ag_failed(tape)) try_product(tape);
    if (!ag_failed(tape)) return tape;
    ag_fail(why, ag_tape_status(tape), "%s", ag_error(tape));
    ag_tape_free(tape);
    return NULL;
}

ag_status harness_run_failed(const ag_tape *tape, const char *where, const char *fewer,
                             ag_failure *why)
{
    const ag_status status = ag_tape_status(tape);
    const char *sentence = ag_error(tape);
    if (status != AG_EMEMORY || ag_tape_device(tape) == AG_CPU || !fewer)
        return ag_fail(why, status, "%s: %s", where, sentence);
    return ag_fail(why, status, "%s: %.*s; lower %s, or take --device cpu", where,
                   (int)strcspn(sentence, ";"), sentence, fewer);
}

ag_status harness_scoring_failed(const ag_tape *tape, const char *name, const char *fewer,
                                 ag_failure *why)
{
    char where[200];
    snprintf(where, sizeof where, "scoring %.150s", name);
    return harness_run_failed(tape, where, fewer, why);
}

/* ---- config.json and the report ---- */

/* Returns -1 if the command has no device. */
static int device_of(const harness_options *options)
{
    const int *wanted = harness__value(options, "device", HARNESS_CHOICE);
    return wanted ? (int)harness_device(*wanted) : -1;
}

static ag_precision precision_of(const harness_options *options)
{
    const int *wanted = harness__value(options, "precision", HARNESS_CHOICE);
    return wanted ? (ag_precision)*wanted : AG_FP32;
}

void harness_device_to_config(json_t *config, const harness_options *options)
{
    const int device = device_of(options);
    if (device < 0) return;
    char *name = name_of((ag_device)device);
    json_object_set_new(config, "device", json_string(harness_device_word((ag_device)device)));
    json_object_set_new(config, "device_name", harness_json_name(name));
    if (device != AG_CPU)
        json_object_set_new(config, "precision",
                            json_string(precision_words[precision_of(options)]));
    harness_free(name);
}

/* The device on which the run was begun, as harness_device_text names it; NULL: config.json has
   none. */
static char *begun_on(const char *folder)
{
    ag_failure none = {0};
    char *path = harness_text("%s/" HARNESS_CONFIG, folder), *text = NULL;
    json_t *config = access(path, R_OK) == 0 ? harness__load_json(path, &none) : NULL;
    const char *word = json_string_value(json_object_get(config, "device")),
               *name = json_string_value(json_object_get(config, "device_name")),
               *precision = json_string_value(json_object_get(config, "precision"));
    if (word && name) text = text_of(word, name, precision);
    json_decref(config);
    harness_free(path);
    return text;
}

void harness_device_changed(const char *folder, const harness_options *options)
{
    const int device = device_of(options);
    char *begun = begun_on(folder),
         *now = device < 0 ? NULL : harness_device_text((ag_device)device, precision_of(options));
    if (begun && now && strcmp(begun, now) != 0 &&
        (device != AG_CPU || strncmp(begun, "cpu ", 4) != 0))
        harness_warn("the run was begun on %s and goes on on %s, so its results differ in rounding "
                     "from those of either alone",
                     begun, now);
    harness_free(begun);
    harness_free(now);
}

char *harness_device_report(const char *folder, const harness_options *options)
{
    const int device = device_of(options);
    if (device < 0) return NULL;
    char *begun = begun_on(folder), *text,
         *now = harness_device_text((ag_device)device, precision_of(options));
    if (begun && strcmp(begun, now) != 0)
        text = harness_text("Begun on %s, ended on %s.", begun, now);
    else
        text = harness_text("Computed on %s.", now);
    harness_free(begun);
    harness_free(now);
    return text;
}
