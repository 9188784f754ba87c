# SPDX-License-Identifier: MIT
"""The process that builds and runs programs. A crash or a hang of XLA loses one measurement; another goes on."""
import ctypes
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import Any

from . import machine

START = 300.0  # seconds until the first answer
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


class Lost(Exception):
    """The process ended, or was ended; why."""


class Failed(Exception):
    """XLA refused the program; why."""


class Worker:
    """original: module of the program as it is, which each process builds first, under the name "original"."""

    def __init__(self, leaves: list[Any], original: bytes, threads: int, tolerance: float):
        self.threads, self.tolerance = threads, tolerance
        self.process: subprocess.Popen[bytes] | None = None
        self.limit = START
        self.change(leaves, original)

    def change(self, leaves: list[Any], original: bytes) -> None:
        """From now on another program. first: hash, seconds and ns of the original, where a process has built it."""
        self.leaves, self.original = leaves, original
        self.first: dict[str, Any] = {}

    def call(self, name: str, *args: Any) -> Any:
        """The answer of Bench.NAME(*args); Lost or Failed."""
        self.ready()
        return self.ask(name, args)

    def ready(self) -> None:
        """A process that has built the original."""
        if self.process is None:
            self.start()
        if not self.first:
            self.limit = START
            self.ask("__init__", (self.leaves, self.threads == 1, self.tolerance))
            built = self.ask("build", ("original", self.original, {}))
            self.first = {**built, "ns": self.ask("want", ("original",))}
            self.limit = 20 + 20 * built["seconds"] + 400 * self.first["ns"] / 1e9

    def start(self) -> None:
        mine, other = socket.socketpair()
        flags = os.environ.get("XLA_FLAGS", "") + (f" {machine.ONE_THREAD}" if self.threads == 1 else "")
        paths = [os.path.dirname(os.path.dirname(os.path.abspath(__file__))), os.environ.get("PYTHONPATH", "")]
        env = {**os.environ, "XLA_FLAGS": flags.strip(), "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu",
               "JAX_ENABLE_X64": "1", "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        self.said = tempfile.TemporaryFile()
        self.process = subprocess.Popen([sys.executable, "-m", __name__, str(other.fileno())], env=env,
                                        stdin=subprocess.DEVNULL, stdout=self.said, stderr=self.said,
                                        pass_fds=[other.fileno()])
        other.close()
        self.pipe, self.first = Connection(mine.detach()), {}

    def ask(self, name: str, args: tuple[Any, ...]) -> Any:
        try:
            self.pipe.send((name, args))
            if not self.pipe.poll(self.limit):
                self.end()
                raise Lost(f"took more than {self.limit:.0f} seconds")
            state, answer = self.pipe.recv()
        except (EOFError, OSError):
            raise Lost(self.ended()) from None
        if state == "failed":
            raise Failed(answer)
        return answer

    def ended(self) -> str:
        """How the process ended, with the last line that it said."""
        code = self.process.wait() if self.process else 0
        self.said.seek(0)
        said = self.said.read().decode(errors="replace").strip().splitlines()[-1:]
        self.end()
        how = f"crashed ({signal.Signals(-code).name})" if code < 0 else f"ended with {code}"
        return ": ".join([how, *said])

    def end(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
            self.pipe.close()
            self.said.close()
            self.process = None

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: Any) -> None:
        self.end()


def measure(worker: Worker, module: bytes, options: Mapping[str, Any], known: Mapping[str, Any], seconds: float = 0.05,
            most: int = 60) -> dict[str, Any]:
    """One variant against the original, in turns, each for so many seconds and at most so many runs. state: ok, same
    (as one of known hashes), wrong, failed or lost."""
    said: dict[str, Any] = {}
    try:
        said = worker.call("build", "variant", module, dict(options))
        if said["hash"] in known:
            return {**said, "state": "same"}
        once = worker.call("compare", "variant")
        if once["wrong"]:
            return {**said, "state": "wrong", "why": once["wrong"]}
        slow = once["ns"] > 4 * worker.first["ns"]  # it lost, by how much is not worth the time
        many = 3 if slow else rounds(seconds, worker.first["ns"], most=most)
        original, ns = worker.call("turns", ["original", "variant"], many)
        times = {"ratio": round(ns / original, 5), "ns": round(ns), "original_ns": round(original)}
        return {**said, "state": "ok", **times}
    except Lost as reason:
        return {**said, "state": "lost", "why": str(reason)}
    except Failed as reason:
        return {**said, "state": "failed", "why": str(reason)}


def rounds(seconds: float, ns: float, least: int = 8, most: int = 60) -> int:
    """How many runs of so many ns fit into these seconds, within limits."""
    return int(min(max(seconds * 1e9 / ns, least), most))


def serve(pipe: Connection) -> None:
    from .bench import Bench

    bench = None
    while True:
        try:
            name, args = pipe.recv()
        except EOFError:  # the tuner has ended
            return
        try:
            if name == "__init__":
                bench, answer = Bench(*args), None
            else:
                answer = getattr(bench, name)(*args)
            pipe.send(("ok", answer))
        except Exception as reason:  # XLA raises many kinds
            pipe.send(("failed", f"{type(reason).__name__}: {reason}"[:400]))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches both, and the tuner decides
    ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
    serve(Connection(int(sys.argv[1])))
