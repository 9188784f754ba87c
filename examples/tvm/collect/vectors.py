#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a vector of 18 numbers for each class of node (`For`, `BufferLoad`), for tpgnn train --vectors: FastText's, on
random walks through the trees of schedules, as in the paper. See docs/formats/tpgnn.md.

    pip install gensim==4.4.0
    python vectors.py --out vectors.npz FILE.npz...
"""
import argparse
import sys

import numpy as np

import columns
import graphs

SIZE, WALKS, STEPS = 18, 3, 50  # numbers of a vector; walks from each node; steps of a walk


def tree_of(path):
    """(class of each node, its parent or -1) of the schedule of a file that has the most classes."""
    with np.load(path) as file:
        classes = np.array([line.split(" ")[0].split(".")[0] for line in columns.lines(file["kinds"])])
        ends, kind, children = file["node_offset"], file["node_kind"], file["node_children"]
    trees = [(classes[kind[a:b]], children[a:b]) for a, b in zip(ends, ends[1:])]
    words, counts = max(trees, key=lambda tree: len(set(tree[0])))
    return words, np.array([-1, *graphs.parents(counts)])


def walks(words, parent, generator):
    """[WALKS x nodes, STEPS + 1] words: a step goes to the parent or to a child, drawn evenly."""
    near = [[up] if up >= 0 else [] for up in parent]
    for node, up in enumerate(parent[1:], 1):
        near[up].append(node)
    degree = np.array([len(each) for each in near])
    table = np.array([each + [0] * (degree.max() - len(each)) for each in near]).reshape(len(near), -1)
    path = [np.repeat(np.arange(len(words)), WALKS)]
    for _ in range(STEPS if len(words) > 1 else 0):
        at = path[-1]
        path.append(table[at, (generator.random(len(at)) * degree[at]).astype(int)])
    return words[np.stack(path, 1)].tolist()


def train(sentences, seed):
    """(classes in the order of the alphabet, [classes, SIZE]). One thread: the same seed gives the same numbers."""
    from gensim.models import FastText

    model = FastText(sentences, vector_size=SIZE, sg=1, min_count=1, workers=1, seed=seed).wv
    classes = sorted(model.index_to_key)
    return classes, np.array([model[name] for name in classes], np.float32)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("files", nargs="+", metavar="FILE.npz", help="schedules, of which no run time is read")
    parser.add_argument("--out", required=True, metavar="FILE.npz", help="the file for tpgnn train --vectors")
    parser.add_argument("--seed", type=int, default=0, help="of walks and vectors (0)")
    options = parser.parse_args(arguments)
    generator, sentences = np.random.default_rng(options.seed), []
    for path in options.files:
        try:
            sentences += walks(*tree_of(path), generator)
        except (OSError, KeyError, ValueError, IndexError) as reason:
            sys.exit(f"vectors: {path} is not a file of measured schedules ({reason}); name those that collect.py wrote")
    try:
        classes, vectors = train(sentences, options.seed)
    except ImportError as reason:
        sys.exit(f"vectors: gensim cannot be loaded ({reason}); install it: pip install gensim==4.4.0")
    np.savez(options.out, classes=columns.text(classes), vectors=vectors)
    print(f"{options.out}: {len(classes)} classes, from {len(sentences):,} walks through {len(options.files):,} trees.")


if __name__ == "__main__":
    main()
