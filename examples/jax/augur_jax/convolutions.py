# SPDX-License-Identifier: MIT
"""Ways to write a convolution (conv_general_dilated): any number of axes of space, groups, strides and dilations."""
import itertools
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from .sites import Op, dims, size

MOST_TAPS = 49  # positions of a kernel that are written one by one
MOST_OUTPUTS = 25  # places of the output that are
MOST_PATCHES = 1 << 24  # elements of the patches of im2col


class Geometry:
    """A convolution with features last: image [n, *space, groups * i], kernel [*window, i, o], result [n, *out, o]."""

    def __init__(self, eqn: Any, image: Any, kernel: Any):
        p = eqn.params
        self.spec, self.made = p["dimension_numbers"], eqn.outvars[0].aval
        self.strides, self.dilation, self.padding = p["window_strides"], p["rhs_dilation"], p["padding"]
        self.base, self.groups, self.batch_groups = p["lhs_dilation"], p["feature_group_count"], p["batch_group_count"]
        self.image, self.kernel, (_, rhs, out) = image, kernel, self.spec
        self.batch, (self.out_features, self.features) = self.made.shape[out[0]], (kernel.shape[i] for i in rhs[:2])
        self.window, self.out = [kernel.shape[i] for i in rhs[2:]], [self.made.shape[i] for i in out[2:]]
        self.taps, self.places = size(self.window), size(self.out)

    def operands(self) -> tuple[Any, Any]:
        """The padded image and the kernel with all taps in one axis: [taps, i, o]."""
        lhs, rhs, _ = self.spec
        image = jnp.transpose(self.image, (lhs[0], *lhs[2:], lhs[1]))
        space = [(low, high, base - 1) for (low, high), base in zip(self.padding, self.base)]
        image = lax.pad(image, jnp.zeros((), image.dtype), [(0, 0, 0), *space, (0, 0, 0)])
        kernel = jnp.transpose(self.kernel, (*rhs[2:], rhs[1], rhs[0]))
        return image, kernel.reshape(self.taps, self.features, self.out_features)

    def shifted_images(self, image: Any) -> list[Any]:
        """For each tap what it reads for all places of the output: [n, *out, groups * i]."""
        def read(tap: tuple[int, ...]) -> Any:
            first = [t * d for t, d in zip(tap, self.dilation)]
            last = [f + (o - 1) * s + 1 for f, o, s in zip(first, self.out, self.strides)]
            return lax.slice(image, (0, *first, 0), (image.shape[0], *last, image.shape[-1]), (1, *self.strides, 1))
        return [read(tap) for tap in itertools.product(*map(range, self.window))]

    def patches(self, image: Any) -> list[Any]:
        """For each place of the output what all taps read: [n, taps, groups * i]."""
        def read(place: tuple[int, ...]) -> Any:
            first = [p * s for p, s in zip(place, self.strides)]
            last = [f + (w - 1) * d + 1 for f, w, d in zip(first, self.window, self.dilation)]
            whole = lax.slice(image, (0, *first, 0), (image.shape[0], *last, image.shape[-1]), (1, *self.dilation, 1))
            return whole.reshape(image.shape[0], self.taps, -1)
        return [read(place) for place in itertools.product(*map(range, self.out))]

    def result(self, out: Any) -> Any:
        """From [n, *out, o] to the axes that the program wants."""
        n = out.ndim
        return jnp.transpose(out, _inverse([self.spec[2][k] for k in (0, *range(2, n), 1)]))


def _inverse(order: Sequence[int]) -> list[int]:
    return sorted(range(len(order)), key=lambda k: order[k])


def convolution(eqn: Any, x: list[Any]) -> Op | None:
    g = Geometry(eqn, *x)
    if not x[0].size * x[1].size * size(g.made.shape):
        return None

    def bind(image: Any, kernel: Any, spec: Any) -> Any:
        return eqn.primitive.bind(image, kernel, **{**eqn.params, "dimension_numbers": spec})

    def nchw() -> Any:
        image, kernel = lax.optimization_barrier((jnp.transpose(x[0], g.spec[0]), jnp.transpose(x[1], g.spec[1])))
        order = tuple(range(image.ndim))
        out = lax.optimization_barrier(bind(image, kernel, lax.ConvDimensionNumbers(order, order, order)))
        return jnp.transpose(out, _inverse(g.spec[2]))

    ways = {"nchw": nchw, "barrier": lambda: lax.optimization_barrier(bind(x[0], x[1], g.spec))}
    if g.window and x[0].dtype == x[1].dtype == g.made.dtype and g.made.dtype in (jnp.float32, jnp.float64):
        if g.batch_groups == 1 and g.taps <= MOST_TAPS:
            ways["shifted"] = lambda: _shifted(g)
            if g.batch * g.places * g.taps * g.groups * g.features <= MOST_PATCHES:
                ways["im2col"] = lambda: _im2col(g)
        if g.places <= MOST_OUTPUTS and (g.groups == 1 or g.batch_groups == 1):
            ways["per_output"] = lambda: _per_output(g)
    groups = g.groups * g.batch_groups
    facts = {"batch": g.batch, "left": g.places, "right": g.out_features // groups, "summed": g.features,
             "window": g.taps, "groups": groups, "axes": len(g.window), "stride": max([1, *g.strides]),
             "dilation": max([1, *g.dilation]), "base": max([1, *g.base]), "batch_groups": g.batch_groups > 1,
             "left_minor": g.spec[0][1] == x[0].ndim - 1, "right_minor": g.spec[1][0] == x[1].ndim - 1}
    what = f"{dims(x[0].shape)} with {dims(x[1].shape)}" + (f", {groups} groups" if groups > 1 else "")
    return Op("conv", what, facts, ways)


def _by_group(x: Any, kernel: Any, g: Geometry, letters: str) -> Any:
    """The product of [..., groups * i] with [i, o], or of [..., taps, groups * i] with [taps, i, o]."""
    x = x.reshape(*x.shape[:-1], g.groups, g.features)
    kernel = kernel.reshape(*kernel.shape[:-1], g.groups, g.out_features // g.groups)
    out = jnp.einsum(letters, x, kernel)
    return out.reshape(*out.shape[:-2], g.out_features)


def _shifted(g: Geometry) -> Any:
    """A product for each tap."""
    image, kernel = g.operands()

    def one(x: Any, weight: Any) -> Any:
        if g.groups == 1:
            return x @ weight
        if g.features == 1 and g.out_features == g.groups:
            return x * weight[0]
        return _by_group(x, weight, g, "...gi,igo->...go")
    return g.result(sum(map(one, g.shifted_images(image), kernel)))


def _im2col(g: Geometry) -> Any:
    """One product of all patches."""
    image, kernel = g.operands()
    patches = jnp.stack(g.shifted_images(image), -2)
    if g.groups > 1:
        return g.result(_by_group(patches, kernel, g, "...tgi,tigo->...go"))
    depth = g.taps * g.features
    out = patches.reshape(-1, depth) @ kernel.reshape(depth, g.out_features)
    return g.result(out.reshape(g.batch, *g.out, g.out_features))


def _per_output(g: Geometry) -> Any:
    """A product for each place of the output, which is small where the kernel is an image: gradients of kernels."""
    image, kernel = g.operands()

    def one(patch: Any) -> Any:
        if g.batch_groups == 1:
            return _by_group(patch, kernel, g, "ntgi,tigo->ngo")
        patch = patch.reshape(g.batch_groups, g.batch, g.taps, g.features)
        by_group = kernel.reshape(g.taps, g.features, g.batch_groups, g.out_features // g.batch_groups)
        return jnp.einsum("gnti,tigo->ngo", patch, by_group).reshape(g.batch, g.out_features)
    out = jnp.stack(list(map(one, g.patches(image))), 1)
    return g.result(out.reshape(g.batch, *g.out, g.out_features))
