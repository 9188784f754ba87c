# SPDX-License-Identifier: MIT
"""The peers against the independent models, scores and gradients, in float64 without dropout."""
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "golden"))
import peer_tpgnn  # noqa: E402
import peer_tpu  # noqa: E402
import tgraph_model as golden  # noqa: E402
import tpu_model  # noqa: E402
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
    model.prepare(problem)
    expected, found = reference(graph, problem.config), model(problem)
    golden.pairwise_hinge(expected, problem.ranks).backward()
    hinge(found, problem.ranks).backward()
    zero = torch.zeros(())
    worst = max(relative(zero if names[n].grad is None else names[n].grad, p.grad)
                for n, p in reference.named_parameters())
    print(f"tgraph {form} cross={cross}: scores {relative(found, expected):.1e} gradients {worst:.1e}")
    return relative(found, expected) < 1e-9 and worst < 1e-6


def check_tpu(name, form):
    """Three kernels of 9 nodes, or one under three tile sizes."""
    reduction, shared, tile_at = peer_tpu.MODELS[name]
    if form == "pyg":
        model = peer_tpu.PygModel(reduction, shared, tile_at, 0.0, hidden=16)
    else:
        model = peer_tpu.Model(reduction, shared, tile_at, 0.0, form == "plain", hidden=16)
    kernel = peer_tpu.kernels_of(1 if tile_at else 3, 9)
    batch = peer_tpu.copies(kernel, 3) if tile_at else kernel
    options = tpu_model.Options(task="tile" if tile_at else "fusion", reduction=reduction, tile_at=tile_at or "nodes",
                                direction="shared" if shared else "separate")
    names = model.names()
    own = {name: p.detach().clone().requires_grad_() for name, p in names.items()}
    reference, edges = tpu_model.Model(options, {name: own[name] for name in tpu_model.shapes(options)}), 16
    expected = torch.stack([reference(
        batch.opcode[i], batch.feature[i],
        [(u - 9 * i, v - 9 * i) for u, v in zip(batch.user.tolist(), batch.operand.tolist())][edges * i:edges * (i + 1)],
        batch.static[i:i + 1], batch.tile[i:i + 1] if tile_at else None)[0] for i in range(3)])
    weights = torch.tensor([1.0, -2.0, 3.0])
    found = model(peer_tpu.collated(batch) if form == "pyg" else batch, peer_tpu.mean_of(batch, form == "plain"))
    (expected * weights).sum().backward()
    (found * weights).sum().backward()
    worst = max(relative(names[n].grad, p.grad) for n, p in own.items())
    print(f"{name} {form}: scores {relative(found, expected):.1e} gradients {worst:.1e}")
    return relative(found, expected) < 1e-9 and worst < 1e-6


def check_tpgnn(form, model):
    """A form and the plain one on three trees, with the same parameters."""
    batch = peer_tpgnn.prepared(3, 41)
    plain, packed = peer_tpgnn.Plain(0.0), model(0.0)
    names = [(packed.rel[k], plain.conv[k].lin_rel, packed.root[k], plain.conv[k].lin_root) for k in range(3)]
    pairs = [(a, b) for rel, lin_rel, root, lin_root in names
             for a, b in ((rel.weight, lin_rel.weight), (rel.bias, lin_rel.bias), (root.weight, lin_root.weight))]
    pairs += list(zip(packed.head.parameters(), plain.head.parameters()))
    pairs += [(packed.select[k], plain.pool[k].select.weight) for k in range(3)]
    for a, b in pairs:
        a.data.copy_(b.data.reshape(a.shape))
    found, expected = packed(batch), plain(batch)
    found.square().sum().backward()
    expected.square().sum().backward()
    worst = max(relative(a.grad, b.grad.reshape(a.shape)) for a, b in pairs)
    print(f"tpgnn {form}: scores {relative(found, expected):.1e} gradients {worst:.1e}")
    return relative(found, expected) < 1e-9 and worst < 1e-6


def main():
    torch.set_default_dtype(torch.float64)
    problem = Problem(5, 40)
    good = [check(form, cross, problem) for form in FORMS for cross in (True, False)]
    good += [check_tpu(name, form) for name in peer_tpu.MODELS for form in ("pyg", "plain", "best")]
    good += [check_tpgnn("best", peer_tpgnn.Packed), check_tpgnn("fixed", peer_tpgnn.Fixed)]
    return 0 if all(good) else 1
