# SPDX-License-Identifier: MIT
"""TPGNN's network in PyTorch, as a peer of the bench: training steps on random trees of one size, or their scores.

pyg is what one writes first: PyG's GraphConv, TopKPooling and readouts, edges as an edge_index; to score, batches of
Data objects are made by Batch.from_data_list. best: all graphs lie in one [graphs, nodes, hidden] block (they have one size), edges stay sorted by their
target, sums of neighbours are embedding_bag over lists of them both ways, pooling is one topk of [graphs, nodes]
scores with gather and scale as one function, and readouts are reductions over an axis; Adam is the fused one. fixed: the same with
shapes that do not depend on the values, which a captured CUDA graph wants.
"""
from types import SimpleNamespace

import torch
import torch.nn.functional as F
from torch import nn

from peer_device import adam_options, on_device

INPUTS, HIDDEN, RATIO, LAYERS = 20, 128, 0.8, 3


@on_device
def trees(count, nodes, seed=1):
    """Pre-order: the parent of a node is the one before it or an ancestor of that. Edges both ways, by target."""
    g = torch.Generator().manual_seed(seed)
    coins = torch.randint(0, 2, (count * nodes * 4,), generator=g).tolist()
    pairs = []
    for first in range(0, count * nodes, nodes):
        parent = [0] * nodes
        for v in range(1, nodes):
            u = v - 1
            while u and coins and coins.pop():
                u = parent[u]
            parent[v] = u
            pairs += [(first + u, first + v), (first + v, first + u)]
    source, target = torch.tensor(pairs).T
    order = torch.argsort(target, stable=True)
    return SimpleNamespace(count=count, nodes=nodes, edges=torch.stack([source[order], target[order]]),
                           x=torch.randn(count * nodes, INPUTS, generator=g), cost=torch.randn(count, generator=g),
                           batch=torch.arange(count).repeat_interleave(nodes))


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin1, self.lin2, self.lin3 = nn.Linear(2 * HIDDEN, HIDDEN), nn.Linear(HIDDEN, HIDDEN // 2), nn.Linear(HIDDEN // 2, 1)

    def forward(self, x, dropout):
        x = F.dropout(F.relu(self.lin1(x)), dropout, self.training)
        return self.lin3(F.relu(self.lin2(x)))[:, 0]


class Plain(nn.Module):
    def __init__(self, dropout):
        from torch_geometric.nn import GraphConv, TopKPooling
        super().__init__()
        self.conv = nn.ModuleList(GraphConv(HIDDEN if k else INPUTS, HIDDEN) for k in range(LAYERS))
        self.pool = nn.ModuleList(TopKPooling(HIDDEN, ratio=RATIO) for _ in range(LAYERS))
        self.head, self.dropout = Head(), dropout

    def forward(self, p):
        from torch_geometric.nn import global_max_pool, global_mean_pool
        x, edges, batch, total = p.x, p.edges, p.batch, 0
        for conv, pool in zip(self.conv, self.pool):
            x, edges, _, batch, _, _ = pool(F.relu(conv(x, edges)), edges, None, batch)
            total = total + torch.cat([global_max_pool(x, batch), global_mean_pool(x, batch)], 1)
        return self.head(total, self.dropout)


# ---- packed

class NeighbourSum(torch.autograd.Function):
    """The graph is the same both ways, and so are its sorted lists."""
    @staticmethod
    def forward(ctx, x, sources, starts):
        ctx.lists = sources, starts
        return F.embedding_bag(sources, x, starts, mode="sum")

    @staticmethod
    def backward(ctx, dy):
        return F.embedding_bag(ctx.lists[0], dy.contiguous(), ctx.lists[1], mode="sum"), None, None


class GatherScale(torch.autograd.Function):
    """x[perm] score[perm], with both gradients at once."""
    @staticmethod
    def forward(ctx, x, score, perm):
        kept, s = x.index_select(0, perm), score.index_select(0, perm)[:, None]
        ctx.save_for_backward(kept, s, perm)
        ctx.n = len(x)
        return kept * s

    @staticmethod
    def backward(ctx, dy):
        kept, s, perm = ctx.saved_tensors
        dx = dy.new_zeros(ctx.n, dy.shape[1])
        dx[perm] = dy * s
        ds = dy.new_zeros(ctx.n)
        ds[perm] = torch.linalg.vecdot(dy, kept)
        return dx, ds, None


class Packed(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.rel = nn.ModuleList(nn.Linear(HIDDEN if k else INPUTS, HIDDEN) for k in range(LAYERS))
        self.root = nn.ModuleList(nn.Linear(HIDDEN if k else INPUTS, HIDDEN, bias=False) for k in range(LAYERS))
        self.select = nn.ParameterList(torch.randn(HIDDEN) / 20 for _ in range(LAYERS))
        self.head, self.dropout = Head(), dropout

    def pool(self, x, p, count, sources, targets):
        """The nodes that stay, in their order; sources, targets and list starts of the edges between them."""
        n = len(x) // count
        k = -(-n * 4 // 5)
        score = torch.tanh((x @ p) / p.norm())
        with torch.no_grad():
            best = torch.topk(score.view(count, n), k, 1, sorted=False).indices
            perm = (best.sort(1).values + torch.arange(0, count * n, n)[:, None]).view(-1)
            place = torch.full((count * n,), -1)
            place[perm] = torch.arange(count * k)
            sources, targets = place[sources], place[targets]
            both = ((sources >= 0) & (targets >= 0)).nonzero()[:, 0]
            sources, targets = sources[both], targets[both]
            number = torch.bincount(targets, minlength=count * k)
            starts = number.cumsum(0) - number
        return GatherScale.apply(x, score, perm), sources, targets, starts

    def sum(self, x, sources, targets, starts):
        return NeighbourSum.apply(x, sources, starts)

    def forward(self, p):
        x, (sources, targets), starts, total = p.x, p.edges, p.starts, 0
        for k in range(LAYERS):
            summed = self.sum(x, sources, targets, starts)
            y = torch.addmm(self.rel[k](summed), x, self.root[k].weight.T)
            x, sources, targets, starts = self.pool(F.relu_(y), self.select[k], p.count, sources, targets)
            graphs = x.view(p.count, -1, HIDDEN)
            total = total + torch.cat([graphs.amax(1), graphs.mean(1)], 1)
        return self.head(total, self.dropout)


class Fixed(Packed):
    """An edge that has lost an end goes from a row of zeros to one that is cut off: the row after the last."""
    def pool(self, x, p, count, sources, targets):
        n = len(x) // count
        k = -(-n * 4 // 5)
        score = torch.tanh((x @ p) / p.norm())
        with torch.no_grad():
            best = torch.topk(score.view(count, n), k, 1, sorted=False).indices
            perm = (best.sort(1).values + torch.arange(0, count * n, n)[:, None]).view(-1)
            place = torch.full((count * n + 1,), count * k)
            place[perm] = torch.arange(count * k)
            sources, targets = place[sources], place[targets]
            gone = (sources == count * k) | (targets == count * k)
            sources, targets = sources.masked_fill(gone, count * k), targets.masked_fill(gone, count * k)
        return GatherScale.apply(x, score, perm), sources, targets, None

    def sum(self, x, sources, targets, starts):
        padded = F.pad(x, (0, 0, 0, 1))
        return torch.zeros_like(padded).index_add(0, targets, padded[sources])[:-1]


def prepared(count, nodes, seed=1):
    """Trees, and where each node's list of senders begins."""
    batch = trees(count, nodes, seed)
    number = torch.bincount(batch.edges[1], minlength=count * nodes)
    batch.starts = number.cumsum(0) - number
    return batch


def training_step(a, model, forward):
    batch = prepared(a.configs, a.nodes)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, **adam_options(a, a.form != "pyg"))

    def once():
        optimizer.zero_grad(set_to_none=True)
        F.huber_loss(forward(batch), batch.cost).backward()
        optimizer.step()
    return once


def pyg_batches(a):
    """Made again each time, as a loader makes them."""
    from torch_geometric.data import Batch, Data
    trees_of = [trees(1, a.nodes, seed) for seed in range(a.configs)]
    samples = [Data(x=t.x, edge_index=t.edges) for t in trees_of]

    def batches():
        for k in range(0, a.configs, a.chunk):
            b = Batch.from_data_list(samples[k:k + a.chunk])
            yield SimpleNamespace(x=b.x, edges=b.edge_index, batch=b.batch)
    return batches


def packed_batches(a):
    """The trees in one block, with one more sum for the numbers of nodes and of edges."""
    one = [prepared(1, a.nodes, seed) for seed in range(a.configs)]
    x, starts = torch.stack([t.x for t in one]), torch.stack([t.starts for t in one])
    edges = torch.stack([t.edges for t in one])

    def batches():
        for k in range(0, a.configs, a.chunk):
            n = min(a.chunk, a.configs - k)
            first = torch.arange(n)[:, None]
            both = (edges[k:k + n] + (first * a.nodes)[:, None]).transpose(0, 1).reshape(2, -1)
            yield SimpleNamespace(x=x[k:k + n].flatten(0, 1), edges=both, count=n,
                                  starts=(starts[k:k + n] + first * edges.shape[2]).flatten())
    return batches


def scoring(a, model, forward):
    batches = (pyg_batches if a.form == "pyg" else packed_batches)(a)
    model.eval()

    def once():
        with torch.inference_mode():
            return torch.cat([forward(b) for b in batches()])
    return once


def make(a):
    model = {"pyg": Plain, "best": Packed, "fixed": Fixed}[a.form](a.dropout)
    forward = torch.compile(model) if a.compile else model
    return (scoring if a.infer else training_step)(a, model, forward)
