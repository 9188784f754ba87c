# SPDX-License-Identifier: MIT
"""Parts that several programs have."""
import jax
import jax.numpy as jnp
from jax import lax


def conv(x: jax.Array, w: jax.Array, stride: int = 1, groups: int = 1) -> jax.Array:
    """Two axes of space, features last."""
    return lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                    feature_group_count=groups)


def conv1d(x: jax.Array, w: jax.Array, dilation: int = 1, groups: int = 1) -> jax.Array:
    """Causal: an output sees nothing that comes later."""
    before = (w.shape[0] - 1) * dilation
    return lax.conv_general_dilated(x, w, (1,), [(before, 0)], rhs_dilation=(dilation,),
                                    dimension_numbers=("NWC", "WIO", "NWC"), feature_group_count=groups)


def norm(x: jax.Array) -> jax.Array:
    centred = x - x.mean(-1, keepdims=True)
    return centred * lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-6)


def attend(x: jax.Array, p: dict[str, jax.Array], heads: int) -> jax.Array:
    """Attention of a sequence to itself: [batch, time, features], weights q, k, v, o."""
    b, t, d = x.shape
    q, k, v = ((x @ p[name]).reshape(b, t, heads, d // heads).transpose(0, 2, 1, 3) for name in "qkv")
    weights = jax.nn.softmax(q @ k.swapaxes(-1, -2) / (d // heads) ** 0.5)
    return (weights @ v).transpose(0, 2, 1, 3).reshape(b, t, d) @ p["o"]


def lstm_cell(state: tuple[jax.Array, jax.Array], gates: jax.Array) -> tuple[jax.Array, jax.Array]:
    i, f, g, o = jnp.split(gates, 4, -1)
    c = jax.nn.sigmoid(f) * state[1] + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(c), c
