/* SPDX-License-Identifier: MIT */
/* The parameters: names, shapes, first values (docs/formats.md lists them). */
#include "examples/tpu/model/model.h"

#include <math.h>
#include <string.h>

tpu_batch_options tpu_model_batch(const tpu_model *m)
{
    const tpu_options *o = &m->options;
    const int gat = o->gnn == TPU_GNN_GAT, sage = o->gnn == TPU_GNN_SAGE;
    const int both = gat || (sage && o->direction == TPU_UNDIRECTED), each = sage && !both;
    return (tpu_batch_options){
        .way = {[TPU_OPERANDS] = each, [TPU_USERS] = each, [TPU_BOTH] = both},
        .cap = TPU_NEIGHBOURS,
        .loops = gat,
        .by_kernel = !o->rows && (o->tile_at != TPU_AT_NODES || o->task == TPU_FUSION),
        .rows = o->rows ? &m->rows : NULL};
}

/* A model that is being made. */
typedef struct place {
    const tpu_options *o;
    ag_params *params;
    tpu_model *net;
} place;

/* A parameter "LAYER.WHAT". */
static ag_param *add(const place *p, const char *layer, const char *what, ag_shape shape,
                     ag_init init)
{
    char name[96];
    snprintf(name, sizeof name, "%s.%s", layer, what);
    return ag_params_add(p->params, name, shape, init, 1);
}

/* Glorot's initialisation: with PyTorch's default, the printed l2 around each layer hardly
   trains. */
static ag_param *add_weight(const place *p, const char *layer, const char *what, int out, int in)
{
    return add(p, layer, what, AG_SHAPE(out, in), ag_init_xavier_uniform(1));
}

static ag_param *add_bias(const place *p, const char *layer, const char *what, int out)
{
    return p->o->biases ? add(p, layer, what, AG_SHAPE(out), ag_init_constant(0)) : NULL;
}

static tpu_layer add_layer(const place *p, const char *layer, int out, int in)
{
    return (tpu_layer){add_weight(p, layer, "weight", out, in), add_bias(p, layer, "bias", out)};
}

static tpu_layer add_numbered(const place *p, const char *kind, int k)
{
    char layer[64];
    snprintf(layer, sizeof layer, "%s.%d", kind, k);
    return add_layer(p, layer, p->o->hidden, p->o->hidden);
}

static void add_sage(const place *p, int k)
{
    const int h = p->o->hidden, parts = p->o->direction == TPU_UNDIRECTED ? 2 : 3;
    ag_sage_concat_weights *w = &p->net->sage[k];
    char layer[32];
    snprintf(layer, sizeof layer, "sage.%d", k);
    w->operands = add_weight(p, layer, "operands.weight", h, h);
    w->operands_bias = add_bias(p, layer, "operands.bias", h);
    if (p->o->direction == TPU_SEPARATE) {
        w->users = add_weight(p, layer, "users.weight", h, h);
        w->users_bias = add_bias(p, layer, "users.bias", h);
    }
    w->join = add_weight(p, layer, "join.weight", h, parts * h);
    w->join_bias = add_bias(p, layer, "join.bias", h);
}

static void add_gat(const place *p, int k)
{
    const int h = p->o->hidden, heads = p->o->heads;
    char layer[32];
    snprintf(layer, sizeof layer, "gat.%d", k);
    p->net->gat[k].w = add_weight(p, layer, "weight", h, h);
    p->net->gat[k].from = add_weight(p, layer, "from", heads, h / heads);
    p->net->gat[k].to = add_weight(p, layer, "to", heads, h / heads);
    p->net->gat[k].bias = add_bias(p, layer, "bias", h);
}

static void add_encoder(const place *p, int k)
{
    const int h = p->o->hidden, wide = p->o->feed * h;
    ag_encoder_weights *w = &p->net->encoder[k];
    char layer[32];
    snprintf(layer, sizeof layer, "encoder.%d", k);
    w->qkv = add_weight(p, layer, "qkv.weight", 3 * h, h);
    w->qkv_bias = add_bias(p, layer, "qkv.bias", 3 * h);
    w->out = add_weight(p, layer, "out.weight", h, h);
    w->out_bias = add_bias(p, layer, "out.bias", h);
    w->norm1 = add(p, layer, "norm1.weight", AG_SHAPE(h), ag_init_constant(1));
    w->norm1_bias = add_bias(p, layer, "norm1.bias", h);
    w->widen = add_weight(p, layer, "widen.weight", wide, h);
    w->widen_bias = add_bias(p, layer, "widen.bias", wide);
    w->narrow = add_weight(p, layer, "narrow.weight", h, wide);
    w->narrow_bias = add_bias(p, layer, "narrow.bias", h);
    w->norm2 = add(p, layer, "norm2.weight", AG_SHAPE(h), ag_init_constant(1));
    w->norm2_bias = add_bias(p, layer, "norm2.bias", h);
}

static void add_lstm(const place *p)
{
    const int h = p->o->hidden;
    p->net->lstm_input = add_layer(p, "lstm.input", 4 * h, h);
    p->net->lstm_state = add_weight(p, "lstm", "state.weight", 4 * h, h);
}

/* The number of kernel features that enter at a place. */
static int width_at(const tpu_options *o, tpu_place at)
{
    const int tile = o->task == TPU_TILE && o->tile_at == at;
    return (tile ? TPUGRAPHS_TILE_FEATURES : 0) + (o->analysis_at == at ? TPU_STATIC : 0);
}

static void add_nodes(const place *p)
{
    const tpu_options *o = p->o;
    tpu_model *m = p->net;
    const int h = o->hidden;
    m->op_table =
        add(p, "embedding", "op", AG_SHAPE(TPU_OPCODES, o->embedding), ag_init_normal(0, 1));
    m->input =
        add_layer(p, "input", h, o->embedding + TPUGRAPHS_FEATURES + width_at(o, TPU_AT_NODES));
    for (int k = 0; k < o->module_layers; k++) m->module[k] = add_numbered(p, "module", k);
    for (int k = 0; k < o->gnn_layers && o->gnn; k++)
        if (o->gnn == TPU_GNN_SAGE)
            add_sage(p, k);
        else
            add_gat(p, k);
    for (int k = 0; k < o->node_layers; k++) m->node[k] = add_numbered(p, "node", k);
}

/* Sums over many nodes would begin far from the mean run time, and the first steps be lost. */
#define SMALL 1e-3

static void add_kernel(const place *p)
{
    const tpu_options *o = p->o;
    tpu_model *m = p->net;
    const int h = o->hidden, embedding = o->reduction == TPU_COLUMN ? 2 * h : h;
    const int width = width_at(o, TPU_AT_KERNEL);
    if (o->reduction == TPU_LSTM) add_lstm(p);
    for (int k = 0; k < o->encoder_layers && o->reduction == TPU_TRANSFORMER; k++)
        add_encoder(p, k);
    if (width) m->kernel = add_layer(p, "kernel", h, embedding + width);
    m->output = (tpu_layer){add(p, "output", "weight", AG_SHAPE(1, width ? h : embedding),
                                ag_init_xavier_uniform(o->absolute ? SMALL : 1)),
                            add_bias(p, "output", "bias", 1)};
}

/* An integer option and its range. */
typedef struct limit {
    const char *name;
    int value, low, high;
} limit;

/* Each head has an equal share of the channels. */
static ag_status check_heads(const char *option, int heads, int hidden, ag_failure *why)
{
    if (heads < 1) return ag_fail(why, AG_EUSE, "--%s is %d; it must be at least 1", option, heads);
    const int below = hidden / heads * heads, above = below + heads;
    if (below == hidden) return AG_OK;
    return ag_fail(why, AG_EUSE,
                   "--hidden is %d, which is no multiple of --%s %d; take --hidden %d, or other "
                   "--%s",
                   hidden, option, heads, below >= 8 ? below : above, option);
}

static ag_status check(const tpu_options *o, ag_failure *why)
{
    const int layers = TPU_MOST_LAYERS;
    const limit limits[] = {{"hidden", o->hidden, 8, 4096},
                            {"embedding", o->embedding, 1, 4096},
                            {"module-layers", o->module_layers, 0, layers},
                            {"gnn-layers", o->gnn_layers, 0, layers},
                            {"node-layers", o->node_layers, 0, layers},
                            {"encoder-layers", o->encoder_layers, 0, layers},
                            {"feed", o->feed, 1, 16}};
    const int heads = o->gnn == TPU_GNN_GAT ? o->heads : 1, costs = o->rows == NESTS_COSTS;
    const int attention = o->reduction == TPU_TRANSFORMER && !costs ? o->attention_heads : 1;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].value < limits[i].low || limits[i].value > limits[i].high)
            return ag_fail(why, AG_EUSE, "--%s is %d; it must be %d to %d", limits[i].name,
                           limits[i].value, limits[i].low, limits[i].high);
    if (check_heads("heads", heads, o->hidden, why) ||
        check_heads("attention-heads", attention, o->hidden, why))
        return why->status;
    if (costs && (o->tile_at == TPU_AT_KERNEL || o->analysis_at == TPU_AT_KERNEL))
        return ag_fail(
            why, AG_EUSE,
            "--%s-at kernel: --rows costs adds up costs of nodes and has no embedding of "
            "the kernel; take nodes or nowhere",
            o->tile_at == TPU_AT_KERNEL ? "tile" : "static");
    if (!(o->dropout >= 0 && o->dropout < 1))
        return ag_fail(why, AG_EUSE, "--dropout is %g; it must be at least 0 and below 1",
                       o->dropout);
    return AG_OK;
}

const char *tpu_model_name(const tpu_options *options)
{
    static const char *const name[] = {NESTS_NAMES("TPU model")};
    return name[options->rows];
}

ag_status tpu_model_add(tpu_model *m, ag_params *params, const tpu_options *options,
                        ag_failure *why)
{
    memset(m, 0, sizeof *m); /* large, so none lies on the stack */
    m->options = *options;
    m->params = params;
    if (options->reduction == TPU_BEST_REDUCTION)
        m->options.reduction = options->task == TPU_TILE ? TPU_LSTM : TPU_TRANSFORMER;
    if (options->task == TPU_FUSION) m->options.tile_at = TPU_NOWHERE;
    if (check(&m->options, why)) return why->status;
    if (!params) return ag_fail(why, AG_EMEMORY, "There is no memory for the model");
    const place p = {&m->options, params, m};
    add_nodes(&p);
    if (options->rows != NESTS_COSTS) add_kernel(&p);
    return nests_joined_add(&m->rows, params, options->rows, NESTS_TILE_COLUMNS, NESTS_TILE_KINDS,
                            options->task == TPU_FUSION, options->hidden, options->hidden,
                            options->absolute, why);
}

void tpu_model_free(tpu_model *m)
{
    ag_params_free(m->params);
    nests_joined_free(&m->rows);
    m->params = NULL;
}
