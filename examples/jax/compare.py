# SPDX-License-Identifier: MIT
"""How well models choose among the ways to write ops that they have not seen: python compare.py --help."""
import argparse
import os
import subprocess
import tempfile
from collections.abc import Callable

import numpy as np

from augur_jax.learned import Learned
from augur_jax.rows import CHOICES, KINDS

FOLDS, LEAST, NOISE = 5, 0.01, 0.02  # parts; gain for which XLA's own way is left; difference of times that counts
HOW = "--spread no --order 1 --hidden 32 --trees 200 --bags 2 --steps 2000".split()
ONE_ROW = ("row_feature", "row_work", "row_count", "config_runtime")
Rows = dict[str, np.ndarray]
Fit = Callable[[Rows, int], Callable[[Rows], np.ndarray]]  # rows and a seed; ln(time) of rows, to compare in an op


def part(data: Rows, ops: np.ndarray) -> Rows:
    """The rows of these ops, numbered from 0."""
    chosen = {name: data[name][np.isin(data["row_group"], ops)] for name in (*ONE_ROW, "row_group")}
    chosen["row_group"] = np.unique(chosen["row_group"], return_inverse=True)[1]
    return {**chosen, "row_offset": np.arange(len(chosen["row_work"]) + 1)}


def ratios(data: Rows) -> np.ndarray:
    """ln(time / that of the op as it is), which is the first row of its group."""
    first = np.flatnonzero(np.diff(data["row_group"], prepend=-1))
    return np.log(data["config_runtime"] / data["config_runtime"][first][data["row_group"]])


def nests(program: str) -> Fit:
    def fit(data: Rows, seed: int) -> Callable[[Rows], np.ndarray]:
        with tempfile.TemporaryDirectory() as folder:
            np.savez(os.path.join(folder, "ops.npz"), **data)  # type: ignore[arg-type]
            run = os.path.join(folder, "run")
            subprocess.run([program, "train", "--data", folder, "--out", run, "--seed", str(seed), "--quiet", *HOW],
                           check=True, stdout=subprocess.DEVNULL)
            model = Learned(run)
        return lambda other: model.scores(other["row_feature"], other["row_work"])
    return fit


def mean(data: Rows, seed: int) -> Callable[[Rows], np.ndarray]:
    """Each choice has the same effect everywhere."""
    def code(rows: Rows) -> np.ndarray:
        x = rows["row_feature"]
        return x[:, :len(KINDS)].argmax(1) * len(CHOICES) + x[:, len(KINDS):len(KINDS) + len(CHOICES)].argmax(1)
    many = len(KINDS) * len(CHOICES)
    effect = np.bincount(code(data), ratios(data), many) / np.maximum(np.bincount(code(data), minlength=many), 1)
    return lambda other: effect[code(other)]


def xgboost(data: Rows, seed: int) -> Callable[[Rows], np.ndarray]:
    import xgboost as xgb

    how = {"max_depth": 5, "eta": 0.05, "subsample": 0.8, "colsample_bytree": 0.6, "nthread": 1, "seed": seed}
    model = xgb.train(how, xgb.DMatrix(data["row_feature"], ratios(data)), 400)
    return lambda other: np.asarray(model.predict(xgb.DMatrix(other["row_feature"])))


def judge(data: Rows, scores: np.ndarray) -> list[float]:
    """Geometric means of the chosen way's time and of the best one's, share of ops that are 5 % slower; tau."""
    chosen, best, tau = [], [], []
    cuts = np.flatnonzero(np.diff(data["row_group"])) + 1
    for y, s in zip(np.split(ratios(data), cuts), np.split(scores, cuts)):
        chosen.append(y[s.argmin()] if s.min() < s[0] - LEAST else 0.0)
        best.append(y.min())
        i, j = np.triu_indices(len(y), 1)
        apart = np.abs(y[i] - y[j]) > NOISE
        if apart.any():
            tau.append(float(np.mean((np.sign(y[i] - y[j]) * np.sign(s[i] - s[j]))[apart])))
    slower = np.mean(np.array(chosen) > 0.05)
    return [float(x) for x in (np.exp(np.mean(chosen)), np.exp(np.mean(best)), slower, np.mean(tau))]


def main() -> None:
    p = argparse.ArgumentParser(description="Holds out a fifth of the ops at a time, and prints what models choose.")
    p.add_argument("--data", default="ops.npz", metavar="FILE", help="rows of augur-jax ops (ops.npz)")
    p.add_argument("--nests", default="nests", metavar="PROGRAM", help="the program (nests)")
    p.add_argument("--seeds", type=int, default=3, metavar="N", help="of each model (3)")
    given = p.parse_args()
    with np.load(given.data) as file:
        data = {name: file[name] for name in (*ONE_ROW, "row_group")}
    many = int(data["row_group"][-1]) + 1
    fold = np.random.default_rng(0).permutation(many) % FOLDS
    print(f"{many} ops, {len(data['row_work'])} rows\n{'':8} seed  chosen  best possible  worse by 5 %  tau")
    for name, fit in {"mean": mean, "xgboost": xgboost, "nests": nests(given.nests)}.items():
        for seed in range(given.seeds if fit is not mean else 1):
            scores = np.zeros(len(data["row_work"]))
            for k in range(FOLDS):
                rest, held = (np.flatnonzero((fold == k) == out) for out in (False, True))
                scores[np.isin(data["row_group"], held)] = fit(part(data, rest), seed)(part(data, held))
            chosen, best, worse, tau = judge(data, scores)
            print(f"{name:8} {seed:4}  {chosen:6.3f}  {best:13.3f}  {100 * worse:10.1f} %  {tau:.3f}", flush=True)


if __name__ == "__main__":
    main()
