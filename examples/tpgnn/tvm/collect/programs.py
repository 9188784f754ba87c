# SPDX-License-Identifier: MIT
"""The computations of the workloads as tensor expressions of TVM. All numbers are float32."""
from functools import partial

from tvm import te, tirx, topi

import workloads


def tensor(name, *shape):
    return te.placeholder(shape, name=name)


def total(size, term, name):
    """Sum of term(k) over k below size."""
    axis = te.reduce_axis((0, size), name=name)
    return te.sum(term(axis), axis=[axis])


def matmul(n, m, k):
    a, b = tensor("A", n, k), tensor("B", k, m)
    return a, b, te.compute((n, m), lambda i, j: total(k, lambda r: a[i, r] * b[r, j], "k"), name="C")


def matmul_nt(n, m, k):
    a, b = tensor("A", n, k), tensor("B", m, k)
    return a, b, te.compute((n, m), lambda i, j: total(k, lambda r: a[i, r] * b[j, r], "k"), name="C")


def matmul_tn(n, m, k):
    a, b = tensor("A", k, n), tensor("B", k, m)
    return a, b, te.compute((n, m), lambda i, j: total(k, lambda r: a[r, i] * b[r, j], "k"), name="C")


def dense_relu(n, m, k):
    a, b, c = matmul(n, m, k)
    bias = tensor("bias", m)
    return a, b, bias, te.compute((n, m), lambda i, j: te.max(c[i, j] + bias[j], 0.0), name="D")


def batch_matmul(batch, n, m, k):
    a, b = tensor("A", batch, n, k), tensor("B", batch, k, m)
    c = te.compute((batch, n, m), lambda z, i, j: total(k, lambda r: a[z, i, r] * b[z, r, j], "k"), name="C")
    return a, b, c


def attention_qk(batch, length, heads, size):
    """Scores of attention, with queries and keys as the linear layers before leave them."""
    q, k = tensor("Q", batch, length, heads, size), tensor("K", batch, length, heads, size)
    query = te.compute((batch, heads, length, size), lambda b, h, i, d: q[b, i, h, d], name="QT")
    key = te.compute((batch, heads, size, length), lambda b, h, d, i: k[b, i, h, d], name="KT")
    score = te.compute((batch, heads, length, length),
                       lambda b, h, i, j: total(size, lambda d: query[b, h, i, d] * key[b, h, d, j], "d"), name="S")
    return q, k, score


def padded(x, border, axes):
    """x with `border` zeros around it along the axes."""
    if border == 0:
        return x
    widths = [border if axis in axes else 0 for axis in range(len(x.shape))]
    return topi.nn.pad(x, widths, widths, name="padded")


def conv2d(n, h, w, ci, co, kernel, stride, groups=1, layout="nhwc"):
    """Zeros around the image, so that stride 1 keeps its size (odd kernels)."""
    each, kept, border = ci // groups, co // groups, (kernel - 1) // 2
    oh, ow = ((side + 2 * border - kernel) // stride + 1 for side in (h, w))
    ry, rx, rc = (te.reduce_axis((0, size), name=name) for size, name in ((kernel, "ry"), (kernel, "rx"), (each, "rc")))
    if layout == "nhwc":
        x, weight = tensor("X", n, h, w, ci), tensor("W", kernel, kernel, each, co)
        image = padded(x, border, (1, 2))

        def at(b, y, z, c):
            first = c // kept * each if groups > 1 else 0
            return te.sum(image[b, y * stride + ry, z * stride + rx, first + rc] * weight[ry, rx, rc, c], [ry, rx, rc])

        return x, weight, te.compute((n, oh, ow, co), at, name="conv")
    x, weight = tensor("X", n, ci, h, w), tensor("W", co, each, kernel, kernel)
    image = padded(x, border, (2, 3))

    def at(b, c, y, z):
        first = c // kept * each if groups > 1 else 0
        return te.sum(image[b, first + rc, y * stride + ry, z * stride + rx] * weight[c, rc, ry, rx], [rc, ry, rx])

    return x, weight, te.compute((n, co, oh, ow), at, name="conv")


def depthwise(n, h, w, c, kernel, stride, layout="nhwc"):
    border = (kernel - 1) // 2
    oh, ow = ((side + 2 * border - kernel) // stride + 1 for side in (h, w))
    ry, rx = te.reduce_axis((0, kernel), name="ry"), te.reduce_axis((0, kernel), name="rx")
    if layout == "nhwc":
        x, weight = tensor("X", n, h, w, c), tensor("W", kernel, kernel, c)
        image = padded(x, border, (1, 2))
        return x, weight, te.compute((n, oh, ow, c), lambda b, y, z, d: te.sum(
            image[b, y * stride + ry, z * stride + rx, d] * weight[ry, rx, d], [ry, rx]), name="conv")
    x, weight = tensor("X", n, c, h, w), tensor("W", c, kernel, kernel)
    image = padded(x, border, (2, 3))
    return x, weight, te.compute((n, c, oh, ow), lambda b, d, y, z: te.sum(
        image[b, d, y * stride + ry, z * stride + rx] * weight[d, ry, rx], [ry, rx]), name="conv")


def normalised(inputs, layout, *, top=None, added=False):
    """Batch norm as one multiplication and one addition, then maybe a second input added, then relu, cut at `top`."""
    *given, conv = inputs
    axis = layout.index("c")
    scale, shift = (tensor(name, conv.shape[axis]) for name in ("scale", "shift"))
    other = [tensor("R", *conv.shape)] if added else []

    def at(*i):
        y = conv(*i) * scale[i[axis]] + shift[i[axis]]
        y = te.max(y + other[0](*i) if added else y, 0.0)
        return te.min(y, top) if top else y

    return *given, scale, shift, *other, te.compute(conv.shape, at, name="bn_relu")


def conv1d(n, length, ci, co, kernel, stride):
    x, weight = tensor("X", n, length, ci), tensor("W", kernel, ci, co)
    border = (kernel - 1) // 2
    signal, out = padded(x, border, (1,)), (length + 2 * border - kernel) // stride + 1
    rx, rc = te.reduce_axis((0, kernel), name="rx"), te.reduce_axis((0, ci), name="rc")
    return x, weight, te.compute((n, out, co), lambda b, i, c: te.sum(
        signal[b, i * stride + rx, rc] * weight[rx, rc, c], [rx, rc]), name="conv")


def softmax(n, m):
    x = tensor("X", n, m)
    return x, topi.nn.softmax(x)


def layer_norm(n, m):
    x, gain, bias = tensor("X", n, m), tensor("gain", m), tensor("bias", m)
    return x, gain, bias, topi.nn.layer_norm(x, gain, bias, [1], 1e-5)


def rms_norm(n, m):
    x, gain = tensor("X", n, m), tensor("gain", m)
    return x, gain, topi.nn.rms_norm(x, gain, [1], 1e-5)


def sum_rows(n, m):
    x = tensor("X", n, m)
    return x, te.compute((n,), lambda i: total(m, lambda k: x[i, k], "k"), name="S")


def sum_columns(n, m):
    x = tensor("X", n, m)
    return x, te.compute((m,), lambda j: total(n, lambda k: x[k, j], "k"), name="S")


def norm_batches(batch, n, m):
    """The Frobenius norm of each matrix."""
    x = tensor("X", batch, n, m)
    i, j = te.reduce_axis((0, n), name="i"), te.reduce_axis((0, m), name="j")
    square = te.compute((batch,), lambda b: te.sum(x[b, i, j] * x[b, i, j], [i, j]), name="square")
    return x, te.compute((batch,), lambda b: te.sqrt(square[b]), name="norm")


def pool(n, h, w, c, kernel, stride, how):
    x = tensor("X", n, c, h, w)
    border = [(kernel - 1) // 2] * 4
    return x, topi.nn.pool2d(x, [kernel, kernel], [stride, stride], [1, 1], border, how)


def bias_gelu(n, m):
    """The form of GELU with a logistic function."""
    x, bias = tensor("X", n, m), tensor("bias", m)
    y = te.compute((n, m), lambda i, j: x[i, j] + bias[j], name="Y")
    steep = tirx.const(1.702, "float32")
    return x, bias, te.compute((n, m), lambda i, j: y[i, j] * te.sigmoid(y[i, j] * steep), name="Z")


def gated_sum(n, m):
    """logistic(a) * b + (1 - logistic(a)) * c: three inputs, a gate that is read twice."""
    a, b, c = (tensor(name, n, m) for name in "ABC")
    gate = te.compute((n, m), lambda i, j: te.sigmoid(a[i, j]), name="Y")
    return a, b, c, te.compute((n, m), lambda i, j: gate[i, j] * (b[i, j] - c[i, j]) + c[i, j], name="Z")


def transpose_add(n, m):
    x, y = tensor("X", n, m), tensor("Y", m, n)
    return x, y, te.compute((m, n), lambda i, j: x[j, i] + y[i, j], name="Z")


def task(network, resolution, number):
    """A task of a network."""
    name, shape = workloads.operation(network, resolution, number)
    layout, top = ("nchw", None) if network == "resnet18" else ("nhwc", 6.0)
    if name == "dense":
        return dense_relu(*shape)
    if name == "pool":
        return pool(*shape, how="max")
    made = (depthwise if name == "depthwise" else conv2d)(*shape, layout=layout)
    return made if name == "plain" else normalised(made, layout, top=top, added=name == "residual")


KINDS = {
    "matmul": matmul, "matmul-nt": matmul_nt, "matmul-tn": matmul_tn, "dense-relu": dense_relu,
    "batch-matmul": batch_matmul, "attention-qk": attention_qk,
    "conv2d-nhwc": conv2d,
    "conv2d-nchw": partial(conv2d, layout="nchw"),
    "pointwise-nhwc": lambda *shape: conv2d(*shape, 1, 1),
    "pointwise-nchw": lambda *shape: conv2d(*shape, 1, 1, layout="nchw"),
    "conv2d-bn-relu": lambda *shape: normalised(conv2d(*shape), "nhwc"),
    "conv1d": conv1d,
    "depthwise-nhwc": depthwise,
    "depthwise-nchw": partial(depthwise, layout="nchw"),
    "group-conv": conv2d,
    "softmax": softmax, "layer-norm": layer_norm, "rms-norm": rms_norm,
    "sum-rows": sum_rows, "sum-columns": sum_columns, "norm-batches": norm_batches,
    "max-pool": partial(pool, how="max"), "avg-pool": partial(pool, how="avg"),
    "bias-gelu": bias_gelu, "gated-sum": gated_sum, "transpose-add": transpose_add,
    **{network: partial(task, network) for network in workloads.TASKS},
}


def build(kind, shape):
    """The program of a workload, not scheduled; the last of its parameters is the output."""
    return te.create_prim_func(list(KINDS[kind](*shape)))
