# SPDX-License-Identifier: MIT
"""The effects that are expected before a program is measured: the order of its measurements follows from them."""
import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from .sites import KEEP, Candidate, Site, key


class Prior(Protocol):
    """A model: ns of one execution of a site's op, written in each of the site's ways."""

    def nanoseconds(self, site: Site) -> dict[str, float]: ...


Effects = list[dict[str, float]]  # of each site: ln(run time with this choice alone / run time) of the program


def effects(prior: Prior, sites: Sequence[Site]) -> Effects:
    """As if the sites took all of the time."""
    ns = [{c: t * site.times for c, t in prior.nanoseconds(site).items()} for site in sites]
    total = max(sum(of[KEEP] for of in ns), 1)
    return [{c: math.log(max(1 + (t - of[KEEP]) / total, 0.02)) for c, t in of.items()} for of in ns]


def picks(expected: Effects, sites: Sequence[Site], many: int, rng: np.random.Generator) -> list[Candidate]:
    """The best by itself, then others that would be the best if the effects were a little different; where these are
    few, the best with one choice more."""
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
    best = next(iter(found.values()), {})
    for alone in sweep(expected, sites):
        if len(found) < many and not best.keys() & alone.keys():
            found.setdefault(key({**best, **alone}), {**best, **alone})
    return list(found.values())


def sweep(expected: Effects, sites: Sequence[Site]) -> list[Candidate]:
    """Each choice alone, by what it is expected to gain; barriers, of which there are many, come last."""
    single = [(k, c) for k, site in enumerate(sites) for c in site.choices[1:]]
    single.sort(key=lambda s: (sites[s[0]].kind == "barrier", expected[s[0]][s[1]]))
    return [{k: c} for k, c in single]
