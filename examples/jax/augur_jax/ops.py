# SPDX-License-Identifier: MIT
"""Random ops, measured in each of their ways: the files from which `nests` learns what a way costs."""
import math
import os
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from . import machine, rows
from .program import Program
from .refused import Refused
from .sites import KEEP, size
from .worker import Failed, Lost, Worker, measure

MOST_WORK, MOST_ELEMENTS, MOST_NS = 1 << 26, 1 << 22, 3e7  # of an op, of an operand, of a run
OPS_OF_FILE = 16
Row = tuple[list[float], float, int, int]  # columns, work, count, ns of the program
Made = tuple[str, Callable[..., Any], list[tuple[int, ...]]]  # kind of the site, function, shapes of its arguments


def _between(rng: np.random.Generator, low: float, high: float) -> int:
    """Any order of magnitude is as likely."""
    return round(math.exp(rng.uniform(math.log(low), math.log(high))))


def _split(rng: np.random.Generator, whole: int, most: int) -> list[int]:
    """Sizes of at most so many axes, with a product of about the whole."""
    sizes = [whole]
    while len(sizes) < most and rng.random() < 0.3:
        first = _between(rng, 1, sizes[-1])
        sizes[-1:] = [first, max(sizes[-1] // first, 1)]
    return sizes


def _dot(rng: np.random.Generator) -> Made | None:
    """Any number of batch, free and summed axes, in any order."""
    batch = [] if rng.random() < 0.4 else _split(rng, _between(rng, 2, 4096), 2)
    left, right, summed = (_split(rng, _between(rng, 1, n), axes) for n, axes in ((4096, 3), (1024, 2), (1024, 2)))
    kinds = {"b": batch, "m": left, "n": right, "k": summed}
    sizes = {f"{kind}{i}": n for kind, axes in kinds.items() for i, n in enumerate(axes)}
    if size(list(sizes.values())) > MOST_WORK:
        return None
    operands = [[axis for kind in letters for axis in sizes if axis[0] == kind] for letters in ("bmk", "bkn")]
    for axes in operands:
        if rng.random() < 0.5:
            rng.shuffle(axes)
    summing, batching = ([[axes.index(a) for a in sizes if a[0] == kind] for axes in operands] for kind in "kb")

    def f(x: Any, w: Any) -> Any:
        return jnp.tanh(lax.dot_general(x * 1.1, w, ((summing[0], summing[1]), (batching[0], batching[1]))))
    return "dot", f, [tuple(sizes[a] for a in axes) for axes in operands]


def _conv(rng: np.random.Generator) -> Made | None:
    """Along one axis or two, of some features or of each alone; the gradients, too."""
    axes = 1 if rng.random() < 0.35 else 2
    space = _between(rng, 128, 2048) if axes == 1 else _between(rng, 7, 64)
    window, n, features = int(rng.choice([1, 2, 3, 5, 7])), _between(rng, 1, 8), _between(rng, 3, 128)
    stride = int(rng.choice([1, 1, 2]))
    dilation = int(rng.choice([1, 1, 2, 4])) if stride == 1 else 1
    groups = features if rng.random() < 0.4 else 1
    made = features if groups > 1 else _between(rng, 3, 128)
    if n * (space // stride) ** axes * made * (features // groups) * window**axes > MOST_WORK:
        return None
    letters = ("NWC", "WIO", "NWC") if axes == 1 else ("NHWC", "HWIO", "NHWC")

    def conv(x: Any, w: Any) -> Any:
        return lax.conv_general_dilated(x, w, (stride,) * axes, "SAME", rhs_dilation=(dilation,) * axes,
                                        dimension_numbers=letters, feature_group_count=groups)
    image, kernel = (jax.ShapeDtypeStruct(shape, np.float32) for shape in (
        (n, *[space] * axes, features), (*[window] * axes, features // groups, made)))
    result = jax.eval_shape(conv, image, kernel)
    ways: list[tuple[Callable[..., Any], list[Any]]] = [
        (lambda x, w: conv(x * 1.1, w), [image, kernel]),
        (lambda y, w: jax.linear_transpose(lambda x: conv(x, w), image)(y * 1.1)[0], [result, kernel]),
        (lambda y, x: jax.linear_transpose(lambda w: conv(x, w), kernel)(y * 1.1)[0], [result, image])]
    f, operands = ways[rng.choice(3, p=[0.6, 0.2, 0.2])]
    return "conv", lambda x, y: jax.nn.relu(f(x, y)), [each.shape for each in operands]


def _scan(rng: np.random.Generator) -> Made | None:
    width, steps, many = _between(rng, 4, 512), _between(rng, 4, 256), _between(rng, 1, 8)

    def body(c: Any, x: Any) -> Any:
        for _ in range(many):
            c = jnp.tanh(c * 0.9 + x)
        return c, c.sum()
    return "scan", lambda x, xs: lax.scan(body, x, xs), [(width,), (steps, width)]


def _sum(rng: np.random.Generator) -> Made | None:
    shape = tuple(_between(rng, 2, 512) for _ in range(int(rng.integers(2, 4))))
    axis = int(rng.integers(len(shape)))
    return "sum", lambda x: jnp.tanh((x * x).sum(axis)), [shape]


def _scatter(rng: np.random.Generator) -> Made | None:
    table, width, many = _between(rng, 8, 1024), _between(rng, 1, 64), _between(rng, 8, 2048)
    ids = rng.integers(0, table, many)
    return "scatter", lambda t, x: t.at[ids].add(x * 1.1), [(table, width), (many, width)]


def _barrier(rng: np.random.Generator) -> Made | None:
    shape, f = (_between(rng, 2, 512), _between(rng, 32, 512)), [jnp.exp, jnp.tanh, lax.rsqrt][rng.integers(3)]
    return "barrier", lambda x, y: (f(jnp.abs(x) + 1) * y).sum(1), [shape, (shape[0], 1)]


DRAWS = ((_dot, 0.45), (_conv, 0.3), (_scan, 0.08), (_sum, 0.06), (_scatter, 0.05), (_barrier, 0.06))


def _looped(made: Made, rng: np.random.Generator) -> Made:
    """The op inside of a loop, where a small one is long enough to be measured."""
    kind, f, shapes = made
    most = min(256, MOST_ELEMENTS // size(shapes[0]))
    if kind == "scan" or most < 4 or rng.random() > (0.6 if max(map(size, shapes)) < 4096 else 0.2):
        return made

    def loop(xs: Any, *rest: Any) -> Any:
        return lax.scan(lambda c, x: (c, f(x, *rest)), 0.0, xs)[1]
    return kind, loop, [(_between(rng, 4, most), *shapes[0]), *shapes[1:]]


def draw(rng: np.random.Generator) -> Made:
    while True:
        made = DRAWS[rng.choice(len(DRAWS), p=[share for _, share in DRAWS])][0](rng)
        if made and max(map(size, made[2])) <= MOST_ELEMENTS:
            return _looped(made, rng)


def measured(made: Made, rng: np.random.Generator, worker: Worker) -> list[Row]:
    """Rows of one op, the first as it is; none where it is too slow or there is no other way."""
    kind, f, shapes = made
    program = Program(f, tuple((0.2 * rng.random(shape)).astype(np.float32) for shape in shapes))
    at = next(k for k, site in enumerate(program.sites) if site.kind == kind)
    site = program.sites[at]
    worker.change(program.leaves, program.module({}))
    worker.ready()
    if worker.first["ns"] > MOST_NS:
        return []
    found, originals, known = [], [], {worker.first["hash"]: 1.0}
    for choice in site.choices[1:]:
        said = measure(worker, program.module({at: choice}), {}, known)
        if said["state"] == "ok":
            originals.append(said["original_ns"])
            known[said["hash"]] = said["ratio"]
        if said["state"] in ("ok", "same"):
            found.append((choice, known[said["hash"]]))
    if not originals:
        return []
    ns, work = float(np.median(originals)), rows.work(site)
    return [(rows.columns(site, c), work, site.times, round(max(ns * r, 1))) for c, r in [(KEEP, 1.0), *found]]


def ops(out: str, minutes: float, seed: int = 0, threads: int | None = None,
        tell: Callable[[int, int], None] = lambda *_: None) -> int:
    """Measures random ops for so many minutes and writes files of rows to the folder `out`; the same call goes on after
    the files that are there. How many ops were measured."""
    os.makedirs(out, exist_ok=True)
    end, number, many = time.monotonic() + 60 * minutes, 0, 0
    while os.path.exists(_path(out, seed, number)):
        number += 1
    groups: list[list[Row]] = []
    rng = np.random.default_rng([seed, number])
    with Worker([], b"", threads or machine.threads(), 1e-3) as worker:
        while time.monotonic() < end:
            try:
                group = measured(draw(rng), rng, worker)
            except (Lost, Failed):  # XLA cannot do the op itself
                group = []
            if group:
                groups.append(group)
                many += 1
                tell(many, len(group))
            if len(groups) == OPS_OF_FILE:
                write(_path(out, seed, number), groups)
                groups, number = [], number + 1
                rng = np.random.default_rng([seed, number])
    if groups:
        write(_path(out, seed, number), groups)
    if not many:
        raise Refused(f"no op was measured in {minutes:g} minutes; give more of them with --minutes")
    return many


def _path(out: str, seed: int, number: int) -> str:
    return os.path.join(out, f"ops-{seed}-{number:04}.npz")


def write(path: str, groups: list[list[Row]]) -> None:
    """A file of rows, whole or not at all: each op is a group, each way to write it an item with one row."""
    feature, work, count, ns = (list(column) for column in zip(*(row for group in groups for row in group)))
    with open(f"{path}.part", "wb") as file:
        np.savez_compressed(file, row_feature=np.array(feature, np.float32), row_work=np.array(work),
                            row_count=np.array(count, np.float32), row_offset=np.arange(len(work) + 1),
                            row_group=np.repeat(np.arange(len(groups)), list(map(len, groups))),
                            config_runtime=np.array(ns, np.int64),
                            columns=np.frombuffer("\n".join(rows.COLUMNS).encode(), np.uint8))
    os.replace(f"{path}.part", path)
