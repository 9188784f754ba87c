# SPDX-License-Identifier: MIT
"""Work in a process of its own, made by fork, that ends with its parent and communicates with it through a pipe."""
import ctypes
import os
import signal
import sys
import traceback
from multiprocessing import Pipe

DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_open = set()  # parent's ends of all pipes: a child closes them, or the end of one child would not be seen by another


class Child:
    """Runs work(pipe) in a new process. Messages are sent and received as with a multiprocessing.Connection."""

    def __init__(self, work):
        self.pipe, other = Pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        parent = os.getpid()
        self.pid, self.status = os.fork(), None
        if self.pid == 0:
            _run(work, other, parent, [self.pipe, *_open])
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
        if self.status is None:
            if kill:
                os.kill(self.pid, signal.SIGKILL)
            _open.discard(self.pipe)
            self.pipe.close()
            self.status = os.waitpid(self.pid, 0)[1]
        return os.WTERMSIG(self.status) if os.WIFSIGNALED(self.status) else 0


def _run(work, pipe, parent, others):
    """The whole life of a child; never returns."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
        for late in (signal.SIGALRM, signal.SIGPROF):
            signal.signal(late, signal.SIG_DFL)  # ends the process, whatever it is in
        for other in others:
            other.close()
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
        if os.getppid() == parent:
            work(pipe)
        code = 0
    except (EOFError, BrokenPipeError):  # the parent has had enough
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stderr.flush()
        finally:
            os._exit(code)
