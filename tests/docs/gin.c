/* SPDX-License-Identifier: MIT */
/* The layer of the graph isomorphism network: a composition of ops. */
#include "gnn/edges.h"
#include "ops/ops.h"

static ag_tensor *linear(ag_tensor *x, ag_param *w, ag_param *bias)
{
    ag_tape *tape = ag_tape_of(x);
    return ag_linear(x, ag_parameter(tape, w), bias ? ag_parameter(tape, bias) : NULL);
}

ag_tensor *ag_gin(const ag_gin_weights *weights, ag_tensor *x, ag_edges edges)
{
    ag_tape *tape = x ? ag_tape_of(x) : ag_tape_of(edges.rows);
    if (!ag__has_weights(weights, x, edges, "ag_gin")) return ag__poison(tape);
    if (!weights->first || !weights->second) {
        ag_tape_fail(tape, AG_EUSE, "ag_gin: first or second is NULL; only a bias may be");
        return ag__poison(tape);
    }
    ag_tensor *y = ag_add(x, ag_spmm(x, edges, AG_AGGREGATE_SUM));
    y = ag_relu(linear(y, weights->first, weights->first_bias));
    return linear(y, weights->second, weights->second_bias);
}
