# SPDX-License-Identifier: MIT
"""manifest.json of a folder of measured layouts, of the lab's form: `lab split` and `tgraph eval` read it."""
import fcntl
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from .refused import Refused

Facts = dict[str, Any]


class Manifest:
    """files: facts of each; programs: family and number of each."""

    def __init__(self, folder: str, machine: Mapping[str, Any]):
        self.path = os.path.join(folder, "manifest.json")
        self.root: Facts = {"kind": "layout", "machines": [], "programs": {}, "files": {}}
        try:
            with suppress(FileNotFoundError), open(self.path, encoding="utf-8") as file:
                self.root = json.load(file)
            self.programs: dict[str, Facts] = self.root["programs"]
            self.files: dict[str, Facts] = self.root["files"]
            machines = self.root["machines"]
            if (self.root["kind"] != "layout" or not isinstance(machines, list)
                    or not all(isinstance(each["jaxlib"], str) for each in machines)):
                raise ValueError
            for name, facts in self.files.items():
                family, number = (self.programs[name][key] for key in ("family", "number"))
                if not (facts["program"] == name and isinstance(family, str) and isinstance(number, int)):
                    raise ValueError
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise Refused(f"{self.path} is not what augur-jax layouts writes; remove it or choose another "
                          "folder") from None
        if machine not in machines:
            machines.append(dict(machine))
        self.machine = machines.index(machine)

    def stamp(self) -> Facts:
        """Where and when."""
        return {"machine": self.machine, "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}

    def save(self) -> None:
        with open(f"{self.path}.part", "w", encoding="utf-8") as file:
            json.dump(self.root, file, indent=1)
        os.replace(f"{self.path}.part", self.path)


@contextmanager
def locked(folder: str) -> Iterator[None]:
    """No other process measures into it meanwhile."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(f"another process measures into {folder}; wait for it or choose another folder") from None
        except OSError:  # not every file system can do it
            pass
        yield
    finally:
        os.close(handle)
