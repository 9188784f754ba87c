/* SPDX-License-Identifier: MIT */
/* `tpgnn inspect`: the contents of files of schedules, task by task. */
#include "examples/harness/files/files.h"
#include "examples/harness/run/inspect.h"
#include "examples/lab/measure/noise.h"
#include "examples/tpgnn/shell.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

typedef struct summary {
    double nodes, stores;            /* medians */
    double fastest, median, slowest; /* ns */
    double noise, spread;            /* of ln(run time) */
    int noisy, origin[TPGNN_ORIGINS];
} summary;

static summary sum_up(const tpgnn_data *data, const tpgnn_task *task)
{
    const tpgnn_schedule *s = &data->schedule[task->first];
    const int n = task->schedules;
    int64_t *ns = harness_alloc(3 * (size_t)n * sizeof *ns), *first = ns + n, *second = first + n;
    double *nodes = harness_alloc(3 * (size_t)n * sizeof *nodes), *stores = nodes + n,
           *times = stores + n;
    summary t = {.fastest = (double)s->runtime};
    for (int i = 0; i < n; i++) {
        nodes[i] = s[i].nodes;
        stores[i] = s[i].stores;
        times[i] = (double)s[i].runtime;
        ns[i] = s[i].runtime;
        first[i] = s[i].pass[0];
        second[i] = s[i].pass[1];
        t.fastest = fmin(t.fastest, (double)ns[i]);
        t.slowest = fmax(t.slowest, (double)ns[i]);
        t.noisy += s[i].noisy;
        t.origin[s[i].origin]++;
    }
    t.nodes = lab_median(nodes, n);
    t.stores = lab_median(stores, n);
    t.median = lab_median(times, n);
    t.noise = lab_time_noise(first, second, n);
    t.spread = lab_time_spread(ns, n);
    harness_free(ns);
    harness_free(nodes);
    return t;
}

/* ---- children of loops that say nothing new ---- */

typedef struct silent {
    int64_t minima,
        extents; /* minima of 0; constant extents, which are the value of the loop node, too */
} silent;

/* children [nodes]: the number of children of each node. A loop's last three are minimum, extent
   and body. */
static void count_silent(silent *sum, const tpgnn_data *data, const tpgnn_schedule *s,
                         const int32_t *children)
{
    for (int v = 1; v < s->nodes; v++) {
        const int up = s->parent[v];
        if (children[v] || children[up] < 3 || !tpgnn_is_class(data, s, up, "For") ||
            !tpgnn_is_class(data, s, v, "IntImm"))
            continue;
        const int from_end = children[up] - s->position[v];
        sum->minima += from_end == 3 && s->value[v] == 0;
        sum->extents += from_end == 2 && s->value[v] == s->value[up];
    }
}

static silent find_silent(const tpgnn_data *data)
{
    silent sum = {0};
    for (int i = 0; i < data->schedules; i++) {
        const tpgnn_schedule *s = &data->schedule[i];
        int32_t *children = harness_alloc((size_t)s->nodes * sizeof *children);
        for (int v = 1; v < s->nodes; v++) children[s->parent[v]]++;
        count_silent(&sum, data, s, children);
        harness_free(children);
    }
    return sum;
}

/* ---- rows and totals ---- */

static void add_row(harness_inspection *to, const tpgnn_data *data, const tpgnn_task *task,
                    const char *name)
{
    static const char *const origin[TPGNN_ORIGINS] = {"random", "mutated", "own", "tuned"};
    const summary t = sum_up(data, task);
    json_t *origins = json_object();
    for (int i = 0; i < TPGNN_ORIGINS; i++)
        json_object_set_new(origins, origin[i], json_integer(t.origin[i]));
    harness_inspect_row(to);
    harness_inspect_text(to, "task", "task", name);
    harness_inspect_text(to, "family", NULL, data->family[task->family]);
    harness_inspect_count(to, "schedules", "schedules", task->schedules);
    harness_inspect_number(to, "median_nodes", "nodes (median)", t.nodes, 0);
    harness_inspect_number(to, "median_stores", "stores (median)", t.stores, 0);
    harness_inspect_ns(to, "fastest_ns", "fastest us", (int64_t)t.fastest, 1);
    harness_inspect_number(to, "median_ns", NULL, t.median, 0);
    harness_inspect_number(to, NULL, "median/fastest", t.median / t.fastest, 2);
    harness_inspect_number(to, NULL, "slowest/fastest", t.slowest / t.fastest, 1);
    harness_inspect_count(to, "slowest_ns", NULL, (int64_t)t.slowest);
    harness_inspect_number(to, "noise", "noise", t.noise, 4);
    harness_inspect_number(to, "spread", "spread", t.spread, 2);
    harness_inspect_count(to, "noisy", "noisy", t.noisy);
    json_object_set_new(to->row, "origins", origins);
}

static json_t *totals_json(const tpgnn_data *data, const silent *silent, const tpgnn_unseen *u,
                           json_t *rows)
{
    json_t *words = json_object();
    for (int f = 0; f < TPGNN_FIELDS; f++)
        json_object_set_new(words, tpgnn_field_names[f], json_integer(data->own.words[f] - 1));
    return json_pack("{so si si sI sI sI sI sI sI si so}", "tasks", rows, "families",
                     data->families, "schedules", data->schedules, "nodes", (json_int_t)data->nodes,
                     "stores", (json_int_t)data->stores, "prunable_minima",
                     (json_int_t)silent->minima, "prunable_extents", (json_int_t)silent->extents,
                     "extents", (json_int_t)u->extents, "unknown_extents",
                     (json_int_t)u->no_constant, "kinds", data->kinds, "words", words);
}

static char *totals_text(const tpgnn_data *data, const silent *silent)
{
    const double percent = 100 / (double)data->nodes;
    const int *words = data->own.words;
    return harness_text(
        "\n%lld nodes; %lld minima of loops (%.1f %%) and %lld extents (%.1f %%) say nothing "
        "new\n%lld stored buffers\n"
        "%d kinds of nodes: %d types of %d classes, %d kinds of loops, %d element types, %d "
        "scopes; \"-\" counts where a node has none\n",
        (long long)data->nodes, (long long)silent->minima, (double)silent->minima * percent,
        (long long)silent->extents, (double)silent->extents * percent, (long long)data->stores,
        data->kinds, words[TPGNN_TYPE] - 1, words[TPGNN_CLASS] - 1, words[TPGNN_LOOP] - 1,
        words[TPGNN_DTYPE] - 1, words[TPGNN_SCOPE] - 1);
}

void tpgnn_inspect(harness_inspection *to, const void *files)
{
    const tpgnn_data *data = &((const tpgnn_files *)files)->scored;
    const silent silent = find_silent(data);
    to->title = harness_text("Schedules: %d of %d tasks of %d families", data->schedules,
                             data->tasks, data->families);
    ag_arena *memory = NULL;
    char **name = harness_files_names(&memory, data->paths.path, data->tasks, ".npz");
    for (int i = 0; i < data->tasks; i++) add_row(to, data, &data->task[i], name[i]);
    ag_arena_free(memory);
    tpgnn_unseen u = tpgnn_unseen_count(data, NULL);
    to->text = totals_text(data, &silent);
    to->json = totals_json(data, &silent, &u, to->json);
    tpgnn_unseen_free(&u);
}
