# SPDX-License-Identifier: MIT
"""A model that `nests train` has learned from measured ops, evaluated only with numpy (docs/formats/nests.md)."""
import json
import os
from typing import Any

import numpy as np

from . import rows
from .refused import Refused
from .sites import Site

SHIPPED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "model", "model.safetensors")
TYPES = {"F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8"}
FLAT, FAR = 1e-6, 5.0  # deviation of a column that is constant, and at how many others are cut off
Tensors = dict[str, np.ndarray]


class Learned:
    """A Prior. path: a checkpoint, or the folder of a run with its best one."""

    def __init__(self, path: str = SHIPPED):
        file = os.path.join(path, "best.safetensors") if os.path.isdir(path) else path
        try:
            metadata, self.tensors = read(file)
            data, how = (json.loads(metadata[name]) for name in ("data", "configuration"))
            self.flags = how["flags"] == "yes"
            self.share = {"network": 0.0, "trees": 1.0}.get(how["fit"], how["share"])
            self.layers = int(how["layers"])
            self.members = int(how["members"]) if self.share < 1 else 0
            if (data["kind"], data["columns"]) != ("rows", len(rows.COLUMNS)):
                raise Refused(f"{file} was trained on {data['kind']} files of {data['columns']} columns, not on the "
                              f"{len(rows.COLUMNS)} of augur-jax ops; train one on what this version measures")
            self.factors(np.zeros((1, len(rows.COLUMNS)), np.float32))  # all tensors are there, and fit
            if not all(np.isfinite(t).all() for name, t in self.tensors.items() if "state.best" not in name):
                raise ValueError
        except OSError as reason:
            raise Refused(f"{file} cannot be read: {reason.strerror}; give a run or checkpoint of nests") from None
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError, OverflowError):
            raise Refused(f"{file} is not a checkpoint that nests has written; give one") from None

    def nanoseconds(self, site: Site) -> dict[str, float]:
        """It learned to compare the ways to write one op: what the op takes as it is, is guessed."""
        if site.kind not in rows.KINDS:
            return dict.fromkeys(site.choices, 0.0)
        f = self.factors(np.array([rows.columns(site, choice) for choice in site.choices], np.float32))
        return dict(zip(site.choices, (rows.work(site) * np.exp(f - f[0])).tolist()))

    def scores(self, x: np.ndarray, work: Any) -> np.ndarray:
        """ln(ns) of each row, as `nests predict` has it of items of one row."""
        return np.asarray(np.log(work) + float(self.tensors["state.offset"]) + self.factors(x))

    def factors(self, x: np.ndarray) -> np.ndarray:
        """f of each row: the mean of the networks and the sum of the trees, averaged."""
        f = np.zeros(len(x))
        if self.members:
            inputs = self.scaled(x)
            f += (1 - self.share) * np.mean([self.network(inputs, k) for k in range(self.members)], 0)
        return f + self.share * self.trees(x) if self.share else f

    def scaled(self, x: np.ndarray) -> np.ndarray:
        """Columns in deviations from their means, then whether each is 0 or less."""
        mean, deviation = (self.tensors[f"state.row.{name}"] for name in ("mean", "deviation"))
        off = np.where(deviation > FLAT, (x - mean) / np.maximum(deviation, FLAT), 0).clip(-FAR, FAR)
        return np.hstack([off, x <= 0]) if self.flags else off

    def network(self, x: np.ndarray, member: int) -> np.ndarray:
        for layer in range(self.layers):
            weight, bias = (self.tensors[f"{member}.layer.{layer}.{name}"] for name in ("weight", "bias"))
            x = np.maximum(x @ weight.T + bias, 0)
        return np.asarray(x @ self.tensors[f"{member}.output.weight"][0])

    def trees(self, x: np.ndarray) -> np.ndarray:
        """Node i of a tree asks for a column; 2 i + 1 follows where it is below the limit, else 2 i + 2."""
        column, limit, leaf = (self.tensors[f"state.trees.{name}"] for name in ("column", "limit", "leaf"))
        every, nodes = np.arange(len(column)), column.shape[1]
        at = np.zeros((len(x), len(column)), int)
        while at[0, 0] < nodes:
            at = 2 * at + 2 - (np.take_along_axis(x, column[every, at], 1) < limit[every, at])
        return np.asarray(leaf[every, at - nodes].sum(1, dtype=float))


def read(path: str) -> tuple[dict[str, str], Tensors]:
    """Metadata and tensors of a safetensors file."""
    with open(path, "rb") as file:
        whole = file.read()
    start = 8 + int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8:start])
    metadata = header.pop("__metadata__")

    def tensor(dtype: str, shape: list[int], data_offsets: list[int]) -> np.ndarray:
        first, end = data_offsets
        return np.frombuffer(whole[start + first:start + end], TYPES[dtype]).reshape(shape)
    return metadata, {name: tensor(**entry) for name, entry in header.items()}
