/* SPDX-License-Identifier: MIT */
/* `tgraph import`: a program of XLA as a layout file. */
#include "examples/harness/harness.h"
#include "examples/tgraph/program.h"
#include "examples/tpugraphs/hlo/hlo.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_CONFIGS = 1000000 };

/* --configs N|sweep|FILE */
static ag_status choose(hlo_configs *c, const hlo_graph *g, const tgraph_settings *s,
                        tpugraphs_budget *budget, ag_failure *why)
{
    const char *text = s->import_configs;
    char *end;
    if (!strcmp(text, "sweep")) return hlo_configs_sweep(c, g, budget, why);
    errno = 0;
    const long n = strtol(text, &end, 10);
    if (*end) return hlo_configs_read(c, g, text, budget, why);
    if (errno || n < 1 || n > MOST_CONFIGS)
        return ag_fail(
            why, AG_EUSE,
            "--configs: %.40s is out of range; it must be 1 to %d, sweep, or an npz file "
            "with node_config_feat",
            text, MOST_CONFIGS);
    return hlo_configs_draw(c, g, (int)n, (uint64_t)s->harness.common.seed, budget, why);
}

static const char *stage_of(const hlo_graph *g)
{
    return g->is_after ? "after layout assignment" : "before layout assignment";
}

/* "op topk as sort (1), element type s4 as s8 (3)" */
static const char *newer_text(const hlo_graph *g)
{
    const char *text = "";
    for (int i = 0; i < g->n_newer; i++)
        text = harness_format("%s%s%s %s as %s (%d)", text, i ? ", " : "",
                              g->newer[i].is_type ? "element type" : "op", g->newer[i].name,
                              g->newer[i].as, g->newer[i].count);
    return g->more_newer ? harness_format("%s, and others (%d)", text, g->more_newer) : text;
}

static void warn(const hlo_graph *g, const hlo_configs *c, const char *path)
{
    if (!g->configurable)
        harness_warn("%s has no convolution, dot or reshape outside of fused computations, so "
                     "there is nothing to rank, and tgraph refuses the file",
                     path);
    if (g->is_after)
        harness_warn("%s is a module after layout assignment, and %d of its %d products are inside "
                     "of fused computations, which have no layouts to choose; take it from before "
                     "(the flag --xla_dump_hlo_pass_re=layout-assignment, docs/tgraph.md)",
                     path, g->fused_products, g->products);
    if (c->count == 1 && g->configurable) harness_warn("%s has a single configuration", path);
}

static ag_status print_json(const hlo_graph *g, const hlo_configs *c, ag_failure *why)
{
    json_t *newer = json_array();
    for (int i = 0; i < g->n_newer; i++)
        json_array_append_new(newer, json_pack("{ss so ss si}", "kind",
                                               g->newer[i].is_type ? "type" : "op", "name",
                                               harness_json_name(g->newer[i].name), "as",
                                               g->newer[i].as, "count", g->newer[i].count));
    return harness_json_print(
        json_pack("{so ss ss si si si si si si so}", "module", harness_json_name(g->name), "form",
                  g->is_text ? "text" : "protobuf", "stage", stage_of(g), "nodes", g->nodes,
                  "edges", g->edges, "configurable", g->configurable, "products", g->products,
                  "fused_products", g->fused_products, "configs", c->count, "newer", newer),
        why);
}

static ag_status print(const hlo_graph *g, const hlo_configs *c, const harness_common *common,
                       ag_failure *why)
{
    if (common->json) return print_json(g, c, why);
    harness_show(stdout, *g->name ? g->name : "module");
    printf(": HLO module (%s), %s\n"
           "  nodes           %d, %d with layouts to choose\n"
           "  edges           %d\n"
           "  products        %d, %d inside of fused computations\n"
           "  configurations  %d\n",
           g->is_text ? "text" : "protobuf", stage_of(g), g->nodes, g->configurable, g->edges,
           g->products, g->fused_products, c->count);
    if (g->n_newer) {
        fputs("  newer           ", stdout);
        harness_show(stdout, newer_text(g));
        putchar('\n');
    }
    return AG_OK;
}

/* The file that is read is not written over. */
static ag_status check_paths(const tgraph_settings *s, ag_failure *why)
{
    struct stat module;
    const char *out = s->harness.common.out;
    if (s->module.count != 1)
        return ag_fail(why, AG_EUSE, "%d modules are named, but a call imports one; call for each",
                       s->module.count);
    if (!stat(s->module.list[0], &module) && harness_files_is(out, &module))
        return ag_fail(why, AG_EUSE, "--out: %.200s is the module itself; choose another place",
                       harness_files_short(out));
    return AG_OK;
}

ag_status tgraph_import_command(harness_call *call, ag_failure *why)
{
    const tgraph_settings *s = call->values;
    const harness_common *common = &s->harness.common;
    tpugraphs_budget budget = {.limit = (size_t)common->ram_limit};
    hlo_graph g = {.nodes = 0};
    hlo_configs c = {.count = 0};
    if (!check_paths(s, why) &&
        !hlo_read(&g, s->module.list[0], (hlo_unknown)s->unknown, &budget, why) &&
        !choose(&c, &g, s, &budget, why) && !hlo_write(common->out, &g, &c, &budget, why)) {
        warn(&g, &c, s->module.list[0]);
        print(&g, &c, common, why);
    }
    hlo_configs_free(&c, &budget);
    hlo_free(&g, &budget);
    return why->status;
}
