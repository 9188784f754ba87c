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

static ag_param *add(tpu_model *m, const char *layer, const char *what, ag_shape shape,
                     ag_init init)
{
    char name[96];
    snprintf(name, sizeof name, "%s.%s", layer, what);
    return ag_params_add(m->params, name, shape, init, 1);
}

/* Glorot's initialisation: with PyTorch's default, the printed l2 around each layer hardly
   trains. */
static ag_param *add_weight(tpu_model *m, const char *layer, const char *what, int out, int in)
{
    return add(m, layer, what, AG_SHAPE(out, in), ag_init_xavier_uniform(1));
}

static ag_param *add_bias(tpu_model *m, const char *layer, const char *what, int out)
{
    return m->options.biases ? add(m, layer, what, AG_SHAPE(out), ag_init_constant(0)) : NULL;
}

static tpu_layer add_layer(tpu_model *m, const char *layer, int out, int in)
{
    return (tpu_layer){add_weight(m, layer, "weight", out, in), add_bias(m, layer, "bias", out)};
}

static tpu_layer add_numbered(tpu_model *m, const char *kind, int k)
{
    char layer[64];
    snprintf(layer, sizeof layer, "%s.%d", kind, k);
    return add_layer(m, layer, m->options.hidden, m->options.hidden);
}

static void add_sage(tpu_model *m, int k)
{
    const int h = m->options.hidden, parts = m->options.direction == TPU_UNDIRECTED ? 2 : 3;
    ag_sage_concat_weights *w = &m->sage[k];
    char layer[32];
    snprintf(layer, sizeof layer, "sage.%d", k);
    w->operands = add_weight(m, layer, "operands.weight", h, h);
    w->operands_bias = add_bias(m, layer, "operands.bias", h);
    if (m->options.direction == TPU_SEPARATE) {
        w->users = add_weight(m, layer, "users.weight", h, h);
        w->users_bias = add_bias(m, layer, "users.bias", h);
    }
    w->join = add_weight(m, layer, "join.weight", h, parts * h);
    w->join_bias = add_bias(m, layer, "join.bias", h);
}

static void add_gat(tpu_model *m, int k)
{
    const int h = m->options.hidden, heads = m->options.heads;
    char layer[32];
    snprintf(layer, sizeof layer, "gat.%d", k);
    m->gat[k].w = add_weight(m, layer, "weight", h, h);
    m->gat[k].from = add_weight(m, layer, "from", heads, h / heads);
    m->gat[k].to = add_weight(m, layer, "to", heads, h / heads);
    m->gat[k].bias = add_bias(m, layer, "bias", h);
}

static void add_encoder(tpu_model *m, int k)
{
    const int h = m->options.hidden, wide = m->options.feed * h;
    ag_encoder_weights *w = &m->encoder[k];
    char layer[32];
    snprintf(layer, sizeof layer, "encoder.%d", k);
    w->qkv = add_weight(m, layer, "qkv.weight", 3 * h, h);
    w->qkv_bias = add_bias(m, layer, "qkv.bias", 3 * h);
    w->out = add_weight(m, layer, "out.weight", h, h);
    w->out_bias = add_bias(m, layer, "out.bias", h);
    w->norm1 = add(m, layer, "norm1.weight", AG_SHAPE(h), ag_init_constant(1));
    w->norm1_bias = add_bias(m, layer, "norm1.bias", h);
    w->widen = add_weight(m, layer, "widen.weight", wide, h);
    w->widen_bias = add_bias(m, layer, "widen.bias", wide);
    w->narrow = add_weight(m, layer, "narrow.weight", h, wide);
    w->narrow_bias = add_bias(m, layer, "narrow.bias", h);
    w->norm2 = add(m, layer, "norm2.weight", AG_SHAPE(h), ag_init_constant(1));
    w->norm2_bias = add_bias(m, layer, "norm2.bias", h);
}

static void add_lstm(tpu_model *m)
{
    const int h = m->options.hidden;
    m->lstm_input = add_layer(m, "lstm.input", 4 * h, h);
    m->lstm_state = add_weight(m, "lstm", "state.weight", 4 * h, h);
}

/* The number of kernel features that enter at a place. */
static int width_at(const tpu_options *o, tpu_place at)
{
    const int tile = o->task == TPU_TILE && o->tile_at == at;
    return (tile ? TPUGRAPHS_TILE_FEATURES : 0) + (o->analysis_at == at ? TPU_STATIC : 0);
}

/* Layers of nests have biases in any case: their inputs are 0 where something is short or absent.
 */
static tpu_layer add_nest_layer(tpu_model *m, int k, int in)
{
    char layer[32];
    const int h = m->options.hidden;
    snprintf(layer, sizeof layer, "nest.%d", k);
    return (tpu_layer){add_weight(m, layer, "weight", h, in),
                       add(m, layer, "bias", AG_SHAPE(h), ag_init_constant(0))};
}

static void add_nests(tpu_model *m)
{
    const int h = m->options.hidden;
    for (int k = 0; k < m->options.nest_layers; k++)
        m->nest[k] = add_nest_layer(m, k, k ? h : TPU_NEST_INPUTS);
    m->nest_node = add_weight(m, "nest", "node.weight", h, h);
}

static void add_all(tpu_model *m)
{
    const tpu_options *o = &m->options;
    const int h = o->hidden, embedding = o->reduction == TPU_COLUMN ? 2 * h : h;
    const int width = width_at(o, TPU_AT_KERNEL);
    m->op_table =
        add(m, "embedding", "op", AG_SHAPE(TPU_OPCODES, o->embedding), ag_init_normal(0, 1));
    m->input =
        add_layer(m, "input", h, o->embedding + TPUGRAPHS_FEATURES + width_at(o, TPU_AT_NODES));
    for (int k = 0; k < o->module_layers; k++) m->module[k] = add_numbered(m, "module", k);
    for (int k = 0; k < o->gnn_layers && o->gnn; k++)
        if (o->gnn == TPU_GNN_SAGE)
            add_sage(m, k);
        else
            add_gat(m, k);
    for (int k = 0; k < o->node_layers; k++) m->node[k] = add_numbered(m, "node", k);
    if (o->reduction == TPU_LSTM) add_lstm(m);
    if (o->reduction == TPU_NESTS) add_nests(m);
    for (int k = 0; k < o->encoder_layers && o->reduction == TPU_TRANSFORMER; k++)
        add_encoder(m, k);
    if (width) m->kernel = add_layer(m, "kernel", h, embedding + width);
    m->output = add_layer(m, "output", 1, width ? h : embedding);
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
    add_all(m);
    return AG_OK;
}

void tpu_model_free(tpu_model *m)
{
    ag_params_free(m->params);
    m->params = NULL;
}
