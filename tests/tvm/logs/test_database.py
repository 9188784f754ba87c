# SPDX-License-Identifier: MIT
"""Databases of MetaSchedule, read without TVM."""
import bz2
import contextlib
import gzip
import io
import lzma
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import command
import logs

# A small database: two workloads, four records.
WORKLOADS = '["1234567890123456789", "AAECAw=="]\n["42", "BA=="]\n'
TRACE = '[[["GetBlock", [], ["C", "main"], ["b0"]]], [[2, [2, 4]]]]'
TARGET = '{"kind": "llvm", "keys": ["cpu"]}'
RECORDS = (f'[1, [{TRACE}, [0.25, 0.5], {TARGET}, [["TENSOR", "float32", [8]]]]]\n'
           f'[0, [{TRACE}, [10000000000.0], {TARGET}, []]]\n'
           '[1, [[[], []], null, null, null]]\n'
           f'[1, [{TRACE}, [0.125], {TARGET}, null]]\n')
GOOD = '[1, [[[], []], [1], "llvm", null]]\n'
BAD = (
    ("{\n", "no JSON"), ("3\n", "3 is not a record"), ("{}\n", "{} is not a record: [workload, [trace"), ("[1]\n", "not a record"),
    ("\xff\n", "no JSON"), ("[" * 100000 + "\n", "no JSON"), ('["1", "AA"]\n', "is not a record"),
    ("[0, [[[], []], null, null]]\n", "is not a record"), ("[0, [[[], []], 3, null, null]]\n", "is not a record"),
    ('[0, [[[], []], ["1"], null, null]]\n', "is not a record"),
    ("[-1, [[[], []], null, null, null]]\n", "the workload is -1, but the database has 2, from 0 on"),
    ("[0.5, [[[], []], null, null, null]]\n", "the workload is 0.5, but the database has 2, from 0 on"),
    ("[2, [[[], []], null, null, null]]\n", "the workload is 2, but the database has 2, from 0 on"),
    ("[0, [[[], []], [0, 1], null, null]]\n", "the run times are [0, 1], but must be above 0"),
    ("[0, [[[], []], [NaN], null, null]]\n", "but must be above 0"),
)


class Databases(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        os.mkdir("db")
        for name, text in (("db/database_workload.json", WORKLOADS), ("db/database_tuning_record.json", RECORDS),
                           ("x_workload.json", WORKLOADS), ("x_tuning_record.json", RECORDS + "?\n"),
                           ("y_tuning_record.json", RECORDS), ("empty.log", "# nothing\n"), ("many.log", "a\n" * 7)):
            pathlib.Path(name).write_text(text)
        self.convert = mock.Mock(convert=mock.Mock(side_effect=lambda folder, groups, say: "converted"))
        patch = mock.patch.dict(sys.modules, {"convert": self.convert})
        self.addCleanup(patch.stop)
        patch.start()

    def expect(self, line, code, out="", errors=""):
        with contextlib.redirect_stdout(io.StringIO()) as shown, contextlib.redirect_stderr(io.StringIO()) as said:
            try:
                ended = logs.main([*line.split(), "--out", "out"])
            except SystemExit as end:
                ended = end.code
        self.assertEqual((line, ended), (line, code), said.getvalue())
        self.assertIn(out, shown.getvalue())
        self.assertIn(errors, said.getvalue())
        return said.getvalue()

    def groups(self):
        return self.convert.convert.call_args[0][1]

    def test_groups(self):
        """Records with run times by program and target, from a folder or a file."""
        for name, errors in (("db", "records without a measurement, which are left out: 1"),
                             ("x_tuning_record.json", "x_tuning_record.json line 5: no JSON")):
            self.expect(name, logs.OK, "converted", errors)
            groups = self.groups()
            self.assertEqual(list(groups), [("42", '{"keys":["cpu"],"kind":"llvm"}')])
            (workload, found), = groups.values()
            self.assertEqual((workload, [each[1] for each in found]), (["42", "BA=="], [[0.25, 0.5], [0.125]]))

    def test_refusals(self):
        self.expect("x_tuning_record.json --bad refuse", logs.BAD_DATA, "", "x_tuning_record.json line 5: no JSON")
        self.expect("none.log", logs.BAD_DATA, "", "none.log cannot be read: No such file")
        self.expect(".", logs.BAD_DATA, "", "database_tuning_record.json cannot be read")
        self.expect("empty.log", logs.BAD_DATA, "", "empty.log holds no record; name a database of MetaSchedule")
        heard = self.expect("many.log", logs.BAD_DATA, "", "holds no record that can be read: 7 lines are bad")
        self.assertNotIn("line 6", heard)
        heard = self.expect("y_tuning_record.json", logs.BAD_DATA, "", "there is nothing to train from")
        self.assertIn("2 tuning records have no workloads beside them", heard)
        for line in ('{"i": [], "r": [[0], 0, 1, 2]}', '{"input": [], "result": [[Infinity], 4, 1, 2]}'):
            pathlib.Path("other.json").write_text(line)
            self.expect("db other.json", logs.BAD_DATA, "", "other.json is a log of Ansor or AutoTVM")
        self.assertFalse(os.path.exists("out"))

    def test_bad_lines(self):
        for line, sentence in BAD:
            with self.subTest(line[:40]):
                pathlib.Path("x_tuning_record.json").write_bytes((GOOD + line + "\r\n# \n" + GOOD).encode("latin-1"))
                heard = self.expect("x_tuning_record.json", logs.OK, "converted", "line 2: ")
                self.assertIn(sentence, heard)
                self.assertIn("1 bad lines were skipped, 2 records read", heard)
                self.expect("x_tuning_record.json --bad refuse", logs.BAD_DATA, "", sentence)

    def test_bad_workloads(self):
        for line, sentence in (('["42", 2]', "x_workload.json line 1: ['42', 2] is not a workload"),
                               ('["../1", "AA"]', "is not a workload"), ("nonsense", "x_workload.json line 1: no JSON")):
            pathlib.Path("x_workload.json").write_text(line + '\n["42", "BA=="]\n')
            heard = self.expect("x_tuning_record.json", logs.OK, "converted", sentence)
            self.assertIn("x_tuning_record.json line 2: line 1 of the workloads is bad", heard)

    def test_packed(self):
        """By what is in the file: `db` with names that say it, x without."""
        for end, pack in ((".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)):
            for name, text in (("workload", WORKLOADS), ("tuning_record", RECORDS)):
                for path in pathlib.Path("db").glob(f"*{name}*"):
                    path.unlink()
                for path in (f"db/database_{name}.json{end}", f"x_{name}.json"):
                    pathlib.Path(path).write_bytes(pack(text.encode()))
            for name in ("db", "x_tuning_record.json"):
                self.expect(f"{name} --bad refuse", logs.OK, "converted")
                self.assertEqual(len(self.groups()), 1)
            path = pathlib.Path(f"db/database_tuning_record.json{end}")
            whole = path.read_bytes()
            for damaged in (whole[:-9], whole[:20] + b"damaged" + whole[27:]):
                path.write_bytes(damaged)
                self.expect("db --bad refuse", logs.BAD_DATA, "", "damaged or cut short")

    def test_no_log(self):
        for text, sentence in (("version https://git-lfs.github.com/spec/v1\n", "is a pointer of Git LFS"),
                               ("\n<!DOCTYPE html>\n", "is a web page or XML"),
                               ("nonsense\n", "holds no record that can be read: 1 lines are bad")):
            pathlib.Path("a\33[31m").write_text(text)
            self.expect("a\33[31m", logs.BAD_DATA, "", f"logs: a?[31m {sentence}")

    def test_not_measured(self):
        pathlib.Path("x_tuning_record.json").write_text(GOOD.replace("[1]", "[0]") + GOOD)
        self.expect("x_tuning_record.json --bad refuse", logs.OK, "", "without a measurement, which are left out: 1\n")
        self.assertEqual([len(found) for _, found in self.groups().values()], [1])

    def test_too_large_for_memory(self):
        with mock.patch("json.loads", side_effect=MemoryError):
            self.expect("db", command.FAILED, "",
                        "near line 2 of db/database_workload.json does not fit into memory; allow")

    def test_disk_that_fills_up(self):
        self.convert.convert.side_effect = OSError(28, "full")
        self.expect("db", logs.BAD_DATA, "", "logs: out cannot be written: full; make room")

    def test_without_tvm(self):
        with mock.patch.dict(sys.modules, {"convert": None}):
            self.assertIn("pip install -r", self.expect("db", command.FAILED, "", "TVM cannot be loaded"))
