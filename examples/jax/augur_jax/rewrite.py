# SPDX-License-Identifier: MIT
"""A program with another choice at some of its sites: an interpreter of the jaxpr. The source does not change, and the
result works under jit, grad and vmap."""
import hashlib
import os
import re
from collections.abc import Callable, Mapping
from typing import Any

import jax
from jax._src import source_info_util
from jax.extend import core

from . import others
from .convolutions import convolution
from .dots import dot
from .refused import Refused
from .sites import KEEP, Op, Site

OPS: dict[str, Callable[[Any, list[Any]], Op | None]] = {
    "dot_general": dot, "conv_general_dilated": convolution, "reduce_sum": others.total,
    "scatter-add": others.scatter_add, **dict.fromkeys(others.BARRIERS, others.barrier)}
INLINED = {"jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr"}
# Their bodies have sites, and they stay what they are: derivatives of the user's own, or what is computed again.
NESTED = frozenset("scan while cond checkpoint remat2 custom_jvp_call custom_vjp_call".split())


class Walk:
    """One pass through a program. chosen: by the number of the site. sites: those met, in the order of the trace."""

    def __init__(self, chosen: Mapping[int, str]):
        self.chosen, self.times = chosen, 1
        self.sites: list[Site] = []

    def meet(self, kind: str, eqn: Any, choices: Mapping[str, Any], what: str, facts: Mapping[str, float]) -> str:
        numbers = {"bytes": eqn.outvars[0].aval.dtype.itemsize if eqn.outvars else 0, **facts}
        self.sites.append(Site(kind, (KEEP, *choices), what, where(eqn), numbers, self.times))
        choice = self.chosen.get(len(self.sites) - 1, KEEP)
        if choice not in self.sites[-1].choices:
            raise Refused(f"site {len(self.sites) - 1} has no choice \"{choice}\": it is {kind} {what}, which has "
                          f"{', '.join(self.sites[-1].choices)}; tune the program again")
        return choice

    def run(self, jaxpr: Any, consts: Any, args: Any) -> list[Any]:
        values = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*consts, *args]))

        def read(v: Any) -> Any:
            return v.val if isinstance(v, core.Literal) else values[v]
        for eqn in jaxpr.eqns:
            values.update(zip(eqn.outvars, self.equation(eqn, [read(v) for v in eqn.invars])))
        return [read(v) for v in jaxpr.outvars]

    def equation(self, eqn: Any, x: list[Any]) -> list[Any]:
        name = eqn.primitive.name
        if name in INLINED:
            inner = eqn.params[INLINED[name]]
            return self.run(inner.jaxpr, inner.consts, x) if hasattr(inner, "consts") else self.run(inner, (), x)
        if name in NESTED:
            return self.bind(eqn, x, self.nested(eqn))
        op = OPS[name](eqn, x) if name in OPS else None
        choice = self.meet(op.kind, eqn, op.ways, op.what, op.facts) if op else KEEP
        if not op or choice == KEEP:
            return self.bind(eqn, x, eqn.params)
        made, aval = op.ways[choice](), eqn.outvars[0].aval
        if (made.shape, made.dtype) != (aval.shape, aval.dtype):
            raise TypeError(f"{self.sites[-1].named(choice)} gives {made.dtype}{made.shape} for {aval}")
        return [made]

    @staticmethod
    def bind(eqn: Any, x: list[Any], params: Mapping[str, Any]) -> list[Any]:
        out = eqn.primitive.bind(*x, **eqn.primitive.get_bind_params(dict(params)))
        return list(out) if eqn.primitive.multiple_results else [out]

    def nested(self, eqn: Any) -> dict[str, Any]:
        """The parameters of an equation that has programs, with the programs rewritten."""
        params, outside = dict(eqn.params), self.times
        if eqn.primitive.name == "scan":
            ways = others.unrolls(eqn)
            facts = {"left": len(params["jaxpr"].jaxpr.eqns), "length": params["length"]}
            choice = self.meet("scan", eqn, ways, f"of {params['length']}", facts) if ways else KEEP
            params["unroll"] = ways.get(choice, params["unroll"])
            self.times *= max(params["length"], 1)
        for name, value in params.items():
            params[name] = tuple(map(self.program, value)) if isinstance(value, tuple) else self.program(value)
        self.times = outside
        return params

    def program(self, value: Any) -> Any:
        """A program rewritten; anything else, as it is."""
        if not isinstance(value, (core.Jaxpr, core.ClosedJaxpr)):
            return value
        closed = value if isinstance(value, core.ClosedJaxpr) else core.ClosedJaxpr(value, ())
        new = jax.make_jaxpr(lambda *args: self.run(closed.jaxpr, closed.consts, args))(*shapes(closed))
        return new if value is closed else new.jaxpr


def where(eqn: Any) -> str:
    """FILE:LINE of the user's source, nothing where JAX does not know it."""
    frame = source_info_util.user_frame(eqn.source_info.traceback)
    return f"{os.path.basename(frame.file_name)}:{frame.start_line}" if frame else ""


def trace(f: Callable[..., Any], args: Any, named: Any) -> tuple[Any, Any]:
    """The program of f for these arguments and the tree of its results."""
    closed, shape = jax.make_jaxpr(f, return_shape=True)(*args, **named)
    return closed, jax.tree.structure(shape)


def shapes(closed: Any) -> list[Any]:
    """Of the arguments of a traced program."""
    return [jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak_type) for a in closed.in_avals]


def described(closed: Any) -> list[str]:
    """The arguments in words."""
    return [f"{a.dtype}[{','.join(map(str, a.shape))}]" for a in closed.in_avals]


def fingerprint(closed: Any) -> str:
    """Equal for programs that are equal except for the values of constants."""
    text = re.sub(r"0x[0-9a-f]+", "0x", str(closed.jaxpr)) + "".join(str(jax.typeof(c)) for c in closed.consts)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def rewrite(f: Callable[..., Any], chosen: Mapping[int, str]) -> Callable[..., Any]:
    """A function like f, with the choices at the numbered sites; "keep" at all others."""
    def rewritten(*args: Any, **named: Any) -> Any:
        closed, tree = trace(f, args, named)
        return jax.tree.unflatten(tree, Walk(chosen).run(closed.jaxpr, closed.consts, jax.tree.leaves((args, named))))
    return rewritten


def sites_of(closed: Any) -> list[Site]:
    """The sites of a traced program."""
    walk = Walk({})
    jax.eval_shape(lambda *x: walk.run(closed.jaxpr, closed.consts, x), *shapes(closed))
    return walk.sites


def sites(f: Callable[..., Any], *args: Any, **named: Any) -> list[Site]:
    """The sites of f for these arguments."""
    return sites_of(trace(f, args, named)[0])
