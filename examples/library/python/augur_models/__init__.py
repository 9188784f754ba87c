# SPDX-License-Identifier: MIT
"""Trained cost models of Augur: libaugur_models (augur_models.h) through ctypes.

    import augur_models
    with augur_models.Model("runs/tgraph") as model:
        print(model.about["model"], model.about["measures"])
        for group in model.predict("graph.npz"):      # or a dict of the file's arrays
            print(group.name, group.number[group.score.argmin()])  # the smallest score is the fastest
"""
import ctypes
import json
import os
from typing import Mapping, NamedTuple, Optional, Union

import numpy as np

__version__ = "0.1.0"
VERSION = 1  # of the header
Items = Union[str, "os.PathLike[str]", Mapping[str, "np.typing.ArrayLike"]]


class Refused(Exception):
    """The library's sentence on a call that failed."""


class Group(NamedTuple):
    """Items whose scores may be compared. score: the smaller, the faster; ns: predicted run times, if there are any."""
    name: str
    number: np.ndarray
    score: np.ndarray
    ns: Optional[np.ndarray]


class _Array(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("dtype", ctypes.c_char_p), ("rank", ctypes.c_int32),
                ("size", ctypes.POINTER(ctypes.c_int64)), ("data", ctypes.c_void_p)]


class _Items(ctypes.Structure):
    _fields_ = [("path", ctypes.c_char_p), ("array", ctypes.POINTER(_Array)), ("arrays", ctypes.c_int64)]


class _Group(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("items", ctypes.c_int64), ("number", ctypes.POINTER(ctypes.c_int64)),
                ("score", ctypes.POINTER(ctypes.c_double)), ("ns", ctypes.POINTER(ctypes.c_double))]


class _Scores(ctypes.Structure):
    _fields_ = [("groups", ctypes.c_int64), ("items", ctypes.c_int64), ("group", ctypes.POINTER(_Group))]


class _Training(ctypes.Structure):
    _fields_ = [("steps", ctypes.c_int32), ("learning_rate", ctypes.c_double)]


def _load(path):
    try:
        library = ctypes.CDLL(path)
        version = library.augur_models_version()
    except (OSError, AttributeError) as reason:
        raise Refused(f"{path} cannot be loaded ({reason}); build it (cmake --build BUILD --target augur_models) and "
                      "name it in AUGUR_MODELS_LIBRARY") from None
    if version != VERSION:
        raise Refused(f"{path} has version {version}, but {VERSION} is needed; build it from these sources")
    pointer, text, code = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    for name, result, arguments in (
            ("error", text, ()), ("warnings", text, ()), ("open", pointer, (text, code)),
            ("describe", text, (pointer,)), ("predict", code, (pointer,) * 3), ("scores_free", None, (pointer,)),
            ("update", code, (pointer,) * 4), ("save", code, (pointer, text)), ("close", None, (pointer,))):
        function = getattr(library, f"augur_models_{name}")
        function.restype, function.argtypes = result, arguments
    return library


def _default():
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libaugur_models.so")
    return os.environ.get("AUGUR_MODELS_LIBRARY") or (here if os.path.exists(here) else "libaugur_models.so")


def _path(path):
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise Refused(f"the path {path!r} has a character 0, which no file has in its name")
    return encoded


def _array(values):
    """values as one of the library's types that holds them all, in C order."""
    array = np.ascontiguousarray(values) if np.ndim(values) else np.asarray(values)
    if array.dtype.str[1:] in ("f4", "f8", "u1", "i1", "i4", "i8") and array.dtype.isnative:
        return array
    if array.dtype.kind == "u" and array.size and array.max() > np.iinfo(np.int64).max:
        raise Refused(f"an array has {array.max()}, but int64, which the library reads, ends at "
                      f"{np.iinfo(np.int64).max}")
    kind = {"b": np.uint8, "f": np.float32 if array.dtype.itemsize == 2 else np.float64}.get(array.dtype.kind, np.int64)
    return array.astype(kind, casting="safe" if array.dtype.kind != "u" else "same_kind")


def _items(items):
    """The struct, and what it borrows."""
    if not isinstance(items, Mapping):
        path = _path(items)
        return _Items(path), path
    kept = []
    for name, values in items.items():
        array = _array(values)
        size = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
        kept.append((array, _Array(name.encode(), array.dtype.str[1:].encode(), array.ndim, size, array.ctypes.data)))
    arrays = (_Array * max(len(kept), 1))(*(each for _, each in kept))
    return _Items(None, arrays, len(kept)), (kept, arrays)


def _copy(pointer, count):
    return np.ctypeslib.as_array(pointer, (count,)).copy() if pointer and count else np.empty(0)


class Model:
    """A trained model. path: a checkpoint, a run folder or the name of a model that ships; threads: of one call, for
    all models of the process, 0: all; library: libaugur_models.so, if not the one that came with this package or that
    AUGUR_MODELS_LIBRARY names. about: what the library tells of it. Threads may share one. Raises Refused with a
    sentence, as all methods."""

    def __init__(self, path, threads=1, library=None):
        if not 0 <= threads < 2**31:
            raise Refused(f"threads is {threads}, but must be 0 to 1024")
        self._library = _load(library or _default())
        self._handle = self._library.augur_models_open(_path(path), threads)
        if not self._handle:
            self._refuse()
        self.about = json.loads(self._library.augur_models_describe(self._handle))

    def _refuse(self):
        raise Refused(self._library.augur_models_error().decode(errors="replace"))

    def warnings(self):
        """The warnings of this thread's last call, a line each."""
        return self._library.augur_models_warnings().decode(errors="replace")

    def predict(self, items: Items):
        """A list of Group. items: a file, folder or list of files, or the arrays of one file by their names."""
        given, _kept = _items(items)
        scores = ctypes.POINTER(_Scores)()
        failed = self._library.augur_models_predict(self._handle, ctypes.byref(given), ctypes.byref(scores))
        if failed:
            self._refuse()
        try:
            return [Group(g.name.decode(errors="replace"), _copy(g.number, g.items), _copy(g.score, g.items),
                          _copy(g.ns, g.items) if g.ns else None)
                    for g in scores.contents.group[:scores.contents.groups]]
        finally:
            self._library.augur_models_scores_free(scores)

    def update(self, items: Items, steps=10, learning_rate=1e-4):
        """Trains further on items with run times. Returns the losses of the first and of the last step."""
        if not -2**31 <= steps < 2**31:
            raise Refused(f"steps is {steps}, but must be 1 to 100000")
        given, _kept = _items(items)
        how, loss = _Training(steps, learning_rate), (ctypes.c_double * 2)()
        failed = self._library.augur_models_update(self._handle, ctypes.byref(given), ctypes.byref(how), loss)
        if failed:
            self._refuse()
        return tuple(loss)

    def save(self, path):
        """Writes a checkpoint that the model's program reads, too."""
        if self._library.augur_models_save(self._handle, _path(path)):
            self._refuse()

    def close(self):
        if self._handle:
            self._library.augur_models_close(self._handle)
        self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
