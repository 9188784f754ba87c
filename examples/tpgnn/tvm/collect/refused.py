# SPDX-License-Identifier: MIT
"""How the collector and the tuner say that they cannot go on, and how they end."""
import os

OK, FAILED, USAGE, BAD_DATA, INTERRUPTED = 0, 1, 2, 3, 130
REQUIREMENTS = os.path.normpath(os.path.join(os.path.dirname(__file__) or ".", "requirements.txt"))


class Refused(Exception):
    """A sentence for the user: what cannot be done, and what to do."""


def attempt(work, complain, out, again="the same command goes on", refused=FAILED):
    """Returns the exit code of work(), which writes below `out`, or complains and returns that of the failure; again:
    what to do when something ended it that has nothing to do with it."""
    try:
        return work()
    except ImportError as reason:
        complain(f"TVM cannot be loaded ({reason}); install it: pip install -r {REQUIREMENTS}")
    except Refused as reason:
        complain(reason)
        return refused
    except OSError as reason:
        complain(f"{reason.filename or out} cannot be written: {reason.strerror}; make room, then {again}")
        return refused
    except MemoryError as reason:
        complain(f"{reason or 'the work'} does not fit into memory; allow more of it, then {again}")
    except KeyboardInterrupt:
        complain(f"interrupted; {again}")
        return INTERRUPTED
    return FAILED
