# SPDX-License-Identifier: MIT
"""A progress bar on stderr, if that is a terminal; a line per finished workload in any case."""
import shutil
import sys
import time

WIDTH = 24


class Line:
    """A line on stderr that is written again and again."""

    def __init__(self):
        self.start, self.shown, self.done = time.monotonic(), sys.stderr.isatty(), 0

    def elapsed(self):
        return time.monotonic() - self.start

    def write(self, text, end=""):
        sys.stderr.write(("\r\x1b[K" if self.shown else "") + text + end)
        sys.stderr.flush()

    def show(self, text):
        if self.shown:
            self.write(text[:shutil.get_terminal_size().columns - 1])

    def say(self, text):
        """A line that stays, of what is done."""
        self.write(text, "\n")
        self.done += 1


class Bar(Line):
    """total: workloads to do; seconds: how long it may take."""

    def __init__(self, total, seconds):
        super().__init__()
        self.total, self.seconds, self.schedules = total, seconds, 0

    def rate(self, more=0):
        """Schedules a minute."""
        return 60 * (self.schedules + more) / max(self.elapsed(), 1e-9)

    def show(self, name, count):
        part = max(self.done / self.total, min(self.elapsed() / self.seconds, 1))
        bar = ("=" * int(part * WIDTH)).ljust(WIDTH)
        left = max(0, self.seconds - self.elapsed())
        super().show(f"[{bar}] {self.done}/{self.total} workloads, {self.schedules + count:,} schedules, "
                     f"{self.rate(count):.0f}/min, {left / 60:.0f} min left: {name}")
