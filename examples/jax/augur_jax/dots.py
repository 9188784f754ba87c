# SPDX-License-Identifier: MIT
"""Ways to write a dot product (dot_general)."""
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

from .sites import Op, size

MOST_PRODUCTS = 1 << 22  # elements that mulsum may write, if nothing is fused
MOST_LOOP = 16  # products that are written one after the other
MOST_SUMMED = 16  # terms of a written sum
MOST_TERM = 1 << 21  # elements of each of its terms
LEAST_BATCH = 64  # to make the batch the innermost axis


def dot(eqn: Any, x: list[Any]) -> Op | None:
    left, right = x
    (lc, rc), (lb, rb) = (tuple(map(list, pair)) for pair in eqn.params["dimension_numbers"])
    lf, rf = (_others(a.ndim, c, b) for a, c, b in ((left, lc, lb), (right, rc, rb)))
    batch, rows, columns, summed = (size(a.shape, i) for a, i in ((left, lb), (left, lf), (right, rf), (left, lc)))
    if not batch * rows * columns * summed:
        return None
    nb, nl, nr, nk = len(lb), len(lf), len(rf), len(lc)
    made = eqn.outvars[0].aval

    def bind(a: Any, b: Any, contracted: tuple[Any, Any], batched: tuple[Any, Any]) -> Any:
        numbers = tuple(tuple(map(tuple, pair)) for pair in (contracted, batched))
        return eqn.primitive.bind(a, b, **{**eqn.params, "dimension_numbers": numbers})

    def swap() -> Any:
        out = bind(right, left, (rc, lc), (rb, lb))
        return jnp.transpose(out, [*range(nb), *range(nb + nr, nb + nr + nl), *range(nb, nb + nr)])

    def lhs_t() -> Any:
        a = lax.optimization_barrier(jnp.transpose(left, lb + lc + lf))
        return bind(a, right, (list(range(nb, nb + nk)), rc), (list(range(nb)), rb))

    def rhs_t() -> Any:
        b = lax.optimization_barrier(jnp.transpose(right, rb + rf + rc))
        return bind(left, b, (lc, list(range(nb + nr, nb + nr + nk))), (lb, list(range(nb))))

    def flat(multiply: Callable[[Any, Any], Any]) -> Callable[[], Any]:
        """multiply gets [batch, rows, summed] and [batch, columns, summed]."""
        def way() -> Any:
            a = jnp.transpose(left, lb + lf + lc).reshape(batch, rows, summed)
            b = jnp.transpose(right, rb + rf + rc).reshape(batch, columns, summed)
            return multiply(a, b).reshape(made.shape)
        return way

    ways = {"swap": swap, "lhs_t": lhs_t, "rhs_t": rhs_t,
            "barrier": lambda: lax.optimization_barrier(eqn.primitive.bind(left, right, **eqn.params))}
    if left.dtype == right.dtype == made.dtype and made.dtype in (jnp.float32, jnp.float64):
        if batch * rows * columns * summed <= MOST_PRODUCTS:
            ways["mulsum"] = flat(_mulsum)
        if 1 < batch <= MOST_LOOP:
            ways["loop"] = flat(_loop)
        if summed <= MOST_SUMMED and batch * rows * columns <= MOST_TERM:
            ways["unroll_k"] = flat(_unroll_k)
        if batch >= LEAST_BATCH and summed <= MOST_SUMMED and batch * rows * columns <= MOST_TERM:
            ways["batch_minor"] = flat(_batch_minor)
    facts = {"batch": batch, "left": rows, "right": columns, "summed": summed, "left_minor": left.ndim - 1 in lc,
             "right_minor": right.ndim - 1 in rc, "batch_late": lb != list(range(nb)) or rb != list(range(nb)),
             "left_apart": _apart(lb, lf, lc), "right_apart": _apart(rb, rf, rc)}
    return Op("dot", f"{batch}x{rows}x{columns}x{summed}", facts, ways)


def _others(axes: int, contracted: list[int], batch: list[int]) -> list[int]:
    return [i for i in range(axes) if i not in contracted and i not in batch]


def _apart(batch: list[int], *kinds: list[int]) -> bool:
    """Whether an operand has to be moved before it is a stack of matrices."""
    return batch != list(range(len(batch))) or any(k != list(range(k[0], k[0] + len(k))) for k in kinds if k)


def _mulsum(a: Any, b: Any) -> Any:
    return (a[:, :, None, :] * b[:, None, :, :]).sum(-1)


def _loop(a: Any, b: Any) -> Any:
    return jnp.stack([one @ other.T for one, other in zip(a, b)])


def _unroll_k(a: Any, b: Any) -> Any:
    return sum(a[:, :, None, k] * b[:, None, :, k] for k in range(a.shape[2]))


def _batch_minor(a: Any, b: Any) -> Any:
    a, b = lax.optimization_barrier((a.transpose(1, 2, 0), b.transpose(1, 2, 0)))
    return sum(a[:, None, k] * b[None, :, k] for k in range(a.shape[1])).transpose(2, 0, 1)
