# SPDX-License-Identifier: MIT
"""From trials to curves and a table. Knows no TVM."""
from itertools import accumulate
from statistics import geometric_mean

AT = (8, 16, 32, 64)


def best_so_far(trials, length):
    """Smallest run time after each trial, [length]; until the first that worked, the slowest of the run. None: all
    failed. A run that ended early, its space exhausted, stays at its best."""
    slowest = max((t for t in trials if t), default=None)
    padded = [t or slowest for t in trials[:length]] + [slowest] * (length - len(trials))
    return slowest and list(accumulate(padded, min))


class Curves:
    """runs: {(task, method, seed): trials}. Only tasks that all methods have, with the same seeds, count."""

    def __init__(self, runs, length):
        self.length, self.methods = length, list(dict.fromkeys(m for _, m, _ in runs))
        self.curve = {key: best_so_far(trials, length) for key, trials in runs.items()}
        self.seeds = {}
        for t, s in dict.fromkeys((t, s) for t, _, s in runs):
            if all(self.curve.get((t, m, s)) for m in self.methods):
                self.seeds.setdefault(t, []).append(s)
        self.best = {t: min(self.curve[t, m, s][-1] for s in seeds for m in self.methods)
                     for t, seeds in self.seeds.items()}

    def mean(self, task, method, trial):
        """Best run time after so many trials: the geometric mean over seeds."""
        return geometric_mean([self.curve[task, method, s][trial - 1] for s in self.seeds[task]])

    def relative(self, method, trial):
        """The same over the best that anything found: the geometric mean over tasks."""
        return geometric_mean([self.mean(t, method, trial) / self.best[t] for t in self.seeds])


def table(curves, titles):
    """Markdown: microseconds per task, then means at several trials."""
    if not curves.seeds:
        return "No task has a run of every method yet.\n"
    heads = " | ".join(titles[m] for m in curves.methods)
    rule = "|---" * len(curves.methods) + "|"
    lines = [f"Best run time in us after {curves.length} trials, the geometric mean over seeds.", "",
             f"| task | seeds | {heads} |", "|---|---" + rule]
    for task, seeds in curves.seeds.items():
        cells = " | ".join(f"{curves.mean(task, m, curves.length) / 1e3:.2f}" for m in curves.methods)
        lines.append(f"| {task} | {len(seeds)} | {cells} |")
    lines += ["", "Relative to the best that any method found, the geometric mean over tasks (1 is the best).", "",
              f"| after trials | {heads} |", "|---" + rule]
    for trial in sorted({*(t for t in AT if t < curves.length), curves.length}):
        lines.append(f"| {trial} | " + " | ".join(f"{curves.relative(m, trial):.3f}" for m in curves.methods) + " |")
    return "\n".join(lines) + "\n"
