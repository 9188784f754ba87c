# SPDX-License-Identifier: MIT
"""Twelve kinds of work."""
import jax
import jax.numpy as jnp
from jax import lax

from . import Ids, array, program
from .parts import attend, conv, lstm_cell, norm


@program([array(256, 512), array(512, 512), array(512, 64)], array(128, 256))
def mlp(p, x):
    return jax.nn.relu(jax.nn.relu(x @ p[0]) @ p[1]) @ p[2]


@program([array(3, 3, 3, 16), array(3, 3, 16, 32), array(2048, 10)], array(8, 32, 32, 3))
def cnn(p, x):
    """An image of three colours, two convolutions of stride 2, classes."""
    x = jax.nn.relu(conv(jax.nn.relu(conv(x, p[0], 2)), p[1], 2))
    return x.reshape(8, -1) @ p[2]


@program([array(1, 1, 64, 32), array(3, 3, 32, 32), array(1, 1, 32, 64)], array(4, 28, 28, 64))
def bottleneck(p, x):
    """A block of a residual network."""
    y = x
    for w in p[:2]:
        y = jax.nn.relu(norm(conv(y, w)))
    return jax.nn.relu(x + norm(conv(y, p[2])))


@program([array(1, 1, 32, 128), array(3, 3, 1, 128), array(1, 1, 128, 32)], array(2, 28, 28, 32))
def depthwise(p, x):
    """A block of separable convolutions."""
    y = jax.nn.relu6(conv(jax.nn.relu6(conv(x, p[0])), p[1], groups=128))
    return x + conv(y, p[2])


@program({name: array(128, 128) for name in "qkvo"}, array(4, 96, 128))
def attention(p, x):
    return x + attend(norm(x), p, 4)


@program({**{name: array(192, 192) for name in "qkvo"}, "up": array(192, 768), "down": array(768, 192)},
         array(2, 64, 192))
def transformer(p, x):
    x = x + attend(norm(x), p, 6)
    return x + jax.nn.gelu(norm(x) @ p["up"]) @ p["down"]


@program([array(8, 8), array(8, 8)], array(4096, 8, 8), array(4096, 8, 8))
def small_matrices(p, x, y):
    """Products of thousands of matrices of 8 x 8."""
    z = jnp.tanh(x @ y) @ p[0]
    return jnp.einsum("nij,nlj->nil", z, y) @ p[1]


@program({"tables": [array(1000, 16)] * 6, "dense": array(13, 16), "hidden": array(37, 64), "out": array(64, 1)},
         array(256, 13), Ids(1000, (256, 6)))
def recommender(p, x, ids):
    """Embeddings, products of all pairs of them, two layers."""
    dense = x @ p["dense"]
    e = jnp.stack([dense, *(table[ids[:, k]] for k, table in enumerate(p["tables"]))], 1)
    first, second = jnp.triu_indices(7, 1)
    pairs = jnp.einsum("bid,bjd->bij", e, e)[:, first, second]
    return jax.nn.relu(jnp.concatenate([pairs, dense], 1) @ p["hidden"]) @ p["out"]


@program(array(8, 8), array(3, 512, 8, 8, 8), array(512, 8, 8, 8))
def spectral(d, weights, u):
    """Spectral elements: derivatives along three axes, weighted, and their transposes."""
    along = ("ai,eijk->eajk", "aj,eijk->eiak", "ak,eijk->eija")
    back = ("ai,eajk->eijk", "aj,eiak->eijk", "ak,eija->eijk")
    return sum(jnp.einsum(b, d, w * jnp.einsum(a, d, u)) for a, b, w in zip(along, back, weights))


@program({"x": array(64, 256), "h": array(64, 256), "bias": array(256)}, array(16, 32, 64))
def recurrent(p, xs):
    """An LSTM over 16 steps of a batch of 32."""
    def step(state, x):
        state = lstm_cell(state, x @ p["x"] + state[0] @ p["h"] + p["bias"])
        return state, state[0]
    zero = jnp.zeros((32, 64))
    return lax.scan(step, (zero, zero), xs)[1]


@program([array(196, 64), array(64, 196), array(128, 256), array(256, 128)], array(4, 196, 128))
def mixer(p, x):
    """Layers across places, then across features."""
    x = x + jnp.einsum("bhc,hn->bnc", jax.nn.gelu(jnp.einsum("bnc,nh->bhc", norm(x), p[0])), p[1])
    return x + jax.nn.gelu(norm(x) @ p[2]) @ p[3]


@program([array(32, 32, 32)] * 3, array(64, 32), array(32, 32))
def tensor_network(p, x, y):
    """A matrix product state of three sites."""
    z = jnp.einsum("bi,ijk->bjk", x, p[0])
    z = jnp.einsum("bjk,klm->bjlm", z, p[1])
    return jnp.einsum("bjlm,mno,lo->bjn", z, p[2], y)
