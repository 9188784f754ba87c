/* SPDX-License-Identifier: MIT */
#include "examples/harness/machine/doctor.h"
#include "core/core.h"
#include "examples/harness/machine/device.h"
#include "examples/harness/cli/options_internal.h"
#include "examples/harness/machine/processor.h"
#include "examples/harness/machine/selftest.h"
#include "examples/harness/machine/threads.h"

#include <jansson.h>
#include <unistd.h>

#ifdef __clang__
# define COMPILER "clang " __VERSION__
#else
# define COMPILER "gcc " __VERSION__
#endif

static void add(json_t *found, harness_table *table, const char *name, char *text)
{
    json_object_set_new(found, name, json_string(text));
    harness_table_text(table, name);
    harness_table_text(table, text);
    harness_free(text);
}

static void add_machine(json_t *found, harness_table *table)
{
    char name[128];
    int64_t all, available;
    add(found, table, "processor", harness_copy(harness_processor(name)));
    if (harness_memory(&all, &available))
        add(found, table, "memory", harness_copy("unknown"));
    else
        add(found, table, "memory",
            harness_text("%.1f GiB, %.1f GiB available", (double)all / (1 << 30),
                         (double)available / (1 << 30)));
    add(found, table, "threads",
        harness_text("%d of %ld processors", ag_threads(), sysconf(_SC_NPROCESSORS_ONLN)));
    add(found, table, "products", harness_text("%s instructions", ag_isa()));
    add(found, table, "compiler", harness_copy(COMPILER));
}

static char *version(int number)
{
    return harness_text("%d.%d", number / 1000, number % 1000 / 10);
}

/* Toolkit, driver and device, whether this call computes there or not. */
static void add_cuda(json_t *found, harness_table *table)
{
    ag_device_about about;
    ag_failure why = {0};
    const ag_status status = ag_device_open(&why);
    ag_device_describe(&about);
    if (!about.built) {
        add(found, table, "cuda", harness_copy("not built"));
        return;
    }
    char *built = version(about.built);
    add(found, table, "cuda",
        harness_text("built %s %s",
                     about.on_host ? "for tests on the CPU, as with toolkit" : "with toolkit",
                     built));
    harness_free(built);
    add(found, table, "driver",
        about.driver ? version(about.driver) : harness_copy("there is none"));
    if (*about.name) {
        add(found, table, "device", harness_printable(about.name));
        add(found, table, "capability", harness_text("%d.%d", about.major, about.minor));
    }
    if (about.bytes)
        add(found, table, "device memory",
            harness_text("%.1f GiB, %.1f GiB free", (double)about.bytes / (1 << 30),
                         (double)about.unused / (1 << 30)));
    if (status != AG_OK) add(found, table, "no device", harness_copy(why.sentence));
}

/* Adds the results; returns a failure when one is wrong. */
static ag_status add_selftests(json_t *found, harness_table *table, const harness_selftest *tests,
                               ag_device device, ag_failure *why)
{
    ag_status status = AG_OK;
    json_t *list = json_array();
    for (int i = 0; i < HARNESS_SELFTESTS; i++) {
        const harness_selftest *t = &tests[i];
        const int good = t->error <= t->bound;
        json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:b}", "name", t->name, "error",
                                              t->error, "bound", t->bound, "right", good));
        harness_table_text(table, i ? "" : "self-test");
        char *text =
            harness_text("%s on %s: %s, error %.1e, at most %.1e", t->name,
                         harness_device_word(device), good ? "right" : "WRONG", t->error, t->bound);
        harness_table_text(table, text);
        harness_free(text);
        if (!good && status == AG_OK)
            status = ag_fail(why, AG_ESHAPE,
                             "the self-test \"%s\" on %s is wrong by %.1e, but at most %.1e is "
                             "rounding; build again, and look at the machine if that does not help",
                             t->name, harness_device_word(device), t->error, t->bound);
    }
    json_object_set_new(found, "selftest", list);
    return status;
}

static ag_status test_device(json_t *found, harness_table *table, const harness_common *common,
                             ag_failure *why)
{
    harness_selftest tests[HARNESS_SELFTESTS];
    const ag_device device = harness_device(common->device);
    ag_tape *tape = harness_tape_new(common, why);
    if (!tape) return why->status;
    ag_status status = harness_selftest_run(tests, tape, why);
    ag_tape_free(tape);
    return status == AG_OK ? add_selftests(found, table, tests, device, why) : status;
}

ag_status harness_doctor(harness_call *call, ag_failure *why)
{
    static const char *const columns[] = {"what", "found"};
    const int *device = harness__value(call->options, "device", HARNESS_CHOICE),
              *threads = harness__value(call->options, "threads", HARNESS_INT);
    const bool *json = harness__value(call->options, "json", HARNESS_BOOL);
    const harness_common common = {.device = device ? *device : AG_CPU,
                                   .threads = threads ? *threads : 0};
    json_t *found = json_object();
    harness_table *table = harness_table_new("this machine", columns, 2);
    add(found, table, "program",
        harness_text("%s %s", call->program->name, call->program->version));
    harness_threads_start(common.threads);
    add_machine(found, table);
    add_cuda(found, table);
    ag_status status = test_device(found, table, &common, why), printed = AG_OK;
    if (json && *json)
        printed = harness_json_print(found, why);
    else
        harness_table_print(stdout, table);
    if (!json || !*json) json_decref(found);
    harness_table_free(table);
    return status == AG_OK ? printed : status;
}
