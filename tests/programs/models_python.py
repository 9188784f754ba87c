# SPDX-License-Identifier: MIT
"""augur_models as it is installed, with two small runs; models_python.sh calls it."""
import os
import tempfile
import threading
import unittest

import augur_models
import numpy as np

PAIRS = list(zip(*(os.environ[f"AUGUR_{name}"].split(":") for name in ("RUNS", "FILES"))))


class Models(unittest.TestCase):
    def test_it_is_the_wheel(self):
        folder = os.path.dirname(augur_models.__file__)
        self.assertIn("site-packages", folder)
        self.assertTrue(os.path.exists(os.path.join(folder, "libaugur_models.so")))
        self.assertTrue(os.path.exists(os.path.join(folder, "py.typed")))

    def test_files_and_arrays(self):
        for run, file in PAIRS:
            with augur_models.Model(run) as model, np.load(file, allow_pickle=False) as data:
                self.assertEqual(model.about["step"], 2)
                one, = model.predict(file)
                self.assertEqual(len(one.score), len(set(one.number)))
                self.assertTrue(np.isfinite(one.score).all() and len(set(one.score)) > len(one.score) // 2)
                turned = {name: np.asfortranarray(data[name]) for name in data}
                big = {name: array.astype(array.dtype.newbyteorder(">")) for name, array in turned.items()}
                for arrays in (dict(data), turned, big):
                    self.assertEqual(model.predict(arrays)[0].score.tobytes(), one.score.tobytes())

    def test_update_and_save(self):
        for run, file in PAIRS:
            with augur_models.Model(run) as model, tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "tuned.safetensors")
                before, = model.predict(file)
                first, last = model.update(file, steps=20, learning_rate=1e-3)
                self.assertTrue(first > 0 and np.isfinite(last))
                after, = model.predict(file)
                self.assertNotEqual(after.score.tobytes(), before.score.tobytes())
                model.save(path)
                with augur_models.Model(path) as tuned:
                    self.assertEqual(tuned.predict(file)[0].score.tobytes(), after.score.tobytes())
                    self.assertEqual(tuned.about["step"], 22)

    def test_shipped(self):
        with augur_models.Model("tpgnn-schedules") as model:
            self.assertEqual(model.about["program"], "tpgnn")
            self.assertTrue(np.isfinite(model.predict(PAIRS[0][1])[0].score).all())
        with self.assertRaisesRegex(augur_models.Refused, "tgraph-layout"):
            augur_models.Model("no-such-model")

    def test_refused(self):
        run, file = PAIRS[0]
        for given in ({"path": "/nowhere"}, {"path": run, "library": "/nowhere.so"}):
            with self.assertRaisesRegex(augur_models.Refused, "nowhere"):
                augur_models.Model(**given)
        with self.assertRaisesRegex(augur_models.Refused, "threads is 4294967297"):
            augur_models.Model(run, threads=2**32 + 1)
        with augur_models.Model(run) as model:
            for steps in (0, -1, 2**32 + 10):
                with self.assertRaisesRegex(augur_models.Refused, "steps"):
                    model.update(file, steps=steps)
            for items in ({}, {"other": np.zeros(3)}, PAIRS[1][1], "/nowhere.npz"):
                with self.assertRaises(augur_models.Refused):
                    model.predict(items)
            with np.load(file, allow_pickle=False) as data, self.assertRaisesRegex(augur_models.Refused, "int64"):
                model.predict({name: np.uint64(2**64 - 1) - np.zeros(3, np.uint64) for name in data})
            with self.assertRaises(TypeError):
                model.predict({"kinds": np.array([object()])})
            for path in ("/no/such/folder", "a\0b"):
                with self.assertRaises(augur_models.Refused):
                    model.save(path)

    def test_threads(self):
        run, file = PAIRS[0]
        with augur_models.Model(run) as model:
            want, got = model.predict(file)[0].score.tobytes(), []

            def predict():
                got.append(model.predict(file)[0].score.tobytes())

            work = [threading.Thread(target=predict) for _ in range(4)]
            for each in work:
                each.start()
            for each in work:
                each.join()
            self.assertEqual(got, [want] * 4)


unittest.main()
