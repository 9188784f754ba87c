# SPDX-License-Identifier: MIT
"""How the collector and the tuner say that they cannot go on, and how they end."""
import os

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
REQUIREMENTS = os.path.join(os.path.dirname(__file__) or ".", "requirements.txt")


class Refused(Exception):
    """A sentence for the user: what cannot be done, and what to do."""


def attempt(work, complain, out, at_work):
    """Returns the exit code of work(), which writes below `out`, or complains and returns that of the failure."""
    try:
        return work()
    except ImportError as reason:
        complain(f"TVM cannot be loaded ({reason}); install it: pip install -r {REQUIREMENTS}")
    except Refused as reason:
        complain(reason)
    except OSError as reason:
        complain(f"{reason.filename or out}: cannot be written ({reason.strerror}); the same command goes on")
    except KeyboardInterrupt:
        complain(f"interrupted; the same command goes on with the {at_work}")
        return INTERRUPTED
    return FAILED
