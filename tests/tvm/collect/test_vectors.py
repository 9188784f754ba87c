# SPDX-License-Identifier: MIT
"""Tests of vectors.py, of which what needs gensim is skipped without it, and of graphs.py."""
import contextlib
import importlib.util
import io
import pathlib
import tempfile
import unittest

import numpy as np

import columns
import graphs
import vectors

DATA = pathlib.Path(__file__).resolve().parents[3] / "examples" / "data"
# Two schedules: f(a, b(c)), and f(d).
KINDS = ["f - - - 0", "a - - - 0", "b.x - - - 0", "c - - - 0", "d - - - 0"]
NODES = {"kinds": columns.text(KINDS), "node_kind": np.array([0, 1, 2, 3, 0, 4], np.uint8),
         "node_children": np.array([2, 0, 1, 0, 1, 0], np.uint8), "node_offset": np.array([0, 4, 6])}


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class Vectors(InFolder):
    def setUp(self):
        super().setUp()
        np.savez(self.folder / "f_1.npz", **NODES)

    def test_walks_go_along_edges(self):
        words, parent = vectors.tree_of(self.folder / "f_1.npz")
        self.assertEqual((words.tolist(), parent.tolist()), (["f", "a", "b", "c"], [-1, 0, 0, 2]))
        walks = vectors.walks(words, parent, np.random.default_rng(0))
        self.assertEqual((len(walks), {len(walk) for walk in walks}), (3 * 4, {51}))
        self.assertEqual([walk[0] for walk in walks], [word for word in "fabc" for _ in range(3)])
        steps = {step for walk in walks for step in zip(walk, walk[1:])}
        self.assertEqual(steps, {("f", "a"), ("a", "f"), ("f", "b"), ("b", "f"), ("b", "c"), ("c", "b")})
        alone = vectors.walks(np.array(["f"]), np.array([-1]), np.random.default_rng(0))
        self.assertEqual(alone, [["f"]] * 3)

    def test_those_of_the_embedded_schedules(self):
        """schedules-vectors.npz has every class of the schedules."""
        classes = set()
        for path in (DATA / "schedules").glob("*.npz"):
            with np.load(path) as file:
                classes.update(line.split(" ")[0].split(".")[0] for line in columns.lines(file["kinds"]))
        with np.load(DATA / "schedules-vectors.npz") as file:
            self.assertEqual(columns.lines(file["classes"]), sorted(classes))
            self.assertEqual((file["vectors"].shape, file["vectors"].dtype), ((len(classes), 18), np.float32))

    @unittest.skipUnless(importlib.util.find_spec("gensim"), "gensim is not installed")
    def test_the_same_file_again(self):
        made = []
        for seed in ("0", "0", "1"):
            vectors.main([str(self.folder / "f_1.npz"), "--out", str(self.folder / "v.npz"), "--seed", seed])
            made.append((self.folder / "v.npz").read_bytes())
        self.assertEqual(made[0], made[1])
        self.assertNotEqual(made[0], made[2])
        with np.load(self.folder / "v.npz") as file:
            self.assertEqual(columns.lines(file["classes"]), ["a", "b", "c", "f"])
            self.assertEqual(file["vectors"].shape, (4, 18))


class Graphs(InFolder):
    def write(self, file, *lists):
        with contextlib.redirect_stdout(io.StringIO()):
            graphs.main(["--out", str(self.folder / "out.npz"), "--vectors", str(file), *map(str, lists)])
        with np.load(self.folder / "out.npz") as file:
            return {name: file[name] for name in file.files}

    def test_trees(self):
        """Two schedules: For vectorized(Var, IntImm 4, Add(Var, IntImm 7)), and Var."""
        kinds = ["For vectorized int32 - 0", "Var - int32 - 1", "IntImm - int32 - 0", "Add - int32 - 0"]
        np.savez(self.folder / "f_1.npz", kinds=columns.text(kinds), node_kind=np.array([0, 1, 2, 3, 1, 2, 1], np.uint8),
                 node_children=np.array([3, 0, 0, 2, 0, 0, 0], np.uint8), node_offset=np.array([0, 6, 7]),
                 node_value=np.array([8, 0, 4, 0, 0, 7, 0], np.float32), schedule_runtime=np.array([40, 20]))
        np.savez(self.folder / "v.npz", classes=columns.text(["Add", "For", "IntImm", "Var"]),
                 vectors=np.zeros([4, 18], np.float32))
        (self.folder / "list.txt").write_text("f_1.npz\n")
        made = self.write(self.folder / "v.npz", self.folder / "list.txt", self.folder / "list.txt")
        tree = {name: made[name][:7].tolist() for name in ("class", "value")}
        self.assertEqual(tree["class"], [1, 3, 2, 0, 3, 2, 3])
        self.assertEqual(tree["value"], [[0, 0], [0, 1], [4, 0], [0, 0], [0, 1], [7, 0], [0, 1]])
        self.assertEqual(made["source"].tolist(), 2 * [0, 0, 0, 3, 3])
        self.assertEqual(made["target"].tolist(), 2 * [1, 2, 3, 4, 5])
        of = {"nodes": 2 * [6, 1], "edges": 2 * [5, 0], "time": 2 * [40, 20], "speed": 2 * [0.5, 1], "workload": [0, 0, 1, 1],
              "vectorised": 2 * [3, 0], "first": [0, 2, 4], "workloads": [1, 1]}
        self.assertEqual({name: made[name].tolist() for name in of}, of)

    def test_those_of_the_embedded_schedules(self):
        """schedules-sums.npz is what the lists give."""
        lists = [DATA / "schedules" / f"sums.{part}.txt" for part in ("train", "test")]
        made = self.write(DATA / "schedules-vectors.npz", *lists)
        with np.load(DATA / "schedules-sums.npz") as file:
            self.assertEqual(sorted(made), sorted(file.files))
            for name in file.files:
                np.testing.assert_array_equal(made[name], file[name], name)

    def test_lists_keep_the_split(self):
        """No workload of sums.test.txt is one to train on in split-workload."""
        folder = DATA / "schedules"
        parts = {name: set((folder / f"{name}.txt").read_text().split())
                 for name in ("sums.train", "sums.test", "split-workload.train", "split-workload.valid", "split-workload.test")}
        self.assertLessEqual(parts["sums.train"], parts["split-workload.train"])
        self.assertLessEqual(parts["sums.test"], parts["split-workload.valid"] | parts["split-workload.test"])
