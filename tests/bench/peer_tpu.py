# SPDX-License-Identifier: MIT
"""The TPU performance model in PyTorch, as a peer of the bench: GraphSAGE, then LSTM or Transformer encoder.

pyg is what a user of PyG writes: a MessagePassing layer with aggr="mean", batches by Batch.from_data_list, then
to_dense_batch with a packed sequence or a padding mask. plain is PyTorch as one writes it first: means by index_add,
nn.Dropout, the encoder layer as it comes; kernels of one size lie in one [kernels, nodes, hidden] block without padding
or mask and the LSTM runs unpacked, which is where PyTorch is fastest. best, in addition, averages neighbours by
embedding_bag over lists made once and draws dropout from a random byte per element. Every sample is computed in full.
Parameters bear the names of the checkpoint: see `names`.
"""
import functools
from types import SimpleNamespace

import torch
import torch.nn.functional as F
from torch import nn

from peer_device import adam_options, on_device
from peer_models import NeighbourMean, mean_lists

OPCODES, EMBEDDING, FEATURES, STATIC, TILE, HIDDEN = 121, 256, 140, 4, 24, 512
LAYERS, HEADS, FEED = 3, 4, 4

# model -> reduction, one f2 for operands and users, where the tile size enters (None: a training step, fusion task)
MODELS = {"tpu-lstm": ("lstm", False, None), "tpu-lstm-shared": ("lstm", True, None),
          "tpu-transformer": ("transformer", False, None), "tpu-rank-nodes": ("lstm", False, "nodes"),
          "tpu-rank-kernel": ("lstm", False, "kernel")}


class Drop(nn.Module):
    """Dropout from a random byte per element: nn.Dropout's bernoulli_ takes longer than a matrix product."""
    def __init__(self, p):
        super().__init__()
        self.dropped = round(256 * p)

    def forward(self, x):
        if not self.dropped or not self.training:
            return x
        words = torch.empty((x.numel() + 7) // 8, dtype=torch.int64).random_(-2**63, None)
        keep = (words.view(torch.uint8)[:x.numel()] >= self.dropped).to(x.dtype).mul_(256 / (256 - self.dropped))
        return x * keep.reshape(x.shape)


@on_device
def kernels_of(count, nodes, seed=1):
    """Each node but the first consumes two of the eight before it."""
    g = torch.Generator().manual_seed(seed)
    user = torch.arange(1, nodes).repeat_interleave(2).repeat(count)
    operand = (user - torch.randint(1, 9, (len(user),), generator=g)).clamp(min=0)
    first = torch.arange(count).repeat_interleave(2 * (nodes - 1)) * nodes
    return SimpleNamespace(count=count, nodes=nodes, operand=operand + first, user=user + first,
                           opcode=torch.randint(0, OPCODES, (count, nodes), generator=g),
                           feature=torch.rand(count, nodes, FEATURES, generator=g),
                           static=torch.rand(count, STATIC, generator=g),
                           target=torch.rand(count, generator=g) + 8, tile=None)


def copies(kernel, count, seed=2):
    """The one kernel under `count` tile sizes, as a batch of samples."""
    first = (torch.arange(count) * kernel.nodes).repeat_interleave(len(kernel.operand))
    g = torch.Generator().manual_seed(seed)
    return SimpleNamespace(count=count, nodes=kernel.nodes, operand=kernel.operand.repeat(count) + first,
                           user=kernel.user.repeat(count) + first, opcode=kernel.opcode.repeat(count, 1),
                           feature=kernel.feature.repeat(count, 1, 1), static=kernel.static.repeat(count, 1),
                           tile=torch.rand(count, TILE, generator=g))


def mean_of(batch, plain=False):
    """A function for each way: the mean over the operands, or over the users, of every node."""
    nodes = batch.count * batch.nodes

    def scattered(to, sender):
        def mean(x):
            count = torch.zeros(nodes, dtype=x.dtype).index_add_(0, to, torch.ones(len(to), dtype=x.dtype))
            return torch.zeros_like(x).index_add(0, to, x[sender]) / count.clamp(min=1)[:, None]
        return mean

    def way(to, sender):
        if plain:
            return scattered(to, sender)
        lists = mean_lists(SimpleNamespace(edges=torch.stack([sender, to]), nodes=nodes))
        return lambda x: NeighbourMean.apply(x, *lists)
    return way(batch.user, batch.operand), way(batch.operand, batch.user)


def message_passing():
    """PyG's way; made here, for the other forms do without PyG."""
    from torch_geometric.nn import MessagePassing

    class Mean(MessagePassing):
        def __init__(self):
            super().__init__(aggr="mean")

        def forward(self, x, edges):
            return self.propagate(edges, x=x)

        def message(self, x_j):
            return x_j
    return Mean()


class Sage(nn.Module):
    def __init__(self, hidden, shared):
        super().__init__()
        self.operands = nn.Linear(hidden, hidden, bias=False)
        self.users = self.operands if shared else nn.Linear(hidden, hidden, bias=False)
        self.join = nn.Linear(3 * hidden, hidden, bias=False)
        self.shared = shared

    def forward(self, x, means):
        sent = F.relu(self.operands(x))
        received = sent if self.shared else F.relu(self.users(x))
        return F.relu(self.join(torch.cat([x, means[0](sent), means[1](received)], -1)))


class Model(nn.Module):
    def __init__(self, reduction, shared, tile_at, dropout, plain=False, hidden=HIDDEN):
        super().__init__()
        self.tile_at, self.plain, self.drop = tile_at, plain, nn.Dropout(dropout) if plain else Drop(dropout)
        self.embedding = nn.Embedding(OPCODES, EMBEDDING)
        self.input = nn.Linear(EMBEDDING + FEATURES + STATIC + (TILE if tile_at == "nodes" else 0), hidden, bias=False)
        self.sage = nn.ModuleList([Sage(hidden, shared) for _ in range(LAYERS)])
        self.node = nn.ModuleList([nn.Linear(hidden, hidden, bias=False) for _ in range(LAYERS)])
        self.lstm = nn.LSTM(hidden, hidden, batch_first=True, bias=False) if reduction == "lstm" else None
        if self.lstm is None:
            self.encoder = nn.TransformerEncoderLayer(hidden, HEADS, FEED * hidden, dropout=dropout if plain else 0.0,
                                                      batch_first=True, bias=False)
        if self.lstm is None and not plain:  # dropout after attention and feed-forward alone, as ours
            self.encoder.dropout1, self.encoder.dropout2 = Drop(dropout), Drop(dropout)
        self.kernel = nn.Linear(hidden + TILE, hidden, bias=False) if tile_at == "kernel" else None
        self.output = nn.Linear(hidden, 1, bias=False)

    def names(self):
        """Name in tpu_model.py -> parameter."""
        change = (("embedding.weight", "embedding.op"), ("lstm.weight_ih_l0", "lstm.input.weight"),
                  ("lstm.weight_hh_l0", "lstm.state.weight"), ("encoder.", "encoder.0."),
                  ("self_attn.in_proj_weight", "qkv.weight"), ("self_attn.out_proj", "out"), ("linear1", "widen"),
                  ("linear2", "narrow"))
        return {functools.reduce(lambda n, c: n.replace(*c), change, name): p for name, p in self.named_parameters()}

    def forward(self, b, means):
        shape = (b.count, b.nodes, -1)
        columns = [self.embedding(b.opcode), b.feature, b.static[:, None].expand(shape)]
        if self.tile_at == "nodes":
            columns.append(b.tile[:, None].expand(shape))
        x = self.drop(F.relu(self.input(torch.cat(columns, -1)))).flatten(0, 1)
        for layer in self.sage:
            x = self.drop(layer(x, means))
        for layer in self.node:
            x = self.drop(F.relu(layer(x)))
        x = x.reshape(shape)
        kernel = self.lstm(x)[1][0][0] if self.lstm else self.encoder(x).sum(1)
        if self.kernel:
            kernel = self.drop(F.relu(self.kernel(torch.cat([kernel, b.tile], 1))))
        return self.output(kernel)[:, 0]


def part(batch, first, count):
    """Samples of a batch of one kernel."""
    edges = len(batch.operand) // batch.count * count
    return SimpleNamespace(count=count, nodes=batch.nodes, operand=batch.operand[:edges], user=batch.user[:edges],
                           **{name: getattr(batch, name)[first:first + count]
                              for name in ("opcode", "feature", "static", "tile")})


class PygModel(Model):
    """The same parameters; a batch is PyG's."""
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, plain=True, **options)
        self.mean = message_passing()

    def forward(self, b, _=None):
        from torch_geometric.utils import to_dense_batch
        columns = [self.embedding(b.opcode), b.x, b.static[b.batch]]
        if self.tile_at == "nodes":
            columns.append(b.tile[b.batch])
        x = self.drop(F.relu(self.input(torch.cat(columns, -1))))
        means = lambda y: self.mean(y, b.edge_index), lambda y: self.mean(y, b.edge_index.flip(0))
        for layer in self.sage:
            x = self.drop(layer(x, means))
        for layer in self.node:
            x = self.drop(F.relu(layer(x)))
        x, mask = to_dense_batch(x, b.batch)
        if self.lstm:
            packed = nn.utils.rnn.pack_padded_sequence(x, mask.sum(1), batch_first=True, enforce_sorted=False)
            kernel = self.lstm(packed)[1][0][0]
        else:
            kernel = (self.encoder(x, src_key_padding_mask=~mask) * mask[..., None]).sum(1)
        if self.kernel:
            kernel = self.drop(F.relu(self.kernel(torch.cat([kernel, b.tile], 1))))
        return self.output(kernel)[:, 0]


def pyg_samples(batch):
    """A Data object for each sample."""
    from torch_geometric.data import Data
    edges = len(batch.operand) // batch.count

    def sample(i):
        mine = slice(edges * i, edges * (i + 1))
        tile = {} if batch.tile is None else {"tile": batch.tile[i:i + 1]}
        return Data(x=batch.feature[i], opcode=batch.opcode[i], static=batch.static[i:i + 1],
                    edge_index=torch.stack([batch.operand[mine], batch.user[mine]]) - i * batch.nodes, **tile)
    return [sample(i) for i in range(batch.count)]


def collated(batch):
    from torch_geometric.data import Batch
    return Batch.from_data_list(pyg_samples(batch))


def ranking(a, model, forward):
    """Scores of all configurations, in chunks. PyG's batches are made again each time, as a loader makes them; what the
    other forms read lies there before the clock starts."""
    batch = copies(kernels_of(1, a.nodes), a.configs)
    chunks = [(k, min(a.chunk, a.configs - k)) for k in range(0, a.configs, a.chunk)]
    model.eval()
    if a.form == "pyg":
        from torch_geometric.data import Batch
        samples = pyg_samples(batch)
        batches = lambda: ((Batch.from_data_list(samples[k:k + n]), None) for k, n in chunks)
    else:
        parts = [part(batch, k, n) for k, n in chunks]
        means = {p.count: mean_of(p, model.plain) for p in parts}
        batches = lambda: ((p, means[p.count]) for p in parts)

    def once():
        with torch.inference_mode():
            return torch.cat([forward(*b) for b in batches()])
    return once


def training_step(a, model, forward):
    batch, parameters = kernels_of(a.configs, a.nodes), list(model.parameters())
    target = batch.target
    batch, means = (collated(batch), None) if a.form == "pyg" else (batch, mean_of(batch, model.plain))
    optimizer = torch.optim.Adam(parameters, lr=1e-3, **adam_options(a, a.form != "pyg"))

    def once():
        optimizer.zero_grad(set_to_none=True)
        F.mse_loss(forward(batch, means), target).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
    return once


def make(a):
    reduction, shared, tile_at = MODELS[a.model]
    if a.form == "pyg":
        model = PygModel(reduction, shared, tile_at, a.dropout)
    else:
        model = Model(reduction, shared, tile_at, a.dropout, a.form == "plain")
    forward = torch.compile(model) if a.compile else model
    return (ranking if tile_at else training_step)(a, model, forward)
