# SPDX-License-Identifier: MIT
"""The computations of the workloads as tensor expressions of TVM. All numbers are float32."""
from functools import partial

from tvm import te, tirx, topi
from tvm.s_tir import Schedule

import workloads


def tensor(name, *shape):
    return te.placeholder(shape, name=name)


def matmul(n, m, k, turn_a=False, turn_b=False):
    a, b = tensor("A", *((k, n) if turn_a else (n, k))), tensor("B", *((m, k) if turn_b else (k, m)))
    return a, b, topi.matmul(a, b, turn_a, turn_b)


def dense_relu(n, m, k):
    a, b, c = matmul(n, m, k)
    bias = tensor("bias", m)
    return a, b, bias, te.compute((n, m), lambda i, j: te.max(c[i, j] + bias[j], 0.0), name="D")


def batch_matmul(batch, n, m, k):
    a, b = tensor("A", batch, n, k), tensor("B", batch, k, m)
    return a, b, topi.nn.batch_matmul(a, b, transpose_a=False, transpose_b=False)


def attention_qk(batch, length, heads, size):
    """Scores of attention, with queries and keys as the linear layers before leave them."""
    q, k = tensor("Q", batch, length, heads, size), tensor("K", batch, length, heads, size)
    query, key = topi.transpose(q, (0, 2, 1, 3)), topi.transpose(k, (0, 2, 3, 1))
    d = te.reduce_axis((0, size), name="d")
    return q, k, te.compute((batch, heads, length, length),
                            lambda b, h, i, j: te.sum(query[b, h, i, d] * key[b, h, d, j], [d]), name="S")


def conv2d(n, h, w, ci, co, kernel, stride, groups=1, layout="nhwc"):
    """Zeros around the image, so that stride 1 keeps its size (odd kernels)."""
    last, each = layout == "nhwc", ci // groups
    x = tensor("X", *((n, h, w, ci) if last else (n, ci, h, w)))
    weight = tensor("W", *((kernel, kernel, each, co) if last else (co, each, kernel, kernel)))
    return x, weight, topi.nn.conv(x, weight, stride, (kernel - 1) // 2, 1, groups, layout.upper(),
                                   "HWIO" if last else "OIHW")


def depthwise(n, h, w, c, kernel, stride, layout="nhwc"):
    """As conv2d; topi's form for images of NCHW has a weight of four dimensions."""
    last, border = layout == "nhwc", (kernel - 1) // 2
    oh, ow = ((side + 2 * border - kernel) // stride + 1 for side in (h, w))
    ry, rx = te.reduce_axis((0, kernel), name="ry"), te.reduce_axis((0, kernel), name="rx")
    x = tensor("X", *((n, h, w, c) if last else (n, c, h, w)))
    weight = tensor("W", *((kernel, kernel, c) if last else (c, kernel, kernel)))
    image = topi.nn.pad(x, [0, border, border, 0] if last else [0, 0, border, border], name="pad_temp")

    def channels_last(b, y, z, d):
        return te.sum(image[b, y * stride + ry, z * stride + rx, d] * weight[ry, rx, d], [ry, rx])

    def channels_first(b, d, y, z):
        return te.sum(image[b, d, y * stride + ry, z * stride + rx] * weight[d, ry, rx], [ry, rx])

    shape, at = ((n, oh, ow, c), channels_last) if last else ((n, c, oh, ow), channels_first)
    return x, weight, te.compute(shape, at, name="conv")


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
    return x, weight, topi.nn.conv1d_nwc(x, weight, stride, (kernel - 1) // 2, 1)


def softmax(n, m):
    x = tensor("X", n, m)
    return x, topi.nn.softmax(x)


def layer_norm(n, m):
    x, gain, bias = tensor("X", n, m), tensor("gain", m), tensor("bias", m)
    return x, gain, bias, topi.nn.layer_norm(x, gain, bias, [1], 1e-5)


def rms_norm(n, m):
    x, gain = tensor("X", n, m), tensor("gain", m)
    return x, gain, topi.nn.rms_norm(x, gain, [1], 1e-5)


def sums(n, m, axis):
    x = tensor("X", n, m)
    return x, topi.sum(x, axis)


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
    "matmul": matmul, "matmul-nt": partial(matmul, turn_b=True), "matmul-tn": partial(matmul, turn_a=True),
    "dense-relu": dense_relu,
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
    "sum-rows": partial(sums, axis=1), "sum-columns": partial(sums, axis=0), "norm-batches": norm_batches,
    "max-pool": partial(pool, how="max"), "avg-pool": partial(pool, how="avg"),
    "bias-gelu": bias_gelu, "gated-sum": gated_sum, "transpose-add": transpose_add,
    **{network: partial(task, network) for network in workloads.TASKS},
}


def build(kind, shape):
    """The program of a workload, not scheduled; the last of its parameters is the output."""
    function = te.create_prim_func(list(KINDS[kind](*shape))).without_attr("layout_free_buffers")
    schedule = Schedule(function)
    for block in schedule.get_child_blocks(schedule.get_sblock("root")):
        padding = schedule.get(block)
        if padding.name_hint == "pad_temp" and type(padding.body.value).__name__ != "Call":
            schedule.compute_inline(block)  # topi copies an image that needs no zeros, too
    return schedule.mod["main"]
