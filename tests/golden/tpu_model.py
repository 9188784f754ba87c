# SPDX-License-Identifier: MIT
"""The TPU performance model of Kaufman et al. (MLSys 2021) in PyTorch: one kernel at a time, every node of every
configuration computed in full, graphs as dense matrices of message counts. Nothing is shared, split or packed.

Parameters are a dict by the names of the checkpoint (docs/formats/tpu.md, "Checkpoints")."""
import dataclasses

import torch
from torch.nn import functional as F

OPCODES, FEATURES, TILE, STATIC, NEIGHBOURS = 121, 140, 24, 4, 20


@dataclasses.dataclass
class Options:
    task: str = "tile"  # tile, fusion
    hidden: int = 16
    embedding: int = 256
    gnn: str = "sage"  # none, sage, gat
    reduction: str = "lstm"  # node, column, lstm, transformer
    direction: str = "separate"  # separate, shared, undirected
    aggregate: str = "mean"  # sum, mean, max
    l2: bool = False
    module_layers: int = 0
    module_l2: bool = False
    gnn_layers: int = 3
    node_layers: int = 3
    heads: int = 2
    attention_heads: int = 4
    encoder_layers: int = 1
    feed: int = 4
    biases: bool = False
    tile_at: str = "nodes"  # nodes, kernel, nowhere
    static_at: str = "nodes"

    def width_at(self, place):
        tile = self.task == "tile" and self.tile_at == place
        return (TILE if tile else 0) + (STATIC if self.static_at == place else 0)


def shapes(o):
    """{name: shape} of all parameters, in the order of the checkpoint."""
    h, out = o.hidden, {"embedding.op": (OPCODES, o.embedding)}

    def layer(name, rows, columns, weight=".weight"):
        out[name + weight] = (rows, columns)
        if o.biases:
            out[name + ".bias"] = (rows,)

    layer("input", h, o.embedding + FEATURES + o.width_at("nodes"))
    for k in range(o.module_layers):
        layer(f"module.{k}", h, h)
    for k in range(o.gnn_layers if o.gnn == "sage" else 0):
        layer(f"sage.{k}.operands", h, h)
        if o.direction == "separate":
            layer(f"sage.{k}.users", h, h)
        layer(f"sage.{k}.join", h, (2 if o.direction == "undirected" else 3) * h)
    for k in range(o.gnn_layers if o.gnn == "gat" else 0):
        out[f"gat.{k}.weight"] = (h, h)
        out[f"gat.{k}.from"] = out[f"gat.{k}.to"] = (o.heads, h // o.heads)
        if o.biases:
            out[f"gat.{k}.bias"] = (h,)
    for k in range(o.node_layers):
        layer(f"node.{k}", h, h)
    if o.reduction == "lstm":
        layer("lstm.input", 4 * h, h)
        out["lstm.state.weight"] = (4 * h, h)
    for k in range(o.encoder_layers if o.reduction == "transformer" else 0):
        for part, rows, columns in (("qkv", 3 * h, h), ("out", h, h), ("norm1", h, None), ("widen", o.feed * h, h),
                                    ("narrow", h, o.feed * h), ("norm2", h, None)):
            layer(f"encoder.{k}.{part}", rows, columns)
            if columns is None:
                out[f"encoder.{k}.{part}.weight"] = (h,)
    embedding, features = 2 * h if o.reduction == "column" else h, o.width_at("kernel")
    if features:
        layer("kernel", h, embedding + features)
    layer("output", 1, h if features else embedding)
    return out


def counts(nodes, edges, way, loops):
    """[receiver, sender]: messages that arrive, at most 20 for each receiver (loops not counted). An edge (u, v) says
    that u consumes the output of v: operands send along it, users against it; both: operands first."""
    messages = [(u, v) for u, v in edges] if way != "users" else []
    messages += [(v, u) for u, v in edges] if way != "operands" else []
    a, arrived = torch.zeros(nodes, nodes), [0] * nodes
    for to, sender in messages:
        if arrived[to] < NEIGHBOURS:
            a[to, sender] += 1
            arrived[to] += 1
    return a + torch.eye(nodes) if loops else a


class Model:
    """Keeps the input of a ReLU that is nearest to 0 in `kink`: gradients cannot be compared near a kink."""
    def __init__(self, options, parameters, offset=0.0):
        self.o, self.p, self.offset, self.kink = options, parameters, offset, float("inf")
        found, wanted = {n: tuple(t.shape) for n, t in parameters.items()}, shapes(options)
        if found != wanted:
            differ = sorted(set(found.items()) ^ set(wanted.items()))
            raise SystemExit(f"the parameters are not those of the options: {differ}")

    def linear(self, x, name):
        return F.linear(x, self.p[name + ".weight"], self.p.get(name + ".bias"))

    def relu(self, x):
        if x.numel():
            self.kink = min(self.kink, x.detach().abs().min().item())
        return F.relu(x)

    def layer(self, x, name):
        return self.relu(self.linear(x, name))

    def unit(self, x):
        return x / x.norm(dim=-1, keepdim=True).clamp_min(1e-12)

    # ---- graphs; x is [configurations, nodes, hidden]

    def gathered(self, x, a):
        if self.o.aggregate == "max":
            every = x.unsqueeze(1).expand(-1, a.shape[0], -1, -1)  # [c, to, sender, h]
            lowest = torch.where((a > 0).unsqueeze(-1), every, torch.full_like(every, -torch.inf))
            return torch.where((a.sum(1) > 0).unsqueeze(-1), lowest.amax(2), torch.zeros_like(x))
        if self.o.aggregate == "mean":
            a = a / a.sum(1, keepdim=True).clamp_min(1)
        return a @ x

    def sage(self, x, nodes, edges):
        o = self.o
        ways = ["both"] if o.direction == "undirected" else ["operands", "users"]
        graphs = [counts(nodes, edges, way, False) for way in ways]
        for k in range(o.gnn_layers):
            heard = [x]
            for way, a in zip(ways, graphs):
                layer = "users" if way == "users" and o.direction == "separate" else "operands"
                heard.append(self.gathered(self.layer(x, f"sage.{k}.{layer}"), a))
            x = self.layer(torch.cat(heard, -1), f"sage.{k}.join")
            x = self.unit(x) if o.l2 else x
        return x

    def gat(self, x, nodes, edges):
        o, a = self.o, counts(nodes, edges, "both", True)
        for k in range(o.gnn_layers):
            z = F.linear(x, self.p[f"gat.{k}.weight"]).unflatten(-1, (o.heads, -1))  # [c, n, heads, d]
            sent, received = (z * self.p[f"gat.{k}.from"]).sum(-1), (z * self.p[f"gat.{k}.to"]).sum(-1)
            e = F.leaky_relu(received.unsqueeze(2) + sent.unsqueeze(1), 0.2)  # [c, to, sender, heads]
            e = (e - e.amax(2, keepdim=True)).exp() * a.unsqueeze(-1)
            y = torch.einsum("ctsh,cshd->cthd", e / e.sum(2, keepdim=True), z).flatten(2)
            x = F.elu(y + self.p[f"gat.{k}.bias"] if o.biases else y)
        return x

    # ---- from the nodes to the kernel

    def lstm(self, x):
        h = self.o.hidden
        cell = torch.nn.LSTM(h, h, batch_first=True, bias=self.o.biases)
        own = {"weight_ih_l0": self.p["lstm.input.weight"], "weight_hh_l0": self.p["lstm.state.weight"]}
        if self.o.biases:
            own |= {"bias_ih_l0": self.p["lstm.input.bias"], "bias_hh_l0": torch.zeros(4 * h, dtype=x.dtype)}
        return torch.func.functional_call(cell.to(x.dtype), own, (x,))[1][0][0]

    def encoder(self, x):
        names = {"self_attn.in_proj_": "qkv", "self_attn.out_proj.": "out", "norm1.": "norm1", "linear1.": "widen",
                 "linear2.": "narrow", "norm2.": "norm2"}
        o = self.o
        layer = torch.nn.TransformerEncoderLayer(o.hidden, o.attention_heads, o.feed * o.hidden, dropout=0,
                                                 batch_first=True, bias=o.biases).to(x.dtype).train()
        for k in range(o.encoder_layers):
            own = {theirs + kind: self.p[f"encoder.{k}.{ours}.{kind}"] for theirs, ours in names.items()
                   for kind in (("weight", "bias") if o.biases else ("weight",))}
            x = torch.func.functional_call(layer, own, (x,))
        return x

    def reduce(self, x):
        if self.o.reduction == "column":
            return torch.cat([x.mean(1), x.amax(1)], -1)
        if self.o.reduction == "lstm":
            return self.lstm(x)
        return (self.encoder(x) if self.o.reduction == "transformer" else x).sum(1)

    def __call__(self, opcode, feature, edges, static, tile=None):
        """opcode [n], feature [n, 140], edges [(u, v)], static [4], tile [c, 24] (fusion: None), all scaled -> [c]."""
        o, n = self.o, opcode.shape[0]
        c = 1 if tile is None else tile.shape[0]
        columns = [self.p["embedding.op"][opcode].expand(c, -1, -1), feature.expand(c, -1, -1)]
        if o.static_at == "nodes":
            columns.append(static.expand(c, n, -1))
        if o.tile_at == "nodes" and tile is not None:
            columns.append(tile.unsqueeze(1).expand(-1, n, -1))
        x = self.layer(torch.cat(columns, -1), "input")
        for k in range(o.module_layers):
            x = self.layer(x, f"module.{k}")
        x = self.unit(x) if o.module_l2 else x
        x = getattr(self, o.gnn)(x, n, edges) if o.gnn != "none" else x
        for k in range(o.node_layers):
            x = self.layer(x, f"node.{k}")
        kernel = [self.reduce(x)]
        if o.static_at == "kernel":
            kernel.append(static.expand(c, -1))
        if o.tile_at == "kernel" and tile is not None:
            kernel.append(tile)
        x = torch.cat(kernel, -1)
        x = self.layer(x, "kernel") if o.width_at("kernel") else x
        return self.linear(x, "output").squeeze(-1) + self.offset


def loss(kind, scores, groups, ranks, target, margin=1.0):
    """squared: mean of (score - target)^2. hinge, logistic: eq. 1 over the pairs of one group, divided by the pairs of
    all n samples. groups, ranks [n]: a slower sample has the higher rank."""
    if kind == "squared":
        return ((scores - target) ** 2).mean()
    difference = scores.unsqueeze(1) - scores.unsqueeze(0)  # y'_i - y'_j
    slower = (ranks.unsqueeze(1) > ranks.unsqueeze(0)) & (groups.unsqueeze(1) == groups.unsqueeze(0))
    phi = F.relu(margin - difference) if kind == "hinge" else F.softplus(-difference)
    n = scores.shape[0]
    return (phi * slower).sum() / max(n * (n - 1) / 2, 1)
