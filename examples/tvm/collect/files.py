# SPDX-License-Identifier: MIT
"""A folder of measured schedules: files that appear whole or not at all, and manifest.json, which says what is there,
how it was measured, and so what is left to do."""
import datetime
import fcntl
import io
import json
import os
import platform

import numpy as np

import columns
import measure
import processes
from command import Refused


def replace(path, content):
    """Writes bytes under a name that does not count, and gives them their name when all are written."""
    part = f"{path}.part"
    with open(part, "wb") as file:
        file.write(content)
    os.replace(part, path)


def npz(arrays):
    """Bytes of an npz file; equal arrays give equal bytes."""
    whole = io.BytesIO()
    np.savez_compressed(whole, **arrays)
    return whole.getvalue()


def write_json(path, value):
    replace(path, (json.dumps(value, indent=1) + "\n").encode())


def make(name, rows_of, log):
    """(facts, bytes of the file or None) of a workload, made in a process of its own. rows_of(tell) gives (rows of
    columns.pack, facts)."""
    def work(tell):
        rows, facts = rows_of(tell)
        return facts, npz(columns.pack(name, rows)) if rows else None

    made, reason = processes.watch(work, log)
    return made or ({"schedules": 0, "reason": f"{reason}; see collect.log"}, None)


class Manifest:
    """Opens a folder, made if it is not there, for one collection at a time."""

    def __init__(self, folder):
        self.folder, self.path = folder, os.path.join(folder, "manifest.json")
        try:
            os.makedirs(folder, exist_ok=True)
            self.lock = open(os.path.join(folder, ".lock"), "w")
        except OSError as reason:
            raise Refused(f"{folder}: cannot write here ({reason.strerror}); name another folder with --out") from None
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.lock.close()
            raise Refused(f"{folder}: another collection writes here; wait for it, or name another folder") from None
        self.value, self.machine = self.read(), None

    def read(self):
        new = {"kind": "schedules", "machines": [], "workloads": {}}
        try:
            with open(self.path) as file:
                value = json.load(file)
        except FileNotFoundError:
            return new
        except (OSError, ValueError) as reason:
            raise Refused(f"{self.path}: cannot be read ({reason}); remove it to measure all workloads again") from None
        if not isinstance(value, dict) or any(not isinstance(value.get(k), type(new[k])) for k in new) \
                or value["kind"] != new["kind"]:
            raise Refused(f"{self.path}: is not the manifest of measured schedules; name another folder with --out")
        return value

    def file(self, workload):
        return os.path.join(self.folder, f"{workload}.npz")

    def has(self, workload):
        """Whether a workload is finished: it has its file, or gave no schedule."""
        facts = self.value["workloads"].get(workload)
        return isinstance(facts, dict) and (not facts.get("schedules") or os.path.exists(self.file(workload)))

    def measured_on(self, machine):
        """The machine of what is added from now on. A folder may have files of several."""
        if machine not in self.value["machines"]:
            self.value["machines"].append(machine)
        self.machine = self.value["machines"].index(machine)

    def add(self, workload, facts, content=None):
        """Writes the file, then the manifest: a kill between the two measures the workload again."""
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        facts = {"machine": self.machine, "date": now, **facts}
        if content:
            replace(self.file(workload), content)
            facts["bytes"] = len(content)
        self.value["workloads"][workload] = facts
        write_json(self.path, self.value)

    def total(self, key):
        return sum(facts.get(key) or 0 for facts in self.value["workloads"].values())

    def not_measured(self):
        """How many schedules were lost, by reason."""
        lost = {}
        for facts in self.value["workloads"].values():
            for reason, count in facts.get("not_measured", {}).items():
                lost[reason] = lost.get(reason, 0) + count
        return {reason: count for reason, count in lost.items() if count}


def cpu():
    """Name of the CPU as the system has it."""
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown"


def machine(versions, limits, jobs):
    """The machine and the settings that run times depend on."""
    return {
        "cpu": cpu(), "cores": len(os.sched_getaffinity(0)), "core": limits.core,
        "system": f"{platform.system()} {platform.release()}", "python": platform.python_version(), **versions,
        "jobs": jobs, "compile_seconds": limits.seconds, "slowest_ms": limits.slowest * 1000,
        "samples": measure.SAMPLES, "most_passes": measure.MOST_PASSES, "agree": measure.AGREE,
    }
