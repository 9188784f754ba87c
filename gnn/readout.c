/* SPDX-License-Identifier: MIT */
/* Readouts: one row per graph of a batch. */
#include "gnn/edges.h"
#include "ops/ops.h"

ag_tensor *ag_readout_sum(ag_tensor *x, ag_edges edges) { return ag_segment_sum(x, edges.starts); }
ag_tensor *ag_readout_mean(ag_tensor *x, ag_edges edges)
{
    return ag_segment_mean(x, edges.starts);
}
ag_tensor *ag_readout_max(ag_tensor *x, ag_edges edges) { return ag_segment_max(x, edges.starts); }
ag_tensor *ag_readout_max_mean(ag_tensor *x, ag_edges edges)
{
    ag__check_axes(x, 2, "ag_readout_max_mean: x", "nodes, features");
    ag_tensor *most = ag_readout_max(x, edges); /* first, whatever order a compiler chooses */
    return ag_concat2(most, ag_readout_mean(x, edges), -1);
}
