# SPDX-License-Identifier: MIT
"""Writes layers.safetensors, the state_dict of a module with layers of PyTorch and PyG, and layers.npz, what they compute.

    python make_layers.py [FOLDER]

Members: see README.md.
"""
import sys
from functools import partial
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn
import torch_geometric.nn as pyg
from torch_geometric.nn.aggr import DegreeScalerAggregation

IN, OUT, EDGE = 4, 3, 2
NODES = [1, 8, 4, 0, 3]  # of each graph; some nodes receive nothing, 4 has a loop, 2 -> 1 occurs twice
EDGES = [(2, 1), (3, 1), (3, 2), (1, 4), (2, 4), (3, 4), (6, 4), (4, 4), (7, 6), (6, 7), (2, 1), (1, 6), (13, 14), (14, 15),
         (15, 13), (13, 15)]
STARTS = np.cumsum([0, *NODES]).tolist()


def exact(r, shape):
    """Numbers that float32 holds exactly."""
    return torch.from_numpy(r.uniform(-1, 1, shape).astype(np.float32).astype(np.float64))


DEGREES = torch.tensor([1, 2, 3])  # how many nodes of the training data have 0, 1, 2 messages
index = torch.tensor(EDGES).T
batch = torch.repeat_interleave(torch.arange(len(NODES)), torch.tensor(NODES))


def on_edges(layer):
    return lambda x, e: layer(x, index)


def with_features(layer):
    return lambda x, e: layer(x, index, e)


def weighted(layer):
    """By the first feature of an edge. PyG's GCNConv takes the weights of loops for those of the loops that it adds."""
    kept = index[0] != index[1] if isinstance(layer, pyg.GCNConv) else torch.ones(len(EDGES), dtype=torch.bool)
    return lambda x, e: layer(x, index[:, kept], e[kept, 0] + 1.25)


def pna(layer):
    order = torch.argsort(index[1], stable=True)
    return lambda x, e: layer(x[index[0, order]], index[1, order], dim_size=len(x))


def on_sequences(run, of_none=0):
    """Each graph's nodes are a sequence; an empty one gives rows of zeros."""
    return lambda x, e: torch.cat([run(x[a:b][None])[0] if b > a else x.new_zeros(of_none, OUT)
                                   for a, b in zip(STARTS, STARTS[1:]) if b > a or of_none])


def pooled(layer):
    """PyG has the nodes that stay in the order of their scores; here they are in their own."""
    def run(x, e):
        y, _, _, _, perm, _ = layer(x, index, None, batch)
        return y[torch.argsort(perm)]
    return run


def last_of(layer):
    state = (lambda x: layer(x)[1][0]) if isinstance(layer, nn.LSTM) else (lambda x: layer(x)[1])
    return layer, on_sequences(lambda x: state(x)[:, 0][None], 1)


def all_of(layer):
    return layer, on_sequences(lambda x: layer(x)[0])


def same(layer, how=lambda layer: lambda x, e: layer(x)):
    return layer, how(layer)


gat, gat2 = (partial(layer, IN, OUT, add_self_loops=False) for layer in (pyg.GATConv, pyg.GATv2Conv))

CASES = {
    "linear": lambda: same(nn.Linear(IN, OUT)),
    "mlp": lambda: same(pyg.MLP([IN, 5, 6, OUT], norm=None)),
    "embedding": lambda: same(nn.Embedding(7, OUT), lambda layer: lambda x, e: layer(torch.tensor([3, 0, 6, 3, 1, 1, 5, 0]))),
    "layer_norm": lambda: same(nn.LayerNorm(IN)),
    "instance_norm": lambda: same(pyg.InstanceNorm(IN, affine=True), lambda layer: lambda x, e: layer(x, batch)),
    "sage": lambda: same(pyg.SAGEConv(IN, OUT), on_edges),
    "graph_conv": lambda: same(pyg.GraphConv(IN, OUT), on_edges),
    "graph_conv_weighted": lambda: same(pyg.GraphConv(IN, OUT), weighted),
    "gcn": lambda: same(pyg.GCNConv(IN, OUT), on_edges),
    "gcn_weighted": lambda: same(pyg.GCNConv(IN, OUT), weighted),
    "gat": lambda: same(gat(heads=2), on_edges),
    "gat_mean": lambda: same(gat(heads=2, concat=False), on_edges),
    "gat_edge": lambda: same(gat(heads=2, edge_dim=EDGE), with_features),
    "gat2": lambda: same(gat2(heads=2), on_edges),
    "gat2_edge": lambda: same(gat2(heads=2, concat=False, edge_dim=EDGE), with_features),
    "gin": lambda: same(pyg.GINConv(pyg.MLP([IN, 5, OUT], norm=None), train_eps=True), on_edges),
    "gated_conv": lambda: same(pyg.ResGatedGraphConv(IN, OUT), on_edges),
    "gated_conv_edge": lambda: same(pyg.ResGatedGraphConv(IN, OUT, edge_dim=EDGE), with_features),
    "pna": lambda: same(pyg.PNAConv(IN, OUT, ["mean", "min", "max", "std"], ["identity", "amplification", "attenuation"],
                                    deg=DEGREES), on_edges),
    "pna_nodes": lambda: (nn.Identity(), pna(DegreeScalerAggregation(
        ["mean", "min", "max", "std"], ["identity", "amplification", "attenuation"], DEGREES).double())),
    "topk": lambda: same(pyg.TopKPooling(IN, ratio=0.5), pooled),
    "sag_pool": lambda: same(pyg.SAGPooling(IN, ratio=0.5), pooled),
    "lstm": lambda: all_of(nn.LSTM(IN, OUT, 2, batch_first=True, bidirectional=True)),
    "lstm_last": lambda: last_of(nn.LSTM(IN, OUT, batch_first=True)),
    "gru": lambda: all_of(nn.GRU(IN, OUT, 2, batch_first=True, bidirectional=True)),
    "gru_last": lambda: last_of(nn.GRU(IN, OUT, batch_first=True)),
    "batch_norm": lambda: same(nn.BatchNorm1d(IN)),
    "batch_norm_eval": lambda: same(nn.BatchNorm1d(IN).eval()),
    "encoder": lambda: same(nn.TransformerEncoderLayer(IN, 2, 5, dropout=0, batch_first=True), on_sequences),
}


def positive(key):
    return key.endswith("var") or "avg_deg" in key


def store(members, name, number):
    """Returns the layer's state_dict before the run, which moves running statistics."""
    r = np.random.default_rng(200 + number)
    layer, run = CASES[name]()
    layer = layer.double()
    with torch.no_grad():
        for key, p in layer.state_dict().items():
            if p.dtype == torch.float64:
                p.copy_(exact(r, tuple(p.shape)).abs() + 0.5 if positive(key) else exact(r, tuple(p.shape)))
    state = {key: p.clone() for key, p in layer.state_dict().items()}
    x, e = exact(r, (sum(NODES), IN)).requires_grad_(), exact(r, (len(EDGES), EDGE)).requires_grad_()
    y = run(x, e)
    cotangent = exact(r, tuple(y.shape))
    inputs = {"dx": x, "de": e, **{f"g.{key}": p for key, p in layer.named_parameters()}}
    found = torch.autograd.grad((y * cotangent).sum(), list(inputs.values()), allow_unused=True)
    for (key, p), g in zip(inputs.items(), found):
        members[f"{name}.{key}"] = np.zeros(p.shape) if g is None else g.numpy()
    members[f"{name}.x"], members[f"{name}.e"] = x.detach().numpy(), e.detach().numpy()
    members[f"{name}.y"], members[f"{name}.cotangent"] = y.detach().numpy(), cotangent.numpy()
    for key, p in layer.state_dict().items():
        if key.startswith("running"):
            members[f"{name}.after.{key}"] = p.numpy()
    return state


def main():
    torch.manual_seed(1)
    members = {"graph.edges": np.array(EDGES, np.int32)}
    states = {}
    for number, name in enumerate(CASES):
        for key, p in store(members, name, number).items():
            states[f"{name}.{key}"] = p.contiguous()
    if not all(np.isfinite(v).all() for v in members.values()):
        sys.exit("a value is not finite")
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    save_file(states, folder / "layers.safetensors")
    (folder / "layers.safetensors").chmod(0o644)
    np.savez_compressed(folder / "layers.npz", **members)
    print(f"{len(CASES)} layers, {len(states)} tensors")


if __name__ == "__main__":
    main()
