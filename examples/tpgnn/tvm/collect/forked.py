# SPDX-License-Identifier: MIT
"""Work in a process of its own, made by fork, that ends with its parent and communicates with it through a pipe."""
import contextlib
import ctypes
import multiprocessing
import os
import signal

DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
FORK = multiprocessing.get_context("fork")
_open = set()  # parent's ends of all pipes: a child closes them, or the end of one child would not be seen by another


class Child:
    """Runs work(pipe) in a new process. Messages are sent and received as with a multiprocessing.Connection."""

    def __init__(self, work):
        self.pipe, other = FORK.Pipe()
        self.process = FORK.Process(target=_run, args=(work, other, os.getpid(), [self.pipe, *_open]))
        self.process.start()
        other.close()
        _open.add(self.pipe)

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
        _open.discard(self.pipe)
        self.pipe.close()
        self.process.join()
        return max(0, -self.process.exitcode)


def _run(work, pipe, parent, others):
    """The whole life of a child."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    for late in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(late, signal.SIG_DFL)  # ends the process, whatever it is in
    for other in others:
        other.close()
    ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
    with contextlib.suppress(EOFError, BrokenPipeError):  # the parent has had enough
        if os.getppid() == parent:
            work(pipe)
