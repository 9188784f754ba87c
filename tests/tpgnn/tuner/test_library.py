# SPDX-License-Identifier: MIT
"""Tests of the library through ctypes: names, layouts, errors."""
import os
import tempfile
import unittest

import library
import numpy as np

if "AUGUR_TPGNN_LIBRARY" not in os.environ:
    raise unittest.SkipTest("AUGUR_TPGNN_LIBRARY, AUGUR_TPGNN_RUN and AUGUR_TPGNN_DATA are not set")
LIBRARY, RUN, DATA = (os.environ[f"AUGUR_TPGNN_{name}"] for name in ("LIBRARY", "RUN", "DATA"))


def packed_data():
    """Arrays of a file, and its run times."""
    with np.load(DATA, allow_pickle=False) as data:
        arrays = [np.ascontiguousarray(data[n], t) for n, t in zip(library.NAMES, library.TYPES)]
        return [data["kinds"].copy(), *arrays], data["schedule_runtime"].copy()


class Library(unittest.TestCase):
    def setUp(self):
        self.model = library.Model(LIBRARY, RUN, 2)

    def tearDown(self):
        self.model.close()

    def test_scores(self):
        packed, runtimes = packed_data()
        scores, bad = self.model.predict(packed)
        self.assertEqual(self.model.name(), "TPGNN")
        self.assertEqual((len(scores), bad), (len(runtimes), 0))
        self.assertTrue(np.isfinite(scores).all() and len(set(scores)) > len(scores) // 2)
        again = library.Model(LIBRARY, RUN, 1)
        self.assertEqual(again.predict(packed)[0].tobytes(), scores.tobytes())
        again.close()

    def test_update_and_save(self):
        packed, runtimes = packed_data()
        before, after, left = self.model.update(packed, runtimes, steps=40, learning_rate=1e-3)
        self.assertTrue(0 < after < before and left == 0)
        scores, _ = self.model.predict(packed)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tuned.safetensors")
            self.model.save(path)
            tuned = library.Model(LIBRARY, path)
            self.assertEqual(tuned.predict(packed)[0].tobytes(), scores.tobytes())
            tuned.close()
            with self.assertRaises(library.Refused):
                self.model.save(os.path.join(folder, "no", "folder"))

    def test_refused(self):
        packed, runtimes = packed_data()
        for given in (("/nowhere.so", RUN), (LIBRARY, "/nowhere")):
            with self.assertRaisesRegex(library.Refused, "nowhere"):
                library.Model(*given)
        with self.assertRaisesRegex(library.Refused, "steps"):
            self.model.update(packed, runtimes, steps=-1)
        for bad in ([packed[0], packed[1][1:], *packed[2:]], [packed[0], packed[1].astype(np.int64), *packed[2:]],
                    [packed[0], np.repeat(packed[1], 2)[::2], *packed[2:]]):
            with self.assertRaises(ValueError):
                self.model.predict(bad)
        for short in ({"nanoseconds": runtimes[1:]}, {"nanoseconds": runtimes, "tasks": [0]}):
            with self.assertRaisesRegex(ValueError, "as many"):
                self.model.update(packed, **short)

    def test_numbers_that_do_not_fit(self):
        packed, runtimes = packed_data()
        before = self.model.predict(packed)[0].tobytes()
        tasks = np.full(len(runtimes), 2**32)
        for name, value in (("steps", 2**32 + 10), ("steps", -2**32 + 10), ("batch", 2**32 + 64), ("tasks", tasks)):
            with self.assertRaisesRegex(library.Refused, f"{name} (is|has) -?429496[0-9]{{4}}"):
                self.model.update(packed, runtimes, **{name: value})
        with self.assertRaisesRegex(library.Refused, "threads is 4294967297"):
            library.Model(LIBRARY, RUN, 2**32 + 1)
        with self.assertRaisesRegex(library.Refused, "nanoseconds has"):
            self.model.update(packed, runtimes.astype(np.uint64) + np.uint64(2**63))
        self.assertEqual(self.model.predict(packed)[0].tobytes(), before)
