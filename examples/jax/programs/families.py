# SPDX-License-Identifier: MIT
"""Fifteen families of small programs of random sizes, of which layouts are measured. FAMILIES[name](number) gives a
function and its arguments, the same at each call; every third one is a step of training."""
import math
import zlib
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from . import Ids, array, drawn
from .parts import attend, conv, conv1d, lstm_cell, norm


Built = tuple[Callable[..., jax.Array], Any, tuple[Any, ...]]  # run(weights, *inputs) gives an array; weights; inputs


class Size:
    """Draws sizes."""

    def __init__(self, rng: np.random.Generator):
        self.rng = rng

    def __call__(self, low: int, high: int) -> int:
        """Any order of magnitude is as likely; most above 16 are multiples of 8."""
        size = round(math.exp(self.rng.uniform(math.log(low), math.log(high))))
        return max(size // 8 * 8, low) if size > 16 and self.rng.random() < 0.75 else size

    def of(self, *choices: Any) -> Any:
        return choices[self.rng.integers(len(choices))]


FAMILIES: dict[str, Callable[[int], tuple[Callable[..., Any], tuple[Any, ...]]]] = {}


def family(build: Callable[[Size], Built]) -> Callable[[Size], Built]:
    def member(number: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        rng = np.random.default_rng([zlib.crc32(build.__name__.encode()), number])
        run, weights, inputs = build(Size(rng))

        def train(weights: Any, *inputs: Any) -> Any:
            loss, slope = jax.value_and_grad(lambda w: (run(w, *inputs) ** 2).mean())(weights)
            return jax.tree.map(lambda w, g: w - 0.01 * g, weights, slope), loss
        return (train if number % 3 == 2 else run), drawn((weights, *inputs), rng)
    FAMILIES[build.__name__] = member
    return build


@family
def mlp(size: Size) -> Built:
    widths = [size(24, 320) for _ in range(size.of(4, 5, 6))]
    bend = size.of(jax.nn.relu, jnp.tanh, jax.nn.gelu)

    def run(weights, x):
        for w in weights[:-1]:
            x = bend(x @ w)
        return x @ weights[-1]
    return run, [array(a, b) for a, b in zip(widths, widths[1:])], (array(size(32, 512), widths[0]),)


@family
def cnn(size: Size) -> Built:
    """Convolutions with a stride or a maximum, then classes."""
    n, space, pool = size(2, 8), size.of(16, 20, 24, 32), size.of(True, False)
    features = [size.of(1, 3, 4)] + [size(6, 40) for _ in range(size.of(2, 3))]
    window = size.of(3, 5)
    end = -(-space // 2 ** (len(features) - 1)) if not pool else space // 2 ** (len(features) - 1)

    def run(weights, x):
        for w in weights[:-1]:
            x = jax.nn.relu(conv(x, w, 1 if pool else 2))
            if pool:
                x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return x.reshape(n, -1) @ weights[-1]
    kernels = [array(window, window, a, b) for a, b in zip(features, features[1:])]
    return run, [*kernels, array(end * end * features[-1], size(10, 50))], (array(n, space, space, features[0]),)


@family
def resnet(size: Size) -> Built:
    """Bottlenecks."""
    n, space, wide, thin = size(2, 6), size(8, 24), size(16, 64), size(8, 32)

    def run(weights, x):
        for block in weights:
            y = x
            for w in block[:-1]:
                y = jax.nn.relu(norm(conv(y, w)))
            x = jax.nn.relu(x + norm(conv(y, block[-1])))
        return x
    block = [array(1, 1, wide, thin), array(3, 3, thin, thin), array(1, 1, thin, wide)]
    return run, [block], (array(n, space, space, wide),)


@family
def convnext(size: Size) -> Built:
    """Patches, depthwise convolutions, two layers."""
    patch, width = size.of(2, 4), size(8, 32)
    n, space = size(1, 2), patch * size(5, 10)

    def run(weights, x):
        x = norm(conv(x, weights["patches"], patch))
        for block in weights["blocks"]:
            y = norm(conv(x, block["deep"], groups=width))
            x = x + jax.nn.gelu(y @ block["up"]) @ block["down"]
        return x.mean((1, 2)) @ weights["classes"]
    window = size.of(3, 5)
    block = {"deep": array(window, window, 1, width), "up": array(width, 4 * width), "down": array(4 * width, width)}
    weights = {"patches": array(patch, patch, 3, width), "blocks": [block], "classes": array(width, 10)}
    return run, weights, (array(n, space, space, 3),)


@family
def wavenet(size: Size) -> Built:
    """Causal convolutions along time, dilated, with gates."""
    width, time = size(8, 32), size(128, 512)

    def run(weights, x):
        x = conv1d(x, weights["in"])
        for k, layer in enumerate(weights["layers"]):
            a, b = jnp.split(conv1d(x, layer["both"], 2**k), 2, -1)
            x = x + conv1d(jnp.tanh(a) * jax.nn.sigmoid(b), layer["out"])
        return x @ weights["last"]
    layers = [{"both": array(2, width, 2 * width), "out": array(1, width, width)}] * 2
    weights = {"in": array(size.of(1, 3), size.of(1, 4), width), "layers": layers, "last": array(width, size(8, 64))}
    return run, weights, (array(size(2, 6), time, weights["in"].shape[1]),)


@family
def recurrent(size: Size) -> Built:
    """Long short-term memory or gated units over time, then a layer."""
    n, time, width, inner, gates = size(8, 64), size(6, 24), size(16, 64), size(16, 64), size.of(3, 4)

    def gru(state, x, old):
        reset, update = jax.nn.sigmoid(x[:, :inner] + old[:, :inner]), jax.nn.sigmoid((x + old)[:, inner:2 * inner])
        return update * state + (1 - update) * jnp.tanh(x[:, 2 * inner:] + reset * old[:, 2 * inner:])

    def run(weights, xs):
        def step(state, x):
            x, old = x @ weights["x"], state[0] @ weights["h"]
            state = lstm_cell(state, x + old) if gates == 4 else (gru(state[0], x, old), state[1])
            return state, jnp.tanh(state[0] @ weights["out"])
        zero = jnp.zeros((n, inner))
        return lax.scan(step, (zero, zero), xs)[1] @ weights["last"]
    weights = {"x": array(width, gates * inner), "h": array(inner, gates * inner), "out": array(inner, width),
               "last": array(width, size(8, 64))}
    return run, weights, (array(time, n, width),)


@family
def attention(size: Size) -> Built:
    """Heads that look at another sequence."""
    heads, each, n = size.of(2, 3, 4), size.of(8, 16, 24, 32), size(2, 8)
    t, s, d = size(32, 128), size(32, 128), heads * each

    def run(weights, x, y):
        q = jnp.einsum("btd,dhe->bthe", norm(x), weights["q"])
        k, v = (jnp.einsum("btd,dhe->bthe", y, weights[name]) for name in "kv")
        seen = jax.nn.softmax(jnp.einsum("bthe,bshe->bhts", q, k) / each**0.5)
        return x + jnp.einsum("bhts,bshe,hed->btd", seen, v, weights["o"])
    weights = {**{name: array(d, heads, each) for name in "qkv"}, "o": array(heads, each, d)}
    return run, weights, (array(n, t, d), array(n, s, d))


@family
def transformer(size: Size) -> Built:
    heads = size.of(2, 3, 4)
    d, n, t = heads * size.of(16, 24, 32), size(2, 6), size(32, 112)
    f = size.of(2, 4) * d

    def run(weights, x):
        x = x + attend(norm(x), weights, heads)
        return x + jax.nn.gelu(norm(x) @ weights["up"]) @ weights["down"]
    weights = {**{name: array(d, d) for name in "qkvo"}, "up": array(d, f), "down": array(f, d)}
    return run, weights, (array(n, t, d),)


@family
def mixer(size: Size) -> Built:
    """Layers across places, then across features."""
    places, width, n = size(24, 160), size(24, 96), size(2, 8)
    across, along = size(16, 96), size(32, 192)

    def run(weights, x):
        for a, b, c, d in weights:
            y = jax.nn.gelu(jnp.einsum("bnc,nh->bhc", norm(x), a))
            x = x + jnp.einsum("bhc,hn->bnc", y, b)
            x = x + jax.nn.gelu(norm(x) @ c) @ d
        return x
    block = [array(places, across), array(across, places), array(width, along), array(along, width)]
    return run, [block], (array(n, places, width),)


@family
def spectral(size: Size) -> Built:
    """Elements of a spectral method: derivatives along their axes, weighted, and the transposes."""
    order, many, axes = size(5, 10), size(256, 2048), size.of(2, 3)

    def along(matrix, u, axis):
        return jnp.moveaxis(jnp.tensordot(matrix, u, (1, axis + 1)), 0, axis + 1)

    def run(matrix, weight, u):
        return sum(along(matrix.T, weight[axis] * along(matrix, u, axis), axis) for axis in range(axes))
    shape = (many, *[order] * axes)
    return run, array(order, order), (array(axes, *shape), array(*shape))


@family
def tensor_network(size: Size) -> Built:
    """A matrix product state: bonds between sites, each with an axis of its own."""
    sites, bond, physical, n = size.of(3, 4, 5), size(8, 32), size(3, 12), size(32, 256)

    def run(tensors, start, *inputs):
        z = start
        for tensor, x in zip(tensors, inputs):
            z = jnp.einsum("bi,ipj,bp->bj", z, tensor, x)
        return z @ tensors[0].reshape(bond, -1)
    return run, [array(bond, physical, bond)] * sites, (array(n, bond), *[array(n, physical)] * sites)


@family
def small_matrices(size: Size) -> Built:
    """Products of hundreds of small matrices."""
    many, i, j, k = size(128, 2048), size(3, 12), size(3, 12), size(3, 12)

    def run(weights, x, y):
        z = jnp.tanh(jnp.einsum("nij,njk->nik", x, y)) @ weights[0]
        w = jnp.einsum("nik,njk->nij", z, y) @ weights[1]
        return jnp.einsum("nij,nlj->nil", w, x) @ weights[2]
    return run, [array(k, k), array(j, j), array(i, i)], (array(many, i, j), array(many, j, k))


@family
def recommender(size: Size) -> Built:
    """Tables, products of all pairs, layers."""
    tables, width, n, rows, facts = size(3, 8), size(8, 32), size(64, 512), size(100, 1000), size(4, 16)
    first, second = np.triu_indices(tables + 1, 1)

    def run(weights, x, ids):
        dense = jax.nn.relu(x @ weights["dense"])
        e = jnp.stack([dense, *(table[ids[:, k]] for k, table in enumerate(weights["tables"]))], 1)
        pairs = jnp.einsum("bid,bjd->bij", e, e)[:, first, second]
        y = jax.nn.relu(jnp.concatenate([pairs, dense], 1) @ weights["hidden"])
        return jax.nn.relu(y @ weights["next"]) @ weights["out"]
    hidden, after = size(16, 96), size(16, 64)
    weights = {"tables": [array(rows, width)] * tables, "dense": array(facts, width),
               "hidden": array(len(first) + width, hidden), "next": array(hidden, after), "out": array(after, 1)}
    return run, weights, (array(n, facts), Ids(rows, (n, tables)))


@family
def physics(size: Size) -> Built:
    """A field: its neighbours by a convolution, a solver by transforms along both axes."""
    n, height, width, steps = size(2, 6), size(24, 96), size(24, 96), size.of(1, 2)

    def run(weights, u):
        for _ in range(steps):
            near = conv(u[..., None], weights["stencil"])
            change = jnp.tanh(near @ weights["mix"])[..., 0]
            modes = jnp.einsum("ah,bhw,wc->bac", weights["y"], change, weights["x"]) * weights["scale"]
            u = u + 0.1 * jnp.einsum("ah,bac,wc->bhw", weights["y"], modes, weights["x"])
        return u
    features = size(2, 8)
    weights = {"stencil": array(3, 3, 1, features), "mix": array(features, 1), "y": array(height, height),
               "x": array(width, width), "scale": array(height, width)}
    return run, weights, (array(n, height, width),)


@family
def message_passing(size: Size) -> Built:
    """Messages along edges, heard by nodes, then heads that look at all nodes."""
    nodes, edges, width, inner = size(128, 768), size(256, 2048), size(8, 32), size(8, 48)

    def run(weights, x, source, target):
        for message, update in weights["rounds"]:
            sent = jax.nn.relu(jnp.concatenate([x[source], x[target]], 1) @ message)
            heard = jnp.zeros((nodes, inner)).at[target].add(sent)
            x = jnp.tanh(jnp.concatenate([x, heard], 1) @ update)
        return x @ weights["out"]
    rounds = [[array(2 * width, inner), array(width + inner, width)]] * 2
    weights = {"rounds": rounds, "out": array(width, size(4, 32))}
    return run, weights, (array(nodes, width), Ids(nodes, (edges,)), Ids(nodes, (edges,)))
