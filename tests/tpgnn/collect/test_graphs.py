# SPDX-License-Identifier: MIT
"""Tests of graphs.py."""
import contextlib
import io
import pathlib
import tempfile
import unittest

import numpy as np

import columns
import graphs

DATA = pathlib.Path(__file__).resolve().parents[3] / "examples" / "data"


class Graphs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, vectors, *lists):
        with contextlib.redirect_stdout(io.StringIO()):
            graphs.main(["--out", str(self.folder / "out.npz"), "--vectors", str(vectors), *map(str, lists)])
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


if __name__ == "__main__":
    unittest.main()
