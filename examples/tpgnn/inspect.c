/* SPDX-License-Identifier: MIT */
/* `tpgnn inspect`: the contents of files of schedules, task by task. */
#include "examples/lab/measure/noise.h"
#include "examples/tpgnn/data/data.h"
#include "examples/tpgnn/program.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

typedef struct summary {
    double nodes, stores;            /* medians */
    double fastest, median, slowest; /* ns */
    double noise, spread;            /* of ln(run time) */
    int noisy, origin[TPGNN_ORIGINS];
} summary;

static double median(const tpgnn_schedule *s, int n, double (*of)(const tpgnn_schedule *))
{
    double *x = harness_alloc((size_t)n * sizeof *x);
    for (int i = 0; i < n; i++) x[i] = of(&s[i]);
    const double middle = lab_median(x, n);
    harness_free(x);
    return middle;
}

static double nodes_of(const tpgnn_schedule *s) { return s->nodes; }
static double stores_of(const tpgnn_schedule *s) { return s->stores; }
static double runtime_of(const tpgnn_schedule *s) { return (double)s->runtime; }

static summary sum_up(const tpgnn_data *data, const tpgnn_task *task)
{
    const tpgnn_schedule *s = &data->schedule[task->first];
    const int n = task->schedules;
    int64_t *ns = harness_alloc(3 * (size_t)n * sizeof *ns), *first = ns + n, *second = first + n;
    summary t = {.nodes = median(s, n, nodes_of),
                 .stores = median(s, n, stores_of),
                 .median = median(s, n, runtime_of),
                 .fastest = (double)s->runtime};
    for (int i = 0; i < n; i++) {
        ns[i] = s[i].runtime;
        first[i] = s[i].pass[0];
        second[i] = s[i].pass[1];
        t.fastest = fmin(t.fastest, (double)ns[i]);
        t.slowest = fmax(t.slowest, (double)ns[i]);
        t.noisy += s[i].noisy;
        t.origin[s[i].origin]++;
    }
    t.noise = lab_time_noise(first, second, n);
    t.spread = lab_time_spread(ns, n);
    harness_free(ns);
    return t;
}

/* ---- children of loops that say nothing new ---- */

typedef struct silent {
    int64_t minima,
        extents; /* minima of 0; constant extents, which are the value of the loop node, too */
} silent;

static int is_class(const tpgnn_data *data, const tpgnn_schedule *s, int v, const char *name)
{
    return !strcmp(data->kind[s->kind[v]].word[TPGNN_CLASS], name);
}

/* children [nodes]: the number of children of each node. A loop's last three are minimum, extent
   and body. */
static void count_silent(silent *sum, const tpgnn_data *data, const tpgnn_schedule *s,
                         const int32_t *children)
{
    for (int v = 1; v < s->nodes; v++) {
        const int up = s->parent[v];
        if (children[v] || children[up] < 3 || !is_class(data, s, up, "For") ||
            !is_class(data, s, v, "IntImm"))
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

/* ---- JSON ---- */

static json_t *task_json(const tpgnn_data *data, const tpgnn_task *task, const summary *t)
{
    static const char *const origin[TPGNN_ORIGINS] = {"random", "mutated", "own", "tuned"};
    json_t *j = json_object(), *origins = json_object();
    for (int i = 0; i < TPGNN_ORIGINS; i++)
        json_object_set_new(origins, origin[i], json_integer(t->origin[i]));
    json_object_set_new(j, "task", harness_json_name(task->name));
    json_object_set_new(j, "family", harness_json_name(data->family[task->family]));
    json_object_set_new(j, "schedules", json_integer(task->schedules));
    json_object_set_new(j, "median_nodes", json_real(t->nodes));
    json_object_set_new(j, "median_stores", json_real(t->stores));
    json_object_set_new(j, "fastest_ns", json_integer((json_int_t)t->fastest));
    json_object_set_new(j, "median_ns", json_real(t->median));
    json_object_set_new(j, "slowest_ns", json_integer((json_int_t)t->slowest));
    json_object_set_new(j, "noise", json_real(t->noise));
    json_object_set_new(j, "spread", json_real(t->spread));
    json_object_set_new(j, "noisy", json_integer(t->noisy));
    json_object_set_new(j, "origins", origins);
    return j;
}

static json_t *data_json(const tpgnn_data *data, const summary *sums)
{
    json_t *j = json_object(), *list = json_array(), *words = json_object();
    const silent silent = find_silent(data);
    for (int i = 0; i < data->tasks; i++)
        json_array_append_new(list, task_json(data, &data->task[i], &sums[i]));
    for (int f = 0; f < TPGNN_FIELDS; f++)
        json_object_set_new(words, tpgnn_field_names[f], json_integer(data->own.words[f] - 1));
    json_object_set_new(j, "tasks", list);
    json_object_set_new(j, "families", json_integer(data->families));
    json_object_set_new(j, "schedules", json_integer(data->schedules));
    json_object_set_new(j, "nodes", json_integer(data->nodes));
    json_object_set_new(j, "stores", json_integer(data->stores));
    json_object_set_new(j, "prunable_minima", json_integer(silent.minima));
    json_object_set_new(j, "prunable_extents", json_integer(silent.extents));
    json_object_set_new(j, "kinds", json_integer(data->kinds));
    json_object_set_new(j, "words", words);
    return j;
}

/* ---- table ---- */

static void table_row(harness_table *table, const tpgnn_task *task, const summary *t)
{
    harness_table_text(table, task->name);
    harness_table_count(table, task->schedules);
    harness_table_number(table, t->nodes, 0);
    harness_table_number(table, t->stores, 0);
    harness_table_number(table, t->fastest * 1e-3, 1);
    harness_table_number(table, t->median / t->fastest, 2);
    harness_table_number(table, t->slowest / t->fastest, 1);
    harness_table_number(table, t->noise, 4);
    harness_table_number(table, t->spread, 2);
    harness_table_count(table, t->noisy);
}

static void print_totals(const tpgnn_data *data)
{
    const double percent = 100 / (double)data->nodes;
    const int *words = data->own.words;
    const silent silent = find_silent(data);
    printf("\n%lld nodes; %lld minima of loops (%.1f %%) and %lld extents (%.1f %%) say nothing "
           "new\n%lld stored buffers\n",
           (long long)data->nodes, (long long)silent.minima, (double)silent.minima * percent,
           (long long)silent.extents, (double)silent.extents * percent, (long long)data->stores);
    printf("%d kinds of nodes: %d types of %d classes, %d kinds of loops, %d element types, %d "
           "scopes; \"-\" counts where a node has none\n",
           data->kinds, words[TPGNN_TYPE] - 1, words[TPGNN_CLASS] - 1, words[TPGNN_LOOP] - 1,
           words[TPGNN_DTYPE] - 1, words[TPGNN_SCOPE] - 1);
}

static void print_data(const tpgnn_data *data, const summary *sums)
{
    static const char *const columns[] = {
        "task",           "schedules",       "nodes (median)", "stores (median)", "fastest us",
        "median/fastest", "slowest/fastest", "noise",          "spread",          "noisy"};
    char *title = harness_text("Schedules: %d of %d tasks of %d families", data->schedules,
                               data->tasks, data->families);
    harness_table *table = harness_table_new(title, columns, 10);
    for (int i = 0; i < data->tasks; i++) table_row(table, &data->task[i], &sums[i]);
    harness_table_print(stdout, table);
    print_totals(data);
    harness_table_free(table);
    harness_free(title);
}

ag_status tpgnn_inspect_command(harness_call *call, ag_failure *why)
{
    const tpgnn_settings *s = call->values;
    tpgnn_data data = {.budget.limit = (size_t)s->shell.common.ram_limit};
    if (!tpgnn_data_read(&data, &s->shell.common.data, "data", why)) {
        summary *sums = harness_alloc((size_t)data.tasks * sizeof *sums + 1);
        for (int i = 0; i < data.tasks; i++) sums[i] = sum_up(&data, &data.task[i]);
        if (s->shell.common.json)
            harness_json_print(data_json(&data, sums), why);
        else
            print_data(&data, sums);
        harness_free(sums);
    }
    tpgnn_data_free(&data);
    return why->status;
}
