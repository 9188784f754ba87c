/* SPDX-License-Identifier: MIT */
#include "examples/harness/machine/doctor.h"
#include "core/core.h"
#include "examples/harness/machine/device.h"
#include "examples/harness/cli/options_internal.h"
#include "examples/harness/machine/processor.h"
#include "examples/harness/machine/threads.h"

#include <jansson.h>
#include <unistd.h>

#ifdef __clang__
# define COMPILER "clang " __VERSION__
#else
# define COMPILER "gcc " __VERSION__
#endif

/* Names and texts, for --json and as a table. */
typedef struct found {
    json_t *json;
    harness_table *table;
} found;

static void add(const found *f, const char *name, const char *text)
{
    json_object_set_new(f->json, name, json_string(text));
    harness_table_text(f->table, name);
    harness_table_text(f->table, text);
}

static void add_machine(const found *f)
{
    char name[128];
    int64_t all, available;
    add(f, "processor", harness_processor(name));
    add(f, "memory",
        harness_memory(&all, &available)
            ? "unknown"
            : harness_format("%.1f GiB, %.1f GiB available", (double)all / (1 << 30),
                             (double)available / (1 << 30)));
    add(f, "threads",
        harness_format("%d of %ld processors", ag_threads(), sysconf(_SC_NPROCESSORS_ONLN)));
    add(f, "products", harness_format("%s instructions", ag_isa()));
    add(f, "compiler", COMPILER);
}

static const char *version(int number)
{
    return harness_format("%d.%d", number / 1000, number % 1000 / 10);
}

/* Toolkit, driver and device, whether this call computes there or not. */
static void add_cuda(const found *f)
{
    ag_device_about about;
    ag_failure why = {0};
    const ag_status status = ag_device_open(&why);
    ag_device_describe(&about);
    if (!about.built) {
        add(f, "cuda", "not built");
        return;
    }
    add(f, "cuda",
        harness_format("built %s %s",
                       about.on_host ? "for tests on the CPU, as with toolkit" : "with toolkit",
                       version(about.built)));
    add(f, "driver", about.driver ? version(about.driver) : "there is none");
    if (*about.name) {
        char *name = harness_printable(about.name);
        add(f, "device", name);
        add(f, "capability", harness_format("%d.%d", about.major, about.minor));
        harness_free(name);
    }
    if (about.bytes)
        add(f, "device memory",
            harness_format("%.1f GiB, %.1f GiB free", (double)about.bytes / (1 << 30),
                           (double)about.unused / (1 << 30)));
    if (status != AG_OK) add(f, "no device", why.sentence);
}

/* Adds the results. Fails when one is wrong. */
static ag_status add_selftests(const found *f, const harness_selftest *tests, ag_device device,
                               ag_failure *why)
{
    const char *word = harness_device_word(device);
    json_t *list = json_array();
    for (int i = 0; i < HARNESS_SELFTESTS; i++) {
        const harness_selftest *t = &tests[i];
        const bool good = t->error <= t->bound;
        json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:b}", "name", t->name, "error",
                                              t->error, "bound", t->bound, "right", good));
        harness_table_text(f->table, i ? "" : "self-test");
        harness_table_text(f->table,
                           harness_format("%s on %s: %s, error %.1e, at most %.1e", t->name, word,
                                          good ? "right" : "WRONG", t->error, t->bound));
        if (!good && !why->status)
            ag_fail(why, AG_ESHAPE,
                    "the self-test \"%s\" on %s is wrong by %.1e, but at most %.1e is "
                    "rounding; build again, and look at the machine if that does not help",
                    t->name, word, t->error, t->bound);
    }
    json_object_set_new(f->json, "selftest", list);
    return why->status;
}

static ag_status test_device(const found *f, const harness_common *common, ag_failure *why)
{
    harness_selftest tests[HARNESS_SELFTESTS];
    ag_tape *tape = harness_tape_new(common, why);
    if (!tape) return why->status;
    if (!harness_selftest_run(tests, tape, why))
        add_selftests(f, tests, harness_device(common->device), why);
    ag_tape_free(tape);
    return why->status;
}

ag_status harness_doctor(harness_call *call, ag_failure *why)
{
    static const char *const columns[] = {"what", "found"};
    const int *device = harness__value(call->options, "device", HARNESS_CHOICE),
              *threads = harness__value(call->options, "threads", HARNESS_INT);
    const bool *json = harness__value(call->options, "json", HARNESS_BOOL);
    const harness_common common = {.device = device ? *device : AG_CPU,
                                   .threads = threads ? *threads : 0};
    const found f = {json_object(), harness_table_new("this machine", columns, 2)};
    ag_failure printing = {0};
    add(&f, "program", harness_format("%s %s", call->program->name, call->program->version));
    harness_threads_start(common.threads);
    add_machine(&f);
    add_cuda(&f);
    test_device(&f, &common, why);
    if (json && *json)
        harness_json_print(json_incref(f.json), &printing);
    else
        harness_table_print(stdout, f.table);
    json_decref(f.json);
    harness_table_free(f.table);
    if (!why->status) *why = printing;
    return why->status;
}
