# SPDX-License-Identifier: MIT
"""TGraph's layout model twice in PyTorch, as peers of the bench: `pyg` in the authors' form, `best` node-major.

Both hold the parameters of tests/golden/tgraph_model.py (other names where a library chooses them: see `names`).
"""
import copy

import torch
import torch.nn.functional as F
from torch import nn

from peer_device import adam_options, on_device

FEATURES, OPS, HIDDEN, DIGITS, ROWS, WIDTH = 134, 120, 256, 18, 8, 4


class Problem:
    """A random graph of n nodes with 2 n edges (u, v), u > v and near, and c configurations of every third node."""
    def __init__(self, configs, nodes, seed=1):
        g = torch.Generator().manual_seed(seed)
        u = torch.randint(1, nodes, (2 * nodes,), generator=g)
        v = (u - 1 - torch.randint(0, 20, (2 * nodes,), generator=g)).clamp(min=0)
        self.edges = torch.stack([u, v])  # u consumes v; messages flow from u to v
        self.ids = torch.arange(0, nodes, 3)
        self.features = torch.randn(nodes, FEATURES, generator=g)
        self.layout = torch.randint(-1, 6, (nodes, 6), generator=g)
        self.op = torch.randint(0, OPS, (nodes,), generator=g)
        self.config = torch.randint(-1, 6, (configs, self.ids.numel(), DIGITS), generator=g)
        self.ranks = torch.randperm(configs, generator=g)
        self.configs, self.nodes = configs, nodes

    def part(self, first, count):
        """The same graph with some of the configurations."""
        part = copy.copy(self)
        part.config, part.configs = self.config[first:first + count], count
        return part


def hinge(scores, ranks):
    gap = 1 - (scores[:, None] - scores[None, :])
    return (gap.clamp(min=0) * (ranks[:, None] > ranks[None, :])).mean()


# ---- the authors' form: [configs, nodes, features], one module per box of the paper's figure

class InstanceNorm(nn.InstanceNorm1d):
    def forward(self, x):
        return super().forward(x.swapaxes(1, 2)).swapaxes(1, 2)


class ChannelAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.squeeze, self.excite = nn.Linear(width, width // 8), nn.Linear(width // 8, width)

    def forward(self, x):
        return x * torch.sigmoid(self.excite(F.relu(self.squeeze(x))))


class CrossAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.temperature = nn.Parameter(torch.tensor([0.5]))

    def forward(self, x):
        return x * F.softmax(x / self.temperature, dim=0)


class Layer(nn.Module):
    """One of the two input layers (convolve=False) or one of the two blocks."""
    def __init__(self, inputs, cross, convolve, dropout):
        super().__init__()
        width = HIDDEN // 2 if cross else HIDDEN
        if convolve:
            from torch_geometric.nn import SAGEConv
            self.sage = SAGEConv(inputs, width)
        else:
            self.linear = nn.Linear(inputs, width)
        self.norm = InstanceNorm(inputs if convolve else width)
        self.channel = ChannelAttention(width)
        self.cross = CrossAttention() if cross else None
        self.convolve, self.dropout = convolve, dropout

    def forward(self, x, edges):
        y = self.sage(self.norm(x), edges) if self.convolve else self.norm(self.linear(x))
        y = self.channel(y)
        if self.cross is not None:
            y = torch.cat([y, self.cross(y)], dim=2)
        return F.dropout(F.gelu(y + x), self.dropout, self.training) if self.convolve else F.gelu(y)


class Pyg(nn.Module):
    def __init__(self, cross, dropout):
        super().__init__()
        self.embedding = nn.ModuleDict({"op": nn.Embedding(OPS, 16), "layout": nn.Embedding(ROWS, WIDTH)})
        self.input = nn.ModuleList([Layer(246, cross, False, dropout), Layer(HIDDEN, cross, False, dropout)])
        self.block = nn.ModuleList([Layer(HIDDEN, cross, True, dropout) for _ in range(2)])
        self.output = nn.Linear(HIDDEN, 1)

    def names(self):
        """Name in tgraph_model.py -> parameter."""
        change = (("embedding.op.weight", "embedding.op"), ("embedding.layout.weight", "embedding.layout"),
                  ("sage.lin_l", "sage.neighbour"), ("sage.lin_r", "sage.root"))
        out = {}
        for name, p in self.named_parameters():
            for old, new in change:
                name = name.replace(old, new)
            out[name] = p
        return out

    def prepare(self, p):
        """Nothing is kept from one step to the next."""

    def forward(self, p):
        c, n = p.configs, p.nodes
        codes = torch.full((c, n, DIGITS), -2)
        codes[:, p.ids] = p.config
        x = torch.cat([p.features.expand(c, -1, -1), self.embedding["layout"](codes + 2).reshape(c, n, -1),
                       self.embedding["layout"](p.layout + 2).reshape(n, -1).expand(c, -1, -1),
                       self.embedding["op"](p.op).expand(c, -1, -1)], dim=2)
        for layer in [*self.input, *self.block]:
            x = layer(x, p.edges)
        return self.output(x.mean(1))[:, 0]


# ---- node-major: [nodes, configs, features]

class NeighbourMean(torch.autograd.Function):
    """Weighted sums of rows by lists in both directions, built once. embedding_bag is the fastest of PyTorch's ways
    here: 8 ms for 1000 x 4096 values and 2000 edges, where CSR times dense takes 24 and index_add 9 to 17."""
    @staticmethod
    def forward(ctx, x, lists, transposed):
        ctx.transposed = transposed
        return bag(x, lists)

    @staticmethod
    def backward(ctx, dy):
        return bag(dy.contiguous(), ctx.transposed), None, None


def bag(x, lists):
    columns, starts, weights = lists
    return F.embedding_bag(columns, x, starts, mode="sum", per_sample_weights=weights.to(x.dtype))


def mean_lists(p):
    """Row v averages the consumers of v; and its transpose: (columns, row starts, weights) each."""
    u, v = p.edges
    degree = torch.zeros(p.nodes).index_add(0, v, torch.ones(v.numel()))

    def lists(rows, columns):
        order = torch.argsort(rows, stable=True)
        starts = torch.searchsorted(rows[order].contiguous(), torch.arange(p.nodes))
        return columns[order], starts, (1 / degree[v])[order]
    return lists(v, u), lists(u, v)


class Best(nn.Module):
    def __init__(self, cross, dropout):
        super().__init__()
        from torch.nn import Parameter as P
        self.cross, self.dropout = cross, dropout
        self.width = o = HIDDEN // 2 if cross else HIDDEN
        made = Pyg.__new__(Pyg)  # the same shapes and initial values, from the other form
        Pyg.__init__(made, cross, dropout)
        self.table = {name: P(p.detach().clone()) for name, p in made.names().items()}
        for i, p in enumerate(self.table.values()):
            self.register_parameter(f"p{i}", p)
        self.register_buffer("places", torch.arange(DIGITS) * ROWS, persistent=False)
        self.lists = self.config = self.look_ups = None

    def names(self):
        return self.table

    def prepare(self, p):
        """The parts that depend on the graph alone, once; and look-ups [nc c, 18] once for the same configurations."""
        if self.lists is None:
            self.lists = mean_lists(p)
        if self.config is not p.config:
            self.config = p.config
            self.look_ups = (p.config + 2 + self.places).permute(1, 0, 2).reshape(-1, DIGITS)

    def first(self, p):
        """Linear of the 246 inputs without making them: a part per node and 18 look-ups per configurable one."""
        w, look, o = self.table["input.0.linear.weight"], self.table["embedding.layout"], self.width
        wf, wc, wl, wo = w.split([FEATURES, DIGITS * WIDTH, 6 * WIDTH, 16], dim=1)
        table = torch.einsum("re,oke->kro", look, wc.reshape(o, DIGITS, WIDTH)).reshape(DIGITS * ROWS, o)
        none = table[self.places].sum(0)
        node = torch.cat([p.features, look[p.layout + 2].flatten(1), self.table["embedding.op"][p.op]], 1)
        node = F.linear(node, torch.cat([wf, wl, wo], 1), self.table["input.0.linear.bias"]) + none
        change = F.embedding_bag(self.look_ups, table, mode="sum").reshape(-1, p.configs, o) - none
        return node[:, None].expand(-1, p.configs, -1).index_add(0, p.ids, change)

    def norm(self, x):
        n, c, f = x.shape
        return F.batch_norm(x.reshape(n, c * f), None, None, training=True, eps=1e-5).reshape(n, c, f)

    def attend(self, x, name):
        t = self.table
        g = F.linear(x, t[f"{name}.channel.squeeze.weight"], t[f"{name}.channel.squeeze.bias"]).relu()
        x = x * torch.sigmoid(F.linear(g, t[f"{name}.channel.excite.weight"], t[f"{name}.channel.excite.bias"]))
        if not self.cross:
            return x
        warmth = t[f"{name}.cross.temperature"].reciprocal()  # a product's gradient costs less than a quotient's
        return torch.cat([x, x * torch.softmax(x * warmth, dim=1)], dim=2)

    def drop(self, x):
        """Dropout from a random byte per element (bernoulli_ takes longer than a matrix product): p in 256ths."""
        if not self.dropout or not self.training:
            return x
        dropped = round(256 * self.dropout)
        words = torch.empty((x.numel() + 7) // 8, dtype=torch.int64).random_(-2**63, None)
        keep = (words.view(torch.uint8)[:x.numel()] >= dropped).to(x.dtype).mul_(256 / (256 - dropped))
        return x * keep.reshape(x.shape)

    def sage(self, x, name, lists):
        """Weights before aggregation: both products at once, and the mean on half of the channels."""
        t, (n, c, _), o = self.table, x.shape, self.width
        y = F.linear(x, torch.cat([t[f"{name}.neighbour.weight"], t[f"{name}.root.weight"]]))
        mean = NeighbourMean.apply(y[..., :o].reshape(n, c * o), *lists).reshape(n, c, o)
        return mean + y[..., o:] + t[f"{name}.neighbour.bias"]

    def forward(self, p):
        t = self.table
        x = F.gelu(self.attend(self.norm(self.first(p)), "input.0"))
        x = F.gelu(self.attend(self.norm(F.linear(x, t["input.1.linear.weight"])), "input.1"))
        for name in ("block.0", "block.1"):
            x = F.gelu(x + self.attend(self.sage(self.norm(x), f"{name}.sage", self.lists), name))
            x = self.drop(x)
        return F.linear(x.mean(0), t["output.weight"], t["output.bias"])[:, 0]


FORMS = {"pyg": Pyg, "best": Best}


def training_step(a, model, forward):
    problem, parameters = on_device(Problem)(a.configs, a.nodes), list(model.parameters())
    optimizer = torch.optim.AdamW(parameters, lr=1e-3, weight_decay=1e-5, **adam_options(a, a.form == "best"))

    def once():
        optimizer.zero_grad(set_to_none=True)
        model.prepare(problem)
        hinge(forward(problem), problem.ranks).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
    return once


def scoring(a, model, forward):
    """Scores of all configurations, in chunks that see each other, as the program makes them."""
    problem, chunks = Problem(a.configs, a.nodes), -(-a.configs // a.chunk)
    bounds = [a.configs * k // chunks for k in range(chunks + 1)]
    model.eval()

    def once():
        with torch.inference_mode():
            scores = []
            for k in range(chunks):
                part = problem.part(bounds[k], bounds[k + 1] - bounds[k])
                model.prepare(part)
                scores.append(forward(part))
            return torch.cat(scores)
    return once


def make(a):
    model = FORMS[a.form](not a.no_cross, a.dropout)
    forward = torch.compile(model) if a.compile else model
    return (scoring if a.infer else training_step)(a, model, forward)
