# SPDX-License-Identifier: MIT
"""Options, sentences and exit codes that collector, tuner and reader of logs share."""
import argparse
import os
import sys

OK, FAILED, USAGE, BAD_DATA, INTERRUPTED = 0, 1, 2, 3, 130
REQUIREMENTS = os.path.normpath(os.path.join(os.path.dirname(__file__) or ".", "requirements.txt"))


class Refused(Exception):
    """A sentence for the user: what cannot be done, and what to do."""


def number(kind, low, high):
    """The type of an option: a number in this range."""
    def read(text):
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            what = "a whole number" if kind is int else "a number"
            raise argparse.ArgumentTypeError(f"is {text}, but must be {what} from {low} to {high}")
        return value
    return read


def add_measuring(add, slowest_ms):
    """The options that say how schedules are measured; slowest_ms: the default."""
    last = max(os.sched_getaffinity(0))
    add("--jobs", type=number(int, 1, 256), default=2, help="schedules that are compiled, or scored, at once (2)")
    add("--core", type=number(int, 0, 4095), default=last, help=f"core to measure on ({last}, the last)")
    add("--compile-seconds", type=number(int, 1, 3600), default=10, metavar="S",
        help="CPU time after which a schedule that is still not compiled and checked is given up (10)")
    add("--slowest-ms", type=number(float, 0.01, 1e5), default=slowest_ms, metavar="MS",
        help=f"give up schedules that run longer ({slowest_ms})")


def check_core(core):
    """Raises ValueError with a sentence."""
    if core not in os.sched_getaffinity(0):
        raise ValueError(f"--core {core}: this process may use the cores {sorted(os.sched_getaffinity(0))}")


def plain(sentence):
    """Names of files may hold characters that a terminal obeys."""
    return "".join(c if c.isprintable() else "?" for c in str(sentence))


def complain(program, sentence):
    sys.stderr.write(f"{program}: {plain(sentence)}\n")


def attempt(program, work, out, again="the same command goes on", refused=FAILED):
    """Returns the exit code of work(), which writes below `out`, or complains and returns that of the failure; again:
    what to do when something ended it that has nothing to do with it."""
    code = refused
    try:
        return work()
    except ImportError as reason:
        code, sentence = FAILED, f"TVM cannot be loaded ({reason}); install it: pip install -r {REQUIREMENTS}"
    except Refused as reason:
        sentence = reason
    except OSError as reason:
        sentence = f"{reason.filename or out} cannot be written: {reason.strerror}; make room, then {again}"
    except MemoryError as reason:
        code, sentence = FAILED, f"{reason or 'the work'} does not fit into memory; allow more of it, then {again}"
    except KeyboardInterrupt:
        code, sentence = INTERRUPTED, f"interrupted; {again}"
    complain(program, sentence)
    return code
