/* SPDX-License-Identifier: MIT */
/* The forward pass of TGraph. Activations are node-major, [nodes, configurations, channels]: the
   linear layers see a tall matrix, the neighbour mean moves whole rows, both norms and both
   attentions run on views. */
#include "examples/tgraph/model/model.h"

/* x * sigmoid(excite(relu(squeeze(x)))), eq. 5. */
static ag_tensor *channel_attention(const tgraph_attention *a, ag_tensor *x)
{
    ag_tape *tape = ag_tape_of(x);
    return ag_channel_attention(
        x, ag_parameter(tape, a->squeeze.weight), ag_parameter(tape, a->squeeze.bias),
        ag_parameter(tape, a->excite.weight), ag_parameter(tape, a->excite.bias));
}

/* Channel attention, then concatenation with the copy that compares the configurations:
   [n,c,o] -> [n,c,o] or, where nothing joins the two, [n,c,2o]. */
static ag_tensor *attend(const tgraph_attention *a, ag_tensor *x)
{
    if (a->squeeze.weight) x = channel_attention(a, x);
    if (!a->temperature) return x;
    ag_tensor *t = ag_parameter(ag_tape_of(x), a->temperature);
    x = ag_concat2(x, ag_cross_attention(x, t), -1);
    return a->join.weight ? ag_apply_linear(&a->join, x) : x;
}

/* dropout(gelu(r + attended x)); r NULL: none. It is one op when both attentions are on and nothing
   joins them. */
static ag_tensor *activate(const tgraph_attention *a, ag_tensor *x, ag_tensor *r, double p)
{
    if (a->squeeze.weight && a->temperature && !a->join.weight) {
        ag_tape *tape = ag_tape_of(x);
        const ag_attend_weights w = {
            ag_parameter(tape, a->squeeze.weight), ag_parameter(tape, a->squeeze.bias),
            ag_parameter(tape, a->excite.weight), ag_parameter(tape, a->excite.bias),
            ag_parameter(tape, a->temperature)};
        return ag_attend(x, &w, r, (ag_real)p);
    }
    x = attend(a, x);
    return ag_dropout(ag_gelu(r ? ag_add(r, x) : x), (ag_real)p);
}

/* A table of the values that each of the 8 codes adds to the channels at place k of `places`:
   [places * 8, channels]. w [channels, places * 4] is the part of the first weight that reads those
   places. */
static ag_tensor *look_up_table(const tgraph_model *m, ag_tensor *w, int places)
{
    const int channels = ag_size(w, 0);
    ag_tensor *codes = ag_parameter(ag_tape_of(w), m->layout_table);
    w = ag_reshape(w, AG_SHAPE(channels * places, TGRAPH_LAYOUT_WIDTH));
    w = ag_reshape(ag_matmul_t(w, codes, 0, 1), AG_SHAPE(channels, places * TGRAPH_LAYOUT_ROWS));
    return ag_transpose(w);
}

/* The first linear layer, computed without forming its input of [nodes, configurations, 246]: the
   part that all configurations share is computed once per node, and that of the configurable nodes
   is a sum of 18 looked-up rows. */
static ag_tensor *first_linear(const tgraph_model *m, ag_tape *tape, const tgraph_program *p,
                               const int32_t *digit, int configs)
{
    const tgraph_graph *g = p->graph;
    ag_tensor *w = ag_parameter(tape, m->input[0].linear.weight);
    const int layout = TGRAPH_LAYOUT * TGRAPH_LAYOUT_WIDTH;
    const int config = TGRAPH_DIGITS * TGRAPH_LAYOUT_WIDTH;
    ag_tensor *w_feature = ag_slice(w, 1, 0, TGRAPH_NUMERIC);
    ag_tensor *w_layout = ag_slice(w, 1, TGRAPH_NUMERIC + config, layout);
    ag_tensor *w_op = ag_slice(w, 1, TGRAPH_NUMERIC + config + layout, TGRAPH_OP_WIDTH);

    ag_tensor *feature = ag_input(tape, g->feature, AG_SHAPE(g->nodes, TGRAPH_NUMERIC));
    ag_tensor *x = ag_linear(feature, w_feature, NULL);
    ag_tensor *ops = ag_matmul_t(ag_parameter(tape, m->op_table), w_op, 0, 1);
    x = ag_add(x, ag_gather(ops, ag_input_i32(tape, p->opcode, AG_SHAPE(g->nodes))));
    ag_tensor *own = ag_input_i32(tape, g->layout, AG_SHAPE(g->nodes, TGRAPH_LAYOUT));
    x = ag_add(
        x, ag_embedding_bag(look_up_table(m, w_layout, TGRAPH_LAYOUT), own, TGRAPH_LAYOUT_ROWS));

    ag_tensor *table = look_up_table(m, ag_slice(w, 1, TGRAPH_NUMERIC, config), TGRAPH_DIGITS);
    ag_tensor *plain = ag_input_i32(tape, p->plain, AG_SHAPE(g->nodes, TGRAPH_DIGITS));
    ag_tensor *digits =
        ag_input_i32(tape, digit, AG_SHAPE(g->configurable * configs, TGRAPH_DIGITS));
    x = ag_add(x, ag_embedding_bag(table, plain, TGRAPH_LAYOUT_ROWS));
    ag_tensor *part = ag_embedding_bag(table, digits, TGRAPH_LAYOUT_ROWS);
    part = ag_reshape(part, AG_SHAPE(g->configurable, configs, ag_size(w, 0)));
    return ag_spread(x, part, ag_input_i32(tape, p->where, AG_SHAPE(g->nodes)));
}

static ag_tensor *norm(ag_tensor *x, ag_edges edges)
{
    return ag_instance_norm(x, edges.starts, (ag_real)1e-5);
}

/* f_in of eq. 7: two layers of linear, norm, attention, GELU. The biases of these linear layers are
   parameters of the model, but are left out here: the norm cancels a constant per channel, and
   their gradient is 0 instead of rounding noise. */
static ag_tensor *input_layers(const tgraph_model *m, ag_tensor *x, ag_edges edges)
{
    x = activate(&m->input[0].attention, norm(x, edges), NULL, 0);
    x = ag_apply_linear(&(ag_linear_layer){m->input[1].linear.weight, NULL}, x);
    return activate(&m->input[1].attention, norm(x, edges), NULL, 0);
}

/* The GraphSAGE operation, eq. 2. */
static ag_tensor *sage(const tgraph_block *b, ag_tensor *x, ag_edges edges)
{
    if (!b->message.weight) return ag_apply_sage(&b->sage, x, edges);
    const ag_linear_layer neighbour = {b->sage.weights.neighbour, b->sage.weights.bias};
    const ag_linear_layer root = {b->sage.weights.root, NULL};
    ag_tensor *sent = ag_gelu(ag_apply_linear(&b->message, x));
    sent = ag_spmm(sent, edges, b->sage.aggregate);
    ag_tensor *y = ag_add(ag_apply_linear(&neighbour, sent), ag_apply_linear(&root, x));
    return b->sage.l2 ? ag_l2_norm(y, (ag_real)1e-12) : y;
}

/* One graph block, eq. 3 and 4; [n,c,h] -> [n,c,h]. */
static ag_tensor *block(const tgraph_model *m, const tgraph_block *b, ag_tensor *x, ag_edges edges)
{
    ag_tensor *h = sage(b, norm(x, edges), edges);
    if (!m->options.outside) return activate(&b->attention, h, x, m->options.dropout);
    x = ag_add(x, ag_gelu(attend(&b->attention, h)));
    return ag_dropout(x, (ag_real)m->options.dropout);
}

/* With rows, those of a node add to what its columns give. */
ag_tensor *tgraph_forward(const tgraph_model *m, ag_tape *tape, const tgraph_program *p,
                          const int32_t *digit, const nests_joined_batch *rows, int configs)
{
    ag_tensor *x = first_linear(m, tape, p, digit, configs);
    nests_embedded row = {{NULL}};
    if (m->joined.use) {
        row = nests_joined_embed(&m->joined, tape, rows);
        ag_tensor *sum = nests_joined_nodes(&m->joined, &row, rows);
        x = ag_add(x, ag_reshape(sum, ag_shape_of(x)));
    }
    const ag_edges edges = ag_graph_edges(tape, p->edges);
    x = input_layers(m, x, edges);
    for (int k = 0; k < 2; k++) x = block(m, &m->block[k], x, edges);
    if (!m->output.weight) {
        const int places = p->graph->nodes * configs;
        x = ag_reshape(x, AG_SHAPE(places, m->options.hidden));
        return nests_joined_scores(&m->joined, &row, x, rows);
    }
    ag_tensor *score = ag_apply_linear(&m->output, ag_mean_rows(x));
    return ag_reshape(score, AG_SHAPE(configs));
}
