# SPDX-License-Identifier: MIT
"""Versions, processor and threads: a measurement holds for no others."""
import os
import platform
import re
import resource
from importlib.metadata import version

ONE_THREAD = "--xla_cpu_multi_thread_eigen=false"


def processor() -> str:
    """Name, family and model as Linux says them: virtual machines often hide the rest of the name."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            said = dict(re.findall(r"^(model name|cpu family|model|CPU part)\s*: (.*)$", file.read(), re.M))
    except OSError:
        said = {}
    words = [said[k] if k == "model name" else f"{k} {said[k]}" for k in sorted(said, reverse=True)]
    return ", ".join(words) or platform.machine()


def threads() -> int:
    """Those that XLA uses in a process that is started as this one was."""
    flags = re.findall(r"--xla_cpu_multi_thread_eigen=(\w+)", os.environ.get("XLA_FLAGS", ""))
    return 1 if flags and flags[-1] in ("false", "0") else len(os.sched_getaffinity(0))


def described(count: int | None = None) -> dict[str, str | int]:
    versions = {name: version(name) for name in ("jax", "jaxlib")}
    return {**versions, "processor": processor(), "threads": count or threads()}


def cpu_seconds() -> float:
    """Of this process and of those that it started and that have ended."""
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
