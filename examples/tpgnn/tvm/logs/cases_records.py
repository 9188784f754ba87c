# SPDX-License-Identifier: MIT
"""Tests of lines and records; test_logs.py runs them."""
import io
import unittest

import lines
import samples
from log import Log
from records import ANSOR, AUTOTVM, METASCHEDULE, STEPS
from refused import Refused
from samples import ansor, autotvm

GOOD = ansor("good")


def opened(text, workloads=None, **options):
    """(log, list of what it reports)."""
    said = []
    data = text if isinstance(text, bytes) else text.encode()
    beside = io.BytesIO(workloads.encode()) if workloads is not None else None
    return Log(io.BytesIO(data), beside, report=said.append, **options), said


def read(text, workloads=None, **options):
    log, said = opened(text, workloads, **options)
    return list(log), said


class Formats(unittest.TestCase):
    def test_every_version_of_ansor(self):
        found, said = read(samples.ANSOR, refuse=True)
        self.assertEqual([r.version for r in found], ["v0.2", "v0.3", "v0.4", "v0.5", "v0.6", "v0.6"])
        self.assertEqual([r.line for r in found], [2, 3, 5, 6, 8, 9])
        self.assertEqual([r.error for r in found], [0, 0, 0, 4, 6, 0])
        self.assertEqual([r.seconds for r in found], [[0.5, 0.25, 0.75], [0.25], [1e-05], [], [], [2.0]])
        self.assertEqual({(r.kind, r.target) for r in found}, {(ANSOR, "llvm -keys=cpu")})
        self.assertEqual((found[0].task, found[2].task), ('["a", 4, [2, 3]]', '["b", 4, [2, 3]]'))
        self.assertEqual((found[0].mean(), found[0].steps), (0.5, {**dict.fromkeys(STEPS, 1), "AN": 2}))
        self.assertEqual(said, [])

    def test_autotvm(self):
        found, _ = read(samples.AUTOTVM, refuse=True)
        self.assertEqual([(r.kind, r.version, r.error) for r in found],
                         [(AUTOTVM, "0.2", 0), (AUTOTVM, "0.2", 0), (AUTOTVM, "0.2", 6)])
        self.assertEqual([r.seconds for r in found], [[3e-05, 1e-05], [0.5], []])
        plain = 'dense [["TENSOR",[1,8],"float32"],null]'
        self.assertEqual([r.task for r in found], [plain, plain + '{"a":2,"k":1}', plain])

    def test_database(self):
        for workloads, tasks in ((samples.WORKLOADS, ["42", "1234567890123456789", "42", "42"]),
                                 (None, ["workload 1", "workload 0", "workload 1", "workload 1"])):
            found, said = read(samples.RECORDS, workloads, refuse=True)
            self.assertEqual([r.task for r in found], tasks)
            self.assertEqual([r.error for r in found], [0, 8, 9, 0])
            self.assertEqual([r.seconds for r in found], [[0.25, 0.5], [], [], [0.125]])
            target = '{"keys":["cpu"],"kind":"llvm"}'
            self.assertEqual([r.target for r in found], [target, target, "", target])
            self.assertEqual({(r.kind, r.version) for r in found}, {(METASCHEDULE, "")})
            self.assertEqual(len(said), workloads is None)
        self.assertIn("log: there are no workloads beside", said[0])


def result(text):
    return ansor(result=text)


def step(text):
    return ansor(steps=text)


def entity(text):
    return autotvm(entities=text)


BAD = (
    ("{\n", "no JSON"), ('{"i": 1, "i": 2}\n', "a key twice"), ("3\n", "must be a list or an object"),
    ("{}\n", 'this is no record: Ansor\'s has "i", AutoTVM\'s "input"'),
    (ansor(version="v0.1"), 'the version is "v0.1", but v0.2 to v0.6 are read'),
    (ansor(version="v0.7"), 'the version is "v0.7"'),
    ('{"i": [], "r": [], "v": 0.1}\n', "a number is AutoTVM's old format"),
    ('{"i": [[["a"]]], "v": ["v0.6"]}\n', 'the version is ["v0.6"]'),
    ('{"i": [["a", "b"]], "v": "v0.6"}\n', 'i is [["a","b"]], but must be [task, state]'),
    ('{"i": [["a"], [[], []]], "v": "v0.6"}\n', 'the task is ["a"], but must be'),
    ('{"i": [["a", 3], [[], []]], "v": "v0.6"}\n', 'the task is ["a",3], but must be'),
    ('{"i": [["a", "b"], [[]]], "v": "v0.6"}\n', "the state is [[]], but must be [[], [steps]]"),
    ('{"i": [["a", "b"], [[], []]], "v": "v0.6"}\n', "r is null, but must be"),
    (step('["XY", 1]'), 'step 0, ["XY",1], is none of v0.2 to v0.6'),
    (step('[["CI"], 1]'), 'step 0, [["CI"],1], is none of'),
    (step('["CI", 1], ["CI", 1, 2]'), 'step 1, ["CI",1,2], is none of'),
    (step('["FU", 1, 2]'), 'step 0, ["FU",1,2], is none of'),
    (step('["FU", 1, [2, 0.5]]'), 'step 0, ["FU",1,[2,0.5]], is none of'),
    (step('["CI", true]'), 'step 0, ["CI",true], is none of'),
    (step('["CHW", 1, 2]'), 'step 0, ["CHW",1,2], is none of'), (step("7"), "step 0, 7, is none of"),
    (result("[[1], 0, 1]"), "r is [[1],0,1], but must be"),
    (result("[[1], 9, 1, 2]"), "the error number is 9, but must be 0 to 8"),
    (result("[[1], -1, 1, 2]"), "the error number is -1, but must be 0 to 8"),
    (result("[[1], 0, null, 2]"), "r[2] is null, but must be a number"),
    (result("[[], 0, 1, 2]"), "r[0] is [], but must be a list of run times"),
    (result("[[1, 0], 0, 1, 2]"), "run time 1 is 0, but must be above 0 and below 1e9 s"),
    (result("[[-1], 0, 1, 2]"), "run time 0 is -1, but must be"),
    (result("[[1e10], 0, 1, 2]"), "run time 0 is 10000000000.0, but must be"),
    (result("[[1e400], 0, 1, 2]"), "1e400 is no finite number"), (result("[[NaN], 0, 1, 2]"), "NaN is no number"),
    (result('[["1"], 4, 1, 2]'), 'run time 0 is "1", but must be'),
    (autotvm(version="0.3"), "the version is 0.3"), (autotvm(version='"0.2"'), 'the version is "0.2"'),
    (autotvm(named="[]"), "input is "), (autotvm(result="3"), "result is 3, but must be"),
    ('{"input": ["t", "d", [], {}], "version": 0.2}\n', "config has no list of the name entity"),
    (entity('["a", "sp", [1, "b"]]'), 'entity 0 is ["a","sp",[1,"b"]], but must be'),
    (entity('["a", "an", [1]]'), 'entity 0 is ["a","an",[1]], but must be'),
    (entity('["a", "xx", 1]'), 'entity 0 is ["a","xx",1], but must be'),
    (entity('["a", "ot"]'), 'entity 0 is ["a","ot"], but must be'),
    ("[]\n", "[] is no record"), ("[1]\n", "[1] is no record"),
    ('["1", "AA"]\n', "this is a workload; name the file of tuning records"),
    ("[0, [[[], []], null, null]]\n", "is no record"),
    ("[-1, [[[], []], null, null, null]]\n", "the workload is -1, but must be at least 0"),
    ("[2, [[[], []], null, null, null]]\n", "the workload is 2, but the database has 2, from 0 on"),
    ("[true, [[[], []], null, null, null]]\n", "is no record"),
    ("[0, [[[]], null, null, null]]\n", "the trace is [[]], but must be"),
    ("[0, [[[3], []], null, null, null]]\n", "instruction 0 is 3, but must be"),
    ("[0, [[[], []], 3, null, null]]\n", "the run times are 3, but must be a list or null"),
    ("[0, [[[], []], [0], null, null]]\n", "run time 0 is 0, but must be a number above 0"),
    ('[0, [[[], []], ["1"], null, null]]\n', 'run time 0 is "1", but must be'),
    ("[0, [[[], []], [1], 3, null]]\n", "the target is 3, but must be"),
)


class BadLines(unittest.TestCase):
    def test_they_are_said_with_their_number(self):
        for line, sentence in BAD:
            with self.subTest(line):
                text = GOOD + line + GOOD
                found, said = read(text, samples.WORKLOADS)
                self.assertEqual([r.line for r in found], [1, 3])
                self.assertEqual(len(said), 1)
                self.assertTrue(said[0].startswith("log line 2: "), said)
                self.assertIn(sentence, said[0])
                log, said = opened(text, samples.WORKLOADS, refuse=True)
                records = iter(log)
                self.assertEqual(next(records).line, 1)
                with self.assertRaises(Refused) as caught:
                    next(records)
                self.assertIn(sentence, str(caught.exception))
                self.assertEqual(said, [])

    def test_workloads(self):
        for first, sentence in (('["1", 2]', '(workloads) line 1: ["1",2] is no workload'),
                                ('["../1", "AA"]', "is no workload"), ("nonsense", "(workloads) line 1: no JSON")):
            workloads = first + '\n["42", "BA=="]\n'
            log, said = opened(samples.RECORDS, workloads)
            self.assertEqual([r.task for r in log], ["42"] * 3)
            self.assertIn(sentence, said[0])
            self.assertIn("log line 2: line 1 of the workloads is bad", said[1])
            self.assertEqual(log.skipped, 2)
            with self.assertRaises(Refused):
                opened(samples.RECORDS, workloads, refuse=True)


class Lines(unittest.TestCase):
    def test_any_length(self):
        most = 200000
        lengths = (0, 1, 65535, 65536, 65537, 131072, most, most + 1, most + 70000, 2 * most + 65536, 3)
        text = b"\n".join(bytes([97 + i]) * length for i, length in enumerate(lengths))
        for end in (b"", b"\n"):
            found = list(lines.lines(io.BytesIO(text + end), most))
            self.assertEqual([number for number, _ in found], list(range(1, len(lengths) + 1)))
            for i, (length, (_, line)) in enumerate(zip(lengths, found)):
                self.assertEqual(line, None if length > most else bytes([97 + i]) * length)

    def test_limit_and_windows_ends(self):
        text = "\r\n# comment\r\n[0, [[[], []], null, null, null]]\r\n[0, [[[], []], [1, 1, 1, 1, 1, 1], null, null]]\n"
        found, said = read(text, limit=40)
        self.assertEqual([r.line for r in found], [3])
        self.assertIn("log line 4: the line has over 40 bytes; raise --line-limit", said[-1])
