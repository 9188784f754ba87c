# SPDX-License-Identifier: MIT
"""The model of a program, fitted to its own measurements: ln(run time) is a sum of the effects of its choices."""
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .prior import Effects
from .sites import KEEP, Candidate, Site, key

RIDGE = 0.3  # how many measurements the prior is worth
SIMPLE = 1e-3  # expected gain for which a choice is made at all


class Additive:
    """effect: of each (site, choice) ln(ratio), as measured so far. seen: those that were in a measured program."""

    def __init__(self, sites: Sequence[Site], expected: Effects, measured: Iterable[tuple[Mapping[int, str], float]]):
        self.sites = sites
        self.place = {(k, c): i for i, (k, c) in enumerate((k, c) for k, s in enumerate(sites) for c in s.choices[1:])}
        measured = list(measured)
        hot = np.zeros((len(measured), len(self.place)))
        for row, (candidate, _) in zip(hot, measured):
            row[[self.place[pair] for pair in candidate.items()]] = 1
        before = np.array([expected[k][c] for k, c in self.place])
        rest = np.log([ratio for _, ratio in measured]) - hot @ before
        normal = hot.T @ hot + RIDGE * np.eye(len(before))
        self.effect = before + np.linalg.solve(normal, hot.T @ rest)
        self.seen: np.ndarray = np.asarray(hot.any(0))

    def of(self, k: int, choice: str) -> float:
        return float(self.effect[self.place[k, choice]]) if choice != KEEP else 0.0

    def combinations(self, bad: Collection[tuple[int, str]], known: Mapping[Any, Any], draws: int, most: int,
                     rng: np.random.Generator) -> list[Candidate]:
        """The best of many draws by the sum of effects, without choices of `bad` and those that were never measured,
        nor candidates that are known. A draw takes of each site what would be best with some noise."""
        width = rng.uniform(0, 0.1, (draws, 1))
        width[0] = 0
        total, chosen = np.zeros(draws), []
        for k, site in enumerate(self.sites):
            names = [KEEP] + [c for c in site.choices[1:] if self.seen[self.place[k, c]] and (k, c) not in bad]
            cost = np.array([0.0] + [self.of(k, c) + SIMPLE for c in names[1:]])
            best = np.argmin(cost - width * rng.gumbel(size=(draws, len(names))), 1)
            total += cost[best]
            chosen.append((names, best))
        found: dict[Any, Candidate] = {}
        for draw in np.argsort(total, kind="stable"):
            candidate = {k: names[best[draw]] for k, (names, best) in enumerate(chosen) if best[draw]}
            if candidate and key(candidate) not in known:
                found.setdefault(key(candidate), candidate)
            if len(found) == most:
                break
        return list(found.values())

    def shares(self, candidate: Mapping[int, str]) -> dict[int, float]:
        """Of each choice its part of what a candidate gains, as far as it gains."""
        gains = {k: max(-self.of(k, c), 0.0) for k, c in candidate.items()}
        whole = sum(gains.values())
        return {k: gain / whole if whole else 0.0 for k, gain in gains.items()}
