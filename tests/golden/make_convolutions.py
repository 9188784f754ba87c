# SPDX-License-Identifier: MIT
"""Writes convolutions.npz: PyG's GATConv, GATv2Conv, GraphConv and GCNConv (with rows or weights of edges) and aggregation
of PNA, and the GraphSAGE layer of Kaufman et al., in float64.

    python make_convolutions.py [OUTPUT]

Members: see README.md.
"""
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch_geometric.nn import GATConv, GATv2Conv, GCNConv, GraphConv
from torch_geometric.nn.aggr import DegreeScalerAggregation

SLOPE = 0.2
TOY = [(1, 0), (2, 0), (2, 1), (0, 3), (1, 3), (2, 3), (5, 3), (3, 3), (6, 5), (5, 6), (1, 0), (0, 5)]
GRAPHS = {  # nodes of each graph, edges (source, target) numbered over all of them
    "toy": ([8], TOY),  # 2 and 4 receive nothing, 7 is alone, 3 has a loop, 1 -> 0 occurs twice
    "one": ([1], []),
    "loop": ([1], [(0, 0)]),
    "no_edges": ([5], []),
    "batch": ([1, 8, 4, 0, 3], [(a + 1, b + 1) for a, b in TOY] + [(13, 14), (14, 15), (15, 13), (13, 15)]),
}


def random_graph(nodes, edges, seed):
    r = np.random.default_rng(seed)
    return [nodes], [tuple(e) for e in r.integers(0, nodes, (edges, 2)).tolist()]


GRAPHS["random"] = random_graph(41, 160, 7)


def exact(r, shape, scale=1.0):
    """Numbers that float32 holds exactly."""
    return torch.from_numpy((r.uniform(-scale, scale, shape)).astype(np.float32).astype(np.float64))


def index(edges):
    return torch.tensor(edges, dtype=torch.long).reshape(-1, 2).T


# ---- graph attention

def gat(r, graph, heads=1, d=3, width=5, mean=False, bias=True, loops=False):
    nodes, edges = GRAPHS[graph]
    layer = GATConv(width, d, heads=heads, concat=not mean, negative_slope=SLOPE, add_self_loops=loops, bias=bias)
    parts = [exact(r, (sum(nodes), width)), exact(r, (heads * d, width)), exact(r, (heads, d)), exact(r, (heads, d))]
    if bias:
        parts.append(exact(r, (d if mean else heads * d,)))
    for p in parts:
        p.requires_grad_()

    def run():
        values = {"lin.weight": parts[1], "att_src": parts[2][None], "att_dst": parts[3][None]}
        if bias:
            values["bias"] = parts[4]
        return torch.func.functional_call(layer, values, (parts[0], index(edges)))
    return {"options": [1, heads, int(mean), 0, 0, 0, 0, 0, int(loops)]}, parts, run


# ---- layers with rows of edges, in the order of the list of edges; their weights have PyG's names and shapes

GAT_EDGES, GAT2, GRAPH_WEIGHTED, GCN_WEIGHTED, PNA = range(10, 15)


def draw(r, named, layer):
    """Values for the parameters of a layer, in our order; None: it has none of that name."""
    shapes = {n: p.shape for n, p in layer.named_parameters()}
    return [exact(r, tuple(shapes[n])).requires_grad_() if n in shapes else None for n in named]


def call(layer, names, parts, *inputs):
    return torch.func.functional_call(layer, {n: p for n, p in zip(names, parts) if p is not None}, inputs)


def gat_edges(r, graph, version=1, heads=2, d=3, width=5, features=4, mean=False, bias=True):
    """With features 0: without rows of edges."""
    nodes, edges = GRAPHS[graph]
    layer = (GATConv if version == 1 else GATv2Conv)(width, d, heads=heads, concat=not mean, negative_slope=SLOPE,
                                                     add_self_loops=False, bias=bias, edge_dim=features or None)
    names = (["lin.weight", "att_src", "att_dst", "bias", "lin_edge.weight", "att_edge"] if version == 1 else
             ["lin_l.weight", "lin_l.bias", "lin_r.weight", "lin_r.bias", "att", "bias", "lin_edge.weight"])
    parts = [exact(r, (sum(nodes), width)).requires_grad_(), *draw(r, names, layer)]
    if features:
        parts.append(exact(r, (len(edges), features)).requires_grad_())

    def run():
        return call(layer, names, parts[1:], parts[0], index(edges), *parts[len(names) + 1:])
    return {"options": [GAT_EDGES if version == 1 else GAT2, heads, int(mean), 0, 0, 0, 0, 0, 0]}, parts, run


def weighted(r, graph, gcn=False, width=5, out=3, bias=True):
    """GCN: without the loops of the graph, whose weights PyG takes for those of the loops that it adds."""
    nodes, edges = GRAPHS[graph]
    layer = (GCNConv if gcn else GraphConv)(width, out, bias=bias)
    names = ["lin.weight", "bias"] if gcn else ["lin_rel.weight", "lin_rel.bias", "lin_root.weight"]
    weights = (exact(r, (len(edges),)) + 1.25).requires_grad_()
    parts = [exact(r, (sum(nodes), width)).requires_grad_(), *draw(r, names, layer), weights]

    def run():
        ends = index(edges)
        kept = ends[0] != ends[1] if gcn else torch.ones(len(edges), dtype=torch.bool)
        return call(layer, names, parts[1:], parts[0], ends[:, kept], weights[kept])
    return {"options": [GCN_WEIGHTED if gcn else GRAPH_WEIGHTED, 0, 0, 0, 0, 0, 0, 0, 0]}, parts, run


def pna(r, graph, of_edges=False, width=5):
    """A node sends its row, or that plus the row of the edge."""
    nodes, edges = GRAPHS[graph]
    degrees = torch.bincount(index(edges)[1], minlength=sum(nodes))
    layer = DegreeScalerAggregation(["mean", "min", "max", "std"], ["identity", "amplification", "attenuation"],
                                    torch.bincount(degrees))
    parts = [exact(r, (sum(nodes), width)).requires_grad_()]
    if of_edges:
        parts.append(exact(r, (len(edges), width)).requires_grad_())

    def run():
        sources, targets = index(edges)
        sent = parts[0][sources] + parts[1] if of_edges else parts[0][sources]
        order = torch.argsort(targets, stable=True)
        return layer(sent[order], targets[order], dim_size=sum(nodes))
    return {"options": [PNA, 0, 0, 0, 0, 0, 0, 0, 0], "ratio": float(layer.avg_deg_log)}, parts, run


# ---- GraphSAGE of Kaufman et al.

SUM, MEAN, MAX = 0, 1, 2
nearest = [np.inf]  # how close an argument of a ReLU comes to its kink


def relu(x):
    if x.numel():
        nearest[0] = min(nearest[0], x.detach().abs().min().item())
    return F.relu(x)


def aggregate(x, pairs, kind, cap):
    """Per node the first `cap` messages (0: all) of the list of (sender, receiver)."""
    rows = []
    for v in range(x.shape[0]):
        senders = [a for a, b in pairs if b == v]
        senders = senders[:cap] if cap else senders
        m = x[senders]
        rows.append(x[0] * 0 if not senders else m.sum(0) if kind == SUM else m.mean(0) if kind == MEAN else m.amax(0))
    return torch.stack(rows)


def sage(r, graph, kind=MEAN, l2=False, directed=False, shared=False, cap=0, bias=True, width=5, middle=4, out=6):
    nodes, edges = GRAPHS[graph]
    against = [(b, a) for a, b in edges]
    joined = width + middle * (2 if directed else 1)
    separate = directed and not shared
    shapes = [(sum(nodes), width), (middle, width), (middle,) if bias else None, (middle, width) if separate else None,
              (middle,) if bias and separate else None, (out, joined), (out,) if bias else None]
    parts = [None if s is None else exact(r, s).requires_grad_() for s in shapes]
    x, w, b, wu, bu, wj, bj = parts

    def run():
        sent = relu(F.linear(x, w, b))
        if not directed:
            beside = [aggregate(sent, edges + against, kind, cap)]
        else:
            back = relu(F.linear(x, wu, bu)) if separate else sent
            beside = [aggregate(sent, edges, kind, cap), aggregate(back, against, kind, cap)]
        y = relu(F.linear(torch.cat([x, *beside], 1), wj, bj))
        return F.normalize(y, eps=1e-12) if l2 else y
    return {"options": [0, 0, 0, kind, int(l2), int(directed), int(shared), cap, 0]}, parts, run


CASES = {
    "gat_one_head": (gat, dict(graph="toy")),
    "gat_heads": (gat, dict(graph="toy", heads=4)),
    "gat_mean": (gat, dict(graph="toy", heads=3, mean=True)),
    "gat_mean_one": (gat, dict(graph="toy", mean=True, bias=False)),
    "gat_no_bias": (gat, dict(graph="toy", heads=2, bias=False)),
    "gat_one_node": (gat, dict(graph="one", heads=2)),
    "gat_one_loop": (gat, dict(graph="loop", heads=2)),
    "gat_no_edges": (gat, dict(graph="no_edges", heads=2)),
    "gat_batch": (gat, dict(graph="batch", heads=2)),
    "gat_batch_mean": (gat, dict(graph="batch", heads=2, mean=True)),
    "gat_loops": (gat, dict(graph="toy", heads=2, loops=True)),
    "gat_random": (gat, dict(graph="random", heads=8, d=8, width=33)),
    "sage_undirected": (sage, dict(graph="toy")),
    "sage_directed": (sage, dict(graph="toy", directed=True)),
    "sage_shared": (sage, dict(graph="toy", directed=True, shared=True)),
    "sage_sum": (sage, dict(graph="toy", kind=SUM, directed=True)),
    "sage_max": (sage, dict(graph="toy", kind=MAX, directed=True)),
    "sage_l2": (sage, dict(graph="toy", l2=True, directed=True)),
    "sage_no_bias": (sage, dict(graph="toy", bias=False, directed=True)),
    "sage_capped": (sage, dict(graph="toy", cap=2, directed=True)),
    "sage_capped_both": (sage, dict(graph="toy", cap=2, kind=SUM)),
    "sage_one_node": (sage, dict(graph="one", directed=True)),
    "sage_no_edges": (sage, dict(graph="no_edges", directed=True, l2=True)),
    "sage_batch": (sage, dict(graph="batch", directed=True, l2=True)),
    "sage_random": (sage, dict(graph="random", directed=True, l2=True, cap=3, width=33, middle=17, out=9)),
    "gat_edges": (gat_edges, dict(graph="toy")),
    "gat_edges_none": (gat_edges, dict(graph="toy", features=0)),
    "gat_edges_mean": (gat_edges, dict(graph="batch", heads=3, mean=True, features=1)),
    "gat_edges_random": (gat_edges, dict(graph="random", heads=4, d=4, width=9, features=3)),
    "gat2": (gat_edges, dict(graph="toy", version=2)),
    "gat2_no_edge_rows": (gat_edges, dict(graph="toy", version=2, features=0, heads=1)),
    "gat2_no_bias": (gat_edges, dict(graph="toy", version=2, features=0, bias=False)),
    "gat2_no_edges": (gat_edges, dict(graph="no_edges", version=2)),
    "gat2_mean": (gat_edges, dict(graph="batch", version=2, heads=3, mean=True)),
    "gat2_random": (gat_edges, dict(graph="random", version=2, heads=4, d=4, width=9, features=3)),
    "graph_weighted": (weighted, dict(graph="toy")),
    "graph_weighted_wider": (weighted, dict(graph="toy", out=7, bias=False)),
    "graph_weighted_batch": (weighted, dict(graph="batch")),
    "graph_weighted_no_edges": (weighted, dict(graph="no_edges")),
    "gcn_weighted": (weighted, dict(graph="toy", gcn=True)),
    "gcn_weighted_wider": (weighted, dict(graph="toy", gcn=True, out=7, bias=False)),
    "gcn_weighted_batch": (weighted, dict(graph="batch", gcn=True)),
    "gcn_weighted_no_edges": (weighted, dict(graph="no_edges", gcn=True)),
    "gcn_weighted_random": (weighted, dict(graph="random", gcn=True, width=9)),
    "pna": (pna, dict(graph="toy")),
    "pna_edges": (pna, dict(graph="batch", of_edges=True)),
    "pna_random": (pna, dict(graph="random", width=3)),
}


def store(members, name, graph, options, parts, y, r):
    """The graph and the parts of a case, what it gives, and the gradients of <y, cotangent> by the parts."""
    cotangent = exact(r, tuple(y.shape))
    present = [i for i, p in enumerate(parts) if p is not None]
    found = torch.autograd.grad((y * cotangent).sum(), [parts[i] for i in present], allow_unused=True)
    nodes, edges = graph
    members[f"{name}.options"] = np.array(options, np.int32)
    members[f"{name}.starts"] = np.concatenate([[0], np.cumsum(nodes)]).astype(np.int32)
    members[f"{name}.edges"] = np.array(edges, np.int32).reshape(-1, 2)
    members[f"{name}.y"], members[f"{name}.cotangent"] = y.detach().numpy(), cotangent.numpy()
    for i, g in zip(present, found):
        members[f"{name}.x{i}"] = parts[i].detach().numpy()
        members[f"{name}.dx{i}"] = np.zeros(parts[i].shape) if g is None else g.numpy()


def main():
    torch.set_default_dtype(torch.float64)
    members = {}
    for number, (name, (make, how)) in enumerate(CASES.items()):
        r = np.random.default_rng(100 + number)
        case, parts, run = make(r, **how)
        store(members, name, GRAPHS[how["graph"]], case["options"], parts, run(), r)
        if "ratio" in case:
            members[f"{name}.ratio"] = np.array([case["ratio"]])
    if not all(np.isfinite(v).all() for v in members.values()) or nearest[0] < 1e-5:
        sys.exit(f"a value is not finite, or an argument of a ReLU is only {nearest[0]:g}")
    path = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("convolutions.npz"))
    np.savez_compressed(path, **members)
    print(f"{path}: {len(CASES)} cases, {path.stat().st_size} bytes, ReLUs at least {nearest[0]:.1e} from 0")


if __name__ == "__main__":
    main()
