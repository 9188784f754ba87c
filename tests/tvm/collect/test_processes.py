# SPDX-License-Identifier: MIT
"""Measuring, processes and the program of the collector."""
import contextlib
import io
import json
import os
import resource
import signal
import sys
import tempfile
import time
import unittest
from unittest import mock

import numpy as np

import collect
import command
import measure
import processes
import workloads
from test_trees import rows_of


class Fake:
    """A candidate whose samples are given; None: it dies."""

    def __init__(self, *samples, seconds=0.001):
        self.samples, self.passes, self.state, self.facts = list(samples), [], "ready", {"seconds": seconds}

    def measure(self):
        sample = self.samples.pop(0)
        if sample is None:
            self.state = "crashed"
        return sample


class Measuring(unittest.TestCase):
    def test_turns(self):
        order, fakes = [], [Fake(*[1.0] * 4) for _ in range(2)]
        for k, fake in enumerate(fakes):
            fake.measure = lambda k=k: order.append(k) or 1.0
        measure.measure(fakes)
        self.assertEqual(order, [0, 1] * measure.SAMPLES)

    def test_slow_ones_have_fewer_samples(self):
        slow = Fake(*[1.0] * 9, seconds=0.05)
        measure.measure([slow])
        self.assertEqual(slow.passes, [[1.0, 1.0]])

    def test_noisy_ones_again(self):
        quiet, noisy = Fake(*[1.0] * 8), Fake(*[2.0] * 4, *[1.0] * 4, *[1.3] * 4, *[1.01] * 4)
        measure.measure([quiet, noisy])
        self.assertEqual(measure.settle([quiet, noisy]), 2)
        self.assertEqual([len(quiet.passes), len(noisy.passes)], [2, 4])
        smallest, median, spread = measure.summary(noisy.passes)
        self.assertEqual((smallest, median), (1.0, 1.005))
        self.assertAlmostEqual(spread, 0.005)

    def test_never_settles(self):
        noisy = Fake(*[1.2**k for k in range(40, 0, -1)])
        measure.measure([noisy])
        measure.settle([noisy])
        self.assertEqual(len(noisy.passes), measure.MOST_PASSES)
        self.assertFalse(measure.agree(noisy.passes))

    def test_dies(self):
        dying, other = Fake(1.0, None), Fake(*[1.0] * 4)
        measure.measure([dying, other])
        self.assertEqual((dying.state, dying.passes, other.passes), ("crashed", [[1.0]], [[1.0] * 4]))

    def test_noise_and_spread(self):
        self.assertIsNone(measure.noise([]))
        self.assertAlmostEqual(measure.noise([(1, np.e)] * 10), 1 / np.sqrt(2))
        self.assertAlmostEqual(measure.spread(np.exp(np.linspace(0, 1, 101))), 0.34)
        self.assertAlmostEqual(measure.spread(np.exp([0, 1, 2])), 0.68)  # between two of them: interpolated


class Processes(unittest.TestCase):
    def test_talk(self):
        child = processes.Child(lambda pipe: pipe.send(pipe.recv() + 1))
        child.send(1)
        self.assertEqual(child.receive(), 2)
        self.assertRaises(EOFError, child.receive)
        self.assertEqual(child.end(kill=False), 0)

    def test_silence(self):
        child = processes.Child(lambda pipe: time.sleep(60))
        self.assertIsNone(child.receive(0.01))
        self.assertEqual(child.end(), signal.SIGKILL)

    def test_watchdog_and_siblings(self):
        """A child that hangs is ended by its alarm, and seen to end though another is alive that was made later."""
        def hang(pipe):
            signal.alarm(1)
            while True:
                pass
        first = processes.Child(hang)
        second = processes.Child(lambda pipe: pipe.recv())
        self.assertRaises(EOFError, first.receive, 30)
        self.assertEqual(first.end(kill=False), signal.SIGALRM)
        second.end()

    def test_more_than_files_are_allowed(self):
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, limits)
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, limits[1]))

        def work(tell):
            children = [processes.Child(lambda pipe: pipe.recv()) for _ in range(40)]
            return [child.end() for child in children]
        with tempfile.TemporaryFile() as log:
            self.assertEqual(processes.watch(work, log.fileno(), 60), ([signal.SIGKILL] * 40, None))

    def test_grandchildren_end_too(self):
        def parent(pipe):
            pipe.send(processes.Child(lambda inner: time.sleep(60)).process.pid)
            time.sleep(60)
        child = processes.Child(parent)
        pid = child.receive()
        child.end()
        for _ in range(500):
            with contextlib.suppress(ProcessLookupError, FileNotFoundError):
                with open(f"/proc/{pid}/stat") as file:
                    if file.read().rsplit(")", 1)[1].split()[0] != "Z":
                        time.sleep(0.01)
                        continue
            break
        else:
            self.fail("the grandchild lives on")


def fake_gather(name, wanted, seed, jobs, limits, tell):
    if name.startswith("softmax"):
        os.kill(os.getpid(), signal.SIGSEGV)
    if name.startswith("conv1d"):
        raise RuntimeError("a message for the log")
    tell()
    return rows_of(wanted), {"schedules": wanted, "fastest_ns": 1, "slowest_ns": 2, "noise": 0.1, "spread": 1.0,
                             "seconds": 1.0, "not_measured": {"slow": 1}}


class Program(unittest.TestCase):
    def run_program(self, *arguments, gather=fake_gather):
        out, errors = io.StringIO(), io.StringIO()
        loaded = {"gather": mock.Mock(gather=gather), "tvm_setup": mock.Mock(versions=lambda: {"tvm": "0"})}
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors), mock.patch.dict(sys.modules, loaded):
            try:
                code = collect.main(list(arguments))
            except SystemExit as end:
                code = end.code
        return code, out.getvalue(), errors.getvalue()

    def test_usage(self):
        for arguments, words in (([], "--out DIR"), (["--minutes", "x"], "--minutes: is x, but must be a number"),
                                 (["--out", "/dev/null/x"], "cannot write here"),
                                 (["--core", "4095", "--out", "x"], "cores"),
                                 (["--workloads", "zz*"], "--list prints"), (["--workloads", "zz"], "no kind 'zz'")):
            with self.subTest(arguments):
                code, _, errors = self.run_program(*arguments)
                self.assertIn(code, (collect.USAGE, command.FAILED))
                self.assertIn(words, errors)

    def test_without_numpy(self):
        with mock.patch.dict(sys.modules, {"files": None}):
            code, _, errors = self.run_program("--out", "x")
        self.assertEqual(code, command.FAILED)
        self.assertIn("pip install -r", errors)

    def test_choice(self):
        self.assertEqual(len(collect.choose(["matmul", "matmul_*"], 12, 0)), 12)
        self.assertEqual(collect.choose(["matmul_300_200_100"], 12, 0), ["matmul_300_200_100"])
        self.assertEqual(collect.choose(["*"], 2, 0), workloads.listed(2, 0))

    def test_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["--out", folder, "--per-workload", "3", "--workloads", "matmul_4_4_4", "softmax_8_8",
                         "conv1d_1_8_8_8_3_1"]
            code, out, errors = self.run_program(*arguments)
            self.assertEqual(code, collect.OK)
            self.assertIn("3 schedules of 3 workloads", out)
            self.assertIn("Not measured: 1 slow", out)
            self.assertIn("ended early (signal 11)", errors)
            self.assertIn("it failed; see collect.log", errors)
            with open(os.path.join(folder, "collect.log")) as file:
                self.assertIn("a message for the log", file.read())
            with open(os.path.join(folder, "manifest.json")) as file:
                self.assertEqual(json.load(file)["workloads"]["matmul_4_4_4"]["schedules"], 3)
            self.assertEqual(sorted(f for f in os.listdir(folder) if f.endswith("npz")), ["matmul_4_4_4.npz"])
            self.assertIn("measured already", self.run_program(*arguments)[1])
            code, out, _ = self.run_program(*arguments, "matmul_5_5_5")
            self.assertIn("6 schedules of 4 workloads", out)

    def test_interrupt(self):
        def stopped(*_):
            os.kill(os.getppid(), signal.SIGTERM)
            time.sleep(60)
        with tempfile.TemporaryDirectory() as folder:
            code, _, errors = self.run_program("--out", folder, "--workloads", "matmul_4_4_4", gather=stopped)
            self.assertEqual(code, command.INTERRUPTED)
            self.assertIn("the same command goes on", errors)
            self.assertNotIn("matmul_4_4_4.npz", os.listdir(folder))
