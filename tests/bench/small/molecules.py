# SPDX-License-Identifier: MIT
"""The twin of examples/small/molecules.c in PyG: energies of bonds."""

import torch
import torch.nn.functional as F
from torch import nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import MLP, ResGatedGraphConv, global_add_pool
from torch_geometric.utils import to_undirected

MOLECULES, TRAIN, MOST, ATOMS, BONDS, HIDDEN, EPOCHS = 1200, 900, 20, 4, 3, 32, 60


def draw_molecule(of_bond):
    n = int(torch.randint(8, MOST, ()))
    atom, bond = torch.randint(ATOMS, (n,)), torch.randint(BONDS, (n - 1,))
    source = torch.arange(1, n)
    target = (torch.rand(n - 1) * source).long()
    energy = of_bond[bond, atom[source], atom[target]].sum()
    x, e = F.one_hot(atom, ATOMS).float(), F.one_hot(bond, BONDS).float()
    edges, e = to_undirected(torch.stack([source, target]), e)
    counts = torch.cat([x.sum(0), e.sum(0) / 2])[None]
    return Data(x=x, edge_index=edges, edge_attr=e, y=energy, counts=counts)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList(
            [ResGatedGraphConv(ATOMS, HIDDEN, edge_dim=BONDS), ResGatedGraphConv(HIDDEN, HIDDEN, edge_dim=BONDS)]
        )
        self.head = MLP([HIDDEN, HIDDEN, 1], norm=None)

    def forward(self, data):
        h = data.x
        for conv in self.convs:
            h = conv(h, data.edge_index, data.edge_attr).relu()
        return global_add_pool(self.head(h), data.batch).squeeze(-1)


class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(ATOMS + BONDS, 1)

    def forward(self, data):
        return self.linear(data.counts).squeeze(-1)


def train(net, molecules):
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
    for _ in range(EPOCHS):
        for data in DataLoader(molecules[:TRAIN], 50, shuffle=True):
            optimizer.zero_grad()
            F.mse_loss(net(data), data.y).backward()
            optimizer.step()
        schedule.step()
    with torch.no_grad():
        data = next(iter(DataLoader(molecules[TRAIN:], MOLECULES)))
        return (net(data) - data.y).abs().mean().item()


torch.manual_seed(1)
of_bond = 0.3 * torch.randn(BONDS, ATOMS, ATOMS)
of_bond = of_bond.triu() + of_bond.triu(1).transpose(1, 2)
molecules = [draw_molecule(of_bond) for _ in range(MOLECULES)]
print(f"mean absolute error on {MOLECULES - TRAIN} molecules that were not trained on")
print(f"counts of atoms and bonds  {train(Counts(), molecules):.3f}")
print(f"gated convolution          {train(Net(), molecules):.3f}")
