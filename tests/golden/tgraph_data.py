# SPDX-License-Identifier: MIT
"""TpuGraphs npz files and checkpoints for the PyTorch model: pruning, re-padding, standardisation, reading."""
import dataclasses
import json

import numpy as np
import torch

import checkpoint
from tgraph_model import FEATURES, LAYOUT_DIGITS, Graph, Model, Options

SHAPE_DIMENSIONS = slice(21, 27)  # of node_feat; 0 beyond the rank


def prune(node_count, edges, config_ids):
    """Keeps edges with a configurable end point and the nodes that these touch: (kept nodes, edges, config ids)."""
    configurable = np.zeros(node_count, bool)
    configurable[config_ids] = True
    edges = edges[configurable[edges].any(1)]
    kept = np.unique(np.concatenate([edges.reshape(-1), config_ids]))
    new = np.full(node_count, -1, np.int64)
    new[kept] = np.arange(kept.size)
    return kept, new[edges], new[config_ids]


def pad_layouts(node_feat):
    """minor_to_major columns with -1 instead of 0 beyond the rank of the shape."""
    layout = node_feat[:, FEATURES:].astype(np.int64)
    rank = (node_feat[:, SHAPE_DIMENSIONS] != 0).sum(1)
    layout[np.arange(LAYOUT_DIGITS)[None, :] >= rank[:, None]] = -1
    return layout


def load_layout(path, pruned=True, padded=True):
    """Raw features [n, 134], layouts [n, 6], op codes, edges [m, 2], config ids, configurations [c, nc, 18], times."""
    z = np.load(path)
    features, ids, edges = z["node_feat"], z["node_config_ids"].astype(np.int64), z["edge_index"].astype(np.int64)
    op, kept = z["node_opcode"].astype(np.int64), np.arange(features.shape[0])
    if pruned:
        kept, edges, ids = prune(features.shape[0], edges, ids)
    features = features[kept]
    layout = pad_layouts(features) if padded else features[:, FEATURES:].astype(np.int64)
    return (features[:, :FEATURES].astype(np.float64), layout, op[kept], edges, ids,
            z["node_config_feat"].astype(np.int8), z["config_runtime"])


class Checkpoint(checkpoint.Checkpoint):
    """Of tgraph."""
    def statistics(self):
        return self.tensors["state.scaler.mean"], self.tensors["state.scaler.scale"]

    def options(self):
        """The fields of tgraph_model.Options; what else the configuration says is not the model's."""
        known = {f.name for f in dataclasses.fields(Options)}
        said = {name: value for name, value in self.configuration.items() if name in known}
        return Options(**said)

    def model(self):
        if self.options().rows != "none":
            raise SystemExit("this checkpoint has rows of loop nests, which are not computed here")
        model = Model(self.options()).double()
        model.load_state_dict(self.own, strict=True)
        return model.eval()


def standardised(values, statistics):
    mean, scale = (t.numpy() for t in statistics)
    return torch.from_numpy((values - mean) / scale)


def predict(checkpoint, path, chunk, limit=None):
    """Scores of the first `limit` configurations, in near-equal chunks of at most `chunk` (the checkpoint's own) of
    them."""
    torch.set_default_dtype(torch.float64)
    model = checkpoint.model()
    said = checkpoint.configuration
    features, layout, op, edges, ids, config, _ = load_layout(path, said.get("prune", True),
                                                                     said.get("repad", True))
    if json.loads(checkpoint.metadata.get("features", "{}")).get("log"):  # what `auto` became
        features = np.sign(features) * np.log1p(np.abs(features))
    limit = min(limit or config.shape[0], config.shape[0])
    graph = Graph(standardised(features, checkpoint.statistics()), torch.from_numpy(layout),
                  torch.from_numpy(op), torch.from_numpy(edges), torch.from_numpy(ids))
    chunk = chunk or said.get("eval_configs", 128)
    parts = np.array_split(np.arange(config.shape[0]), -(-config.shape[0] // chunk))
    scores = []
    with torch.no_grad():
        for part in parts:
            scores.append(model(graph, torch.from_numpy(config[part])).numpy())
            if part[-1] + 1 >= limit:
                break
    return np.concatenate(scores)[:limit]
