#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the trees of lists of schedules as graphs in one npz, as PyG and ag_samples lay them out: see
docs/formats/tpgnn.md. examples/small/tpgnn.c learns from examples/data/schedules-sums.npz.

    python graphs.py --out graphs.npz --vectors vectors.npz TRAIN.txt TEST.txt
"""
import argparse
import pathlib

import numpy as np

import columns


def parents(children):
    """Of the nodes 1, 2, ... of a tree in pre-order: each is the next child of the last that waits for one."""
    waiting, parent = [0] * int(children[0]), []
    for node, count in enumerate(children[1:], 1):
        parent.append(waiting.pop())
        waiting += [node] * int(count)
    return parent


def read(path, classes):
    """The arrays of one workload."""
    with np.load(path) as file:
        kinds, value, time = columns.lines(file["kinds"]), file["node_value"], file["schedule_runtime"]
        kind, children, ends = file["node_kind"], file["node_children"], file["node_offset"]
    word = np.array([line.split(" ") for line in kinds])
    number = np.array([classes.index(name.split(".")[0]) for name in word[:, 0]])
    constant, vectorised = np.isin(word[:, 0], ["IntImm", "FloatImm"]), word[:, 1] == "vectorized"
    bits = np.log2(np.maximum(value, 1), dtype=float)  # in float32 they would depend on the processor
    extents = np.where(vectorised[kind], bits, 0)
    trees = [parents(children[a:b]) for a, b in zip(ends, ends[1:])]
    return {
        "class": number[kind],
        "value": np.stack([np.where(constant[kind], value, 0), word[kind, 4] == "1"], 1).astype(np.float32),
        "source": np.concatenate(trees),
        "target": np.concatenate([np.arange(1, len(tree) + 1) for tree in trees]),
        "nodes": np.diff(ends),
        "edges": np.diff(ends) - 1,
        "time": time,
        "speed": (time.min() / time).astype(np.float32),
        "vectorised": np.add.reduceat(extents, ends[:-1]).astype(np.float32),
    }


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("lists", nargs="+", metavar="LIST.txt", type=pathlib.Path,
                        help="files of schedules, a line each")
    parser.add_argument("--vectors", required=True, metavar="FILE.npz", help="what vectors.py has written")
    parser.add_argument("--out", required=True, metavar="FILE.npz", help="the file for the graphs")
    options = parser.parse_args(arguments)
    with np.load(options.vectors) as file:
        classes, vectors = columns.lines(file["classes"]), file["vectors"]
    lists = [[path.parent / line for line in path.read_text().split()] for path in options.lists]
    parts = [read(path, classes) for paths in lists for path in paths]
    arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    counts = [len(part["time"]) for part in parts]
    arrays["workload"] = np.repeat(np.arange(len(parts)), counts)
    for name in ("class", "source", "target", "nodes", "edges", "workload"):
        arrays[name] = columns.small(arrays[name])
    workloads = np.array([len(paths) for paths in lists])
    np.savez_compressed(options.out, vectors=vectors, first=columns.offsets(counts), workloads=workloads, **arrays)
    print(f"{options.out}: {len(arrays['time']):,} graphs of {len(parts)} workloads, {len(arrays['class']):,} nodes.")


if __name__ == "__main__":
    main()
