# SPDX-License-Identifier: MIT
"""Small programs to tune: twelve kinds of work (kinds.py) and twelve written after public models (vision.py,
sequences.py, science.py). The first argument is the parameters."""
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np

PROGRAMS: dict[str, Callable[..., Any]] = {}


class Ids(NamedTuple):
    """Whole numbers from 0 to below."""

    below: int
    shape: tuple[int, ...]


def array(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, np.float32)


def drawn(wanted: Any, rng: np.random.Generator) -> Any:
    """Values for a tree of array() and Ids."""
    def draw(one: Any) -> np.ndarray:
        if isinstance(one, Ids):
            return rng.integers(0, one.below, one.shape, np.int32)
        return (0.2 * rng.standard_normal(one.shape)).astype(np.float32)
    return jax.tree.map(draw, wanted, is_leaf=lambda one: isinstance(one, Ids))


def program(*wanted: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Names a program and what it is called with: f.arguments() draws the same numbers at each call."""
    def add(f: Callable[..., Any]) -> Callable[..., Any]:
        def arguments() -> tuple[Any, ...]:
            return drawn(wanted, np.random.default_rng(zlib.crc32(f.__name__.encode())))
        f.arguments = arguments  # type: ignore[attr-defined]
        PROGRAMS[f.__name__] = f
        return f
    return add


from . import kinds, science, sequences, vision  # noqa: E402, F401  they fill PROGRAMS
