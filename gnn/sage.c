/* SPDX-License-Identifier: MIT */
/* GraphSAGE convolution: a composition of ops. */
#include "gnn/gnn.h"
#include "ops/ops.h"

ag_tensor *ag_sage(const ag_sage_weights *weights, ag_tensor *x, ag_edges edges, ag_aggregate kind,
                   int l2)
{
    ag_tape *tape = ag_tape_of(x);
    ag_tensor *w = ag_parameter(tape, weights->neighbour);
    ag_tensor *b = weights->bias ? ag_parameter(tape, weights->bias) : NULL;
    ag_tensor *y;
    if (kind != AG_AGGREGATE_MAX &&
        ag_size(w, 0) < ag_size(w, 1)) { /* the narrow side is aggregated */
        y = ag_spmm(ag_linear(x, w, NULL), edges, kind);
        if (weights->root)
            y = ag_add(y, ag_linear(x, ag_parameter(tape, weights->root), b));
        else if (b)
            y = ag_add_bias(y, b);
    } else {
        y = ag_linear(ag_spmm(x, edges, kind), w, b);
        if (weights->root) y = ag_add(y, ag_linear(x, ag_parameter(tape, weights->root), NULL));
    }
    return l2 ? ag_l2_norm(y, (ag_real)1e-12) : y;
}
