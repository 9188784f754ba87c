# SPDX-License-Identifier: MIT
"""The process that builds, compares and runs."""
import signal
import threading
import unittest

import jax
import jax.numpy as jnp
import numpy as np

import augur_jax
from augur_jax.bench import Bench, difference, identity
from augur_jax.program import Program
from augur_jax.worker import Lost, Worker, measure, rounds
from programs import PROGRAMS

RNG = np.random.default_rng(0)


def drawn(*shape):
    return RNG.random(shape).astype(np.float32)


class Comparing(unittest.TestCase):
    def test_difference(self):
        one, large = np.float32([1, 0, 100]), np.float32([1, 0.005, 100])
        for a, b, tolerance, right in (
            (one, one, 1e-7, True), (one, large, 1e-3, True), (one, large, 1e-4, False),
            (one * 1e-9, large * 1e-9, 1e-3, True), (one * 1e-9, one * 1.1e-9, 1e-3, False),  # small ones count as well
            (np.float32([np.nan, np.inf, 1]), np.float32([np.nan, np.inf, 1]), 1e-3, True),
            (np.float32([np.nan, 1]), np.float32([1, 1]), 1e-3, False),
            (np.float32([1, 1]), np.float32([np.nan, 1]), 1e-3, False),
            (np.float32([np.inf]), np.float32([-np.inf]), 1e-3, False),
            (np.float32([3, 1]), np.float32([np.inf, 1]), 1e-3, False),
            (np.int32([1, 2]), np.int32([1, 2]), 0.1, True), (np.int32([1000]), np.int32([1001]), 0.1, False),
            (np.array([True]), np.array([False]), 0.1, False), (np.complex64([1j]), np.complex64([1]), 1e-3, False),
            (np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32), 1e-3, True),
            (np.ones(1, jnp.bfloat16), np.full(1, 1.03, jnp.bfloat16), 1e-3, True),  # two steps of its type
        ):
            self.assertEqual(difference([one, a], [one, b], tolerance) == "", right, (a, b, tolerance))
        self.assertEqual(difference([one], [large], 1e-4),
                         "result 0 differs in 1 of 3 places, first 0.0 and 0.004999999888241291 at (1,)")

    def test_rounds(self):
        self.assertEqual([rounds(0.05, ns) for ns in (1e3, 2e6, 1e9)], [60, 25, 8])


class Building(unittest.TestCase):
    def test_as_jit_does(self):
        """The module that is measured is the one that a user's jit makes, with options, too."""
        for name in ("depthwise", "recurrent"):
            f, args = PROGRAMS[name], PROGRAMS[name].arguments()
            program = Program(f, args)
            bench = Bench(program.leaves, True, 1e-3)
            for options in ({}, {"xla_disable_hlo_passes": "dot-library-rewriter"}):
                bench.build("ours", program.module({}), options)
                lowered = jax.jit(f, keep_unused=True).lower(*args)
                theirs = lowered.compile(compiler_options=options).runtime_executable()
                texts = [e.hlo_modules()[0].to_string() for e in (bench.built["ours"], theirs)]
                self.assertEqual(*map(identity, texts))
                self.assertGreater(len(identity(texts[0])), 1000)

    def test_identity(self):
        """Names of values and sources do not count, all else does."""
        text = ('HloModule a, x=1\n\nFileNames\n1 "f"\n\n%f.1 (p.2: f32[2]) -> f32[2] {\n'
                "  ROOT %p.2 = f32[2]{0} parameter(0), metadata={a=1}\n}\n")
        other = text.replace("p.2", "q").replace("a=1", "a=2").replace("HloModule a", "HloModule b")
        self.assertEqual(identity(text), identity(other))
        self.assertNotEqual(identity(text), identity(text.replace("{0}", "{1}")))


class Working(unittest.TestCase):
    def worker(self, f, *args, **named):
        program = Program(f, args)
        worker = self.enterContext(Worker(program.leaves, program.module({}), 1, **{"tolerance": 1e-3, **named}))
        return program, worker

    def test_measures(self):
        """Right, wrong, known, refused by XLA, and what follows a crash and a hang."""
        f = lambda x, w: jnp.tanh(x @ w)  # noqa: E731
        program, worker = self.worker(f, drawn(300, 40), drawn(40, 50))
        said = measure(worker, program.module({0: "swap"}), {}, {})
        self.assertEqual(said["state"], "ok")
        self.assertAlmostEqual(said["ratio"], said["ns"] / said["original_ns"], 2)
        self.assertEqual(measure(worker, program.module({}), {}, {worker.first["hash"]: 1})["state"], "same")
        other = Program(lambda x, w: jnp.tanh(x @ w) + 0.01, (drawn(300, 40), drawn(40, 50)))
        said = measure(worker, other.module({}), {}, {})
        self.assertEqual(said["state"], "wrong")
        self.assertRegex(said["why"], "result 0 differs in 15000 of 15000 places")
        self.assertEqual(measure(worker, b"no module", {}, {})["state"], "failed")
        said = measure(worker, program.module({}), {"xla_no_such_option": 1}, {})
        self.assertEqual(said["state"], "failed")
        self.assertRegex(said["why"], "xla_no_such_option")

        threading.Timer(0.3, lambda: worker.process.send_signal(signal.SIGSEGV)).start()
        with self.assertRaisesRegex(Lost, r"crashed \(SIGSEGV\)"):
            worker.call("turns", ["original"], 10**7)
        self.assertEqual(measure(worker, program.module({0: "swap"}), {}, {})["state"], "ok")
        worker.limit = 0.2
        with self.assertRaisesRegex(Lost, "took more than 0 seconds"):
            worker.call("turns", ["original"], 10**7)
        self.assertEqual(measure(worker, program.module({}), {}, {})["state"], "ok")

    def test_kinds_of_arguments(self):
        """Random keys, wide floats, whole numbers, numbers of Python, LAPACK, constants."""
        table = drawn(4, 4) + 4 * np.eye(4, dtype=np.float32)

        def f(seed, ids, scale, x):
            return jax.random.normal(seed, (3,)) * scale, jnp.linalg.cholesky(table @ table.T), x[ids]
        with jax.enable_x64(True):
            args = jax.random.key(3), np.int32([1, 0]), 2, np.float64([1, 1 + 1e-12])
            program, worker = self.worker(f, *args, tolerance=1e-7)
            said = measure(worker, program.module({}), {}, {})
            self.assertEqual(said["state"], "ok", said)
            self.assertEqual(program.arguments, ["key<fry>[]", "int32[2]", "int64[]", "float64[2]"])
            wide = Program(lambda a, b, c, x: f(a, b, c, x)[:2] + (x[b] * (1 + 1e-5),), args)
            self.assertEqual(measure(worker, wide.module({}), {}, {})["state"], "wrong")

    def test_refused(self):
        with self.assertRaisesRegex(augur_jax.Refused, "calls back into Python"):
            Program(lambda x: jax.pure_callback(np.sin, x, x), (drawn(3),)).module({})
        with self.assertRaisesRegex(augur_jax.Refused, "an argument is a str"):
            Program(lambda x, how: x, (drawn(3), "relu"))

    def test_results_are_compared(self):
        """A product that some versions of XLA compute wrongly when it is written as a sum: it is right, or refused."""
        f = lambda x, w: jnp.tanh(x) @ w  # noqa: E731
        program, worker = self.worker(f, drawn(128, 512), drawn(512, 64))
        said = measure(worker, program.module({1: "mulsum"}), {}, {})
        x, w = program.leaves

        def summed(x, w):
            terms = jnp.tanh(x.reshape(1, 128, 512))[:, :, None, :] * w.T.reshape(1, 64, 512)[:, None]
            return terms.sum(-1).reshape(128, 64)
        got = jax.jit(summed)(x, w)
        right = np.allclose(got, np.tanh(x) @ w, 1e-3, 1e-2)
        self.assertEqual(said["state"], "ok" if right else "wrong")
