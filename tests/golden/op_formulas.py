# SPDX-License-Identifier: MIT
"""Every op, except those of gnn/, as a PyTorch formula: name -> function(input tensors, constant attributes f and i)."""
import numpy as np
import torch
import torch.nn.functional as F

FORMULAS = {}


def formula(*names):
    def put(function):
        for name in names:
            FORMULAS[name] = function
        return function
    return put


# ---- elementwise

ELEMENTWISE = {
    "neg": lambda x, f: -x,
    "scale": lambda x, f: x * f[0],
    "shift": lambda x, f: x + f[0],
    "exp": lambda x, f: x.exp(),
    "log": lambda x, f: x.log(),
    "sqrt": lambda x, f: x.sqrt(),
    "square": lambda x, f: x.square(),
    "abs": lambda x, f: x.abs(),
    "tanh": lambda x, f: x.tanh(),
    "sigmoid": lambda x, f: x.sigmoid(),
    "relu": lambda x, f: x.relu(),
    "leaky_relu": lambda x, f: F.leaky_relu(x, f[0]),
    "elu": lambda x, f: F.elu(x, f[0]),
    "softplus": lambda x, f: torch.logaddexp(x, torch.zeros_like(x)),
    "silu": lambda x, f: F.silu(x),
    "gelu": lambda x, f: F.gelu(x),
    "gelu_tanh": lambda x, f: F.gelu(x, approximate="tanh"),
    "clamp": lambda x, f: x.clamp(f[0], f[1]),
    "reciprocal": lambda x, f: x.reciprocal(),
}
for _name, _function in ELEMENTWISE.items():
    FORMULAS[_name] = lambda x, f, i, g=_function: g(x[0], f)

BINARY = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div}
for _name, _function in BINARY.items():
    FORMULAS[_name] = lambda x, f, i, g=_function: g(x[0], x[1])


# ---- dropout

def philox(counter, key):
    """Philox4x32-10 (Salmon et al., SC'11): counter [4, n] of 32-bit words -> words [4, n]."""
    x, k = counter.astype(np.uint64), list(key)
    for _ in range(10):
        a, b = x[0] * np.uint64(0xD2511F53), x[2] * np.uint64(0xCD9E8D57)
        high, low = np.uint64(32), np.uint64(0xFFFFFFFF)
        x = np.stack([(b >> high) ^ x[1] ^ np.uint64(k[0]), b & low, (a >> high) ^ x[3] ^ np.uint64(k[1]), a & low])
        k = [(k[0] + 0x9E3779B9) % 2**32, (k[1] + 0xBB67AE85) % 2**32]
    return x


def factors(e, p):
    """Of seed 0, step 0 and the first random op of a tape: element 128 b + 64 h + 16 w + l of the array e is kept where
    half h of word w of the counter (16 b + l, 1 << 16, 0, "drop") is at least p 2^16."""
    n, word, half = (e // 128 * 16 + e % 16).reshape(-1), (e % 64 // 16).reshape(-1), (e % 128 // 64).reshape(-1)
    words = philox(np.stack([n, 0 * n + (1 << 16), 0 * n, 0 * n + 0x64726F70]), (0, 0))
    found = words[word, np.arange(n.size)] >> (16 * half).astype(np.uint64) & np.uint64(0xFFFF)
    return torch.from_numpy((found >= round(p * 2**16)).astype(np.float64)).reshape(e.shape) / (1 - p)


@formula("dropout")
def dropout(x, f, i):
    return x[0] * factors(np.arange(x[0].numel()).reshape(x[0].shape), f[0])


# ---- matrices, rows and columns

@formula("matmul")
def matmul(x, f, i):
    a, b = x[0].T if i[0] else x[0], x[1].T if i[1] else x[1]
    return a @ b


# x [.., k], w [n, k], optional bias [n].
FORMULAS["linear"] = lambda x, f, i: F.linear(x[0], x[1], x[2] if len(x) > 2 else None)
FORMULAS["add_bias"] = lambda x, f, i: x[0] + x[1]
FORMULAS["mul_columns"] = lambda x, f, i: x[0] * x[1]


@formula("mul_rows")
def mul_rows(x, f, i):
    """A factor for each x[0][k], or for each vector along the last axis."""
    return scaled(x[0], x[1].reshape(x[0].shape[:1] if x[1].numel() == x[0].shape[0] else x[0].shape[:-1]))


FORMULAS["transpose"] = lambda x, f, i: x[0].T
FORMULAS["concat"] = lambda x, f, i: torch.cat(x, dim=i[0])


@formula("block_diagonal")
def block_diagonal(x, f, i):
    return torch.block_diag(*x[0]) if x[0].numel() else x[0].new_zeros(x[0].shape[0], x[0].numel())


FORMULAS["slice"] = lambda x, f, i: x[0].narrow(i[0], i[1], i[2])
# Rank in i[0], sizes in f.
FORMULAS["reshape"] = lambda x, f, i: x[0].reshape([int(n) for n in f[:i[0]]])


# ---- indices

def within(index, n):
    """Index clamped to rows that exist, and 1 where it was one, else 0."""
    return index.clamp(0, max(n - 1, 0)), ((index >= 0) & (index < n)).double()


def scaled(rows, s):
    return rows * s.reshape(list(s.shape) + [1] * (rows.dim() - s.dim()))


@formula("gather")
def gather(x, f, i):
    """An index that names no row gives zeros."""
    if x[0].shape[0] == 0:
        return x[0].new_zeros(list(x[1].shape) + list(x[0].shape[1:])) + x[0].sum()
    index, good = within(x[1], x[0].shape[0])
    return scaled(x[0][index], good)


@formula("scatter_sum")
def scatter_sum(x, f, i):
    if i[0] == 0:
        return x[0].new_zeros([0] + list(x[0].shape[1:])) + 0 * x[0].sum()
    index, good = within(x[1], i[0])
    return torch.zeros([i[0]] + list(x[0].shape[1:])).index_add(0, index, scaled(x[0], good))


@formula("spread")
def spread(x, f, i):
    """base[v] + part[where[v], c], without the part where `where` is negative."""
    base, part, where = x
    return base[:, None, :] + gather([part, where], f, i)


@formula("embedding_bag")
def embedding_bag(x, f, i):
    """Row by row the sum over k of table[k * i[0] + index[k]]; a negative index, or one after the end of the table, adds none."""
    table, index = x
    index = torch.where(index < 0, index, index + i[0] * torch.arange(index.shape[1]))
    return gather([table, index], f, i).sum(1)


# ---- reductions

def first_max(x, dim):
    """Maximum and the index of the first that is as large, where the gradient goes; 0 and -1 of nothing."""
    if x.shape[dim] == 0:
        y = x.sum(dim)
        return y, torch.full_like(y, -1, dtype=torch.long)
    at = x.argmax(dim, keepdim=True)
    return x.gather(dim, at).squeeze(dim), at.squeeze(dim)


def mean(x, dim):
    """0 of nothing."""
    return x.sum(dim) / max(x.shape[dim], 1)


def mean_all(x):
    return x.sum() / max(x.numel(), 1)


def sum_or_mean(i, dim):
    """The sum divides by the number of its terms where i[0] is 1: then it is a mean."""
    return lambda x: mean(x, dim) if i[0] else x.sum(dim)


FORMULAS["sum_all"] = lambda x, f, i: mean_all(x[0]) if i[0] else x[0].sum()
FORMULAS["sum_rows"] = lambda x, f, i: sum_or_mean(i, 0)(x[0])
FORMULAS["sum_columns"] = lambda x, f, i: sum_or_mean(i, -1)(x[0])
FORMULAS["max_rows"] = lambda x, f, i: first_max(x[0], 0)
FORMULAS["max_columns"] = lambda x, f, i: first_max(x[0], -1)


def segments(starts):
    s = starts.tolist()
    return list(zip(s[:-1], s[1:]))


def by_part(x, parts, reduce):
    """Of each part, a range of rows of x, the row that reduce makes of it."""
    found = [reduce(x[a:b]) for a, b in parts]
    return torch.stack(found) if found else x[:0]


def max_by_part(x, parts, sign=1):
    """The smallest where sign is -1; also the row of x that each is from, -1 in an empty part."""
    found = [(first_max(sign * x[a:b], 0), a) for a, b in parts]
    if not found:
        return x[:0], torch.zeros(x[:0].shape, dtype=torch.long)
    return torch.stack([sign * y for (y, _), _ in found]), torch.stack([at + a * (at >= 0) for (_, at), a in found])


FORMULAS["segment_sum"] = lambda x, f, i: by_part(x[0], segments(x[1]), sum_or_mean(i, 0))
FORMULAS["segment_max"] = lambda x, f, i: max_by_part(x[0], segments(x[1]))


def log_sum_exp(rows):
    return torch.logsumexp(rows, 0) if rows.shape[0] else rows.sum(0)


FORMULAS["segment_log_sum_exp"] = lambda x, f, i: by_part(x[0], segments(x[1]), log_sum_exp)


def segment_max_mean(x, f, i):
    """Also the row of x that each maximum is from."""
    largest, at = max_by_part(x[0], segments(x[1]))
    return torch.cat([largest, FORMULAS["segment_sum"](x, f, [1])], 1), at


# ---- softmax and norms

FORMULAS["softmax"] = lambda x, f, i: torch.softmax(x[0], -1)
FORMULAS["log_softmax"] = lambda x, f, i: torch.log_softmax(x[0], -1)
FORMULAS["layer_norm"] = lambda x, f, i: F.layer_norm(x[0], x[0].shape[-1:], x[1], x[2] if len(x) > 2 else None, f[0])


def normalise(rows, eps):
    centred = rows - rows.mean(0)
    return centred / torch.sqrt(centred.square().mean(0) + eps)


@formula("instance_norm")
def instance_norm(x, f, i):
    """Over the rows of each graph (starts), per column; biased variance."""
    parts = [normalise(x[0][a:b], f[0]) for a, b in segments(x[1]) if b > a] if len(x) > 1 else [normalise(x[0], f[0])]
    return torch.cat(parts) if parts else x[0] * 1


def batch(x, mean, variance, affine, eps):
    """F.batch_norm of all rows, with the statistics of the batch where mean is None; of nothing nothing."""
    if not x.numel():
        return x * 1
    rows = x.reshape(-1, x.shape[-1])
    return F.batch_norm(rows, mean, variance, *(affine or [None, None]), mean is None, 0.1, eps).reshape(x.shape)


FORMULAS["batch_norm"] = lambda x, f, i: batch(x[0], None, None, x[1:], f[0])
FORMULAS["batch_norm_given"] = lambda x, f, i: batch(x[0], x[1].detach(), x[2].detach(), x[3:], f[0])
FORMULAS["l2_norm"] = lambda x, f, i: x[0] / torch.sqrt(x[0].square().sum(-1, keepdim=True)).clamp(min=f[0])


@formula("attention")
def attention(x, f, i):
    """qkv [n, 3 heads d], i[0] heads; each graph attends within itself."""
    n, width = x[0].shape[0], x[0].shape[1] // 3
    parts = x[0].reshape(n, 3, i[0], width // i[0]).permute(1, 2, 0, 3)  # [3, heads, n, d]
    y = [F.scaled_dot_product_attention(*parts[:, :, a:b]) for a, b in segments(x[1]) if b > a]
    return torch.cat(y, 1).transpose(0, 1).reshape(n, width) if y and width else x[0][:, :width] * 1


@formula("attention_dropout")
def attention_dropout(x, f, i):
    """The weight of key k of a graph in row v and head h is element (v heads + h) n + k."""
    n, heads, width = x[0].shape[0], i[0], x[0].shape[1] // 3
    d, y = width // heads, [x[0][:0, :width]]
    q, k, v = x[0].reshape(n, 3, heads, d).permute(1, 2, 0, 3) if n * d else (None, None, None)
    for a, b in segments(x[1]):
        if b == a or not d:
            continue
        rows, h, keys = np.arange(a, b)[None, :, None], np.arange(heads)[:, None, None], np.arange(b - a)
        weights = torch.softmax(q[:, a:b] @ k[:, a:b].transpose(1, 2) / d**0.5, -1)
        weights = weights * factors((rows * heads + h) * n + keys, f[0])
        y.append((weights @ v[:, a:b]).transpose(0, 1).reshape(b - a, width))
    return torch.cat(y) if d else x[0][:, :width] * 1


@formula("channel_attention")
def channel_attention(x, f, i):
    x, w1, b1, w2, b2 = x
    return x * torch.sigmoid(F.linear(torch.relu(F.linear(x, w1, b1)), w2, b2))


def recurrent(run, first_states, x, i):
    """States of each sequence (starts), the last one or with i[0] all, with i[1] of PyTorch's second direction; a sequence
    without rows and a row without a sequence have zeros. x[4:]: the two biases, if any."""
    features, starts, w_input, w_state = x[:4]
    hidden, back, biased = w_state.shape[1], i[1], len(x) > 4
    zeros, weights = features.new_zeros(1 + back, 1, hidden), [w_input, w_state, *x[4:]] * (1 + back)
    last, states = features.new_zeros(len(starts) - 1, hidden), features.new_zeros(len(features), hidden)
    for k, (a, b) in enumerate(segments(starts)):
        if b > a and hidden:
            out = run(features[None, a:b], first_states(zeros), weights, biased, 1, 0.0, False, bool(back), True)[0][0]
            states[a:b], last[k] = out[:, -hidden:], out[0 if back else -1, -hidden:]
    return states if i[0] else last


@formula("lstm")
def lstm(x, f, i):
    biases = [x[4], torch.zeros_like(x[4])] if len(x) > 4 else []
    return recurrent(torch.lstm, lambda zeros: (zeros, zeros), x[:4] + biases, i)


@formula("gru")
def gru(x, f, i):
    return recurrent(torch.gru, lambda zeros: zeros, x, i)


@formula("cross_attention")
def cross_attention(x, f, i):
    return x[0] * torch.softmax(x[0] / x[1], 1)


@formula("attend")
def attend(x, f, i):
    """x, the weights of channel attention, temperature, optional residual."""
    v = channel_attention(x[:5], f, i)
    y = torch.cat([v, cross_attention([v, x[5]], f, i)], 2)
    return F.gelu(y + x[6] if len(x) > 6 else y)


FORMULAS["attend_dropout"] = lambda x, f, i: dropout([attend(x, f, i)], f, i)


# ---- losses

FORMULAS["squared_error"] = lambda x, f, i: mean_all((x[0] - x[1]).square())
FORMULAS["absolute_error"] = lambda x, f, i: mean_all((x[0] - x[1]).abs())
FORMULAS["huber"] = lambda x, f, i: mean_all(F.huber_loss(x[0], x[1], reduction="none", delta=f[0]))


@formula("binary_cross_entropy")
def binary_cross_entropy(x, f, i):
    weight = x[2].detach() if len(x) > 2 else None
    return mean_all(F.binary_cross_entropy_with_logits(x[0], x[1], weight, reduction="none"))


@formula("cross_entropy")
def cross_entropy(x, f, i):
    """A label that is not a class leaves its row out; 0 where none counts."""
    label = torch.where((x[1] >= 0) & (x[1] < x[0].shape[1]), x[1], -1)
    weight = x[2].detach() if len(x) > 2 else None
    if (label < 0).all():
        return x[0].sum() * 0
    return F.cross_entropy(x[0], label, weight, ignore_index=-1, label_smoothing=f[0])


def pairs(x, term, total):
    """term(s_i - s_j) over the ordered pairs with rank i > rank j: mean over all n * n entries, or the sum."""
    terms = torch.where(x[1][:, None] > x[1][None, :], term(x[0][:, None] - x[0][None, :]), torch.zeros(()))
    return terms.sum() if total else terms.sum() / max(terms.numel(), 1)


def grouped(x, loss, total):
    """loss of all items, or with starts the mean or the sum over the groups; nothing gives 0."""
    if len(x) < 3:
        return loss(x)
    parts = [loss([x[0][a:b], x[1][a:b]]) for a, b in segments(x[2])]
    return sum(parts, x[0].sum() * 0) / (1 if total else max(len(parts), 1))


FORMULAS["pairwise_hinge"] = lambda x, f, i: grouped(x, lambda g: pairs(g, lambda d: (f[0] - d).clamp(min=0), i[0]), i[0])


@formula("pairwise_logistic")
def pairwise_logistic(x, f, i):
    return grouped(x, lambda g: pairs(g, lambda d: torch.logaddexp(-d, torch.zeros(())), i[0]), i[0])


def lambda_loss(x):
    """Of one group, over its pairs sorted by score: |1/D_i - 1/D_j| |G_i - G_j| log2(1 + e^-(s_i - s_j))."""
    order = torch.argsort(-x[0].detach(), stable=True)
    s, y = x[0][order], x[1][order].detach()
    d = torch.log2(2 + torch.arange(len(s)).double())
    gain = 2 ** y - 1
    best = (torch.sort(gain, descending=True)[0] / d).sum()
    gain = gain / best if best > 0 else 0 * gain
    weight = (1 / d[:, None] - 1 / d[None]).abs() * (gain[:, None] - gain[None]).abs()
    terms = weight * torch.logaddexp(s[None] - s[:, None], torch.zeros(())) / np.log(2)
    return torch.where(y[:, None] > y[None], terms, torch.zeros(())).sum()


FORMULAS["lambda_rank"] = lambda x, f, i: grouped(x, lambda_loss, i[0])


@formula("listmle")
def listmle(x, f, i):
    """Minus the log-likelihood (Plackett-Luce) that the lowest score comes first, of the list in ascending order of
    rank; equal ranks keep their order."""
    s = -x[0][torch.argsort(x[1], stable=True)]
    return (torch.logcumsumexp(s.flip(0), 0).flip(0) - s).sum()
