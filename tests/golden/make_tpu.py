# SPDX-License-Identifier: MIT
"""Writes tpu.npz: what the TPU model computes for a batch of five small kernels, in float64. Members: see README.md.

    python make_tpu.py [OUTPUT]

Parameters and features are not stored: a hash of (stream, index) gives them, the same in every precision.
"""
import math
import sys

import numpy as np
import torch

from make_golden import float32_errors, gradients_of, probe, save, uniform
from tpu_model import FEATURES, STATIC, TILE, Model, Options, loss, shapes

KERNEL_STREAMS = {"feature": 300, "tile": 400, "static": 500}  # plus the number of the kernel
SMALL = dict(hidden=8, embedding=8)
WIDE = dict(hidden=16, embedding=8)
GNNS, REDUCTIONS = ["none", "sage", "gat"], ["node", "column", "lstm", "transformer"]


def case(kind, offset=0.0, margin=1.0, size=SMALL, **options):
    return Options(**size, **options), kind, margin, offset


def fusion(**options):
    return case("squared", 8.5, task="fusion", **options)


CASES = {f"{g}_{r}": case("logistic" if (i + j) % 2 else "hinge", gnn=g, reduction=r)
         for i, g in enumerate(GNNS) for j, r in enumerate(REDUCTIONS)}
CASES |= {f"fusion_{g}_{r}": fusion(gnn=g, reduction=r) for g in GNNS for r in REDUCTIONS}
CASES |= {
    "shared": case("hinge", direction="shared"),
    "undirected": case("hinge", direction="undirected", reduction="node"),
    "sum": case("logistic", aggregate="sum", reduction="column", size=WIDE),
    "max": case("hinge", aggregate="max", direction="undirected", size=WIDE),
    "printed": case("hinge", l2=True, direction="shared", aggregate="sum", reduction="node"),
    "tile_at_kernel": case("hinge", tile_at="kernel"),
    "both_at_kernel": case("squared", 8.5, tile_at="kernel", static_at="kernel", reduction="column"),
    "static_at_kernel": case("logistic", static_at="kernel", gnn="gat", reduction="transformer"),
    "tile_nowhere": case("squared", 8.5, tile_at="nowhere", static_at="nowhere", reduction="node"),
    "module": case("hinge", margin=0.5, gnn="none", module_layers=3, reduction="node"),
    "module_l2": case("squared", 8.5, task="fusion", module_layers=2, module_l2=True, reduction="transformer",
                      encoder_layers=2),
    "heads": case("hinge", gnn="gat", heads=4, attention_heads=2, feed=2, encoder_layers=3, reduction="transformer",
                  size=WIDE),
    # A loss over pairs does not see the last bias.
    "biased_sage": case("squared", 8.5, biases=True),
    "biased_gat": case("squared", 8.5, biases=True, gnn="gat", reduction="transformer"),
    "biased_node": case("squared", 8.5, task="fusion", biases=True, module_layers=1, direction="shared",
                        static_at="kernel", reduction="node"),
    "bare": case("hinge", gnn_layers=0, node_layers=0, reduction="column"),
}
WHOLE = {"sage_lstm", "gat_column", "none_node", "gat_transformer", "fusion_sage_transformer"}


def make_kernels():
    """(nodes, edges, run times): one node; no edges; more than 20 operands, users, and both together, a double edge;
    a diamond; several edges into each of 12 nodes. The second has a tie."""
    wide = [(u, 0) for u in range(1, 27)] + [(15, v) for v in range(1, 15)] + [(u, 15) for u in range(16, 27)]
    wide += [(27, v) for v in range(25)] + [(28, 26), (28, 27), (29, 28), (29, 28)]
    mixed = [(u, v) for u in range(1, 12) for v in {(u * u) % u, (3 * u + 1) % u, u - 1}]
    return [(1, [], [500, 400]), (4, [], [90, 70, 90]), (30, wide, [9000, 12000]),
            (7, [(1, 0), (2, 0), (3, 1), (3, 2), (5, 4), (6, 3), (6, 5)], [31, 33, 30, 32]), (12, mixed, [7, 8, 6])]


def unit(stream, shape):
    """In [0, 1), exact in float32."""
    return torch.from_numpy(((uniform(stream, math.prod(shape)) + 1) / 2).reshape(shape))


def rule(name, shape):
    """(scale, offset) of a parameter's values: offset + scale * uniform; powers of two keep them exact."""
    if ".norm" in name and name.endswith("weight"):
        return 0.125, 1.0
    if name.startswith("embedding"):
        return 1.0, 0.0
    if name.endswith("bias"):
        return 0.25, 0.0
    return 2.0 ** round(math.log2(math.sqrt((3 if name.startswith("output") else 6) / shape[1]))), 0.0


def rank(values):
    return np.unique(values, return_inverse=True)[1]


def run(options, kind, margin, offset, kernels, salt, dtype):
    torch.set_default_dtype(dtype)
    p, rules = {}, {}
    for i, (name, shape) in enumerate(shapes(options).items()):
        rules[name] = [2000 + 100 * salt + i, *rule(name, shape)]
        stream, scale, middle = rules[name]
        value = torch.from_numpy(middle + scale * uniform(stream, math.prod(shape)).reshape(shape))
        p[name] = value.to(dtype).requires_grad_()
    model, scores, groups, ranks, target = Model(options, p, offset), [], [], [], []
    for k, (nodes, edges, times) in enumerate(kernels):
        tile = unit(KERNEL_STREAMS["tile"] + k, (len(times), TILE)).to(dtype) if options.task == "tile" else None
        times = np.array(times if options.task == "tile" else times[:1])
        opcode = torch.from_numpy(opcodes(k, nodes).astype(np.int64))
        static = unit(KERNEL_STREAMS["static"] + k, (1, STATIC)).to(dtype)
        scores.append(model(opcode, unit(KERNEL_STREAMS["feature"] + k, (nodes, FEATURES)).to(dtype), edges, static,
                            tile).expand(times.size))
        groups += [k] * times.size
        ranks += rank(times).tolist()
        target += np.log(times).tolist()
    scores = torch.cat(scores)
    y = loss(kind, scores, torch.tensor(groups), torch.tensor(ranks), torch.tensor(target, dtype=dtype), margin)
    y.backward()
    difference = (scores.detach()[:, None] - scores.detach()[None]).double()
    near = (margin - difference[np.equal.outer(groups, groups) & np.greater.outer(ranks, ranks)]).abs()
    return {"scores": scores.detach().double().numpy(), "loss": y.item(), "losses": [], "rules": rules,
            "gradients": gradients_of(p.items()), "kink": model.kink, "near": near.min().item() if kind == "hinge" else 1.0}


def opcodes(k, nodes):
    return ((uniform(600 + k, nodes) + 1) / 2 * 121).astype(np.int32)


def option_row(o, kind, margin, offset):
    """The numbers in the member `<case>.options`, in the order of README.md."""
    places = ["nodes", "kernel", "nowhere"]
    return np.array([o.task == "fusion", o.hidden, o.embedding, GNNS.index(o.gnn), REDUCTIONS.index(o.reduction),
                     ["separate", "shared", "undirected"].index(o.direction), ["sum", "mean", "max"].index(o.aggregate),
                     o.l2, o.module_layers, o.module_l2, o.gnn_layers, o.node_layers, o.heads, o.attention_heads,
                     o.encoder_layers, o.feed, o.biases, places.index(o.tile_at), places.index(o.static_at),
                     ["", "hinge", "logistic", "squared"].index(kind), margin, offset], np.float64)


def is_good(result, errors):
    """Far from every kink, float32 keeps the tolerances of the tests, and every parameter matters."""
    return (result["kink"] > 1e-6 and result["near"] > 1e-4 and 0.01 < result["loss"] < 100 and errors[0] < 3e-6 and
            errors[1] < 2e-5 and min(np.abs(g).max() for g in result["gradients"].values()) > 1e-5)


def main():
    torch.set_num_threads(1)
    kernels, members = make_kernels(), {}
    members["kernels"] = np.array([(n, len(e), len(t)) for n, e, t in kernels], np.int32)
    members["edges"] = np.array([pair for _, e, _ in kernels for pair in e], np.int32)
    members["opcodes"] = np.concatenate([opcodes(k, n) for k, (n, _, _) in enumerate(kernels)])
    members["runtimes"] = np.array([t for _, _, times in kernels for t in times], np.int32)
    for name, what in CASES.items():
        for salt in range(60):
            result = run(*what, kernels, salt, torch.float64)
            errors = float32_errors(result, run(*what, kernels, salt, torch.float32))
            if is_good(result, errors):
                break
        else:
            sys.exit(f"{name}: no salt will do")
        print(f"{name:24s} salt {salt} loss {result['loss']:.4f} kink {result['kink']:.1e} margin {result['near']:.1e} | "
              f"float32: scores {errors[0]:.1e} gradients {errors[1]:.1e}", file=sys.stderr)
        members[f"{name}.options"] = option_row(*what)
        members[f"{name}.scores"] = np.append(result["scores"], result["loss"])
        members[f"{name}.params"] = np.stack([np.append(probe(g, result["rules"][n]), g.size)
                                              for n, g in result["gradients"].items()])
        if name in WHOLE:
            members[f"{name}.gradients"] = np.concatenate([g.reshape(-1) for g in result["gradients"].values()])
    save("tpu.npz", members, f"{len(members)} members")


if __name__ == "__main__":
    main()
