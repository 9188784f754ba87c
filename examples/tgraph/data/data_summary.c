/* SPDX-License-Identifier: MIT */
/* A file for `tgraph inspect`. */
#include "examples/harness/harness.h"
#include "examples/tgraph/data/data_internal.h"

tgraph_file *tgraph_file_inspect(const char *path, tpugraphs_budget *budget, ag_failure *why)
{
    tgraph_data_options options = tgraph_layout_defaults();
    options.opcodes = 256; /* files that the model cannot take can be inspected, too */
    options.dedup = TGRAPH_KEEP_FASTEST;
    return tgraph_file_open(path, &options, budget, why);
}

size_t tgraph_file_packed(const tgraph_file *f)
{
    return (size_t)f->store.rows * (size_t)f->store.width * sizeof *f->store.word;
}

static char *time_text(int64_t ns)
{
    const double t = (double)ns;
    return ns >= 1000000000 ? harness_text("%.4f s", t / 1e9)
           : ns >= 1000000  ? harness_text("%.4f ms", t / 1e6)
                            : harness_text("%.3f us", t / 1e3);
}

static char *times_text(const tgraph_file *f)
{
    if (!f->has_runtimes) return harness_copy("hidden (all 0)");
    char *fastest = time_text(f->fastest), *slowest = time_text(f->slowest);
    char *text = harness_text("%s to %s", fastest, slowest);
    harness_free(fastest);
    harness_free(slowest);
    if (f->configs == f->file_configs) return text;
    char *all =
        harness_text("%s; equal configurations differ by up to %.4f %%", text, 100 * f->spread);
    harness_free(text);
    return all;
}

char *tgraph_file_text(const tgraph_file *f)
{
    const tgraph_graph *g = &f->graph;
    char *name = harness_printable(f->path), *times = times_text(f);
    char *text =
        harness_text("%s: layout file\n"
                     "  nodes           %d, pruned to %d (%d configurable)\n"
                     "  edges           %d, pruned to %d\n"
                     "  configurations  %d, %d unique, %.1f MB packed\n"
                     "  run time        %s\n",
                     name, f->file_nodes, g->nodes, g->configurable, f->file_edges, g->edges,
                     f->file_configs, f->configs, (double)tgraph_file_packed(f) / 1e6, times);
    harness_free(name);
    harness_free(times);
    return text;
}
