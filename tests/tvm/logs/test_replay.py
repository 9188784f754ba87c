# SPDX-License-Identifier: MIT
"""The conversion of databases with TVM."""
import base64
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import tempfile
import unittest

if not importlib.util.find_spec("tvm"):
    raise unittest.SkipTest("TVM is not installed")

import tvm_setup  # before all of TVM
import candidate
import columns
import logs
import numpy as np
import programs
import schedules
import workloads
from tvm.s_tir import meta_schedule as ms


def make_database(folder, name, count, seconds):
    """Records of random schedules of a workload; seconds(i): run times of schedule i. Returns the schedules."""
    sampler = schedules.Sampler(programs.build(*workloads.parse(name)), 1)
    drawn = [draw[0] for draw in sampler.draw(count)]
    database = ms.database.JSONDatabase(path_workload=str(folder / "database_workload.json"),
                                        path_tuning_record=str(folder / "database_tuning_record.json"))
    owner = database.commit_workload(sampler.context.mod)
    arguments = ms.arg_info.ArgInfo.from_prim_func(sampler.context.mod["main"])
    for i, each in enumerate(drawn):
        database.commit_tuning_record(ms.database.TuningRecord(each.trace, owner, seconds(i), tvm_setup.TARGET,
                                                               arguments))
    return sampler.context, drawn


class WithTvm(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"
        self.records = self.folder / "database_tuning_record.json"

    def convert(self, code=logs.OK):
        printed, said = (io.TextIOWrapper(io.BytesIO()) for _ in range(2))
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
            self.assertEqual(logs.main([str(self.folder), "--out", str(self.out)]), code)
        return [each.buffer.getvalue().decode() for each in (printed, said) if not each.flush()]

    def arrays(self):
        files = list(self.out.glob("*.npz"))
        self.assertEqual(len(files), 1)
        return files[0].stem, np.load(files[0], allow_pickle=False)

    def test_the_same_as_the_collector(self):
        """A schedule that is read from a log has the tree, features and hash that the collector gives it."""
        context, drawn = make_database(self.folder, "matmul_16_32_24", 4, lambda i: [1e-6 * (i + 1), 1.02e-6 * (i + 1)])
        printed, heard = self.convert()
        self.assertIn("4 schedules in 1 training files of 1 tasks", printed)
        name, arrays = self.arrays()
        self.assertEqual(columns.lines(arrays["workload"]), [name])
        self.assertRegex(name, r"^T-matmul_[0-9]+_[0-9a-f]{8}$")
        import tvm_ffi

        rows = [{**candidate.known(context, each), "origin": schedules.TUNED, "hash": tvm_ffi.structural_hash(each.mod),
                 "passes": [[1e-6 * (i + 1)], [1.02e-6 * (i + 1)]]} for i, each in enumerate(drawn)]
        wanted = columns.pack(name, rows)
        self.assertEqual(set(wanted), set(arrays.files))
        for key, array in wanted.items():
            np.testing.assert_array_equal(arrays[key], array, key)
        self.assertEqual(arrays["schedule_runtime"].tolist(), [1000, 2000, 3000, 4000])
        self.assertEqual(arrays["schedule_noisy"].tolist(), [0, 0, 0, 0])
        book = json.loads((self.out / "manifest.json").read_text())
        self.assertEqual(book["workloads"][name]["origins"]["tuned"], 4)

    def test_times(self):
        """Two records of one schedule are two passes; a single run time is marked as noisy; failures are left out."""
        make_database(self.folder, "matmul_16_16_16", 4, lambda i: [[1e-5], [2e-5, 2.1e-5, 3e-5], [1e10], [3e-5]][i])
        lines = self.records.read_text().splitlines()
        again = json.loads(lines[3])
        again[1][1] = [2.9e-5]
        self.records.write_text("\n".join([*lines, json.dumps(again)]) + "\n")
        self.convert()
        name, arrays = self.arrays()
        self.assertEqual(arrays["schedule_runtime"].tolist(), [10000, 20000, 29000])
        self.assertEqual(arrays["schedule_passes"].tolist(), [[10000, 10000], [20000, 21000], [30000, 29000]])
        self.assertEqual(arrays["schedule_noisy"].tolist(), [1, 0, 0])
        facts = json.loads((self.out / "manifest.json").read_text())["workloads"][name]
        self.assertEqual((facts["schedules"], facts["noisy"], facts["not_measured"]),
                         (3, 1, {"invalid": 0, "duplicates": 1}))

    def test_damaged_traces(self):
        """A trace that does not fit is counted, and the others stay."""
        make_database(self.folder, "matmul_16_16_16", 3, lambda i: [1e-5 * (i + 1)])
        lines = self.records.read_text().splitlines()
        for old, new in (("SamplePerfectTile", "NoSuchStep"), ('"T_matmul"', '"D"'), ('"l2"', '"l99"'), ("Fuse", "Split")):
            self.assertIn(old, lines[0])
            lines.append(lines[0].replace(old, new, 1))
        self.records.write_text("\n".join(lines) + "\n")
        _, heard = self.convert()
        self.assertIn("3 schedules of 7 records", heard)
        self.assertIn("4 invalid", heard)

    def test_damaged_workloads(self):
        """A program that TVM cannot read costs its own file."""
        make_database(self.folder, "matmul_16_16_16", 2, lambda i: [1e-5])
        path = self.folder / "database_workload.json"
        good = path.read_text()
        for module in ("!", "", base64.b64encode(b"{}").decode(), json.loads(good)[1][:400]):
            path.write_text(json.dumps(["42", module]) + "\n")
            printed, heard = self.convert()
            self.assertIn("0 training files of 1 tasks", printed)
            self.assertIn("cannot read this program", heard)
        self.assertEqual(list(self.out.glob("*.npz")), [])

    def test_elementwise(self):
        make_database(self.folder, "transpose-add_64_32", 2, lambda i: [1e-5 * (i + 1), 1e-5 * (i + 1)])
        self.convert()
        self.assertEqual(len(os.listdir(self.out)), 4)  # file, manifest, lock, log
