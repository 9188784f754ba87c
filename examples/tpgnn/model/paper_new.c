/* SPDX-License-Identifier: MIT */
/* The parameters: names and first values as in PyG. */
#include "examples/tpgnn/model/paper.h"

#include <math.h>

tpgnn_paper_options tpgnn_paper_defaults(void)
{
    return (tpgnn_paper_options){.inputs = 20,
                                 .hidden = 128,
                                 .layers = 3,
                                 .conv = TPGNN_GRAPH_CONV,
                                 .pool = TPGNN_POOL_TOPK,
                                 .ratio = 0.8,
                                 .dropout = 0.5};
}

static ag_param *add(ag_params *params, const char *module, int k, const char *what, ag_shape shape,
                     ag_init init)
{
    char name[64];
    snprintf(name, sizeof name, "%s%d.%s", module, k + 1, what);
    return ag_params_add(params, name, shape, init, 1);
}

/* U(+-1 / sqrt(in)). */
static ag_param *add_weight(ag_params *params, const char *module, int k, const char *what, int out,
                            int in)
{
    return add(params, module, k, what, AG_SHAPE(out, in), ag_init_kaiming_uniform(sqrt(5)));
}

static ag_param *add_bias(ag_params *params, const char *module, int k, const char *what, int out,
                          int in)
{
    return add(params, module, k, what, AG_SHAPE(out), ag_init_linear_bias(in));
}

static void add_conv(tpgnn_paper *p, ag_params *params, int k)
{
    const int out = p->options.hidden, in = k ? out : p->options.inputs;
    if (p->options.conv == TPGNN_GCN_CONV) {
        p->gcn[k].bias = add(params, "conv", k, "bias", AG_SHAPE(out), ag_init_constant(0));
        p->gcn[k].w =
            add(params, "conv", k, "lin.weight", AG_SHAPE(out, in), ag_init_xavier_uniform(1));
        return;
    }
    p->graph[k].neighbour = add_weight(params, "conv", k, "lin_rel.weight", out, in);
    p->graph[k].bias = add_bias(params, "conv", k, "lin_rel.bias", out, in);
    p->graph[k].root = add_weight(params, "conv", k, "lin_root.weight", out, in);
}

static void add_pool(tpgnn_paper *p, ag_params *params, int k)
{
    const int h = p->options.hidden;
    if (p->options.pool == TPGNN_POOL_TOPK)
        p->select[k] = add_weight(params, "pool", k, "select.weight", 1, h);
    if (p->options.pool != TPGNN_POOL_SAG) return;
    p->score[k].neighbour = add_weight(params, "pool", k, "gnn.lin_rel.weight", 1, h);
    p->score[k].bias = add_bias(params, "pool", k, "gnn.lin_rel.bias", 1, h);
    p->score[k].root = add_weight(params, "pool", k, "gnn.lin_root.weight", 1, h);
}

static void add_all(tpgnn_paper *p, ag_params *params)
{
    const int h = p->options.hidden, width[] = {2 * h, h, h / 2, 1};
    for (int k = 0; k < p->options.layers; k++) {
        add_conv(p, params, k);
        add_pool(p, params, k);
    }
    for (int k = 0; k < TPGNN_PAPER_MLP - p->options.vector; k++) {
        p->weight[k] = add_weight(params, "lin", k, "weight", width[k + 1], width[k]);
        p->bias[k] = add_bias(params, "lin", k, "bias", width[k + 1], width[k]);
    }
}

static ag_status check(const tpgnn_paper_options *o, ag_failure *why)
{
    const struct {
        const char *name;
        int value, low, high;
    } limits[] = {{"inputs", o->inputs, 1, 4096},
                  {"hidden", o->hidden, 2, 4096},
                  {"layers", o->layers, 1, TPGNN_MOST_LAYERS}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].value < limits[i].low || limits[i].value > limits[i].high)
            return ag_fail(why, AG_EUSE, "--%s is %d; it must be %d to %d", limits[i].name,
                           limits[i].value, limits[i].low, limits[i].high);
    if (!(o->dropout >= 0 && o->dropout < 1))
        return ag_fail(why, AG_EUSE, "--dropout is %g; it must be at least 0 and below 1",
                       o->dropout);
    if (o->pool != TPGNN_POOL_NONE && !(o->ratio > 0))
        return ag_fail(why, AG_EUSE,
                       "--ratio is %g; it must be above 0: below 1 the share of the nodes that "
                       "stay, from 1 on how many of each graph",
                       o->ratio);
    return AG_OK;
}

ag_status tpgnn_paper_add(tpgnn_paper *paper, ag_params *params, const tpgnn_paper_options *options,
                          ag_failure *why)
{
    *paper = (tpgnn_paper){.options = *options};
    const ag_status status = check(options, why);
    if (!status) add_all(paper, params);
    return status;
}
