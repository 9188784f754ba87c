/* SPDX-License-Identifier: MIT */
/* The parameters of TGraph: names, shapes, initial values (docs/formats/tgraph.md lists them). */
#include "examples/tgraph/model/model.h"

#include "examples/harness/harness.h"

/* A linear layer "LAYER.WHAT". */
static ag_linear_layer add_linear(tgraph_model *m, const char *layer, const char *what, int in,
                                  int out)
{
    char name[128];
    return ag_layer_linear(m->params, ag_layer_name(name, layer, "%s", what), in, out, 1);
}

static void add_attention(tgraph_model *m, tgraph_attention *a, const char *layer, int width,
                          int cross)
{
    char name[128];
    if (m->options.channel) {
        a->squeeze = add_linear(m, layer, "channel.squeeze", width, width / 8);
        a->excite = add_linear(m, layer, "channel.excite", width / 8, width);
    }
    if (cross)
        a->temperature = ag_params_add(m->params, ag_layer_name(name, layer, "cross.temperature"),
                                       AG_SHAPE(1), ag_init_constant(0.5), 1);
    if (cross && !m->options.halve) a->join = add_linear(m, layer, "cross.join", 2 * width, width);
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
    m->input[k].linear = add_linear(m, layer, "linear", inputs, width);
    ag_param_init(m->input[k].linear.weight, ag_init_xavier_normal(1));
    ag_param_init(m->input[k].linear.bias, ag_init_constant(0.01));
    add_attention(m, &m->input[k].attention, layer, width, cross);
}

static void add_block(tgraph_model *m, int k)
{
    const tgraph_options *o = &m->options;
    const char *layer = k ? "block.1" : "block.0";
    const int h = o->hidden, width = width_before(o, o->cross);
    tgraph_block *b = &m->block[k];
    char name[128];
    if (o->message) b->message = add_linear(m, layer, "sage.message", h, h);
    /* ag_layer_sage would name them lin_l and lin_r, which is not as in checkpoints. */
    const ag_linear_layer neighbour = add_linear(m, layer, "sage.neighbour", h, width);
    const ag_linear_layer root =
        ag_layer_linear(m->params, ag_layer_name(name, layer, "sage.root"), h, width, 0);
    b->sage = (ag_sage_layer){{neighbour.weight, neighbour.bias, root.weight},
                              o->sum ? AG_AGGREGATE_SUM : AG_AGGREGATE_MEAN,
                              o->l2};
    add_attention(m, &b->attention, layer, width, o->cross);
}

ag_status tgraph_model_add(tgraph_model *m, ag_params *params, const tgraph_options *options,
                           ag_failure *why)
{
    const int h = options->hidden, places = TGRAPH_LAYOUT + TGRAPH_DIGITS;
    const ag_init normal = ag_init_normal(0, 1);
    *m = (tgraph_model){.options = *options, .params = params};
    if (h % 16)
        return ag_fail(why, AG_EUSE, "--hidden is %d; it must be a multiple of 16 from 16 to 4096",
                       h);
    /* Names lack the .weight that ag_layer_embedding would add, as in all checkpoints. */
    m->op_table =
        ag_params_add(params, "embedding.op", AG_SHAPE(TGRAPH_OP_ROWS, TGRAPH_OP_WIDTH), normal, 1);
    m->layout_table = ag_params_add(params, "embedding.layout",
                                    AG_SHAPE(TGRAPH_LAYOUT_ROWS, TGRAPH_LAYOUT_WIDTH), normal, 1);
    add_input_layer(m, 0, TGRAPH_NUMERIC + places * TGRAPH_LAYOUT_WIDTH + TGRAPH_OP_WIDTH);
    add_input_layer(m, 1, h);
    for (int k = 0; k < 2; k++) add_block(m, k);
    if (options->rows != NESTS_COSTS) m->output = ag_layer_linear(params, "output", h, 1, 1);
    for (int i = 0; i < params->count; i++) /* biases and temperatures have one axis */
        if (params->list[i]->shape.rank == 1) params->list[i]->decay = options->decay_biases;
    nests_joined_add(&m->joined, params,
                     &(nests_joined_options){.use = (nests_use)options->rows,
                                             .members = options->members,
                                             .columns = NESTS_LAYOUT_COLUMNS,
                                             .words = TGRAPH_OPCODES,
                                             .flags = true,
                                             .in = m->input[0].linear.weight->shape.size[0],
                                             .out = h,
                                             .absolute = options->timed,
                                             .skip = options->skip_graph});
    return AG_OK;
}

static ag_graph *build_edges(const tgraph_graph *g, const tgraph_options *options, ag_failure *why)
{
    const ag_direction direction[] = {AG_ALONG, AG_AGAINST, AG_BOTH_WAYS};
    const int m = options->edges ? g->edges : 0;
    int32_t *source = HARNESS_NEW(source, 2 * ((size_t)m + 1)), *target = source + m;
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
    p->opcode = HARNESS_NEW(p->opcode, n * (2 + TGRAPH_DIGITS) + 1);
    p->where = p->opcode + n;
    p->plain = p->where + n;
    for (size_t v = 0; v < n; v++) {
        p->opcode[v] = g->opcode[v] < TGRAPH_OP_ROWS ? g->opcode[v] : 0;
        p->where[v] = -1;
    }
    for (int k = 0; k < g->configurable; k++) p->where[g->config_node[k]] = k;
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
