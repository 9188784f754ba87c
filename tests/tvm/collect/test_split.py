# SPDX-License-Identifier: MIT
"""Tests of split.py."""
import pathlib
import tempfile
import unittest

import numpy as np

import split

NAMES = [f"{kind}_{n}" for kind in ("conv", "dense", "norm", "pool", "sum") for n in range(20)]


class Splits(unittest.TestCase):
    def check_whole(self, lists):
        self.assertEqual(sorted(sum(lists.values(), [])), sorted(NAMES))

    def test_workloads(self):
        lists = split.by_workload(NAMES, 0)
        self.check_whole(lists)
        self.assertEqual({part: len(names) for part, names in lists.items()}, {"train": 70, "valid": 10, "test": 20})
        for kind in split.kinds_of(NAMES):
            self.assertEqual(sum(name.startswith(kind) for name in lists["test"]), 4)
        self.assertEqual(lists, split.by_workload(list(reversed(NAMES)), 0))
        self.assertNotEqual(lists, split.by_workload(NAMES, 1))

    def test_kinds(self):
        lists = split.by_kind(NAMES, 0)
        self.check_whole(lists)
        kinds = [set(split.kinds_of(names)) for names in lists.values()]
        self.assertEqual([len(kinds_) for kinds_ in kinds], [1, 1, 3])
        self.assertFalse(kinds[0] & kinds[1] or kinds[0] & kinds[2] or kinds[1] & kinds[2])

    def test_twins(self):
        lists = {"train": ["a", "b"], "valid": ["c", "d"], "test": ["e", "f", "g"]}
        own = {"a": {1, 2}, "b": {2, 3}, "c": {3, 9}, "d": {4}, "e": {5}, "f": {6, 4}, "g": {1}}
        self.assertEqual(split.without_twins(lists, own), {"train": ["a", "b"], "valid": ["d"], "test": ["e"]})

    def test_grown(self):
        old = {"train": ["conv_1", "dense_1"], "valid": ["dense_2"], "test": ["conv_2", "sum_2"]}
        own = {name: {name} for name in ["conv_1", "conv_2", "dense_1", "dense_2", "sum_2", "sum_4", "pool_5"]}
        own |= {"conv_3": {"conv_2"}, "sum_6": {"sum_2"}}  # programs of the test list under other names
        self.assertEqual(split.grown(old, own, own, False),
                         old | {"train": ["conv_1", "dense_1", "pool_5", "sum_4"]})
        old = {"train": ["conv_1"], "valid": ["dense_1", "dense_2"], "test": ["sum_2"]}
        self.assertEqual(split.grown(old, own, own, True),
                         {"train": ["conv_1", "conv_2", "conv_3", "pool_5"], "valid": ["dense_1", "dense_2"],
                          "test": ["sum_2", "sum_4", "sum_6"]})

    def test_measured(self):
        folder = pathlib.Path(__file__).resolve().parents[3] / "examples" / "data" / "schedules"
        for name in ("workload", "kind"):
            lists = {part: (folder / f"split-{name}.{part}.txt").read_text().split() for part in ("train", "valid", "test")}
            own = {file: split.schedules_of(folder / file) for files in lists.values() for file in files}
            self.assertEqual(split.without_twins(lists, own), lists)

    def test_files(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            with self.assertRaisesRegex(SystemExit, "no npz files"):
                split.main([name])
            for number, n in enumerate(NAMES):
                np.savez(folder / f"{n}.npz", schedule_hash=np.array([number, -number - 1]))
            split.main([name])
            self.assertEqual(len(list(folder.glob("split-*.txt"))), 6)
            before = {path: path.read_text() for path in folder.glob("split-*.txt")}
            np.savez(folder / "conv_1000.npz", schedule_hash=np.array([1000]))
            split.main([name, "--keep"])
            grown = {path.name: path.read_text() for path in before if path.read_text() != before[path]}
            self.assertEqual(len(grown), 2)
            for split_ in ("workload", "kind"):
                self.assertTrue(any("conv_1000.npz\n" in text for file, text in grown.items() if split_ in file))
            (folder / "split-kind.test.txt").unlink()
            with self.assertRaisesRegex(SystemExit, "without --keep"):
                split.main([name, "--keep"])
