# SPDX-License-Identifier: MIT
"""Layouts: modules as text, configurations, what is counted, and files that tgraph reads."""
import contextlib
import io
import itertools
import json
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np

from augur_jax import Refused, command
from augur_jax.costs import moved
from augur_jax.drawing import Drawing
from augur_jax.hlo import constrained, instructions, stablehlo
from augur_jax.layouts import COSTS, TOLERANCE, Collector, first, second, tau
from augur_jax.manifest import locked
from augur_jax.worker import Failed, Worker
from known_costs import judge, table
from programs.families import FAMILIES

TGRAPH = os.environ.get("AUGUR_TGRAPH", "")
MODULE = """HloModule small, entry_computation_layout={(f32[4,6]{1,0}, f32[6,8]{1,0})->f32[8,4]{1,0}}

ENTRY %main.1 (x.1: f32[4,6], w.1: f32[6,8]) -> f32[8,4] {
  %x.1 = f32[4,6]{1,0} parameter(0)
  %w.1 = f32[6,8]{1,0} parameter(1)
  %dot = f32[4,8]{1,0} dot(%x.1, %w.1), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  %dot.1 = f32[4,8]{1,0} add(%dot, %dot), metadata={op_name="%dot"}
  ROOT %reshape = f32[8,4]{1,0} reshape(%dot.1)
}
"""
OPTIMISED = """HloModule done

%body (t: (s32[], f32[4,8])) -> (s32[], f32[4,8]) {
  %t = (s32[], f32[4,8]{1,0}) parameter(0)
  %value = f32[4,8]{1,0} get-tuple-element(%t), index=1
  %turned = f32[4,8]{0,1} copy(%value)
  ROOT %pair = (s32[], f32[4,8]{1,0}) tuple(%n, %value)
}

ENTRY %main (x: bf16[4,8]) -> bf16[8,4] {
  %x = bf16[4,8]{1,0} parameter(0)
  %loop = (s32[], f32[4,8]{1,0}) while(%start), body=%body, backend_config={"known_trip_count":{"n":"3"}}
  %free = bf16[8,4]{0,1} transpose(%x), dimensions={1,0}
  ROOT %moved = bf16[8,4]{1,0} copy(%free)
}
"""


def drawing(seed=0, drawn=np.zeros((0, 2, 18), np.float32)):
    of = instructions(MODULE)
    return Drawing([of[2], of[4]], of, drawn, np.random.default_rng(seed))


class Text(unittest.TestCase):
    def test_instructions(self):
        of = instructions(MODULE)
        self.assertEqual([one.name for one in of], ["x.1", "w.1", "dot", "dot.1", "reshape"])
        self.assertEqual((of[2].computation, of[2].type, of[2].dims, of[2].minor, of[2].opcode, of[2].operands),
                         ("main.1", "f32", (4, 8), (1, 0), "dot", ["x.1", "w.1"]))
        self.assertEqual([one.type for one in instructions(OPTIMISED)[:3]], ["", "f32", "f32"])

    def test_constrained(self):
        """The result and an operand are held; later uses, and the root, are the held ones."""
        of = instructions(MODULE)
        self.assertEqual(constrained(MODULE, of, {}), MODULE)
        text = constrained(MODULE, of, {2: [[0, 1], None, [0, 1]], 4: [[0, 1], None, None]})
        held = instructions(text)
        self.assertEqual([(one.name, one.dims, one.minor, one.operands) for one in held[2:]], [
            ("augur.1", (6, 8), (0, 1), ["w.1"]), ("dot", (4, 8), (1, 0), ["x.1", "augur.1"]),
            ("augur.2", (4, 8), (0, 1), ["dot"]), ("dot.1", (4, 8), (1, 0), ["augur.2", "augur.2"]),
            ("reshape", (8, 4), (1, 0), ["dot.1"]), ("augur.3", (8, 4), (0, 1), ["reshape"])])
        self.assertEqual([line.split()[1] for line in text.splitlines() if "ROOT" in line], ["%augur.3"])

    def test_obeyed(self):
        """XLA turns the operand, and the results are the same."""
        of, rng = instructions(MODULE), np.random.default_rng(0)
        leaves = [rng.random(shape).astype(np.float32) for shape in ((4, 6), (6, 8))]
        with Worker(leaves, stablehlo(MODULE), 1, 1e-5) as worker:
            worker.call("build", "variant", stablehlo(constrained(MODULE, of, {2: [None, [0, 1], None]})), {})
            self.assertEqual(worker.call("compare", "variant")["wrong"], "")
            self.assertEqual(worker.call("costs", "original")["copied"], 0)
            self.assertEqual(worker.call("costs", "variant")["copied"] % (4 * 6 * 4), 0)
            self.assertGreater(worker.call("costs", "variant")["copied"], 0)

    def test_moved(self):
        """The loop's copy counts three times; a transpose that leaves all in its place does not."""
        self.assertEqual(moved(OPTIMISED), {"copied": 3 * 32 * 4 + 32 * 2, "across": 3 * 32 + 32})


class Drawn(unittest.TestCase):
    def test_all(self):
        """No two are alike, orders are orders, and the end comes when there are no more."""
        own = np.full((1, 2, 18), -1, np.float32)
        own[:, :, :2] = [0, 1]
        every = list(drawing(drawn=own).all())
        self.assertEqual(len({config.tobytes() for config in every}), len(every))
        self.assertIn(own[0].astype(np.int8).tobytes(), [config.tobytes() for config in every])
        self.assertTrue(200 < len(every) < 3**5)  # of five tensors two orders or none, but not none of all
        for config in every:
            for tensor in config.reshape(-1, 6):
                self.assertIn(tensor.tolist()[:2], ([-1, -1], [0, 1], [1, 0]))
                self.assertTrue((tensor[2:] == -1).all())

    def test_one_change(self):
        some = drawing()
        for _ in range(20):
            config = some.one_change()
            self.assertEqual(sorted(config[config >= 0]), [0, 1])
            [(node, layouts)] = some.layouts(config).items()
            self.assertEqual([layout for layout in layouts if layout], [[0, 1]])

    def test_completed(self):
        """Axes that are not given follow as in row-major order."""
        one = instructions(MODULE.replace("[4,8]{1,0} dot", "[2,3,4,8]{3,2,1,0} dot"))[2]
        some = Drawing([one], instructions(MODULE), np.zeros((0, 1, 18)), np.random.default_rng(0))
        config = some.default()
        config[0, :2] = 1, 3
        self.assertEqual(some.layouts(config), {0: [[1, 3, 2, 0], None, None]})

    def test_not_told(self):
        """A tensor without an order given to XLA has none in the file, whoever has drawn it."""
        of = instructions(MODULE.replace("[4,8]{1,0} dot", "[8]{0} dot"))
        some = Drawing([of[2]], of, np.zeros((1, 1, 18)), np.random.default_rng(0))
        for config in some.all():
            self.assertTrue((config[0, :6] == -1).all())

    def test_seed(self):
        first, same, other = (list(itertools.islice(drawing(seed).all(), 9)) for seed in (1, 1, 2))
        self.assertTrue(np.array_equal(first, same))
        self.assertFalse(np.array_equal(first, other))


class Programs(unittest.TestCase):
    def test_families(self):
        """Fifteen, the same at each call, each third a step of training, and no two members of a family alike."""
        self.assertEqual(len(FAMILIES), 15)
        for name, member in FAMILIES.items():
            shapes = set()
            for number in (0, 1, 2):
                f, args = member(number)
                jax.tree.map(np.testing.assert_array_equal, args, member(number)[1])
                result = jax.eval_shape(f, *args)
                self.assertEqual(isinstance(result, tuple), number == 2, name)
                shapes.add(str(jax.tree.map(jnp.shape, args)))
            self.assertEqual(len(shapes), 3, name)


class Measuring(unittest.TestCase):
    """The default, and others, of a program that is only said to have been measured."""

    def subject(self, nulls, states=()):
        """The original again has these states, then is ok with a ratio of 1.1; so have others: their ratio follows from
        their first number."""
        nulls, states, hashes = iter(nulls), iter(states), itertools.count()
        costs = {"accessed": 1.0, "copied": 0.0, "across": 0.0}
        worker = SimpleNamespace(first={"ns": 100, "hash": "as it is"}, call=lambda *_: costs)

        def measured(config, known):
            state = next(states if known else nulls, "ok")
            said = {"state": state, "hash": f"{next(hashes)}"}
            if state != "ok":
                return {**said, "why": "it says so"}
            return {**said, "ratio": 1.2 + config[0, 0] / 10, "original_ns": 100}
        return SimpleNamespace(worker=worker, drawing=drawing(), measured=measured, places=[2, 4])

    def test_first(self):
        """The original is measured again four times, however few others there are, and each time counts."""
        for configs, states in ((2, ()), (40, ["ok", *["wrong"] * 99])):
            arrays, facts = first(self.subject(["ok"] * 4, states), configs)
            self.assertEqual((len(arrays["config_runtime"]), facts["measured_again"]), (2, 4))
            self.assertAlmostEqual(facts["noise"], np.log(1.1), 4)
        arrays, _ = first(self.subject([]), 30)
        given = arrays["node_config_feat"][:, 0, 0].astype(int)
        np.testing.assert_array_equal(arrays["config_runtime"], [100, *(120 + 10 * given[1:])])
        for nulls in (["lost"], ["ok", "wrong"]):
            with self.assertRaisesRegex(Failed, "the original once more: it says so"):
                first(self.subject(nulls), 40)
        with self.assertRaisesRegex(Failed, "no other configuration"):
            first(self.subject([], ["same"] * 100), 40)

    def test_second(self):
        configs = np.full((3, 2, 18), -1)
        configs[1:, 0, 0] = 0, 1
        np.testing.assert_array_equal(second(self.subject([]), configs), [110, 120, 130])
        with self.assertRaisesRegex(Failed, "a configuration once more: it says so"):
            second(self.subject(["ok", "wrong"]), configs)


class Folders(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.facts = {"kind": "layout", "machines": [{"jaxlib": "0"}],
                      "programs": {"small_0": {"family": "small", "number": 0}},
                      "files": {"small_0": {"program": "small_0"}}}

    def collector(self, folder="", **changed):
        Path(self.folder, "manifest.json").write_text(json.dumps({**self.facts, **changed}), "utf-8")
        return Collector({"other": None}, folder or self.folder, 1, 0, 1, "/no/tgraph", print)

    def test_foreign(self):
        """The lab's folders, of other kinds, and damaged ones."""
        for changed in ({"kind": "tile"}, {"machines": [{"cpu": "some"}]}, {"machines": "jax"}, {"machines": {}},
                        {"files": []}, {"programs": {}}, {"files": {"small_0": {}}},
                        {"programs": {"small_0": {"family": "small"}}}):
            with self.assertRaisesRegex(Refused, "is not what augur-jax layouts writes", msg=changed):
                self.collector(**changed)

    def test_again(self):
        with self.assertRaisesRegex(Refused, "there is no family small; they are other"):
            self.collector().again()
        nowhere = os.path.join(self.folder, "nowhere")
        with self.assertRaisesRegex(Refused, "nowhere has no measured programs"):
            self.collector(nowhere).again()
        self.assertFalse(os.path.exists(nowhere))
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertNotEqual(command.main(["layouts", "--again", nowhere, "--each", "2"]), command.OK)
        self.assertIn("--again takes all of its files", said.getvalue())

    def test_noisy(self):
        """Its order would be mostly noise: no file, and the next call measures it again."""
        subject = SimpleNamespace(worker=SimpleNamespace(first={"ns": 100}), drawing=SimpleNamespace(free=[0]))
        said, folder = [], os.path.join(self.folder, "new")
        with (mock.patch("augur_jax.layouts.Subject", lambda *_: subject),
              mock.patch("augur_jax.layouts.Worker", lambda *_: contextlib.nullcontext()),
              mock.patch("augur_jax.layouts.first", lambda *_: ({}, {"noise": 0.02, "spread": 0.1}))):
            collector = Collector({"small": lambda number: None}, folder, 1, 0, 1, "", said.append)
            self.assertEqual(collector.collect(["small"], 1, 5), 0)
        self.assertIn("small_0: not measured: noise 0.020 of a spread of 0.100; the next call tries again", said[0])
        self.assertEqual(collector.manifest.files, {})

    def test_locked(self):
        with locked(self.folder), self.assertRaisesRegex(Refused, "another process measures into"):
            self.collector().collect(["other"], 1, 2)


class Measured(unittest.TestCase):
    """The files of examples/data/xla."""

    def test_whole(self):
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/data/xla")
        files = json.loads(Path(folder, "manifest.json").read_bytes())["files"]
        self.assertEqual({f"{name}.npz" for name in files}, {name for name in os.listdir(folder) if ".npz" in name})
        self.assertEqual({facts["family"] for facts in files.values()}, set(FAMILIES))
        for name, facts in files.items():
            with np.load(os.path.join(folder, f"{name}.npz")) as file:
                ns = file["config_runtime"]
                self.assertEqual({len(file[cost]) for cost in COSTS} | {len(ns)}, {48}, name)
                self.assertTrue((file["node_config_feat"][0] == -1).all(), name)
            self.assertEqual([ns[0], ns.min()], [facts["default_ns"], facts["fastest_ns"]], name)
            self.assertAlmostEqual(np.log(ns).std(), facts["spread"], 5, name)
            self.assertLessEqual(facts["noise"], 0.15 * facts["spread"], name)


class Known(unittest.TestCase):
    def test_judge(self):
        ns = np.array([10, 20, 30, 30])
        self.assertEqual(judge(ns, ns), (1, 1, 0))
        np.testing.assert_allclose(judge(np.array([0, 0, 1, 2]), ns), (4 / 5, 4 / 5, 0.5))
        self.assertEqual(judge(np.zeros(4), ns), (0, 0, 1.25))

    def test_table(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("a.npz", "b.npz")]
            for k, path in enumerate(paths):
                costs = {name: np.array([2, 1, 3]) for name in COSTS}
                ns = np.array([20, 10, 30 - 15 * k])
                passes = {"config_passes": np.stack([ns, ns], 1)} if k else {}
                np.savez(path, config_runtime=ns, **costs, **passes)
            rows = table(paths)
        np.testing.assert_allclose(rows["config_bytes_copied"], [(1 + 1 / 3) / 2, (1 + 2 / 3) / 2, 0])
        np.testing.assert_allclose(rows["second"], [1, 1, 0])


@unittest.skipUnless(TGRAPH, "AUGUR_TGRAPH names no tgraph")
class Collecting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """One process serves all collectors: it imports jax for seconds."""
        cls.kept = contextlib.nullcontext(cls.enterClassContext(Worker([], b"", 1, TOLERANCE)))

    def setUp(self):
        worker = self.enterContext(mock.patch("augur_jax.layouts.Worker", return_value=self.kept))
        self.addCleanup(lambda: worker.assert_called_with([], b"", 1, TOLERANCE))
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(mock.patch("augur_jax.layouts.NOISY", math.inf))  # neighbours of a test make noise
        self.wide = 0

    def made(self, number):
        x, w = (np.linspace(-1, 1, n, dtype=np.float32).reshape(-1, 96) for n in (96 * 64, 96 * 96))
        return lambda x, w: jnp.tanh((x @ w).reshape(-1, 32)) @ w[:32, :8 + number + self.wide], (x, w)

    def collector(self, tgraph=TGRAPH, seed=0):
        self.lines = []
        return Collector({"small": self.made}, self.folder, 60, seed, 1, tgraph, self.lines.append)

    def test_files(self):
        self.assertEqual(self.collector().collect(["small"], 2, 5), 2)
        self.assertEqual(self.collector().collect(["small"], 2, 5), 0)
        with np.load(os.path.join(self.folder, "small_1.npz")) as file:
            arrays = dict(file)
        self.assertEqual(len(arrays["config_runtime"]), 5)
        self.assertTrue((arrays["config_runtime"] > 0).all() and (arrays["node_config_feat"][0] == -1).all())
        self.assertEqual(len(arrays["dot_axes"]), 2)
        self.assertEqual(arrays["operand_index"].shape[1], 2)
        self.assertEqual(arrays["config_bytes_copied"].shape, (5,))
        facts = json.loads(Path(self.folder, "manifest.json").read_bytes())["files"]["small_1"]
        self.assertEqual((facts["configurations"], facts["family"], facts["measured_again"]), (5, "small", 4))
        said = subprocess.run([TGRAPH, "inspect", self.folder], capture_output=True, text=True)
        self.assertEqual(said.returncode, 0, said.stderr)

        self.assertEqual(self.collector().again(), 2)
        self.assertEqual(self.collector().again(), 0)
        with np.load(os.path.join(self.folder, "small_1.npz")) as file:
            np.testing.assert_array_equal(file["config_passes"][:, 0], arrays["config_runtime"])
            self.assertTrue((file["config_passes"][:, 1] > 0).all())
        again = json.loads(Path(self.folder, "manifest.json").read_bytes())["files"]["small_1"]["again"]
        self.assertGreater(again["noise"], 0)

    def test_not_understood(self):
        """Were an instruction passed over, all configurations would be of other nodes."""
        with mock.patch("augur_jax.subject.instructions", lambda text: instructions(text)[1:]):
            self.assertEqual(self.collector().collect(["small"], 1, 2), 0)
        self.assertRegex(self.lines[0], "small_0: not measured: its module has instructions that are not understood")

    def test_refused(self):
        with self.assertRaisesRegex(Refused, "there is no family other; they are small"):
            self.collector().collect(["other"], 1, 2)
        with self.assertRaisesRegex(Refused, "/no/tgraph cannot be started"):
            self.collector("/no/tgraph").collect(["small"], 1, 2)
        self.collector().collect(["small"], 1, 2)
        self.wide = 1
        with self.assertRaisesRegex(Refused, "small_0 is not the program that its file is of"):
            self.collector().again()
        self.wide = 0
        with open(os.path.join(self.folder, "small_0.npz"), "r+b") as file:
            file.truncate(900)
        with self.assertRaisesRegex(Refused, "small_0.npz is not there, or not what augur-jax layouts writes"):
            self.collector().again()
        os.remove(os.path.join(self.folder, "small_0.npz"))
        self.assertEqual(self.collector().collect(["small"], 1, 2), 1)
        Path(self.folder, "manifest.json").write_bytes(b"[]")
        with self.assertRaisesRegex(Refused, "is not what augur-jax layouts writes"):
            self.collector()


class Agreeing(unittest.TestCase):
    def test_tau(self):
        x = np.array([3, 1, 2, 2])
        self.assertEqual([tau(x, x), tau(x, -x), tau(x, np.ones(4))], [1, -1, 0])
        self.assertAlmostEqual(tau(x, np.array([3, 2, 1, 4])), 1 / np.sqrt(5 * 6))
