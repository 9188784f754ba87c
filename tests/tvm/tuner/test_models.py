# SPDX-License-Identifier: MIT
"""Tests of the tuner's model without TVM: trees as arrays."""
import os
import unittest

import models
import numpy as np
import columns  # of the collector
import tree

if "AUGUR_MODELS_LIBRARY" not in os.environ:
    raise unittest.SkipTest("AUGUR_MODELS_LIBRARY, AUGUR_TPGNN_RUN and AUGUR_TPGNN_DATA are not set")
LIBRARY, RUN, DATA = (os.environ[f"AUGUR_{name}"] for name in ("MODELS_LIBRARY", "TPGNN_RUN", "TPGNN_DATA"))


def trees_of(data):
    """The trees of a file."""
    lines = [line.split(" ")[:4] for line in columns.lines(data["kinds"])]
    for begin, end in zip(data["node_offset"], data["node_offset"][1:]):
        part, made = slice(begin, end), tree.Tree()
        made.kind = [tuple(lines[k]) for k in data["node_kind"][part]]
        made.children, made.value, made.refers = (data[f"node_{name}"][part].tolist()
                                                  for name in ("children", "value", "refers"))
        yield made


class Trees(unittest.TestCase):
    def test_as_the_file(self):
        model = models.Model(RUN, library=LIBRARY)
        with np.load(DATA, allow_pickle=False) as data:
            trees, seconds = list(trees_of(data)), data["schedule_runtime"] / 1e9
        self.assertEqual(model.about["model"], "TPGNN")
        whole, = model.predict(DATA)
        some, = model.predict(models.arrays(trees[:7]))
        self.assertEqual(some.score.tobytes(), whole.score[:7].tobytes())
        same, = model.predict(models.arrays(trees, seconds))
        self.assertEqual(same.score.tobytes(), whole.score.tobytes())
        model.update(models.arrays(trees, seconds), 3, 1e-3)
        self.assertNotEqual(model.predict(DATA)[0].score.tobytes(), whole.score.tobytes())
        model.close()

    def test_refused(self):
        with self.assertRaisesRegex(models.Refused, "nowhere"):
            models.Model(RUN, library="/nowhere.so")
