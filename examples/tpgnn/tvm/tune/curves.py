# SPDX-License-Identifier: MIT
"""From trials to curves and a table. Knows no TVM."""
import math

AT = (8, 16, 32, 64)


def best_so_far(trials, length):
    """Smallest run time after each trial, [length]; until the first that worked, the slowest of the run. None: all
    failed. A run that ended early, its space exhausted, stays at its best."""
    worked = [t for t in trials if t]
    if not worked:
        return None
    curve, best = [], max(worked)
    for t in range(length):
        if t < len(trials) and trials[t]:
            best = min(best, trials[t])
        curve.append(best)
    return curve


def geometric(values):
    return math.exp(sum(map(math.log, values)) / len(values))


class Curves:
    """runs: {(task, method, seed): trials}. Only tasks that all methods have, with the same seeds, count."""

    def __init__(self, runs, length):
        self.length, self.methods = length, list(dict.fromkeys(m for _, m, _ in runs))
        self.curve = {key: best_so_far(trials, length) for key, trials in runs.items()}
        pairs = list(dict.fromkeys((t, s) for t, _, s in runs))
        self.pairs = [(t, s) for t, s in pairs if all(self.curve.get((t, m, s)) for m in self.methods)]
        self.tasks = list(dict.fromkeys(t for t, _ in self.pairs))
        self.best = {t: min(self.curve[t, m, s][-1] for u, s in self.pairs if u == t for m in self.methods)
                     for t in self.tasks}

    def relative(self, method, trial):
        """Best run time after so many trials over the best that anything found: geometric mean over seeds and tasks."""
        means = [geometric([self.curve[t, method, s][trial - 1] / self.best[t] for u, s in self.pairs if u == t])
                 for t in self.tasks]
        return geometric(means)

    def seeds(self, task):
        return [s for t, s in self.pairs if t == task]


def table(curves, titles):
    """Markdown: microseconds per task, then means at several trials."""
    if not curves.tasks:
        return "No task has a run of every method yet.\n"
    heads = [titles[m] for m in curves.methods]
    lines = [f"Best run time in us after {curves.length} trials, the geometric mean over seeds.", "",
             "| task | seeds | " + " | ".join(heads) + " |", "|---|---" + "|---" * len(heads) + "|"]
    for task in curves.tasks:
        cells = [f"{geometric([curves.curve[task, m, s][-1] for s in curves.seeds(task)]) / 1e3:.2f}"
                 for m in curves.methods]
        lines.append(f"| {task} | {len(curves.seeds(task))} | " + " | ".join(cells) + " |")
    lines += ["", "Relative to the best that any method found, the geometric mean over tasks (1 is the best).", "",
              "| after trials | " + " | ".join(heads) + " |", "|---" + "|---" * len(heads) + "|"]
    for trial in sorted({*(t for t in AT if t < curves.length), curves.length}):
        lines.append(f"| {trial} | " + " | ".join(f"{curves.relative(m, trial):.3f}" for m in curves.methods) + " |")
    return "\n".join(lines) + "\n"
