# SPDX-License-Identifier: MIT
"""The file of a tuned program, what load makes of it, and a recorded search."""
import contextlib
import dataclasses
import io
import json
import os
import shutil
import tempfile
import unittest
import warnings
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

import jax
import jax.numpy as jnp
import numpy as np

import augur_jax
from augur_jax import command, machine, tuner
from augur_jax.program import Program
from augur_jax.tuned import Tuned
from programs import PROGRAMS

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDED = os.path.join(HERE, "depthwise.journal")
RNG = np.random.default_rng(0)
ARGS = RNG.random((6, 4)).astype(np.float32), RNG.random((4, 5)).astype(np.float32)


def product(x, w):
    return jnp.tanh(x @ w).sum(0)


class InFolder(unittest.TestCase):
    def setUp(self):
        self.path = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "f.json")


class Loading(InFolder):
    def tuned(self, winner, **changed):
        program = Program(product, ARGS)
        tuned = Tuned("product", program.fingerprint, program.arguments, machine.described(), 1e-3, program.sites,
                      winner, 0.5, 0.01, 2e6, {0: 0.75}, {"variants": 9, "distinct": 7, "wrong": 1},
                      ["mulsum at dot 1x6x5x4"])
        dataclasses.replace(tuned, **changed).write(self.path)
        return program.sites

    def load(self, f=product):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            return augur_jax.load(self.path, f), [str(w.message) for w in said]

    def test_applies(self):
        """The rewritten function is called, alone and under transformations."""
        self.assertEqual([s.kind for s in self.tuned({0: "swap"})][:2], ["dot", "sum"])
        g, said = self.load()
        self.assertEqual((said, g.__name__), ([], "product"))
        text = str(jax.make_jaxpr(g)(*ARGS))
        self.assertIn("transpose", text)
        self.assertNotIn("transpose", str(jax.make_jaxpr(product)(*ARGS)))
        for f in (lambda h: h(*ARGS), lambda h: jax.jit(h)(*ARGS),
                  lambda h: jax.grad(lambda x: h(x, ARGS[1]).sum())(ARGS[0]),
                  lambda h: jax.vmap(h, (0, None))(np.stack([ARGS[0]] * 3), ARGS[1])):
            np.testing.assert_allclose(f(g), f(product), 1e-5)

    def test_options(self):
        """They hold for calls of their own; inside of another jit they are said."""
        sites = self.tuned({})
        at = next(k for k, s in enumerate(sites) if s.what == "optimization level")
        self.tuned({at: "1"})
        g, _ = self.load()
        np.testing.assert_allclose(g(*ARGS), product(*ARGS), 1e-5)
        with self.assertWarnsRegex(UserWarning, r"compiler_options=\{'xla_backend_optimization_level': 1\}"):
            np.testing.assert_allclose(jax.jit(g)(*ARGS), product(*ARGS), 1e-5)

    def test_original_won(self):
        self.tuned({})
        self.assertIs(self.load()[0], product)

    def test_other_machine(self):
        """f itself, with a warning that says what is different."""
        for name, value in (("jaxlib", "0.1"), ("processor", "abacus"), ("threads", 99)):
            self.tuned({0: "swap"}, machine={**machine.described(), name: value})
            g, said = self.load()
            self.assertIs(g, product)
            self.assertRegex(said[0], f"made with {name} {value}, not .*: the function runs as it is; tune it again")

    def test_other_program(self):
        """Of other shapes and types, or another function: as it is, with a warning at the call."""
        self.tuned({0: "swap"})
        other = lambda x, w: jnp.tanh(x @ w).max(0)  # noqa: E731
        for f, args in ((product, (ARGS[0][:5], ARGS[1])), (product, tuple(a.astype(np.float16) for a in ARGS)),
                        (other, ARGS)):
            g, said = self.load(f)
            self.assertEqual(said, [])
            with self.assertWarnsRegex(UserWarning, r"not the program that was tuned, for \(float32\[6,4\], float32"):
                np.testing.assert_allclose(g(*args), f(*args), 1e-3)

    def test_damaged(self):
        self.tuned({0: "swap"})
        whole = Path(self.path).read_text("utf-8")
        value = json.loads(whole)
        bad = [whole[:n] for n in range(0, len(whole) - 2, 101)]
        needed = [name for name in value if name not in ("wrong", "measured")]
        bad += [json.dumps({k: v for k, v in value.items() if k != name}) for name in needed]
        matter = "format machine sites winner ratio noise original_ns shares measured".split()
        bad += [json.dumps({**value, name: [None]}) for name in matter] + ["[]", "3", "[" * 100000]
        bad += [json.dumps({**value, "name": 1}), json.dumps({**value, "wrong": [1]})]
        bad += [json.dumps({**value, "sites": [{**s, k: None} for s in value["sites"]]}) for k in ("what", "where")]
        bad += [json.dumps({**value, "winner": winner}) for winner in ({"0": "shifted"}, {"99": "swap"})]
        for content in bad:
            Path(self.path).write_text(content, "utf-8")
            with self.assertRaises(augur_jax.Refused, msg=content[:200]):
                augur_jax.load(self.path, product)
        with self.assertRaisesRegex(augur_jax.Refused, "cannot be read: No such file"):
            augur_jax.show(self.path + "x")

    def test_show(self):
        self.tuned({0: "swap"})
        said = augur_jax.show(self.path)
        line = product.__code__.co_firstlineno + 1
        self.assertRegex(said, rf"0 dot +1x6x5x4 +test_tuned.py:{line} +swap +75 %")
        self.assertIn("original 2.000 ms, tuned 1.000 ms: 0.500 of its time, noise 0.010", said)
        self.assertIn("wrong: mulsum at dot 1x6x5x4", said)
        self.tuned({})
        self.assertIn("original 2.000 ms: nothing is faster by more than twice the noise", augur_jax.show(self.path))


class Guess:
    """The prior of the recorded search, which no other model changes."""

    def nanoseconds(self, site):
        return {c: 1000.0 * {"shifted": 0.5, "im2col": 0.8}.get(c, 1.0) for c in site.choices}


class Recorded(InFolder):
    """A journal of a minute's search for programs.kinds.depthwise: nothing is measured here."""

    def tune(self, minutes=1.0):
        with open(RECORDED, encoding="utf-8") as file:
            header = json.loads(file.readline())
        shutil.copy(RECORDED, self.path + ".journal")
        described = {k: header[k] for k in machine.described()}
        with mock.patch.object(machine, "described", return_value=described), \
                mock.patch.object(tuner.Worker, "start", side_effect=AssertionError("measured")):
            f = PROGRAMS["depthwise"]
            tuned = augur_jax.tune(f, *f.arguments(), minutes=minutes, out=self.path, prior=Guess(), quiet=True)
            return tuned, f, augur_jax.load(self.path, f)

    def test_replay(self):
        tuned, f, g = self.tune()
        self.assertEqual({tuned.sites[k].kind for k in tuned.winner if tuned.winner[k] == "shifted"}, {"conv"})
        self.assertLess(tuned.ratio, 0.3)
        self.assertGreater(tuned.counts["variants"], 30)
        for a, b in zip(jax.tree.leaves(f(*f.arguments())), jax.tree.leaves(g(*f.arguments())), strict=True):
            np.testing.assert_allclose(a, b, 1e-3, 1e-4)
        self.assertEqual(Tuned.read(self.path).table(), tuned.table())

    def test_command_shows(self):
        tuned, _, _ = self.tune()
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            self.assertEqual(command.main(["show", self.path]), command.OK)
        self.assertEqual(said.getvalue().strip(), tuned.table())

    def test_page(self):
        """All sites, a point for each variant, and no text that a browser would take for more than that."""
        tuned, _, _ = self.tune()
        page = self.path + ".html"
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(command.main(["show", self.path, "--html", page]), command.OK)
        said = Path(page).read_text("utf-8")
        root = ElementTree.fromstring(said[said.index("<svg"):said.index("</svg>") + 6])
        self.assertEqual(len(root.findall("circle")), len(tuned.measured))
        self.assertGreater(len(tuned.measured), 30)
        lowest = max(float(c.get("cy")) for c in root.findall("circle"))
        self.assertEqual(float(root.find("path").get("d").split("V")[-1]), lowest)
        self.assertEqual(said.count("<tr><td>"), len(tuned.sites))
        sites = [dataclasses.replace(tuned.sites[0], what="<i>"), *tuned.sites[1:]]
        strange = dataclasses.replace(tuned, name="<lambda>", wrong=["<b> & c"], winner={}, measured=[], sites=sites)
        strange.write(self.path)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
            self.assertEqual(command.main(["show", self.path, "--html", page]), command.OK)
            self.assertEqual(command.main(["show", self.path, "--html", "/nowhere/a"]), command.FAILED)
        self.assertIn("/nowhere/a cannot be written", errors.getvalue())
        said = Path(page).read_text("utf-8")
        self.assertIn("&lt;b&gt; &amp; c", said)
        self.assertNotIn("<lambda>", said)
        self.assertIn("&lt;i&gt;", said)
        self.assertNotIn("<svg", said)


class Asking(unittest.TestCase):
    def test_refused(self):
        for named, sentence in (({"minutes": 0}, "minutes is 0; it has to be above 0"),
                                ({"tolerance": 1}, "tolerance is 1; it has to be"),
                                ({"threads": 2}, "threads is 2; it has to be 1, or None")):
            with self.assertRaisesRegex(augur_jax.Refused, sentence):
                augur_jax.tune(product, *ARGS, **named)

    def test_command(self):
        """Sentences for what cannot be found, and the exit codes of the other programs."""
        for given, sentence in ((["tune", "product"], "is not MODULE:NAME"),
                                (["tune", "nowhere:f"], "the module nowhere cannot be imported"),
                                (["tune", "test_tuned:nothing"], "the module test_tuned has no nothing"),
                                (["tune", "test_tuned:product"], r"has no arguments\(\)"),
                                (["show", "/nowhere"], "cannot be read")):
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                self.assertEqual(command.main(given), command.FAILED)
            self.assertRegex(said.getvalue(), rf"^augur-jax: .*{sentence}")
        for given in ([], ["tune", "a:b", "--minutes", "0"], ["ops"], ["tune", "a:b", "--tolerance", "x"]):
            with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit) as ended:
                command.main(given)
            self.assertEqual(ended.exception.code, command.USAGE)
