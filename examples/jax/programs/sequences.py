# SPDX-License-Identifier: MIT
"""Programs after public models of sequences."""
import jax
import jax.numpy as jnp
from jax import lax

from . import Ids, array, program
from .parts import conv1d, lstm_cell


@program({"in": array(1, 1, 24), "last": array(1, 24, 32), "layers": [
    {"both": array(2, 24, 48), "out": array(1, 24, 24), "skip": array(1, 24, 24)}] * 6}, array(2, 1024, 1))
def wavenet(p, x):
    """WaveNet (van den Oord et al. 2016): causal convolutions of two taps with dilations of 1 to 32, gates, skips."""
    x, skips = conv1d(x, p["in"]), 0.0
    for k, layer in enumerate(p["layers"]):
        a, b = jnp.split(conv1d(x, layer["both"], 2**k), 2, -1)
        y = jnp.tanh(a) * jax.nn.sigmoid(b)
        skips, x = skips + conv1d(y, layer["skip"]), x + conv1d(y, layer["out"])
    return conv1d(jax.nn.relu(skips), p["last"])


@program({"table": array(500, 48), "x": array(48, 144), "h": array(48, 144), "out": array(96, 500)}, array(16, 48),
         array(16, 20, 48), Ids(500, (24, 16)))
def gru_decoder(p, state, source, words):
    """A decoder with attention to the source (Bahdanau et al. 2015), gated recurrent units, 24 words that are given."""
    def step(h, word):
        x, old = p["table"][word] @ p["x"], h @ p["h"]
        reset, update = jax.nn.sigmoid(x[:, :48] + old[:, :48]), jax.nn.sigmoid(x[:, 48:96] + old[:, 48:96])
        h = update * h + (1 - update) * jnp.tanh(x[:, 96:] + reset * old[:, 96:])
        seen = jnp.einsum("bs,bsd->bd", jax.nn.softmax(jnp.einsum("bd,bsd->bs", h, source)), source)
        return h, jnp.concatenate([h, seen], 1) @ p["out"]
    return lax.scan(step, state, words)[1]


@program({"layers": [{"x": array(40, 160), "h": array(40, 160), "bias": array(160)}] * 2, "out": array(40, 40)},
         array(24, 16, 40))
def lstm(p, xs):
    """Two layers of LSTM over words (Zaremba et al. 2014), 24 steps."""
    zero = jnp.zeros((16, 40))

    def step(states, x):
        new = []
        for layer, state in zip(p["layers"], states):
            state = lstm_cell(state, x @ layer["x"] + state[0] @ layer["h"] + layer["bias"])
            new.append(state)
            x = state[0]
        return tuple(new), x @ p["out"]
    return lax.scan(step, ((zero, zero),) * 2, xs)[1]


def _inverse2(m):
    """Of matrices of 2 x 2."""
    (a, b), (c, d) = (m[..., 0, 0], m[..., 0, 1]), (m[..., 1, 0], m[..., 1, 1])
    return jnp.stack([jnp.stack([d, -b], -1), jnp.stack([-c, a], -1)], -2) / (a * d - b * c)[..., None, None]


@program({"move": array(4, 4), "see": array(2, 4)}, array(500, 4), array(12, 500, 2))
def kalman_smoother(p, x, seen):
    """Filter and backward pass of Rauch, Tung and Striebel (1965): 500 series of 4 states, 2 of them observed."""
    move, see, eye = jnp.eye(4) + p["move"], p["see"], jnp.eye(4)

    def forward(state, z):
        x, cov = state[0] @ move.T, move @ state[1] @ move.T + 0.1 * eye
        gain = cov @ see.T @ _inverse2(see @ cov @ see.T + 0.1 * jnp.eye(2))
        new = x + jnp.einsum("nij,nj->ni", gain, z - x @ see.T), cov - gain @ see @ cov
        return new, (new, (x, cov))

    def backward(later, here):
        (x, cov), (guess, spread) = here
        top, side, low = spread[:, :2, :2], spread[:, :2, 2:], spread[:, 2:, 2:]
        inner = _inverse2(low - side.swapaxes(1, 2) @ _inverse2(top) @ side)
        cross = -_inverse2(top) @ side @ inner
        corner = _inverse2(top) + _inverse2(top) @ side @ inner @ side.swapaxes(1, 2) @ _inverse2(top)
        inverse = jnp.block([[corner, cross], [cross.swapaxes(1, 2), inner]])
        x = x + jnp.einsum("nij,nj->ni", cov @ move.T @ inverse, later - guess)
        return x, x
    last, (filtered, guessed) = lax.scan(forward, (x, jnp.tile(eye, (500, 1, 1))), seen)
    return lax.scan(backward, last[0], (filtered, guessed), reverse=True)[1]
