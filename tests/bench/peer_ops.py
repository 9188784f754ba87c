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


KERNEL = 41


def kernels(a):
    """Edges (source, target) of nodes / 41 graphs of 41 nodes, two per node."""
    g = torch.Generator().manual_seed(1)
    source = torch.randint(1, KERNEL, (2 * KERNEL,), generator=g)
    target = (source - torch.randint(1, 9, (2 * KERNEL,), generator=g)).clamp(min=0)
    first = torch.arange(a.nodes // KERNEL).repeat_interleave(2 * KERNEL) * KERNEL
    return torch.stack([source, target]).repeat(1, a.nodes // KERNEL) + first


def gat(a):
    """PyG's layer, 8 heads; --nodes 2624 --n 512 is 64 graphs of 41 nodes."""
    from torch_geometric.nn import GATConv
    layer, edges = GATConv(a.n, a.n // 8, heads=8, add_self_loops=False, bias=False), kernels(a)
    weights = {name: p.detach().clone() for name, p in layer.named_parameters()}
    return ((torch.randn(edges.max() + 1, a.n), *weights.values()),
            lambda x, *w: torch.func.functional_call(layer, dict(zip(weights, w)), (x, edges)))


def sage_concat(a):
    """The layer of Kaufman et al. with own weights for operands and users, mean."""
    source, target = kernels(a)
    nodes = int(max(source.max(), target.max())) + 1

    def mean(x, i, j):
        count = torch.zeros(nodes).index_add_(0, j, torch.ones(len(j))).clamp(min=1)
        return torch.zeros(nodes, x.shape[1]).index_add(0, j, x[i]) / count[:, None]

    def op(x, operands, users, join):
        along = mean(F.relu(F.linear(x, operands)), source, target)
        against = mean(F.relu(F.linear(x, users)), target, source)
        return F.relu(F.linear(torch.cat([x, along, against], 1), join))
    shapes = ((nodes, a.n), (a.n, a.n), (a.n, a.n), (a.n, 3 * a.n))
    return tuple(torch.randn(s) * 0.05 for s in shapes), op


def lstm(a):
    """m sequences of 41 rows of k features, n units: the last states."""
    net = torch.nn.LSTM(a.k, a.n, bias=False, batch_first=True)
    weights = tuple(w.detach() for w in net.parameters())

    def last(x, *weights):
        zeros = x.new_zeros(1, a.m, a.n)
        return torch.lstm(x, (zeros, zeros), weights, False, 1, 0.0, True, False, True)[1][0]
    return (torch.randn(a.m, 41, a.k), *weights), last


def attention(a):
    """nodes / 41 graphs of 41 nodes, n features in 8 heads."""
    shape = (a.nodes // KERNEL, KERNEL, a.n)

    def op(qkv):
        query, key, value = qkv.unflatten(2, (3, 8, a.n // 8)).permute(2, 0, 3, 1, 4)
        return F.scaled_dot_product_attention(query, key, value).transpose(1, 2).reshape(shape)
    return (torch.randn(*shape[:2], 3 * a.n),), op


def encoder(a):
    """PyTorch's layer, 8 heads, dropout 0.1. Graphs of one size need no mask, which is when it is fastest."""
    layer = torch.nn.TransformerEncoderLayer(a.n, 8, 4 * a.n, dropout=0.1, batch_first=True)
    return (torch.randn(a.nodes // KERNEL, KERNEL, a.n), *layer.parameters()), lambda x, *weights: layer(x)


OPS = {f.__name__: f for f in (linear, matmul, neighbour_mean, instance_norm, gelu, softmax_middle, gat, sage_concat,
                             lstm, attention, encoder)}


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
