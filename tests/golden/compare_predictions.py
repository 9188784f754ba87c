# SPDX-License-Identifier: MIT
"""Compares the C program's predictions with PyTorch's, computed in float64 from the same checkpoint.

    python compare_predictions.py CHECKPOINT NPZ CSV [--chunk N] [--tolerance 1e-4]

CHECKPOINT is a safetensors file, CSV has the header `config,score` and a row per configuration. A difference is
relative to the score itself, or to a thousandth of the largest score where the score is smaller than that.
"""
import argparse
import csv
import sys

import numpy as np

from tgraph_data import Checkpoint, predict


def read_scores(path):
    with open(path, newline="") as f:
        rows = list(csv.DictReader(f))
    if not rows or not {"config", "score"} <= set(rows[0]):
        sys.exit(f"{path}: needs a header `config,score` and at least one row")
    scores = np.full(max(int(r["config"]) for r in rows) + 1, np.nan)
    for r in rows:
        scores[int(r["config"])] = float(r["score"])
    if np.isnan(scores).any():
        sys.exit(f"{path}: no score of configuration {int(np.isnan(scores).argmax())}")
    return scores


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument("npz")
    parser.add_argument("csv")
    parser.add_argument("--chunk", type=int, help="configurations scored together; else what the checkpoint says")
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--limit", type=int, help="only the first LIMIT configurations")
    a = parser.parse_args()
    expected, found = predict(Checkpoint(a.checkpoint), a.npz, a.chunk, a.limit), read_scores(a.csv)[:a.limit]
    if expected.shape != found.shape:
        sys.exit(f"{a.csv}: {found.size} scores, but {a.npz} has {expected.size} configurations")
    floor = 1e-3 * np.abs(expected).max()
    error = np.abs(found - expected) / np.maximum(np.abs(expected), floor)
    worst = int(error.argmax())
    print(f"{found.size} scores, largest relative difference {error[worst]:.2e} at configuration {worst}: "
          f"{found[worst]:.9g} against {expected[worst]:.9g}")
    sys.exit(0 if error[worst] <= a.tolerance else 1)


if __name__ == "__main__":
    main()
