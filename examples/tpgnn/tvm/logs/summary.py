# SPDX-License-Identifier: MIT
"""The contents of logs, task by task: a task is the same format, task and target."""
import statistics

from records import ANSOR, ERRORS

SHOWN = 64  # characters of a task in the table
TITLES = ("log", "task", "records", "valid", "best us", "median us", "worst us", "failed")


class Task:
    def __init__(self, record):
        self.kind, self.task, self.target = record.kind, record.task, record.target
        self.records, self.failed, self.means, self.steps = 0, {}, [], {}

    def add(self, record):
        self.records += 1
        if record.error:
            self.failed[ERRORS[record.error]] = self.failed.get(ERRORS[record.error], 0) + 1
        else:
            self.means.append(record.mean())
        for step, count in record.steps.items():
            self.steps[step] = self.steps.get(step, 0) + count

    def times(self):
        """(best, median, worst) of the records' means, s; Nones where none is valid."""
        if not self.means:
            return None, None, None
        return min(self.means), statistics.median(self.means), max(self.means)

    def facts(self):
        best, median, worst = self.times()
        said = {"log": self.kind, "task": self.task, "target": self.target, "records": self.records,
                "valid": len(self.means), "failed": self.failed, "best_s": best, "median_s": median, "worst_s": worst}
        return {**said, "steps": self.steps} if self.kind == ANSOR else said

    def row(self):
        times = ["-" if t is None else f"{1e6 * t:.2f}" for t in self.times()]
        failed = ", ".join(f"{count} {error}" for error, count in self.failed.items())
        return [self.kind, shortened(self.task), str(self.records), str(len(self.means)), *times, failed]


class Summary:
    def __init__(self):
        self.tasks, self.files = {}, []

    def add(self, record):
        key = record.kind, record.target, record.task
        if key not in self.tasks:
            self.tasks[key] = Task(record)
        self.tasks[key].add(record)

    def end_file(self, path, count, skipped):
        self.files.append({"file": path, "records": count, "skipped": skipped})

    def total(self, key):
        return sum(facts[key] for facts in self.files)

    def facts(self):
        return {"files": self.files, "tasks": [task.facts() for task in self.tasks.values()]}

    def table(self):
        rows = [TITLES, *(task.row() for task in self.tasks.values())]
        widths = [max(map(len, column)) for column in zip(*rows)]
        left = (0, 1, 7)  # columns of texts
        lines = ["  ".join(text.ljust(w) if i in left else text.rjust(w)
                           for i, (text, w) in enumerate(zip(row, widths))).rstrip() for row in rows]
        title = (f"Logs: {self.total('records'):,} records of {len(self.tasks)} tasks in {len(self.files)} files, "
                 f"{self.total('skipped'):,} bad lines")
        return "\n".join([title, *lines])


def shortened(text):
    """The beginning of a text without quotes, blanks after commas and characters that would move a terminal's
    cursor or that cannot be printed."""
    text = text.replace('"', "").replace(", ", ",")
    shown = "".join(c if c.isprintable() else "?" for c in text[:SHOWN])
    return shown + ("..." if len(text) > SHOWN else "")
