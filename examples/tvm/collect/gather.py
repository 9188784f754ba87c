# SPDX-License-Identifier: MIT
"""Measured schedules of one workload."""
import collections
import time

import candidate
import measure
import programs
import schedules
import workloads

BATCH = 16  # candidates that are compiled, and then take turns
GOOD = 8  # schedules that are changed to make new ones
HOPELESS = 4  # ends a workload after so many times the wanted number of candidates


class Gathering:
    def __init__(self, name, wanted, seed, jobs, limits):
        program = programs.build(*workloads.parse(name))
        self.wanted, self.jobs, self.limits = wanted, jobs, limits
        self.sampler = schedules.Sampler(program, f"{seed}:{name}")
        self.task = candidate.Task(program, self.sampler.context, seed)
        self.ready, self.trees = [], set()
        self.counts, self.reasons = dict.fromkeys(candidate.FAILURES, 0), collections.Counter()

    def run(self, tell):
        """Rows for columns.pack, one per schedule. tell() is called now and then."""
        tried = 0
        try:
            while len(self.ready) < self.wanted and tried < HOPELESS * self.wanted:
                draws = self.sampler.draw(min(BATCH, self.wanted - len(self.ready)), self.good())
                if not draws:
                    break
                tried += len(draws)
                self.add(draws)
                tell()
            self.again = measure.settle(self.ready, tell)
            self.ready = self.kept(self.ready)
            return [{**c.facts, "origin": c.origin, "hash": c.identity, "passes": c.passes} for c in self.ready]
        finally:
            for c in self.ready:
                c.end()

    def add(self, draws):
        """Compiles and measures once."""
        batch = candidate.prepare(self.task, draws, self.limits, self.jobs)
        for c in batch:
            if c.state == "ready" and self.is_twin(c):
                c.state = "twin"
                c.end()
        batch = self.kept(batch)
        measure.measure(batch)
        self.ready += self.kept(batch)

    def kept(self, candidates):
        """Those that are ready. Counts the others."""
        for c in candidates:
            if c.state != "ready":
                self.counts[c.state] += 1
            if c.state == "failed":
                self.reasons[c.facts] += 1
        return [c for c in candidates if c.state == "ready"]

    def is_twin(self, c):
        """Whether a schedule before has the same lowered program: a model could not tell the two apart."""
        mark = c.facts["tree"].mark()
        seen = mark in self.trees
        self.trees.add(mark)
        return seen

    def good(self):
        """Traces of the fastest; none before the first batch."""
        fastest = sorted(self.ready, key=lambda c: min(map(min, c.passes)))[:GOOD]
        return [c.schedule.trace for c in fastest if c.origin != schedules.OWN]


def known_of(rows):
    """The manifest's facts that only the rows say. Of a schedule with one pass nobody knows the noise."""
    minima = [[min(p) for p in r["passes"]] for r in rows]
    times = [min(m) for m in minima]
    noise, spread = measure.noise([m[:2] for m in minima if len(m) > 1]), measure.spread(times)
    ns = [round(t * 1e9) for t in times]
    return {
        "schedules": len(rows), "fastest_ns": min(ns, default=None), "slowest_ns": max(ns, default=None),
        "noise": noise and round(noise, 5), "spread": spread and round(spread, 5),
        "noisy": sum(not measure.agree(r["passes"]) for r in rows),
        "origins": {o: sum(r["origin"] == i for r in rows) for i, o in enumerate(schedules.ORIGINS)},
    }


def gather(name, wanted, seed, jobs, limits, tell):
    """(rows, the manifest's facts) of a workload."""
    start = time.monotonic()
    gathering = Gathering(name, wanted, seed, jobs, limits)
    rows = gathering.run(tell)
    return rows, {**known_of(rows), "measured_again": gathering.again,
                  "not_measured": {**gathering.counts, **gathering.sampler.counts},
                  "seconds": round(time.monotonic() - start, 1),
                  **({"reasons": gathering.reasons} if gathering.reasons else {})}
