# SPDX-License-Identifier: MIT
"""The collector with TVM."""
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

if not importlib.util.find_spec("tvm"):
    raise unittest.SkipTest("TVM is not installed")

import tvm_setup  # before all of TVM
import candidate
import gather
import measure
import numpy as np
import programs
import schedules
import workloads

LIMITS = measure.Limits(60, 1.0, None)


class WithTvm(unittest.TestCase):
    def task(self, name="matmul_16_16_16"):
        sampler = schedules.Sampler(programs.build(*workloads.parse(name)), 1)
        return sampler, candidate.Task(sampler.context.mod["main"], sampler.context, 1)

    def states(self, limits=LIMITS, count=1, **patched):
        """States that candidates reach when functions of tvm_setup are replaced."""
        sampler, task = self.task()
        with mock.patch.multiple(tvm_setup, **patched):
            prepared = candidate.prepare(task, sampler.draw(count), limits, 2)
        for c in prepared:
            c.end()
        return [c.state for c in prepared], prepared

    def test_every_kind_builds(self):
        for name in workloads.listed(1, 0):
            with self.subTest(name):
                program = programs.build(*workloads.parse(name))
                self.assertGreater(len(program.params[-1].shape), 0)
                self.assertNotIn("layout_free_buffers", program.attrs)  # or MetaSchedule would move the inputs
                self.assertTrue("pointwise" not in name or "pad" not in str(program))

    def test_kinds_are_known(self):
        self.assertEqual(set(programs.KINDS), set(workloads.KINDS))

    def test_a_seed_repeats(self):
        first, second = (self.task()[0].draw(6) for _ in range(2))
        self.assertEqual([d[2] for d in first], [d[2] for d in second])
        self.assertEqual(len({d[2] for d in first}), 6)

    def test_own_schedules_where_the_space_is_small(self):
        draws = self.task("transpose-add_64_32")[0].draw(12)
        self.assertEqual(len(draws), 12)
        self.assertIn(schedules.OWN, [d[1] for d in draws])

    def test_mutation(self):
        sampler, _ = self.task()
        good = [d[0].trace for d in sampler.draw(4)]
        self.assertIn(schedules.MUTATED, [d[1] for d in sampler.draw(12, good)])

    def test_what_can_go_wrong(self):
        load = tvm_setup.load

        def fails(module):
            raise RuntimeError("no code")

        def spins(module):
            while True:
                pass

        def wrong(module):
            return None, lambda *tensors: None

        for expected, limits, replaced in (
                ("ready", LIMITS, load), ("failed", LIMITS, fails), ("crashed", LIMITS, lambda module: os.abort()),
                ("timeout", measure.Limits(1, 1.0, None), lambda module: time.sleep(600)),
                ("timeout", measure.Limits(1, 1.0, None), spins),
                ("wrong", LIMITS, wrong), ("slow", measure.Limits(60, 0.0, None), load)):
            with self.subTest(expected):
                states, prepared = self.states(limits, load=replaced)
                self.assertEqual(states, [expected])
                if expected == "failed":
                    self.assertEqual(prepared[0].facts, "no code")

    def test_gather(self):
        rows, facts = gather.gather("matmul_32_32_32", 5, 0, 2, LIMITS, lambda: None)
        self.assertEqual((len(rows), facts["schedules"]), (5, 5))
        for row in rows:
            self.assertEqual((row["tree"].kind[0][0], row["features"].shape[1]), ("PrimFunc", 164))
            self.assertEqual(sum(row["tree"].children), len(row["tree"]) - 1)
            self.assertGreaterEqual(len(row["passes"]), 2)
            refers = [r for r, kind in zip(row["tree"].refers, row["tree"].kind) if kind[0] in ("Var", "BufferLoad")]
            self.assertGreater(min(refers), 0)
        self.assertEqual(sum(facts["origins"].values()), 5)

    def test_two_commands_after_a_kill(self):
        program = os.path.join(os.path.dirname(gather.__file__), "collect.py")
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, program, "--out", folder, "--per-workload", "4", "--minutes", "5", "--workloads",
                       "matmul_16_16_16", "sum-rows_32_32"]
            first = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            first.stderr.readline()  # of the first workload
            first.kill()
            first.communicate()
            second = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(second.returncode, 0, second.stderr)
            self.assertNotIn("matmul_16_16_16", second.stderr)
            self.assertIn("8 schedules of 2 workloads", second.stdout)
            for name in ("matmul_16_16_16", "sum-rows_32_32"):
                back = np.load(os.path.join(folder, f"{name}.npz"), allow_pickle=False)
                self.assertEqual(len(set(back["schedule_hash"].tolist())), 4)
                self.assertTrue((back["schedule_runtime"] > 0).all())
