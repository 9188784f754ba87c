# SPDX-License-Identifier: MIT
"""Programs after public models of particles, equations, graphs and clicks."""
import jax
import jax.numpy as jnp

from . import Ids, array, program


@program(array(384), array(384, 3), array(384, 3))
def nbody(mass, x, v):
    """Two leapfrog steps of bodies that attract each other, softened (Plummer 1911)."""
    def pull(x):
        d = x[None] - x[:, None]
        return jnp.sum(jnp.abs(mass)[None, :, None] * d * ((d * d).sum(-1) + 1e-2)[..., None] ** -1.5, 1)
    for _ in range(2):
        v = v + 0.01 * pull(x)
        x = x + 0.01 * v
    return x, v


@program([array(2, 48), array(48, 48), array(48, 1)], array(512, 2))
def pinn(p, points):
    """Residuals of Burgers' equation and their gradient, for a physics-informed network (Raissi et al. 2019)."""
    def u(p, tx):
        return (jnp.tanh(jnp.tanh(tx @ p[0]) @ p[1]) @ p[2])[0]

    def residual(p, tx):
        value, (ut, ux) = jax.value_and_grad(u, 1)(p, tx)
        uxx = jax.jvp(lambda x: jax.grad(u, 1)(p, x), (tx,), (jnp.array([0.0, 1.0]),))[1][1]
        return ut + value * ux - 0.01 / jnp.pi * uxx
    return jax.grad(lambda p: jnp.mean(jax.vmap(lambda tx: residual(p, tx))(points) ** 2))(p)


@program({"message": array(48, 32), "update": array(48, 16), "out": array(16, 1)}, array(600, 16), array(2400, 16),
         Ids(600, (2400,)), Ids(600, (2400,)))
def message_passing(p, nodes, edges, source, target):
    """Three rounds of a network of messages on a graph (Gilmer et al. 2017)."""
    for _ in range(3):
        message = jax.nn.relu(jnp.concatenate([nodes[source], nodes[target], edges], 1) @ p["message"])
        heard = jnp.zeros((600, 32)).at[target].add(message)
        nodes = jnp.tanh(jnp.concatenate([nodes, heard], 1) @ p["update"])
    return (nodes @ p["out"]).sum()


@program({"tables": [array(800, 16)] * 8, "bottom": [array(13, 64), array(64, 16)],
          "top": [array(52, 64), array(64, 1)]}, array(128, 13), Ids(800, (128, 8)))
def dlrm(p, x, ids):
    """A step of training the recommender of Naumov et al. (2019): tables, pairs, two networks, a gradient."""
    def loss(p):
        dense = jax.nn.relu(jax.nn.relu(x @ p["bottom"][0]) @ p["bottom"][1])
        e = jnp.stack([dense, *(table[ids[:, k]] for k, table in enumerate(p["tables"]))], 1)
        first, second = jnp.tril_indices(9, -1)
        both = jnp.concatenate([dense, jnp.einsum("bid,bjd->bij", e, e)[:, first, second]], 1)
        click = jax.nn.relu(both @ p["top"][0]) @ p["top"][1]
        return jnp.mean(jnp.logaddexp(0, click[:, 0]) - click[:, 0] * (ids[:, 0] % 2))
    value, slope = jax.value_and_grad(loss)(p)
    return value, jax.tree.map(lambda w, g: w - 0.1 * g, p, slope)
