# SPDX-License-Identifier: MIT
"""The four static performance features of a kernel, only from its features, op codes and edges."""
import numpy as np

ARITHMETIC = {1, 2, 15, 17, 20, 21, 40, 49, 52, 53, 54, 55, 57, 58, 59, 60, 65, 80, 83, 87, 88, 89, 90, 95, 118}
SPECIAL = {7, 30, 32, 37, 38, 50, 51, 66, 73, 81, 91, 94, 96, 103, 107, 120}
BYTES = [0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 2, 8, 16, 0, 0, 0]
CONVOLUTION, DOT, DYNAMIC_SLICE, FUSED, GATHER, PARAMETER, REDUCE, REDUCE_WINDOW, SLICE = 26, 34, 35, 41, 42, 63, 70, 72, 92


def leading(values):
    """Sizes in front of the first below 1."""
    short = np.flatnonzero(~(values >= 1))
    return [float(v) for v in values[:short[0] if short.size else len(values)]]


class Kernel:
    """opcode [n], feature [n, 140], edges [(u, v)], nodes in topological order."""
    def __init__(self, opcode, feature, edges):
        self.op, self.f = opcode, feature.astype(np.float64)
        self.operands = [[] for _ in opcode]
        for u, v in edges:
            self.operands[u].append(v)
        self.shape = [leading(row[21:27]) for row in self.f]
        self.elements = [self.count(v) for v in range(len(opcode))]
        self.find_root()

    def count(self, v):
        said, product = max(0.0, self.f[v, 28]), float(np.prod(self.shape[v]))
        return product if self.shape[v] and abs(product - said) <= 1e-6 * said else said

    def bytes(self, v):
        kind = np.flatnonzero(self.f[v, 2:21] > 0)
        return BYTES[kind[0]] * self.elements[v] if kind.size else 0

    def find_root(self):
        """Computations that are called have a root that a node consumes."""
        n, is_root = len(self.op), self.f[:, 0] > 0
        consumed = {v for operands in self.operands for v in operands}
        self.called = {v for v in consumed if is_root[v]}
        for u in reversed(range(n)):
            if u in self.called:
                self.called.update(self.operands[u])
        own = [u for u in range(n) if is_root[u] and u not in consumed]
        self.root = own[-1] if own else n - 1
        while self.op[self.root] == FUSED:
            inside = [v for v in self.operands[self.root] if is_root[v] and v in self.called]
            if not inside:
                return
            self.root = inside[-1]

    # ---- products per element

    def dot(self, u):
        operands = self.operands[u]
        if not operands:
            return 0
        first, second = operands[0], operands[min(1, len(operands) - 1)]
        out = self.shape[u]
        for left, right in ((first, second), (second, first)):
            inner = self.contract(out, self.shape[left], self.shape[right])
            if inner:
                return inner
        if self.elements[u] <= 0:
            return 0
        whole = self.elements[first] * self.elements[second] / self.elements[u]  # batch inner^2
        inner, batch = np.sqrt(whole), 1.0
        for a, b in zip(out, self.shape[first]):
            if abs(inner - np.round(inner)) < 1e-6 * inner or a != b:
                break
            batch *= a
            inner = np.sqrt(whole / batch)
        return inner

    @staticmethod
    def contract(out, left, right):
        batch = len(left) + len(right) - len(out) - 2
        if not 0 <= batch < min(len(left), len(right)):
            return 0
        for l in range(len(left) - 1, batch - 1, -1):
            for r in range(batch, len(right)):
                free = left[:l] + left[l + 1:], right[batch:r] + right[r + 1:]
                if left[l] == right[r] and right[:batch] == out[:batch] and free[0] + free[1] == out:
                    return left[l]
        return 0

    def convolution(self, u):
        row, rank, operands = self.f[u], len(self.shape[u]), self.operands[u]
        window = leading(row[37:43])
        window = window[:max(0, min(len(window), 4, rank - 2))]
        inner = float(np.prod(window))
        axis = lambda x: int(x) if 0 <= x < rank else -1
        n, groups = len(window), max(1.0, row[107])
        of_input = [axis(x) for x in row[93:95 + n]]
        of_kernel = [axis(x) for x in row[99:101 + n]]
        feature = axis(row[106])
        if not operands or min(of_input + of_kernel + [axis(row[105]), feature]) < 0:
            return inner
        first, second = operands[0], operands[min(1, len(operands) - 1)]
        for i, k in ((first, second), (second, first)):
            x, w = self.shape[i], self.shape[k]
            if len(x) == len(w) == rank and x[of_input[1]] == w[of_kernel[0]] * groups and \
                    w[of_kernel[1]] == self.shape[u][feature] and [w[a] for a in of_kernel[2:]] == window:
                return inner * w[of_kernel[0]]
        return inner

    # ---- the whole

    def read(self):
        part, whole = np.zeros(len(self.op)), set()
        for u, operands in enumerate(self.operands):
            for v in operands:
                if self.op[u] in (SLICE, DYNAMIC_SLICE, GATHER):
                    part[v] += self.bytes(u)
                else:
                    whole.add(v)
        return sum(self.bytes(v) if v in whole else min(self.bytes(v), part[v])
                   for v in range(len(self.op)) if self.op[v] == PARAMETER and v not in self.called)

    def static(self):
        """flops, bytes read, bytes written, special functions."""
        flops = special = 0.0
        for u, op in enumerate(self.op):
            n = self.elements[u]
            special += n * (op in SPECIAL)
            flops += n * (op in ARITHMETIC)
            if op == DOT:
                flops += 2 * n * self.dot(u)
            if op == CONVOLUTION:
                flops += 2 * n * self.convolution(u)
            if op == REDUCE and self.operands[u]:
                flops += max(0.0, max(self.elements[v] for v in self.operands[u]) - n)
            if op == REDUCE_WINDOW:
                flops += n * (np.prod(leading(self.f[u, 37:43])) - 1)
        tuple_of = self.operands[self.root] if self.f[self.root, 2 + 16] > 0 else [self.root]
        return np.array([flops, self.read(), sum(self.bytes(v) for v in tuple_of), special], np.float32)
