# SPDX-License-Identifier: MIT
"""A progress bar on stderr, if that is a terminal; a line per finished workload in any case."""
import shutil
import sys
import time

WIDTH = 24


class Bar:
    """total: workloads to do; seconds: how long it may take."""

    def __init__(self, total, seconds):
        self.total, self.seconds, self.start = total, seconds, time.monotonic()
        self.done, self.schedules = 0, 0
        self.shown = sys.stderr.isatty()

    def elapsed(self):
        return time.monotonic() - self.start

    def rate(self, more=0):
        """Schedules a minute."""
        return 60 * (self.schedules + more) / max(self.elapsed(), 1e-9)

    def show(self, name, count):
        if self.shown:
            part = max(self.done / self.total, min(self.elapsed() / self.seconds, 1))
            bar = ("=" * int(part * WIDTH)).ljust(WIDTH)
            left = max(0, self.seconds - self.elapsed())
            line = (f"[{bar}] {self.done}/{self.total} workloads, {self.schedules + count:,} schedules, "
                    f"{self.rate(count):.0f}/min, {left / 60:.0f} min left: {name}")
            sys.stderr.write("\r\x1b[K" + line[:shutil.get_terminal_size().columns - 1])
            sys.stderr.flush()

    def say(self, line):
        sys.stderr.write(("\r\x1b[K" if self.shown else "") + line + "\n")
        sys.stderr.flush()

    def finish(self, count):
        self.done += 1
        self.schedules += count

    def clear(self):
        if self.shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
