# SPDX-License-Identifier: MIT
"""The twin of examples/small/tgraph.c in PyG: the order of the layouts of tensor programs."""

import math
import pathlib
import random
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import SAGEConv
from torch_geometric.utils import subgraph

NUMBERS, AXES, CHOSEN, CODES, OPS, HALF, CONFIGS = 134, 6, 18, 8, 120, 128, 32


def read_program(path):
    with np.load(path) as file:
        array = {name: torch.from_numpy(file[name]) for name in file.files}
    row, edges, chosen = array["node_feat"], array["edge_index"].T, array["node_config_ids"]
    is_chosen = torch.zeros(len(row), dtype=torch.bool)
    is_chosen[chosen] = True
    edges = edges[:, is_chosen[edges].any(0)]
    kept = torch.cat([chosen, edges.flatten()]).unique()
    edges, _ = subgraph(kept, edges, relabel_nodes=True, num_nodes=len(row))
    row = row[kept]
    numbers = row[:, :NUMBERS]
    return Data(
        x=numbers.sign() * numbers.abs().log1p(),
        edge_index=edges,
        layout=row[:, NUMBERS:].long() + 2,
        op=array["node_opcode"][kept].long(),
        chosen=is_chosen[kept],
        digit=array["node_config_feat"],
        time=array["config_runtime"],
    )


def read_list(folder, name):
    return [read_program(folder / file) for file in (folder / name).read_text().split()]


def standardise(train, test):
    x = torch.cat([p.x for p in train])
    scale, mean = torch.std_mean(x, 0, correction=0)
    scale[scale < 1e-4] = 1
    for p in train + test:
        p.x = (p.x - mean) / scale


def digits(program, configs):
    digit = torch.zeros(len(configs), program.num_nodes, CHOSEN, dtype=torch.long)
    digit[:, program.chosen] = program.digit[configs].long() + 2
    return digit


class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.count = nn.Parameter(torch.zeros(CHOSEN, CODES))

    def forward(self, program, digit):
        return self.count[torch.arange(CHOSEN), digit].sum(-1).mean(-1)


class TGraph(nn.Module):
    def __init__(self):
        super().__init__()
        self.op, self.code = nn.Embedding(OPS, 16), nn.Embedding(CODES, 4)
        inputs = NUMBERS + (CHOSEN + AXES) * 4 + 16
        self.linears = nn.ModuleList([nn.Linear(inputs, HALF), nn.Linear(2 * HALF, HALF)])
        self.convs = nn.ModuleList([SAGEConv(2 * HALF, HALF) for _ in range(2)])
        self.gates = nn.ModuleList(
            [
                nn.Sequential(nn.Linear(HALF, HALF // 8), nn.ReLU(), nn.Linear(HALF // 8, HALF), nn.Sigmoid())
                for _ in range(4)
            ]
        )
        self.temperature = nn.Parameter(torch.full((4,), 0.5))
        self.output = nn.Linear(2 * HALF, 1)
        for linear in self.linears:
            nn.init.xavier_normal_(linear.weight)

    def attend(self, k, x):
        x = x * self.gates[k](x)
        return torch.cat([x, x * F.softmax(x / self.temperature[k], 0)], -1)

    def forward(self, program, digit):
        own = torch.cat([self.code(program.layout).flatten(1), self.op(program.op)], -1)
        x = torch.cat(
            [program.x.expand(len(digit), -1, -1), self.code(digit).flatten(2), own.expand(len(digit), -1, -1)], -1
        )
        for k, linear in enumerate(self.linears):
            x = F.gelu(self.attend(k, F.instance_norm(linear(x).mT).mT))
        for k, conv in enumerate(self.convs, 2):
            h = conv(F.instance_norm(x.mT).mT, program.edge_index)
            x = F.dropout(F.gelu(x + self.attend(k, h)), 0.2, self.training)
        return self.output(x.mean(1)).squeeze(-1)


def hinge(y, time):
    slower = time[:, None] > time[None, :]
    return (F.relu(1 - (y[:, None] - y[None, :])) * slower).mean()


def kendall_tau(y, time):
    y, time = (y[:, None] - y[None, :]).sign(), (time[:, None] - time[None, :]).sign()
    return ((y * time).sum() / (y.count_nonzero() * time.count_nonzero()).sqrt()).item()


def train(net, lr, steps, programs, test):
    optimizer = torch.optim.AdamW(net.parameters(), lr=lr)
    warmup = math.ceil(steps / 20)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps - warmup)
    rise = torch.optim.lr_scheduler.LinearLR(optimizer, 1 / warmup, total_iters=warmup)
    schedule = torch.optim.lr_scheduler.SequentialLR(optimizer, [rise, cosine], [warmup])
    for _ in range(steps):
        program = random.choice(programs)
        configs = torch.randperm(len(program.time))[:CONFIGS]
        optimizer.zero_grad()
        hinge(net(program, digits(program, configs)), program.time[configs]).backward()
        optimizer.step()
        schedule.step()
    net.eval()
    with torch.no_grad():
        return np.mean([kendall_tau(net(p, digits(p, torch.arange(len(p.time)))), p.time) for p in test])


random.seed(0)
torch.manual_seed(0)
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 200
folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "examples/data/layout")
programs, test = read_list(folder, "split-random.train.txt"), read_list(folder, "split-random.test.txt")
standardise(programs, test)
print(f"Kendall's tau, mean over {len(test)} programs that were not trained on")
print(f"counts of layouts  {train(Counts(), 0.1, steps, programs, test):.3f}")
print(f"TGraph             {train(TGraph(), 1e-3, steps, programs, test):.3f}")
