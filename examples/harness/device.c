/* SPDX-License-Identifier: MIT */
#include "examples/harness/device.h"

#include "core/cuda/device.h"
#include "examples/harness/options_internal.h"
#include "examples/harness/processor.h"
#include "examples/harness/run_internal.h"
#include "examples/harness/threads.h"
#include "ops/ops.h"

#include <jansson.h>
#include <string.h>
#include <unistd.h>

/* ---- which one ----------------------------------------------------------------------------------
 */

ag_device harness_device(int wanted)
{
    if (wanted != HARNESS_ON_ANY) return (ag_device)wanted;
    return ag__device_open(NULL) == AG_OK ? AG_CUDA : AG_CPU;
}

const char *harness_device_word(ag_device device) { return device == AG_CUDA ? "cuda" : "cpu"; }

static char *name_of(ag_device device)
{
    char processor[128];
    ag__device_about about;
    if (device == AG_CPU) return harness_copy(harness_processor(processor));
    ag__device_describe(&about);
    return harness_copy(about.name);
}

char *harness_device_text(ag_device device)
{
    char *name = name_of(device);
    char *text = harness_text("%s (%s)", harness_device_word(device), name);
    harness_free(name);
    return text;
}

/* ---- a tape -------------------------------------------------------------------------------------
 */

/* What auto took, and why not the other: the reason without its remedy. */
static void say_taken(void)
{
    static int said; /* a study has many runs */
    ag_failure why = {0};
    if (said++) return;
    if (ag__device_open(&why)) {
        harness_say("--device auto takes cpu: %.*s", (int)strcspn(why.sentence, ";"), why.sentence);
        return;
    }
    char *text = harness_device_text(AG_CUDA);
    harness_say("--device auto takes %s", text);
    harness_free(text);
}

/* A library that is needed for products says now that it cannot be had, and what it needs of the
   device's memory is taken. */
static void try_product(ag_tape *tape)
{
    const ag_real one = 1;
    ag_tensor *y =
        ag_linear(ag_input(tape, &one, AG_SHAPE(1, 1)), ag_input(tape, &one, AG_SHAPE(1, 1)), NULL);
    ag_forward(y);
    ag_item(y);
    if (!ag_failed(tape)) ag_tape_reset(tape);
}

ag_tape *harness_tape_new(const harness_common *common, ag_failure *why)
{
    harness_threads_start(common->threads);
    if (common->device == HARNESS_ON_ANY) say_taken();
    ag_tape *tape = ag_tape_new(harness_device(common->device));
    if (ag_tape_device(tape) != AG_CPU && !ag_failed(tape)) try_product(tape);
    if (!ag_failed(tape)) return tape;
    ag_fail(why, ag_tape_status(tape), "%s", ag_error(tape));
    ag_tape_free(tape);
    return NULL;
}

/* ---- config.json and the report -----------------------------------------------------------------
 */

/* -1: the command has no device. */
static int device_of(const harness_options *options)
{
    const int *wanted = harness__value(options, "device", HARNESS_CHOICE);
    return wanted ? (int)harness_device(*wanted) : -1;
}

void harness_device_to_config(json_t *config, const harness_options *options)
{
    const int device = device_of(options);
    if (device < 0) return;
    char *name = name_of((ag_device)device);
    json_object_set_new(config, "device", json_string(harness_device_word((ag_device)device)));
    json_object_set_new(config, "device_name", harness_json_name(name));
    harness_free(name);
}

/* Where the run was begun, as harness_device_text has it; NULL: config.json does not say. */
static char *begun_on(const char *folder)
{
    ag_failure none = {0};
    char *path = harness_text("%s/" HARNESS_CONFIG, folder), *text = NULL;
    json_t *config = access(path, R_OK) == 0 ? harness__load_json(path, &none) : NULL;
    const char *word = json_string_value(json_object_get(config, "device")),
               *name = json_string_value(json_object_get(config, "device_name"));
    if (word && name) text = harness_text("%s (%s)", word, name);
    json_decref(config);
    harness_free(path);
    return text;
}

void harness_device_changed(const char *folder, const harness_options *options)
{
    const int device = device_of(options);
    char *begun = begun_on(folder),
         *now = device < 0 ? NULL : harness_device_text((ag_device)device);
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
    char *begun = begun_on(folder), *now = harness_device_text((ag_device)device), *text;
    if (begun && strcmp(begun, now) != 0)
        text = harness_text("Begun on %s, ended on %s.", begun, now);
    else
        text = harness_text("Computed on %s.", now);
    harness_free(begun);
    harness_free(now);
    return text;
}
