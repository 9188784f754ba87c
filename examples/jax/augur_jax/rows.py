# SPDX-License-Identifier: MIT
"""An op as it would be written, as numbers: the rows that `nests` learns from (docs/formats/nests.md)."""
import math
from collections.abc import Mapping

from .sites import KEEP, Site

KINDS = ("dot", "conv", "scan", "sum", "scatter", "barrier")
CHOICES = (KEEP, "swap", "lhs_t", "rhs_t", "barrier", "mulsum", "loop", "unroll_k", "batch_minor", "nchw", "shifted",
           "im2col", "per_output", "2", "4", "all", "dot", "onehot")
SIZES = ("batch", "left", "right", "summed", "window", "groups", "length", "stride", "dilation",
         "base")
FLAGS = ("left_minor", "right_minor", "left_apart", "right_apart", "batch_late", "batch_groups")
DERIVED = ("work", "multiplications", "results", "sum of all terms", "loop around", "axes", "bytes")
COLUMNS = (*(f"is {kind}" for kind in KINDS), *(f"as {choice}" for choice in CHOICES), *SIZES, *FLAGS, *DERIVED)


def columns(site: Site, choice: str) -> list[float]:
    """The row: kind and choice, logarithms of sizes (base 2), what says how the operands lie."""
    f = site.facts
    return [*(float(site.kind == k) for k in KINDS), *(float(choice == c) for c in CHOICES),
            *(math.log2(max(f.get(name, 1), 1)) for name in SIZES), *(float(f.get(name, 0)) for name in FLAGS),
            math.log2(work(site)), math.log2(_multiplications(f)), math.log2(_results(f)), math.log2(_terms(f)),
            math.log2(site.times), float(f.get("axes", 0)), float(f.get("bytes", 4))]


def work(site: Site) -> float:
    """A guess of the ns of one execution as it is. Only the first order counts: a model learns a factor to it."""
    f, kind = site.facts, site.kind
    if kind == "dot":
        return 100 + _multiplications(f) / 20 + _results(f) / 4
    if kind == "conv":  # XLA has no fast way for few features in a group
        return 100 + _multiplications(f) / (20 if min(f["summed"], f["right"]) > 4 else 1)
    if kind == "scan":
        return 100 * f["length"] * (1 + f["left"])
    if kind == "scatter":
        return 100 + f["batch"] * (5 + f["right"])
    return 100 + f["left"] * f.get("summed", 1) / 4


def _results(f: Mapping[str, float]) -> float:
    return f.get("batch", 1) * f.get("left", 1) * f.get("right", 1) * f.get("groups", 1)


def _terms(f: Mapping[str, float]) -> float:
    return max(f.get("summed", 1) * f.get("window", 1), 1)


def _multiplications(f: Mapping[str, float]) -> float:
    return max(_results(f) * _terms(f), 1)
