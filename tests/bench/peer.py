# SPDX-License-Identifier: MIT
"""The training steps of the bench as users of PyTorch Geometric write them: the peer that it compares itself with.

    python peer.py --model tgraph --count 32 --nodes 1000 --steps 3     32 configurations of 1,000 nodes
    python peer.py --model tpu-lstm --count 16 --nodes 41               16 kernels of 41 nodes
    python peer.py --model tpgnn --count 64 --nodes 500                 64 trees of 500 nodes
    python peer.py --check            tgraph and the tpu models against tests/golden/t*_model.py

A step is forward, loss, backward, clipping to norm 1 and AdamW. Prints one JSON line: median and least ms of a step,
peak memory in MiB above what was resident before the first step, on the device with --device cuda. With --serve it first prints {"ready": true, ...}, runs
once per line of standard input and answers with the milliseconds, and prints the JSON line at the end of the input: so
the bench alternates with it. Where something is missing it answers {"failed": "..."}.
"""
import argparse
import contextlib
import functools
import json
import os
import statistics
import sys
import time
import warnings
from pathlib import Path
from types import SimpleNamespace

warnings.filterwarnings("ignore")
MODELS = ("tgraph", "tpgnn", "tpu-lstm", "tpu-transformer")
try:
    import torch
    import torch.nn.functional as F
    import torch_geometric
    from torch import nn
    from torch_geometric.nn import GraphConv, MessagePassing, SAGEConv, TopKPooling, global_max_pool, global_mean_pool
    from torch_geometric.utils import to_dense_batch
except ImportError as error:
    print(json.dumps({"failed": str(error)}), flush=True)
    sys.exit(1)


def edges_of(nodes, each, count, g):
    """`count` graphs of so many nodes: each node but the first has `each` edges to some of the eight before it."""
    u = torch.arange(1, nodes).repeat_interleave(each).repeat(count)
    v = (u - torch.randint(1, 9, (len(u),), generator=g)).clamp(min=0)
    first = torch.arange(count).repeat_interleave(each * (nodes - 1)) * nodes
    return u + first, v + first


# ---- TGraph in the authors' form: [configurations, nodes, features], a module per box of the paper's figure

FEATURES, OPS, WIDTH, DIGITS, ROWS, TABLE = 134, 120, 256, 18, 8, 4


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
    def __init__(self, inputs, convolve, dropout):
        super().__init__()
        width = WIDTH // 2
        if convolve:
            self.sage = SAGEConv(inputs, width)
        else:
            self.linear = nn.Linear(inputs, width)
        self.norm = InstanceNorm(inputs if convolve else width)
        self.channel, self.cross = ChannelAttention(width), CrossAttention()
        self.convolve, self.dropout = convolve, dropout

    def forward(self, x, edges):
        y = self.sage(self.norm(x), edges) if self.convolve else self.norm(self.linear(x))
        y = self.channel(y)
        y = torch.cat([y, self.cross(y)], dim=2)
        return F.dropout(F.gelu(y + x), self.dropout, self.training) if self.convolve else F.gelu(y)


class TGraph(nn.Module):
    renamed = (("embedding.op.weight", "embedding.op"), ("embedding.layout.weight", "embedding.layout"),
               ("sage.lin_l", "sage.neighbour"), ("sage.lin_r", "sage.root"))

    def __init__(self, dropout=0.2):
        super().__init__()
        self.embedding = nn.ModuleDict({"op": nn.Embedding(OPS, 16), "layout": nn.Embedding(ROWS, TABLE)})
        self.input = nn.ModuleList([Layer(246, False, dropout), Layer(WIDTH, False, dropout)])
        self.block = nn.ModuleList([Layer(WIDTH, True, dropout) for _ in range(2)])
        self.output = nn.Linear(WIDTH, 1)

    @staticmethod
    def problem(configs, nodes, g):
        ids = torch.arange(0, nodes, 3)
        return SimpleNamespace(
            configs=configs, nodes=nodes, edges=torch.stack(edges_of(nodes, 2, 1, g)), ids=ids,
            features=torch.randn(nodes, FEATURES, generator=g), layout=torch.randint(-1, 6, (nodes, 6), generator=g),
            op=torch.randint(0, OPS, (nodes,), generator=g),
            config=torch.randint(-1, 6, (configs, ids.numel(), DIGITS), generator=g),
            ranks=torch.randperm(configs, generator=g))

    @staticmethod
    def loss(scores, p):
        gap = 1 - (scores[:, None] - scores[None, :])
        return (gap.clamp(min=0) * (p.ranks[:, None] > p.ranks[None, :])).mean()

    def forward(self, p):
        c, n = p.configs, p.nodes
        codes = torch.full((c, n, DIGITS), -2, device=p.config.device)
        codes[:, p.ids] = p.config
        x = torch.cat([p.features.expand(c, -1, -1), self.embedding["layout"](codes + 2).reshape(c, n, -1),
                       self.embedding["layout"](p.layout + 2).reshape(n, -1).expand(c, -1, -1),
                       self.embedding["op"](p.op).expand(c, -1, -1)], dim=2)
        for layer in [*self.input, *self.block]:
            x = layer(x, p.edges)
        return self.output(x.mean(1))[:, 0]


# ---- the TPU model: MessagePassing, then a packed sequence or a padding mask

OPCODES, EMBEDDING, COLUMNS, STATIC, LAYERS, HEADS, FEED = 121, 256, 140, 4, 3, 4, 4


class Mean(MessagePassing):
    def __init__(self):
        super().__init__(aggr="mean")

    def forward(self, x, edges):
        return self.propagate(edges, x=x)


class Sage(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.operands, self.users = (nn.Linear(hidden, hidden, bias=False) for _ in range(2))
        self.join, self.mean = nn.Linear(3 * hidden, hidden, bias=False), Mean()

    def forward(self, x, edges):
        operands = self.mean(F.relu(self.operands(x)), edges)
        users = self.mean(F.relu(self.users(x)), edges.flip(0))
        return F.relu(self.join(torch.cat([x, operands, users], -1)))


class Tpu(nn.Module):
    renamed = (("embedding.weight", "embedding.op"), ("lstm.weight_ih_l0", "lstm.input.weight"),
               ("lstm.weight_hh_l0", "lstm.state.weight"), ("encoder.", "encoder.0."),
               ("self_attn.in_proj_weight", "qkv.weight"), ("self_attn.out_proj", "out"), ("linear1", "widen"),
               ("linear2", "narrow"))

    def __init__(self, reduction, dropout=0.1, hidden=512):
        super().__init__()
        self.reduction, self.drop = reduction, nn.Dropout(dropout)
        self.embedding = nn.Embedding(OPCODES, EMBEDDING)
        self.input = nn.Linear(EMBEDDING + COLUMNS + STATIC, hidden, bias=False)
        self.sage = nn.ModuleList([Sage(hidden) for _ in range(LAYERS)])
        self.node = nn.ModuleList([nn.Linear(hidden, hidden, bias=False) for _ in range(LAYERS)])
        if reduction == "lstm":
            self.lstm = nn.LSTM(hidden, hidden, batch_first=True, bias=False)
        else:
            self.encoder = nn.TransformerEncoderLayer(hidden, HEADS, FEED * hidden, dropout=dropout, batch_first=True,
                                                      bias=False)
        self.output = nn.Linear(hidden, 1, bias=False)

    @staticmethod
    def problem(count, nodes, g):
        user, operand = edges_of(nodes, 2, count, g)
        return SimpleNamespace(
            count=count, nodes=nodes, edges=torch.stack([operand, user]), batch=torch.arange(count).repeat_interleave(nodes),
            opcode=torch.randint(0, OPCODES, (count * nodes,), generator=g),
            x=torch.rand(count * nodes, COLUMNS, generator=g), static=torch.rand(count, STATIC, generator=g),
            target=torch.rand(count, generator=g) + 8)

    @staticmethod
    def loss(scores, p):
        return F.mse_loss(scores, p.target)

    def forward(self, p):
        columns = [self.embedding(p.opcode), p.x, p.static[p.batch]]
        x = self.drop(F.relu(self.input(torch.cat(columns, -1))))
        for layer in self.sage:
            x = self.drop(layer(x, p.edges))
        for layer in self.node:
            x = self.drop(F.relu(layer(x)))
        x, mask = to_dense_batch(x, p.batch)
        if self.reduction == "lstm":
            packed = nn.utils.rnn.pack_padded_sequence(x, mask.sum(1).cpu(), batch_first=True, enforce_sorted=False)
            kernel = self.lstm(packed)[1][0][0]
        else:
            kernel = (self.encoder(x, src_key_padding_mask=~mask) * mask[..., None]).sum(1)
        return self.output(kernel)[:, 0]


# ---- the published network of TPGNN, of PyG's own layers

class Tpgnn(nn.Module):
    def __init__(self, dropout=0.5, inputs=20, hidden=128):
        super().__init__()
        self.conv = nn.ModuleList(GraphConv(hidden if k else inputs, hidden) for k in range(3))
        self.pool = nn.ModuleList(TopKPooling(hidden, ratio=0.8) for _ in range(3))
        self.lin1, self.lin2, self.lin3 = nn.Linear(2 * hidden, hidden), nn.Linear(hidden, hidden // 2), nn.Linear(hidden // 2, 1)
        self.dropout = dropout

    @staticmethod
    def problem(count, nodes, g):
        child, parent = edges_of(nodes, 1, count, g)
        return SimpleNamespace(edges=torch.stack([torch.cat([parent, child]), torch.cat([child, parent])]),
                               x=torch.randn(count * nodes, 20, generator=g), cost=torch.randn(count, generator=g),
                               batch=torch.arange(count).repeat_interleave(nodes))

    @staticmethod
    def loss(scores, p):
        return F.huber_loss(scores, p.cost)

    def forward(self, p):
        x, edges, batch, total = p.x, p.edges, p.batch, 0
        for conv, pool in zip(self.conv, self.pool):
            x, edges, _, batch, _, _ = pool(F.relu(conv(x, edges)), edges, None, batch)
            total = total + torch.cat([global_max_pool(x, batch), global_mean_pool(x, batch)], 1)
        x = F.dropout(F.relu(self.lin1(total)), self.dropout, self.training)
        return self.lin3(F.relu(self.lin2(x)))[:, 0]


def model_of(name, **options):
    if name.startswith("tpu-"):
        return Tpu(name.removeprefix("tpu-"), **options)
    return {"tgraph": TGraph, "tpgnn": Tpgnn}[name](**options)


# ---- times

def memory_mb(field):
    for line in open("/proc/self/status"):
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    return 0.0


def training_step(a):
    model = model_of(a.model).to(a.device)
    problem, parameters = model.problem(a.count, a.nodes, torch.Generator().manual_seed(1)), list(model.parameters())
    for key, value in vars(problem).items():
        setattr(problem, key, value.to(a.device) if torch.is_tensor(value) else value)
    forward = torch.compile(model) if a.compile else model
    optimizer = torch.optim.AdamW(parameters, lr=1e-3, weight_decay=1e-5, fused=a.device == "cuda")

    def once():
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        model.loss(forward(problem), problem).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        if a.device == "cuda":
            torch.cuda.synchronize()
        return (time.perf_counter() - start) * 1e3
    return once


def measure(a):
    once = training_step(a)
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # resets the kernel's record of the peak
    cuda = a.device == "cuda"
    before = torch.cuda.memory_allocated() / 2**20 if cuda else memory_mb("VmRSS")
    for _ in range(2):
        once()
    about = {"python": sys.version.split()[0], "torch": torch.__version__, "pyg": torch_geometric.__version__,
             "isa": torch.backends.cpu.get_cpu_capability()}
    times = []
    if a.serve:
        print(json.dumps({"ready": True, **about}), flush=True)
        for _ in sys.stdin:
            times.append(once())
            print(f"{times[-1]:.3f}", flush=True)
    else:
        times = [once() for _ in range(a.steps)]
    print(json.dumps({**about, "median_ms": round(statistics.median(times), 3) if times else None,
                      "min_ms": round(min(times), 3) if times else None,
                      "peak_mb": round((torch.cuda.max_memory_allocated() / 2**20 if cuda else memory_mb("VmHWM")) - before, 1)}),
          flush=True)


# ---- the same as the independent models, in float64 without dropout

def relative(a, b):
    return ((a - b).abs().max() / b.abs().max().clamp(min=1e-6)).item()


def golden_scores(name, p, own):
    """Of tests/golden's model with these parameters."""
    if name == "tgraph":
        import tgraph_model as golden
        model = golden.Model(golden.Options(cross=True))
        graph = golden.Graph(p.features, p.layout, p.op, p.edges.T, p.ids)
        return torch.func.functional_call(model, own, (graph, p.config))
    import tpu_model as golden
    options = golden.Options(task="fusion", reduction=name.removeprefix("tpu-"), direction="separate")
    model, scores = golden.Model(options, {key: own[key] for key in golden.shapes(options)}), []
    for i in range(p.count):
        nodes = slice(i * p.nodes, (i + 1) * p.nodes)
        edges = [(u - i * p.nodes, v - i * p.nodes) for v, u in p.edges.T.tolist() if p.batch[u] == i]
        scores.append(model(p.opcode[nodes], p.x[nodes], edges, p.static[i:i + 1], None)[0])
    return torch.stack(scores)


def check(name):
    model = model_of(name, dropout=0.0, **({} if name == "tgraph" else {"hidden": 16}))
    p = model.problem(5, 40, torch.Generator().manual_seed(1))
    rename = lambda key: functools.reduce(lambda k, change: k.replace(*change), model.renamed, key)
    parameters = dict(model.named_parameters())
    own = {rename(key): value.detach().clone().requires_grad_() for key, value in parameters.items()}
    found, expected = model(p), golden_scores(name, p, own)
    weights = torch.tensor([1.0, -2.0, 3.0, -4.0, 5.0])
    (found * weights).sum().backward()
    (expected * weights).sum().backward()
    worst = max(relative(value.grad, own[rename(key)].grad) for key, value in parameters.items())
    print(f"{name}: scores {relative(found, expected):.1e} gradients {worst:.1e}")
    return relative(found, expected) < 1e-9 and worst < 1e-6


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--model", default="tgraph", choices=MODELS)
    p.add_argument("--check", action="store_true")
    p.add_argument("--serve", action="store_true")
    p.add_argument("--compile", action="store_true", help="by torch.compile")
    p.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    p.add_argument("--precision", default="fp32", choices=("fp32", "tf32"), help="of products on the device")
    for name, value in (("count", 32), ("nodes", 1000), ("steps", 3), ("threads", os.cpu_count())):
        p.add_argument(f"--{name}", type=int, default=value)
    a = p.parse_args()
    if a.device == "cpu" and a.precision == "tf32":
        p.error("--precision tf32 is of products on a device: give --device cuda, too")
    torch.set_num_threads(a.threads)
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = a.precision == "tf32"
    if a.device == "cuda" and not torch.cuda.is_available():
        print(json.dumps({"failed": "this PyTorch has no CUDA device"}), flush=True)
        sys.exit(1)
    if not a.check:
        return measure(a)
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "golden"))
    torch.set_default_dtype(torch.float64)
    sys.exit(0 if all([check(name) for name in MODELS if name != "tpgnn"]) else 1)


if __name__ == "__main__":
    main()
