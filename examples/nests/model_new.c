/* SPDX-License-Identifier: MIT */
/* The parameters: names, shapes, initial values (docs/formats/nests.md lists them). */
#include "examples/nests/model.h"

/* Where items are only compared, a bias of the output changes nothing: its gradient would be what
   rounding leaves, and Adam makes steps of that. */
static void add_member(nests_member *net, ag_params *params, int number, const nests_settings *s,
                       const nests_scale *scale, bool absolute)
{
    int in = nests_scale_inputs(scale);
    char name[128];
    if (scale->words) {
        net->table =
            ag_params_add(params, ag_layer_name(name, NULL, "%d.word.table", number),
                          AG_SHAPE(scale->words, NESTS_EMBEDDING), ag_init_normal(0, 0.1), 1);
        in += NESTS_EMBEDDING;
    }
    for (int k = 0; k < s->layers; k++) {
        ag_layer_name(name, NULL, "%d.layer.%d", number, k);
        net->layer[k] = ag_layer_linear(params, name, in, s->hidden, 1);
        in = s->hidden;
    }
    ag_layer_name(name, NULL, "%d.output", number);
    net->output = ag_layer_linear(params, name, in, 1, absolute);
}

ag_status nests_model_add(nests_model *m, ag_params *params, const nests_settings *s, int columns,
                          int words, bool absolute, ag_failure *why)
{
    *m = (nests_model){.layers = s->layers, .dropout = s->dropout, .params = params};
    if (nests_settings_check(s, why)) return why->status;
    nests_scale_open(&m->scale, columns, words, 0, s->flags == NESTS_YES);
    m->members = s->fit == NESTS_TREES ? 0 : s->members;
    m->share = s->fit == NESTS_BOTH ? s->share : s->fit == NESTS_TREES;
    for (int i = 0; i < m->members; i++)
        add_member(&m->member[i], params, i, s, &m->scale, absolute);
    ag_params_init(params, NULL, ag_init_xavier_uniform(1), ag_init_constant(0));
    if (s->fit == NESTS_NETWORK) return AG_OK;
    harness_trees_open(&m->trees, s->trees * s->bags, s->depth);
    return AG_OK;
}

void nests_model_free(nests_model *m)
{
    nests_scale_close(&m->scale);
    harness_trees_close(&m->trees);
}
