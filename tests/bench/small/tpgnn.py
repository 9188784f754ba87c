# SPDX-License-Identifier: MIT
"""The twin of examples/small/tpgnn.c in PyG: TPGNN, a cost model for the schedules of tensor programs."""

import math
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GraphConv, TopKPooling, global_max_pool, global_mean_pool
from torch_geometric.utils import to_undirected

VECTOR, HIDDEN, CONVS, TASKS, DRAWN, STEPS = 18, 128, 3, 4, 8, 600


def read_graphs(path):
    """(the schedules of each workload, how many workloads are to train on)"""
    file = {name: torch.from_numpy(array) for name, array in np.load(path).items()}
    constant, named = file["value"].T
    size = constant.sign() * torch.log2(1 + constant.abs().clamp(max=1e6)) / 8
    x = torch.cat([file["vectors"][file["class"].long()], torch.stack([size, named], 1)], 1)
    edges = torch.stack([file["source"], file["target"]]).long()
    parts = zip(
        x.split(file["nodes"].tolist()),
        edges.split(file["edges"].tolist(), 1),
        file["time"].double(),
        file["speed"],
        file["vectorised"],
    )
    graphs = [
        Data(x=nodes, edge_index=to_undirected(tree, num_nodes=len(nodes)), time=time, speed=speed, vectorised=loops)
        for nodes, tree, time, speed, loops in parts
    ]
    first = file["first"].tolist()
    return [graphs[a:b] for a, b in zip(first, first[1:])], int(file["workloads"][0])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList(GraphConv(HIDDEN if k else VECTOR + 2, HIDDEN) for k in range(CONVS))
        self.pools = nn.ModuleList(TopKPooling(HIDDEN, 0.8) for _ in range(CONVS))
        self.lin1 = nn.Linear(2 * HIDDEN, HIDDEN)
        self.lin2 = nn.Linear(HIDDEN, HIDDEN // 2)
        self.lin3 = nn.Linear(HIDDEN // 2, 1)

    def forward(self, data):
        h, edges, batch, total = data.x, data.edge_index, data.batch, 0
        for conv, pool in zip(self.convs, self.pools):
            h = conv(h, edges).relu()
            h, edges, _, batch, _, _ = pool(h, edges, batch=batch)
            total = total + torch.cat([global_max_pool(h, batch), global_mean_pool(h, batch)], 1)
        h = F.dropout(self.lin1(total).relu(), 0.5, self.training)
        return self.lin3(self.lin2(h).relu()).squeeze(-1)


def differences(x):
    return x[:, :, None] - x[:, None, :]


def pairs(cost, time):
    slower = differences(time) > 0
    return (F.softplus(-differences(cost)) * slower).mean()


def lambda_rank(score, label):
    """LambdaRank with the weights of NDCG, as TenSet has it."""
    discount = 1 / torch.log2(2 + torch.arange(DRAWN))
    gain = 2**label - 1
    gain = gain / (gain.sort(descending=True).values * discount).sum(1, keepdim=True)
    place = score.argsort(descending=True, stable=True).argsort()
    weight = differences(discount[place]).abs() * differences(gain).abs() * (differences(label) > 0)
    return (weight * F.softplus(-differences(score))).sum((1, 2)).mean() / math.log(2)


def train(net, tasks):
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    warm = math.ceil(STEPS / 50)
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, 1e-9, total_iters=warm)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS - warm)
    schedule = torch.optim.lr_scheduler.SequentialLR(optimizer, [warmup, cosine], [warm])
    for _ in range(STEPS):
        drawn = [tasks[t] for t in torch.randint(len(tasks), (TASKS,))]
        data = Batch.from_data_list([task[i] for task in drawn for i in torch.randperm(len(task))[:DRAWN]])
        optimizer.zero_grad()
        cost = net(data).view(TASKS, DRAWN)
        loss = pairs(cost, data.time.view(TASKS, DRAWN)) + 0.3 * lambda_rank(-cost, data.speed.view(TASKS, DRAWN))
        loss.backward()
        optimizer.step()
        schedule.step()


def ordered(cost, time):
    """The share of the pairs of a workload in order, without run times that are within 2 % of each other."""
    slower = time[:, None] > 1.02 * time[None, :]
    right = (cost[:, None] > cost[None, :]) + 0.5 * (cost[:, None] == cost[None, :])
    return (right * slower).sum().item() / slower.sum().item()


torch.manual_seed(1)
tasks, count = read_graphs(sys.argv[1] if len(sys.argv) > 1 else "examples/data/schedules-sums.npz")
net = Net()
train(net, tasks[:count])
net.eval()
shares = []
with torch.no_grad():
    for task in tasks[count:]:
        data = Batch.from_data_list(task)
        shares.append((ordered(-data.vectorised, data.time), ordered(net(data), data.time)))
vectorised, tpgnn = (sum(column) / len(shares) for column in zip(*shares))
print(f"pairs in order, mean over {len(shares)} workloads not trained on")
print(f"vectorised loops  {vectorised:.3f}")
print(f"TPGNN             {tpgnn:.3f}")
