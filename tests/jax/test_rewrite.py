# SPDX-License-Identifier: MIT
"""Rewriting: every choice gives what the original gives, under jit, grad and vmap."""
import unittest

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import augur_jax
from augur_jax.dots import MOST_PRODUCTS
from augur_jax.rewrite import fingerprint, trace

LAST = ("NHWC", "HWIO", "NHWC")  # features
RNG = np.random.default_rng(0)


def drawn(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def quickly(f):
    """jit, and MLIR and LLVM spend no time on the code."""
    return jax.jit(f, compiler_options={"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True,
                                        "xla_cpu_use_fusion_emitters": False})


def choices(sites):
    """All but the first of each site, with its number."""
    return [(k, choice) for k, site in enumerate(sites) for choice in site.choices[1:]]


class Rewriting(unittest.TestCase):
    def all_choices(self, f, *args, kinds=None, seen=()):
        """Compares f with f rewritten, each choice at each site."""
        sites = augur_jax.sites(f, *args)
        self.assertEqual({site.choices[0] for site in sites}, {"keep"})
        chosen = [(k, choice) for k, choice in choices(sites) if not kinds or sites[k].kind in kinds]
        all_of_them = [f, *(augur_jax.rewrite(f, {k: choice}) for k, choice in chosen)]
        want, *every = quickly(lambda *given: [g(*given) for g in all_of_them])(*args)  # one module compiles quicker
        for (k, choice), got in zip(chosen, every, strict=True):
            for a, b in zip(jax.tree.leaves(want), jax.tree.leaves(got), strict=True):
                self.assertEqual((a.shape, a.dtype), (b.shape, b.dtype), (sites[k], choice))
                np.testing.assert_allclose(a, b, 1e-4, 1e-4, err_msg=sites[k].named(choice))
        self.assertLessEqual(set(seen), {choice for _, choice in chosen})
        return sites

    def test_dots(self):
        for left, right, order in (
            ((5, 7), (7, 3), (((1,), (0,)), ((), ()))),
            ((7, 5), (3, 7), (((0,), (1,)), ((), ()))),
            ((4, 6, 5), (6, 3, 4), (((1,), (0,)), ((0,), (2,)))),
            ((2, 3, 4, 5), (5, 3, 6, 2), (((3, 1), (0, 1)), ((0,), (3,)))),
            ((2, 3, 4), (3, 2, 4), (((2,), (2,)), ((0, 1), (1, 0)))),
            ((6,), (6,), (((0,), (0,)), ((), ()))),
            ((4,), (3,), (((), ()), ((), ()))),
        ):
            dot = lambda x, w: lax.dot_general(x, w, order)  # noqa: E731
            self.all_choices(dot, drawn(*left), drawn(*right), seen=["swap", "mulsum"])
        many = lambda x, w: jnp.einsum("nij,njk->nik", x, w)  # noqa: E731
        self.all_choices(many, drawn(64, 3, 4), drawn(64, 4, 5), seen=["unroll_k", "batch_minor"])
        self.all_choices(many, drawn(3, 3, 4), drawn(3, 4, 5), seen=["loop"])

    def test_limits(self):
        """No choice is offered that is too large, or has no element."""
        side = 1 << 8
        dot = lambda x, w: x @ w  # noqa: E731
        fits = augur_jax.sites(dot, drawn(side, 64), drawn(64, MOST_PRODUCTS // side // 64))
        large = augur_jax.sites(dot, drawn(side, 64), drawn(64, MOST_PRODUCTS // side // 64 + 1))
        self.assertIn("mulsum", fits[0].choices)
        self.assertNotIn("mulsum", large[0].choices)
        self.assertEqual(augur_jax.sites(dot, drawn(0, 4), drawn(4, 3)), [])
        half = augur_jax.sites(dot, jnp.ones((4, 4), jnp.bfloat16), jnp.ones((4, 4), jnp.bfloat16))
        self.assertEqual(half[0].choices, ("keep", "swap", "lhs_t", "rhs_t", "barrier"))

    def test_convolutions(self):
        for stride, dilation, groups in ((1, 2, 1), (2, 1, 3), (1, 1, 6), (2, 2, 6)):
            def f(x, w):
                return lax.conv_general_dilated(x, w, (stride, 1), "SAME", rhs_dilation=(dilation, 1),
                                                dimension_numbers=LAST, feature_group_count=groups)
            self.all_choices(f, drawn(2, 8, 7, 6), drawn(3, 2, 6 // groups, 12), seen=["nchw", "shifted", "im2col"])
        conv = lax.conv_general_dilated
        self.all_choices(lambda x, w: conv(x, w, (1,), [(2, -1)], (2,), (1,), ("CWN", "WIO", "NCW")),
                         drawn(3, 9, 2), drawn(4, 3, 5), seen=["shifted", "per_output"])
        self.all_choices(lambda x, w: conv(x, w, (1, 1, 2), "VALID"), drawn(1, 2, 4, 5, 6), drawn(3, 2, 2, 2, 3),
                         seen=["shifted", "im2col", "per_output"])
        for groups in ({"batch_group_count": 2}, {"feature_group_count": 2}):
            self.all_choices(lambda x, w: conv(x, w, (1, 1), "VALID", **groups), drawn(4, 6, 5, 5),
                             drawn(8, 6 // groups.get("feature_group_count", 1), 3, 3), seen=["per_output"])

    def test_gradient_of_convolution(self):
        """Its own convolutions have dilated images and kernels, and groups of the batch."""
        def loss(w, x, groups):
            y = lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=LAST, feature_group_count=groups)
            return (y * y).sum()
        for groups in (1, 4):
            slope = lambda w, x: jax.grad(loss, (0, 1))(w, x, groups)  # noqa: E731
            self.all_choices(slope, drawn(3, 3, 4 // groups, 8), drawn(2, 6, 6, 4),
                             kinds=["conv"], seen=["per_output"] if groups == 1 else ["nchw"])

    def test_loops(self):
        def f(x, xs):
            def body(c, z):
                c = jnp.tanh(c @ c + z)
                return c, c.sum(0)
            return lax.scan(body, x, xs, reverse=True)
        sites = self.all_choices(f, drawn(4, 4), drawn(6, 4, 4), seen=["2", "4", "all", "swap"])
        self.assertEqual({site.kind: site.times for site in sites}, {"scan": 1, "dot": 6, "sum": 6})
        long = augur_jax.sites(lambda x: lax.fori_loop(0, 1000, lambda _, c: c * 0.9, x), drawn(3))
        self.assertEqual(long[0].choices, ("keep", "2", "4"))

    def test_control(self):
        """Loops without a length, branches, and what is computed again have sites inside."""
        def f(x):
            y = lax.while_loop(lambda c: c.sum() < 50, lambda c: c @ c + 1, x)
            z = lax.cond(y.sum() > 0, lambda a: a @ a, lambda a: a - 1, y)
            return jax.checkpoint(lambda a: jnp.tanh(a @ a))(z)
        sites = self.all_choices(f, jnp.eye(8) / 10, kinds=["dot"], seen=["swap"])
        self.assertEqual(sum(site.kind == "dot" for site in sites), 3)
        again = str(jax.make_jaxpr(augur_jax.rewrite(f, {0: "swap"}))(jnp.eye(8)))
        self.assertRegex(again, r"\bwhile\[")
        self.assertRegex(again, r"\bcond\[")
        self.assertRegex(again, r"\b(checkpoint|remat2?)\[")

    def test_sums_and_scatter(self):
        self.all_choices(lambda x: jnp.tanh(x * x).sum((0, 2)), drawn(3, 4, 5), seen=["dot", "barrier"])
        ids = np.array([[0, 5, 1], [7, -3, 5]])
        for mode in ("clip", "drop", "promise_in_bounds"):
            at = np.clip(ids, 0, 5) if mode.startswith("promise") else ids
            add = lambda t, x: t.at[at].add(x, mode=mode)  # noqa: E731
            self.all_choices(add, jnp.array(drawn(6, 4)), drawn(2, 3, 4), seen=["onehot"])
        self.all_choices(lambda t, x: t.at[ids[0] % 6].add(x), jnp.array(drawn(6)), drawn(3), seen=["onehot"])

    def test_custom_derivatives_stay(self):
        """A rule of the user's own is used, and the sites of its function are rewritten."""
        @jax.custom_jvp
        def forward(x):
            return x @ x
        forward.defjvp(lambda x, t: (forward(*x), 7 * t[0]))

        @jax.custom_vjp
        def backward(x):
            return x @ x
        backward.defvjp(lambda x: (backward(x), None), lambda _, t: (7 * t,))
        x = drawn(3, 3)
        for f in (forward, backward):
            self.all_choices(f, x, seen=["swap"])
            g = augur_jax.rewrite(f, {0: "swap"})
            np.testing.assert_allclose(jax.grad(lambda x: g(x).sum())(x), np.full((3, 3), 7.0))

    def test_transformations(self):
        def f(p, x):
            y = lax.conv_general_dilated(x, p["w"], (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))
            return jax.nn.softmax(jnp.tanh(y) @ p["v"]).sum(-1, where=y[..., 0:1] > 0).mean()
        args, many = ({"w": drawn(3, 4, 5), "v": drawn(5, 6)}, drawn(2, 8, 4)), drawn(3, 2, 8, 4)
        sites = augur_jax.sites(f, *args)
        all_of_them = [f, *(augur_jax.rewrite(f, {k: choice}) for k, choice in choices(sites))]
        both = quickly(lambda p, x, many: [(jax.grad(g)(p, x), jax.vmap(g, (None, 0))(p, many)) for g in all_of_them])
        (slopes, values), *every = both(*args, many)
        for (k, choice), (slope, value) in zip(choices(sites), every, strict=True):
            said = sites[k].named(choice)
            for a, b in zip(*map(jax.tree.leaves, (slopes, slope)), strict=True):
                np.testing.assert_allclose(a, b, 1e-4, 1e-4, err_msg=said)
            np.testing.assert_allclose(values, value, 1e-4, 1e-5, err_msg=said)

    def test_trees_names_and_sources(self):
        def f(x, *, scale):
            return {"sum": x["a"].sum() * scale, "product": (x["a"] @ x["b"], None)}
        args = {"a": drawn(2, 3), "b": drawn(3, 4)}
        got = augur_jax.rewrite(f, {})(args, scale=2.0)
        np.testing.assert_allclose(got["product"][0], args["a"] @ args["b"], 1e-5)
        self.assertIsNone(got["product"][1])
        site, = augur_jax.sites(f, args, scale=2.0)
        line = f.__code__.co_firstlineno + 1
        self.assertEqual((site.kind, site.what, site.where), ("dot", "1x2x4x3", f"test_rewrite.py:{line}"))

    def test_unknown_choice(self):
        with self.assertRaisesRegex(augur_jax.Refused, "site 0 has no choice \"shifted\": it is dot 1x2x2x2"):
            augur_jax.rewrite(lambda x: x @ x, {0: "shifted"})(drawn(2, 2))

    def test_fingerprint(self):
        """The values of constants do not count, all else does."""
        def of(scale, shape=(3, 3), op=jnp.matmul):
            table = jnp.full((3, 3), scale)
            return fingerprint(trace(lambda x: op(x, table), (drawn(*shape),), {})[0])
        self.assertEqual(of(1.0), of(2.0))
        self.assertEqual(len({of(1.0), of(1.0, (4, 3)), of(1.0, op=jnp.add)}), 3)
