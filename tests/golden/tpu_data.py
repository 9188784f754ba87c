# SPDX-License-Identifier: MIT
"""Tile and fusion files and checkpoints for the PyTorch form of the TPU model."""
import dataclasses
import heapq
import json

import numpy as np
import torch

import checkpoint
from tpu_model import Model, Options
from tpu_static import Kernel


def in_order(nodes, edges):
    """New number of each node: operands first; of those that may come the smallest number."""
    waits, users, place = [0] * nodes, [[] for _ in range(nodes)], [-1] * nodes
    for u, v in edges:
        waits[u] += 1
        users[v].append(u)
    ready, next_number = [v for v in range(nodes) if not waits[v]], 0
    while ready:
        v = heapq.heappop(ready)
        place[v] = next_number
        next_number += 1
        for u in users[v]:
            waits[u] -= 1
            if not waits[u]:
                heapq.heappush(ready, u)
    return np.array(place)


def kernel(opcode, feature, edges, tile=None):
    """op codes, features, edges in topological order, the static features, tiles [c, 24] or None."""
    place = in_order(len(opcode), edges)
    order = np.argsort(place)
    opcode, feature = opcode[order].astype(np.int64), feature[order]
    edges = [(int(place[u]), int(place[v])) for u, v in edges]
    return opcode, feature, edges, Kernel(opcode, feature, edges).static()[None], tile


def load(path):
    """All kernels of a tile or fusion file, with its run times."""
    z = np.load(path)
    op, feature, edges = z["node_opcode"], z["node_feat"], z["edge_index"].astype(np.int64)
    if "config_feat" in z.files:
        return [kernel(op, feature, edges, z["config_feat"])], z["config_runtime"]
    node, edge = z["node_offset"], z["edge_offset"]
    return [kernel(op[a:b], feature[a:b], edges[c:d]) for a, b, c, d in zip(node, node[1:], edge, edge[1:])], \
        z["kernel_runtime"]


class Checkpoint(checkpoint.Checkpoint):
    """Of tpu, with the ranges of the training data."""
    def __init__(self, path):
        super().__init__(path)
        self.task = json.loads(self.metadata["data"])["task"]

    def options(self):
        known = {f.name for f in dataclasses.fields(Options)}
        return Options(**{n: v for n, v in self.configuration.items() if n in known} | {"task": self.task})

    def model(self):
        return Model(self.options(), self.own, self.tensors["state.offset"].item())

    def scaled(self, x, kind):
        """(x - low) / (high - low); 0 in a column that was constant."""
        low, high = (self.tensors[f"state.{kind}.{end}"].numpy() for end in ("low", "high"))
        x = x.astype(np.float32)
        if self.configuration["log_features"]:
            x = np.copysign(np.log1p(np.abs(x)), x)
        width = np.where(high > low, high - low, 1)
        y = np.where(high > low, (x.astype(np.float64) - low) / width, 0)
        return torch.from_numpy(np.clip(y, 0, 1) if self.configuration["clamp"] else y)

    def inputs(self, op, feature, edges, static, tile):
        return (torch.from_numpy(op), self.scaled(feature, "node"), edges, self.scaled(static, "static"),
                None if tile is None else self.scaled(tile, "tile"))


def predict(checkpoint, path, chunk=64):
    """A score per configuration or kernel, in file order, as the model gives them (fusion: ln of ns)."""
    torch.set_default_dtype(torch.float64)
    kernels, _ = load(path)
    scores, model = [], checkpoint.model()
    with torch.no_grad():
        for one in kernels:
            op, feature, edges, static, tile = checkpoint.inputs(*one)
            for part in [None] if tile is None else tile.split(chunk):
                scores += model(op, feature, edges, static, part).tolist()
    return scores
