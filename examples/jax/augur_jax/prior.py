# SPDX-License-Identifier: MIT
"""The effects that are expected before a program is measured: the order of its measurements follows from them."""
from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from . import rows
from .sites import KEEP, Candidate, Site, key

Facts = Mapping[str, float]


class Prior(Protocol):
    """A model: ns of one execution of a site's op, written in each of the site's ways."""

    def nanoseconds(self, site: Site) -> dict[str, float]: ...


# Ratios to "keep", about the medians of random ops; per_output and onehot are guesses. Kind, choice, where, ratio: the
# first that fits counts.
TABLE: tuple[tuple[str, str, Callable[[Facts], bool], float], ...] = (
    ("conv", "shifted", lambda f: f["summed"] == f["right"] == 1, 0.1),  # depthwise
    ("conv", "shifted", lambda f: f["window"] == 1, 0.87),
    ("conv", "shifted", lambda f: f["axes"] == 1, 1.4),
    ("conv", "shifted", lambda f: True, 2.2),
    ("conv", "im2col", lambda f: f["summed"] == f["right"] == 1, 0.5),
    ("conv", "im2col", lambda f: f["window"] == 1, 0.87),
    ("conv", "im2col", lambda f: f["dilation"] > 1, 0.8),
    ("conv", "im2col", lambda f: f["summed"] <= 4, 0.8),  # the colours of an image
    ("conv", "im2col", lambda f: f["axes"] == 1 or f["summed"] <= 8, 1.0),
    ("conv", "im2col", lambda f: True, 1.5),
    ("conv", "per_output", lambda f: f["groups"] > 1, 0.3),
    ("conv", "per_output", lambda f: True, 0.95),
    ("dot", "batch_minor", lambda f: True, 0.65),
    ("dot", "unroll_k", lambda f: f["batch"] > 1, 0.7),
    ("dot", "unroll_k", lambda f: True, 0.87),
    ("dot", "mulsum", lambda f: f["batch"] > 1 and min(f["left"], f["right"]) > 4, 1.0),  # and often wrong
    ("dot", "mulsum", lambda f: True, 1.4),
    ("dot", "loop", lambda f: True, 1.5),
    ("dot", "lhs_t", lambda f: f["summed"] > 16, 1.05),
    ("dot", "rhs_t", lambda f: f["summed"] > 16, 1.05),
    ("scatter", "onehot", lambda f: True, 3.0),
)
OTHERWISE = 1.0


class Table:
    """The guess of rows.py times a ratio of TABLE."""

    def nanoseconds(self, site: Site) -> dict[str, float]:
        if site.kind == "option":
            return dict.fromkeys(site.choices, 0.0)
        now = rows.work(site)
        return {choice: now * self.ratio(site, choice) for choice in site.choices}

    @staticmethod
    def ratio(site: Site, choice: str) -> float:
        if choice == KEEP:
            return 1.0
        fitting = (r for kind, c, fits, r in TABLE if (kind, c) == (site.kind, choice) and fits(site.facts))
        return next(fitting, OTHERWISE)


Effects = list[dict[str, float]]  # of each site: ln(run time with this choice alone / run time) of the program


def effects(prior: Prior, sites: Sequence[Site]) -> Effects:
    """As if the sites took all of the time."""
    ns = [{c: t * site.times for c, t in prior.nanoseconds(site).items()} for site in sites]
    total = max(sum(of[KEEP] for of in ns), 1)
    return [{c: math.log(max(1 + (t - of[KEEP]) / total, 0.02)) for c, t in of.items()} for of in ns]


def picks(expected: Effects, many: int, rng: np.random.Generator) -> list[Candidate]:
    """The best by itself, then others that would be the best if the effects were a little different."""
    found: dict[tuple[tuple[int, str], ...], Candidate] = {}
    for attempt in range(20 * many):
        candidate = {}
        for k, of in enumerate(expected):
            noise = 0.002 * attempt * rng.gumbel(size=len(of))  # wider and wider, until there are enough
            choice = min(zip(of, noise), key=lambda pair: of[pair[0]] - pair[1])[0]
            if choice != KEEP and of[choice] < -0.002:
                candidate[k] = choice
        if candidate:
            found.setdefault(key(candidate), candidate)
        if len(found) == many:
            break
    return list(found.values())


def sweep(expected: Effects, sites: Sequence[Site]) -> list[Candidate]:
    """Each choice alone, by what it is expected to gain; barriers, of which there are many, come last."""
    single = [(k, c) for k, site in enumerate(sites) for c in site.choices[1:]]
    single.sort(key=lambda s: (sites[s[0]].kind == "barrier", expected[s[0]][s[1]]))
    return [{k: c} for k, c in single]
