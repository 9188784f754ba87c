/* SPDX-License-Identifier: MIT */
/* Readouts: one row per graph of a batch. */
#include "gnn/gnn.h"
#include "ops/ops.h"

ag_tensor *ag_readout_sum(ag_tensor *x, ag_edges edges) { return ag_segment_sum(x, edges.starts); }
ag_tensor *ag_readout_mean(ag_tensor *x, ag_edges edges)
{
    return ag_segment_mean(x, edges.starts);
}
ag_tensor *ag_readout_max(ag_tensor *x, ag_edges edges) { return ag_segment_max(x, edges.starts); }
ag_tensor *ag_readout_max_mean(ag_tensor *x, ag_edges edges)
{
    return ag_segment_max_mean(x, edges.starts);
}
