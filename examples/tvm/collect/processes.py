# SPDX-License-Identifier: MIT
"""Work in processes of their own, made by fork: a crash or a hang in TVM loses only that. They end with their parent
and communicate with it through pipes."""
import contextlib
import ctypes
import multiprocessing
import os
import resource
import signal
import sys

DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
FORK = multiprocessing.get_context("fork")
SILENT, SLICE = 900, 0.5  # seconds without a word after which a workload is given up; between looks at `stopped`
stopped = []  # signals that ask to stop: an exception from a handler would be lost in some places


class Child:
    """Runs work(pipe) in a new process. Messages are sent and received as with a multiprocessing.Connection."""

    def __init__(self, work):
        self.pipe, other = FORK.Pipe()
        self.process = FORK.Process(target=_run, args=(work, other, os.getpid()))
        self.process.start()
        other.close()

    def send(self, message):
        try:
            self.pipe.send(message)
        except OSError:
            raise EOFError from None

    def receive(self, seconds=None):
        """The next message; None after so many seconds without one. Raises EOFError when the child has ended."""
        try:
            return self.pipe.recv() if self.pipe.poll(seconds) else None
        except OSError:
            raise EOFError from None

    def end(self, kill=True):
        """Ends the child, or lets it end that is about to. Returns the number of the signal that ended it, else 0."""
        if kill:
            self.process.kill()
        self.pipe.close()
        self.process.join()
        return max(0, -self.process.exitcode)


def _run(work, pipe, parent):
    """The whole life of a child."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    for late in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(late, signal.SIG_DFL)  # ends the process, whatever it is in
    ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
    with contextlib.suppress(EOFError, BrokenPipeError):  # the parent has had enough
        if os.getppid() == parent:
            work(pipe)


def heed_signals():
    """From now on an interrupt ends `watch` with KeyboardInterrupt."""
    stopped.clear()
    for asked in (signal.SIGINT, signal.SIGTERM):
        signal.signal(asked, lambda number, _: stopped.append(number))


def open_log(folder, name):
    """The file of the folder to which TVM's own messages go."""
    return os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)


def _serve(pipe, work, log):
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # a candidate has three files open
    for stream in (1, 2):
        os.dup2(log, stream)
    sys.stdout = sys.stderr = open(log, "w", closefd=False)
    pipe.send(("done", work(lambda: pipe.send(("alive",)))))


def watch(work, log, silent=SILENT):
    """(what work(tell) returns, None), or (None, why there is nothing). work calls tell() now and then, at least every
    `silent` seconds; log: what TVM says goes to this file."""
    worker, quiet = Child(lambda pipe: _serve(pipe, work, log)), 0
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
