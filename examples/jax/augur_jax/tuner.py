# SPDX-License-Identifier: MIT
"""tune(): from a function to the file of its fastest variant."""
from collections.abc import Callable
from typing import Any

from . import machine
from .journal import Journal
from .learned import Learned
from .prior import Prior
from .program import Program
from .progress import Progress, counts
from .refused import Refused
from .search import Search
from .tuned import Tuned
from .worker import Worker

LEAST_TOLERANCE, MOST_TOLERANCE, MOST_MINUTES = 1e-7, 0.1, 10000.0


def tune(f: Callable[..., Any], *args: Any, minutes: float = 3, out: str | None = None, tolerance: float = 1e-3,
         threads: int | None = None, prior: Prior | str | None = None, quiet: bool = False) -> Tuned:
    """Searches ways to write f that are faster with these arguments, for about so many minutes, and writes the file
    `out` (NAME.tuned.json) for load(). out.journal has each measurement, and the same call goes on from there.
    tolerance: how far results may be from the original's, relative. threads: 1, or None for those that this process
    has. prior: what is expected before anything is measured, or the file of a model that nests has trained. Raises
    Refused."""
    if not 0 < minutes <= MOST_MINUTES:
        raise Refused(f"minutes is {minutes}; it has to be above 0 and at most {MOST_MINUTES:g}")
    if not LEAST_TOLERANCE <= tolerance <= MOST_TOLERANCE:
        raise Refused(f"tolerance is {tolerance}; it has to be from {LEAST_TOLERANCE:g} to {MOST_TOLERANCE:g}")
    if threads not in (None, 1):
        raise Refused(f"threads is {threads}; it has to be 1, or None for those that this process has")
    name = getattr(f, "__name__", type(f).__name__)
    out = out or f"{name.strip('<>')}.tuned.json"
    expected, program, here = prior_of(prior), Program(f, args), machine.described(threads)
    original = program.module({})
    header = {"program": program.fingerprint, **here, "tolerance": tolerance}
    journal = Journal(f"{out}.journal", header, program.sites)
    before, begun = len(journal.lines), machine.cpu_seconds()
    try:
        with Worker(program.leaves, original, int(here["threads"]), tolerance) as worker:
            search = Search(program, worker, journal, expected, 60 * minutes, Progress(quiet))
            found, wrong = search.run(), search.wrong()
    finally:
        journal.close()
    many, lines = counts(journal.lines), journal.lines
    if new := counts(lines[before:])["variants"]:
        many["a minute of a core"] = round(60 * new / (machine.cpu_seconds() - begun))
    measured = [(line["at"], line["ratio"]) for line in lines if "ratio" in line and line["candidate"]]
    tuned = Tuned(name, program.fingerprint, program.arguments, here, tolerance, program.sites, found.winner,
                  found.ratio, found.noise, found.original_ns, found.shares, many, wrong, measured)
    tuned.write(out)
    return tuned


def prior_of(given: Prior | str | None) -> Prior:
    """The prior: an object, the model of a file, or the shipped one."""
    return Learned(given) if isinstance(given, str) else given or Learned()
