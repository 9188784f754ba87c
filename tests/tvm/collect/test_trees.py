# SPDX-License-Identifier: MIT
"""Workloads, trees and files of the collector."""
import collections
import io
import os
import tempfile
import types
import unittest

import numpy as np

import columns
import files
import tree
import workloads
from command import Refused


def node(kind, /, **attributes):
    """An object that looks like a node of TIR to tree.py."""
    return type(kind, (), attributes)()


def of_type(dtype):
    return types.SimpleNamespace(dtype=dtype)


def constant(value):
    return node("IntImm", value=value, ty=of_type("int32"))


def buffer(*sizes):
    return node("Buffer", dtype="float32", scope=lambda self: "global", shape=list(map(constant, sizes)))


def increment():
    """for i in parallel(4): A[i] = A[i] + 1.5"""
    a = buffer(4)
    i = node("Var", ty=of_type("int32"))
    load = node("TensorLoad", source=a, indices=[i], ty=of_type("float32"))
    one = node("FloatImm", value=1.5, ty=of_type("float32"))
    store = node("BufferStore", buffer=a, indices=[i], value=node("Add", a=load, b=one, ty=of_type("float32")))
    loop = node("For", loop_var=i, kind=1, min=constant(0), extent=constant(4), body=store, annotations={})
    return types.SimpleNamespace(params=[a], body=loop)


def types_of(made):
    return [kind[0] for kind in made.kind]


def rows_of(count):
    return [{"tree": tree.flatten(increment()), "features": np.full((2, 164), k // 2), "origin": k % 3,
             "hash": 2**64 - 1 - k, "passes": [[1e-5 * (k + 1)] * 4, [1.01e-5 * (k + 1)] * 4]} for k in range(count)]


class Workloads(unittest.TestCase):
    def test_list(self):
        names = workloads.listed(12, 0)
        families = collections.Counter(name.split("_")[0] for name in names)
        self.assertEqual(len(names), len(set(names)))
        self.assertGreaterEqual(len(names), 200)
        self.assertGreaterEqual(len(families), 14)
        self.assertGreaterEqual(min(families.values()), 12)
        for name in names:
            self.assertEqual(workloads.name_of(*workloads.parse(name)), name)

    def test_order_and_seed(self):
        names = workloads.listed(3, 0)
        self.assertEqual([name.split("_")[0] for name in names[:len(workloads.KINDS)]], list(workloads.KINDS))
        self.assertEqual(names, workloads.listed(3, 0))
        self.assertNotEqual(names, workloads.listed(3, 1))

    def test_networks(self):
        self.assertEqual({n: len(tasks) for n, tasks in workloads.TASKS.items()}, {"resnet18": 17, "mobilenet": 20})
        self.assertEqual(workloads.operation("resnet18", 64, 3), ("residual", (1, 16, 16, 64, 64, 3, 1)))
        self.assertEqual(workloads.operation("mobilenet", 64, 19), ("dense", (1, 1000, 1024)))
        self.assertEqual(workloads.task_work("resnet18", 64, 0), 32 * 32 * 3 * 64 * 49)

    def test_sentences(self):
        for name, words in (("nothing_1", "no kind 'nothing'"), ("matmul_1_2", "matmul_ROWS_COLUMNS_INNER"),
                            ("matmul_1_2_x", "3 whole numbers"), ("matmul_1_2_-3", "3 whole numbers"),
                            ("matmul_0_2_3", "at least 1"), ("resnet18_64_17", "tasks 0 to 16"),
                            ("group-conv_1_8_8_6_8_3_1_4", "multiples of 4"),
                            ("matmul_9999_9999_9999", "smaller shape")):
            with self.subTest(name), self.assertRaisesRegex(ValueError, words):
                workloads.parse(name)


class Trees(unittest.TestCase):
    def test_columns(self):
        t = tree.flatten(increment())
        self.assertEqual(types_of(t), ["PrimFunc", "Param", "IntImm", "For", "IntImm", "IntImm", "BufferStore", "Add",
                                       "BufferLoad", "Var", "FloatImm", "Var"])
        self.assertEqual(t.children, [2, 1, 0, 3, 0, 0, 2, 2, 1, 0, 0, 0])
        self.assertEqual(t.refers, [0, 0, 0, 0, 0, 0, 1, 0, 1, 2, 0, 2])
        self.assertEqual((t.kind[3], t.value[3]), (("For", "parallel", "int32", "-"), 4.0))
        self.assertEqual((t.kind[10], t.value[10]), (("FloatImm", "-", "float32", "-"), 1.5))
        self.assertEqual(t.kind[6], ("BufferStore", "-", "float32", "global"))

    def test_values_are_finite(self):
        self.assertEqual(tree.flatten(types.SimpleNamespace(params=[], body=node(
            "FloatImm", value=float("-inf"), ty=of_type("float32")))).value[1], -tree.LARGEST)

    def test_names(self):
        attribute = node("AttrStmt", attr_key="pragma_x", value=constant(16), body=node("Evaluate", value=node(
            "Call", op=types.SimpleNamespace(name="tirx.exp"), args=[constant(3)], ty=of_type("float32"))))
        t = tree.flatten(types.SimpleNamespace(params=[], body=attribute))
        self.assertEqual(types_of(t), ["PrimFunc", "AttrStmt.pragma_x", "IntImm", "Evaluate", "Call.exp", "IntImm"])
        self.assertEqual(t.value[1], 16)

    def test_unknown(self):
        with self.assertRaisesRegex(ValueError, "of type Prefetch.*add it to CHILDREN"):
            tree.flatten(types.SimpleNamespace(params=[], body=node("Prefetch")))


class Files(unittest.TestCase):
    def test_arrays(self):
        arrays = columns.pack("matmul_4_4_4", rows_of(6))
        self.assertLessEqual({a.dtype.name for a in arrays.values()}, {"uint8", "int32", "int64", "float32"})
        back = np.load(io.BytesIO(files.npz(arrays)), allow_pickle=False)
        self.assertEqual(columns.lines(back["workload"]), ["matmul_4_4_4"])
        self.assertEqual(columns.lines(back["kinds"])[0], "PrimFunc - - - 0")
        self.assertIn("For parallel int32 - 0", columns.lines(back["kinds"]))
        self.assertIn("BufferLoad - float32 global 1", columns.lines(back["kinds"]))
        self.assertEqual(back["node_offset"].tolist(), [12 * k for k in range(7)])
        self.assertEqual(back["store_offset"].tolist(), [2 * k for k in range(7)])
        self.assertEqual(back["feature_row"].shape, (3, 164))
        self.assertEqual(back["feature_row"][back["store_row"], 0].tolist(), [0] * 4 + [1] * 4 + [2] * 4)
        self.assertEqual(back["schedule_runtime"].tolist(), [10000 * (k + 1) for k in range(6)])
        self.assertEqual(back["schedule_median"].tolist(), [10050 * (k + 1) for k in range(6)])
        np.testing.assert_allclose(back["schedule_spread"], 0.005, rtol=1e-5)
        self.assertEqual(back["schedule_passes"][1].tolist(), [20000, 20200])
        self.assertEqual(back["schedule_hash"].tolist(), [-1 - k for k in range(6)])
        self.assertEqual(back["schedule_origin"].tolist(), [0, 1, 2, 0, 1, 2])

    def test_large_numbers(self):
        self.assertEqual(columns.small([255]).dtype, np.uint8)
        self.assertEqual(columns.small([256]).tolist(), [256])

    def test_repeats(self):
        first, second = (files.npz(columns.pack("x", rows_of(3))) for _ in range(2))
        self.assertEqual(first, second)

    def test_whole_or_not_at_all(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x")
            files.replace(path, b"old")
            with self.assertRaises(TypeError):
                files.replace(path, "no bytes")
            with open(path, "rb") as file:
                self.assertEqual(file.read(), b"old")


class Manifests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def open(self):
        book = files.Manifest(self.folder.name)
        self.addCleanup(book.lock.close)
        return book

    def test_what_is_left(self):
        book = self.open()
        book.measured_on({"cpu": "a"})
        book.add("one", {"schedules": 3, "not_measured": {"slow": 2, "wrong": 0}}, b"file")
        book.add("none", {"schedules": 0, "reason": "crashed"})
        book.add("lost", {"schedules": 3}, b"file")
        os.remove(book.file("lost"))
        files.replace(book.file("unsaid"), b"killed before the manifest was written")
        book.lock.close()
        again = self.open()
        self.assertEqual([again.has(name) for name in ("one", "none", "lost", "unsaid", "new")],
                         [True, True, False, False, False])
        self.assertEqual((again.total("schedules"), again.total("bytes")), (6, 8))
        self.assertEqual(again.not_measured(), {"slow": 2})

    def test_machines(self):
        book = self.open()
        for cpu in ("a", "b", "a"):
            book.measured_on({"cpu": cpu})
        self.assertEqual((book.machine, len(book.value["machines"])), (0, 2))

    def test_one_at_a_time(self):
        self.open()
        with self.assertRaisesRegex(Refused, "another collection"):
            self.open()

    def test_damage(self):
        for content, words in (("{", "cannot be read"), ("[]", "is not the manifest"), ('{"kind": "tile"}', "is not"),
                               ('{"kind": "schedules", "machines": {}, "workloads": {}}', "is not")):
            files.replace(os.path.join(self.folder.name, "manifest.json"), content.encode())
            with self.subTest(content), self.assertRaisesRegex(Refused, words):
                files.Manifest(self.folder.name)
