# SPDX-License-Identifier: MIT
"""Damaged logs are read as far as they are good, or refused with a sentence; test_logs.py runs these tests."""
import os
import pathlib
import random
import unittest

import samples
from cases_records import GOOD, opened, read
from refused import Refused
from summary import Summary

HEAD = 4096
FULL = bool(os.environ.get("AUGUR_FULL"))
REAL = pathlib.Path(__file__).resolve().parents[4] / ".." / "shared" / "data" / "tvm"


class Damage(unittest.TestCase):
    def outcome(self, text, workloads=None, refuse=False):
        """How many records are read, or None when the log is refused; checks what holds of any bytes."""
        whole, log, said, count = Summary(), None, [], 0
        try:
            log, said = opened(text, workloads, refuse=refuse)
            for record in log:
                self.assertEqual(record.error == 0, len(record.seconds) > 0)
                self.assertTrue(all(0 < seconds < 1e9 for seconds in record.seconds))
                whole.add(record)
                count += 1
        except Refused as reason:
            self.assertTrue(refuse and str(reason).startswith("log"), reason)
            return None
        self.assertIn(len(said) - log.skipped, (0, 1))  # and that there are no workloads
        whole.end_file("x", count, log.skipped)
        whole.table().encode("utf-8", "strict")
        return count

    def cut(self, text, step):
        """A part of a log is a log whose last line may be bad."""
        before = 0
        for size in range(1, len(text) + 1, step):
            count = self.outcome(text[:size])
            self.assertIn(count - before, (0, 1))
            before = count
        for size in range(1, len(text) + 1, 7 * step):
            self.outcome(text[:size], refuse=True)

    def flip(self, text, flips, workloads=b""):
        generator = random.Random(len(text))
        whole = self.outcome(text, workloads.decode() if workloads else None)
        for i in range(flips):
            damaged, bit = bytearray(text + workloads), generator.randrange(8 * len(text + workloads))
            damaged[bit // 8] ^= 1 << bit % 8
            beside = bytes(damaged[len(text):]).decode("latin-1") if workloads else None
            count = self.outcome(bytes(damaged[:len(text)]), beside, refuse=i % 2 == 0)
            if i % 2 and bit // 8 < len(text) and 10 not in (damaged[bit // 8], text[bit // 8]):
                self.assertIn(count - whole, (-1, 0, 1))  # a comment may become a line

    def test_made_up(self):
        for log in (samples.ANSOR, samples.AUTOTVM, samples.RECORDS):
            self.cut(log.encode(), 1 if FULL else 3)
            self.flip(log.encode(), 1000)
        self.flip(samples.RECORDS.encode(), 1000, samples.WORKLOADS.encode())
        for size in range(len(samples.WORKLOADS)):
            self.outcome(samples.RECORDS, samples.WORKLOADS[:size])

    @unittest.skipUnless(REAL.is_dir(), "the real logs are not here")
    def test_real(self):
        for path in sorted(REAL.glob("*.json")) + sorted(REAL.glob("*.log")):
            if not path.name.startswith("cdmpp"):
                head = path.read_bytes()[:2 * HEAD]
                self.cut(head[:HEAD], 1 if FULL else 40)
                self.flip(head, 5000 if FULL else 200)

    def test_deep(self):
        for deep in ("[" * 100000, "[" * 100000 + "]" * 100000, '{"i":' * 100000 + "1" + "}" * 100000):
            found, said = read(GOOD + deep + "\n" + GOOD)
            self.assertEqual([r.line for r in found], [1, 3])
            self.assertIn("nested too deeply", said[0])

    def test_deep_inside(self):
        """Deeper than is shown or summed up, in every place that holds any value."""
        for depth in range(300, 1100, 50):
            deep = "[" * depth + "]" * depth
            for line in (f"[0, [[[], []], [1], {{\"a\": {deep}}}, null]]\n", f"[0, [[[], []], [1], null, {deep}]]\n",
                         samples.autotvm(named=f'{{"a": {deep}}}'), samples.autotvm(entities=f'["a", "ot", {deep}]'),
                         samples.ansor(steps=deep), f"[0, {deep}]\n", f"{deep}\n"):
                found, said = read(GOOD + line + GOOD, samples.WORKLOADS)
                self.assertEqual(len(found) + len(said), 3)

    def test_not_utf8(self):
        for line in (b"\xff\xfe\n", b'{"i": "\xc3"}\n', GOOD.encode().replace(b"llvm", b"ll\xe9m"), b"\0\n",
                     GOOD.encode("utf-16"), b"\xef\xbb\xbf" + GOOD.encode()):
            _, said = read(GOOD.encode() + line + b"\n" + GOOD.encode())
            self.assertTrue(said and said[0].startswith("log line 2: no JSON"), said)

    def test_half_of_a_pair(self):
        """Half of a surrogate pair is a text of JSON, and cannot be printed."""
        self.outcome(GOOD.replace("llvm", "\\ud800").replace("good", "\\ud800"))

    def test_numbers(self):
        for number in ("1" * 400, "1" * 5000, "-" + "9" * 400):
            for line in (f"[{number}, [[[], []], null, null, null]]\n", samples.ansor(result=f"[[{number}], 0, 1, 2]"),
                         f"[0, [[[], []], [{number}], null, null]]\n", samples.ansor(result=f"[[1], {number}, 1, 2]")):
                found, said = read(GOOD + line + GOOD, samples.WORKLOADS)
                self.assertEqual(len(found) + len(said), 3)

    def test_huge_line(self):
        text = GOOD + "[" + "1," * (1 << 20) + "1]\n" + GOOD
        found, said = read(text, limit=1 << 20)
        self.assertEqual(len(found), 2)
        self.assertIn("the line has over 1048576 bytes", said[0])
        self.assertIn("is no record", read(text)[1][0])

    def test_the_same_record_again(self):
        self.assertEqual(len(read(GOOD * 3)[0]), 3)
