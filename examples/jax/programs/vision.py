# SPDX-License-Identifier: MIT
"""Programs after public models that see images."""
import jax
import jax.numpy as jnp

from . import array, program
from .parts import attend, conv, norm


@program({"stem": array(3, 3, 3, 16), "blocks": [
    {"up": array(1, 1, i, 6 * i), "deep": array(3, 3, 1, 6 * i), "down": array(1, 1, 6 * i, o)}
    for i, o in ((16, 16), (16, 24), (24, 24))], "classes": array(24, 10)}, array(2, 48, 48, 3))
def mobilenet(p, x):
    """Inverted residuals of MobileNetV2 (Sandler et al. 2018): stem, three blocks, the second with stride 2."""
    x = jax.nn.relu6(conv(x, p["stem"], 2))
    for k, block in enumerate(p["blocks"]):
        y = jax.nn.relu6(conv(x, block["up"]))
        y = jax.nn.relu6(conv(y, block["deep"], 2 if k == 1 else 1, groups=y.shape[-1]))
        y = conv(y, block["down"])
        x = x + y if y.shape == x.shape else y
    return x.mean((1, 2)) @ p["classes"]


@program({"patches": array(4, 4, 3, 40), "blocks": [
    {"deep": array(7, 7, 1, 40), "up": array(40, 160), "down": array(160, 40), "scale": array(40)}] * 2},
         array(2, 96, 96, 3))
def convnext(p, x):
    """Patches of 4 x 4 and two blocks of ConvNeXt (Liu et al. 2022): 7 x 7 depthwise, norm, two layers, a scale."""
    x = norm(conv(x, p["patches"], 4))
    for block in p["blocks"]:
        y = norm(conv(x, block["deep"], groups=40))
        x = x + block["scale"] * (jax.nn.gelu(y @ block["up"]) @ block["down"])
    return x


@program({"down": [array(3, 3, i, o) for i, o in ((3, 16), (16, 32), (32, 48))],
          "up": [array(3, 3, i, o) for i, o in ((80, 32), (48, 16))], "out": array(1, 1, 16, 2)}, array(2, 32, 32, 3))
def unet(p, x):
    """U-Net (Ronneberger et al. 2015): maxima on the way down, nearest neighbours and what was there on the way up."""
    kept = []
    for k, w in enumerate(p["down"]):
        if k:
            kept.append(x)
            b, h, _, c = x.shape
            x = x.reshape(b, h // 2, 2, h // 2, 2, c).max((2, 4))
        x = jax.nn.relu(conv(x, w))
    for w in p["up"]:
        x = jnp.repeat(jnp.repeat(x, 2, 1), 2, 2)
        x = jax.nn.relu(conv(jnp.concatenate([x, kept.pop()], -1), w))
    return conv(x, p["out"])


@program({"patches": array(192, 96), "class": array(1, 1, 96), "place": array(1, 65, 96), "head": array(96, 10),
          "blocks": [{**{name: array(96, 96) for name in "qkvo"}, "up": array(96, 384), "down": array(384, 96)}] * 2},
         array(2, 64, 64, 3))
def vit(p, x):
    """A vision transformer (Dosovitskiy et al. 2021): patches of 8 x 8, a token for the class, two blocks."""
    x = x.reshape(2, 8, 8, 8, 8, 3).transpose(0, 1, 3, 2, 4, 5).reshape(2, 64, 192) @ p["patches"]
    x = jnp.concatenate([jnp.tile(p["class"], (2, 1, 1)), x], 1) + p["place"]
    for block in p["blocks"]:
        x = x + attend(norm(x), block, 3)
        x = x + jax.nn.gelu(norm(x) @ block["up"]) @ block["down"]
    return norm(x)[:, 0] @ p["head"]
