# SPDX-License-Identifier: MIT
"""The twin of examples/small/tpu.c in PyG: which tile size makes a kernel fast?"""

import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence
from torch_geometric.data import Batch, Data
from torch_geometric.nn import MLP, SimpleConv
from torch_geometric.utils import to_dense_batch

CODES, EMBEDDING, FEATURES, NUMBERS, HIDDEN, LAYERS, KERNELS, TILES = 121, 8, 140, 24, 64, 3, 16, 8


def read_kernel(path):
    with np.load(path) as arrays:
        return {
            "code": torch.from_numpy(arrays["node_opcode"]).long(),
            "x": torch.from_numpy(arrays["node_feat"]),
            "edges": torch.from_numpy(arrays["edge_index"]).T.flip(0),  # from a node's operand to the node
            "tile": torch.from_numpy(arrays["config_feat"]),
            "time": torch.from_numpy(arrays["config_runtime"]),
        }


def read_list(folder, name):
    return [read_kernel(folder / file) for file in (folder / name).read_text().split()]


def scale(kernels, trained, key):
    for kernel in kernels:
        kernel[key] = kernel[key].sign() * kernel[key].abs().log1p()
    rows = torch.cat([kernel[key] for kernel in kernels[:trained]])
    low, high = rows.amin(0), rows.amax(0)
    width = torch.where(high > low, high - low, torch.inf)
    for kernel in kernels:
        kernel[key] = ((kernel[key] - low) / width).clamp(0, 1)


def items_of(kernel, tiles):
    return [
        Data(x=kernel["x"], code=kernel["code"], edge_index=kernel["edges"], tile=kernel["tile"][t : t + 1])
        for t in tiles
    ]


class Sage(nn.Module):
    def __init__(self):
        super().__init__()
        self.f2 = nn.ModuleList([nn.Linear(HIDDEN, HIDDEN, bias=False) for _ in range(2)])
        self.f3 = nn.Linear(3 * HIDDEN, HIDDEN, bias=False)
        self.convs = [SimpleConv("mean"), SimpleConv("mean", flow="target_to_source")]

    def forward(self, x, edges):
        heard = [conv(f2(x).relu(), edges) for conv, f2 in zip(self.convs, self.f2)]
        return self.f3(torch.cat([x, *heard], 1)).relu()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.code = nn.Embedding(CODES, EMBEDDING)
        self.f1 = nn.Linear(EMBEDDING + FEATURES + NUMBERS, HIDDEN, bias=False)
        self.sage = nn.ModuleList([Sage() for _ in range(LAYERS)])
        self.node = nn.ModuleList([nn.Linear(HIDDEN, HIDDEN, bias=False) for _ in range(LAYERS)])
        self.lstm = nn.LSTM(HIDDEN, HIDDEN, batch_first=True)
        self.output = nn.Linear(HIDDEN, 1, bias=False)
        for name, parameter in self.named_parameters():
            if "bias" in name:
                nn.init.zeros_(parameter)
            elif name != "code.weight":
                nn.init.xavier_uniform_(parameter)

    def forward(self, data):
        x = torch.cat([self.code(data.code), data.x, data.tile[data.batch]], 1)
        x = self.f1(x).relu()
        for sage in self.sage:
            x = sage(x, data.edge_index)
        for layer in self.node:
            x = layer(x).relu()
        rows, mask = to_dense_batch(x, data.batch)
        packed = pack_padded_sequence(rows, mask.sum(1).cpu(), batch_first=True, enforce_sorted=False)
        return self.output(self.lstm(packed)[1][0][0]).squeeze(-1)


class TileAlone(nn.Module):
    def __init__(self):
        super().__init__()
        self.mlp = MLP([NUMBERS, HIDDEN, HIDDEN, 1], norm=None)

    def forward(self, data):
        return self.mlp(data.tile).squeeze(-1)


def hinge(y, time):
    slower = time[:, :, None] > time[:, None, :]
    return (F.relu(1 - (y[:, :, None] - y[:, None, :])) * slower).sum((1, 2)).mean() / TILES**2


def kendall_tau(y, time):
    a = (y[:, None] - y).sign()
    b = (time[:, None] - time).sign()
    return ((a * b).sum() / (a.abs().sum() * b.abs().sum()).sqrt()).item()


def train(net, kernels, trained, steps):
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for _ in range(steps):
        items, times = [], []
        for i in torch.randint(trained, (KERNELS,)).tolist():
            tiles = torch.randint(len(kernels[i]["time"]), (TILES,))
            items += items_of(kernels[i], tiles)
            times.append(kernels[i]["time"][tiles])
        optimizer.zero_grad()
        y = net(Batch.from_data_list(items)).view(KERNELS, TILES)
        hinge(y, torch.stack(times)).backward()
        optimizer.step()
        schedule.step()
    taus = []
    with torch.no_grad():
        for kernel in kernels[trained:]:
            y = net(Batch.from_data_list(items_of(kernel, range(len(kernel["time"])))))
            taus.append(kendall_tau(y, kernel["time"]))
    return sum(taus) / len(taus)


steps = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
folder = Path(sys.argv[2] if len(sys.argv) > 2 else "examples/data/tile")
torch.manual_seed(1)
kernels = read_list(folder, "split-random.train.txt")
trained = len(kernels)
kernels += read_list(folder, "split-random.test.txt")
scale(kernels, trained, "x")
scale(kernels, trained, "tile")
print(f"Kendall's tau, mean over {len(kernels) - trained} kernels that were not trained on")
print(f"tile size alone     {train(TileAlone(), kernels, trained, steps):.3f}")
print(f"GraphSAGE and LSTM  {train(Net(), kernels, trained, steps):.3f}")
