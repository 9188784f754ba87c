/* SPDX-License-Identifier: MIT */
/* The parameters of TGraph: names, shapes, first values (docs/formats.md lists them). */
#include "examples/tgraph/model/model.h"

#include "examples/harness/harness.h"

#include <math.h>

/* A parameter "<layer>.<what>". */
static ag_param *add(tgraph_model *m, const char *layer, const char *what, ag_shape shape,
                     ag_init init, int weight)
{
    char name[96];
    snprintf(name, sizeof name, "%s.%s", layer, what);
    return ag_params_add(m->params, name, shape, init, weight || m->options.decay_biases);
}

/* PyTorch's initialisation of a linear layer: weights and bias uniform in +-1/sqrt(inputs). */
static ag_param *add_weight(tgraph_model *m, const char *layer, const char *what, int outputs,
                            int inputs)
{
    return add(m, layer, what, AG_SHAPE(outputs, inputs), ag_init_kaiming_uniform(sqrt(5.0)), 1);
}

static ag_param *add_bias(tgraph_model *m, const char *layer, const char *what, int outputs,
                          int inputs)
{
    return add(m, layer, what, AG_SHAPE(outputs), ag_init_linear_bias(inputs), 0);
}

static void add_attention(tgraph_model *m, tgraph_attention *a, const char *layer, int width,
                          int cross)
{
    const int narrow = width / 8;
    if (m->options.channel) {
        a->squeeze = add_weight(m, layer, "channel.squeeze.weight", narrow, width);
        a->squeeze_bias = add_bias(m, layer, "channel.squeeze.bias", narrow, width);
        a->excite = add_weight(m, layer, "channel.excite.weight", width, narrow);
        a->excite_bias = add_bias(m, layer, "channel.excite.bias", width, narrow);
    }
    if (cross)
        a->temperature = add(m, layer, "cross.temperature", AG_SHAPE(1), ag_init_constant(0.5), 0);
    if (cross && !m->options.halve) {
        a->join = add_weight(m, layer, "cross.join.weight", width, 2 * width);
        a->join_bias = add_bias(m, layer, "cross.join.bias", width, 2 * width);
    }
}

/* The cross-attended copy doubles the channels, so the layer before it has half of them, unless a
   linear layer after the copy restores the width. */
static int width_before(const tgraph_options *o, int cross)
{
    return cross && o->halve ? o->hidden / 2 : o->hidden;
}

static void add_input_layer(tgraph_model *m, int k, int inputs)
{
    const char *layer = k ? "input.1" : "input.0";
    const int cross = m->options.cross && m->options.cross_input;
    const int width = width_before(&m->options, cross);
    m->input[k].weight =
        add(m, layer, "linear.weight", AG_SHAPE(width, inputs), ag_init_xavier_normal(1), 1);
    m->input[k].bias = add(m, layer, "linear.bias", AG_SHAPE(width), ag_init_constant(0.01), 0);
    add_attention(m, &m->input[k].attention, layer, width, cross);
}

static void add_block(tgraph_model *m, int k)
{
    const char *layer = k ? "block.1" : "block.0";
    const int h = m->options.hidden, width = width_before(&m->options, m->options.cross);
    tgraph_block *b = &m->block[k];
    if (m->options.message) {
        b->message = add_weight(m, layer, "sage.message.weight", h, h);
        b->message_bias = add_bias(m, layer, "sage.message.bias", h, h);
    }
    b->sage.neighbour = add_weight(m, layer, "sage.neighbour.weight", width, h);
    b->sage.bias = add_bias(m, layer, "sage.neighbour.bias", width, h);
    b->sage.root = add_weight(m, layer, "sage.root.weight", width, h);
    add_attention(m, &b->attention, layer, width, m->options.cross);
}

static void add_tile_layers(tgraph_model *m)
{
    const int h = m->options.hidden, in[] = {TPUGRAPHS_TILE_FEATURES, h};
    const char *const config[] = {"config.0", "config.1"}, *const head[] = {"head.0", "head.1"};
    for (int k = 0; k < 2; k++) {
        m->config[k] = add_weight(m, config[k], "weight", h, in[k]);
        m->config_bias[k] = add_bias(m, config[k], "bias", h, in[k]);
    }
    for (int k = 0; k < 2; k++) {
        m->head[k] = add_weight(m, head[k], "weight", h, k ? h : 3 * h);
        m->head_bias[k] = add_bias(m, head[k], "bias", h, k ? h : 3 * h);
    }
}

const char *tgraph_model_name(const tgraph_options *options)
{
    static const char *const name[] = {NESTS_NAMES("TGraph")};
    return name[options->rows];
}

ag_status tgraph_model_add(tgraph_model *m, ag_params *params, const tgraph_options *options,
                           ag_failure *why)
{
    const int h = options->hidden, places = TGRAPH_LAYOUT + (options->tile ? 0 : TGRAPH_DIGITS);
    *m = (tgraph_model){.options = *options, .params = params};
    if (h < 16 || h > 4096 || h % 16)
        return ag_fail(why, AG_EUSE, "--hidden is %d; it must be a multiple of 16 from 16 to 4096",
                       h);
    if (!(options->dropout >= 0 && options->dropout < 1))
        return ag_fail(why, AG_EUSE, "--dropout is %g; it must be at least 0 and below 1",
                       options->dropout);
    if (!params) return ag_fail(why, AG_EMEMORY, "There is no memory for the model");
    m->op_table = add(m, "embedding", "op", AG_SHAPE(TGRAPH_OP_ROWS, TGRAPH_OP_WIDTH),
                      ag_init_normal(0, 1), 1);
    m->layout_table =
        add(m, "embedding", "layout", AG_SHAPE(TGRAPH_LAYOUT_ROWS, TGRAPH_LAYOUT_WIDTH),
            ag_init_normal(0, 1), 1);
    add_input_layer(m, 0, TGRAPH_NUMERIC + places * TGRAPH_LAYOUT_WIDTH + TGRAPH_OP_WIDTH);
    add_input_layer(m, 1, h);
    for (int k = 0; k < 2; k++) add_block(m, k);
    if (options->tile) add_tile_layers(m);
    if (options->rows != NESTS_COSTS) {
        m->output = add_weight(m, "output", "weight", 1, h);
        m->output_bias = add_bias(m, "output", "bias", 1, h);
    }
    return nests_joined_add(&m->joined, params, (nests_use)options->rows, NESTS_LAYOUT_COLUMNS,
                            TGRAPH_OPCODES, true, m->input[0].weight->shape.size[0], h,
                            options->timed, why);
}

void tgraph_model_free(tgraph_model *m)
{
    nests_joined_free(&m->joined);
    ag_params_free(m->params);
    m->params = NULL;
}

/* ---- programs ---- */

static ag_graph *build_edges(const tgraph_graph *g, const tgraph_options *options, ag_failure *why)
{
    const ag_direction direction[] = {AG_ALONG, AG_AGAINST, AG_BOTH_WAYS};
    const int m = options->edges ? g->edges : 0;
    int32_t *source = harness_alloc(2 * ((size_t)m + 1) * sizeof *source), *target = source + m;
    for (int e = 0; e < m; e++) {
        source[e] = g->edge[2 * e];
        target[e] = g->edge[2 * e + 1];
    }
    ag_graph *built =
        ag_graph_build(g->nodes, source, target, m, direction[options->direction], why);
    harness_free(source);
    return built;
}

ag_status tgraph_program_new(tgraph_program *p, const tgraph_graph *g,
                             const tgraph_options *options, ag_failure *why)
{
    const size_t n = (size_t)g->nodes;
    *p = (tgraph_program){.graph = g, .edges = build_edges(g, options, why)};
    if (!p->edges) return why->status;
    p->opcode = harness_alloc((n * (2 + TGRAPH_DIGITS) + 1) * sizeof *p->opcode);
    p->where = p->opcode + n;
    p->plain = p->where + n;
    for (size_t v = 0; v < n; v++) {
        p->opcode[v] = g->opcode[v] < TGRAPH_OP_ROWS ? g->opcode[v] : 0;
        p->where[v] = -1;
    }
    for (int k = 0; g->config_node && k < g->configurable; k++) p->where[g->config_node[k]] = k;
    for (size_t i = 0; i < n * TGRAPH_DIGITS; i++)
        p->plain[i] = p->where[i / TGRAPH_DIGITS] < 0 ? 0 : -1;
    return AG_OK;
}

void tgraph_program_free(tgraph_program *p)
{
    ag_graph_free(p->edges);
    harness_free(p->opcode);
    *p = (tgraph_program){0};
}
