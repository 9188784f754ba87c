# SPDX-License-Identifier: MIT
"""TPGNN in PyTorch, one schedule at a time: the paper's network from PyG's own layers, and the network that prices
statements, without the columns of nest.h. Both give a cost."""
import math
import sys

import numpy as np
import torch
import torch_geometric.nn.pool.select.topk as selection
from torch import nn
from torch_geometric.nn import GCNConv, GraphConv, SAGPooling, TopKPooling, global_max_pool, global_mean_pool
from torch_geometric.utils import scatter

from tpgnn_data import graph

CLOSE = 1e-6  # scores at a cut that are nearer to each other than that, and not equal, may fall either way in float32
EQUAL = 1e-12
MOST = 1e6  # constants beyond it are cut
nearest = [math.inf]  # of the scores at the cuts since the caller set it
raw = [None]  # the scores of the pooling that runs, before the tanh, which makes large ones equal in float32


def top_k(score, ratio, batch, min_score=None, tol=1e-7):
    """PyG's choice for each graph, with equal scores in the order of the nodes; they are equal when float32 cannot tell
    them apart."""
    kept = []
    for nodes in [(batch == g).nonzero()[:, 0] for g in batch.unique()]:
        n = len(nodes)
        k = min(n, int(ratio) if ratio >= 1 else math.ceil(np.float32(ratio) * np.float32(n)))
        order = nodes[torch.sort(score[nodes].float(), descending=True, stable=True).indices]
        kept.append(order[:k])
        if k < n:
            a, b = order[k - 1], order[k]
            apart = abs(raw[0][a] - raw[0][b]).item()
            if apart > EQUAL * max(1, abs(raw[0][a]).item()):
                nearest[0] = min(nearest[0], abs(score[a] - score[b]).item())
    return torch.cat(kept)


def look(pool):
    """Has the pooling note its scores before the tanh."""
    def note(select, inputs):
        raw[0] = (inputs[0].reshape(len(inputs[0]), -1) * select.weight).sum(-1) / select.weight.norm()
    pool.select.register_forward_pre_hook(note)
    return pool


selection.topk = top_k


class Paper(nn.Module):
    """models/gcn.py of the authors' repository, with PyG's names."""
    def __init__(self, o, inputs=20):
        super().__init__()
        h, self.layers, self.kind = o["hidden"], o["layers"], o["pool"]
        conv = {"graph": GraphConv, "gcn": GCNConv}[o["conv"]]
        pool = {"topk": TopKPooling, "sag": SAGPooling, "none": None}[self.kind]
        for k in range(1, self.layers + 1):
            setattr(self, f"conv{k}", conv(inputs if k == 1 else h, h))
            if pool:
                setattr(self, f"pool{k}", look(pool(h, ratio=o["ratio"])))
        self.lin1, self.lin2, self.lin3 = nn.Linear(2 * h, h), nn.Linear(h, h // 2), nn.Linear(h // 2, 1)

    def take(self, own):
        """Parameters of a checkpoint. SAGPooling has a sign more, which is positive."""
        rest = self.load_state_dict({n: t for n, t in own.items() if not n.startswith("embedding.")}, strict=False)
        signs = {f"pool{k}.select.weight" for k in range(1, self.layers + 1)} if self.kind == "sag" else set()
        if rest.unexpected_keys or set(rest.missing_keys) != signs:
            sys.exit(f"the checkpoint lacks {rest.missing_keys} and has {rest.unexpected_keys}, which PyG does not know")
        for name in signs:
            self.get_parameter(name).data.fill_(1)
        return self.double().eval()

    def forward(self, x, edges, batch=None, graphs=1):
        read, batch = 0, torch.zeros(len(x), dtype=torch.long) if batch is None else batch
        for k in range(1, self.layers + 1):
            x = torch.relu(getattr(self, f"conv{k}")(x, edges))
            if self.kind != "none":
                x, edges, _, batch, _, _ = getattr(self, f"pool{k}")(x, edges, None, batch)
            read = read + torch.cat([global_max_pool(x, batch, graphs), global_mean_pool(x, batch, graphs)], 1)
        return self.lin3(torch.relu(self.lin2(torch.relu(self.lin1(read)))))[:, 0]


def logarithm(x):
    return np.copysign(np.log2(1 + np.abs(x)), x) / 8


def paper_cost(c, net, tree):
    kept, edges = graph(tree, c.o["edges"], c.o["compact"])
    vector = c.own["embedding.class"] if c.o["types"] == "table" else c.tensors["state.vector"]
    constant = [t in ("IntImm", "FloatImm") for t in tree.column("type")]
    value = np.where(constant, np.clip(tree.value, -MOST, MOST), 0)
    own = np.stack([logarithm(value) if c.o["log_features"] else value, tree.named], 1)
    x = torch.cat([vector[c.index(tree, "class", kept)], torch.from_numpy(own[kept])], 1)
    return net(x, torch.cat([edges, edges.flip(0)], 1))[0]


def linear(c, name, x):
    return x @ c.own[f"{name}.weight"].t() + c.own[f"{name}.bias"]


def receive(c, name, x, sources, targets):
    """Mean of relu(W x_u + b) over the edges u -> v; 0 for a node without neighbours."""
    message = torch.relu(linear(c, name, x))
    return scatter(message[sources], targets, 0, len(x), reduce="mean")


def numbers(tree, kept):
    plain = np.stack([tree.value, tree.position, tree.depth], 1)[kept]
    return torch.from_numpy(np.concatenate([logarithm(plain), tree.named[kept][:, None]], 1))


def statement_cost(c, _, tree):
    kept, edges = graph(tree, c.o["edges"], c.o["compact"])
    x = numbers(tree, kept) @ c.own["input.weight"][:, :4].t() + c.own["input.bias"]
    for field in c.words:
        if f"embedding.{field}" not in c.own:
            continue
        table = c.own[f"embedding.{field}"]
        if field == "class" and c.o["types"] == "words":
            table = c.tensors["state.vector"] @ table.t()
        x = x + table[c.index(tree, field, kept)]
    x = torch.relu(x)
    for k in range(c.o["layers"]):
        above = receive(c, f"layer.{k}.above", x, edges[0], edges[1])
        below = receive(c, f"layer.{k}.below", x, edges[1], edges[0])
        x = torch.relu(linear(c, f"layer.{k}.join", torch.cat([x, above, below], 1)))
    classes = tree.column("class")
    stores = [i for i, v in enumerate(kept) if classes[v] == "BufferStore"] or [0]
    y = torch.cat([x[stores], x.mean(0).expand(len(stores), -1)], 1)
    for name in ("join", "hidden"):
        y = torch.relu(linear(c, name, y))
    cost = linear(c, "output", y)[:, 0]
    return cost.logsumexp(0) if c.o["readout"] == "sum" else cost.mean()


def predict(c, trees):
    """A score per schedule, and of each how near the scores at a cut come to each other without being equal."""
    torch.set_default_dtype(torch.float64)
    if c.o.get("rows", "none") != "none":
        sys.exit("rows are not computed here; take a run of `tpgnn train --rows none`")
    if c.o["network"] == "statements" and c.o["nest"]:
        sys.exit("the columns of nest.h are not computed here; take a run of `tpgnn train --no-nest`")
    net, cost = (Paper(c.o).take(c.own), paper_cost) if c.o["network"] == "paper" else (None, statement_cost)
    scores, cuts = [], []
    with torch.no_grad():
        for tree in trees:
            nearest[0] = math.inf
            scores.append(-cost(c, net, tree).item())
            cuts.append(nearest[0])
    return scores, cuts
