/* SPDX-License-Identifier: MIT */
/* The summary of a file that `tgraph inspect` prints. */
#include "examples/harness/harness.h"
#include "examples/tgraph/data/data_internal.h"

static ag_status summarise_tile(tgraph_summary *s, const char *path, tpugraphs_budget *budget,
                                ag_failure *why)
{
    tgraph_data_options options = tgraph_tile_defaults();
    options.opcodes = 256; /* files that the model cannot take can be inspected, too */
    tgraph_tile *t = tgraph_tile_open(path, &options, budget, why);
    if (!t) return why->status;
    s->tile = 1;
    s->nodes = s->kept_nodes = t->graph.nodes;
    s->edges = s->kept_edges = t->graph.edges;
    s->configs = s->unique = t->configs;
    s->has_runtimes = t->has_runtimes;
    tgraph_range(&s->fastest, &s->slowest, t->runtime, t->configs);
    tgraph_tile_close(t);
    return AG_OK;
}

static ag_status summarise_layout(tgraph_summary *s, const char *path, tpugraphs_budget *budget,
                                  ag_failure *why)
{
    tgraph_data_options options = tgraph_layout_defaults();
    options.opcodes = 256;
    options.dedup = TGRAPH_KEEP_FASTEST;
    tgraph_file *f = tgraph_file_open(path, &options, budget, why);
    if (!f) return why->status;
    s->nodes = f->file_nodes;
    s->edges = f->file_edges;
    s->kept_nodes = f->graph.nodes;
    s->kept_edges = f->graph.edges;
    s->configurable = f->graph.configurable;
    s->configs = f->file_configs;
    s->unique = f->configs;
    s->has_runtimes = f->has_runtimes;
    s->fastest = f->fastest;
    s->slowest = f->slowest;
    s->spread = f->spread;
    s->packed = (size_t)f->store.rows * (size_t)f->store.width * sizeof *f->store.word;
    tgraph_file_close(f);
    return AG_OK;
}

ag_status tgraph_summarise(tgraph_summary *s, const char *path, tpugraphs_budget *budget,
                           ag_failure *why)
{
    *s = (tgraph_summary){0};
    int tile = tgraph_is_tile(path, why);
    if (tile < 0) return why->status;
    return tile ? summarise_tile(s, path, budget, why) : summarise_layout(s, path, budget, why);
}

/* ---- as text ---- */

static char *time_text(int64_t ns)
{
    const double t = (double)ns;
    return ns >= 1000000000 ? harness_text("%.4f s", t / 1e9)
           : ns >= 1000000  ? harness_text("%.4f ms", t / 1e6)
                            : harness_text("%.3f us", t / 1e3);
}

static char *times_text(const tgraph_summary *s)
{
    if (!s->has_runtimes) return harness_copy("hidden (all 0)");
    char *fastest = time_text(s->fastest), *slowest = time_text(s->slowest);
    char *text = harness_text("%s to %s", fastest, slowest);
    harness_free(fastest);
    harness_free(slowest);
    if (s->unique == s->configs) return text;
    char *all =
        harness_text("%s; equal configurations differ by up to %.4f %%", text, 100 * s->spread);
    harness_free(text);
    return all;
}

char *tgraph_summary_text(const char *path, const tgraph_summary *s)
{
    char *name = harness_printable(path), *times = times_text(s);
    char *text = s->tile ? harness_text("%s: tile file\n"
                                        "  nodes           %d\n"
                                        "  edges           %d\n"
                                        "  configurations  %d\n"
                                        "  run time        %s\n",
                                        name, s->nodes, s->edges, s->configs, times)
                         : harness_text("%s: layout file\n"
                                        "  nodes           %d, pruned to %d (%d configurable)\n"
                                        "  edges           %d, pruned to %d\n"
                                        "  configurations  %d, %d unique, %.1f MB packed\n"
                                        "  run time        %s\n",
                                        name, s->nodes, s->kept_nodes, s->configurable, s->edges,
                                        s->kept_edges, s->configs, s->unique,
                                        (double)s->packed / 1e6, times);
    harness_free(name);
    harness_free(times);
    return text;
}
