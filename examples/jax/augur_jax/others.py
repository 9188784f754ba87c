# SPDX-License-Identifier: MIT
"""Ways to write sums, scatter-adds, loops, and elementwise ops after which fusion may stop."""
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from .sites import Op, dims, size

MOST_ONE_HOT = 1 << 27  # multiplications of a scatter-add that is a product
MOST_UNROLLED = 32  # iterations of a loop that is written out
LEAST_BARRIER = 64  # elements of an op that is kept from being fused
BARRIERS = frozenset("concatenate cumsum div erf exp gather integer_pow log logistic reduce_max rsqrt sqrt tanh "
                     "transpose".split())


def total(eqn: Any, x: list[Any]) -> Op | None:
    """A sum over some axes."""
    values, axes = x[0], tuple(eqn.params["axes"])
    if not values.size or len(axes) == values.ndim or not axes or not jnp.issubdtype(values.dtype, jnp.floating):
        return None

    def dot() -> Any:
        ones = jnp.ones([values.shape[i] for i in axes], values.dtype)
        return lax.dot_general(values, ones, ((axes, tuple(range(len(axes)))), ((), ())))

    summed = size(values.shape, axes)
    facts = {"left": values.size // summed, "summed": summed, "left_minor": values.ndim - 1 in axes}
    return Op("sum", f"{dims(values.shape)} over {','.join(map(str, axes))}", facts,
              {"dot": dot, "barrier": lambda: _kept_apart(eqn, x)})


def scatter_add(eqn: Any, x: list[Any]) -> Op | None:
    """Whole rows added to a table, as the gradient of table[ids] is."""
    table, ids, rows = x
    d, mode = eqn.params["dimension_numbers"], eqn.params["mode"]
    width, many = table.ndim - 1, rows.ndim - table.ndim + 1
    if (d.inserted_window_dims, d.scatter_dims_to_operand_dims) != ((0,), (0,)) or d.operand_batching_dims:
        return None
    if d.update_window_dims != tuple(range(many, many + width)) or rows.shape[many:] != table.shape[1:]:
        return None
    if not rows.size or table.dtype not in (jnp.float32, jnp.float64) or ids.size * table.size > MOST_ONE_HOT:
        return None

    def one_hot() -> Any:
        flat = ids.reshape(-1)
        if mode == lax.GatherScatterMode.CLIP:
            flat = jnp.clip(flat, 0, table.shape[0] - 1)
        hits = jax.nn.one_hot(flat, table.shape[0], axis=0, dtype=table.dtype)
        return table + (hits @ rows.reshape(flat.size, -1)).reshape(table.shape)

    facts = {"batch": ids.size, "left": table.shape[0], "right": size(table.shape[1:])}
    return Op("scatter", f"{ids.size} rows to {dims(table.shape)}", facts, {"onehot": one_hot})


def barrier(eqn: Any, x: list[Any]) -> Op | None:
    made = eqn.outvars[0].aval
    if getattr(made, "size", 0) < LEAST_BARRIER or jnp.issubdtype(made.dtype, jax.dtypes.extended):
        return None
    return Op("barrier", f"{eqn.primitive.name} {dims(made.shape)}", {"left": made.size},
              {"barrier": lambda: _kept_apart(eqn, x)})


def unrolls(eqn: Any) -> dict[str, int]:
    """How many iterations of a scan each choice writes out."""
    length, now = eqn.params["length"], int(eqn.params["unroll"])
    counts = {str(n): n for n in (2, 4) if n < length} | ({"all": length} if 1 < length <= MOST_UNROLLED else {})
    return {name: n for name, n in counts.items() if n != now}


def _kept_apart(eqn: Any, x: list[Any]) -> Any:
    return lax.optimization_barrier(eqn.primitive.bind(*x, **eqn.params))
