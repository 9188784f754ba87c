# SPDX-License-Identifier: MIT
"""Layouts measured with XLA itself: files of TpuGraphs' form that `tgraph` and `nests` read."""
import math
import os
import time
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from zipfile import BadZipFile

import numpy as np

from . import machine
from .drawing import Config
from .manifest import Facts, Manifest, locked
from .refused import Refused
from .subject import Arrays, Made, Subject
from .worker import Failed, Lost, Worker

Programs = Mapping[str, Callable[[int], Made]]  # by family: makes the program of a number
TOLERANCE, MOST_NS, NULLS = 2e-3, 3e7, 4
NOISY = 0.15  # of the spread of ln(run time): above it the order of configurations is mostly noise
BUILDS = 2.5  # for each configuration that is wanted; some end as a module that was there
COSTS = {"config_bytes_accessed": "accessed", "config_bytes_copied": "copied", "config_elements_across": "across"}
GRAPH = ("node_feat", "node_opcode", "edge_index", "operand_index", "dot_axes", "node_config_ids")


def first(subject: Subject, configs: int) -> tuple[Arrays, Facts]:
    """Measures the default and so many different configurations less one: arrays of the file, facts. Failed where
    there is no other, or the original cannot be measured again: then its noise is not known."""
    worker, drawing = subject.worker, subject.drawing
    found, ratios, costs = [drawing.default()], [1.0], [worker.call("costs", "original")]
    states, nulls, originals = Counter[str](), list[float](), [float(worker.first["ns"])]
    known = {worker.first["hash"]: True}
    for config in drawing.all():
        if len(found) == configs or states.total() >= BUILDS * configs:
            break
        if len(nulls) * configs < NULLS * len(found):
            nulls.append(null(subject))
        said = subject.measured(config, known)
        states[said["state"]] += 1
        if "hash" in said:
            known[said["hash"]] = True
        if said["state"] == "ok":
            costs.append(worker.call("costs", "variant"))
            found.append(config)
            ratios.append(said["ratio"])
            originals.append(said["original_ns"])
    if len(found) == 1:
        raise Failed("no other configuration is another module")
    nulls += [null(subject) for _ in range(NULLS - len(nulls))]
    ns = runtimes(ratios, originals)
    return ({"node_config_feat": np.array(found), "config_runtime": ns,
             **{name: np.array([cost[key] for cost in costs]) for name, key in COSTS.items()}},
            {"configurations": len(ns), "fastest_ns": int(ns.min()), "slowest_ns": int(ns.max()),
             "default_ns": int(ns[0]), "spread": round(float(np.log(ns).std()), 5), "noise": noise(nulls),
             "measured_again": len(nulls), "configurable_nodes": len(subject.places),
             "not_measured": {state: n for state, n in states.items() if state != "ok"}})


def null(subject: Subject) -> float:
    """The ratio of the original, built once more, to itself."""
    return float(once_more(subject, subject.drawing.default(), "the original")["ratio"])


def once_more(subject: Subject, config: Config, what: str) -> dict[str, Any]:
    said = subject.measured(config, {})
    if said["state"] != "ok":
        raise Failed(f"{what} once more: {said['why']}")
    return said


def second(subject: Subject, configs: np.ndarray) -> np.ndarray:
    """ns of all, once more; Failed where one cannot be measured."""
    said = [once_more(subject, config, "a configuration") for config in configs.astype(np.int8)]
    return runtimes([one["ratio"] for one in said], [one["original_ns"] for one in said])


def runtimes(ratios: Sequence[float], originals: Sequence[float]) -> np.ndarray:
    return np.maximum(np.round(np.median(originals) * np.array(ratios)), 1).astype(np.int64)


def noise(nulls: Sequence[float]) -> float:
    """The standard deviation of one measurement of ln(run time)."""
    return round(float(np.sqrt(np.mean(np.log(nulls) ** 2))), 5)


def tau(x: np.ndarray, y: np.ndarray) -> float:
    """Kendall's tau-b."""
    a, b = (np.sign(z[:, None] - z[None]) for z in (x, y))
    return float((a * b).sum() / max(np.sqrt((a * a).sum() * (b * b).sum()), 1))


class Collector:
    """Measures programs into the folder `out` for so many minutes; tell: a line for each."""

    def __init__(self, programs: Programs, out: str, minutes: float, seed: int, threads: int | None, tgraph: str,
                 tell: Callable[[str], None]):
        self.programs, self.out, self.seed, self.tgraph, self.tell = programs, out, seed, tgraph, tell
        self.end, self.threads = time.monotonic() + 60 * minutes, threads or machine.threads()
        self.manifest = Manifest(out, machine.described(self.threads))

    def collect(self, families: Sequence[str], each: int, configs: int) -> int:
        """Numbers 0 to each - 1 of these families, those without a file. How many were measured."""
        names = {f"{family}_{k}": {"family": family, "number": k} for k in range(each) for family in families}

        def measured(name: str, facts: Facts, subject: Subject) -> str:
            if subject.worker.first["ns"] > MOST_NS or not subject.drawing.free:
                raise Failed("too slow, or without layouts to choose")
            arrays, said = first(subject, configs)
            if said["noise"] > NOISY * said["spread"]:
                raise Failed(f"noise {said['noise']:.3f} of a spread of {said['spread']:.3f}; the next call tries again")
            self.write(name, {**subject.imported(arrays), **arrays})
            said |= {"program": name, "family": facts["family"], **self.manifest.stamp()}
            self.manifest.files[name] = said
            self.manifest.programs[name] = {**facts, "nodes": len(subject.of), "options": {"seed": self.seed}}
            low, default, high = (said[k] / 1e6 for k in ("fastest_ns", "default_ns", "slowest_ns"))
            return (f"{said['configurations']} configurations, {said['not_measured'].get('same', 0)} others the same, "
                    f"{low:.3f} to {high:.3f} ms, default {default:.3f}, noise {said['noise']:.3f}")
        return self.each({name: facts for name, facts in names.items()
                          if name not in self.manifest.files or not os.path.exists(self.path(name))}, measured)

    def again(self) -> int:
        """A second time for each configuration of all files that have none. How many files were measured."""
        def measured(name: str, facts: Facts, subject: Subject) -> str:
            arrays = self.read(name)
            if not all(np.array_equal(arrays[k], subject.graph[k]) for k in GRAPH):
                raise Refused(f"{name} is not the program that its file is of; use the versions of jax that "
                              f"{self.manifest.path} names")
            once, ns = arrays["config_runtime"], second(subject, arrays["node_config_feat"])
            self.write(name, {**arrays, "config_passes": np.stack([once, ns], 1)})
            apart = np.log(ns / once)
            self.manifest.files[name]["again"] = {"tau": round(tau(once, ns), 4), **self.manifest.stamp(),
                                                  "noise": round(float(apart.std() / math.sqrt(2)), 5)}
            return f"tau {tau(once, ns):.3f} between the two"
        if not self.manifest.files:
            raise Refused(f"{self.out} has no measured programs; measure some with --out")
        return self.each({name: self.manifest.programs[name] for name, facts in self.manifest.files.items()
                          if "again" not in facts}, measured)

    def each(self, wanted: Mapping[str, Facts], measured: Callable[[str, Facts, Subject], str]) -> int:
        """Calls it for the wanted programs while there is time. How many it did."""
        for family in (facts["family"] for facts in wanted.values()):
            if family not in self.programs:
                raise Refused(f"there is no family {family}; they are {', '.join(self.programs)}")
        os.makedirs(self.out, exist_ok=True)
        done = 0
        with locked(self.out), Worker([], b"", self.threads, TOLERANCE) as worker:
            for name, facts in wanted.items():
                start = time.monotonic()
                if start > self.end:
                    break
                seed = zlib.crc32(f"{name} {self.seed}".encode())
                try:
                    subject = Subject(worker, self.tgraph, self.programs[facts["family"]](facts["number"]), seed)
                    said = measured(name, facts, subject)
                    done += 1
                except (Lost, Failed) as reason:  # of the program as it is
                    said = f"not measured: {reason}"
                self.manifest.save()
                self.tell(f"{name}: {said}, {time.monotonic() - start:.0f} s")
        return done

    def path(self, name: str) -> str:
        return os.path.join(self.out, f"{name}.npz")

    def read(self, name: str) -> Arrays:
        path = self.path(name)
        try:
            with open(path, "rb") as file, np.load(file) as found:
                arrays = dict(found)
            if {*GRAPH, "node_config_feat", "config_runtime"} <= arrays.keys():
                return arrays
        except (OSError, ValueError, EOFError, AttributeError, TypeError, BadZipFile, zlib.error):
            pass
        raise Refused(f"{path} is not there, or not what augur-jax layouts writes; remove it and measure it again "
                      "with --out")

    def write(self, name: str, arrays: Arrays) -> None:
        """The file appears whole or not at all."""
        with open(f"{self.path(name)}.part", "wb") as file:
            np.savez_compressed(file, **arrays)
        os.replace(f"{self.path(name)}.part", self.path(name))
