# SPDX-License-Identifier: MIT
"""The twin of examples/small/graph_classification.c in PyG: are two red nodes neighbours?"""

import torch
import torch.nn.functional as F
from torch import nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import MLP, GraphConv, TopKPooling, global_max_pool, global_mean_pool
from torch_geometric.utils import to_undirected

GRAPHS, TRAIN, MOST, COLOURS, HIDDEN, EPOCHS = 1500, 1000, 24, 4, 32, 30


def draw_graph():
    n = int(torch.randint(12, MOST, ()))
    colour = torch.randint(COLOURS, (n,))
    source = torch.arange(n)
    target = (torch.rand(n) * torch.where(source > 0, source, n)).long()
    red = (colour[source] == 0) & (colour[target] == 0) & (source != target)
    x = F.one_hot(colour, COLOURS).float()
    edges = to_undirected(torch.stack([source, target]))
    return Data(x=x, edge_index=edges, y=red.any().long(), counts=x.sum(0, keepdim=True) / 10)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList([GraphConv(COLOURS, HIDDEN), GraphConv(HIDDEN, HIDDEN)])
        self.pools = nn.ModuleList([TopKPooling(HIDDEN, 0.8), TopKPooling(HIDDEN, 0.8)])
        self.head = MLP([2 * HIDDEN, HIDDEN, 2], norm=None)

    def forward(self, data):
        h, edges, batch, total = data.x, data.edge_index, data.batch, 0
        for conv, pool in zip(self.convs, self.pools):
            h = conv(h, edges).relu()
            h, edges, _, batch, _, _ = pool(h, edges, batch=batch)
            total = total + torch.cat([global_max_pool(h, batch), global_mean_pool(h, batch)], 1)
        return self.head(total)


class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.mlp = MLP([COLOURS, HIDDEN, 2], norm=None)

    def forward(self, data):
        return self.mlp(data.counts)


def train(net, graphs):
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.003)
    for _ in range(EPOCHS):
        for data in DataLoader(graphs[:TRAIN], 50, shuffle=True):
            optimizer.zero_grad()
            F.cross_entropy(net(data), data.y).backward()
            optimizer.step()
    with torch.no_grad():
        data = next(iter(DataLoader(graphs[TRAIN:], GRAPHS)))
        return (net(data).argmax(-1) == data.y).float().mean().item()


torch.manual_seed(1)
graphs = [draw_graph() for _ in range(GRAPHS)]
print(f"accuracy on {GRAPHS - TRAIN} graphs that were not trained on")
print(f"counts of colours   {train(Counts(), graphs):.3f}")
print(f"GraphConv and TopK  {train(Net(), graphs):.3f}")
