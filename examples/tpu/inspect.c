/* SPDX-License-Identifier: MIT */
/* `tpu inspect`: the contents of files, program by program. */
#include "examples/harness/commands/inspect.h"
#include "examples/tpu/hooks.h"

typedef struct summary {
    int family, kernels, least_nodes, most_nodes;
    int64_t nodes, samples, fastest, slowest; /* ns; 0: hidden */
} summary;

static void add(summary *s, const tpu_kernel *k)
{
    if (!s->kernels || k->nodes < s->least_nodes) s->least_nodes = k->nodes;
    if (k->nodes > s->most_nodes) s->most_nodes = k->nodes;
    s->family = k->family;
    s->kernels++;
    s->nodes += k->nodes;
    s->samples += k->configs;
    for (int c = 0; k->runtime && c < k->configs; c++) {
        if (!s->fastest || k->runtime[c] < s->fastest) s->fastest = k->runtime[c];
        if (k->runtime[c] > s->slowest) s->slowest = k->runtime[c];
    }
}

static void add_row(harness_inspection *to, const char *program, const char *family,
                    const summary *s)
{
    char nodes[64];
    snprintf(nodes, sizeof nodes, "%d to %d", s->least_nodes, s->most_nodes);
    harness_inspect_row(to);
    harness_inspect_text(to, "program", "program", program);
    harness_inspect_text(to, "family", "family", family);
    harness_inspect_count(to, "kernels", "kernels", s->kernels);
    harness_inspect_text(to, NULL, "nodes", nodes);
    harness_inspect_count(to, "nodes", NULL, s->nodes);
    harness_inspect_count(to, "most_nodes", NULL, s->most_nodes);
    harness_inspect_count(to, "samples", "samples", s->samples);
    harness_inspect_ns(to, "fastest_ns", "fastest us", s->fastest, 3);
    harness_inspect_ns(to, "slowest_ns", "slowest us", s->slowest, 3);
}

void tpu_inspect(harness_inspection *to, const void *files)
{
    const tpu_data *data = &((const tpu_files *)files)->scored;
    summary *sums = HARNESS_NEW(sums, data->programs);
    for (int i = 0; i < data->kernels; i++) add(&sums[data->kernel[i].program], &data->kernel[i]);
    to->title = harness_text("%s: %d kernels of %d programs of %d families in %d files",
                             data->task == TPU_TILE ? "Tile sizes" : "Fused kernels", data->kernels,
                             data->programs, data->families, data->files);
    for (int p = 0; p < data->programs; p++)
        add_row(to, data->program[p], data->family[sums[p].family], &sums[p]);
    harness_free(sums);
}
