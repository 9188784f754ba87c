# SPDX-License-Identifier: MIT
"""Single ops in PyTorch as peers of the bench: name -> function(arguments) that returns (inputs, op)."""
import torch
import torch.nn.functional as F

from peer_models import NeighbourMean, Problem, mean_lists


def linear(a):
    x, w, b = torch.randn(a.m, a.k), torch.randn(a.n, a.k), torch.randn(a.n)
    return (x, w, b), F.linear


def matmul(a):
    return (torch.randn(a.m, a.k), torch.randn(a.k, a.n)), torch.matmul


def neighbour_mean(a):
    """[nodes, configs * n]: every row the mean of its consumers."""
    lists = mean_lists(Problem(1, a.nodes))
    return (torch.randn(a.nodes, a.configs * a.n),), lambda x: NeighbourMean.apply(x, *lists)


def instance_norm(a):
    x = torch.randn(a.nodes, a.configs * a.n)
    return (x,), lambda x: F.batch_norm(x, None, None, training=True, eps=1e-5)


def gelu(a):
    return (torch.randn(a.m, a.n),), F.gelu


def softmax_middle(a):
    return (torch.randn(a.nodes, a.configs, a.n),), lambda x: torch.softmax(x, 1)


OPS = {f.__name__: f for f in (linear, matmul, neighbour_mean, instance_norm, gelu, softmax_middle)}


def make(a):
    """A function that runs the op once, with its backward pass if a.backward."""
    inputs, op = OPS[a.op](a)
    for x in inputs:
        x.requires_grad_(a.backward)
    cotangent = torch.randn_like(op(*inputs))

    def once():
        y = op(*inputs)
        if a.backward:
            torch.autograd.grad(y, inputs, cotangent)
    return once
