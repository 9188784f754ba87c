/* SPDX-License-Identifier: MIT */
/* `lab layout`: a program under many layout configurations. */
#include "examples/lab/collect/collect.h"
#include "examples/lab/collect/search.h"

#include <jansson.h>
#include <string.h>

/* Measures batches until there are enough, the share of the time is over or no new ones are found.
   Measuring some of them again at the end is part of the share. */
static ag_status measure(lab_collection *c, lab_sheet *x, lab_search *s, ag_failure *why)
{
    const double began = harness_seconds();
    int64_t ns[LAB_BATCH];
    while (s->told < c->s->configs) {
        const int told = s->told, left = c->s->configs - told;
        const double each = told ? (harness_seconds() - began) / told : 0;
        if (told >= LAB_LEAST && lab_collect_late(c, each * (LAB_BATCH + LAB_AGAIN))) break;
        const int count = lab_search_next(s, left < LAB_BATCH ? left : LAB_BATCH);
        x->configs.rows = s->rows;
        if (!count || lab_sheet_more(c, x, count, why) || c->meter.stopped) break;
        for (int i = 0; i < count; i++) ns[i] = x->timing[told + i].ns;
        lab_search_tell(s, ns);
        lab_collect_note(c, s->program->name);
    }
    lab_search_drop(s);
    return why->status;
}

static ag_status add(ag_npz_writer *w, const void *data, ag_failure *why)
{
    const lab_search *s = data;
    const int64_t c = s->told, nc = s->n_nodes, row = sizeof *s->rows, values = c * nc * row;
    const int64_t splits[2] = {0, s->program->n};
    float *feature = harness_alloc((size_t)values * sizeof *feature);
    int64_t *id = harness_alloc((size_t)nc * sizeof *id);
    const signed char *digit = s->rows[0];
    for (int64_t i = 0; i < values; i++) feature[i] = digit[i];
    for (int64_t i = 0; i < nc; i++) id[i] = s->node[i];
    if (!ag_npz_add(w, "node_config_feat", AG_F32, 3, (int64_t[]){c, nc, row}, feature, why) &&
        !ag_npz_add(w, "node_config_ids", AG_I64, 1, &nc, id, why) &&
        !ag_npz_add(w, "config_runtime", AG_I64, 1, &c, s->ns, why))
        ag_npz_add(w, "node_splits", AG_I64, 2, (int64_t[]){1, 2}, splits, why);
    harness_free(feature);
    harness_free(id);
    return why->status;
}

static ag_status collect(lab_collection *c, const lab_program *p, ag_failure *why)
{
    const int genetic = strcmp(c->mode, "default") == 0;
    lab_search *s = lab_search_new(p, genetic, (uint64_t)c->s->seed);
    const lab_configs configs = {
        .program = p, .nodes = s->n_nodes, .rule = (tpugraphs_rule)c->s->plan};
    lab_sheet x = lab_sheet_new(c, configs, c->s->configs);
    const lab_result file = {p->name, p, p, 1, add, s};
    if (!measure(c, &x, s, why) && !c->meter.stopped) {
        if (x.n < 2)
            harness_warn("%s: skipped, it has no node with layouts to choose (convolution, dot, "
                         "reshape)",
                         p->name);
        else
            lab_sheet_keep(c, &x, &file,
                           json_pack("{ss sI si}", "search", c->mode, "seed",
                                     (json_int_t)c->s->seed, "configurable_nodes", s->n_nodes),
                           why);
        if (x.dropped)
            harness_warn("%s (%s): dropped, its noise is above %g of the spread between its "
                         "configurations, or one was slowed while it was measured",
                         p->name, c->mode, c->s->noise);
    }
    lab_sheet_clear(&x);
    lab_search_free(s);
    return why->status;
}

ag_status lab_layout_command(harness_call *call, ag_failure *why)
{
    const lab_settings *s = call->values;
    lab_collector kind = {.kind = "layout",
                          .modes = {"random", "default"},
                          .options = json_pack("{si}", "configs", s->configs),
                          .collect = collect};
    if (s->search != LAB_BOTH) {
        kind.modes[0] = kind.modes[s->search];
        kind.modes[1] = NULL;
    }
    return lab_collect(&kind, s, why);
}
