# SPDX-License-Identifier: MIT
"""Run times of several candidates that wait in their processes: the order of samples, and which count. Knows no TVM; a
candidate has measure(), which gives seconds or None, facts["seconds"], about how long it runs, and a list `passes`.
"""
import math
import statistics
from dataclasses import dataclass

import numpy as np

SAMPLES, SAMPLES_OF_SLOW, SLOW = 4, 2, 0.02  # per pass; slow: seconds
AGREE = 0.05  # two passes agree when the smaller of their minima is so near to the other
MOST_PASSES = 6


@dataclass(frozen=True)
class Limits:
    """seconds: of CPU time until a schedule is compiled and checked. slowest: seconds of a run. core: measured on."""

    seconds: int
    slowest: float
    core: int


def measure(candidates):
    """One pass: the candidates take turns, a sample of each and then the next of each, so that a machine that slows
    down slows all of them. Those that died keep their passes."""
    heard = [(c, []) for c in candidates]
    for turn in range(SAMPLES):
        for c, samples in heard:
            if len(samples) == turn and (turn < SAMPLES_OF_SLOW or c.facts["seconds"] <= SLOW):
                seconds = c.measure()
                samples += [] if seconds is None else [seconds]
    for c, samples in heard:
        c.passes += [samples] if samples else []


def agree(passes):
    """Whether the two fastest passes agree."""
    fastest = sorted(map(min, passes))[:2]
    return len(fastest) == 2 and fastest[1] <= (1 + AGREE) * fastest[0]


def settle(candidates, done=lambda: None):
    """Measures all once more, then again those whose passes do not agree. Returns how many were measured again."""
    again = 0
    measure(candidates)
    for _ in range(MOST_PASSES - 2):
        noisy = [c for c in candidates if c.state == "ready" and not agree(c.passes)]
        if not noisy:
            break
        again += len(noisy)
        measure(noisy)
        done()
    return again


def summary(passes):
    """(smallest, median of the two fastest passes, (median - smallest) / smallest)."""
    fastest = sorted(passes, key=min)[:2]
    smallest, median = min(fastest[0]), statistics.median(sum(fastest, []))
    return smallest, median, (median - smallest) / smallest


def noise(pairs):
    """Standard deviation of ln(run time) of one measurement, from pairs of measurements: robust, the 68th percentile
    of how far apart they are over the root of 2. None without pairs."""
    return float(np.quantile([abs(math.log(a / b)) for a, b in pairs], 0.68)) / math.sqrt(2) if pairs else None


def spread(times):
    """Standard deviation of ln(run time) between schedules: half the width of the middle 68 %."""
    if not len(times):
        return None
    low, high = np.quantile(np.log(times), (0.16, 0.84))
    return float(high - low) / 2
