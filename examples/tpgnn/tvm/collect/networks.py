# SPDX-License-Identifier: MIT
"""The tasks of ResNet-18 (NCHW) and MobileNet (version 1, NHWC) for square images of a small resolution, batch 1.

A task is an operation with the ops fused into it. Its first number is how often the image has been halved before it.
"""
STEM, RESIDUAL_STAGES = 64, ((2, 64), (3, 128), (4, 256), (5, 512))


def resnet18():
    yield 0, "conv", 3, STEM, 7, 2
    yield 1, "pool", STEM
    for halved, channels in RESIDUAL_STAGES:
        if channels > STEM:
            yield halved - 1, "conv", channels // 2, channels, 3, 2
            yield halved - 1, "plain", channels // 2, channels, 1, 2
        yield halved, "conv", channels, channels, 3, 1
        yield halved, "residual", channels, channels, 3, 1
    yield 0, "dense", 512, 1000


def mobilenet():
    yield 0, "conv", 3, 32, 3, 2
    stages = ((1, 32, 1, 64), (1, 64, 2, 128), (2, 128, 1, 128), (2, 128, 2, 256), (3, 256, 1, 256), (3, 256, 2, 512),
              (4, 512, 1, 512), (4, 512, 2, 1024), (5, 1024, 1, 1024))
    for halved, channels, stride, outputs in stages:
        yield halved, "depthwise", channels, 3, stride
        yield halved + stride - 1, "conv", channels, outputs, 1, 1
    yield 0, "dense", 1024, 1000


TASKS = {"resnet18": tuple(resnet18()), "mobilenet": tuple(mobilenet())}
RESOLUTION = 64  # of the listed workloads


def work(network):
    """How many products a task computes, as a function of (resolution, task)."""
    def of(resolution, task):
        halved, operation, *numbers = TASKS[network][task]
        side = max(resolution >> halved, 1)
        if operation == "dense":
            return numbers[0] * numbers[1]
        if operation == "pool":
            return side * side * numbers[0] * 9 // 4
        if operation == "depthwise":
            channels, kernel, stride = numbers
            return side * side * channels * kernel * kernel // stride ** 2
        inputs, outputs, kernel, stride = numbers
        return side * side * inputs * outputs * kernel * kernel // stride ** 2
    return of


def program(network):
    """The tensor expressions of a task, as a function of (resolution, task)."""
    import programs

    layout, top = ("nchw", None) if network == "resnet18" else ("nhwc", 6.0)

    def build(resolution, task):
        halved, operation, *numbers = TASKS[network][task]
        side = max(resolution >> halved, 1)
        if operation == "dense":
            return programs.dense_relu(1, numbers[1], numbers[0])
        if operation == "pool":
            return programs.pool(1, side, side, numbers[0], 3, 2, "max")
        if operation == "depthwise":
            return programs.normalised(programs.depthwise(1, side, side, *numbers, layout=layout), layout, top=top)
        conv = programs.conv2d(1, side, side, *numbers, layout=layout)
        if operation == "plain":
            return conv
        return programs.normalised(conv, layout, top=top, added=operation == "residual")
    return build
