# SPDX-License-Identifier: MIT
"""Compares what `tpgnn predict --csv` wrote with PyTorch's scores, computed in float64 from the same checkpoint.

    python compare_tpgnn.py CHECKPOINT NPZ CSV [--tolerance 1e-4] [--parameters N]

CHECKPOINT is a safetensors file of `tpgnn train`, with `--network paper` or with `--no-nest`; NPZ a file of schedules, CSV
what predict says of this file (and maybe of others). A difference is relative as in compare_predictions.py. Poolings cut
between scores: a schedule where two of them are so close that float32 may choose otherwise is counted, not compared.
--parameters: how many the checkpoint must have.
"""
import argparse
import csv
import math
import statistics
import sys
from pathlib import Path

from compare_predictions import relative_errors
from tpgnn_data import Checkpoint, load
from tpgnn_model import CLOSE, predict


def read_scores(path, name):
    """Those of one file, by the place that the rows give them."""
    with open(path, newline="") as f:
        rows = list(csv.DictReader(f))
    if not rows or not {"group", "item", "score"} <= set(rows[0]):
        sys.exit(f"{path}: needs a header `group,item,score` and at least one row")
    scores = {int(r["item"]): float(r["score"]) for r in rows if r["group"] == name}
    if sorted(scores) != list(range(len(scores))):
        sys.exit(f"{path}: the rows of {name} are not numbered from 0 on")
    return [scores[i] for i in range(len(scores))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument("npz")
    parser.add_argument("csv")
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--parameters", type=int)
    a = parser.parse_args()
    checkpoint = Checkpoint(a.checkpoint)
    count = sum(t.numel() for t in checkpoint.own.values())
    if a.parameters and a.parameters != count:
        sys.exit(f"{a.checkpoint}: {count} parameters, not {a.parameters}")
    speed, cuts = predict(checkpoint, load(a.npz))
    expected = [-s for s in speed]  # a small score is fast
    found = read_scores(a.csv, Path(a.npz).stem)
    if len(expected) != len(found):
        sys.exit(f"{a.csv}: {len(found)} scores of {a.npz}, but it has {len(expected)}")
    if not all(map(math.isfinite, expected)):
        sys.exit(f"{a.checkpoint}: PyTorch's scores are not all finite")
    error = relative_errors(found, expected)
    clear = [i for i in range(len(error)) if cuts[i] > CLOSE]
    if not clear:
        sys.exit(f"{a.npz}: all of the {len(error)} schedules have close scores at a cut")
    worst = max(clear, key=error.__getitem__)
    print(f"{len(clear)} of {len(found)} scores, largest relative difference {error[worst]:.2e} at {worst}: "
          f"{found[worst]:.9g} against {expected[worst]:.9g}; standard deviation {statistics.pstdev(expected):.3g}; "
          f"{count} parameters")
    sys.exit(0 if error[worst] <= a.tolerance else 1)


if __name__ == "__main__":
    main()
