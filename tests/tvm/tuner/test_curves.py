# SPDX-License-Identifier: MIT
"""Tests that need neither TVM nor the library: curves, tables, results that are continued."""
import io
import os
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from unittest import mock

import curves
import tune
import command  # of the collector, like workloads
import workloads

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3, "examples", "data", "schedules")
RUNS = {("a", "random", 0): [None, 400, 200, 800], ("a", "offline", 0): [100, 400],
        ("b", "random", 0): [900, 900, 900, 300], ("b", "offline", 0): [300, 600, 600, 600]}


class Drawing(unittest.TestCase):
    def test_best_so_far(self):
        self.assertEqual(curves.best_so_far([None, 400, 200, 800], 4), [800, 400, 200, 200])
        self.assertEqual(curves.best_so_far([100, None], 4), [100] * 4)
        self.assertIsNone(curves.best_so_far([None, None], 2))

    def test_means(self):
        c = curves.Curves(RUNS, 4)
        self.assertEqual(c.best, {"a": 100, "b": 300})
        self.assertAlmostEqual(c.relative("random", 1), (8 * 3) ** 0.5)
        self.assertAlmostEqual(c.relative("random", 4), 2 ** 0.5)
        self.assertAlmostEqual(c.relative("offline", 1), 1)
        text = curves.table(c, tune.titles("TPGNN"))
        self.assertIn("| random | TPGNN |", text)
        self.assertIn("| a | 1 | 0.20 | 0.10 |", text)
        self.assertIn("| 4 | 1.414 | 1.000 |", text)

    def test_only_what_all_methods_have(self):
        runs = {**RUNS, ("c", "random", 0): [1, 2], ("b", "random", 1): [5]}
        c = curves.Curves(runs, 4)
        self.assertEqual(c.seeds, {"a": [0], "b": [0]})
        self.assertIn("No task", curves.table(curves.Curves({("a", "random", 0): [None]}, 4), tune.titles("TPGNN")))


class Choices(unittest.TestCase):
    def test_tasks_are_held_out(self):
        known = {name[:-4] for name in os.listdir(DATA) if name.endswith(".npz")} if os.path.isdir(DATA) else set()
        known |= set(workloads.listed(40, 0))
        self.assertFalse(known & set(tune.TASKS))
        for name in tune.TASKS:
            kind, shape = workloads.parse(name)
            self.assertTrue(workloads.of_use(kind, shape), name)

    def run_tune(self, *arguments):
        said = io.StringIO()
        with redirect_stderr(said), redirect_stdout(said):
            code = tune.main(["--library", "/nowhere.so", "--run", "/nowhere", *arguments])
        return code, said.getvalue()

    def test_sentences(self):
        with tempfile.TemporaryDirectory() as folder:
            code, said = self.run_tune("--out", folder, "--tasks", "matmul_3")
            self.assertEqual((code, "the form is" in said), (tune.USAGE, True), said)
            code, said = self.run_tune("--out", folder, "--core", "4000")
            self.assertEqual((code, "may use the cores" in said), (tune.USAGE, True), said)
            code, said = self.run_tune("--out", folder)
            self.assertEqual((code, "nowhere.so cannot be loaded" in said), (command.FAILED, True), said)
            with mock.patch.dict(sys.modules, {"models": None}):
                code, said = self.run_tune("--out", folder)
            self.assertEqual((code, "pip install -r" in said), (command.FAILED, True), said)

    def test_results_are_kept_and_checked(self):
        options = tune.parser().parse_args(["--run", "r", "--library", "l", "--out", "o"])
        settings = {name: getattr(options, name) for name in tune.MEANS}
        with tempfile.TemporaryDirectory() as folder:
            book = tune.Book(folder, settings)
            book.add(("a", "random", 0), {"trials_ns": [3, 2]})
            again = tune.Book(folder, settings)
            self.assertEqual(again.trials(), {("a", "random", 0): [3, 2]})
            with self.assertRaisesRegex(tune.Refused, "trials"):
                tune.Book(folder, {**settings, "trials": 3})
            for broken in ("{", '{"settings": {}}', '{"settings": {}, "runs": [1]}'):
                with open(os.path.join(folder, "results.json"), "w", encoding="utf-8") as file:
                    file.write(broken)
                with self.assertRaisesRegex(tune.Refused, "not what tune.py writes"):
                    tune.Book(folder, settings)
