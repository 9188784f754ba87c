/* SPDX-License-Identifier: MIT */
/* `tgraph inspect`: the contents of a file. */
#include "examples/harness/run/inspect.h"
#include "examples/tgraph/shell.h"

#include <jansson.h>

static size_t packed_bytes(const tgraph_file *f)
{
    return (size_t)f->store.rows * (size_t)f->store.width * sizeof *f->store.word;
}

static void add_row(harness_inspection *to, const tgraph_file *f)
{
    harness_inspect_row(to);
    harness_inspect_text(to, "file", NULL, f->path);
    harness_inspect_text(to, "kind", NULL, "layout");
    harness_inspect_count(to, "nodes", NULL, f->file_nodes);
    harness_inspect_count(to, "edges", NULL, f->file_edges);
    harness_inspect_count(to, "kept_nodes", NULL, f->graph.nodes);
    harness_inspect_count(to, "kept_edges", NULL, f->graph.edges);
    harness_inspect_count(to, "configurable", NULL, f->graph.configurable);
    harness_inspect_count(to, "configs", NULL, f->file_configs);
    harness_inspect_count(to, "unique", NULL, f->configs);
    harness_inspect_count(to, "fastest_ns", NULL, f->fastest);
    harness_inspect_count(to, "slowest_ns", NULL, f->slowest);
    harness_inspect_count(to, "packed_bytes", NULL, (int64_t)packed_bytes(f));
    json_object_set_new(to->row, "has_runtimes", json_boolean(f->has_runtimes));
    harness_inspect_number(to, "spread", NULL, f->spread, 0);
}

static void print_time(char text[32], int64_t ns)
{
    const double t = (double)ns;
    if (ns >= 1000000000)
        snprintf(text, 32, "%.4f s", t / 1e9);
    else if (ns >= 1000000)
        snprintf(text, 32, "%.4f ms", t / 1e6);
    else
        snprintf(text, 32, "%.3f us", t / 1e3);
}

static void print_times(char text[128], const tgraph_file *f)
{
    char fastest[32], slowest[32];
    print_time(fastest, f->fastest);
    print_time(slowest, f->slowest);
    if (!f->has_runtimes)
        snprintf(text, 128, "hidden (all 0)");
    else if (f->configs == f->file_configs)
        snprintf(text, 128, "%s to %s", fastest, slowest);
    else
        snprintf(text, 128, "%s to %s; equal configurations differ by up to %.4f %%", fastest,
                 slowest, 100 * f->spread);
}

static char *text_of(const tgraph_file *f)
{
    char *name = harness_printable(f->path), times[128];
    print_times(times, f);
    char *text = harness_text("%s: layout file\n"
                              "  nodes           %d, pruned to %d (%d configurable)\n"
                              "  edges           %d, pruned to %d\n"
                              "  configurations  %d, %d unique, %.1f MB packed\n"
                              "  run time        %s\n",
                              name, f->file_nodes, f->graph.nodes, f->graph.configurable,
                              f->file_edges, f->graph.edges, f->file_configs, f->configs,
                              (double)packed_bytes(f) / 1e6, times);
    harness_free(name);
    return text;
}

/* Files that the model cannot take can be inspected, too. */
ag_status tgraph_inspect(harness_inspection *to, const char *path, ag_failure *why)
{
    tpugraphs_budget budget = {.limit = (size_t)to->settings->common.ram_limit};
    tgraph_data_options options = tgraph_layout_defaults();
    options.opcodes = 256;
    options.dedup = TGRAPH_KEEP_FASTEST;
    tgraph_file *f = tgraph_file_open(path, &options, &budget, why);
    if (f) {
        add_row(to, f);
        to->text = text_of(f);
    }
    tgraph_file_close(f);
    return why->status;
}
