# SPDX-License-Identifier: MIT
"""TGraph (arXiv 2405.16623) in PyTorch, as an independent check of the C program.

Written from the published description in the authors' own order of axes, [configs, nodes, features]; nothing is
split, fused or reordered here, so that a mistake in the C program's faster form shows.
"""
import dataclasses

import torch
from torch import nn

FEATURES, LAYOUT_DIGITS, CONFIG_DIGITS = 134, 6, 18
OPS, OP_WIDTH, LAYOUT_ROWS, LAYOUT_WIDTH = 120, 16, 8, 4


@dataclasses.dataclass
class Options:
    """Options where the authors' code and the paper differ; the defaults are the code's values."""
    hidden: int = 256
    cross: bool = True              # cross-configuration attention at all
    cross_input: bool = True        # ... also in the two input layers
    halve: bool = True              # the copy is concatenated with half of the channels; False: with all
    channel: bool = True            # channel attention
    edges: bool = True              # False: every neighbourhood is empty
    direction: str = "consumers"    # whom a node averages: its consumers (code) | operands | both
    aggregate: str = "mean"         # mean (code) | sum (paper, eq. 2)
    l2: bool = False                # L2 normalisation of the convolution's output (paper, eq. 2)
    message: bool = False           # feed-forward layer on every neighbour before the sum (paper, eq. 2: f1)
    residual: str = "inside"        # gelu(x + h) (code) | outside: x + gelu(h) (paper, eq. 3)
    rows: str = "none"              # sums | embedded | costs: rows of loop nests join their nodes


def instance_norm(x):
    """Over the nodes (axis 1), separately per configuration and channel; no parameters."""
    mean = x.mean(1, keepdim=True)
    variance = ((x - mean) ** 2).mean(1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + 1e-5)


def gelu(x):
    return 0.5 * x * (1 + torch.erf(x * 0.5**0.5))


class Affine(nn.Module):
    def __init__(self, inputs, outputs, bias=True):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(outputs, inputs))
        self.bias = nn.Parameter(torch.zeros(outputs)) if bias else None

    def forward(self, x):
        y = x @ self.weight.T
        return y if self.bias is None else y + self.bias


class ChannelAttention(nn.Module):
    """Squeeze and excitation of every (configuration, node) vector, 8x narrower in the middle."""
    def __init__(self, width):
        super().__init__()
        self.squeeze = Affine(width, width // 8)
        self.excite = Affine(width // 8, width)
        self.nearest_kink = float("inf")

    def forward(self, x):
        inner = self.squeeze(x)
        self.nearest_kink = inner.detach().abs().min().item()
        return x * torch.sigmoid(self.excite(torch.relu(inner)))


class CrossConfigAttention(nn.Module):
    """x * softmax over the configurations of x / temperature, per node and channel."""
    def __init__(self):
        super().__init__()
        self.temperature = nn.Parameter(torch.full((1,), 0.5))

    def forward(self, x):
        return x * torch.softmax(x / self.temperature, dim=0)


class Attention(nn.Module):
    """Channel attention, then (optionally) the cross-attended copy appended: [.., o] -> [.., o] or [.., 2 o], which a
    linear layer brings back to [.., o] where the channels were not halved before."""
    def attend(self, x):
        if self.channel is not None:
            x = self.channel(x)
        if self.cross is None:
            return x
        both = torch.cat([x, self.cross(x)], dim=2)
        return both if self.cross.join is None else self.cross.join(both)

    def make_attention(self, width, cross, o):
        self.channel = ChannelAttention(width) if o.channel else None
        self.cross = CrossConfigAttention() if cross else None
        if cross:
            self.cross.join = None if o.halve else Affine(2 * width, width)


def width_before(o, cross):
    """Channels before the attended copy."""
    return o.hidden // 2 if cross and o.halve else o.hidden


class InputLayer(Attention):
    def __init__(self, inputs, o):
        super().__init__()
        cross = o.cross and o.cross_input
        width = width_before(o, cross)
        self.linear = Affine(inputs, width)
        self.make_attention(width, cross, o)

    def forward(self, x, sums=None, rows=None):
        x = self.linear(x)
        return gelu(self.attend(instance_norm(x + sums(rows, x) if sums else x)))


class Sage(nn.Module):
    def __init__(self, inputs, outputs, o):
        super().__init__()
        self.options = o
        self.message = Affine(inputs, inputs) if o.message else None
        self.neighbour = Affine(inputs, outputs)
        self.root = Affine(inputs, outputs, bias=False)

    def gather(self, x, edges):
        """edges [2, m]: source, destination of a message."""
        total = torch.zeros_like(x).index_add(1, edges[1], x[:, edges[0]])
        if self.options.aggregate == "sum":
            return total
        count = torch.zeros(x.shape[1], dtype=x.dtype).index_add(0, edges[1], torch.ones(edges.shape[1], dtype=x.dtype))
        return total / count.clamp(min=1)[None, :, None]

    def forward(self, x, edges):
        sent = x if self.message is None else gelu(self.message(x))
        y = self.neighbour(self.gather(sent, edges)) + self.root(x)
        if self.options.l2:
            y = y / y.norm(dim=2, keepdim=True).clamp(min=1e-12)
        return y


class Block(Attention):
    def __init__(self, o):
        super().__init__()
        self.options = o
        width = width_before(o, o.cross)
        self.sage = Sage(o.hidden, width, o)
        self.make_attention(width, o.cross, o)

    def forward(self, x, edges):
        h = self.attend(self.sage(instance_norm(x), edges))
        return gelu(x + h) if self.options.residual == "inside" else x + gelu(h)


class NestRows(nn.Module):
    """Rows of loop nests: x [R, 42] standardised columns, word [R], work [R]; and of each entry, which counts its row
    once, row, config and node."""
    COLUMNS, WORDS, WORD_WIDTH, WIDTH = 42, 121, 16, 96

    def __init__(self, o, width):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(self.WORDS, self.WORD_WIDTH))
        inputs = self.WORD_WIDTH + 2 * self.COLUMNS
        self.layer = nn.ModuleList([] if o.rows == "sums" else [Affine(inputs, self.WIDTH),
                                                                 Affine(self.WIDTH, self.WIDTH)])
        inputs = self.WIDTH if len(self.layer) else inputs
        self.join = nn.Parameter(torch.zeros(width, inputs))
        if o.rows == "costs":
            self.cost = nn.ParameterDict({"row": torch.zeros(1, inputs), "node": torch.zeros(1, o.hidden),
                                          "steep": torch.zeros(1, 1)})
        self.nearest_kink = float("inf")

    def embed(self, rows):
        y = torch.cat([self.table[rows["word"]], rows["x"], (rows["x"] <= 0).to(rows["x"].dtype)], dim=1)
        for layer in self.layer:
            y = layer(y)
            self.nearest_kink = min(self.nearest_kink, y.detach().abs().min().item())
            y = torch.relu(y)
        return y

    def sums(self, rows, x):
        """The part that is added to x [c, n, width]."""
        given = self.embed(rows)[rows["row"]] @ self.join.T
        return torch.zeros_like(x).index_put((rows["config"], rows["node"]), given, accumulate=True)

    def scores(self, rows, x):
        """ln of the sum of the entries' work times the exponential of their cost, steepened; x [c, n, hidden]."""
        of_row = self.embed(rows) @ self.cost["row"][0]
        of_node = x @ self.cost["node"][0]
        time = rows["work"][rows["row"]] * torch.exp(of_row[rows["row"]] + of_node[rows["config"], rows["node"]])
        return torch.exp(self.cost["steep"][0]) * torch.log(time.new_zeros(x.shape[0]).index_add(0, rows["config"], time))


class Tables(nn.Module):
    def __init__(self):
        super().__init__()
        self.op = nn.Parameter(torch.zeros(OPS, OP_WIDTH))
        self.layout = nn.Parameter(torch.zeros(LAYOUT_ROWS, LAYOUT_WIDTH))


class Graph:
    """One graph, ready for the model: standardised features, codes in -1..5, edges (u consumes the output of v)."""
    def __init__(self, features, layout, op, edges, config_ids=None):
        self.features, self.layout, self.op = features, layout.long(), op.long()
        self.edges, self.config_ids = edges.long(), None if config_ids is None else config_ids.long()
        self.op = torch.where(self.op < OPS, self.op, torch.zeros_like(self.op))  # no row for it: unknown (0)


class Model(nn.Module):
    def __init__(self, o):
        super().__init__()
        self.options = o
        digits = LAYOUT_DIGITS + CONFIG_DIGITS
        self.embedding = Tables()
        self.input = nn.ModuleList([InputLayer(FEATURES + digits * LAYOUT_WIDTH + OP_WIDTH, o),
                                    InputLayer(o.hidden, o)])
        self.block = nn.ModuleList([Block(o), Block(o)])
        if o.rows != "costs":
            self.output = Affine(o.hidden, 1)
        if o.rows != "none":
            self.rows = NestRows(o, width_before(o, o.cross and o.cross_input))

    def messages(self, edges):
        """Edges [m, 2] of (u, v), u consumes v -> [2, m'] of (source, destination)."""
        if not self.options.edges:
            edges = edges[:0]
        u, v = edges[:, 0], edges[:, 1]
        if self.options.direction == "consumers":
            return torch.stack([u, v])
        if self.options.direction == "operands":
            return torch.stack([v, u])
        return torch.stack([torch.cat([u, v]), torch.cat([v, u])])

    def node_part(self, x, edges, rows=None):
        edges = self.messages(edges)
        for k, layer in enumerate(self.input):
            x = layer(x, self.rows.sums if k == 0 and rows else None, rows)
        for block in self.block:
            x = block(x, edges)
        return x

    def forward(self, graph, config, rows=None):
        """config: [c, nc, 18] codes in -1..5. rows: as in NestRows. Returns scores [c]."""
        look = self.embedding.layout
        n = graph.features.shape[0]
        own, op = look[graph.layout + 2].reshape(n, -1), self.embedding.op[graph.op]
        c = config.shape[0]
        codes = torch.full((c, n, CONFIG_DIGITS), -2, dtype=torch.long)
        codes[:, graph.config_ids] = config.long()
        x = torch.cat([graph.features.expand(c, -1, -1), look[codes + 2].reshape(c, n, -1), own.expand(c, -1, -1),
                       op.expand(c, -1, -1)], dim=2)
        x = self.node_part(x, graph.edges, rows)
        return self.rows.scores(rows, x) if self.options.rows == "costs" else self.output(x.mean(1))[:, 0]


def pairwise_hinge(scores, ranks):
    """The mean over all n * n entries of max(0, 1 - (s_i - s_j)), of every ordered pair with r_i > r_j, and of 0; and
    how near the nearest of these pairs is to the kink."""
    gap, counts = 1 - (scores[:, None] - scores[None, :]), ranks[:, None] > ranks[None, :]
    return torch.where(counts, gap.clamp(min=0), torch.zeros_like(gap)).mean(), gap[counts].abs().min().item()


def nearest_kink(model):
    return min([m.nearest_kink for m in model.modules() if isinstance(m, (ChannelAttention, NestRows))],
               default=float("inf"))


def check_counts():
    for options, expected in ((Options(), 215013), (Options(cross=False), 460577), (Options(halve=False), 985893)):
        count = sum(p.numel() for p in Model(options).parameters())
        if count != expected:
            raise SystemExit(f"{options}: {count} parameters instead of {expected}")
