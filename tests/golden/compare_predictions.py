# SPDX-License-Identifier: MIT
"""Compares the C program's predictions with PyTorch's, computed in float64 from the same checkpoint.

    python compare_predictions.py CHECKPOINT NPZ CSV [--chunk N] [--tolerance 1e-4] [--parameters N]
    python compare_predictions.py --check

CHECKPOINT is a safetensors file of `tgraph`, `tpu` or `tpgnn train` (its metadata says of which), CSV has what predict
says of NPZ (and maybe of other files). Run times that the TPU model predicts are compared as ns. TPGNN's poolings cut
between scores: a schedule where two of them are so close that float32 may choose otherwise is counted, not compared.

A difference is relative to the score or, where the score is nearer to 0 than that, to a hundredth of the standard
deviation of all scores of the file. A score is a sum of many terms of both signs plus a bias: its rounding error is
that of the terms, however near to 0 the sum comes, and where 0 lies means nothing to an order. So close to 0 the scale
is how far the scores are apart, which is what an order hangs on: 1e-4 of a hundredth of that is a millionth of the
spread. --check tries the rule on small examples (it needs nothing but Python).
"""
import argparse
import csv
import json
import math
import statistics
import sys
from pathlib import Path

FLOOR = 1e-2  # of the standard deviation of the expected scores


def relative_errors(found, expected):
    """|found - expected| / max(|expected|, FLOOR * standard deviation of expected); not a number: infinite."""
    floor = max(FLOOR * statistics.pstdev(expected), sys.float_info.min)
    errors = [abs(f - e) / max(abs(e), floor) for f, e in zip(found, expected)]
    return [math.inf if math.isnan(error) else error for error in errors]


def check():
    """Exits with 1 where the rule is not the one above."""
    scores = [-1.0, 1.0, 0.0, 0.0]  # standard deviation sqrt(1/2)
    floor = FLOOR * math.sqrt(0.5)
    near = lambda a, b: abs(a - b) <= 1e-9 * abs(b)
    of = relative_errors
    tried = {
        "a large score is its own scale": near(of([-1.25, 1.0, 0.0, 0.0], scores)[0], 0.25),
        "the floor is the scale of a small one": near(of([-1.0, 1.0, 0.001, 0.0], scores)[2], 0.001 / floor),
        "a sum of terms that cancel may round": of([-1.0, 1.0, 6e-7, 0.0], scores)[2] < 1e-4,
        "but not a hundred times that": of([-1.0, 1.0, 6e-5, 0.0], scores)[2] > 1e-4,
        "the floor is of the spread, not of the largest": near(of([6.0, 6.0, 6.0, 1e-3], [6.0, 6.0, 6.0, 0.0])[3],
                                                              1e-3 / (FLOOR * 6 * math.sqrt(3) / 4)),
        "equal scores do not differ": of(scores, scores) == [0.0] * 4,
        "one score has no spread": of([2.0], [1.0]) == [1.0] and of([1e-9], [0.0])[0] > 1,
        "not a number is not a match": of([math.nan, 1.0, 0.0, 0.0], scores) == [math.inf, 0.0, 0.0, 0.0],
    }
    wrong = [what for what, right in tried.items() if not right]
    for what in wrong:
        print(f"compare_predictions: it does not hold that {what}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


def read_scores(path, name):
    """The scores of one file, by the place that the rows give them."""
    with open(path, newline="") as f:
        rows = list(csv.DictReader(f))
    if not rows or not {"group", "item", "score"} <= set(rows[0]):
        sys.exit(f"{path}: needs a header `group,item,score` and at least one row")
    scores = {int(r["item"]): float(r["score"]) for r in rows if r["group"] in (name, Path(name).stem)}
    if sorted(scores) != list(range(len(scores))) or any(map(math.isnan, scores.values())):
        sys.exit(f"{path}: the rows of {name} are not numbered from 0 on, or one has no score")
    return [scores[i] for i in range(len(scores))]


def expected_scores(a):
    """PyTorch's scores, which of them float32 can tell, and the checkpoint."""
    from safetensors import safe_open
    with safe_open(a.checkpoint, framework="pt") as f:
        said = f.metadata() or {}
    if "vocabulary" in said:
        from tpgnn_data import Checkpoint, load
        from tpgnn_model import CLOSE, predict
        checkpoint = Checkpoint(a.checkpoint)
        speed, cuts = predict(checkpoint, load(a.npz))
        return [-s for s in speed], [cut > CLOSE for cut in cuts], checkpoint  # a small score is fast
    if "task" in json.loads(said.get("data", "{}")):
        from tpu_data import Checkpoint, predict
        checkpoint = Checkpoint(a.checkpoint)
        scores = predict(checkpoint, a.npz)
        scores = [math.exp(s) for s in scores] if checkpoint.task == "fusion" else scores
    else:
        from tgraph_data import Checkpoint, predict
        checkpoint = Checkpoint(a.checkpoint)
        scores = predict(checkpoint, a.npz, a.chunk, a.limit).tolist()
    return scores, [True] * len(scores), checkpoint


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="try the rule on small examples")
    parser.add_argument("checkpoint")
    parser.add_argument("npz")
    parser.add_argument("csv")
    parser.add_argument("--chunk", type=int, help="configurations scored together; else what the checkpoint says")
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--limit", type=int, help="only the first LIMIT configurations of a layout file")
    parser.add_argument("--parameters", type=int, help="how many the checkpoint must have")
    if sys.argv[1:] == ["--check"]:
        check()
    a = parser.parse_args()
    expected, clear, checkpoint = expected_scores(a)
    count = sum(t.numel() for t in checkpoint.own.values())
    if a.parameters and a.parameters != count:
        sys.exit(f"{a.checkpoint}: {count} parameters, not {a.parameters}")
    found = read_scores(a.csv, Path(a.npz).name)[:a.limit]
    if len(expected) != len(found):
        sys.exit(f"{a.csv}: {len(found)} scores, but {a.npz} has {len(expected)}")
    if not all(map(math.isfinite, expected)):
        sys.exit(f"{a.checkpoint}: PyTorch's scores are not all finite")
    if not any(clear):
        sys.exit(f"{a.npz}: all of the {len(clear)} schedules have close scores at a cut")
    error = relative_errors(found, expected)
    worst = max((i for i in range(len(error)) if clear[i]), key=error.__getitem__)
    print(f"{sum(clear)} of {len(found)} scores, largest relative difference {error[worst]:.2e} at {worst}: "
          f"{found[worst]:.9g} against {expected[worst]:.9g}; standard deviation {statistics.pstdev(expected):.3g}; "
          f"{count} parameters")
    sys.exit(0 if error[worst] <= a.tolerance else 1)


if __name__ == "__main__":
    main()
