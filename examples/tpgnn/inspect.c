/* SPDX-License-Identifier: MIT */
/* `tpgnn inspect`: the contents of files of schedules, task by task. */
#include "examples/harness/files/files.h"
#include "core/memory.h"
#include "examples/harness/commands/inspect.h"
#include "examples/harness/rank/noise.h"
#include "examples/tpgnn/hooks.h"

#include <jansson.h>

static void add_times(harness_inspection *to, const tpgnn_schedule *s, int n)
{
    int64_t *ns = HARNESS_NEW(ns, 3 * (size_t)n), *first = ns + n, *second = first + n;
    double *times = HARNESS_NEW(times, n);
    int noisy = 0;
    for (int i = 0; i < n; i++) {
        times[i] = (double)(ns[i] = s[i].runtime);
        first[i] = s[i].pass[0];
        second[i] = s[i].pass[1];
        noisy += s[i].noisy;
    }
    harness_sort(times, n);
    const double median = harness_average(times, n).median;
    const double fastest = times[0], slowest = times[n - 1];
    harness_inspect_ns(to, "fastest_ns", "fastest us", (int64_t)fastest, 1);
    harness_inspect_number(to, "median_ns", NULL, median, 0);
    harness_inspect_number(to, NULL, "median/fastest", median / fastest, 2);
    harness_inspect_number(to, NULL, "slowest/fastest", slowest / fastest, 1);
    harness_inspect_count(to, "slowest_ns", NULL, (int64_t)slowest);
    harness_inspect_number(to, "noise", "noise", harness_time_noise(first, second, n), 4);
    harness_inspect_number(to, "spread", "spread", harness_time_spread(ns, n), 2);
    harness_inspect_count(to, "noisy", "noisy", noisy);
    harness_free(ns);
    harness_free(times);
}

static void add_row(harness_inspection *to, const tpgnn_data *data, const tpgnn_task *task,
                    const char *name)
{
    const tpgnn_schedule *s = &data->schedule[task->first];
    const int n = task->schedules;
    double *nodes = HARNESS_NEW(nodes, 2 * (size_t)n), *stores = nodes + n;
    for (int i = 0; i < n; i++) {
        nodes[i] = s[i].nodes;
        stores[i] = s[i].stores;
    }
    harness_inspect_row(to);
    harness_inspect_text(to, "task", "task", name);
    harness_inspect_text(to, "family", NULL, data->family[task->family]);
    harness_inspect_count(to, "schedules", "schedules", n);
    harness_inspect_number(to, "median_nodes", "nodes (median)", harness_average(nodes, n).median,
                           0);
    harness_inspect_number(to, "median_stores", "stores (median)",
                           harness_average(stores, n).median, 0);
    add_times(to, s, n);
    harness_free(nodes);
}

void tpgnn_inspect(harness_inspection *to, const void *files)
{
    const tpgnn_data *data = &((const tpgnn_files *)files)->scored;
    to->title = harness_text("Schedules: %d of %d tasks of %d families", data->schedules,
                             data->tasks, data->families);
    ag_arena *memory = NULL;
    char **name = harness_files_names(&memory, data->paths.path, data->tasks, ".npz");
    for (int i = 0; i < data->tasks; i++) add_row(to, data, &data->task[i], name[i]);
    ag_arena_free(memory);
    to->text = harness_text("\n%lld nodes, %lld stored buffers\n", (long long)data->nodes,
                            (long long)data->stores);
    to->json = json_pack("{so si si sI sI}", "tasks", to->json, "families", data->families,
                         "schedules", data->schedules, "nodes", (json_int_t)data->nodes, "stores",
                         (json_int_t)data->stores);
}
