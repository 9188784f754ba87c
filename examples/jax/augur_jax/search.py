# SPDX-License-Identifier: MIT
"""The search: what is measured, in which order, and what wins."""
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .additive import SIMPLE, Additive
from .journal import Journal
from .prior import Prior, effects, picks, sweep
from .program import Program
from .refused import Refused
from .sites import Candidate, Site, key
from .worker import Failed, Lost, Worker, measure, rounds

NULLS, PICKS, FINALISTS = 4, 10, 3
DRAWS, ROUND = 5000, 5  # combinations that are ranked, and measured before the next ranking
UNTIL = {"null": 0.15, "pick": 0.35, "option": 0.45, "sweep": 0.65, "combination": 0.85}  # of the time
QUIET = 0.003  # noise that no machine is below
GOOD = ("ok", "same")


@dataclass
class Outcome:
    """winner: empty where the original wins. ratio: of its time to the original's, of the slower of two builds. noise:
    of ln(ratio). shares: of each choice in the gain."""

    winner: Candidate
    ratio: float
    noise: float
    original_ns: float
    shares: dict[int, float]


def noise_of(nulls: Sequence[float], last: float) -> float:
    """Of ln(ratio): the deviation that the middle of the nulls tells, which one of them cannot spoil, or, if larger,
    how far two builds of the original are apart at the end."""
    return max(QUIET, 1.48 * float(np.median(np.abs(nulls))), abs(last))


class Search:
    """tell(stage, part of the time, lines) is called after each measurement."""

    def __init__(self, program: Program, worker: Worker, journal: Journal, prior: Prior, seconds: float,
                 tell: Callable[[str, float, list[dict[str, Any]]], None]):
        self.program, self.worker, self.journal, self.prior = program, worker, journal, prior
        self.seconds, self.tell, self.sites = seconds, tell, program.sites
        self.known = {key(x["candidate"]): x for x in journal.lines if x["stage"] not in ("null", "final")}
        good = [line for line in journal.lines if line["state"] == "ok"]
        self.hashes = {line["hash"]: line["ratio"] if line["candidate"] else 1.0 for line in good}

    def run(self) -> Outcome:
        self.stage("null", ({} for _ in range(NULLS - len(self.nulls()))))
        if not self.nulls():
            raise Refused(f"the function cannot be measured as it is: {self.journal.lines[-1]['why']}; see whether it "
                          "runs under jax.jit on the CPU")
        expected = effects(self.prior, self.sites)
        self.stage("pick", picks(expected, self.sites, PICKS, np.random.default_rng(0)))
        alone = sweep(expected, self.sites)
        self.stage("option", [c for c in alone if self.site(c).kind == "option"])
        self.stage("sweep", [c for c in alone if self.site(c).kind != "option"])
        while self.part() < UNTIL["combination"]:
            model = Additive(self.sites, expected, self.measured())
            rng = np.random.default_rng(len(self.journal.lines))
            best = model.combinations(self.bad() | self.twins(), self.known, DRAWS, ROUND, rng)
            if not best:
                break
            self.stage("combination", best)
        outcome = self.decide(Additive(self.sites, expected, self.measured()))
        self.tell("final", 1.0, self.journal.lines)
        return outcome

    def site(self, alone: Candidate) -> Site:
        return self.sites[next(iter(alone))]

    def nulls(self) -> list[dict[str, Any]]:
        return [line for line in self.journal.lines if line["stage"] == "null" and line["state"] == "ok"]

    def part(self) -> float:
        """Of the time that is spent."""
        return self.journal.spent() / self.seconds

    def measured(self) -> list[tuple[Candidate, float]]:
        return [(line["candidate"], line["ratio"]) for line in self.journal.lines if line["state"] in GOOD]

    def bad(self) -> set[tuple[int, str]]:
        """Choices that gave no right program by themselves."""
        return {k[0] for k, line in self.known.items() if len(k) == 1 and line["state"] not in GOOD}

    def twins(self) -> set[tuple[int, str]]:
        """Choices that by themselves gave the module of the original, or of an earlier choice: half of all combinations
        have one, and would be built for nothing."""
        seen, found = {line["hash"] for line in self.nulls()}, set()
        for k, line in self.known.items():
            if len(k) == 1 and line["state"] in GOOD:
                found |= {k[0]} if line["hash"] in seen else set()
                seen.add(line["hash"])
        return found

    def wrong(self) -> list[str]:
        """The choices whose programs have other results, where one alone or two together have them."""
        bad = self.bad()
        wrong = [k for k, line in self.known.items() if line["state"] == "wrong"]
        few = [k for k in wrong if len(k) == 1 or len(k) == 2 and not bad.intersection(k)]
        return [" and ".join(self.sites[at].named(choice) for at, choice in k) for k in few]

    def stage(self, stage: str, candidates: Iterable[Candidate]) -> None:
        """Measures those that are not known, while the stage has time."""
        for candidate in candidates:
            if self.part() > UNTIL[stage]:
                return
            if not candidate or key(candidate) not in self.known:
                self.measure(stage, candidate)
            self.tell(stage, self.part(), self.journal.lines)

    def measure(self, stage: str, candidate: Candidate) -> None:
        known = self.hashes if candidate else {}
        try:
            module = self.program.module(candidate)
        except Exception as reason:  # a way to write an op that its shapes or types do not allow
            said: dict[str, Any] = {"state": "failed", "why": f"{type(reason).__name__}: {reason}"[:400]}
        else:
            said = measure(self.worker, module, self.program.options(candidate), known)
        if said["state"] == "same":
            said["ratio"] = known[said["hash"]]
        if said["state"] == "ok":
            self.hashes.setdefault(said["hash"], said["ratio"] if candidate else 1.0)
        line: dict[str, Any] = {"stage": stage, "candidate": dict(candidate), **said}
        self.journal.add(line)
        if candidate:
            self.known[key(candidate)] = line

    # ---- the winner ----

    def decide(self, model: Additive) -> Outcome:
        """The best are built twice and measured again in turn with two builds of the original, which wins unless a gain
        is larger than twice the noise."""
        original = float(np.median([line["original_ns"] for line in self.nulls()]))
        finalists = self.finalists(model)
        again: list[list[float]] = []
        while finalists and not again:
            again = self.again(finalists)
            if not again:  # one of them is lost: the best alone
                finalists = finalists[:1] if len(finalists) > 1 else []
        last = 0.0
        if again:
            original, last = sum(again[0]) / 2, math.log(again[0][0] / again[0][1])
        floor = noise_of([math.log(line["ratio"]) for line in self.nulls()], last)
        gains = [math.log(original / max(builds)) for builds in again[1:]]
        good = [i for i, gain in enumerate(gains) if gain > 2 * floor and gain >= max(gains) - floor]
        if not good:
            return Outcome({}, 1.0, floor, original, {})
        best = min(good, key=lambda i: (len(finalists[i]), -gains[i]))  # of equals the simplest
        return Outcome(finalists[best], math.exp(-gains[best]), floor, original, model.shares(finalists[best]))

    def finalists(self, model: Additive) -> list[Candidate]:
        """The fastest modules, and the first without choices that seem to gain nothing."""
        found: dict[str, Candidate] = {}
        for line in sorted((x for x in self.known.values() if x["state"] in GOOD), key=lambda x: x["ratio"]):
            if line["ratio"] < 1:
                found.setdefault(line["hash"], line["candidate"])
        best = list(found.values())[:FINALISTS]
        fewer = {k: c for k, c in best[0].items() if model.of(k, c) < -SIMPLE} if best else {}
        if fewer and fewer not in best and self.known.get(key(fewer), {"state": "ok"})["state"] in GOOD:
            best.append(fewer)
        return best

    def again(self, finalists: list[Candidate]) -> list[list[float]]:
        """ns of two builds of the original and of each finalist, in a process that has measured nothing yet; nothing
        where it was lost or results differ."""
        named = [{str(k): c for k, c in x.items()} for x in finalists]
        line: dict[str, Any] = {"stage": "final", "candidate": {}, "candidates": named}
        before = [x["ns"] for x in self.journal.lines if x["state"] == "again" and x["candidates"] == named]
        try:
            ns = before[-1] if before else turns(self.program, self.worker, [{}, *finalists])
        except (Lost, Failed) as reason:
            self.journal.add({**line, "state": "lost", "why": str(reason)})
            return []
        if not before:
            self.journal.add({**line, "state": "again", "ns": ns})
        return [ns[i:i + 2] for i in range(0, len(ns), 2)]


def turns(program: Program, worker: Worker, candidates: Sequence[Candidate]) -> list[float]:
    """ns of two builds of each, measured in turns in a new process."""
    worker.end()
    names = []
    for k, candidate in enumerate(candidates):
        module = program.module(candidate)
        for build in (0, 1):
            names.append(f"{k} {build}")
            worker.call("build", names[-1], module, program.options(candidate))
            wrong = worker.call("compare", names[-1])["wrong"]
            if wrong:
                raise Failed(wrong)
    return list(map(round, worker.call("turns", names, rounds(0.3, worker.first["ns"], 15, 100))))
