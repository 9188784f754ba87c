/* SPDX-License-Identifier: MIT */
/* The forward pass of the network that prices statements. */
#include "examples/tpgnn/model/model.h"

#include "ops/ops.h"

typedef struct pass {
    const tpgnn_model *model;
    const tpgnn_member *member;
    const tpgnn_options *o;
    ag_tape *tape;
    const tpgnn_batch *batch;
} pass;

static ag_tensor *linear(pass *p, ag_tensor *x, tpgnn_layer layer)
{
    return ag_linear(x, ag_parameter(p->tape, layer.weight), ag_parameter(p->tape, layer.bias));
}

static ag_tensor *indices(pass *p, const int32_t *index, int n)
{
    return ag_input_i32(p->tape, index, AG_SHAPE(n));
}

static ag_tensor *look_up(pass *p, ag_tensor *table, tpgnn_field field)
{
    return ag_gather(table, indices(p, p->batch->word[field], p->batch->nodes));
}

/* A vector of 18 numbers for each class of node, FastText's or a learned one. */
static ag_tensor *class_vectors(pass *p)
{
    const int words = p->o->words[TPGNN_CLASS];
    return p->model->vector ? ag_input(p->tape, p->model->vector, AG_SHAPE(words, TPGNN_VECTOR))
                            : ag_parameter(p->tape, p->model->class_table);
}

/* ---- the paper's network ---- */

/* x = [vector of the class (18), value of a constant, named]. */
static ag_tensor *paper(pass *p)
{
    const tpgnn_batch *b = p->batch;
    ag_tensor *own = ag_input(p->tape, b->paper, AG_SHAPE(b->nodes, 2));
    ag_tensor *x = ag_concat2(look_up(p, class_vectors(p), TPGNN_CLASS), own, 1);
    const ag_edges edges = ag_graph_edges(p->tape, b->down);
    return tpgnn_paper_forward(&p->model->paper, x, edges);
}

/* ---- cost of each statement ---- */

/* relu(W numbers + b + a row for each of the node's words): the product with one-hot words. */
static ag_tensor *input_layer(pass *p)
{
    const tpgnn_batch *b = p->batch;
    ag_tensor *number = ag_input(p->tape, b->number, AG_SHAPE(b->nodes, TPGNN_NUMBERS));
    ag_tensor *x = linear(p, number, p->member->input);
    for (int f = 0; f < TPGNN_FIELDS; f++) {
        if (!p->member->table[f]) continue;
        ag_tensor *table = ag_parameter(p->tape, p->member->table[f]);
        if (f == TPGNN_CLASS && p->model->vector) table = ag_linear(class_vectors(p), table, NULL);
        x = ag_add(x, look_up(p, table, (tpgnn_field)f));
    }
    return ag_relu(x);
}

/* Nodes receive messages from their ancestors and from their descendants through separate
   layers. */
static ag_tensor *convolve(pass *p, ag_tensor *x)
{
    const ag_edges down = ag_graph_edges(p->tape, p->batch->down);
    const ag_edges up = ag_graph_edges(p->tape, p->batch->up);
    for (int k = 0; k < p->o->layers; k++) {
        x = ag_sage_concat(&p->member->layer[k], x, down, &up, AG_AGGREGATE_MEAN, 0);
        x = ag_dropout(x, (ag_real)p->o->dropout);
    }
    return x;
}

/* ln of the sum of e^cost over the statements of each program, relative to the largest cost, so
   that no power overflows. */
static ag_tensor *log_sum(ag_tensor *cost, ag_tensor *starts, ag_tensor *program)
{
    ag_tensor *most = ag_segment_max(cost, starts);
    ag_tensor *part = ag_exp(ag_sub(cost, ag_gather(most, program)));
    return ag_add(ag_log(ag_segment_sum(part, starts)), most);
}

/* The time of a statement is that of its estimated cycles, times a factor that is learned. */
static ag_tensor *from_cycles(pass *p, ag_tensor *cost)
{
    const tpgnn_batch *b = p->batch;
    return ag_add(cost, ag_input(p->tape, b->cycles, AG_SHAPE(b->stores, 1)));
}

static ag_tensor *read_rows(pass *p)
{
    const tpgnn_batch *b = p->batch;
    ag_tensor *row = ag_input(p->tape, b->row, AG_SHAPE(b->stores, TPGNN_ROW));
    return ag_relu(linear(p, row, p->member->row));
}

static ag_tensor *reduce(pass *p, ag_tensor *cost, ag_tensor *starts, ag_tensor *program)
{
    if (p->o->readout == TPGNN_READ_MEAN) return ag_segment_mean(cost, starts);
    return log_sum(cost, starts, program);
}

/* A statement in its program: its node, the mean over all nodes, its row. */
static ag_tensor *join(pass *p, ag_tensor *program)
{
    const tpgnn_batch *b = p->batch;
    ag_tensor *x = convolve(p, input_layer(p));
    ag_tensor *whole = ag_segment_mean(x, indices(p, b->start, b->graphs + 1));
    ag_tensor *y = ag_gather(x, indices(p, b->store, b->stores));
    y = ag_concat2(y, ag_gather(whole, program), 1);
    if (p->o->rows) y = ag_concat2(y, read_rows(p), 1);
    return ag_relu(linear(p, y, p->member->join));
}

static ag_tensor *statements(pass *p)
{
    const tpgnn_batch *b = p->batch;
    ag_tensor *starts = indices(p, b->store_start, b->graphs + 1);
    ag_tensor *program = indices(p, b->program, b->stores);
    ag_tensor *y = tpgnn_reads_graph(p->o) ? join(p, program) : read_rows(p);
    y = ag_relu(linear(p, ag_dropout(y, (ag_real)p->o->dropout), p->member->hidden));
    if (!tpgnn_reads_graph(p->o)) y = ag_dropout(y, (ag_real)p->o->dropout);
    ag_tensor *cost = linear(p, y, p->member->output);
    if (!p->o->rows) return reduce(p, cost, starts, program);
    ag_tensor *sum = reduce(p, from_cycles(p, cost), starts, program);
    return ag_linear(sum, ag_parameter(p->tape, p->member->factor), NULL);
}

int tpgnn_members(const tpgnn_model *m)
{
    return m->options.network == TPGNN_STORES ? m->options.members : 1;
}

ag_tensor *tpgnn_forward_member(const tpgnn_model *m, int member, ag_tape *tape,
                                const tpgnn_batch *batch)
{
    pass p = {m, &m->member[member], &m->options, tape, batch};
    if (m->options.network == TPGNN_PAPER) return paper(&p);
    return ag_reshape(statements(&p), AG_SHAPE(batch->graphs));
}

/* ln(run time) as the trees see it: they make other mistakes than the networks. */
static ag_tensor *add_trees(ag_tape *tape, const tpgnn_batch *b)
{
    ag_tensor *cost = ag_input(tape, b->priced, AG_SHAPE(b->stores, 1));
    ag_tensor *starts = ag_input_i32(tape, b->store_start, AG_SHAPE(b->graphs + 1));
    ag_tensor *program = ag_input_i32(tape, b->program, AG_SHAPE(b->stores));
    return ag_reshape(log_sum(cost, starts, program), AG_SHAPE(b->graphs));
}

ag_tensor *tpgnn_forward(const tpgnn_model *m, ag_tape *tape, const tpgnn_batch *batch)
{
    const int members = tpgnn_members(m);
    ag_tensor *sum = tpgnn_forward_member(m, 0, tape, batch);
    for (int i = 1; i < members; i++) sum = ag_add(sum, tpgnn_forward_member(m, i, tape, batch));
    if (members > 1) sum = ag_scale(sum, (ag_real)(1.0 / members));
    if (!m->trees.count) return sum;
    return ag_add(sum, ag_scale(add_trees(tape, batch), (ag_real)m->options.trees_weight));
}
