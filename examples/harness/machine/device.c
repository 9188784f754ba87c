/* SPDX-License-Identifier: MIT */
/* Chooses the device of a call, makes its tape, and says which device computed a run. */
#include "examples/harness/machine/device.h"

#include "core/device.h"
#include "core/error.h"
#include "examples/harness/cli/options_internal.h"
#include "examples/harness/machine/processor.h"
#include "examples/harness/base/file.h"
#include "examples/harness/files/files.h"
#include "examples/harness/machine/threads.h"
#include "ops/ops.h"

#include <jansson.h>
#include <string.h>

ag_device harness_device(int wanted)
{
    if (wanted != HARNESS_ON_ANY) return (ag_device)wanted;
    return ag_device_open(NULL) == AG_OK ? AG_CUDA : AG_CPU;
}

const char *harness_device_word(ag_device device) { return device == AG_CUDA ? "cuda" : "cpu"; }

static const char *name_of(ag_device device)
{
    ag_device_about about;
    if (device == AG_CPU) return harness_processor();
    ag_device_describe(&about);
    return harness_format("%s", about.name);
}

static const char *const precision_words[] = {"fp32", "tf32"}; /* of ag_precision */

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
    harness_say("--device auto takes cuda (%s)", name_of(AG_CUDA));
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
    return harness_run_failed(tape, harness_format("scoring %.150s", name), fewer, why);
}

void harness_device_to_config(json_t *config, const harness_options *options)
{
    const harness_common *common = options->values;
    const ag_device device = harness_device(common->device);
    json_object_set_new(config, "device", json_string(harness_device_word(device)));
    json_object_set_new(config, "device_name", harness_json_name(name_of(device)));
    if (device != AG_CPU)
        json_object_set_new(config, "precision", json_string(precision_words[common->precision]));
}

/* "cuda (NVIDIA H100 80GB HBM3, products in tf32)", "cpu (AMD EPYC 9654)"; fp32 is not named. NULL:
   the object, which it takes, has no device. */
static const char *text_of(json_t *about)
{
    const char *device = json_string_value(json_object_get(about, "device")),
               *name = json_string_value(json_object_get(about, "device_name")),
               *precision = json_string_value(json_object_get(about, "precision")), *text = NULL;
    const bool plain = !precision || strcmp(precision, precision_words[AG_FP32]) == 0;
    if (device && name)
        text = harness_format("%s (%s%s%s)", device, name, plain ? "" : ", products in ",
                              plain ? "" : precision);
    json_decref(about);
    return text;
}

static const char *begun_on(const char *folder)
{
    ag_failure none = {0};
    return text_of(harness__load_json(harness_format("%s/" HARNESS_CONFIG, folder), &none));
}

static const char *now_on(const harness_options *options)
{
    json_t *about = json_object();
    harness_device_to_config(about, options);
    return text_of(about);
}

void harness_device_changed(const char *folder, const harness_options *options)
{
    const char *begun = begun_on(folder), *now = now_on(options);
    if (begun && now && strcmp(begun, now) != 0 &&
        (strncmp(now, "cpu ", 4) != 0 || strncmp(begun, "cpu ", 4) != 0))
        harness_warn("the run was begun on %s and goes on on %s, so its results differ in rounding "
                     "from those of either alone",
                     begun, now);
}

const char *harness_device_report(const char *folder, const harness_options *options)
{
    const char *begun = begun_on(folder), *now = now_on(options);
    return begun && strcmp(begun, now) != 0
               ? harness_format("Begun on %s, ended on %s.", begun, now)
               : harness_format("Computed on %s.", now);
}
