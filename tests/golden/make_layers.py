# SPDX-License-Identifier: MIT
"""Writes layers.safetensors, the state_dict of a module with layers of PyTorch and PyG, and layers.npz, what they compute.

    python make_layers.py [FOLDER]

Members: see README.md.
"""
import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn
import torch_geometric.nn as pyg

NODES, IN, OUT, EDGE = [5, 3], 4, 3, 2
EDGES = [(1, 0), (2, 0), (2, 1), (0, 3), (1, 3), (2, 3), (3, 3), (4, 3), (0, 4), (1, 0), (5, 6), (6, 7), (7, 5), (7, 6)]
STARTS = [0, 5, 8]


def exact(r, shape):
    """Numbers that float32 holds exactly."""
    return torch.from_numpy(r.uniform(-1, 1, shape).astype(np.float32).astype(np.float64))


index = torch.tensor(EDGES).T
batch = torch.repeat_interleave(torch.arange(2), torch.tensor(NODES))


def on_edges(layer):
    return lambda x, e: layer(x, index)


def with_features(layer):
    return lambda x, e: layer(x, index, e)


def on_sequences(run):
    """Each graph's nodes are a sequence."""
    return lambda x, e: torch.cat([run(x[a:b][None])[0] for a, b in zip(STARTS, STARTS[1:])])


def pooled(layer):
    """PyG has the nodes that stay in the order of their scores; here they are in their own."""
    def run(x, e):
        y, _, _, _, perm, _ = layer(x, index, None, batch)
        return y[torch.argsort(perm)]
    return run


def encoder():
    layer = nn.TransformerEncoderLayer(IN, 2, 5, dropout=0, batch_first=True)
    return layer, on_sequences(layer)


def last_of(layer):
    return layer, on_sequences(lambda x: layer(x)[1][0][:, 0][None] if isinstance(layer, nn.LSTM) else layer(x)[1][:, 0][None])


def all_of(layer):
    return layer, on_sequences(lambda x: layer(x)[0])


def same(layer, how=lambda layer: lambda x, e: layer(x)):
    return layer, how(layer)


def batch_norm(training):
    layer = nn.BatchNorm1d(IN).train(training)
    return layer, lambda x, e: layer(x)


def gat(**how):
    return pyg.GATConv(IN, OUT, add_self_loops=False, **how)


def gat2(**how):
    return pyg.GATv2Conv(IN, OUT, add_self_loops=False, **how)


CASES = {
    "linear": lambda: same(nn.Linear(IN, OUT)),
    "mlp": lambda: same(pyg.MLP([IN, 5, 6, OUT], norm=None)),
    "embedding": lambda: same(nn.Embedding(7, OUT), lambda layer: lambda x, e: layer(torch.tensor([3, 0, 6, 3, 1, 1, 5, 0]))),
    "layer_norm": lambda: same(nn.LayerNorm(IN)),
    "instance_norm": lambda: same(pyg.InstanceNorm(IN, affine=True), lambda layer: lambda x, e: layer(x, batch)),
    "sage": lambda: same(pyg.SAGEConv(IN, OUT), on_edges),
    "graph_conv": lambda: same(pyg.GraphConv(IN, OUT), on_edges),
    "gcn": lambda: same(pyg.GCNConv(IN, OUT), on_edges),
    "gat": lambda: same(gat(heads=2), on_edges),
    "gat_mean": lambda: same(gat(heads=2, concat=False), on_edges),
    "gat_edge": lambda: same(gat(heads=2, edge_dim=EDGE), with_features),
    "gat2": lambda: same(gat2(heads=2), on_edges),
    "gat2_edge": lambda: same(gat2(heads=2, concat=False, edge_dim=EDGE), with_features),
    "gin": lambda: same(pyg.GINConv(pyg.MLP([IN, 5, OUT], norm=None), train_eps=True), on_edges),
    "gated_conv": lambda: same(pyg.ResGatedGraphConv(IN, OUT), on_edges),
    "gated_conv_edge": lambda: same(pyg.ResGatedGraphConv(IN, OUT, edge_dim=EDGE), with_features),
    "pna": lambda: same(pyg.PNAConv(IN, OUT, ["mean", "min", "max", "std"], ["identity", "amplification", "attenuation"],
                                    deg=torch.tensor([1, 2, 3])), on_edges),
    "topk": lambda: same(pyg.TopKPooling(IN, ratio=0.5), pooled),
    "sag_pool": lambda: same(pyg.SAGPooling(IN, ratio=0.5), pooled),
    "lstm": lambda: all_of(nn.LSTM(IN, OUT, 2, batch_first=True, bidirectional=True)),
    "lstm_last": lambda: last_of(nn.LSTM(IN, OUT, batch_first=True)),
    "gru": lambda: all_of(nn.GRU(IN, OUT, 2, batch_first=True, bidirectional=True)),
    "gru_last": lambda: last_of(nn.GRU(IN, OUT, batch_first=True)),
    "batch_norm": lambda: batch_norm(True),
    "batch_norm_eval": lambda: batch_norm(False),
    "encoder": encoder,
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
    x, e = exact(r, (sum(NODES), IN)).requires_grad_(), exact(r, (len(EDGES), EDGE))
    y = run(x, e)
    cotangent = exact(r, tuple(y.shape))
    inputs = {"dx": x, **{f"g.{key}": p for key, p in layer.named_parameters()}}
    found = torch.autograd.grad((y * cotangent).sum(), list(inputs.values()), allow_unused=True)
    for (key, p), g in zip(inputs.items(), found):
        members[f"{name}.{key}"] = np.zeros(p.shape) if g is None else g.numpy()
    members[f"{name}.x"], members[f"{name}.e"] = x.detach().numpy(), e.numpy()
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
