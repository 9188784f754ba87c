/* SPDX-License-Identifier: MIT */
/* The parameters: names, shapes, first values (docs/formats.md lists them). */
#include "examples/tpu/model/model.h"

#include <math.h>

tpu_batch_options tpu_model_batch(const tpu_options *o)
{
    const int gat = o->gnn == TPU_GNN_GAT, sage = o->gnn == TPU_GNN_SAGE;
    const int both = gat || (sage && o->direction == TPU_UNDIRECTED), each = sage && !both;
    return (tpu_batch_options){
        .way = {[TPU_OPERANDS] = each, [TPU_USERS] = each, [TPU_BOTH] = both},
        .cap = TPU_NEIGHBOURS,
        .loops = gat,
        .by_kernel = o->tile_at != TPU_AT_NODES || o->task == TPU_FUSION,
        .nests = o->reduction == TPU_NESTS};
}

tpu_batch_options tpu_model_scoring_batch(const tpu_model *m)
{
    tpu_batch_options o = tpu_model_batch(&m->options);
    if (m->share > 0) o.trees = &m->trees;
    return o;
}

/* A network that is being made, and its number among the members. */
typedef struct place {
    const tpu_options *o;
    ag_params *params;
    tpu_network *net;
    int number;
} place;

/* A parameter "LAYER.WHAT", or "NUMBER.LAYER.WHAT" of one of several networks. */
static ag_param *add(const place *p, const char *layer, const char *what, ag_shape shape,
                     ag_init init)
{
    char name[96], front[16] = "";
    if (tpu_members(p->o) > 1) snprintf(front, sizeof front, "%d.", p->number);
    snprintf(name, sizeof name, "%s%s.%s", front, layer, what);
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

/* Layers of nests have biases in any case: their inputs are 0 where something is short or absent.
 */
static tpu_layer add_nest_layer(const place *p, int k, int in)
{
    char layer[32];
    const int h = p->o->hidden;
    snprintf(layer, sizeof layer, "nest.%d", k);
    return (tpu_layer){add_weight(p, layer, "weight", h, in),
                       add(p, layer, "bias", AG_SHAPE(h), ag_init_constant(0))};
}

static void add_nests(const place *p)
{
    const int h = p->o->hidden;
    for (int k = 0; k < p->o->nest_layers; k++)
        p->net->nest[k] = add_nest_layer(p, k, k ? h : TPU_NEST_INPUTS);
    p->net->nest_node = add_weight(p, "nest", "node.weight", h, h);
}

static void add_network(const place *p)
{
    const tpu_options *o = p->o;
    tpu_network *m = p->net;
    const int h = o->hidden, embedding = o->reduction == TPU_COLUMN ? 2 * h : h;
    const int width = width_at(o, TPU_AT_KERNEL);
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
    if (o->reduction == TPU_LSTM) add_lstm(p);
    if (o->reduction == TPU_NESTS) add_nests(p);
    for (int k = 0; k < o->encoder_layers && o->reduction == TPU_TRANSFORMER; k++)
        add_encoder(p, k);
    if (width) m->kernel = add_layer(p, "kernel", h, embedding + width);
    m->output = add_layer(p, "output", 1, width ? h : embedding);
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
    const limit limits[] = {
        {"hidden", o->hidden, 8, 4096},
        {"embedding", o->embedding, 1, 4096},
        {"module-layers", o->module_layers, 0, layers},
        {"gnn-layers", o->gnn_layers, 0, layers},
        {"node-layers", o->node_layers, 0, layers},
        {"encoder-layers", o->encoder_layers, 0, layers},
        {"nest-layers", o->reduction == TPU_NESTS ? o->nest_layers : 1, 1, layers},
        {"members", tpu_members(o), 1, TPU_MOST_MEMBERS},
        {"trees", o->trees, 0, TPU_MOST_TREES},
        {"feed", o->feed, 1, 16}};
    const int heads = o->gnn == TPU_GNN_GAT ? o->heads : 1;
    const int attention = o->reduction == TPU_TRANSFORMER ? o->attention_heads : 1;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].value < limits[i].low || limits[i].value > limits[i].high)
            return ag_fail(why, AG_EUSE, "--%s is %d; it must be %d to %d", limits[i].name,
                           limits[i].value, limits[i].low, limits[i].high);
    if (check_heads("heads", heads, o->hidden, why) ||
        check_heads("attention-heads", attention, o->hidden, why))
        return why->status;
    if (!(o->dropout >= 0 && o->dropout < 1))
        return ag_fail(why, AG_EUSE, "--dropout is %g; it must be at least 0 and below 1",
                       o->dropout);
    if (!(o->trees_share >= 0 && o->trees_share <= 1))
        return ag_fail(why, AG_EUSE, "--trees-share is %g; it must be 0 to 1", o->trees_share);
    return AG_OK;
}

ag_status tpu_model_add(tpu_model *m, ag_params *params, const tpu_options *options,
                        ag_failure *why)
{
    *m = (tpu_model){.options = *options, .params = params};
    if (options->task == TPU_FUSION || options->reduction == TPU_NESTS)
        m->options.tile_at = TPU_NOWHERE; /* nests tell of tiles */
    if (check(options, why)) return why->status;
    if (!params) return ag_fail(why, AG_EMEMORY, "There is no memory for the model");
    for (int i = 0; i < tpu_members(options); i++)
        add_network(&(place){&m->options, params, &m->member[i], i});
    if (!options->trees) return AG_OK;
    const tpu_nest_trees_options trees = tpu_nest_trees_defaults(options->task);
    return harness_trees_open(&m->trees, trees.bags * options->trees, trees.trees.depth, why);
}

void tpu_model_free(tpu_model *m)
{
    ag_params_free(m->params);
    harness_trees_close(&m->trees);
    m->params = NULL;
}
