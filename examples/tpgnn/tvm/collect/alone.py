# SPDX-License-Identifier: MIT
"""Work in a process of its own: a crash or a hang in TVM loses only that."""
import os
import resource
import signal
import sys

import forked

SILENT, SLICE = 900, 0.5  # seconds without a word after which a workload is given up; between looks at `stopped`
stopped = []  # signals that ask to stop: an exception from a handler would be lost in some places


def heed_signals():
    """From now on an interrupt ends `watch` with KeyboardInterrupt."""
    stopped.clear()
    for asked in (signal.SIGINT, signal.SIGTERM):
        signal.signal(asked, lambda number, _: stopped.append(number))


def serve(pipe, work, log):
    """The process."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # a candidate has three files open
    for stream in (1, 2):
        os.dup2(log, stream)
    sys.stdout = sys.stderr = open(log, "w", closefd=False)
    pipe.send(("done", work(lambda: pipe.send(("alive",)))))


def watch(work, log, silent=SILENT):
    """(what work(tell) returns, None), or (None, why there is nothing). work calls tell() now and then, at least every
    `silent` seconds; log: what TVM says goes to this file."""
    worker, quiet = forked.Child(lambda pipe: serve(pipe, work, log)), 0
    try:
        while quiet < silent:
            message = worker.receive(SLICE)
            if stopped:
                raise KeyboardInterrupt
            quiet = 0 if message else quiet + SLICE
            if message and message[0] == "done":
                return message[1], None
        return None, f"its process was silent for {silent} seconds"
    except EOFError:
        ended = worker.end(kill=False)
        return None, f"its process ended early (signal {ended})" if ended else "it failed"
    finally:
        worker.end()


def run(name, rows_of, log):
    """(facts, bytes of the file or None) of a workload. rows_of(tell) gives (rows of columns.pack, facts)."""
    def work(tell):
        import columns
        import files

        rows, facts = rows_of(tell)
        return facts, files.npz(columns.pack(name, rows)) if rows else None

    made, reason = watch(work, log)
    return made or ({"schedules": 0, "reason": f"{reason}; see collect.log"}, None)
