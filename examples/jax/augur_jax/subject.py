# SPDX-License-Identifier: MIT
"""A program in front of XLA's layout assignment, with what `tgraph import` makes of it."""
import glob
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .drawing import Config, Drawing
from .hlo import constrained, instructions, stablehlo
from .program import Program
from .refused import Refused
from .worker import Failed, Worker, measure

Arrays = dict[str, np.ndarray]
Made = tuple[Callable[..., Any], tuple[Any, ...]]  # a function, its arguments
DRAWN = 64  # configurations of TpuGraphs' own drawing
SECONDS, ROUNDS = 0.08, 120  # of a variant: most of the time goes into compiling it


class Subject:
    """The worker's original is the module in front of layout assignment, compiled again."""

    def __init__(self, worker: Worker, tgraph: str, made: Made, seed: int):
        program, self.worker, self.tgraph = Program(*made), worker, tgraph
        module = program.module({})
        worker.change(program.leaves, module)
        self.text = before_layouts(worker, module)
        worker.change(program.leaves, converted(self.text))
        worker.ready()
        self.of = instructions(self.text)
        self.graph = self.imported(DRAWN, seed)
        if len(self.of) != len(self.graph["node_opcode"]):  # configurations would be of other nodes
            raise Failed("its module has instructions that are not understood")
        self.places = self.graph["node_config_ids"].tolist()
        self.drawing = Drawing([self.of[place] for place in self.places], self.of, self.graph["node_config_feat"],
                               np.random.default_rng(seed))

    def measured(self, config: Config, known: Mapping[str, Any]) -> dict[str, Any]:
        """As worker.measure."""
        wanted = {self.places[node]: layouts for node, layouts in self.drawing.layouts(config).items()}
        return measure(self.worker, converted(constrained(self.text, self.of, wanted)), {}, known, SECONDS,
                       ROUNDS)

    def imported(self, configs: int | Arrays, seed: int = 0) -> Arrays:
        """A layout file of the module, with so many drawn configurations or with these."""
        with tempfile.TemporaryDirectory() as folder:
            module, given, out = (os.path.join(folder, name) for name in ("module.txt", "configs.npz", "out.npz"))
            with open(module, "w", encoding="utf-8") as file:
                file.write(self.text)
            if not isinstance(configs, int):
                np.savez(given, **configs)
            what = str(configs) if isinstance(configs, int) else given
            try:
                subprocess.run([self.tgraph, "import", module, "--out", out, "--configs", what, "--seed", str(seed),
                                "--quiet"], check=True, capture_output=True, text=True)
            except OSError as reason:
                raise Refused(f"{self.tgraph} cannot be started ({reason.strerror}); build or install it, and name it "
                              "with --tgraph") from None
            except subprocess.CalledProcessError as reason:
                why = reason.stderr.strip() or f"{self.tgraph} ended with {reason.returncode}"
                raise Refused(f"a program cannot be imported: {why}") from None
            with np.load(out) as arrays:
                return dict(arrays)


def before_layouts(worker: Worker, module: bytes) -> str:
    """The text of a module as it is when XLA begins to choose layouts."""
    with tempfile.TemporaryDirectory() as folder:
        worker.call("build", "dumped", module, {"xla_dump_to": folder, "xla_dump_hlo_pass_re": "layout-assignment",
                                                "xla_dump_hlo_as_text": True, "xla_dump_large_constants": True})
        paths = glob.glob(os.path.join(glob.escape(folder), "*.before_layout-assignment.txt"))
        if len(paths) != 1:
            raise Failed("XLA has not written the module")
        with open(paths[0], encoding="utf-8") as file:
            return file.read()


def converted(text: str) -> bytes:
    try:
        return stablehlo(text)
    except Exception as reason:  # XLA raises many kinds
        raise Failed(f"{type(reason).__name__}: {reason}"[:400]) from None
