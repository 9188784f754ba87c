# SPDX-License-Identifier: MIT
"""Sites: places of a program that can be written in another way."""
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

KEEP = "keep"
Candidate = dict[int, str]  # the choice at each site that is not kept as it is


@dataclass(frozen=True)
class Site:
    """choices: "keep" first. what: kind and sizes. where: the line of the source. facts: numbers of rows.py. times: how
    often the program comes here, as far as its loops say it."""

    kind: str
    choices: tuple[str, ...]
    what: str
    where: str = ""
    facts: Mapping[str, float] = field(default_factory=dict)
    times: int = 1

    def named(self, choice: str) -> str:
        return f"{choice} at {self.kind} {self.what}" + (f" ({self.where})" if self.where else "")


@dataclass(frozen=True)
class Op:
    """An equation that has a site. ways: for each choice but "keep" a function that gives what the equation gives."""

    kind: str
    what: str
    facts: Mapping[str, float]
    ways: Mapping[str, Callable[[], Any]]


def size(shape: Sequence[int], axes: Sequence[int] | None = None) -> int:
    return math.prod(shape if axes is None else [shape[i] for i in axes])


def dims(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape)) or "1"


def key(candidate: Mapping[int, str]) -> tuple[tuple[int, str], ...]:
    """Equal candidates have equal keys."""
    return tuple(sorted((k, v) for k, v in candidate.items() if v != KEEP))
