/* SPDX-License-Identifier: MIT */
/* Describes this machine, and tests whether it computes correctly. */
#include "examples/harness/commands/doctor.h"
#include "examples/harness/base/base.h"
#include "examples/harness/report/report.h"
#include "examples/harness/machine/device.h"
#include "examples/harness/machine/processor.h"
#include "examples/harness/machine/threads.h"

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <unistd.h>

#ifdef __clang__
# define COMPILER "clang " __VERSION__
#else
# define COMPILER "gcc " __VERSION__
#endif

#ifndef AG_MPI /* the library that ranks need */
# define AG_MPI "not built"
#endif

/* Sizes that no tile and no vector divides, and more terms than a product adds in one pass. */
enum { NODES = 301, INNER = 293, COLUMNS = 131, EDGES = 601 };

/* Each value is a sum in float, in any order, of products of 293 terms of some 4 neighbours, of 20
   at most: each addition rounds by 6e-8 at most. */
static const double bound = (293 + 20) * 6e-8;

static void draw(ag_real *x, int n, ag_random *r)
{
    for (int i = 0; i < n; i++) x[i] = (ag_real)(2 * ag_random_uniform(r) - 1);
}

/* Half of the nodes have no neighbours. */
static ag_graph *make_graph(ag_random *r, ag_failure *why)
{
    int32_t source[EDGES], target[EDGES];
    for (int i = 0; i < EDGES; i++) {
        source[i] = (int32_t)ag_random_below(r, NODES);
        target[i] = (int32_t)ag_random_below(r, NODES / 2);
    }
    return ag_graph_build(NODES, source, target, EDGES, AG_ALONG, why);
}

/* Relative to the sizes of all terms. */
static double largest_error(const ag_real *got, const ag_real *x, const ag_real *w,
                            const ag_graph *g)
{
    double worst = 0;
    for (int i = 0; i < NODES * COLUMNS; i++) {
        const int first = g->rows[2 * (i / COLUMNS)], count = g->rows[2 * (i / COLUMNS) + 1];
        double sum = 0, size = 0;
        for (int p = first; p < first + count; p++)
            for (int k = 0; k < INNER; k++) {
                const double term =
                    (double)x[g->sources[p] * INNER + k] * (double)w[i % COLUMNS * INNER + k];
                sum += term;
                size += fabs(term);
            }
        const double error = fabs((double)got[i] - sum) / (size > 0 ? size : 1);
        if (!(error <= worst)) worst = isfinite(error) ? error : DBL_MAX;
    }
    return worst;
}

ag_status harness_selftest_run(harness_selftest *result, ag_tape *tape, ag_failure *why)
{
    static ag_real x[NODES * INNER], w[COLUMNS * INNER];
    ag_random r = {0};
    draw(x, NODES * INNER, &r);
    draw(w, COLUMNS * INNER, &r);
    ag_graph *g = make_graph(&r, why);
    *result = (harness_selftest){"products of 293 terms, added over 601 edges", 0, bound};
    if (g) {
        ag_tape_reset(tape);
        ag_tensor *product = ag_linear(ag_input(tape, x, AG_SHAPE(NODES, INNER)),
                                       ag_input(tape, w, AG_SHAPE(COLUMNS, INNER)), NULL);
        ag_tensor *y = ag_spmm(product, ag_graph_edges(tape, g), AG_AGGREGATE_SUM);
        ag_forward(y);
        const ag_real *got = ag_values(y);
        if (got)
            result->error = largest_error(got, x, w, g);
        else
            ag_fail(why, ag_tape_status(tape), "%s", ag_error(tape));
    }
    ag_graph_free(g);
    return why->status;
}

/* Names and texts, for --json and as a table. */
typedef struct found {
    json_t *json;
    harness_table *table;
} found;

static void add_line(const found *f, const char *name, const char *text)
{
    harness_table_text(f->table, "what", name);
    harness_table_text(f->table, "found", text);
}

static void add(const found *f, const char *name, const char *text)
{
    json_object_set_new(f->json, name, json_string(text));
    add_line(f, name, text);
}

static void add_machine(const found *f)
{
    const double all = (double)harness_kib("/proc/meminfo", "MemTotal") / (1 << 20),
                 available = (double)harness_kib("/proc/meminfo", "MemAvailable") / (1 << 20);
    add(f, "processor", harness_processor());
    add(f, "memory",
        all > 0 && available > 0 ? harness_format("%.1f GiB, %.1f GiB available", all, available)
                                 : "unknown");
    add(f, "threads",
        harness_format("%d of %ld processors", ag_threads(), sysconf(_SC_NPROCESSORS_ONLN)));
    add(f, "products", harness_format("%s instructions", ag_isa()));
    add(f, "compiler", COMPILER);
    add(f, "mpi", AG_MPI);
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

/* Adds the result of the self-test, and fails when it is wrong. */
static ag_status test_device(const found *f, const harness_common *common, ag_failure *why)
{
    harness_selftest t;
    const char *word = harness_device_word(harness_device(common->device));
    ag_tape *tape = harness_tape_new(common, why);
    if (tape && !harness_selftest_run(&t, tape, why)) {
        const bool good = t.error <= t.bound;
        json_object_set_new(f->json, "selftest",
                            json_pack("[{s:s, s:f, s:f, s:b}]", "name", t.name, "error", t.error,
                                      "bound", t.bound, "right", good));
        add_line(f, "self-test",
                 harness_format("%s on %s: %s, error %.1e, at most %.1e", t.name, word,
                                good ? "right" : "WRONG", t.error, t.bound));
        if (!good)
            ag_fail(why, AG_ESHAPE,
                    "the self-test \"%s\" on %s is wrong by %.1e, but at most %.1e is "
                    "rounding; build again, and look at the machine if that does not help",
                    t.name, word, t.error, t.bound);
    }
    ag_tape_free(tape);
    return why->status;
}

ag_status harness_doctor(harness_call *call, ag_failure *why)
{
    const harness_common *common = call->values;
    const found f = {json_object(), harness_table_new("this machine")};
    ag_failure printing = {0};
    add(&f, "program", harness_format("%s %s", call->program->name, call->program->version));
    harness_threads_start(common->threads);
    add_machine(&f);
    add_cuda(&f);
    test_device(&f, common, why);
    if (common->json)
        harness_json_print(json_incref(f.json), &printing);
    else
        harness_table_print(stdout, f.table);
    json_decref(f.json);
    harness_table_free(f.table);
    if (!why->status) *why = printing;
    return why->status;
}
