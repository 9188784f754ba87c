/* SPDX-License-Identifier: MIT */
/* `lab layout`: a program under many layout configurations. */
#include "examples/lab/collect/collect.h"
#include "examples/lab/collect/layouts.h"

#include <jansson.h>

/* Measures batches until there are enough, the share of the time is over or no new ones are found.
   Measuring some of them again at the end is part of the share. */
static ag_status measure(lab_collection *c, lab_sheet *x, lab_layouts *l, ag_failure *why)
{
    const double began = harness_seconds();
    while (x->n < c->s->configs && !why->status && !c->meter.stopped) {
        const int left = c->s->configs - x->n;
        const double each = x->n ? (harness_seconds() - began) / x->n : 0;
        if (x->n >= LAB_LEAST && lab_collect_late(c, each * (LAB_BATCH + LAB_AGAIN))) break;
        const int count = lab_layouts_next(l, left < LAB_BATCH ? left : LAB_BATCH);
        x->configs.rows = l->rows;
        if (!count) break;
        lab_sheet_more(c, x, count, why);
        lab_collect_note(c, l->program->name);
    }
    return why->status;
}

static ag_status add(ag_npz_writer *w, lab_sheet *x, const lab_layouts *l, ag_failure *why)
{
    const int64_t c = x->n, nc = l->n_nodes, row = sizeof *l->rows, values = c * nc * row;
    const int64_t splits[2] = {0, l->program->n};
    float *feature = harness_take(&x->memory, (size_t)values * sizeof *feature);
    int64_t *id = harness_take(&x->memory, (size_t)nc * sizeof *id);
    const signed char *digit = l->rows[0];
    for (int64_t i = 0; i < values; i++) feature[i] = digit[i];
    for (int64_t i = 0; i < nc; i++) id[i] = l->node[i];
    if (!ag_npz_add(w, "node_config_feat", AG_F32, 3, (int64_t[]){c, nc, row}, feature, why) &&
        !ag_npz_add(w, "node_config_ids", AG_I64, 1, &nc, id, why) &&
        !ag_npz_add(w, "config_runtime", AG_I64, 1, &c, lab_sheet_times(x), why))
        ag_npz_add(w, "node_splits", AG_I64, 2, (int64_t[]){1, 2}, splits, why);
    return lab_sheet_end(w, why);
}

static ag_status collect(lab_collection *c, const lab_program *p, ag_failure *why)
{
    lab_layouts *l = lab_layouts_new(p, (uint64_t)c->s->seed);
    const lab_configs configs = {
        .program = p, .nodes = l->n_nodes, .rule = (tpugraphs_rule)c->s->plan};
    lab_sheet x = lab_sheet_new(c, configs, c->s->configs);
    const int done = !measure(c, &x, l, why) && !c->meter.stopped;
    if (done && x.n < 2)
        harness_warn("%s: skipped, it has no node with layouts to choose (convolution, dot, "
                     "reshape)",
                     p->name);
    else if (done) {
        json_t *facts = json_pack("{ss sI si}", "search", "random", "seed", (json_int_t)c->s->seed,
                                  "configurable_nodes", l->n_nodes);
        ag_npz_writer *w = lab_sheet_file(c, &x, p->name, facts, why);
        if (w) add(w, &x, l, why);
        if (x.dropped)
            harness_warn("%s: dropped, its noise is above %g of the spread between its "
                         "configurations, or one was slowed while it was measured",
                         p->name, c->s->noise);
    }
    lab_sheet_clear(&x);
    lab_layouts_free(l);
    return why->status;
}

ag_status lab_layout_command(harness_call *call, ag_failure *why)
{
    const lab_settings *s = call->values;
    lab_collection c = {.s = s,
                        .kind = "layout",
                        .below = "random",
                        .options = json_pack("{si}", "configs", s->configs),
                        .collect = collect};
    return lab_collect(&c, why);
}
