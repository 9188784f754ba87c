/* SPDX-License-Identifier: MIT */
/* The forward pass. */
#include "examples/tpgnn/model/model.h"

typedef struct pass {
    const tpgnn_model *model;
    const tpgnn_options *o;
    ag_tape *tape;
    const tpgnn_batch *batch;
    nests_embedded row; /* only with --rows */
} pass;

static ag_tensor *indices(pass *p, const int32_t *index, int n)
{
    return ag_input_i32(p->tape, index, AG_SHAPE(n));
}

static ag_tensor *look_up(pass *p, ag_tensor *table, tpgnn_field field)
{
    return ag_gather(table, indices(p, p->batch->word[field], p->batch->nodes));
}

/* A vector of 18 numbers for each class of node, of a file or a learned one. */
static ag_tensor *class_vectors(pass *p)
{
    const int words = p->o->words[TPGNN_CLASS];
    return p->model->vector ? ag_input(p->tape, p->model->vector, AG_SHAPE(words, TPGNN_VECTOR))
                            : ag_parameter(p->tape, p->model->class_table);
}

/* The sum of what rows give to each node, [nodes,hidden]. */
static ag_tensor *rows_of_nodes(pass *p)
{
    return nests_joined_nodes(&p->model->joined, &p->row, &p->batch->rows);
}

static ag_tensor *add_costs(pass *p, ag_tensor *vector)
{
    return nests_joined_scores(&p->model->joined, &p->row, vector, &p->batch->rows);
}

/* x = [vector of the class (18), value of a constant, named, rows (hidden)]. */
static ag_tensor *paper(pass *p)
{
    const tpgnn_batch *b = p->batch;
    ag_tensor *own = ag_input(p->tape, b->paper, AG_SHAPE(b->nodes, 2));
    ag_tensor *x = ag_concat2(look_up(p, class_vectors(p), TPGNN_CLASS), own, 1);
    if (p->o->rows) x = ag_concat2(x, rows_of_nodes(p), 1);
    const ag_edges edges = ag_graph_edges(p->tape, b->down);
    ag_tensor *y = tpgnn_paper_forward(&p->model->paper, x, edges);
    return p->o->rows == NESTS_COSTS ? add_costs(p, y) : y;
}

/* relu(W numbers + b + a row for each word of the node + its rows), a product with one-hot words.
 */
static ag_tensor *input_layer(pass *p)
{
    const tpgnn_batch *b = p->batch;
    ag_tensor *number = ag_input(p->tape, b->number, AG_SHAPE(b->nodes, TPGNN_NUMBERS));
    ag_tensor *x = ag_apply_linear(&p->model->statements.input, number);
    for (int f = 0; f < TPGNN_FIELDS; f++) {
        if (!p->model->statements.table[f]) continue;
        ag_tensor *table = ag_parameter(p->tape, p->model->statements.table[f]);
        if (f == TPGNN_CLASS && p->model->vector) table = ag_linear(class_vectors(p), table, NULL);
        x = ag_add(x, look_up(p, table, (tpgnn_field)f));
    }
    if (p->o->rows) x = ag_add(x, rows_of_nodes(p));
    return ag_relu(x);
}

/* Messages from ancestors and from descendants pass through separate layers. */
static ag_tensor *convolve(pass *p, ag_tensor *x)
{
    const ag_edges down = ag_graph_edges(p->tape, p->batch->down);
    const ag_edges up = ag_graph_edges(p->tape, p->batch->up);
    for (int k = 0; k < p->o->layers; k++) {
        x = ag_sage_concat(&p->model->statements.layer[k], x, down, &up, AG_AGGREGATE_MEAN, 0);
        x = ag_dropout(x, (ag_real)p->o->dropout);
    }
    return x;
}

/* A statement in its program: its node, and the mean over all nodes. */
static ag_tensor *join(pass *p)
{
    const tpgnn_batch *b = p->batch;
    ag_tensor *x = convolve(p, input_layer(p));
    ag_tensor *whole = ag_segment_mean(x, indices(p, b->start, b->graphs + 1));
    ag_tensor *y = ag_gather(x, indices(p, b->store, b->stores));
    y = ag_concat2(y, ag_gather(whole, indices(p, b->program, b->stores)), 1);
    return ag_relu(ag_apply_linear(&p->model->statements.join, y));
}

/* The mean, or ln of the sum of e^cost over the statements of each program; or of their rows. */
static ag_tensor *statements(pass *p)
{
    const tpgnn_batch *b = p->batch;
    ag_tensor *starts = indices(p, b->store_start, b->graphs + 1);
    ag_tensor *y = ag_dropout(join(p), (ag_real)p->o->dropout);
    y = ag_relu(ag_apply_linear(&p->model->statements.hidden, y));
    if (p->o->rows == NESTS_COSTS) return add_costs(p, y);
    y = ag_apply_linear(&p->model->statements.output, y);
    y = p->o->readout == TPGNN_READ_MEAN ? ag_segment_mean(y, starts)
                                         : ag_segment_log_sum_exp(y, starts);
    return ag_reshape(y, AG_SHAPE(b->graphs));
}

ag_tensor *tpgnn_forward(const tpgnn_model *m, ag_tape *tape, const tpgnn_batch *batch)
{
    pass p = {m, &m->options, tape, batch, {{NULL}}};
    if (m->options.rows) p.row = nests_joined_embed(&m->joined, tape, &batch->rows);
    return m->options.network == TPGNN_PAPER ? paper(&p) : statements(&p);
}
