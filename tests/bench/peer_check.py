# SPDX-License-Identifier: MIT
"""Both peers against the independent model, scores and gradients, in float64 without dropout."""
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "golden"))
import tgraph_model as golden  # noqa: E402
from peer_models import FORMS, Problem, hinge  # noqa: E402


def relative(a, b):
    return ((a - b).abs().max() / b.abs().max().clamp(min=1e-6)).item()


def check(form, cross, problem):
    model, reference = FORMS[form](cross, 0.0), golden.Model(golden.Options(cross=cross))
    names = model.names()
    with torch.no_grad():
        for name, p in reference.named_parameters():
            p.copy_(names[name])
    graph = golden.Graph(problem.features, problem.layout, problem.op, problem.edges.T, problem.ids)
    expected, found = reference(graph, problem.config), model(problem)
    golden.pairwise_hinge(expected, problem.ranks).backward()
    hinge(found, problem.ranks).backward()
    zero = torch.zeros(())
    worst = max(relative(zero if names[n].grad is None else names[n].grad, p.grad)
                for n, p in reference.named_parameters())
    print(f"{form} cross={cross}: scores {relative(found, expected):.1e} gradients {worst:.1e}")
    return relative(found, expected) < 1e-9 and worst < 1e-6


def main():
    torch.set_default_dtype(torch.float64)
    problem = Problem(5, 40)
    good = [check(form, cross, problem) for form in FORMS for cross in (True, False)]
    return 0 if all(good) else 1
