# SPDX-License-Identifier: MIT
"""Helpers for peers to run on PyTorch's default device, which peer_cuda.py sets."""
import functools

import torch


def on_device(make):
    """make(...) draws tensors on the CPU, the same for every device; they are brought to the default one."""
    @functools.wraps(make)
    def made(*arguments, **options):
        device = torch.get_default_device()
        with torch.device("cpu"):
            problem = make(*arguments, **options)
        for name, value in vars(problem).items():
            if isinstance(value, torch.Tensor):
                setattr(problem, name, value.to(device))
        return problem
    return made


def adam_options(a, fused):
    """Of an optimizer: fused, or what PyTorch chooses; its step counts on the device where a graph is captured."""
    return {"fused": fused or None, "capturable": getattr(a, "captured", False)}
