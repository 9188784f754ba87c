/* SPDX-License-Identifier: MIT */
/* Any bytes as a config file, a study, a config.json and a command line, by the first byte. */
#define _GNU_SOURCE /* strtok_r */
#define DEMO_COMMANDS
#include "support/harness_demo.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static ag_status demo_train(harness_call *call, ag_failure *why)
{
    (void)call;
    return why->status;
}
static ag_status demo_eval(harness_call *call, ag_failure *why) { return demo_train(call, why); }

/* A failure has a status and a sentence; a success leaves options that come back through JSON. */
static void check(harness_options *o, ag_status status, const ag_failure *why)
{
    if (status != why->status || (status == AG_OK) != (why->sentence[0] == 0)) abort();
    if (status != AG_OK) return;
    demo_options values;
    ag_failure other = {0};
    harness_options *back = harness_options_new(&demo, HARNESS_TRAIN, &values);
    json_t *json = harness_options_json(o);
    if (harness_options_from_json(back, json, "fuzz", 1, &other) != AG_OK) abort();
    if (harness_options_differ(o, back, false)) abort();
    json_decref(json);
    harness_options_free(back);
}

static ag_status read_argv(harness_options *o, const uint8_t *bytes, size_t n, ag_failure *why)
{
    char *words = calloc(1, n + 1), *argv[64], *rest = NULL;
    int argc = 0;
    if (n) memcpy(words, bytes, n);
    for (char *w = strtok_r(words, "\n", &rest); w && argc < 64; w = strtok_r(NULL, "\n", &rest))
        if (strncmp(w, "--config", 8) != 0) argv[argc++] = w; /* no files of this machine */
    ag_status status = harness_options_argv(o, argc, argv, n % 2 ? "data" : NULL, why);
    free(words);
    return status;
}

static ag_status read_json(harness_options *o, const char *text, size_t n, ag_failure *why)
{
    json_t *json = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);
    ag_status status = harness_options_from_json(o, json, "fuzz", 1, why);
    json_decref(json);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    if (n == 0) return 0;
    demo_options values;
    ag_failure why = {0};
    harness_study study = {0};
    const char *text = (const char *)bytes + 1;
    unsigned kind = bytes[0] % 4;
    harness_options *o =
        harness_options_new(&demo, kind == 1 ? HARNESS_ABLATE : HARNESS_TRAIN, &values);
    ag_status status = kind == 0   ? harness_options_ini(o, "fuzz", text, n - 1, &why)
                       : kind == 1 ? harness_study_parse(&study, "fuzz", text, n - 1, o, &why)
                       : kind == 2 ? read_json(o, text, n - 1, &why)
                                   : read_argv(o, bytes + 1, n - 1, &why);
    check(o, status, &why);
    harness_study_free(&study);
    harness_options_free(o);
    harness_forget();
    return 0;
}
