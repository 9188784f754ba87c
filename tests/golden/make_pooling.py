# SPDX-License-Identifier: MIT
"""Writes pooling.npz: PyG's GraphConv, GCNConv, TopKPooling, SAGPooling and two levels of them with readouts, in float64.

    python make_pooling.py [OUTPUT]

Members: see README.md.
"""
import sys
from pathlib import Path

import numpy as np
import torch
from torch.func import functional_call
from torch_geometric.nn import (GATConv, GCNConv, GraphConv, SAGPooling, TopKPooling, global_max_pool, global_mean_pool)

from make_convolutions import GRAPHS, SLOPE, exact, index, nearest, relu, store

GRAPHS = dict(GRAPHS)
GRAPHS["ones"] = ([1, 1, 1], [(1, 1)])
_chain = [(a, a + 1) for a in range(99)]
GRAPHS["trees"] = ([60, 33, 7], [(a, b) for a, b in _chain if b not in (60, 93)] + [(b, a) for a, b in _chain if b not in
                                                                                    (60, 93)])
GRAPH, GCN, TOPK, SAG, SAG_GCN, NET, NET_GCN, NET_GAT = range(2, 10)

_sort = torch.sort  # what comes first of equal scores is not defined without `stable`
torch.sort = lambda x, dim=-1, descending=False, stable=True: _sort(x, dim=dim, descending=descending, stable=True)


def batch_of(graph):
    nodes, _ = GRAPHS[graph]
    return torch.repeat_interleave(torch.arange(len(nodes)), torch.tensor(nodes))


def look_at_cut(score, perm, batch):
    """The lowest score that stays and the highest that goes are equal or far apart: `nearest` counts that, too."""
    for g in batch.unique().tolist():
        stays = torch.zeros(len(score), dtype=torch.bool)
        stays[perm] = True
        inside, outside = score[(batch == g) & stays], score[(batch == g) & ~stays]
        if outside.numel() and inside.min() != outside.max():
            nearest[0] = min(nearest[0], (inside.min() - outside.max()).item())


def convolution(kind, width, out):
    """Layer, shapes of its parameters in our order, and their names in PyG."""
    if kind in (GCN, NET_GCN, SAG_GCN):
        return GCNConv(width, out), [(out, width), (out,)], ["lin.weight", "bias"]
    if kind == NET_GAT:
        layer = GATConv(width, out // 2, heads=2, negative_slope=SLOPE, add_self_loops=False)
        return layer, [(out, width), (2, out // 2), (2, out // 2), (out,)], ["lin.weight", "att_src", "att_dst", "bias"]
    return GraphConv(width, out), [(out, width), (out,), (out, width)], ["lin_rel.weight", "lin_rel.bias", "lin_root.weight"]


def named(names, values):
    return {n: v[None] if n.startswith("att_") else v for n, v in zip(names, values)}


def draw(r, shapes, scale=1.0):
    return [exact(r, s, scale).requires_grad_() for s in shapes]


def conv(r, graph, kind, width=5, out=3, bias=True):
    layer, shapes, names = convolution(kind, width, out)
    if not bias:
        layer = (GCNConv if kind == GCN else GraphConv)(width, out, bias=False)
    parts = draw(r, [(sum(GRAPHS[graph][0]), width)] + shapes)
    if not bias:
        parts[2] = None
    given = [(n, p) for n, p in zip(names, parts[1:]) if p is not None]
    return kind, parts, lambda: (functional_call(layer, named(*zip(*given)), (parts[0], index(GRAPHS[graph][1]))), None)


def ordered(x, edges, perm):
    """The graph after a pooling, with its nodes in the order that they had."""
    order = torch.argsort(perm)
    place = torch.argsort(order)
    return x[order], place[edges], perm[order]


def spread(x, how):
    """Nodes with features of their own, the same for all of a graph (ties), or such that tanh is 1."""
    if how == "ties":
        return torch.from_numpy(np.resize(x[:2].numpy(), x.shape).copy())
    return x.abs() + 20 if how == "saturated" else x


def topk(r, graph, ratio, width=6, how=""):
    nodes, edges = GRAPHS[graph]
    x = spread(exact(r, (sum(nodes), width)), how).requires_grad_()
    p = (exact(r, (width,)).abs() + 0.5 if how == "saturated" else exact(r, (width,))).float().double().requires_grad_()
    layer = TopKPooling(width, ratio=ratio)
    batch = batch_of(graph)

    def run():
        y, e, _, _, perm, _ = functional_call(layer, {"select.weight": p[None]}, (x, index(edges), None, batch))
        look_at_cut(torch.tanh(x.detach() @ p.detach() / p.detach().norm()), perm, batch)
        y, e, perm = ordered(y, e, perm)
        return y, (e, perm)
    return TOPK, [x, p], run


def sag(r, graph, ratio, kind=SAG, width=6, how=""):
    nodes, edges = GRAPHS[graph]
    layer = SAGPooling(width, ratio=ratio, GNN=GCNConv if kind == SAG_GCN else GraphConv)
    _, shapes, names = convolution(kind, width, 1)
    parts = draw(r, [(sum(nodes), width)] + shapes)
    parts[0] = spread(parts[0].detach(), how).requires_grad_()
    batch = batch_of(graph)

    def run():
        values = {f"gnn.{n}": p for n, p in zip(names, parts[1:])}
        values["select.weight"] = torch.ones(1, 1)
        y, e, _, _, perm, _ = functional_call(layer, values, (parts[0], index(edges), None, batch))
        with torch.no_grad():
            score = functional_call(layer.gnn, dict(zip(names, parts[1:])), (parts[0], index(edges)))
        look_at_cut(torch.tanh(score.reshape(-1)), perm, batch)
        y, e, perm = ordered(y, e, perm)
        return y, (e, perm)
    return kind, parts, run


def net(r, graph, ratio, kind=NET, width=5, hidden=8):
    """Twice convolution, ReLU, TopK pooling; the readouts of both levels added."""
    nodes, edges = GRAPHS[graph]
    levels, parts = [], draw(r, [(sum(nodes), width)])
    for k in range(2):
        layer, shapes, names = convolution(kind, hidden if k else width, hidden)
        levels.append((layer, names, TopKPooling(hidden, ratio=ratio), len(parts)))
        parts += draw(r, shapes + [(hidden,)])

    def run():
        x, e, batch, y = parts[0], index(edges), batch_of(graph), 0
        for layer, names, pool, first in levels:
            x = relu(functional_call(layer, named(names, parts[first:]), (x, e)))
            p, before, of = parts[first + len(names)], x, batch
            x, e, _, batch, perm, _ = functional_call(pool, {"select.weight": p[None]}, (x, e, None, batch))
            look_at_cut(torch.tanh(before.detach() @ p.detach() / p.detach().norm()), perm, of)
            y = y + torch.cat([global_max_pool(x, batch, len(nodes)), global_mean_pool(x, batch, len(nodes))], 1)
        return y, None
    return kind, parts, run


CASES = {
    "graph_conv": (conv, dict(graph="toy", kind=GRAPH)),
    "graph_conv_wide": (conv, dict(graph="toy", kind=GRAPH, out=7)),
    "graph_conv_square": (conv, dict(graph="toy", kind=GRAPH, out=5)),
    "graph_conv_no_bias": (conv, dict(graph="toy", kind=GRAPH, bias=False)),
    "graph_conv_one": (conv, dict(graph="one", kind=GRAPH)),
    "graph_conv_no_edges": (conv, dict(graph="no_edges", kind=GRAPH)),
    "graph_conv_batch": (conv, dict(graph="batch", kind=GRAPH, out=1)),
    "graph_conv_random": (conv, dict(graph="random", kind=GRAPH, width=33, out=17)),
    "gcn": (conv, dict(graph="toy", kind=GCN)),
    "gcn_wide": (conv, dict(graph="toy", kind=GCN, out=7)),
    "gcn_no_bias": (conv, dict(graph="toy", kind=GCN, bias=False)),
    "gcn_one": (conv, dict(graph="one", kind=GCN)),
    "gcn_loop": (conv, dict(graph="loop", kind=GCN)),
    "gcn_no_edges": (conv, dict(graph="no_edges", kind=GCN)),
    "gcn_batch": (conv, dict(graph="batch", kind=GCN, out=1)),
    "gcn_random": (conv, dict(graph="random", kind=GCN, width=33, out=17)),
    "topk": (topk, dict(graph="toy", ratio=0.5)),
    "topk_one_node": (topk, dict(graph="one", ratio=0.5)),
    "topk_loop": (topk, dict(graph="loop", ratio=0.5)),
    "topk_ones": (topk, dict(graph="ones", ratio=0.8)),
    "topk_no_edges": (topk, dict(graph="no_edges", ratio=0.8)),
    "topk_batch": (topk, dict(graph="batch", ratio=0.8)),
    "topk_ratio_one": (topk, dict(graph="batch", ratio=1.0)),
    "topk_fixed": (topk, dict(graph="batch", ratio=3)),
    "topk_all": (topk, dict(graph="batch", ratio=100)),
    "topk_most": (topk, dict(graph="batch", ratio=0.999)),
    "topk_ties": (topk, dict(graph="toy", ratio=0.3, how="ties")),
    "topk_ties_batch": (topk, dict(graph="trees", ratio=0.25, how="ties")),
    "topk_saturated": (topk, dict(graph="trees", ratio=0.3, how="saturated")),
    "topk_trees": (topk, dict(graph="trees", ratio=0.8, width=33)),
    "topk_random": (topk, dict(graph="random", ratio=0.55)),
    "sag": (sag, dict(graph="toy", ratio=0.5)),
    "sag_one_node": (sag, dict(graph="one", ratio=0.5)),
    "sag_no_edges": (sag, dict(graph="no_edges", ratio=0.8)),
    "sag_batch": (sag, dict(graph="batch", ratio=0.8)),
    "sag_ratio_one": (sag, dict(graph="batch", ratio=1.0)),
    "sag_ties": (sag, dict(graph="no_edges", ratio=0.5, how="ties")),
    "sag_gcn": (sag, dict(graph="batch", ratio=0.6, kind=SAG_GCN)),
    "net_batch": (net, dict(graph="batch", ratio=0.8)),
    "net_random": (net, dict(graph="random", ratio=0.5)),
    "net_trees": (net, dict(graph="trees", ratio=0.8, hidden=16)),
    "net_ones": (net, dict(graph="ones", ratio=0.8)),
    "net_no_edges": (net, dict(graph="no_edges", ratio=0.5)),
    "net_gcn": (net, dict(graph="batch", ratio=0.7, kind=NET_GCN)),
    "net_gcn_trees": (net, dict(graph="trees", ratio=0.8, kind=NET_GCN)),
    "net_gat": (net, dict(graph="batch", ratio=0.7, kind=NET_GAT)),
    "net_gat_random": (net, dict(graph="random", ratio=0.7, kind=NET_GAT)),
}


def main():
    torch.set_default_dtype(torch.float64)
    members = {}
    for number, (name, (make, how)) in enumerate(CASES.items()):
        r = np.random.default_rng(300 + number)
        kind, parts, run = make(r, **how)
        y, pooled = run()
        store(members, name, GRAPHS[how["graph"]], [kind] + [0] * 8, parts, y, r)
        members[f"{name}.ratio"] = np.array([how.get("ratio", 0)], np.float64)
        if pooled:
            pairs = pooled[0].T.numpy().astype(np.int32)
            members[f"{name}.left"] = pairs[np.lexsort((pairs[:, 0], pairs[:, 1]))]
            members[f"{name}.perm"] = pooled[1].numpy().astype(np.int32)
    if not all(np.isfinite(v).all() for v in members.values()) or nearest[0] < 1e-5:
        sys.exit(f"a value is not finite, or an argument of a ReLU or a cut is only {nearest[0]:g} wide")
    path = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("pooling.npz"))
    np.savez_compressed(path, **members)
    print(f"{path}: {len(CASES)} cases, {path.stat().st_size} bytes, kinks at least {nearest[0]:.1e} away")


if __name__ == "__main__":
    main()
