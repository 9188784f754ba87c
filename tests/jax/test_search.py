# SPDX-License-Identifier: MIT
"""The search, with a machine that is made up: what is measured, what wins, and what a kill loses."""
import json
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

from augur_jax import additive, prior, search
from augur_jax.journal import Journal
from augur_jax.refused import Refused
from augur_jax.sites import Site, key
from augur_jax.worker import Failed, Lost

SITES = [Site("dot", ("keep", "swap", "unroll_k"), "8x8x8x8", "", {"batch": 8, "left": 8, "right": 8, "summed": 8}),
         Site("conv", ("keep", "nchw", "shifted"), "1x9x4 with 3x1x4", "model.py:3",
              {"batch": 1, "left": 9, "right": 1, "summed": 1, "window": 3, "groups": 4, "axes": 1}),
         Site("barrier", ("keep", "barrier"), "exp 64", "", {"left": 64}),
         Site("option", ("keep", "512"), "vector width")]
EFFECT = {(0, "swap"): 0.3, (0, "unroll_k"): -0.4, (1, "nchw"): 0.1, (1, "shifted"): -0.7, (2, "barrier"): 0.0,
          (3, "512"): -0.1}


class Program:
    """Its modules are its candidates."""

    sites, fingerprint = SITES, "made up"

    def module(self, candidate):
        return json.dumps({str(k): c for k, c in sorted(candidate.items())}).encode()

    def options(self, candidate):
        return {}


class Guess:
    """A prior that knows which choices gain."""

    def nanoseconds(self, site):
        if site.kind == "option":
            return dict.fromkeys(site.choices, 0.0)
        return {c: 100.0 * {"unroll_k": 0.65, "shifted": 0.1}.get(c, 1.0) for c in site.choices}


class Machine:
    """A worker whose run times are sums of effects with noise. states: what becomes of a candidate, by its key."""

    def __init__(self, effect=EFFECT, noise=0.001, states=(), same=()):
        self.effect, self.noise, self.states, self.same = effect, noise, dict(states), dict(same)
        self.first, self.built, self.asked, self.rng = {"ns": 1e6}, {}, [], np.random.default_rng(1)

    def call(self, name, *args):
        if name == "build":
            candidate = {int(k): c for k, c in json.loads(args[1]).items()}
            self.built[args[0]] = candidate
            self.asked.append(candidate)
            if self.states.get(key(candidate)) in ("lost", "failed"):
                raise {"lost": Lost, "failed": Failed}[self.states[key(candidate)]]("as planned")
            return {"hash": str(self.same.get(key(candidate), key(candidate))), "seconds": 0.1}
        if name == "compare":
            return {"wrong": "all of it" if self.states.get(key(self.built[args[0]])) == "wrong" else "", "ns": 1e6}
        slots = ["o", "variant"] if args[0] == ["original", "variant"] else args[0]
        return [self.run(self.built[slot]) for slot in slots]

    def run(self, candidate):
        noise = self.noise * self.rng.standard_normal()
        return float(1e6 * np.exp(sum(self.effect[pair] for pair in candidate.items()) + noise))

    def end(self):
        pass


class Searching(unittest.TestCase):
    def setUp(self):
        self.path = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "f.journal")

    def search(self, machine, seconds=1e6, header=()):
        machine.built.setdefault("o", {})
        journal = Journal(self.path, {"program": "made up", **dict(header)}, SITES)
        self.addCleanup(journal.close)
        return search.Search(Program(), machine, journal, Guess(), seconds, lambda *_: None)

    def states(self, s, stage=None):
        return [line["state"] for line in s.journal.lines if stage in (None, line["stage"])]

    def test_finds_the_best(self):
        s = self.search(Machine())
        outcome = s.run()
        self.assertEqual(outcome.winner, {0: "unroll_k", 1: "shifted", 3: "512"})
        self.assertAlmostEqual(outcome.ratio, np.exp(-1.2), 2)
        self.assertAlmostEqual(outcome.original_ns, 1e6, -4)
        self.assertAlmostEqual(sum(outcome.shares.values()), 1)
        self.assertGreater(outcome.shares[1], outcome.shares[0])
        self.assertEqual(self.states(s, "null"), ["ok"] * search.NULLS)
        first = next(line for line in s.journal.lines if line["candidate"])
        self.assertEqual((first["stage"], first["candidate"]), ("pick", {0: "unroll_k", 1: "shifted"}))
        measured = [key(c) for c in s.worker.asked[: len(s.known) + search.NULLS]]
        self.assertEqual(len(set(measured) - {()}), len(measured) - search.NULLS)  # nothing twice but the original

    def test_original_wins(self):
        """Unless a gain is larger than twice the noise."""
        for gain, noise, winner in ((0.02, 0.0001, True), (0.02, 0.05, False), (0.004, 0.0, False), (0.0, 0.0, False),
                                    (-0.5, 0.0, False)):
            os.path.exists(self.path) and os.remove(self.path)
            effect = {**dict.fromkeys(EFFECT, 0.5), (0, "swap"): -gain}
            outcome = self.search(Machine(effect, noise)).run()
            self.assertEqual(outcome.winner, {0: "swap"} if winner else {}, (gain, noise))
            self.assertEqual(outcome.ratio == 1, not winner)

    def test_noise(self):
        """One null that was disturbed does not hide a gain, two builds that differ at the end do."""
        self.assertAlmostEqual(search.noise_of([0.01, -0.02, 0.01, 0.8], 0.0), 1.48 * 0.015)
        self.assertEqual(search.noise_of([0.01, -0.02, 0.01, 0.8], -0.3), 0.3)
        self.assertEqual(search.noise_of([0.0], 0.0), search.QUIET)

    def test_slower_build_counts(self):
        """Of two builds of a winner the slower one has to gain."""
        s = self.search(Machine())
        with mock.patch.object(search, "turns", return_value=[1e6, 1e6, 3e5, 1.01e6, 4e5, 1.02e6, 5e5, 1.03e6]):
            self.assertEqual(s.run().winner, {})

    def test_wrong_ones(self):
        """They are named, do not win, and are in no combination."""
        states = {((1, "shifted"),): "wrong", ((0, "swap"),): "failed", ((2, "barrier"),): "lost"}
        machine = Machine(states=states)
        s = self.search(machine)
        self.assertEqual(s.run().winner, {0: "unroll_k", 1: "shifted", 3: "512"})  # a pick, which was right
        self.assertEqual(s.wrong(), ["shifted at conv 1x9x4 with 3x1x4 (model.py:3)"])
        later = [line["candidate"] for line in s.journal.lines if line["stage"] == "combination"]
        self.assertTrue(later)
        self.assertFalse([c for c in later if (1, "shifted") in c.items() or 2 in c or (0, "swap") in c.items()])

    def test_same_module(self):
        """A module that was there is not measured again, and that of the original is worth 1."""
        s = self.search(Machine(same={((0, "swap"),): (), ((1, "nchw"),): ((0, "unroll_k"),)}))
        s.run()
        lines = {key(line["candidate"]): line for line in s.journal.lines if line["candidate"]}
        self.assertEqual((lines[(0, "swap"),]["state"], lines[(0, "swap"),]["ratio"]), ("same", 1.0))
        twin = lines[(0, "unroll_k"),], lines[(1, "nchw"),]
        self.assertEqual(twin[0]["ratio"], twin[1]["ratio"])
        self.assertEqual({x["state"] for x in twin}, {"ok", "same"})

    def test_twins(self):
        """Choices that are another one, or nothing, alone are in no combination."""
        s = self.search(Machine(same={((0, "swap"),): "()", ((1, "nchw"),): ((1, "shifted"),)},
                                states={((0, "swap"), (1, "shifted")): "lost"}))
        s.run()
        alone = {k[0] for k in s.known if len(k) == 1}
        self.assertIn((1, "nchw"), alone)
        self.assertLessEqual(s.twins(), {(0, "swap"), (1, "nchw"), (1, "shifted")})
        self.assertEqual(len(s.twins()), 2)
        combined = [line["candidate"] for line in s.journal.lines if line["stage"] == "combination"]
        self.assertGreater(len(combined), 2)
        self.assertFalse([c for c in combined if s.twins().intersection(c.items())])

    def test_winner_lost_later(self):
        """Where the finalists cannot be measured again the best is tried alone, and then the original wins."""
        s = self.search(Machine())
        with mock.patch.object(search, "turns", side_effect=Lost("crashed")) as turns:
            outcome = s.run()
        self.assertEqual(([len(c.args[2]) for c in turns.call_args_list], outcome.winner), ([4, 2], {}))
        self.assertEqual(self.states(s, "final"), ["lost", "lost"])

    def test_original_cannot_be_measured(self):
        with self.assertRaisesRegex(Refused, "cannot be measured as it is: as planned"):
            self.search(Machine(states={(): "lost"})).run()

    def test_time(self):
        """Each stage has its part of it, and what was measured is decided on."""
        s = self.search(Machine(), seconds=100)
        with mock.patch.object(s.journal, "spent", side_effect=lambda: 2.0 * len(s.journal.lines)):
            s.run()
        last = {line["stage"]: n for n, line in enumerate(s.journal.lines)}
        self.assertLessEqual(last["sweep"], 34)
        self.assertLessEqual(last["final"], 45)

    def test_killed(self):
        """After a kill at any byte at most one measurement is lost, and nothing else is measured again."""
        whole = self.search(Machine())
        whole.run()
        whole.journal.close()
        content = Path(self.path).read_bytes()
        for cut in range(0, len(content), 97):
            Path(self.path).write_bytes(content[:cut])
            left = max(content[:cut].count(b"\n") - 1, 0)
            s = self.search(Machine())
            self.assertEqual(len(s.journal.lines), left)
            self.assertEqual(s.journal.lines, whole.journal.lines[:left])
            s.run()
            s.journal.close()
            again = [key(c) for c in s.worker.asked if c]
            before = {key(line["candidate"]) for line in whole.journal.lines[:left]}
            self.assertFalse(before.intersection(again[:max(len(s.known) - len(before), 0)]))
            self.assertEqual(sum(line["stage"] == "null" for line in s.journal.lines), search.NULLS)

    def test_finished(self):
        """The same call after the end of its time measures nothing, and says the same."""
        first = self.search(Machine())
        outcome = first.run()
        first.journal.close()
        s = self.search(Machine(), seconds=1e-9)
        self.assertEqual(s.run(), outcome)
        self.assertEqual(s.worker.asked, [])

    def test_other_journals(self):
        self.search(Machine(), header={"jaxlib": "1"}).run()
        with self.assertRaisesRegex(Refused, "is being written by another process"):
            self.search(Machine(), header={"jaxlib": "1"})
        self.doCleanups()
        self.setUp()
        self.search(Machine(), header={"jaxlib": "1"}).journal.close()
        with self.assertRaisesRegex(Refused, "was measured with jaxlib 1, not 2"):
            self.search(Machine(), header={"jaxlib": "2"})
        good = '{"at": 1, "stage": "pick", "candidate": {"0": "swap"}, "state": "ok", "ratio": 0.5, "hash": "a"}'
        for bad in ("{}", "[]", "x", "\xff", good.replace("swap", "shifted"), good.replace('"0"', '"9"'),
                    good.replace("0.5", "-1"), good.replace("0.5", "null"), good.replace('"ok"', "3 3")):
            Path(self.path).write_text('{"program": "made up"}\n' + good + "\n" + bad + "\n", "latin-1")
            with self.assertRaisesRegex(Refused, "line 3 of .* is not what augur-jax writes; remove the file"):
                self.search(Machine())


class Models(unittest.TestCase):
    def test_additive(self):
        """It finds effects that measurements have, and keeps to the prior where there are none."""
        expected = [{"keep": 0.0, **{c: -0.05 for c in site.choices[1:]}} for site in SITES]
        rng, measured = np.random.default_rng(0), []
        for _ in range(200):
            c = {k: str(rng.choice(s.choices[1:])) for k, s in enumerate(SITES[:3]) if rng.random() < 0.5}
            measured.append((c, float(np.exp(sum(EFFECT[pair] for pair in c.items())))))
        model = additive.Additive(SITES, expected, measured)
        for (k, c), effect in EFFECT.items():
            self.assertAlmostEqual(model.of(k, c), effect if k < 3 else -0.05, 2)
        best = model.combinations({(1, "shifted")}, {}, 500, 3, rng)
        self.assertEqual(best[0], {0: "unroll_k"})  # none that was never seen, that is bad, or without an effect
        both = {0: "unroll_k", 1: "shifted"}
        self.assertEqual(model.combinations((), {}, 500, 3, rng)[0], both)
        self.assertNotEqual(model.combinations((), {key(both): 1}, 500, 3, rng)[0], both)

    def test_effects(self):
        """Parts of the whole: a site that takes half of the time gains no more than that."""
        class Half:
            def nanoseconds(self, site):
                return {c: 0.0 if site.kind == "option" else 100.0 * (c == "keep") for c in site.choices}
        found = prior.effects(Half(), SITES[:2])
        self.assertAlmostEqual(found[0]["swap"], np.log(0.5))
        self.assertEqual(found[0]["keep"], 0)

    def test_picks(self):
        expected = prior.effects(Guess(), SITES)
        found = prior.picks(expected, SITES, 10, np.random.default_rng(0))
        self.assertEqual(found[0], {0: "unroll_k", 1: "shifted"})
        self.assertEqual(len({key(c) for c in found}), len(found))
        self.assertGreater(len(found), 1)
        alone = prior.sweep(expected, SITES)
        self.assertEqual(alone[0], {1: "shifted"})
        self.assertEqual(alone[-1], {2: "barrier"})
        self.assertEqual(len(alone), sum(len(s.choices) - 1 for s in SITES))
