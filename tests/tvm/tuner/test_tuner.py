# SPDX-License-Identifier: MIT
"""Tests with TVM: the cost model in MetaSchedule, a short comparison of all methods."""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

if not importlib.util.find_spec("tvm"):
    raise unittest.SkipTest("TVM is not installed")

import models
import tvm_setup  # before anything of TVM
import cost_model
import numpy as np
import programs
import schedules
import tvm_ffi
import workloads
from test_models import LIBRARY, RUN
from tvm.s_tir import meta_schedule as ms


class Tuner(unittest.TestCase):
    def candidates(self, count=6, name="matmul_32_32_32"):
        sampler = schedules.Sampler(programs.build(*workloads.parse(name)), 1)
        return sampler.context, [ms.MeasureCandidate(s, []) for s, _, _ in sampler.draw(count)]

    def model(self, **options):
        return cost_model.TpgnnModel(models.Model(RUN, library=LIBRARY), **options)

    def test_scores_in_metaschedule(self):
        context, found = self.candidates(40)
        one, two = self.model(jobs=1, explore=0), self.model(jobs=2, explore=0)
        scores = one.predict(context, found)
        self.assertTrue((np.isfinite(scores) & (scores > 0)).all())  # the search takes what is below 0 for 0
        self.assertEqual(scores.tobytes(), two.predict(context, found).tobytes())
        trees = [cost_model.flattened(c) for c in found]
        self.assertEqual(scores.tobytes(), np.exp(-one.model.predict(models.arrays(trees))[0].score).tobytes())
        self.assertEqual((one.predicted, one.lost, one.failures), (40, 0, 0))

    def test_noise(self):
        context, found = self.candidates(40)
        plain = self.model(explore=0).predict(context, found)
        one, two, other = self.model(seed=3), self.model(seed=3), self.model(seed=4)
        drawn = [one.predict(context, found) for _ in range(2)]
        self.assertEqual([d.tobytes() for d in drawn], [two.predict(context, found).tobytes() for _ in range(2)])
        noise = np.log([*drawn, other.predict(context, found)]) - np.log(plain)
        self.assertEqual(len({row.tobytes() for row in noise}), 3)
        self.assertAlmostEqual(noise.mean(), np.euler_gamma, delta=0.5)  # of Gumbel's distribution; 120 draws
        self.assertAlmostEqual(noise.std(), np.pi / np.sqrt(6), delta=0.5)

    def test_it_never_raises(self):
        context, found = self.candidates()
        good, model = self.model().predict(context, found), self.model()
        lower = tvm_setup.lower

        def fails(module):
            if module.same_as(found[2].sch.mod) or tvm_ffi.structural_equal(module, found[2].sch.mod):
                raise RuntimeError("no")
            return lower(module)

        with mock.patch.object(tvm_setup, "lower", fails):
            scores = model.predict(context, found)
        self.assertEqual((scores[2], model.lost), (-np.inf, 1))
        self.assertEqual(np.delete(scores, 2).tobytes(), np.delete(good, 2).tobytes())
        with mock.patch.object(models, "arrays", side_effect=RuntimeError("broken")):
            self.assertTrue((model.predict(context, found) == -np.inf).all())
            model.steps = 3
            model.update(context, found, [ms.runner.RunnerResult([(i + 1) / 10], None) for i in range(len(found))])
        self.assertEqual((model.failures, model.reason), (2, "broken"))

    def test_online(self):
        context, found = self.candidates(12)
        model = self.model(steps=20, learning_rate=1e-3)
        before = model.predict(context, found)
        results = [ms.runner.RunnerResult([(i % 7 + 1) / 1e5], None) for i in range(11)]
        model.update(context, found, [*results, ms.runner.RunnerResult(None, "failed")])
        (first, last), = model.losses
        self.assertLess(last, first)
        self.assertNotEqual(before.tobytes(), model.predict(context, found).tobytes())
        self.assertEqual((model.failures, model.lost), (0, 0))

    def test_tune_goes_on_where_it_ended(self):
        program = os.path.join(os.path.dirname(models.__file__), "tune.py")
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, program, "--run", RUN, "--library", LIBRARY, "--out", folder, "--tasks",
                       "matmul_16_16_16", "--trials", "6", "--batch", "3", "--population", "8", "--seeds", "1",
                       "--jobs", "1", "--steps", "3", "--compile-seconds", "60"]
            first = subprocess.run([*command, "--methods", "random", "online"], capture_output=True, text=True)
            self.assertEqual(first.returncode, 0, first.stderr)
            second = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(second.returncode, 0, second.stderr)
            self.assertNotIn("random 0: best", second.stderr)
            self.assertIn("xgboost 0: best", second.stderr)
            self.assertIn("| matmul_16_16_16 | 1 |", second.stdout)
            with open(os.path.join(folder, "results.json"), encoding="utf-8") as file:
                runs = json.load(file)["runs"]
            self.assertEqual([len(run["trials_ns"]) for run in runs], [6] * 4)
            self.assertEqual([run["method"] for run in runs], ["random", "online", "xgboost", "offline"])
            self.assertEqual(runs[3]["scored"]["failed_calls"], 0)
            self.assertGreater(runs[3]["scored"]["candidates"], 0)
            self.assertEqual(len(runs[1]["losses"]), 2)
