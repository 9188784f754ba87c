# SPDX-License-Identifier: MIT
"""Models of nests in Python: the arithmetic, the shipped one, and files that are none."""
import json
import math
import os
import random
import tempfile
import unittest
from pathlib import Path

import numpy as np

import augur_jax
import compare
from augur_jax import prior, rows, tuner
from augur_jax.learned import SHIPPED, Learned
from augur_jax.sites import Site
from programs import PROGRAMS

COLUMNS = len(rows.COLUMNS)


def write(path, tensors, fit="both", columns=COLUMNS, **how):
    """A checkpoint as docs/formats.md has it, with the metadata that matter."""
    header, data = {}, b""
    for name, value in tensors.items():
        kind = {"f4": "F32", "f8": "F64", "i4": "I32"}[value.dtype.str[1:]]
        header[name] = {"dtype": kind, "shape": value.shape, "data_offsets": [len(data), len(data) + value.nbytes]}
        data += value.tobytes()
    how = {"fit": fit, "flags": "yes", "share": 0.25, "layers": 1, "members": 2, **how}
    data_of = {"kind": "rows", "columns": columns}
    header["__metadata__"] = {"configuration": json.dumps(how), "data": json.dumps(data_of)}
    text = json.dumps(header).encode()
    Path(path).write_bytes(len(text).to_bytes(8, "little") + text + data)


def small():
    """Two networks that add up what is left of two columns, and two trees that ask for the first column."""
    weight = np.zeros((2, 1, 2 * COLUMNS), np.float32)
    weight[:, 0, 0], weight[:, 0, 1], weight[1, 0, COLUMNS + 2] = 1, 1, 8
    nets = {f"{k}.layer.0.weight": weight[k] for k in (0, 1)}
    nets |= {f"{k}.layer.0.bias": np.float32([0.5]) for k in (0, 1)}
    nets |= {f"{k}.output.weight": np.float32([[k + 1]]) for k in (0, 1)}
    deviation = np.full(COLUMNS, 2.0)
    deviation[1] = 1e-7  # constant in training
    return {**nets, "state.row.mean": np.full(COLUMNS, 1.0), "state.row.deviation": deviation,
            "state.offset": np.float64(3.0), "state.trees.column": np.zeros((2, 1), np.int32),
            "state.trees.limit": np.float32([[0], [4]]), "state.trees.leaf": np.float32([[10, 20], [100, 200]])}


class Models(unittest.TestCase):
    def setUp(self):
        self.path = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "best.safetensors")

    def test_arithmetic(self):
        x = np.zeros((4, COLUMNS), np.float32)
        x[:, 0], x[:, 1:3] = [-1, 0, 5, 99], 7
        x[1, 2] = 0
        # relu((x - 1) / 2, at most 5 deviations, + 0.5) in both networks, 8 more in the second where column 2 is 0
        nets = [1.5 * max(v, 0) for v in (-0.5, 0, 2.5, 5.5)]
        nets[1] = (0 + 2 * 8) / 2
        trees = [110, 120, 220, 220]
        for fit, share in (("both", 0.25), ("network", 0), ("trees", 1)):
            write(self.path, small(), fit)
            f = [(1 - share) * n + share * t for n, t in zip(nets, trees)]
            for given in (self.path, os.path.dirname(self.path)):
                np.testing.assert_allclose(Learned(given).factors(x), f, 1e-6)
            np.testing.assert_allclose(Learned(self.path).scores(x, 7.0), [math.log(7) + 3 + each for each in f], 1e-6)

    def test_no_model(self):
        """A sentence for all that is not a model of these rows, however damaged."""
        write(self.path, small())
        whole = Path(self.path).read_bytes()
        start, chance = 8 + int.from_bytes(whole[:8], "little"), random.Random(0)
        bad = [whole[:n] for n in range(0, len(whole), 97)] + [whole[:8] + b"[" * 100000]
        for _ in range(200):
            flipped = bytearray(whole)
            flipped[chance.randrange(start)] ^= 1 << chance.randrange(8)
            bad.append(flipped)
        refused = 0
        for content in bad:
            Path(self.path).write_bytes(content)
            try:
                Learned(self.path)
            except augur_jax.Refused:
                refused += 1
        self.assertGreater(refused, len(bad) // 2)
        write(self.path, small(), columns=7)
        with self.assertRaisesRegex(augur_jax.Refused, "was trained on rows files of 7 columns, not on the"):
            Learned(self.path)
        write(self.path, {**small(), "state.trees.leaf": np.float32([[np.nan, 1], [1, 1]])})
        with self.assertRaisesRegex(augur_jax.Refused, "is not a checkpoint that nests has written"):
            Learned(self.path)
        with self.assertRaisesRegex(augur_jax.Refused, "cannot be read: No such file"):
            tuner.prior_of("/nowhere")

    def test_shipped(self):
        """It is small, has a time for each choice of each program, and knows what is most worth knowing."""
        self.assertLess(os.path.getsize(SHIPPED), 200_000)
        model = tuner.prior_of(None)
        for name in ("depthwise", "kalman_smoother", "dlrm"):
            sites = augur_jax.sites(PROGRAMS[name], *PROGRAMS[name].arguments())
            for site in sites:
                ns = model.nanoseconds(site)
                self.assertEqual(tuple(ns), site.choices)
                self.assertTrue(all(0 < t < 1e12 for t in ns.values()), (site, ns))
            if name == "depthwise":
                best = prior.picks(prior.effects(model, sites), sites, 10, np.random.default_rng(0))
                self.assertEqual(best[0][1], "shifted")
                self.assertLess(model.nanoseconds(sites[1])["shifted"], 0.4 * model.nanoseconds(sites[1])["keep"])
        self.assertEqual(set(model.nanoseconds(Site("option", ("keep", "512"), "vector width")).values()), {0})


class Comparing(unittest.TestCase):
    def test_judge(self):
        """Three ops: who knows the times chooses the best, who knows nothing or expects little leaves all as it is."""
        data = {name: np.arange(8.0) for name in compare.ONE_ROW}
        data["row_group"] = np.array([0, 0, 0, 1, 1, 2, 2, 2])
        data["config_runtime"] = np.array([100, 50, 200, 100, 110, 100, 25, 101])
        y = compare.ratios(data)
        np.testing.assert_allclose(np.exp(y), [1, 0.5, 2, 1, 1.1, 1, 0.25, 1.01])
        best = (0.5 * 1 * 0.25) ** (1 / 3)
        np.testing.assert_allclose(compare.judge(data, y), [best, best, 0, 1])
        np.testing.assert_allclose(compare.judge(data, 0.005 * y), [1, best, 0, 1])
        np.testing.assert_allclose(compare.judge(data, -y), [(2 * 1.1 * 1) ** (1 / 3), best, 2 / 3, -1])
        few = compare.part(data, np.array([0, 2]))
        self.assertEqual(few["row_group"].tolist(), [0, 0, 0, 1, 1, 1])
        self.assertEqual(few["row_offset"].tolist(), list(range(7)))
        np.testing.assert_allclose(compare.ratios(few), np.delete(y, [3, 4]))
