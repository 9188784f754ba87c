/* SPDX-License-Identifier: MIT */
/* Gradients of nests, in the build's precision. */
#include "support/nests_runner.h"

#include <math.h>
#include <stdio.h>

enum { MOST_GROUPS = 8 };

typedef struct net {
    const nests_settings *settings;
    bool absolute;
    nests_model model;
    nests_batch batch;
} net;

static ag_tensor *build(ag_tape *tape, void *context)
{
    net *n = context;
    ag_tape_training(tape, 0);
    return nests_loss_of_members(&n->model, tape, &n->batch, n->absolute, n->settings);
}

static ag_status fill(net *n, const nests_set *set, int groups, ag_failure *why)
{
    nests_pick pick[MOST_GROUPS];
    for (int g = 0; g < groups; g++)
        pick[g] = (nests_pick){g, nests_count(&set->train, g), nests_list(&set->train, g)};
    return nests_batch_fill(&n->batch, &set->data, &n->model.scale, pick, groups,
                            n->settings->spread, why);
}

static double gradcheck(const nests_set *set, const nests_settings *settings, int columns,
                        int words, int groups, char where[200])
{
    const ag_gradcheck_options options = {.full = 24, .directions = 2, .entries = 6, .seed = 5};
    net n = {.settings = settings, .absolute = set->data.maker->absolute};
    ag_params *params = ag_params_new();
    ag_failure why = {0};
    double worst = (double)INFINITY;
    if (!nests_model_add(&n.model, params, settings, columns, words, n.absolute, &why) &&
        !ag_params_build(params, 5) && !nests_scale_fit(&n.model.scale, set, &why) &&
        !fill(&n, set, groups, &why))
        worst = ag_gradcheck(build, &n, params, &options, where);
    else
        snprintf(where, 200, "%.199s", why.sentence);
    nests_batch_free(&n.batch);
    nests_model_free(&n.model);
    ag_params_free(params);
    return worst;
}

const nests_runner ag__nests = {.gradcheck = gradcheck};
