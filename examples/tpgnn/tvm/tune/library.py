# SPDX-License-Identifier: MIT
"""libaugur_tpgnn (library/augur_tpgnn.h) through ctypes. Knows no TVM."""
import ctypes
import operator
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "collect"))
import columns  # noqa: E402
from command import Refused  # noqa: E402

VERSION = 1
NAMES = ("node_kind", "node_children", "node_value", "node_refers", "node_offset")
TYPES = (np.int32, np.int32, np.float32, np.int32, np.int64)


class Graphs(ctypes.Structure):
    _fields_ = [("graphs", ctypes.c_int64), ("nodes", ctypes.c_int64), ("kinds", ctypes.c_void_p),
                ("kinds_bytes", ctypes.c_int64), *((name, ctypes.c_void_p) for name in NAMES)]


class Training(ctypes.Structure):
    _fields_ = [("steps", ctypes.c_int32), ("batch", ctypes.c_int32), ("learning_rate", ctypes.c_double)]


def load(path):
    """The shared object with the types of its functions. Raises Refused with a sentence."""
    try:
        library = ctypes.CDLL(path)
        version = library.augur_tpgnn_version()
    except (OSError, AttributeError) as reason:
        raise Refused(f"{path} cannot be loaded ({reason}); "
                      "build it: cmake --build BUILD --target augur_tpgnn") from None
    if version != VERSION:
        raise Refused(f"{path} has version {version}, but {VERSION} is needed; build it from these sources")
    pointer, count = ctypes.c_void_p, ctypes.c_int64
    for name, result, arguments in (
            ("error", ctypes.c_char_p, ()), ("open", pointer, (ctypes.c_char_p, ctypes.c_int)),
            ("name", ctypes.c_char_p, (pointer,)),
            ("predict", count, (pointer, pointer, pointer)), ("close", None, (pointer,)),
            ("update", count, (pointer,) * 6), ("save", ctypes.c_int, (pointer, ctypes.c_char_p))):
        function = getattr(library, f"augur_tpgnn_{name}")
        function.restype, function.argtypes = result, arguments
    return library


def _integer(name, value):
    """value as an int that a C int holds: ctypes would keep the low bits of any other."""
    value = operator.index(value)
    if not -2**31 <= value < 2**31:
        raise Refused(f"{name} is {value}, but must fit into 32 bits; take a number nearer to 0")
    return value


def _array(name, values, dtype):
    """values as a contiguous array of this type; NumPy would keep the low bits of integers that do not fit."""
    given = np.asarray(values)
    made = np.ascontiguousarray(given, dtype)
    if given.dtype.kind in "iu" and (made != given).any():
        raise Refused(f"{name} has {given[made != given][0]}, which does not fit into {np.dtype(dtype)}")
    return made


def arrays(trees):
    """The arrays of trees that the library reads: kinds, then the columns of a file in the types of the C ABI."""
    packed = columns.nodes(trees)
    return [packed["kinds"], *(np.ascontiguousarray(packed[n], t) for n, t in zip(NAMES, TYPES))]


class Model:
    """A trained model; path: a checkpoint or a run folder. Raises Refused where that is none."""

    def __init__(self, library, path, threads=1):
        self.library = load(library)
        self.handle = self.library.augur_tpgnn_open(os.fsencode(path), _integer("threads", threads))
        if not self.handle:
            raise Refused(self.error())

    def error(self):
        """The error of the last call of this thread."""
        return self.library.augur_tpgnn_error().decode()

    def name(self):
        """The name of the model in tables."""
        return self.library.augur_tpgnn_name(self.handle).decode()

    def predict(self, packed):
        """(scores, how many graphs have none) of what arrays() made; larger is faster, -inf: none."""
        graphs, kept = _graphs(packed)
        scores = np.full(graphs.graphs, -np.inf)
        bad = self.library.augur_tpgnn_predict(self.handle, ctypes.byref(graphs), scores.ctypes.data)
        del kept
        return scores, int(bad) if bad >= 0 else len(scores)

    def update(self, packed, nanoseconds, tasks=None, steps=10, batch=64, learning_rate=1e-4):
        """Trains on these run times and those before. (loss before, loss after, graphs left out); Refused."""
        graphs, kept = _graphs(packed)
        runtime = _array("nanoseconds", nanoseconds, np.int64)
        task = np.zeros(graphs.graphs, np.int32) if tasks is None else _array("tasks", tasks, np.int32)
        if runtime.shape != (graphs.graphs,) or task.shape != (graphs.graphs,):
            raise ValueError(f"there are {graphs.graphs} graphs, and run times and tasks must be as many")
        how, loss = Training(_integer("steps", steps), _integer("batch", batch), learning_rate), np.zeros(2)
        left = self.library.augur_tpgnn_update(self.handle, ctypes.byref(graphs), runtime.ctypes.data, task.ctypes.data,
                                               ctypes.byref(how), loss.ctypes.data)
        del kept
        if left < 0:
            raise Refused(self.error())
        return float(loss[0]), float(loss[1]), int(left)

    def save(self, path):
        if self.library.augur_tpgnn_save(self.handle, os.fsencode(path)):
            raise Refused(self.error())

    def close(self):
        self.library.augur_tpgnn_close(self.handle)
        self.handle = None


def _graphs(packed):
    """The struct, and the arrays that it borrows."""
    kinds, *rest = packed
    if [array.dtype for array in packed] != [np.uint8, *TYPES] or not all(a.flags.c_contiguous for a in packed):
        raise ValueError("the arrays must have the types that library.arrays gives them, and be contiguous")
    if len({len(array) for array in rest[:4]}) != 1 or not len(rest[4]):
        raise ValueError("the columns of the nodes must have one length, and the offsets one entry more than graphs")
    pointers = [array.ctypes.data for array in rest]
    return Graphs(len(rest[4]) - 1, len(rest[0]), kinds.ctypes.data, len(kinds), *pointers), packed
