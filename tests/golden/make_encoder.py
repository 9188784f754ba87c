# SPDX-License-Identifier: MIT
"""Writes encoder.npz: torch.nn.TransformerEncoderLayer over batches of graphs, in float64. Members: see README.md.

    python make_encoder.py [OUTPUT]
"""
import math
import sys
from pathlib import Path

import numpy as np
import torch

from make_golden import uniform

CASES = {  # name: (nodes of each graph, features, heads, hidden features, with biases)
    "biased": ([0, 1, 2, 41, 130, 0, 1000], 8, 2, 32, True),
    "plain": ([3, 1, 40], 12, 3, 20, False),
}
NAMES = {"self_attn.in_proj": "qkv", "self_attn.out_proj.": "out", "norm1.": "norm1", "linear1.": "widen",
         "linear2.": "narrow", "norm2.": "norm2"}


def name_of(parameter):
    """The field of ag_encoder_weights."""
    for prefix, name in NAMES.items():
        if parameter.startswith(prefix):
            return name + ("_bias" if parameter.endswith("bias") else "")
    raise KeyError(parameter)


def rule(name, shape):
    """(offset, scale) of a parameter's values, exact in float32."""
    if name.endswith("bias"):
        return 0.0, 0.125
    if name.startswith("norm"):
        return 1.0, 0.25
    return 0.0, 2.0 ** round(math.log2(math.sqrt(3 / shape[1]))) * (2 if name == "qkv" else 1)


def padded(x, sizes):
    """Rows of the graphs -> [graphs that have nodes, most nodes, f]."""
    parts = [p for p in x.split(sizes) if p.shape[0]]
    return torch.nn.utils.rnn.pad_sequence(parts, batch_first=True)


def run(sizes, f, heads, hidden, bias):
    layer = torch.nn.TransformerEncoderLayer(f, heads, hidden, dropout=0.0, batch_first=True, bias=bias)
    rules = {}
    with torch.no_grad():
        for stream, (parameter, p) in enumerate(layer.named_parameters(), start=3):
            offset, scale = rule(name_of(parameter), p.shape)
            rules[name_of(parameter)] = [stream, offset, scale]
            p.copy_(torch.from_numpy(offset + scale * uniform(stream, p.numel())).reshape(p.shape))
    n = sum(sizes)
    x = torch.from_numpy(uniform(1, n * f)).reshape(n, f).requires_grad_()
    cotangent = torch.from_numpy(uniform(2, n * f)).reshape(n, f)
    nearest = []
    layer.linear1.register_forward_hook(lambda m, i, y: nearest.append(y.detach().abs()))
    real = padded(torch.ones(n, 1), sizes)[..., 0] > 0
    y = layer(padded(x, sizes), src_key_padding_mask=~real)[real]
    (y * cotangent).sum().backward()
    kink = nearest[0][real].min().item()
    if kink < 2e-6:
        sys.exit(f"a hidden value is {kink:.1e} from relu's kink: change a stream number")
    gradients = {name_of(k): p.grad.numpy() for k, p in layer.named_parameters()}
    return y.detach().numpy(), x.grad.numpy(), rules, gradients


def main():
    torch.set_default_dtype(torch.float64)
    members = {}
    for case, (sizes, f, heads, hidden, bias) in CASES.items():
        y, dx, rules, gradients = run(sizes, f, heads, hidden, bias)
        members[f"{case}.starts"] = np.cumsum([0, *sizes]).astype(np.int32)
        members[f"{case}.sizes"] = np.array([f, heads, hidden], np.int32)
        members[f"{case}.y"], members[f"{case}.dx"] = y.astype(np.float32), dx.astype(np.float32)
        for name, gradient in gradients.items():
            members[f"{case}.p.{name}"] = np.array(rules[name])
            members[f"{case}.d.{name}"] = gradient
    path = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("encoder.npz"))
    np.savez_compressed(path, **members)
    print(f"{path}: {len(members)} members, {path.stat().st_size} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
