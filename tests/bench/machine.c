/* SPDX-License-Identifier: MIT */
/* The head of a report: the machine, the compiler and the device. */
#include "bench.h"

#include "examples/lab/measure/manifest.h"

static const char *text(const json_t *json, const char *key)
{
    const char *found = json_string_value(json_object_get(json, key));
    return found ? found : "?";
}

json_t *bench_head(void)
{
    char date[128];
    json_t *lab = lab_machine(0, 0, 0, 0);
    json_t *head =
        json_pack("{s:s, s:s, s:s, s:s, s:i}", "format", "augur-bench-3", "date", lab_date(date),
                  "build", BENCH_BUILD, "instructions", ag_isa(), "threads", ag_threads());
    static const char *const keys[] = {"compiler", "cpu", "cpu_numbers", "cores", "system"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_object_set(head, keys[i], json_object_get(lab, keys[i]));
    const json_t *numbers = json_object_get(lab, "cpu_numbers");
    printf("%s\n%s (family %s, model %s, stepping %s), %d cores, %d threads used, %s\n",
           text(head, "date"), text(head, "cpu"), text(numbers, "cpu family"),
           text(numbers, "model"), text(numbers, "stepping"),
           (int)json_integer_value(json_object_get(head, "cores")), ag_threads(),
           text(head, "system"));
    printf("compiled by %s, %s; products use %s\n", text(head, "compiler"), BENCH_BUILD, ag_isa());
    bench_device_json(head);
    json_decref(lab);
    return head;
}
