# SPDX-License-Identifier: MIT
"""Writes batch_norm.npz: training with torch.nn.BatchNorm1d, in float64. Members: see README.md.

    python make_batch_norm.py [OUTPUT]
"""
import sys
from pathlib import Path

import numpy as np
import torch

from make_golden import uniform

ROWS, INPUTS, HIDDEN, TESTED = [8, 40, 130, 300, 16], 6, 5, 20
RULES = {  # stream, offset, scale
    "0.weight": (1, 0, 0.5), "1.weight": (2, 1, 0.25), "1.bias": (3, 0, 0.25), "1.running_mean": (-1, 0, 0),
    "1.running_var": (-1, 1, 0), "3.weight": (4, 0, 0.5), "3.bias": (5, 0, 0.25)}


def inputs(stream, rows):
    return torch.from_numpy(1 + uniform(stream, rows * INPUTS)).reshape(rows, INPUTS)


def network():
    net = torch.nn.Sequential(torch.nn.Linear(INPUTS, HIDDEN, bias=False), torch.nn.BatchNorm1d(HIDDEN), torch.nn.Tanh(),
                              torch.nn.Linear(HIDDEN, 1))
    state = net.state_dict()
    for name, (stream, offset, scale) in RULES.items():
        if stream >= 0:
            values = offset + scale * uniform(stream, state[name].numel())
            state[name].copy_(torch.from_numpy(values).reshape(state[name].shape))
    return net


def main():
    torch.set_default_dtype(torch.float64)
    net, losses, after = network(), [], {name: [] for name in RULES}
    decayed = [net[0].weight, net[3].weight]
    others = [p for p in net.parameters() if not any(p is d for d in decayed)]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}], lr=0.05)
    for step, rows in enumerate(ROWS):
        target = torch.from_numpy(uniform(20 + step, rows))
        loss = (net(inputs(10 + step, rows))[:, 0] - target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        for name in RULES:
            after[name].append(net.state_dict()[name].numpy().copy())
    net.eval()
    members = {"rows": np.array(ROWS, np.int32), "losses": np.array(losses), "y": net(inputs(9, TESTED))[:, 0].detach().numpy()}
    for name, rule in RULES.items():
        members[f"p.{name}"], members[f"after.{name}"] = np.array(rule, float), np.stack(after[name])
    path = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("batch_norm.npz"))
    np.savez_compressed(path, **members)
    print(f"{path}: {len(members)} members, {path.stat().st_size} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
