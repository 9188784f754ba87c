/* SPDX-License-Identifier: MIT */
/* `lab layout`: a program under many layout configurations. */
#include "examples/lab/collect/collect.h"
#include "examples/lab/collect/search.h"

#include <jansson.h>
#include <string.h>

/* The measurements of one program. */
typedef struct layouts {
    lab_search *search;
    lab_configs configs;
    lab_timing *timing; /* [configs] */
} layouts;

static ag_status batch(lab_collection *c, layouts *l, int count, ag_failure *why)
{
    int64_t ns[LAB_BATCH];
    int which[LAB_BATCH];
    const int first = l->search->told;
    for (int i = 0; i < count; i++) which[i] = first + i;
    l->configs.rows = l->search->rows;
    if (lab_configs_measure(&c->meter, l->timing + first, &l->configs, which, count, why) ||
        c->meter.stopped)
        return why->status;
    for (int i = 0; i < count; i++) ns[i] = l->timing[first + i].ns;
    lab_search_tell(l->search, ns);
    return AG_OK;
}

/* Measures batches until there are enough, the share of the time is over or no new ones are found.
   Measuring some of them again at the end is part of the share. */
static ag_status measure(lab_collection *c, layouts *l, const char *name, ag_failure *why)
{
    const double began = harness_seconds();
    const int most = c->s->configs;
    while (l->search->told < most && !c->meter.stopped && !why->status) {
        const int told = l->search->told, left = most - told;
        const double each = told ? (harness_seconds() - began) / told : 0;
        if (told >= LAB_LEAST && lab_collect_late(c, each * (LAB_BATCH + LAB_AGAIN))) break;
        const int count = lab_search_next(l->search, left < LAB_BATCH ? left : LAB_BATCH);
        if (!count) break;
        batch(c, l, count, why);
        lab_collect_step(c, count, name);
    }
    lab_search_drop(l->search);
    return why->status;
}

static ag_status add_configs(ag_npz_writer *w, const lab_search *s, ag_failure *why)
{
    const int64_t c = s->told, nc = s->n_nodes, values = c * nc * (int64_t)sizeof *s->rows;
    float *feature = harness_alloc((size_t)values * sizeof *feature);
    int64_t *id = harness_alloc((size_t)nc * sizeof *id);
    const signed char *digit = s->rows[0];
    for (int64_t i = 0; i < values; i++) feature[i] = digit[i];
    for (int64_t i = 0; i < nc; i++) id[i] = s->node[i];
    if (!ag_npz_add(w, "node_config_feat", AG_F32, 3, (int64_t[]){c, nc, (int64_t)sizeof *s->rows},
                    feature, why))
        ag_npz_add(w, "node_config_ids", AG_I64, 1, (int64_t[]){nc}, id, why);
    harness_free(feature);
    harness_free(id);
    return why->status;
}

static ag_status add(ag_npz_writer *w, const void *data, ag_failure *why)
{
    const lab_search *s = data;
    const int64_t splits[2] = {0, s->program->n};
    if (!add_configs(w, s, why) &&
        !ag_npz_add(w, "config_runtime", AG_I64, 1, (int64_t[]){s->told}, s->ns, why))
        ag_npz_add(w, "node_splits", AG_I64, 2, (int64_t[]){1, 2}, splits, why);
    return why->status;
}

static ag_status keep(lab_collection *c, const lab_program *p, const layouts *l, lab_sheet *sheet,
                      ag_failure *why)
{
    const lab_result file = {p->name, p, p, 1, add, l->search};
    json_t *facts = lab_sheet_facts(sheet, &c->meter.counts, c->s->noise);
    json_object_set_new(facts, "family", json_string(p->family));
    json_object_set_new(facts, "search", json_string(c->mode));
    json_object_set_new(facts, "seed", json_integer(c->s->seed));
    json_object_set_new(facts, "configurable_nodes", json_integer(l->search->n_nodes));
    if (sheet->dropped)
        harness_warn("%s (%s): dropped, its noise is above %g of the spread between its "
                     "configurations, or one was slowed while it was measured",
                     p->name, c->mode, c->s->noise);
    return lab_collect_keep(c, sheet, facts, &file, why);
}

static ag_status collect(lab_collection *c, const lab_program *p, ag_failure *why)
{
    const int genetic = strcmp(c->mode, "default") == 0;
    layouts l = {.configs = {.program = p, .rule = (tpugraphs_rule)c->s->plan}};
    lab_sheet sheet = {.before = c->meter.counts};
    l.search =
        lab_search_new(p, genetic ? LAB_SEARCH_DEFAULT : LAB_SEARCH_RANDOM, (uint64_t)c->s->seed);
    l.configs.nodes = l.search->n_nodes;
    l.timing = harness_alloc((size_t)c->s->configs * sizeof *l.timing);
    if (!measure(c, &l, p->name, why) && !c->meter.stopped) {
        sheet.timing = l.timing;
        sheet.n = l.search->told;
        if (sheet.n < 2)
            harness_warn("%s: skipped, it has no node with layouts to choose (convolution, dot, "
                         "reshape)",
                         p->name);
        else if (!lab_sheet_again(c, &sheet, &l.configs, why) && !c->meter.stopped)
            keep(c, p, &l, &sheet, why);
    }
    lab_run_free(l.configs.run);
    lab_search_free(l.search);
    harness_free(l.timing);
    return why->status;
}

ag_status lab_layout_command(harness_call *call, ag_failure *why)
{
    const lab_settings *s = call->values;
    lab_collector kind = {"layout", {"random", "default"}, s->configs, collect};
    if (s->search != LAB_BOTH) {
        kind.modes[0] = kind.modes[s->search];
        kind.modes[1] = NULL;
    }
    return lab_collect(&kind, s, why);
}
