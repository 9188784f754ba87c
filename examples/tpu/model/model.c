/* SPDX-License-Identifier: MIT */
/* The forward pass, in the order of the paper's Figure 3. */
#include "examples/tpu/model/model.h"

/* Rows of the batch's own arrays, and those of the parameters, on the tape of one pass. */
typedef struct pass {
    const tpu_model *net;
    const tpu_options *o;
    ag_tape *tape;
    const tpu_batch *batch;
    int by_kernel;      /* 1: nodes are those of the distinct kernels, not of the samples */
    nests_embedded row; /* only with --rows */
} pass;

static ag_tensor *feed_forward(pass *p, ag_tensor *x, const ag_linear_layer *layer)
{
    return ag_dropout(ag_relu(ag_apply_linear(layer, x)), (ag_real)p->o->dropout);
}

static ag_tensor *indices(pass *p, const int32_t *index, int n)
{
    return ag_input_i32(p->tape, index, AG_SHAPE(n));
}

/* Static performance features, a row per kernel, and tile sizes, a row per sample. */
static ag_tensor *analysis(pass *p)
{
    return ag_input(p->tape, p->batch->analysis, AG_SHAPE(p->batch->kernels, TPU_STATIC));
}

static ag_tensor *tile(pass *p)
{
    return ag_input(p->tape, p->batch->tile, AG_SHAPE(p->batch->samples, TPUGRAPHS_TILE_FEATURES));
}

/* e^0 = f1(X), X = [op code embedding, node features, static features, tile size, sum of what the
   rows of the node give]. The product is split: the terms of the tile size and of the rows are
   computed once per sample, the rest once per kernel. */
static ag_tensor *input_layer(pass *p)
{
    const tpu_batch *b = p->batch;
    const int e = p->o->embedding, f = TPUGRAPHS_FEATURES;
    const int fixed = e + f + (p->o->analysis_at == TPU_AT_NODES ? TPU_STATIC : 0);
    ag_tensor *w = ag_parameter(p->tape, p->net->input.weight);
    ag_tensor *bias = p->net->input.bias ? ag_parameter(p->tape, p->net->input.bias) : NULL;
    ag_tensor *table = ag_parameter(p->tape, p->net->op_table);
    ag_tensor *ops = ag_linear(table, ag_slice(w, 1, 0, e), NULL);
    ag_tensor *feature = ag_input(p->tape, b->feature, AG_SHAPE(b->base_nodes, f));
    ag_tensor *x = ag_linear(feature, ag_slice(w, 1, e, f), bias);
    x = ag_add(x, ag_gather(ops, indices(p, b->opcode, b->base_nodes)));
    if (p->o->analysis_at == TPU_AT_NODES) {
        ag_tensor *y = ag_linear(analysis(p), ag_slice(w, 1, e + f, TPU_STATIC), NULL);
        x = ag_add(x, ag_gather(y, indices(p, b->base_group, b->base_nodes)));
    }
    if (!p->by_kernel) x = ag_gather(x, indices(p, b->base, b->nodes));
    if (p->o->tile_at == TPU_AT_NODES) {
        ag_tensor *y = ag_linear(tile(p), ag_slice(w, 1, fixed, TPUGRAPHS_TILE_FEATURES), NULL);
        x = ag_add(x, ag_gather(y, indices(p, b->sample, b->nodes)));
    }
    if (p->o->rows) x = ag_add(x, nests_joined_nodes(&p->net->rows, &p->row, &b->rows));
    return ag_dropout(ag_relu(x), (ag_real)p->o->dropout);
}

static ag_edges edges_of(pass *p, tpu_way way)
{
    return ag_graph_edges(p->tape, p->batch->graph[way]);
}

/* e^k = l2(f3(concat(e^(k-1), sum over the neighbours of f2(e^(k-1))))). */
static ag_tensor *sage(pass *p, ag_tensor *x)
{
    const tpu_options *o = p->o;
    const int both = o->direction == TPU_UNDIRECTED;
    const ag_edges in = edges_of(p, both ? TPU_BOTH : TPU_OPERANDS);
    const ag_edges out = both ? in : edges_of(p, TPU_USERS);
    for (int k = 0; k < o->gnn_layers; k++) {
        x = ag_sage_concat(&p->net->sage[k], x, in, both ? NULL : &out, o->aggregate, o->l2);
        x = ag_dropout(x, (ag_real)o->dropout);
    }
    return x;
}

static ag_tensor *gat(pass *p, ag_tensor *x)
{
    const ag_edges edges = edges_of(p, TPU_BOTH);
    for (int k = 0; k < p->o->gnn_layers; k++) {
        x = ag_elu(ag_apply_gat(&p->net->gat[k], x, NULL, edges), 1);
        x = ag_dropout(x, (ag_real)p->o->dropout);
    }
    return x;
}

/* Where the nodes of each kernel or sample begin. */
static ag_tensor *starts_of(pass *p)
{
    const tpu_batch *b = p->batch;
    return p->by_kernel ? indices(p, b->base_start, b->kernels + 1)
                        : indices(p, b->start, b->samples + 1);
}

static ag_tensor *encoder(pass *p, ag_tensor *x, ag_tensor *starts)
{
    for (int k = 0; k < p->o->encoder_layers; k++)
        x = ag_apply_encoder(&p->net->encoder[k], x, starts);
    return ag_segment_sum(x, starts);
}

static ag_tensor *reduce(pass *p, ag_tensor *x)
{
    ag_tensor *starts = starts_of(p);
    switch (p->o->reduction) {
    case TPU_PER_NODE: return ag_segment_sum(x, starts);
    case TPU_COLUMN: return ag_concat2(ag_segment_mean(x, starts), ag_segment_max(x, starts), 1);
    case TPU_LSTM: return ag_apply_recurrent_last(&p->net->lstm, x, starts);
    default: return encoder(p, x, starts);
    }
}

/* Option 2 of Figure 3: the features of the kernel join its embedding, through a layer of their own
   (a linear output would add the same for a tile size whatever the kernel). From here on there is a
   row per sample. */
static ag_tensor *kernel_features(pass *p, ag_tensor *kernel)
{
    ag_tensor *group = indices(p, p->batch->group, p->batch->samples);
    if (p->by_kernel) kernel = ag_gather(kernel, group);
    if (p->o->analysis_at == TPU_AT_KERNEL)
        kernel = ag_concat2(kernel, ag_gather(analysis(p), group), 1);
    if (p->o->tile_at == TPU_AT_KERNEL) kernel = ag_concat2(kernel, tile(p), 1);
    return p->net->kernel.weight ? feed_forward(p, kernel, &p->net->kernel) : kernel;
}

ag_tensor *tpu_forward(const tpu_model *m, ag_tape *tape, const tpu_batch *batch)
{
    pass p = {m, &m->options, tape, batch, m->batch.by_kernel, {{NULL}}};
    if (p.o->rows) p.row = nests_joined_embed(&m->rows, tape, &batch->rows);
    ag_tensor *x = input_layer(&p);
    for (int k = 0; k < p.o->module_layers; k++) x = feed_forward(&p, x, &m->module[k]);
    if (p.o->module_l2) x = ag_l2_norm(x, (ag_real)1e-12);
    if (p.o->gnn == TPU_GNN_SAGE) x = sage(&p, x);
    if (p.o->gnn == TPU_GNN_GAT) x = gat(&p, x);
    for (int k = 0; k < p.o->node_layers; k++) x = feed_forward(&p, x, &m->node[k]);
    if (p.o->rows == NESTS_COSTS) return nests_joined_scores(&m->rows, &p.row, x, &batch->rows);
    ag_tensor *kernel = kernel_features(&p, reduce(&p, x));
    ag_tensor *score = ag_reshape(ag_apply_linear(&m->output, kernel), AG_SHAPE(batch->samples));
    return m->offset != 0 ? ag_shift(score, (ag_real)m->offset) : score;
}
