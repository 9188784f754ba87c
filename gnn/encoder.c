/* SPDX-License-Identifier: MIT */
/* A layer of a Transformer encoder over the nodes of each graph: a composition of ops. */
#include "gnn/edges.h"
#include "ops/ops.h"

/* norm(x + dropout(change)) */
static ag_tensor *add_and_norm(ag_tensor *x, ag_tensor *change, ag_real dropout, ag_param *gamma,
                               ag_param *beta)
{
    ag_tape *tape = ag_tape_of(x);
    ag_tensor *sum = ag_add(ag_dropout(change, dropout), x);
    return ag_layer_norm(sum, ag_parameter(tape, gamma), ag__optional(tape, beta), (ag_real)1e-5);
}

ag_tensor *ag_encoder(const ag_encoder_weights *w, ag_tensor *x, ag_edges edges, int heads,
                      ag_real dropout)
{
    if (!ag__has_weights(w, x, (ag_edges){.rows = edges.starts}, "ag_encoder"))
        return ag__poison(x ? ag_tape_of(x) : ag_tape_of(edges.starts));
    ag_tensor *qkv = ag__linear(x, w->qkv, w->qkv_bias);
    ag_tensor *attended =
        ag__linear(ag_attention(qkv, edges.starts, heads, dropout), w->out, w->out_bias);
    ag_tensor *y = add_and_norm(x, attended, dropout, w->norm1, w->norm1_bias);
    ag_tensor *hidden = ag_dropout(ag_relu(ag__linear(y, w->widen, w->widen_bias)), dropout);
    return add_and_norm(y, ag__linear(hidden, w->narrow, w->narrow_bias), dropout, w->norm2,
                        w->norm2_bias);
}
