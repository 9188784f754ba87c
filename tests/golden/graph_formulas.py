# SPDX-License-Identifier: MIT
"""The ops of gnn/ as PyTorch formulas, which join those of op_formulas.py."""
import torch
import torch.nn.functional as F
from op_formulas import FORMULAS, by_part, formula, max_by_part, mean, scaled, segment_max_mean, segments, sum_or_mean


# ---- graphs: rows [n, 2] (first position, count), sources [p], rows_t [n, 2], targets [p, 2] (receiver, position)

def ranges(rows):
    return [(a, a + n) for a, n in rows.tolist()]


def messages(rows):
    """Positions of the messages into each node."""
    return [torch.arange(a, b) for a, b in ranges(rows)]


FORMULAS["message_sum"] = lambda x, f, i: by_part(x[0], ranges(x[1]), sum_or_mean(i, 0))
FORMULAS["message_aggregate_max"] = lambda x, f, i: max_by_part(x[0], ranges(x[1]), -1 if i[0] else 1)


def spmm(op, mean_or_min=0):
    """An op of messages that carry the senders' values."""
    return lambda x, f, i: FORMULAS[op]([x[0][x[2]], x[1]], f, [mean_or_min])


FORMULAS["spmm_sum"], FORMULAS["spmm_mean"] = spmm("message_sum"), spmm("message_sum", 1)
FORMULAS["spmm_max"] = spmm("message_aggregate_max")


@formula("sage_sum", "sage_mean")
def sage(x, f, i):
    z, b, *edges = x
    half = z.shape[-1] // 2
    travels, stays = z[..., :half], z[..., half:]
    sums = FORMULAS["spmm_mean" if i[0] else "spmm_sum"]([travels, *edges], f, i)
    return sums + stays + b


@formula("graph_conv")
def graph_conv(x, f, i):
    values, w, root, b, *edges = x
    sums = FORMULAS["spmm_sum"]([values, *edges], f, i)
    return F.linear(sums, w, b) + F.linear(values, root)


def in_heads(x, heads):
    return x.reshape(x.shape[0], heads, x[0].numel() // heads if x.shape[0] else 0)


@formula("spmm_weighted")
def spmm_weighted(x, f, i):
    """w [p] or [p, heads]; the features split into as many equal parts."""
    values, w, rows, sources = x[:4]
    if not values.shape[0]:
        return values * 1
    w = w[:, None] if w.dim() == 1 else w
    parts = in_heads(values, w.shape[1])
    y = torch.stack([(w[p][:, :, None] * parts[sources[p]]).sum(0) for p in messages(rows)])
    return y.reshape(values.shape)


@formula("sddmm")
def sddmm(x, f, i):
    """Per message p and head the product of a[receiver] and b[sender]."""
    a, b, rows, sources = in_heads(x[0], i[0]), in_heads(x[1], i[0]), x[2], x[3]
    y = torch.zeros(sources.shape[0], i[0])
    for v, p in enumerate(messages(rows)):
        y = y.index_add(0, p, (a[v] * b[sources[p]]).sum(-1))
    return y


@formula("message_aggregate_std")
def message_std(x, f, i):
    """Biased; 0 where the variance is at most 1e-5."""
    variance = by_part(x[0], ranges(x[1]), lambda rows: mean((rows - mean(rows, 0)).square(), 0))
    return torch.where(variance > 1e-5, variance.clamp(min=1e-5).sqrt(), torch.zeros(()))


@formula("gcn_conv_others")
def gcn_others(x, f, i):
    values, rows, sources = x[:3]
    receivers = torch.full_like(sources, -1)  # so are those of no message
    for v, p in enumerate(messages(rows)):
        receivers[p] = v
    return scaled(values, (receivers != sources).double())


FORMULAS["message_pna_degree"] = lambda x, f, i: torch.log(1 + x[0][:, 1].clamp(min=1).double())


@formula("edge_add")
def edge_add(x, f, i):
    source, target, rows, sources = x[:4]
    receivers = torch.repeat_interleave(torch.arange(rows.shape[0]), rows[:, 1])
    return source[sources] + target[receivers]


@formula("edge_softmax")
def edge_softmax(x, f, i):
    values, rows = x[:2]
    return torch.cat([torch.softmax(values[p], 0) for p in messages(rows)] + [values[:0]])


# ---- normalised sums, pooling

def others(rows, sources):
    """Senders of the messages into each node, without the node itself."""
    return [[u for u in sources[p].tolist() if u != v] for v, p in enumerate(messages(rows))]


FORMULAS["gcn_norm"] = lambda x, f, i: torch.tensor([(1 + len(u)) ** -0.5 for u in others(x[0], x[1])], dtype=torch.float64)


@formula("gcn_conv_sum")
def gcn_sum(x, f, i):
    values, norm, rows, sources = x[:4]
    scaled_values = scaled(values, norm)
    y = torch.stack([scaled_values[[v, *u]].sum(0) for v, u in enumerate(others(rows, sources))]) \
        if rows.shape[0] else values * 1
    return scaled(y, norm) + (x[6] if len(x) > 6 else 0)


def pool(x, score, starts, kept):
    """The nodes of highest score of each graph, in their order; of equal ones the first."""
    perm = []
    for (a, b), (c, d) in zip(segments(starts), segments(kept)):
        perm += (a + torch.sort(torch.argsort(-score[a:b], stable=True)[:d - c])[0]).tolist()
    perm = torch.tensor(perm, dtype=torch.long)
    place = torch.full((x.shape[0],), -1, dtype=torch.long)
    place[perm] = torch.arange(len(perm))
    return scaled(x[perm], score[perm]), score, perm, place


@formula("topk")
def topk(x, f, i):
    flat = x[0].reshape(x[0].shape[0], -1) if x[0].numel() else x[0].new_zeros(x[0].shape[0], x[1].numel())
    p = x[1].reshape(-1)
    return pool(x[0], torch.tanh(flat @ p / p.norm()), x[2], x[3])


@formula("relu_topk_readout")
def relu_topk_readout(x, f, i):
    """topk of the rectified rows, and the readout of those that stay."""
    y, score, perm, place = topk([torch.relu(x[0])] + x[1:], f, i)
    return y, score, perm, place, *segment_max_mean([y, x[3]], f, i)


FORMULAS["sag_pool"] = lambda x, f, i: pool(x[0], torch.tanh(x[1].reshape(-1)), x[2], x[3])


@formula("topk_edges")
def topk_edges(x, f, i):
    """rows, sources, rows_t, targets of the messages between nodes that stay; -1 after the last."""
    rows, sources, rows_t, targets, perm, place = x

    def of_those_that_stay(rows, ends):
        """Positions of the messages between them, by node, and the new rows."""
        kept = [[q for q in messages(rows)[v].tolist() if place[ends[q]] >= 0] for v in perm.tolist()]
        count = torch.tensor([len(each) for each in kept], dtype=torch.long)
        return sum(kept, []), torch.stack([count.cumsum(0) - count, count], 1)
    received, new_rows = of_those_that_stay(rows, sources)
    sent, new_rows_t = of_those_that_stay(rows_t, targets[:, 0])
    moved = {q: at for at, q in enumerate(received)}
    new_sources, new_targets = torch.full_like(sources, -1), torch.full_like(targets, -1)
    for at, q in enumerate(received):
        new_sources[at] = place[sources[q]]
    for at, (receiver, q) in enumerate(targets[sent].tolist()):
        new_targets[at] = torch.tensor([place[receiver], moved[q]])
    return new_rows, new_sources, new_rows_t, new_targets
