/* SPDX-License-Identifier: MIT */
/* Prints the contents of files, program by program. */
#include "examples/tpu/program.h"

#include <jansson.h>
#include <math.h>

typedef struct summary {
    int kernels, least_nodes, most_nodes;
    int64_t nodes, samples, fastest, slowest; /* ns; 0: hidden */
} summary;

static void add(summary *s, const tpu_kernel *k)
{
    if (!s->kernels || k->nodes < s->least_nodes) s->least_nodes = k->nodes;
    if (k->nodes > s->most_nodes) s->most_nodes = k->nodes;
    s->kernels++;
    s->nodes += k->nodes;
    s->samples += k->configs;
    for (int c = 0; k->runtime && c < k->configs; c++) {
        if (!s->fastest || k->runtime[c] < s->fastest) s->fastest = k->runtime[c];
        if (k->runtime[c] > s->slowest) s->slowest = k->runtime[c];
    }
}

static json_t *summary_json(const char *program, const char *family, const summary *s)
{
    json_t *j = json_object();
    json_object_set_new(j, "program", harness_json_name(program));
    json_object_set_new(j, "family", harness_json_name(family));
    json_object_set_new(j, "kernels", json_integer(s->kernels));
    json_object_set_new(j, "nodes", json_integer(s->nodes));
    json_object_set_new(j, "most_nodes", json_integer(s->most_nodes));
    json_object_set_new(j, "samples", json_integer(s->samples));
    json_object_set_new(j, "fastest_ns", json_integer(s->fastest));
    json_object_set_new(j, "slowest_ns", json_integer(s->slowest));
    return j;
}

static double microseconds(int64_t ns) { return ns ? (double)ns * 1e-3 : (double)NAN; }

static void table_row(harness_table *t, const char *program, const char *family, const summary *s)
{
    char nodes[64];
    snprintf(nodes, sizeof nodes, "%d to %d", s->least_nodes, s->most_nodes);
    harness_table_text(t, program);
    harness_table_text(t, family);
    harness_table_count(t, s->kernels);
    harness_table_text(t, nodes);
    harness_table_count(t, s->samples);
    harness_table_number(t, microseconds(s->fastest), 3);
    harness_table_number(t, microseconds(s->slowest), 3);
}

static ag_status show(const tpu_data *data, const summary *s, const int *family, int json,
                      ag_failure *why)
{
    static const char *const columns[] = {"program", "family",     "kernels",   "nodes",
                                          "samples", "fastest us", "slowest us"};
    char *title = harness_text("%s: %d kernels of %d programs of %d families in %d files",
                               data->task == TPU_TILE ? "Tile sizes" : "Fused kernels",
                               data->kernels, data->programs, data->families, data->files);
    harness_table *t = harness_table_new(title, columns, 7);
    json_t *list = json_array();
    for (int p = 0; p < data->programs; p++) {
        const char *name = data->family[family[p]];
        table_row(t, data->program[p], name, &s[p]);
        json_array_append_new(list, summary_json(data->program[p], name, &s[p]));
    }
    if (json)
        harness_json_print(list, why);
    else {
        harness_table_print(stdout, t);
        json_decref(list);
    }
    harness_table_free(t);
    harness_free(title);
    return why->status;
}

ag_status tpu_inspect_command(harness_call *call, ag_failure *why)
{
    const tpu_settings *s = call->values;
    tpu_data data = {.budget.limit = (size_t)s->shell.common.ram_limit};
    if (!tpu_data_read(&data, &s->shell.common.data, "data", why)) {
        const size_t programs = (size_t)data.programs;
        summary *sums = harness_alloc(programs * sizeof *sums + 1);
        int *family = harness_alloc(programs * sizeof *family + 1);
        for (int i = 0; i < data.kernels; i++) {
            add(&sums[data.kernel[i].program], &data.kernel[i]);
            family[data.kernel[i].program] = data.kernel[i].family;
        }
        show(&data, sums, family, s->shell.common.json, why);
        harness_free(sums);
        harness_free(family);
    }
    tpu_data_free(&data);
    return why->status;
}
