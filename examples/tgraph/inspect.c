/* SPDX-License-Identifier: MIT */
/* `tgraph inspect`: the contents of a file. */
#include "examples/harness/commands/inspect.h"
#include "examples/tgraph/hooks.h"

#include <jansson.h>

static void add_row(harness_inspection *to, const tgraph_file *f)
{
    const size_t bytes = (size_t)f->configs * (size_t)f->store.width * sizeof *f->store.word;
    harness_inspect_row(to);
    harness_inspect_text(to, "file", "file", f->path);
    harness_inspect_text(to, "kind", NULL, "layout");
    harness_inspect_count(to, "nodes", "nodes", f->file_nodes);
    harness_inspect_count(to, "edges", "edges", f->file_edges);
    harness_inspect_count(to, "kept_nodes", "kept nodes", f->graph.nodes);
    harness_inspect_count(to, "kept_edges", "kept edges", f->graph.edges);
    harness_inspect_count(to, "configurable", "configurable", f->graph.configurable);
    harness_inspect_count(to, "configs", "configs", f->file_configs);
    harness_inspect_count(to, "unique", "unique", f->configs);
    harness_inspect_ns(to, "fastest_ns", "fastest us", f->fastest, 3);
    harness_inspect_ns(to, "slowest_ns", "slowest us", f->slowest, 3);
    harness_inspect_count(to, "packed_bytes", NULL, (int64_t)bytes);
    json_object_set_new(to->row, "has_runtimes", json_boolean(f->has_runtimes));
}

ag_status tgraph_inspect(harness_inspection *to, const char *path, ag_failure *why)
{
    tpugraphs_budget budget = {.limit = (size_t)to->settings->common.ram_limit};
    tgraph_data_options options = tgraph_layout_defaults();
    options.dedup = TGRAPH_KEEP_FIRST;
    tgraph_file *f = tgraph_file_open(path, &options, &budget, why);
    if (!to->title) to->title = harness_copy("Layout files");
    if (f) add_row(to, f);
    tgraph_file_close(f);
    return why->status;
}
