/* SPDX-License-Identifier: MIT */
/* A layer of a Transformer encoder over the nodes of each graph: a composition of ops. */
#include "gnn/edges.h"
#include "ops/ops.h"

static ag_tensor *linear(ag_tensor *x, ag_param *w, ag_param *b)
{
    ag_tape *tape = ag_tape_of(x);
    return ag_linear(x, ag_parameter(tape, w), b ? ag_parameter(tape, b) : NULL);
}

/* norm(x + dropout(change)) */
static ag_tensor *add_and_norm(ag_tensor *x, ag_tensor *change, ag_real dropout, ag_param *gamma,
                               ag_param *beta)
{
    ag_tape *tape = ag_tape_of(x);
    ag_tensor *sum = ag_add(ag_dropout(change, dropout), x);
    return ag_layer_norm(sum, ag_parameter(tape, gamma), beta ? ag_parameter(tape, beta) : NULL,
                         (ag_real)1e-5);
}

ag_tensor *ag_encoder(const ag_encoder_weights *w, ag_tensor *x, ag_edges edges, int heads,
                      ag_real dropout)
{
    if (!ag__has_weights(w, x, (ag_edges){.rows = edges.starts}, "ag_encoder"))
        return ag__poison(x ? ag_tape_of(x) : ag_tape_of(edges.starts));
    ag_tensor *qkv = linear(x, w->qkv, w->qkv_bias);
    ag_tensor *attended =
        linear(ag_attention(qkv, edges.starts, heads, dropout), w->out, w->out_bias);
    ag_tensor *y = add_and_norm(x, attended, dropout, w->norm1, w->norm1_bias);
    ag_tensor *hidden = ag_dropout(ag_relu(linear(y, w->widen, w->widen_bias)), dropout);
    return add_and_norm(y, linear(hidden, w->narrow, w->narrow_bias), dropout, w->norm2,
                        w->norm2_bias);
}
