# SPDX-License-Identifier: MIT
"""The whole way, with measurements: a search that is killed and goes on, random ops, and the programs."""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import jax
import numpy as np

import augur_jax
from augur_jax import ops, rows
from augur_jax.learned import Learned
from augur_jax.sites import size
from programs import PROGRAMS
from test_rewrite import quickly

NESTS = os.environ.get("AUGUR_NESTS", "")


def small(x, w):
    y = jax.lax.conv_general_dilated(x, w, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"),
                                     feature_group_count=64)
    return jax.numpy.tanh(y).sum((0, 1))


def small_arguments():
    rng = np.random.default_rng(0)
    return rng.random((4, 512, 64)).astype(np.float32), rng.random((7, 1, 64)).astype(np.float32)


class Tuning(unittest.TestCase):
    def setUp(self):
        self.path = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "f.json")

    def command(self, *given):
        return [sys.executable, "-m", "augur_jax.command", "tune", "test_whole:small", "--args",
                "test_whole:small_arguments", "--out", self.path, "--threads", "1", *given]

    def journal(self):
        path = Path(self.path + ".journal")
        return path.read_bytes() if path.exists() else b""

    def test_killed_and_goes_on(self):
        chance = random.Random(time.time_ns())
        here = os.path.dirname(os.path.abspath(__file__))
        before = b""
        for _ in range(3):
            process = subprocess.Popen(self.command("--minutes", "5", "--quiet"), cwd=here)
            end = time.monotonic() + 60
            while time.monotonic() < end and len(self.journal()) <= len(before) + 300:
                time.sleep(0.05)
            time.sleep(chance.uniform(0, 1))
            process.kill()
            process.wait()
            now = self.journal()
            self.assertGreater(now.count(b"\n"), before.count(b"\n"))
            self.assertTrue(now.startswith(before[:before.rfind(b"\n") + 1]))
            before = now
        spent = json.loads(before.splitlines()[before.count(b"\n") - 1])["at"]
        done = subprocess.run(self.command("--minutes", str(spent / 60 + 0.1)), cwd=here, capture_output=True,
                              text=True, check=True)
        self.assertTrue(self.journal().startswith(before[:before.rfind(b"\n") + 1]))
        self.assertIn("winners again", done.stderr)
        self.assertIn(augur_jax.show(self.path), done.stdout)
        self.assertRegex(done.stdout, r"0 conv +4x512x64 with 7x1x64, 64 groups +test_whole.py:\d+ +shifted")
        args = small_arguments()
        os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
        self.addCleanup(os.environ.pop, "XLA_FLAGS")
        g = augur_jax.load(self.path, small)
        self.assertIsNot(g, small)
        np.testing.assert_allclose(g(*args), small(*args), 1e-3)


class Ops(unittest.TestCase):
    def test_draws(self):
        """All kinds of sites, within their limits; among them are what models without them misjudge: ops inside of
        loops, operands that have to be moved, gradients of convolutions."""
        rng, kinds, seen = np.random.default_rng(0), set(), Counter()
        for _ in range(300):
            kind, f, shapes = ops.draw(rng)
            sites = augur_jax.sites(f, *(jax.ShapeDtypeStruct(s, np.float32) for s in shapes))
            site = next(s for s in sites if s.kind == kind)
            kinds.add(kind)
            seen.update({kind: site.times > 1})
            seen.update({name: n for name, n in site.facts.items() if name in rows.FLAGS})
            seen.update(base=site.facts.get("base", 1) > 1)
            self.assertLessEqual(max(map(size, shapes)), ops.MOST_ELEMENTS)
            for choice in site.choices:
                row = rows.columns(site, choice)
                self.assertEqual(len(row), len(rows.COLUMNS))
                self.assertTrue(np.isfinite(row).all())
        self.assertEqual(kinds, set(rows.KINDS))
        self.assertEqual({what for what, n in seen.items() if n < 3}, {"scan"})
        self.assertLess(set(rows.FLAGS), set(seen))

    def test_columns(self):
        """Two ways to write an op differ only in the choice, two sizes in what depends on them."""
        def row(m, choice):
            site, = augur_jax.sites(lambda x, w: x @ w, np.ones((m, 32), np.float32), np.ones((32, 8), np.float32))
            return dict(zip(rows.COLUMNS, rows.columns(site, choice)))
        a, b, c = row(16, "keep"), row(16, "swap"), row(32, "keep")
        self.assertEqual({k for k in a if a[k] != b[k]}, {"as keep", "as swap"})
        self.assertEqual({k for k in a if a[k] != c[k]}, {"left", "work", "multiplications", "results"})
        self.assertEqual((a["left"], a["right"], a["summed"], a["is dot"], a["is conv"]), (4, 3, 5, 1, 0))

    def test_measured(self):
        """Files of rows as docs/formats/nests.md has them; the same call goes on after them."""
        with tempfile.TemporaryDirectory() as folder:
            first, before = self.measured(folder, 3), os.listdir(folder)
            more = self.measured(folder, 3)
            self.assertEqual((first, more), (3, 3))
            self.assertLess(set(before), set(os.listdir(folder)))
            names = sorted(os.listdir(folder))
            self.assertTrue(all(name.startswith("ops-0-") for name in names), names)
            for name in names:
                with np.load(os.path.join(folder, name)) as file:
                    items = len(file["config_runtime"])
                    self.assertEqual(file["row_feature"].shape, (items, len(rows.COLUMNS)))
                    self.assertEqual(file["row_offset"].tolist(), list(range(items + 1)))
                    self.assertTrue((np.diff(file["row_group"]) >= 0).all())
                    self.assertTrue((file["config_runtime"] > 0).all() and (file["row_work"] > 1e-30).all())
                    first_of_group = np.flatnonzero(np.diff(file["row_group"], prepend=-1))
                    keep = rows.COLUMNS.index("as keep")
                    self.assertTrue((file["row_feature"][first_of_group, keep] == 1).all())
            if os.access(NESTS, os.X_OK):
                self.same_scores(folder, names)
            else:
                print("nests is not built: it has not read the files of rows, nor was its model evaluated.")

    def measured(self, folder, many):
        """Small ops, until the time is over, which is after so many."""
        done = []
        clock = SimpleNamespace(monotonic=lambda: float(len(done) == many))
        with mock.patch.multiple(ops, OPS_OF_FILE=2, MOST_WORK=1 << 20, MOST_ELEMENTS=1 << 16, time=clock):
            return ops.ops(folder, 0.01, threads=1, tell=lambda number, ways: done.append(ways))

    def same_scores(self, folder, names):
        """Evaluated in Python, a model says what `nests predict` does."""
        for fit, *few in (("network", "--steps", "9"), ("trees", "--trees", "9"), ("both", "--steps", "9")):
            run = os.path.join(folder, fit)
            subprocess.run([NESTS, "train", "--data", folder, "--out", run, "--quiet", "--fit", fit, *few], check=True)
            said = subprocess.run([NESTS, "predict", "--data", folder, "--run", run], check=True, capture_output=True,
                                  text=True).stdout
            theirs = [float(line["score"]) for line in csv.DictReader(said.splitlines())]
            model, ours = Learned(run), []
            for name in names:
                with np.load(os.path.join(folder, name)) as file:
                    ours += model.scores(file["row_feature"], file["row_work"] * file["row_count"]).tolist()
            np.testing.assert_allclose(ours, theirs, atol=1e-5, rtol=0)


class Programs(unittest.TestCase):
    def test_picks(self):
        """The model's picks next to random ones, measured again; the same command measures no variant twice."""
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                done = subprocess.run([sys.executable, "-m", "programs", "mlp", "--picks", "--threads", "1", "--out",
                                       folder], capture_output=True, text=True, check=True)
                with open(os.path.join(folder, "mlp.picks.journal"), encoding="utf-8") as file:
                    stages = Counter(json.loads(line).get("stage") for line in file)
                self.assertEqual((stages["pick"], stages[None]), (10, 1))
                self.assertLessEqual(stages["random"], 10)
                self.assertRegex(done.stdout, r"mlp +\d\.\d{3} +\d\.\d{3}  +\d+\.\d{3} ms")
                self.assertRegex(done.stdout, r"model: geometric mean \d\.\d{3}, [01] of 1 at most 0.67, largest \d")

    def test_all(self):
        """24, each with a site, finite results, and a choice at each kind of site that gives the same."""
        self.assertEqual(len(PROGRAMS), 24)
        for name, f in PROGRAMS.items():
            args = f.arguments()
            sites = augur_jax.sites(f, *args)
            first = {s.kind: k for k, s in reversed(list(enumerate(sites)))}
            self.assertTrue(first, name)
            with self.subTest(name):
                chosen = {k: sites[k].choices[1] for k in first.values()}
                other = augur_jax.rewrite(f, chosen)
                results = quickly(lambda *given: (f(*given), other(*given)))(*args)  # what both share is compiled once
                for a, b in zip(*map(jax.tree.leaves, results), strict=True):
                    self.assertTrue(np.isfinite(a).all(), name)
                    said = str([sites[k].named(c) for k, c in chosen.items()])
                    np.testing.assert_allclose(a, b, 2e-3, 2e-3 * float(np.abs(a).max()), err_msg=said)
