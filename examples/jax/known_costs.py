# SPDX-License-Identifier: MIT
"""How well costs that need no model rank measured layouts: python known_costs.py LIST.txt, a list of files."""
import argparse
import os

import numpy as np

from augur_jax.layouts import COSTS, tau

METHODS = {"config_bytes_accessed": "bytes accessed, as XLA counts them", "config_bytes_copied": "bytes copied",
           "config_elements_across": "elements across their minor axis", "second": "second measurement"}


def judge(scores: np.ndarray, ns: np.ndarray) -> tuple[float, float, float]:
    """tau-b, opa and slowdown@1 of a file; of equal best scores, the mean over which one is taken."""
    a, b = (np.sign(x[:, None] - x[None]) for x in (scores, ns))
    return tau(scores, ns), float(((a * b) > 0).sum() / max((b != 0).sum(), 1)), \
        float(ns[scores == scores.min()].mean() / ns.min() - 1)


def scores_of(path: str) -> tuple[dict[str, np.ndarray], np.ndarray]:
    with np.load(path) as file:
        found = {name: file[name] for name in COSTS}
        if "config_passes" in file:
            found["second"] = file["config_passes"][:, 1]
        return found, file["config_runtime"]


def table(paths: list[str]) -> dict[str, np.ndarray]:
    """By method the means over the files that have it: tau-b, opa, slowdown@1."""
    rows: dict[str, list[tuple[float, float, float]]] = {}
    for path in paths:
        scores, ns = scores_of(path)
        for name, values in scores.items():
            rows.setdefault(name, []).append(judge(values, ns))
    return {name: np.mean(of, axis=0) for name, of in rows.items()}


def main() -> None:
    p = argparse.ArgumentParser(description="Ranks measured layouts by costs that need no model.")
    p.add_argument("list", metavar="LIST.txt", help="a list of files of augur-jax layouts, as lab split writes it")
    path = p.parse_args().list
    with open(path, encoding="utf-8") as file:
        paths = [os.path.join(os.path.dirname(path), line) for line in file.read().split()]
    print(f"{len(paths)} files\n{'':36}  tau-b    opa  slowdown@1")
    for name, (order, pairs, slower) in table(paths).items():
        print(f"{METHODS[name]:36} {order:6.3f} {pairs:6.3f}  {slower:10.4f}")


if __name__ == "__main__":
    main()
