# SPDX-License-Identifier: MIT
"""Files of schedules and checkpoints for the PyTorch form of TPGNN; formats: docs/formats/tpgnn.md."""
import dataclasses
import json

import numpy as np
import torch

import checkpoint

FIELDS = ("type", "class", "loop", "dtype", "scope")
DECLARES = {"Param", "AllocBuffer", "DeclBuffer", "For", "Bind", "Let"}
BUFFERS = {"Param", "AllocBuffer", "DeclBuffer"}


@dataclasses.dataclass
class Tree:
    """One schedule. words: per node the words of FIELDS; refers: the node that declares what it names, or -1."""
    words: list
    named: np.ndarray
    value: np.ndarray
    parent: list
    position: list
    depth: list
    refers: list

    def __len__(self):
        return len(self.words)

    def column(self, field):
        return [w[FIELDS.index(field)] for w in self.words]


def shape_of(children):
    """parent, place among its children and depth of each node; nodes are in pre-order."""
    parent, position, depth, open_nodes = [], [], [], []
    for v, count in enumerate(children):
        while open_nodes and not open_nodes[-1][1]:
            open_nodes.pop()
        up = open_nodes[-1] if open_nodes else None
        parent.append(up[0] if up else -1)
        position.append(up[2] if up else 0)
        depth.append(len(open_nodes))
        if up:
            up[1] -= 1
            up[2] += 1
        open_nodes.append([v, int(count), 0])
    return parent, position, depth


def load(path):
    """The schedules of a file, in its order."""
    z = np.load(path)
    lines = [line.split(" ") for line in z["kinds"].tobytes().decode("ascii").split("\n")]
    kinds = [((t, t.split(".")[0], loop, dtype, scope), int(named)) for t, loop, dtype, scope, named in lines]
    trees = []
    for a, b in zip(z["node_offset"], z["node_offset"][1:]):
        of = [kinds[k] for k in z["node_kind"][a:b]]
        declared = [v for v, (words, _) in enumerate(of) if words[1] in DECLARES]
        refers = [declared[r - 1] if r else -1 for r in z["node_refers"][a:b]]
        trees.append(Tree([w for w, _ in of], np.array([n for _, n in of], np.float64),
                          z["node_value"][a:b].astype(np.float64), *shape_of(z["node_children"][a:b]), refers))
    return trees


def says_sizes(tree):
    """Nodes that --compact leaves out: sizes of buffers, indices, minima and extents, values of attributes, and all
    below them."""
    cls, last = tree.column("class"), {p: v for v, p in enumerate(tree.parent)}
    out = []
    for v, up in enumerate(tree.parent):
        c = cls[up] if up >= 0 else ""
        out.append(up >= 0 and (out[up] or c in BUFFERS or c == "BufferLoad" or c == "BufferStore" and
                                tree.position[v] > 0 or c in ("For", "AttrStmt") and last[up] != v))
    return out


def graph(tree, which, compact):
    """Nodes that stay, and edges [2, m] between their new numbers: from parents to children, from users to what they
    name. A node that was left out lends its edges to the nearest one above it that stays."""
    left = says_sizes(tree) if compact else [False] * len(tree)
    keeper = []
    for v, up in enumerate(tree.parent):
        keeper.append(keeper[up] if left[v] else v)
    edges = [(up, v) for v, up in enumerate(tree.parent) if up >= 0] if which in ("tree", "both") else []
    edges += [(v, r) for v, r in enumerate(tree.refers) if r >= 0] if which in ("names", "both") else []
    kept = [v for v in range(len(tree)) if not left[v]]
    number = {v: i for i, v in enumerate(kept)}
    edges = [(number[keeper[u]], number[keeper[v]]) for u, v in edges if keeper[u] != keeper[v]]
    return kept, torch.tensor(edges, dtype=torch.long).reshape(-1, 2).t()


class Checkpoint(checkpoint.Checkpoint):
    """Of tpgnn, with the vocabulary."""
    def __init__(self, path):
        super().__init__(path)
        self.o = self.configuration
        words = json.loads(self.metadata["vocabulary"])
        self.words = {field: {w: i for i, w in enumerate(words[field])} for field in FIELDS}

    def index(self, tree, field, kept):
        """Rows of the vocabulary; a word that is not there is word 0."""
        column = tree.column(field)
        return torch.tensor([self.words[field].get(column[v], 0) for v in kept], dtype=torch.long)
