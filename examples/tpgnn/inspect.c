/* SPDX-License-Identifier: MIT */
/* `tpgnn inspect`: the contents of files of schedules, task by task. */
#include "examples/harness/files/files.h"
#include "examples/harness/run/inspect.h"
#include "examples/lab/measure/noise.h"
#include "examples/tpgnn/shell.h"

#include <jansson.h>

static void add_times(harness_inspection *to, const tpgnn_schedule *s, int n)
{
    int64_t *ns = harness_alloc(3 * (size_t)n * sizeof *ns), *first = ns + n, *second = first + n;
    double *times = harness_alloc((size_t)n * sizeof *times);
    int noisy = 0;
    for (int i = 0; i < n; i++) {
        times[i] = (double)(ns[i] = s[i].runtime);
        first[i] = s[i].pass[0];
        second[i] = s[i].pass[1];
        noisy += s[i].noisy;
    }
    const double median = lab_median(times, n), fastest = times[0], slowest = times[n - 1];
    harness_inspect_ns(to, "fastest_ns", "fastest us", (int64_t)fastest, 1);
    harness_inspect_number(to, "median_ns", NULL, median, 0);
    harness_inspect_number(to, NULL, "median/fastest", median / fastest, 2);
    harness_inspect_number(to, NULL, "slowest/fastest", slowest / fastest, 1);
    harness_inspect_count(to, "slowest_ns", NULL, (int64_t)slowest);
    harness_inspect_number(to, "noise", "noise", lab_time_noise(first, second, n), 4);
    harness_inspect_number(to, "spread", "spread", lab_time_spread(ns, n), 2);
    harness_inspect_count(to, "noisy", "noisy", noisy);
    harness_free(ns);
    harness_free(times);
}

static void add_row(harness_inspection *to, const tpgnn_data *data, const tpgnn_task *task,
                    const char *name)
{
    static const char *const origin[TPGNN_ORIGINS] = {"random", "mutated", "own", "tuned"};
    const tpgnn_schedule *s = &data->schedule[task->first];
    const int n = task->schedules;
    double *nodes = harness_alloc(2 * (size_t)n * sizeof *nodes), *stores = nodes + n;
    int origins[TPGNN_ORIGINS] = {0};
    for (int i = 0; i < n; i++) {
        nodes[i] = s[i].nodes;
        stores[i] = s[i].stores;
        origins[s[i].origin]++;
    }
    harness_inspect_row(to);
    harness_inspect_text(to, "task", "task", name);
    harness_inspect_text(to, "family", NULL, data->family[task->family]);
    harness_inspect_count(to, "schedules", "schedules", n);
    harness_inspect_number(to, "median_nodes", "nodes (median)", lab_median(nodes, n), 0);
    harness_inspect_number(to, "median_stores", "stores (median)", lab_median(stores, n), 0);
    add_times(to, s, n);
    json_t *list = json_object();
    for (int i = 0; i < TPGNN_ORIGINS; i++)
        json_object_set_new(list, origin[i], json_integer(origins[i]));
    json_object_set_new(to->row, "origins", list);
    harness_free(nodes);
}

static json_t *totals_json(const tpgnn_data *data, const tpgnn_unseen *u, json_t *rows)
{
    json_t *words = json_object();
    for (int f = 0; f < TPGNN_FIELDS; f++)
        json_object_set_new(words, tpgnn_field_names[f], json_integer(data->own.words[f] - 1));
    return json_pack("{so si si sI sI sI sI si so}", "tasks", rows, "families", data->families,
                     "schedules", data->schedules, "nodes", (json_int_t)data->nodes, "stores",
                     (json_int_t)data->stores, "extents", (json_int_t)u->extents, "unknown_extents",
                     (json_int_t)u->no_constant, "kinds", data->kinds, "words", words);
}

static char *totals_text(const tpgnn_data *data)
{
    const int *words = data->own.words;
    return harness_text(
        "\n%lld nodes, %lld stored buffers\n"
        "%d kinds of nodes: %d types of %d classes, %d kinds of loops, %d element types, %d "
        "scopes; \"-\" counts where a node has none\n",
        (long long)data->nodes, (long long)data->stores, data->kinds, words[TPGNN_TYPE] - 1,
        words[TPGNN_CLASS] - 1, words[TPGNN_LOOP] - 1, words[TPGNN_DTYPE] - 1,
        words[TPGNN_SCOPE] - 1);
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
    tpgnn_unseen u = tpgnn_unseen_count(data, NULL);
    to->text = totals_text(data);
    to->json = totals_json(data, &u, to->json);
    harness_free(u.nodes);
}
