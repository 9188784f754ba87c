/* SPDX-License-Identifier: MIT */
/* Pooling. How many nodes of each graph stay is known when the step is recorded; which ones, only
   when it runs. */
#include "gnn/pool.h"
#include "core/shape.h"
#include "gnn/edges.h"
#include "ops/first_axis.h"

#include <math.h>

int ag__pool_shape(ag_call *call)
{
    const ag_shape x = call->xs[0], starts = call->xs[2];
    if (starts.rank != 1 || starts.size[0] < 1 || !ag_shape_equal(starts, call->xs[3]))
        return ag__reject_input(call, 2,
                                "starts and kept need one element more than there are graphs");
    if (row_too_wide(x)) return ag__reject_input(call, 0, "a row has more than 2^31 - 1 elements");
    call->ys[0] = shape_of_rows(call->attr.i[0], x);
    call->ys[1] = call->ys[3] = AG_SHAPE(x.size[0]);
    call->ys[2] = AG_SHAPE(call->attr.i[0]);
    return 0;
}

/* ceil(ratio n) in float, as PyTorch computes it; with a ratio of 1 or more that many. */
static int kept_of(int n, ag_real ratio)
{
    const float r = (float)ratio, share = ceilf(r * (float)n);
    if (r >= 1) return r < (float)n ? (int)r : n;
    return n < 1 ? 0 : share < 1 ? 1 : share < (float)n ? (int)share : n;
}

/* 1: the starts are given, and cut the nodes into graphs; else the tape has failed. */
static int starts_fit(ag_tape *tape, const ag_op *op, ag_tensor *starts, int nodes)
{
    const int32_t *s = ag__given_i32(starts);
    char text[64];
    if (!s) {
        ag_tape_fail(tape, AG_EUSE,
                     "ag_%s: the starts of the edges must be int32 values that are given as an "
                     "input; make them with ag_graph_edges",
                     op->name);
        return 0;
    }
    if (ag_shape_of(starts).rank != 1 || ag_size(starts, 0) < 1) {
        ag_tape_fail(tape, AG_ESHAPE,
                     "ag_%s: the starts of the edges are %s, but must be [graphs + 1]", op->name,
                     ag_shape_text(text, ag_shape_of(starts)));
        return 0;
    }
    const int n = ag_size(starts, 0);
    for (int g = 0; g < n; g++) {
        const int least = g ? s[g - 1] : 0, most = g ? nodes : 0;
        if (s[g] >= least && s[g] <= most) continue;
        ag_tape_fail(
            tape, AG_EINDEX,
            "ag_%s: starts of the edges: entry %d of %d is %d, but must be in %d..%d: they "
            "ascend from 0 to the number of nodes; make them with ag_graph_edges",
            op->name, g, n, s[g], least, most);
        return 0;
    }
    if (s[n - 1] == nodes) return 1;
    ag_tape_fail(tape, AG_EINDEX,
                 "ag_%s: the starts of the edges end at %d, but there are %d nodes; make them with "
                 "ag_graph_edges",
                 op->name, s[n - 1], nodes);
    return 0;
}

/* The starts of the pooled graphs, as an input that the tape owns; NULL: the tape has failed. */
static ag_tensor *starts_of_kept(ag_tape *tape, ag_tensor *starts, ag_real ratio)
{
    const int n = ag_size(starts, 0);
    const int32_t *from = ag__given_i32(starts);
    int32_t *to = ag__tape_ints(tape, n);
    if (!to) return NULL;
    to[0] = 0;
    for (int g = 1; g < n; g++) to[g] = to[g - 1] + kept_of(from[g] - from[g - 1], ratio);
    return ag_input_i32(tape, to, AG_SHAPE(n));
}

/* 1: the call can be recorded. */
static int may_pool(ag_tape *tape, const ag_op *op, ag_tensor *x, ag_edges edges, ag_real ratio)
{
    if (ag_failed(tape) || !ag__usable(x, op->name)) return 0;
    if (edges.starts && !ag__usable(edges.starts, op->name)) return 0;
    if (!(ratio > 0)) {
        ag_tape_fail(tape, AG_EUSE,
                     "ag_%s: the ratio is %g, but must be above 0: below 1 the share of the nodes "
                     "that stay, from 1 on how many of each graph",
                     op->name, (double)ratio);
        return 0;
    }
    return starts_fit(tape, op, edges.starts, ag_size(x, 0));
}

ag_pooled ag__pool(const ag_op *op, ag_tensor *x, ag_tensor *by, ag_edges edges, ag_real ratio)
{
    ag_tape *tape = x ? ag_tape_of(x) : ag_tape_of(by);
    ag_tensor *kept = NULL;
    int stay = 0;
    ag__check_arrays(edges);
    if (may_pool(tape, op, x, edges, ratio)) kept = starts_of_kept(tape, edges.starts, ratio);
    if (kept && !ag_failed(tape)) stay = ag__given_i32(kept)[ag_size(kept, 0) - 1];
    ag_tensor *in[] = {x, by, edges.starts, kept};
    ag_tensor *y = ag__record(op, in, 4, &(ag_attr){.i = {stay}});
    ag_tensor *perm = ag__output(y, 2), *place = ag__output(y, 3);
    return (ag_pooled){.x = y,
                       .edges = ag__topk_edges(edges, perm, place, kept ? kept : y),
                       .perm = perm,
                       .score = ag__output(y, 1)};
}
