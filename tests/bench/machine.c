/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include "device.h"
#include "examples/lab/measure/manifest.h"
#include "isa.h"
#include "onednn.h"

#include <string.h>

#if defined(__clang__)
# define COMPILER "clang " __clang_version__
#else
# define COMPILER "gcc " __VERSION__
#endif

static void set(json_t *json, const char *key, const char *value)
{
    json_object_set_new(json, key, json_string(value));
}

json_t *bench_machine_json(void)
{
    char text[128];
    json_t *m = json_object(), *lab = lab_machine(0, 0, 0, 0);
    set(m, "format", "augur-bench-1");
    set(m, "date", lab_date(text));
    json_object_set(m, "cpu", json_object_get(lab, "cpu"));
    json_object_set(m, "cpu_numbers", json_object_get(lab, "cpu_numbers"));
    json_object_set(m, "cores", json_object_get(lab, "cores"));
    json_object_set(m, "system", json_object_get(lab, "system"));
    json_object_set_new(m, "threads", json_integer(ag_threads()));
    set(m, "compiler", COMPILER);
    set(m, "build", BENCH_BUILD);
    set(m, "flags", BENCH_FLAGS);
    set(m, "isa_compiled", bench_isa_name(bench_isa_compiled()));
    set(m, "isa_used", bench_isa_name(bench_isa_used()));
    set(m, "isa_processor", bench_isa_name(bench_isa_of_processor()));
    set(m, "onednn", bench_onednn_text(text));
    bench_device_json(m);
    json_decref(lab);
    return m;
}

static const char *get(const json_t *json, const char *key)
{
    const char *text = json_string_value(json_object_get(json, key));
    return text ? text : "?";
}

void bench_machine_print(json_t *m, int turns)
{
    const json_t *numbers = json_object_get(m, "cpu_numbers");
    for (int i = 0; i < turns; i++) {
        bench_probe();
        bench_evict();
    }
    printf("%s\n%s (family %s, model %s, stepping %s), %d cores, %d threads used, %s\n",
           get(m, "date"), get(m, "cpu"), get(numbers, "cpu family"), get(numbers, "model"),
           get(numbers, "stepping"), (int)json_integer_value(json_object_get(m, "cores")),
           ag_threads(), get(m, "system"));
    printf("compiled by %s, %s, for %s (%s); used: %s; the processor has %s\n", get(m, "compiler"),
           get(m, "build"), get(m, "isa_compiled"), get(m, "flags"), get(m, "isa_used"),
           get(m, "isa_processor"));
    printf("beside the products: %s\n", get(m, "onednn"));
    bench_device_print();
    printf("probes: %.1f GFLOP/s of %s, %.1f GB/s of %s, read and written\n", bench_best.fma * 1e-9,
           bench_device == AG_CPU ? "FMA in registers" : "a square product on the device",
           bench_best.copy * 1e-9,
           bench_device == AG_CPU ? "memcpy (64 MiB)" : "a copy within the device");
}

json_t *bench_machine_peer(const json_t *rows)
{
    static const char *const keys[] = {"python", "torch", "pyg", "onednn", "isa"};
    json_t *found = NULL, *row, *peer;
    const char *form;
    size_t i;
    json_array_foreach(rows, i, row) json_object_foreach(json_object_get(row, "peers"), form, peer)
    {
        const json_t *about = json_object_get(peer, "about");
        for (size_t k = 0; about && k < sizeof keys / sizeof *keys; k++) {
            json_t *value = json_object_get(about, keys[k]);
            if (!found) found = json_object();
            if (value && !json_object_get(found, keys[k])) json_object_set(found, keys[k], value);
        }
    }
    return found ? found : json_null();
}
