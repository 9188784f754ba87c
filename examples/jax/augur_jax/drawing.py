# SPDX-License-Identifier: MIT
"""Layout configurations of a program, as TpuGraphs writes them: 18 numbers for each convolution, dot and reshape, six
each for the result and two operands, minor to major; -1 after them, and where XLA chooses itself."""
from collections.abc import Iterator, Sequence

import numpy as np

from .hlo import Instruction, Layouts

AXES, TENSORS, TRIES = 6, 3, 300
Config = np.ndarray  # [nodes, 18] int8


def tensors(one: Instruction, by_name: dict[tuple[str, str], Instruction]) -> list[tuple[int, ...]]:
    """The shapes of its result and operands, as far as a configuration has room for them."""
    operands = [by_name[one.computation, name].dims for name in one.operands[:1 if one.opcode == "reshape" else 2]]
    return [one.dims, *operands]


class Drawing:
    """nodes: the configurable ones, in their order. drawn: configurations of TpuGraphs' own drawing [c, nodes, 18]."""

    def __init__(self, nodes: Sequence[Instruction], of: Sequence[Instruction], drawn: np.ndarray,
                 rng: np.random.Generator):
        by_name = {(one.computation, one.name): one for one in of}
        self.nodes, self.rng = nodes, rng
        self.shapes = [tensors(one, by_name) for one in nodes]
        self.free = [(n, t) for n, shapes in enumerate(self.shapes) for t, dims in enumerate(shapes)
                     if 2 <= len(dims) <= AXES]
        given = self.default()
        for node, tensor in self.free:
            given[node, AXES * tensor:AXES * (tensor + 1)] = 1
        drawn = np.where(given == 1, drawn, -1)  # a file has only what XLA is given
        self.drawn = iter(rng.permutation(drawn.astype(np.int8)))

    def default(self) -> Config:
        """XLA's own choice."""
        return np.full((len(self.nodes), TENSORS * AXES), -1, np.int8)

    def give(self, config: Config, node: int, tensor: int) -> None:
        """Any order of the two most minor axes; of a reshape, of all."""
        rank = len(self.shapes[node][tensor])
        order = self.rng.permutation(rank)[:rank if self.nodes[node].opcode == "reshape" else 2]
        config[node, AXES * tensor:AXES * tensor + len(order)] = order

    def one_change(self) -> Config:
        """One tensor of one node, not row-major, which it mostly is if nothing is given."""
        config, (node, tensor) = self.default(), self.free[self.rng.integers(len(self.free))]
        row_major = np.arange(len(self.shapes[node][tensor]))[::-1]
        while True:
            self.give(config, node, tensor)
            given = config[node, AXES * tensor:][:len(row_major)]
            if not np.array_equal(given[given >= 0], row_major[:(given >= 0).sum()]):
                return config

    def few_changes(self) -> Config:
        """One to three nodes, each tensor of theirs as likely as not, and one at least."""
        config, least = self.default(), self.free[self.rng.integers(len(self.free))]
        nodes = {least[0], *self.rng.integers(len(self.nodes), size=self.rng.integers(0, 3)).tolist()}
        for place in self.free:
            if place == least or (place[0] in nodes and self.rng.random() < 0.5):
                self.give(config, *place)
        return config

    def all(self) -> Iterator[Config]:
        """In turns one change, few, and TpuGraphs' own while there are any. No two are alike; ends when nothing new is
        found for long."""
        seen, tries = {self.default().tobytes()}, 0
        while self.free and tries < TRIES:
            for config in (self.one_change(), self.few_changes(), next(self.drawn, self.few_changes())):
                tries += 1
                if config.tobytes() not in seen:
                    seen.add(config.tobytes())
                    tries = 0
                    yield config

    def layouts(self, config: Config) -> dict[int, Layouts]:
        """By place in nodes: what is given, completed by the other axes as in row-major order."""
        found: dict[int, list[list[int] | None]] = {}
        for node, tensor in self.free:
            given = [int(axis) for axis in config[node, AXES * tensor:AXES * tensor + AXES] if axis >= 0]
            if given:
                rest = [axis for axis in reversed(range(len(self.shapes[node][tensor]))) if axis not in given]
                found.setdefault(node, [None] * TENSORS)[tensor] = given + rest
        return found
