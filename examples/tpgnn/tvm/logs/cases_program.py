# SPDX-License-Identifier: MIT
"""Tests of the summary and of the program without TVM; test_logs.py runs them."""
import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import logs
import samples
import summary
from cases_records import read


class Sums(unittest.TestCase):
    def test_tasks(self):
        whole = summary.Summary()
        for log in (samples.ANSOR, samples.AUTOTVM, samples.RECORDS):
            for record in read(log)[0]:
                whole.add(record)
        tasks = [task.facts() for task in whole.tasks.values()]
        self.assertEqual(len(tasks), 7)
        first = tasks[0]
        self.assertEqual((first["log"], first["task"], first["records"], first["valid"]),
                         ("Ansor", '["a", 4, [2, 3]]', 5, 3))
        self.assertEqual(first["failed"], {"runtime device": 1, "build timeout": 1})
        self.assertEqual((first["best_s"], first["median_s"], first["worst_s"]), (0.25, 0.5, 2.0))
        self.assertEqual((first["steps"]["AN"], first["steps"]["CI"]), (2, 5))
        self.assertEqual((tasks[2]["log"], tasks[2]["records"], tasks[2]["valid"]), ("AutoTVM", 2, 1))
        self.assertEqual((tasks[4]["log"], tasks[4]["records"], tasks[4]["median_s"]), ("MetaSchedule", 2, 0.25))
        self.assertEqual((tasks[5]["valid"], tasks[5]["best_s"], tasks[5]["failed"]), (0, None, {"unknown": 1}))
        self.assertEqual((tasks[6]["failed"], tasks[6]["target"]), ({"not measured": 1}, ""))

    def test_shortened(self):
        self.assertEqual(summary.shortened('["a", \x1b[2J\ud800, 4]'), "[a,?[2J?,4]")
        self.assertEqual(summary.shortened("x" * 65), "x" * 64 + "...")


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(folder.name)
        os.mkdir("db")
        for name, text in (("ansor.json", samples.ANSOR), ("tvm.log", samples.AUTOTVM + "nonsense\n"),
                           ("many.log", "a\nb\nc\nd\ne\nf\ng\n" + samples.AUTOTVM), ("empty.log", "# nothing\n"),
                           ("db/database_workload.json", samples.WORKLOADS), ("y_tuning_record.json", samples.RECORDS),
                           ("db/database_tuning_record.json", samples.RECORDS), ("x_workload.json", samples.WORKLOADS),
                           ("x_tuning_record.json", samples.RECORDS)):
            pathlib.Path(name).write_text(text)

    def expect(self, line, code, out="", errors=""):
        said = io.TextIOWrapper(io.BytesIO())
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
            try:
                ended = logs.main(line.split())
            except SystemExit as end:
                ended = end.code
        said.flush()
        heard = said.buffer.getvalue().decode()
        self.assertEqual((line, ended), (line, code), heard)
        self.assertIn(out, printed.getvalue())
        self.assertIn(errors, heard)
        return printed.getvalue(), heard

    def test_summary(self):
        self.expect("--summary ansor.json tvm.log db", logs.OK, "Logs: 13 records of 7 tasks in 3 files, 1 bad lines",
                    "tvm.log line 4: no JSON")
        self.expect("--summary ansor.json", logs.OK, "1 runtime device, 1 build timeout")
        self.expect("--summary ansor.json", logs.OK, "250000.00  500000.00  2000000.00")
        _, heard = self.expect("--summary db", logs.OK, "MetaSchedule  42")
        self.assertNotIn("workloads", heard)
        self.expect("--summary x_tuning_record.json", logs.OK, "1234567890123456789")
        self.expect("--summary y_tuning_record.json", logs.OK, "workload 0", "no workloads beside")
        _, heard = self.expect("--summary many.log", logs.OK, "dense", "7 bad lines were skipped, 3 records")
        self.assertNotIn("line 6", heard)

    def test_json(self):
        printed, _ = self.expect("--json ansor.json many.log", logs.OK)
        value = json.loads(printed)
        self.assertEqual([(f["file"], f["records"], f["skipped"]) for f in value["files"]],
                         [("ansor.json", 6, 0), ("many.log", 3, 7)])
        self.assertEqual(value["tasks"][0]["failed"]["build timeout"], 1)

    def test_refusals(self):
        self.expect("--summary tvm.log --bad refuse", logs.BAD_DATA, "", "logs: tvm.log line 4: no JSON")
        self.expect("--summary tvm.log --bad what", logs.USAGE, "", "invalid choice: 'what'")
        self.expect("", logs.USAGE, "", "LOG")
        self.expect("ansor.json", logs.USAGE, "", "say with --out DIR")
        self.expect("--summary none.log", logs.BAD_DATA, "", "none.log cannot be read: No such file")
        self.expect("--summary empty.log", logs.BAD_DATA, "", "empty.log holds no record")
        self.expect("--summary db/database_workload.json", logs.BAD_DATA, "", "this is a workload")
        self.expect("--summary .", logs.BAD_DATA, "", "database_tuning_record.json cannot be read")
        self.expect("--summary ansor.json --line-limit 9", logs.USAGE, "", "is 9, but must be a whole number from 1024")
        self.expect("--summary ansor.json --line-limit 1024", logs.OK, "Ansor")

    def test_what_carries_no_program(self):
        _, heard = self.expect("--out out ansor.json tvm.log y_tuning_record.json", logs.BAD_DATA)
        self.assertIn("4 records of Ansor name their program by a key", heard)
        self.assertIn("2 records of AutoTVM name a template", heard)
        self.assertIn("2 tuning records of MetaSchedule have no workloads beside them", heard)
        self.assertIn("there is nothing to train from", heard)
        self.assertFalse(os.path.exists("out"))

    def test_without_tvm(self):
        with mock.patch.dict(sys.modules, {"tvm": None, "tvm_setup": None, "replay": None, "convert": None}):
            self.expect("--out out db", logs.FAILED, "", "TVM cannot be loaded")
            self.expect("--out out db --summary", logs.FAILED, "MetaSchedule  42", "pip install -r")
