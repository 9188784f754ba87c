# SPDX-License-Identifier: MIT
"""Building, comparing and running programs, in the worker process. A program is kept under its name until another one
is built."""
import hashlib
import re
import time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax._src import compiler

from .costs import moved

QUANTILE = 0.15  # medians follow the load of the machine, and one run in some hundreds is faster than can be


class Bench:
    """leaves: the arguments of all programs. cpu_time: of one thread, else the clock on the wall."""

    def __init__(self, leaves: list[Any], cpu_time: bool, tolerance: float):
        jax.config.update("jax_cpu_enable_async_dispatch", False)
        self.device = jax.devices("cpu")[0]
        self.arguments = [jax.device_put(leaf, self.device) for leaf in leaves]
        self.clock = time.process_time_ns if cpu_time else time.perf_counter_ns
        self.tolerance = tolerance
        self.built: dict[str, Any] = {}
        self.wanted: list[np.ndarray] = []

    def build(self, name: str, module: bytes, options: dict[str, Any]) -> dict[str, Any]:
        """Compiles it. hash: of the optimised module and what code is made of it."""
        start = time.process_time()
        if b"lapack" in module:
            jax.jit(jnp.linalg.cholesky).lower(jnp.eye(2))  # jaxlib finds LAPACK when a program is lowered
        how = compiler.get_compile_options(num_replicas=1, num_partitions=1, env_options_overrides=options)
        self.built[name] = program = self.device.client.compile_and_load(module, (self.device,), how)
        of_code = sorted((k, v) for k, v in options.items() if "disable_hlo" not in k)  # the module does not show them
        text = identity(program.hlo_modules()[0].to_string()) + str(of_code)
        seconds = round(time.process_time() - start, 3)
        return {"hash": hashlib.sha256(text.encode()).hexdigest()[:16], "seconds": seconds}

    def want(self, name: str) -> int:
        """Its results are the right ones. ns of a run."""
        self.wanted = self.results(name)
        return min(self.run(name) for _ in range(3))

    def compare(self, name: str) -> dict[str, Any]:
        """wrong: how its results differ, or nothing. ns: of a run."""
        got = self.results(name)
        return {"wrong": difference(self.wanted, got, self.tolerance), "ns": self.run(name)}

    def turns(self, names: list[str], rounds: int) -> list[float]:
        """ns of each. All run once in each round, every second time in the other direction."""
        for name in names:
            self.run(name)
        times = np.empty((rounds, len(names)))
        for k in range(rounds):
            for place in range(len(names))[::1 if k % 2 else -1]:
                times[k, place] = self.run(names[place])
        return np.quantile(times, QUANTILE, axis=0).tolist()

    def costs(self, name: str) -> dict[str, float]:
        """Known without a run: bytes that are read and written, as XLA counts them, and copies."""
        program = self.built[name]
        return {"accessed": program.cost_analysis().get("bytes accessed", 0.0),
                **moved(program.hlo_modules()[0].to_string())}

    def run(self, name: str) -> int:
        start = self.clock()
        for result in self.built[name].execute(self.arguments):
            result.block_until_ready()
        return max(1, self.clock() - start)

    def results(self, name: str) -> list[np.ndarray]:
        return [np.asarray(result) for result in self.built[name].execute(self.arguments)]


def identity(module: str) -> str:
    """The text of an optimised module without what its code does not depend on: sources, and how values are named."""
    start = re.search(r"^(%|ENTRY )", module, re.M)
    text = re.sub(r",? ?metadata=\{[^}]*\}", "", module[start.start() if start else 0:])
    text = re.sub(r"^((ENTRY )?%\S+ )\(.*$", r"\1", text, flags=re.M)  # names of parameters; each is given again inside
    names: dict[str, str] = {}
    return re.sub(r"%[\w.-]+", lambda name: names.setdefault(name[0], f"%{len(names)}"), text)


def difference(wanted: list[np.ndarray], got: list[np.ndarray], tolerance: float) -> str:
    """The first result that is not the wanted one, in words; nothing where all are. Whole numbers have to be equal,
    others may differ by tolerance times themselves and a tenth of it times the largest of the array."""
    for number, (a, b) in enumerate(zip(wanted, got, strict=True)):
        if not jnp.issubdtype(a.dtype, jnp.inexact):
            bad, allowed, wide, other = a != b, 0.0, a, b
        else:
            kind = np.complex128 if jnp.issubdtype(a.dtype, jnp.complexfloating) else np.float64
            wide, other = a.astype(kind), b.astype(kind)
            relative = max(tolerance, 8 * float(jnp.finfo(a.dtype).eps))
            size = np.abs(wide[np.isfinite(wide)]).max(initial=0)
            allowed = relative * np.abs(wide) + relative / 10 * size
            with np.errstate(invalid="ignore"):
                near = (np.abs(wide - other) <= allowed) & np.isfinite(wide) & np.isfinite(other)
            bad = ~(near | (wide == other) | (np.isnan(wide) & np.isnan(other)))
        if bad.any():
            at = tuple(int(i) for i in np.argwhere(bad)[0])
            return f"result {number} differs in {int(bad.sum())} of {a.size} places, first {a[at]} and {b[at]} at {at}"
    return ""
