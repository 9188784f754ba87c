# SPDX-License-Identifier: MIT
"""A bar on a terminal, a line per stage elsewhere."""
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

WIDTH = 24
STAGES = {"null": "original again", "pick": "picks", "option": "compile options", "sweep": "one by one",
          "combination": "combinations", "final": "winners again"}


def counts(lines: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Of the variants: all, those with a module of their own, and those that are no use."""
    variants = Counter(line["state"] for line in lines if line["candidate"])
    few = {"variants": variants.total(), "distinct": variants["ok"]}
    few |= {state: variants[state] for state in ("wrong", "failed", "lost")}
    return {what: n for what, n in few.items() if n or what in ("variants", "distinct", "wrong")}


class Progress:
    """Called with each measurement."""

    def __init__(self, quiet: bool = False, out: TextIO | None = None):
        self.out, self.quiet, self.last = out or sys.stderr, quiet, ""

    def __call__(self, stage: str, part: float, lines: Sequence[Mapping[str, Any]]) -> None:
        if self.quiet:
            return
        best = min((line["ratio"] for line in lines if "ratio" in line and line["candidate"]), default=1.0)
        said = ", ".join(f"{n} {what}" for what, n in counts(lines).items()) + f", best {best:.3f}"
        if self.out.isatty():
            full = int(WIDTH * min(part, 1))
            bar = "#" * full + "." * (WIDTH - full)
            self.out.write(f"\r[{bar}] {STAGES[stage]}: {said}\x1b[K" + "\n" * (stage == "final"))
        elif stage != self.last:
            self.out.write(f"{STAGES[stage]}: {said}\n")
        self.out.flush()
        self.last = stage
