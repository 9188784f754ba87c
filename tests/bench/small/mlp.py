# SPDX-License-Identifier: MIT
"""The twin of examples/small/mlp.c in PyTorch: two spirals."""

import torch
import torch.nn.functional as F
from torch import nn

POINTS, TRAIN, STEPS = 600, 400, 600


def draw_points():
    turn = 1 + 9 * torch.rand(POINTS)
    label = torch.arange(POINTS) % 2
    side = 2.0 * label - 1
    x = torch.stack([side * turn / 10 * turn.cos(), side * turn / 10 * turn.sin()], 1)
    return x + 0.02 * torch.randn(POINTS, 2), label


def train(x, label, widths):
    layers = []
    for i in range(len(widths) - 1):
        layers += [nn.Linear(widths[i], widths[i + 1]), nn.ReLU()]
    net = nn.Sequential(*layers[:-1])
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        F.cross_entropy(net(x[:TRAIN]), label[:TRAIN]).backward()
        optimizer.step()
    with torch.no_grad():
        return (net(x[TRAIN:]).argmax(-1) == label[TRAIN:]).float().mean().item()


torch.manual_seed(1)
x, label = draw_points()
print(f"accuracy on {POINTS - TRAIN} points that were not trained on")
print(f"logistic regression  {train(x, label, [2, 2]):.3f}")
print(f"MLP                  {train(x, label, [2, 64, 64, 2]):.3f}")
