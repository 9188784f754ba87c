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
        known = {"conv_3", "conv_7", "sum_0"}
        lists = split.by_workload(NAMES, 0, known)
        self.check_whole(lists)
        self.assertEqual({part: len(names) for part, names in lists.items()}, {"train": 70, "valid": 10, "test": 20})
        for kind in split.kinds_of(NAMES):
            self.assertEqual(sum(name.startswith(kind) for name in lists["test"]), 4)
        self.assertTrue(known <= set(lists["train"]))
        self.assertEqual(lists, split.by_workload(list(reversed(NAMES)), 0, known))
        self.assertNotEqual(lists, split.by_workload(NAMES, 1, known))

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

    def test_measured(self):
        folder = pathlib.Path(__file__).parents[3] / "data" / "schedules"
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
            (folder / "old.txt").write_text("conv_3\nsum_0.npz\n")
            split.main([name, "--known", str(folder / "old.txt")])
            train = (folder / "split-workload.train.txt").read_text().splitlines()
            self.assertTrue({"conv_3.npz", "sum_0.npz"} <= set(train))
            self.assertEqual(len(list(folder.glob("split-*.txt"))), 6)
            with self.assertRaisesRegex(SystemExit, "cannot be read"):
                split.main([name, "--known", "nowhere"])
