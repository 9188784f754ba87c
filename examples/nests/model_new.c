/* SPDX-License-Identifier: MIT */
/* The parameters: names, shapes, first values (docs/formats/nests.md lists them). */
#include "examples/nests/model.h"

/* A network that is being made, and its number among the members. */
typedef struct place {
    ag_params *params;
    int number;
} place;

static ag_param *add(const place *p, const char *layer, const char *what, ag_shape shape,
                     ag_init init)
{
    char name[64];
    snprintf(name, sizeof name, "%d.%s.%s", p->number, layer, what);
    return ag_params_add(p->params, name, shape, init, 1);
}

static nests_layer add_layer(const place *p, const char *layer, int out, int in)
{
    return (nests_layer){add(p, layer, "weight", AG_SHAPE(out, in), ag_init_xavier_uniform(1)),
                         add(p, layer, "bias", AG_SHAPE(out), ag_init_constant(0))};
}

/* Where items are only compared, a bias of the output changes nothing: its gradient would be what
   rounding leaves, and Adam makes steps of that. */
static void add_member(nests_member *net, const place *p, const nests_settings *s,
                       const nests_scale *scale, bool absolute)
{
    int in = nests_scale_inputs(scale);
    if (scale->words) {
        net->table = add(p, "word", "table", AG_SHAPE(scale->words, NESTS_EMBEDDING),
                         ag_init_normal(0, 0.1));
        in += NESTS_EMBEDDING;
    }
    for (int k = 0; k < s->layers; k++) {
        char layer[32];
        snprintf(layer, sizeof layer, "layer.%d", k);
        net->layer[k] = add_layer(p, layer, s->hidden, in);
        in = s->hidden;
    }
    net->output.weight = add(p, "output", "weight", AG_SHAPE(1, in), ag_init_xavier_uniform(1));
    if (absolute) net->output.bias = add(p, "output", "bias", AG_SHAPE(1), ag_init_constant(0));
}

ag_status nests_model_add(nests_model *m, ag_params *params, const nests_settings *s, int columns,
                          int words, bool absolute, ag_failure *why)
{
    *m = (nests_model){.layers = s->layers, .dropout = s->dropout, .params = params};
    if (nests_settings_check(s, why) ||
        nests_scale_open(&m->scale, columns, words, s->flags == NESTS_YES, why))
        return why->status;
    m->members = s->fit == NESTS_TREES ? 0 : s->members;
    m->share = s->fit == NESTS_BOTH ? s->share : s->fit == NESTS_TREES;
    for (int i = 0; i < m->members; i++)
        add_member(&m->member[i], &(place){params, i}, s, &m->scale, absolute);
    if (s->fit == NESTS_NETWORK) return AG_OK;
    harness_trees_open(&m->trees, s->trees * s->bags, s->depth);
    return AG_OK;
}

void nests_model_free(nests_model *m)
{
    nests_scale_close(&m->scale);
    harness_trees_close(&m->trees);
}
