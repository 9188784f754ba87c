# SPDX-License-Identifier: MIT
"""Writes tgraph.npz: what the TGraph models compute on one small graph, in float64. Members: see README.md.

    python make_golden.py [OUTPUT]

Parameters are not stored: a hash of (stream, index) gives them, exactly the same in every precision.
"""
import math
import sys
from pathlib import Path

import numpy as np
import torch

from tgraph_model import Graph, Model, Options, check_counts, nearest_kink, pairwise_hinge

NODES, CONFIGS, STEPS = 12, 5, 10
CONFIG_IDS = [1, 4, 7, 10]
RANKS = [3, 0, 2, 2, 1]
ROWS, ENTRIES = 9, 20  # of loop nests; of a configuration
WEIGHT_DECAY, CLIP = 1e-5, 1.0
FULL_GRADIENTS, SAMPLES, DIRECTIONS = 12000, 8, 3
FORWARD, GRADIENT = 1e-5, 5e-4  # how far float may be from these values: the bounds of tests/tgraph/test_tgraph_model.c

SMALL = 16
CASES = {  # name: (options, number of training steps to record)
    "cross": (Options(hidden=SMALL), STEPS),
    "plain": (Options(hidden=SMALL, cross=False), STEPS),
    "full_cross": (Options(), STEPS),
    "full_plain": (Options(cross=False), STEPS),
    "cross_late": (Options(hidden=SMALL, cross_input=False), 0),
    "no_channel": (Options(hidden=SMALL, channel=False), 0),
    "all": (Options(hidden=SMALL, halve=False), 0),
    "all_late": (Options(hidden=SMALL, halve=False, cross_input=False), 0),
    "no_edges": (Options(hidden=SMALL, edges=False), 0),
    "operands": (Options(hidden=SMALL, direction="operands"), 0),
    "both": (Options(hidden=SMALL, direction="both"), 0),
    "sum": (Options(hidden=SMALL, aggregate="sum"), 0),
    "l2": (Options(hidden=SMALL, l2=True), 0),
    "message": (Options(hidden=SMALL, aggregate="sum", l2=True, message=True), 0),
    "outside": (Options(hidden=SMALL, residual="outside"), 0),
    "paper": (Options(hidden=SMALL, residual="outside", aggregate="sum", l2=True, cross_input=False), 0),
    "rows_sums": (Options(hidden=SMALL, rows="sums"), 0),
    "rows_embedded": (Options(hidden=SMALL, rows="embedded", cross=False), 0),
    "rows_costs": (Options(hidden=SMALL, rows="costs"), 0),
}


def uniform(stream, count):
    """count values in [-1, 1), each a multiple of 2^-23: exact in float32 and in float64."""
    with np.errstate(over="ignore"):
        x = np.arange(count, dtype=np.uint32) * np.uint32(2654435769) + np.uint32(stream) * np.uint32(2246822519)
        x ^= x >> np.uint32(16)
        x *= np.uint32(2146121005)
        x ^= x >> np.uint32(15)
        x *= np.uint32(2221713035)
        x ^= x >> np.uint32(16)
    return (x >> np.uint32(8)).astype(np.float64) / 2**23 - 1


def integers(stream, low, high, shape):
    """Whole numbers in low..high."""
    x = (uniform(stream, math.prod(shape)) + 1) / 2 * (high - low + 1)
    return (low + np.floor(x)).astype(np.int32).reshape(shape)


def rule(name, shape):
    """(scale, offset) of a parameter's values: offset + scale * uniform; powers of two keep them exact."""
    if name.endswith("temperature"):
        return 0.125, 0.5
    if name.startswith("embedding"):
        return 1.0, 0.0
    if name == "rows.cost.steep":
        return 0.25, 1.0
    if name.endswith("bias"):
        return 0.125, 0.0
    gain = 4 if name == "output.weight" else 1
    return gain * 2.0 ** round(math.log2(math.sqrt(3 / shape[1]))), 0.0


def fill(model):
    """Sets every parameter; returns {name: [stream, scale, offset]}."""
    rules = {}
    with torch.no_grad():
        for stream, (name, p) in enumerate(model.named_parameters(), start=1):
            scale, offset = rule(name, p.shape)
            rules[name] = [stream, scale, offset]
            p.copy_(torch.from_numpy(offset + scale * uniform(stream, p.numel())).reshape(p.shape))
    return rules


def layout_codes(stream, rows, width, digits):
    """Rows of minor-to-major codes: a permutation of 0..r-1, then -1, in groups of `digits`; some all -1."""
    out = np.full((rows, width), -1, np.int32)
    draw = integers(stream, 0, 2**20, (rows, width // digits, digits + 1))
    for row in range(rows):
        for group in range(width // digits):
            rank = draw[row, group, 0] % digits
            out[row, group * digits:group * digits + rank] = np.argsort(draw[row, group, 1:1 + rank], kind="stable")
    return out


def make_inputs():
    edges = [(1, 0), (2, 0), (2, 1), (3, 1), (4, 2), (4, 3), (5, 4), (6, 4), (7, 5), (7, 6), (7, 2), (8, 7), (9, 7),
             (10, 8), (10, 9), (10, 7), (11, 10)]
    count = (STEPS + 1) * CONFIGS
    config = layout_codes(201, count * len(CONFIG_IDS), 18, 6).reshape(STEPS + 1, CONFIGS, len(CONFIG_IDS), 18)
    ranks = np.stack([np.array(RANKS)] + [np.argsort(uniform(210 + s, CONFIGS), kind="stable") for s in range(STEPS)])
    return {
        "graph.features": (uniform(203, NODES * 134) * 2).reshape(NODES, 134).astype(np.float32),
        "graph.layout": layout_codes(204, NODES, 6, 6),
        "graph.op": integers(205, 0, 119, (NODES,)),
        "graph.edges": np.array(edges, np.int32),
        "graph.config_ids": np.array(CONFIG_IDS, np.int32),
        "layout.config": config,
        "ranks": ranks.astype(np.int32),
        "rows.x": (uniform(220, ROWS * 42) * 2).reshape(ROWS, 42).astype(np.float32),
        "rows.word": integers(221, 0, 120, (ROWS,)),
        "rows.work": integers(222, 1, 40, (ROWS,)),
        "rows.row": integers(223, 0, ROWS - 1, (CONFIGS, ENTRIES)),
        "rows.node": integers(224, 0, NODES - 1, (CONFIGS, ENTRIES)),
    }


def make_rows(inputs, dtype):
    """The entries of all configurations, one after the other."""
    t = {k: torch.from_numpy(inputs[f"rows.{k}"]) for k in ("x", "word", "work", "row", "node")}
    return {"x": t["x"].to(dtype), "word": t["word"].long(), "work": t["work"].to(dtype),
            "row": t["row"].reshape(-1).long(), "node": t["node"].reshape(-1).long(),
            "config": torch.arange(CONFIGS).repeat_interleave(ENTRIES)}


def tensors(inputs, dtype):
    t = {k: torch.from_numpy(v) for k, v in inputs.items()}
    graph = Graph(t["graph.features"].to(dtype), t["graph.layout"], t["graph.op"], t["graph.edges"],
                  t["graph.config_ids"])
    return graph, t["layout.config"], t["ranks"].long()


def learning_rate(options):
    """1e-3; a tenth for the wide models, where Adam's first steps (the sign of each gradient) blow up rounding."""
    return 1e-3 if options.hidden == SMALL else 1e-4


def train(model, graph, config, ranks, steps):
    """Losses before each update; also the nearest that a pair comes to the margin."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate(model.options), weight_decay=WEIGHT_DECAY)
    losses, nearest = [], math.inf
    for step in range(1, steps + 1):
        optimizer.zero_grad()
        loss, near = pairwise_hinge(model(graph, config[step]), ranks[step])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        losses.append(loss.item())
        nearest = min(nearest, near)
    return losses, nearest


def gradients_of(parameters):
    return {name: (torch.zeros_like(p) if p.grad is None else p.grad).double().numpy().copy() for name, p in parameters}


def run(options, steps, inputs, dtype):
    torch.set_default_dtype(dtype)
    model = Model(options)
    rules = fill(model)
    graph, config, ranks = tensors(inputs, dtype)
    scores = model(graph, config[0], make_rows(inputs, dtype) if options.rows != "none" else None)
    loss, near = pairwise_hinge(scores, ranks[0])
    loss.backward()
    kink, gradients = nearest_kink(model), gradients_of(model.named_parameters())
    losses, near_train = train(model, graph, config, ranks, steps)
    return {"scores": scores.detach().double().numpy(), "loss": loss.item(), "losses": np.array(losses), "rules": rules,
            "gradients": gradients, "near": min(near, near_train), "kink": kink}


def probe(gradient, rules):
    """The rule of a parameter's values, then the summary of its gradient where that is not stored in full:
    [stream, scale, offset, largest, norm, dots with three hashed directions, entries i * count // 8]."""
    g = gradient.reshape(-1)
    dots = [g @ uniform(1000 + DIRECTIONS * rules[0] + d, g.size) for d in range(DIRECTIONS)]
    samples = g[np.arange(SAMPLES) * g.size // SAMPLES]
    return np.concatenate([rules, [np.abs(g).max(), np.linalg.norm(g)], dots, samples])


def option_row(o):
    """The numbers in the member `<case>.options`, in the order of README.md."""
    return np.array([o.hidden, o.cross, o.cross_input, o.channel, o.edges,
                     ["consumers", "operands", "both"].index(o.direction), o.aggregate == "sum", o.l2, o.message,
                     o.residual == "outside", o.halve, ["none", "sums", "embedded", "costs"].index(o.rows)], np.int32)


def least_scale(name, gradients):
    """Of a gradient's error. A bias in front of an instance norm has no gradient but rounding: its scale is that of
    the weight of the same layer."""
    largest = 1e-3 * max(np.abs(g).max() for g in gradients.values())
    if name.endswith(".linear.bias"):
        largest = max(largest, np.abs(gradients[name[:-len("bias")] + "weight"]).max())
    return largest


def float32_errors(exact, rough):
    """How far float32 is from float64: of what goes forward (scores and losses), and of the gradients."""
    forward = np.abs(exact["scores"] - rough["scores"]).max() / np.abs(exact["scores"]).max()
    if len(exact["losses"]):
        forward = max(forward, (np.abs(exact["losses"] - rough["losses"]) / exact["losses"]).max())
    return forward, max(np.abs(g - rough["gradients"][n]).max() / max(np.abs(g).max(), least_scale(n, exact["gradients"]))
                        for n, g in exact["gradients"].items())


def save(name, members, what):
    """Writes the file of the command line, else the one of this name in the folder of the scripts."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name(name))
    np.savez_compressed(path, **members)
    print(f"{path}: {what}, {path.stat().st_size} bytes", file=sys.stderr)


def check(name, result, errors):
    """Stops with a case that is near a kink, or that float32 cannot tell within half of the bounds of the test."""
    print(f"{name:11s} loss {result['loss']:.6f} margin {result['near']:.1e} kink {result['kink']:.1e} | float32: "
          f"forward {errors[0]:.1e} gradients {errors[1]:.1e}", file=sys.stderr)
    if result["near"] < 1e-4 or result["kink"] < 1e-6 or not 0.01 < result["loss"] < 100:
        sys.exit(f"{name}: a pair {result['near']:.1e} from the margin, a kink {result['kink']:.1e} away or loss "
                 f"{result['loss']}: change a stream number")
    if errors[0] > FORWARD / 2 or errors[1] > GRADIENT / 2:
        sys.exit(f"{name}: float32 is {errors[0]:.1e} away forward and {errors[1]:.1e} in the gradients, of which "
                 f"{FORWARD / 2:.1e} and {GRADIENT / 2:.1e} are allowed: change a stream number")


def main():
    check_counts()
    inputs = make_inputs()
    members = dict(inputs)
    for name, (options, steps) in CASES.items():
        result = run(options, steps, inputs, torch.float64)
        check(name, result, float32_errors(result, run(options, steps, inputs, torch.float32)))
        members[f"{name}.options"] = option_row(options)
        members[f"{name}.scores"], members[f"{name}.loss"] = result["scores"], np.array([result["loss"]])
        if steps:
            members[f"{name}.losses"] = result["losses"]
            members[f"{name}.training"] = np.array([learning_rate(options), WEIGHT_DECAY, CLIP])
        size = sum(g.size for g in result["gradients"].values())
        for parameter, gradient in result["gradients"].items():
            members[f"{name}.p.{parameter}"] = probe(gradient, result["rules"][parameter])
            if size < FULL_GRADIENTS and steps:
                members[f"{name}.g.{parameter}"] = gradient
    save("tgraph.npz", members, f"{len(members)} members")


if __name__ == "__main__":
    main()
