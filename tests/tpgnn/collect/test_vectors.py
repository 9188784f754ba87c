# SPDX-License-Identifier: MIT
"""Tests of vectors.py; what needs gensim is skipped without it."""
import importlib.util
import pathlib
import tempfile
import unittest

import numpy as np

import columns
import vectors

DATA = pathlib.Path(__file__).resolve().parents[3] / "examples" / "data"
# Two schedules: f(a, b(c)), and f(d).
KINDS = ["f - - - 0", "a - - - 0", "b.x - - - 0", "c - - - 0", "d - - - 0"]
NODES = {"kinds": columns.text(KINDS), "node_kind": np.array([0, 1, 2, 3, 0, 4], np.uint8),
         "node_children": np.array([2, 0, 1, 0, 1, 0], np.uint8), "node_offset": np.array([0, 4, 6])}


class Vectors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
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
