# SPDX-License-Identifier: MIT
"""From trials to curves, a table and a picture. Knows no TVM."""
import math

COLOURS = {"random": "#888888", "xgboost": "#d95f02", "offline": "#1b9e77", "online": "#3366cc"}
AT = (8, 16, 32, 64)
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 420, 64, 16, 24, 48


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

    def relative(self, method, trial, task=None):
        """Best run time after so many trials over the best that anything found: geometric mean over seeds and tasks."""
        means = [geometric([self.curve[t, method, s][trial - 1] / self.best[t] for u, s in self.pairs if u == t])
                 for t in self.tasks if task in (None, t)]
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


def picture(curves, titles):
    """SVG of the mean relative run time against trials."""
    lines = {m: [curves.relative(m, t) for t in range(1, curves.length + 1)] for m in curves.methods}
    top = max(1.05, min(4, max(max(line) for line in lines.values())))

    def x(trial):
        return LEFT + (WIDTH - LEFT - RIGHT) * (trial - 1) / max(1, curves.length - 1)

    def y(value):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (min(value, top) - 1) / (top - 1)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
           f'font-size="13"><rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for i in range(6):
        value = 1 + (top - 1) * i / 5
        out.append(f'<path d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/><text x="{LEFT - 6}" '
                   f'y="{y(value) + 4:.1f}" text-anchor="end">{value:.2f}</text>')
    for trial in sorted({1, *range(8, curves.length + 1, 8)}):
        out.append(f'<text x="{x(trial):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{trial}</text>')
    legend = WIDTH - max(220, 50 + 7 * max(len(titles[m]) for m in curves.methods))
    for i, method in enumerate(curves.methods):
        points = " ".join(f"{x(t):.1f},{y(v):.1f}" for t, v in enumerate(lines[method], 1))
        out.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[method]}" stroke-width="2"/>'
                   f'<path d="M{legend} {TOP + 14 + 20 * i}h28" stroke="{COLOURS[method]}" stroke-width="2"/>'
                   f'<text x="{legend + 34}" y="{TOP + 18 + 20 * i}">{titles[method]}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    out.append(f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">measured schedules of each task</text>'
               f'<text x="16" y="{HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 16 {HEIGHT / 2})">'
               f"best run time / best of all</text></svg>\n")
    return "".join(out)
