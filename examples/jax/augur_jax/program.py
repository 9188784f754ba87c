# SPDX-License-Identifier: MIT
"""The program that is tuned: its sites with those of the compile options, and modules of its variants."""
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core

from .refused import Refused
from .rewrite import Walk, described, fingerprint, shapes, sites_of, trace
from .sites import KEEP, Site

OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {  # by what a site says: the name, and the value of each choice
    "vector width": ("xla_cpu_prefer_vector_width", {"512": 512}),
    "dot library": ("xla_disable_hlo_passes", {"off": "dot-library-rewriter"}),
    "optimization level": ("xla_backend_optimization_level", {"1": 1, "2": 2}),
}


def options_of(sites: list[Site], candidate: Mapping[int, str]) -> dict[str, Any]:
    """The compile options of a candidate, as jax.jit takes them."""
    chosen = [OPTIONS[sites[k].what] + (c,) for k, c in candidate.items() if sites[k].kind == "option" and c != KEEP]
    return {name: values[c] for name, values, c in chosen}


class Program:
    """f for these arguments, traced once. leaves: the arguments as arrays that go to another process."""

    def __init__(self, f: Callable[..., Any], args: tuple[Any, ...]):
        for leaf in jax.tree.leaves(args):
            if not isinstance(leaf, (jax.Array, np.ndarray, np.generic, bool, int, float, complex)):
                raise Refused(f"an argument is a {type(leaf).__name__}; arguments are arrays, numbers and trees of "
                              "them: bind all others, for example with functools.partial")
        self.closed, _ = trace(f, args, {})
        self.fingerprint = fingerprint(self.closed)
        options = [Site("option", (KEEP, *values), what) for what, (_, values) in OPTIONS.items()]
        self.sites = sites_of(self.closed) + options
        self.leaves = [_bare(leaf, aval.dtype) for leaf, aval in zip(jax.tree.leaves(args), self.closed.in_avals)]
        self.arguments = described(self.closed)

    def module(self, candidate: Mapping[int, str]) -> bytes:
        """StableHLO of a variant, and of the program itself where nothing is chosen."""
        def variant(*x: Any) -> list[Any]:
            if not candidate:
                return list(core.jaxpr_as_fun(self.closed)(*x))
            return Walk(candidate).run(self.closed.jaxpr, self.closed.consts, x)
        traced = jax.jit(variant, keep_unused=True).trace(*shapes(self.closed))
        lowered = traced.lower(lowering_platforms=("cpu",))
        module = str(lowered.compiler_ir("stablehlo")).encode()
        if b"python_cpu_callback" in module:
            raise Refused("the function calls back into Python, which is not possible in the process that measures; "
                          "tune it without jax.debug, pure_callback and io_callback")
        return module

    def options(self, candidate: Mapping[int, str]) -> dict[str, Any]:
        return options_of(self.sites, candidate)


def _bare(leaf: Any, dtype: Any) -> np.ndarray:
    """An argument as an array, random keys as the numbers that they are."""
    if jnp.issubdtype(dtype, jax.dtypes.prng_key):
        return np.asarray(jax.random.key_data(leaf))
    return np.asarray(leaf).astype(dtype, copy=False)
