# SPDX-License-Identifier: MIT
"""The workloads by name: which kinds there are, what their numbers mean, and a seeded list of shapes of each kind.

A name is KIND_N_N_..., as in matmul_256_256_256; programs.py says what a kind computes. The kinds resnet18 (ResNet-18,
NCHW) and mobilenet (version 1, NHWC) are networks for square images, batch 1, of which a task is an operation with the
ops fused into it.
"""
import math
import random
from dataclasses import dataclass
from functools import partial
from itertools import islice

MATRIX = (16, 24, 32, 48, 64, 80, 96, 112, 128, 160, 192, 196, 224, 256, 320, 384, 448, 512, 640, 768, 1024)
ROWS = (16, 32, 48, 64, 96, 128, 196, 256, 384, 512, 784, 1024)
COLUMNS = (64, 96, 128, 192, 256, 320, 384, 512, 768, 1000, 1024, 1536, 2048)
SIDE = (7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 56)
CHANNELS = (8, 12, 16, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256)
IMAGE = (("batch", (1, 1, 1, 2)), ("height", SIDE), ("width", None))
CONVOLUTION = (*IMAGE, ("inputs", CHANNELS), ("outputs", CHANNELS), ("kernel", (3, 3, 5)), ("stride", (1, 2)))
POINTWISE = (*IMAGE, ("inputs", CHANNELS), ("outputs", CHANNELS))
DEPTHWISE = (*IMAGE, ("channels", (16, 24, 32, 48, 64, 96, 128, 192, 256)), ("kernel", (3, 3, 5)), ("stride", (1, 2)))
POOL = (*IMAGE, ("channels", (16, 24, 32, 48, 64, 96, 128)), ("kernel", (2, 3)), ("stride", (1, 2)))
TABLE = (("rows", ROWS), ("columns", COLUMNS))
PRODUCT = (("rows", MATRIX), ("columns", MATRIX), ("inner", MATRIX))
MULTIPLIES = (500_000, 20_000_000)
ELEMENTS = (16_000, 500_000)
READ_ONCE = (100_000, 2_100_000)
LARGEST = 1 << 28
RESOLUTION = 64  # of the listed tasks of networks


@dataclass(frozen=True)
class Kind:
    """numbers: (name, values to draw from; None: the same as the number before). work: how much a shape computes."""

    numbers: tuple
    work: callable
    limits: tuple = MULTIPLIES


def product(*numbers):
    return math.prod(numbers)


def convolution(batch, height, width, inputs, outputs, kernel, stride, groups=1):
    return batch * (height // stride) * (width // stride) * inputs * outputs * kernel * kernel // groups


def windows(batch, height, width, channels, kernel, stride):
    return batch * (height // stride) * (width // stride) * channels * kernel * kernel


def resnet18():
    """Tasks: how often the image has been halved before, the operation, its numbers."""
    yield 0, "conv", 3, 64, 7, 2
    yield 1, "pool", 64, 3, 2
    for halved, channels in ((2, 64), (3, 128), (4, 256), (5, 512)):
        if channels > 64:
            yield halved - 1, "conv", channels // 2, channels, 3, 2
            yield halved - 1, "plain", channels // 2, channels, 1, 2
        yield halved, "conv", channels, channels, 3, 1
        yield halved, "residual", channels, channels, 3, 1
    yield 0, "dense", 1000, 512


def mobilenet():
    yield 0, "conv", 3, 32, 3, 2
    stages = ((1, 32, 1, 64), (1, 64, 2, 128), (2, 128, 1, 128), (2, 128, 2, 256), (3, 256, 1, 256), (3, 256, 2, 512),
              (4, 512, 1, 512), (4, 512, 2, 1024), (5, 1024, 1, 1024))
    for halved, channels, stride, outputs in stages:
        yield halved, "depthwise", channels, 3, stride
        yield halved + stride - 1, "conv", channels, outputs, 1, 1
    yield 0, "dense", 1000, 1024


TASKS = {"resnet18": tuple(resnet18()), "mobilenet": tuple(mobilenet())}
WORK = {"dense": product, "pool": windows, "depthwise": windows}  # of the operations that are not convolutions


def operation(network, resolution, task):
    """(operation, shape) of a task for images of so many pixels a side."""
    halved, name, *numbers = TASKS[network][task]
    side = max(resolution >> halved, 1)
    return name, (1, *numbers) if name == "dense" else (1, side, side, *numbers)


def task_work(network, resolution, task):
    name, shape = operation(network, resolution, task)
    return WORK.get(name, convolution)(*shape)


KINDS = {
    "matmul": Kind(PRODUCT, product),
    "matmul-nt": Kind(PRODUCT, product),
    "matmul-tn": Kind(PRODUCT, product),
    "dense-relu": Kind(PRODUCT, product),
    "batch-matmul": Kind((("batch", (2, 3, 4, 6, 8, 12, 16)), *PRODUCT), product),
    "attention-qk": Kind((("batch", (1, 1, 2, 4)), ("length", (32, 48, 64, 96, 128, 192, 256)),
                          ("heads", (2, 4, 6, 8, 12)), ("size", (16, 32, 48, 64))),
                         lambda b, n, h, d: b * n * n * h * d),
    "conv2d-nhwc": Kind(CONVOLUTION, convolution),
    "conv2d-nchw": Kind(CONVOLUTION, convolution),
    "pointwise-nhwc": Kind(POINTWISE, product),
    "pointwise-nchw": Kind(POINTWISE, product),
    "conv2d-bn-relu": Kind(CONVOLUTION, convolution),
    "conv1d": Kind((("batch", (1, 2, 4)), ("length", (32, 64, 96, 128, 196, 256, 384, 512)), ("inputs", CHANNELS),
                    ("outputs", CHANNELS), ("kernel", (3, 5, 7)), ("stride", (1, 2))),
                   lambda b, n, i, o, k, s: b * (n // s) * i * o * k),
    "depthwise-nhwc": Kind(DEPTHWISE, windows, (200_000, 4_000_000)),
    "depthwise-nchw": Kind(DEPTHWISE, windows, (200_000, 4_000_000)),
    "group-conv": Kind((*CONVOLUTION, ("groups", (2, 4, 8))), convolution),
    "softmax": Kind(TABLE, product, (8_000, 200_000)),
    "layer-norm": Kind(TABLE, product, ELEMENTS),
    "rms-norm": Kind(TABLE, product, ELEMENTS),
    "sum-rows": Kind(TABLE, product, READ_ONCE),
    "sum-columns": Kind(TABLE, product, READ_ONCE),
    "norm-batches": Kind((("batch", (1, 2, 4, 8, 16, 32)), *TABLE), product, (32_000, 1_000_000)),
    "max-pool": Kind(POOL, windows, (60_000, 2_000_000)),
    "avg-pool": Kind(POOL, windows, (60_000, 2_000_000)),
    "bias-gelu": Kind(TABLE, product, ELEMENTS),
    "gated-sum": Kind(TABLE, product, ELEMENTS),
    "transpose-add": Kind(TABLE, product, READ_ONCE),
    **{network: Kind((("resolution", (32, 64, 96)), ("task", range(len(tasks)))), partial(task_work, network))
       for network, tasks in TASKS.items()},
}


def name_of(kind, shape):
    return "_".join([kind, *map(str, shape)])


def parse(name):
    """(kind, shape) of a name. Raises ValueError with a sentence where it is none."""
    kind, *numbers = name.split("_")
    if kind not in KINDS:
        raise ValueError(f"workload {name}: there is no kind '{kind}'; the kinds are {', '.join(KINDS)}")
    wanted = [label for label, _ in KINDS[kind].numbers]
    form = f"{kind}_" + "_".join(label.upper() for label in wanted)
    if len(numbers) != len(wanted) or not all(n.isascii() and n.isdigit() and len(n) < 8 for n in numbers):
        raise ValueError(f"workload {name}: the form is {form}, {len(wanted)} whole numbers")
    shape = tuple(map(int, numbers))
    value = dict(zip(wanted, shape))
    if "task" in value and value["task"] >= len(TASKS[kind]):
        raise ValueError(f"workload {name}: {kind} has the tasks 0 to {len(TASKS[kind]) - 1}")
    if min(n for label, n in value.items() if label != "task") < 1:
        raise ValueError(f"workload {name}: all numbers but a task must be at least 1")
    groups = value.get("groups", 1)
    if value.get("inputs", 0) % groups or value.get("outputs", 0) % groups:
        raise ValueError(f"workload {name}: inputs and outputs must be multiples of {groups}, the groups")
    if KINDS[kind].work(*shape) > LARGEST:
        raise ValueError(f"workload {name}: it computes more than {LARGEST:,} products or elements; "
                         "choose a smaller shape")
    return kind, shape


def draw(kind, generator):
    """A shape of the kind; not every one is of use."""
    shape = []
    for _, values in KINDS[kind].numbers:
        shape.append(shape[-1] if values is None else generator.choice(values))
    return tuple(shape)


def of_use(kind, shape):
    low, high = KINDS[kind].limits
    try:
        parse(name_of(kind, shape))
    except ValueError:
        return False
    return low <= KINDS[kind].work(*shape) <= high


def shapes(kind, count, seed):
    """Up to `count` different shapes, spread over ln(work): of three that were drawn the one whose work is farthest
    from that of the shapes so far. Of a network all tasks, at one resolution."""
    if kind in TASKS:
        return [(RESOLUTION, task) for task in range(len(TASKS[kind]))]
    generator, chosen = random.Random(f"{seed}:{kind}"), []
    for _ in range(count):
        drawn = (draw(kind, generator) for _ in range(2000))
        found = list(islice((s for s in drawn if s not in chosen and of_use(kind, s)), 3))
        if not found:
            break
        work = KINDS[kind].work
        chosen.append(max(found, key=lambda s: min((abs(math.log(work(*s) / work(*c))) for c in chosen), default=0)))
    return chosen


def listed(count, seed):
    """Names of all workloads, the kinds in turns, so that a short collection has some of each."""
    lists = {kind: shapes(kind, count, seed) for kind in KINDS}
    longest = max(map(len, lists.values()))
    return [name_of(kind, lists[kind][i]) for i in range(longest) for kind in KINDS if i < len(lists[kind])]
