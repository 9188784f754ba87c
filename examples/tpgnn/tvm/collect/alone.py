# SPDX-License-Identifier: MIT
"""The file of one workload made in a process of its own: a crash or a hang in TVM loses only that workload."""
import os
import signal
import sys

import forked

SILENT, SLICE = 900, 0.5  # seconds without a word after which a workload is given up; between looks at `stopped`
stopped = []  # signals that ask to stop: an exception from a handler would be lost in some places


def heed_signals():
    """From now on an interrupt ends `run` with KeyboardInterrupt."""
    stopped.clear()
    for asked in (signal.SIGINT, signal.SIGTERM):
        signal.signal(asked, lambda number, _: stopped.append(number))


def serve(pipe, name, rows_of, log):
    """The process of one workload."""
    import columns
    import files

    for stream in (1, 2):
        os.dup2(log, stream)
    sys.stdout = sys.stderr = open(log, "w", closefd=False)
    rows, facts = rows_of(lambda count: pipe.send(("count", count)))
    pipe.send(("done", (facts, files.npz(columns.pack(name, rows)) if rows else None)))


def run(name, rows_of, log, show):
    """(facts, bytes of the file or None) of a workload. rows_of(tell) gives (rows of columns.pack, facts) and calls
    tell(number of schedules so far) now and then; show(that number) is called here; log: what TVM says goes there."""
    worker, count, silent = forked.Child(lambda pipe: serve(pipe, name, rows_of, log)), 0, 0
    try:
        while silent < SILENT:
            show(count)
            message = worker.receive(SLICE)
            if stopped:
                raise KeyboardInterrupt
            silent = 0 if message else silent + SLICE
            if message and message[0] == "done":
                return message[1]
            count = message[1] if message else count
        reason = f"the process of the workload was silent for {SILENT} seconds"
    except EOFError:
        ended = worker.end(kill=False)
        reason = f"the process of the workload ended early (signal {ended})" if ended else "it failed; see collect.log"
    finally:
        worker.end()
    return {"schedules": 0, "reason": reason}, None
