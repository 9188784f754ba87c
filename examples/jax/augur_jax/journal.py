# SPDX-License-Identifier: MIT
"""A line for each measurement, written before the next one begins: a killed run loses one at most."""
import fcntl
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from .refused import Refused
from .sites import Site


class Journal:
    """lines: of all runs so far. header: what they hold for; a journal of something else is refused."""

    def __init__(self, path: str, header: Mapping[str, Any], sites: Sequence[Site]):
        self.path, self.sites, self.start, self.before = path, sites, time.monotonic(), 0.0
        self.lines: list[dict[str, Any]] = []
        self.file = open(path, "a+b", buffering=0)
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.close()
            raise Refused(f"{path} is being written by another process; wait for it or choose another --out") from None
        self.file.seek(0)
        whole = self.file.read()
        whole = whole[:whole.rfind(b"\n") + 1]  # the last line may have been cut off by a kill
        try:
            if whole:
                self.read(whole, header)
        except Refused:
            self.close()
            raise
        self.file.truncate(len(whole))
        if not whole:
            self.write(dict(header))

    def read(self, whole: bytes, header: Mapping[str, Any]) -> None:
        for number, text in enumerate(whole.splitlines(), 1):
            try:
                line = json.loads(text)
                if number > 1:
                    self.lines.append(self.checked(line))
                    self.before = float(line["at"])
                    continue
                foreign = [name for name in header if line[name] != header[name]]
            except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
                raise Refused(f"line {number} of {self.path} is not what augur-jax writes; remove the file or choose "
                              "another --out") from None
            for name in foreign:
                raise Refused(f"{self.path} was measured with {name} {line[name]}, not {header[name]}; remove the file "
                              "or choose another --out")

    def checked(self, line: dict[str, Any]) -> dict[str, Any]:
        line["candidate"] = {int(k): c for k, c in line["candidate"].items()}
        if any(c not in self.sites[k].choices for k, c in line["candidate"].items()):
            raise ValueError
        if line["state"] == "again" and not min(line["ns"]) > 0:
            raise ValueError
        if line["state"] in ("ok", "same") and not 0 < float(line["ratio"]) < float("inf"):
            raise ValueError
        return line

    def spent(self) -> float:
        """Seconds of measuring, those of earlier runs included."""
        return self.before + time.monotonic() - self.start

    def add(self, line: dict[str, Any]) -> None:
        """line has a "candidate"."""
        self.lines.append({"at": round(self.spent(), 2), **line})
        self.write(self.lines[-1])

    def write(self, line: dict[str, Any]) -> None:
        self.file.write((json.dumps(line) + "\n").encode())

    def close(self) -> None:
        self.file.close()
