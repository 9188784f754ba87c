/* SPDX-License-Identifier: MIT */
/* The parameters: names, shapes, initial values (docs/formats/tpu.md lists them). */
#include "examples/tpu/model/model.h"
#include "core/error.h"

#include <string.h>

static tpu_batch_options batch_of(const tpu_model *m)
{
    const tpu_options *o = &m->options;
    const int gat = o->gnn == TPU_GNN_GAT, sage = o->gnn == TPU_GNN_SAGE;
    const int both = gat || (sage && o->direction == TPU_UNDIRECTED), each = sage && !both;
    return (tpu_batch_options){
        .way = {[TPU_OPERANDS] = each, [TPU_USERS] = each, [TPU_BOTH] = both},
        .loops = gat,
        .by_kernel = !o->rows && (o->tile_at != TPU_AT_NODES || o->task == TPU_FUSION),
        .rows = o->rows ? &m->rows : NULL};
}

/* A linear layer "KIND.K.PART", or "KIND.K". */
static ag_linear_layer add_linear(const tpu_model *m, const char *kind, int k, const char *part,
                                  int in, int out)
{
    char layer[128], name[128];
    ag_layer_name(layer, kind, "%d", k);
    return ag_layer_linear(m->params, part ? ag_layer_name(name, layer, "%s", part) : layer, in,
                           out, m->options.biases);
}

static void add_sage(tpu_model *m, int k)
{
    const int h = m->options.hidden, parts = m->options.direction == TPU_UNDIRECTED ? 2 : 3;
    ag_linear_layer users = {0};
    const ag_linear_layer operands = add_linear(m, "sage", k, "operands", h, h);
    if (m->options.direction == TPU_SEPARATE) users = add_linear(m, "sage", k, "users", h, h);
    const ag_linear_layer join = add_linear(m, "sage", k, "join", parts * h, h);
    m->sage[k] = (ag_sage_concat_weights){operands.weight, operands.bias, users.weight,
                                          users.bias,      join.weight,   join.bias};
}

/* This layer, the LSTM and the encoder are made part by part: checkpoints have other names and
   another order than ag_layer_gat, _lstm and _encoder, and these cannot leave biases out. */
static void add_gat(tpu_model *m, int k)
{
    const int h = m->options.hidden, heads = m->options.heads;
    const ag_shape vectors = AG_SHAPE(heads, h / heads);
    const ag_init glorot = ag_init_xavier_uniform(1);
    ag_gat_weights w = {0};
    char name[128];
    w.w = ag_layer_linear(m->params, ag_layer_name(name, "gat", "%d", k), h, h, 0).weight;
    w.from = ag_params_add(m->params, ag_layer_name(name, "gat", "%d.from", k), vectors, glorot, 1);
    w.to = ag_params_add(m->params, ag_layer_name(name, "gat", "%d.to", k), vectors, glorot, 1);
    if (m->options.biases)
        w.bias = ag_params_add(m->params, ag_layer_name(name, "gat", "%d.bias", k), AG_SHAPE(h),
                               ag_init_constant(0), 1);
    m->gat[k] = (ag_gat_layer){.weights = w, .heads = heads, .slope = (ag_real)0.2};
}

static void add_lstm(tpu_model *m)
{
    const int h = m->options.hidden;
    const ag_linear_layer input =
        ag_layer_linear(m->params, "lstm.input", h, 4 * h, m->options.biases);
    const ag_linear_layer state = ag_layer_linear(m->params, "lstm.state", h, 4 * h, 0);
    m->lstm = (ag_recurrent_layer){
        {{{input.weight, state.weight, input.bias, NULL}}}, .layers = 1, .gates = 4};
}

static void add_encoder(tpu_model *m, int k)
{
    const int h = m->options.hidden, wide = m->options.feed * h, biases = m->options.biases;
    char name[128];
    const ag_linear_layer qkv = add_linear(m, "encoder", k, "qkv", h, 3 * h);
    const ag_linear_layer out = add_linear(m, "encoder", k, "out", h, h);
    const ag_layer_norm_layer norm1 =
        ag_layer_layer_norm(m->params, ag_layer_name(name, "encoder", "%d.norm1", k), h, biases);
    const ag_linear_layer widen = add_linear(m, "encoder", k, "widen", h, wide);
    const ag_linear_layer narrow = add_linear(m, "encoder", k, "narrow", wide, h);
    const ag_layer_norm_layer norm2 =
        ag_layer_layer_norm(m->params, ag_layer_name(name, "encoder", "%d.norm2", k), h, biases);
    m->encoder[k] = (ag_encoder_layer){{qkv.weight, qkv.bias, out.weight, out.bias, norm1.weight,
                                        norm1.bias, widen.weight, widen.bias, narrow.weight,
                                        narrow.bias, norm2.weight, norm2.bias},
                                       m->options.attention_heads,
                                       (ag_real)m->options.dropout};
}

/* The number of kernel features that enter at a place. */
static int width_at(const tpu_options *o, tpu_place at)
{
    const int tile = o->task == TPU_TILE && o->tile_at == at;
    return (tile ? TPUGRAPHS_TILE_FEATURES : 0) + (o->analysis_at == at ? TPU_STATIC : 0);
}

static void add_nodes(tpu_model *m)
{
    const tpu_options *o = &m->options;
    const int h = o->hidden;
    const int inputs = o->embedding + TPUGRAPHS_FEATURES + width_at(o, TPU_AT_NODES);
    /* Its name lacks the .weight that ag_layer_embedding would add, as in all checkpoints. */
    m->op_table = ag_params_add(m->params, "embedding.op", AG_SHAPE(TPU_OPCODES, o->embedding),
                                ag_init_normal(0, 1), 1);
    m->input = ag_layer_linear(m->params, "input", inputs, h, o->biases);
    for (int k = 0; k < o->module_layers; k++)
        m->module[k] = add_linear(m, "module", k, NULL, h, h);
    for (int k = 0; k < o->gnn_layers && o->gnn; k++)
        if (o->gnn == TPU_GNN_SAGE)
            add_sage(m, k);
        else
            add_gat(m, k);
    for (int k = 0; k < o->node_layers; k++) m->node[k] = add_linear(m, "node", k, NULL, h, h);
}

static void add_kernel(tpu_model *m)
{
    const tpu_options *o = &m->options;
    const int h = o->hidden, embedding = o->reduction == TPU_COLUMN ? 2 * h : h;
    const int width = width_at(o, TPU_AT_KERNEL);
    if (o->reduction == TPU_LSTM) add_lstm(m);
    for (int k = 0; k < o->encoder_layers && o->reduction == TPU_TRANSFORMER; k++)
        add_encoder(m, k);
    if (width) m->kernel = ag_layer_linear(m->params, "kernel", embedding + width, h, o->biases);
    m->output = ag_layer_linear(m->params, "output", width ? h : embedding, 1, o->biases);
}

/* Each head has an equal share of the channels. */
static ag_status check_heads(const char *option, int heads, int hidden, ag_failure *why)
{
    const int below = hidden / heads * heads, above = below + heads;
    if (below == hidden) return AG_OK;
    return ag_fail(why, AG_EUSE,
                   "--hidden is %d, which is not a multiple of --%s %d; take --hidden %d, or other "
                   "--%s",
                   hidden, option, heads, below >= 8 ? below : above, option);
}

static ag_status check(const tpu_options *o, ag_failure *why)
{
    const int heads = o->gnn == TPU_GNN_GAT ? o->heads : 1, costs = o->rows == NESTS_COSTS;
    const int attention = o->reduction == TPU_TRANSFORMER && !costs ? o->attention_heads : 1;
    if (check_heads("heads", heads, o->hidden, why) ||
        check_heads("attention-heads", attention, o->hidden, why))
        return why->status;
    if (costs && (o->tile_at == TPU_AT_KERNEL || o->analysis_at == TPU_AT_KERNEL))
        return ag_fail(
            why, AG_EUSE,
            "--%s-at kernel: --rows costs adds up costs of nodes and has no embedding of "
            "the kernel; take nodes or nowhere",
            o->tile_at == TPU_AT_KERNEL ? "tile" : "static");
    return AG_OK;
}

ag_status tpu_model_add(tpu_model *m, ag_params *params, const tpu_options *options,
                        ag_failure *why)
{
    memset(m, 0, sizeof *m); /* large, so none lies on the stack */
    m->options = *options;
    m->params = params;
    if (options->task == TPU_FUSION) m->options.tile_at = TPU_NOWHERE;
    m->batch = batch_of(m);
    if (check(&m->options, why)) return why->status;
    add_nodes(m);
    if (options->rows != NESTS_COSTS) add_kernel(m);
    /* Glorot's: with PyTorch's default, the printed l2 around each layer hardly trains. Sums over
       many nodes would begin far from the mean run time, and the first steps be lost. */
    ag_params_init(params, NULL, ag_init_xavier_uniform(1), ag_init_constant(0));
    if (options->absolute) ag_param_init(m->output.weight, ag_init_xavier_uniform(1e-3));
    nests_joined_add(&m->rows, params,
                     &(nests_joined_options){.use = options->rows,
                                             .columns = NESTS_TILE_COLUMNS,
                                             .words = NESTS_TILE_KINDS,
                                             .flags = options->task == TPU_FUSION,
                                             .in = options->hidden,
                                             .out = options->hidden,
                                             .absolute = options->absolute});
    return AG_OK;
}

void tpu_model_free(tpu_model *m) { nests_joined_free(&m->rows); }
