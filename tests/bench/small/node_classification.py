# SPDX-License-Identifier: MIT
"""The twin of examples/small/node_classification.c in PyG: groups in a network of friends."""

import torch
import torch.nn.functional as F
from torch import nn
from torch_geometric.nn import MLP, GATConv, GCNConv
from torch_geometric.utils import to_undirected

NODES, GROUPS, FEATURES, HIDDEN, STEPS = 1000, 4, 16, 32, 200
EDGES = 4 * NODES


def draw_network():
    group = torch.arange(NODES) % GROUPS
    says = torch.rand(NODES) < 0.1
    x = torch.randn(NODES, FEATURES) + 0.4 * (torch.arange(FEATURES) % GROUPS == group[:, None])
    v, u = torch.randint(NODES, (EDGES,)), torch.randint(NODES, (EDGES,))
    u = torch.where(torch.rand(EDGES) < 0.8, u // GROUPS * GROUPS + v % GROUPS, u)
    return x, group, says, to_undirected(torch.stack([v, u]))


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.mlp = MLP([FEATURES, HIDDEN, GROUPS], norm=None)

    def forward(self, x, edges):
        return self.mlp(x)


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = GCNConv(FEATURES, HIDDEN)
        self.conv2 = GCNConv(HIDDEN, GROUPS)

    def forward(self, x, edges):
        h = self.conv1(F.dropout(x, 0.2, self.training), edges).relu()
        return self.conv2(F.dropout(h, 0.5, self.training), edges)


class GAT(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = GATConv(FEATURES, HIDDEN // 4, heads=4)
        self.conv2 = GATConv(HIDDEN, GROUPS)

    def forward(self, x, edges):
        h = self.conv1(F.dropout(x, 0.2, self.training), edges).relu()
        return self.conv2(F.dropout(h, 0.5, self.training), edges)


def train(net, x, group, says, edges):
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        F.cross_entropy(net(x, edges)[says], group[says]).backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        return (net(x, edges).argmax(-1) == group)[~says].float().mean().item()


torch.manual_seed(1)
data = draw_network()
print("accuracy on people who do not say their group")
for name, net in ("MLP", Plain()), ("GCN", GCN()), ("GAT", GAT()):
    print(f"{name}  {train(net, *data):.3f}")
