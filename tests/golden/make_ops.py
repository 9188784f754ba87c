# SPDX-License-Identifier: MIT
"""Writes ops.npz: outputs and input gradients of every op, in float64, for the cases that the C program prints.

    build/release/bin/op_cases | python make_ops.py [OUTPUT]

Reads a JSON object per line: {"op", "case", "inputs": [{"name", "shape", "dtype": "real"|"int32", "values"}],
"attr": {"f": [4], "i": [4]}, "cotangents": [{"shape", "values"}]}. Members: `<op>.<case>.y<j>` (output j),
`<op>.<case>.dx<i>` (gradient of sum_j <y_j, cotangent_j> by real input i), `<op>.<case>.check` (sums of the
inputs and cotangents, so that the test notices cases that have changed since). Of a tensor with more than 256
elements 64 are stored: number j is element j * count / 64, rounded down.
"""
import json
import sys

import numpy as np
import torch

from make_golden import save
import graph_formulas  # noqa: F401 (adds to FORMULAS)
from op_formulas import FORMULAS

LARGE, SAMPLES = 256, 64


def tensor(spec):
    dtype = torch.long if spec.get("dtype", "real") == "int32" else torch.float64
    return torch.tensor(spec["values"], dtype=dtype).reshape(spec["shape"])


def checksum(tensors):
    """[sum of v, sum of v times (1 + position mod 7)] over all tensors, added one by one as the C test does."""
    v = np.concatenate([t.detach().double().numpy().reshape(-1) for t in tensors] or [np.zeros(0)])
    weighted = v * (1 + np.arange(v.size) % 7)
    return np.array([np.cumsum(s)[-1] if s.size else 0.0 for s in (v, weighted)])


def stored(t):
    v = np.array(t.detach().double().numpy(), order="C")
    return v if v.size <= LARGE else v.reshape(-1)[np.arange(SAMPLES) * v.size // SAMPLES]


def evaluate(case):
    """Outputs, gradients by input number, checksum."""
    inputs = [tensor(s) for s in case["inputs"]]
    cotangents = [tensor(s) for s in case["cotangents"]]
    check = checksum(inputs + cotangents)
    real = [i for i, x in enumerate(inputs) if x.dtype == torch.float64]
    for i in real:
        inputs[i].requires_grad_()
    y = FORMULAS[case["op"]](inputs, case["attr"]["f"], case["attr"]["i"])
    y = list(y) if isinstance(y, (tuple, list)) else [y]
    graded = [j for j in y if j.dtype == torch.float64]
    if len(graded) != len(cotangents):
        sys.exit(f"{case['op']}.{case['case']}: {len(graded)} real outputs but {len(cotangents)} cotangents")
    total = sum(((a * b.reshape(a.shape)).sum() for a, b in zip(graded, cotangents)), torch.zeros(()))
    gradients = {i: torch.zeros_like(inputs[i]) for i in real}
    if total.requires_grad:
        found = torch.autograd.grad(total, [inputs[i] for i in real], allow_unused=True)
        gradients.update({i: g for i, g in zip(real, found) if g is not None})
    return y, gradients, check


def main():
    torch.set_default_dtype(torch.float64)
    cases = [json.loads(line) for line in sys.stdin if line.strip()]
    missing = sorted({c["op"] for c in cases} - set(FORMULAS))
    if missing or not cases:
        sys.exit(f"no formula for: {', '.join(missing)}; write one" if missing else "no cases")
    members = {}
    for case in cases:
        key = f"{case['op']}.{case['case']}"
        if f"{key}.check" in members:
            sys.exit(f"{key} appears twice")
        y, gradients, members[f"{key}.check"] = evaluate(case)
        for j, value in enumerate(y):
            members[f"{key}.y{j}"] = stored(value)
        for i, g in gradients.items():
            members[f"{key}.dx{i}"] = stored(g)
        if not all(np.isfinite(v).all() for k, v in members.items() if k.startswith(key + ".")):
            sys.exit(f"{key}: a value is not finite")
    save("ops.npz", members, f"{len(cases)} cases of {len({c['op'] for c in cases})} ops")


if __name__ == "__main__":
    main()
