# SPDX-License-Identifier: MIT
"""The twin of examples/small/ranking.c in PyTorch: the order of the ways to run a loop."""

import torch
import torch.nn.functional as F
from torch_geometric.nn import MLP

LOOPS, TRAIN, WAYS, STEPS = 120, 80, 12, 400


def draw_loops():
    steps = (10 ** (3 + 4 * torch.rand(LOOPS, 1))).expand(LOOPS, WAYS)
    cache = (4 + 8 * torch.rand(LOOPS, 1)).expand(LOOPS, WAYS)
    tile, unroll = 12 * torch.rand(LOOPS, WAYS), 5 * torch.rand(LOOPS, WAYS)
    cost = 1 + 3 * torch.sigmoid(tile - cache) + 4 * torch.exp2(-tile) + 0.3 * (unroll - 2).abs()
    cost = cost + 0.02 * torch.randn(LOOPS, WAYS)
    x = torch.stack([steps.log10() / 5 - 1, cache / 8 - 1, tile / 6 - 1, unroll / 2.5 - 1], -1)
    return x, steps * cost * 1e-6


def pairs(y, time):
    slower = time[:, :, None] > time[:, None, :]
    loss = F.softplus(y[:, None, :] - y[:, :, None]) * slower
    return loss.sum((1, 2)).mean() / WAYS**2


def train(x, time, ranks):
    net = MLP([4, 32, 32, 1], norm=None)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        y = net(x[:TRAIN]).squeeze(-1)
        loss = pairs(y, time[:TRAIN]) if ranks else F.mse_loss(y, time[:TRAIN].log())
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        y, time = net(x[TRAIN:]).squeeze(-1), time[TRAIN:]
    signs = (y[:, :, None] - y[:, None, :]).sign() * (time[:, :, None] - time[:, None, :]).sign()
    return signs.sum().item() / (len(time) * WAYS * (WAYS - 1))


torch.manual_seed(1)
x, time = draw_loops()
print(f"Kendall's tau, mean over {LOOPS - TRAIN} loops that were not trained on")
print(f"trained on ln of run times  {train(x, time, False):.3f}")
print(f"trained on pairs            {train(x, time, True):.3f}")
