# SPDX-License-Identifier: MIT
"""A tuned program: its file, the function that it makes of the user's, and its table."""
import functools
import json
import math
import os
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import jax

from . import machine
from .program import options_of
from .refused import Refused
from .rewrite import Walk, described, fingerprint, trace
from .sites import Candidate, Site

FORMAT = "augur_jax 1"


@dataclass
class Tuned:
    """winner: site and choice, empty where the original wins. ratio: of its time to the original's, measured again.
    machine: what it holds for. counts: of variants by what became of them. wrong: those with other results, named.
    measured: of each variant seconds since the start, and the ratio of its time."""

    name: str
    program: str
    arguments: list[str]
    machine: dict[str, str | int]
    tolerance: float
    sites: list[Site]
    winner: Candidate
    ratio: float
    noise: float
    original_ns: float
    shares: dict[int, float]
    counts: dict[str, int]
    wrong: list[str] = field(default_factory=list)
    measured: list[tuple[float, float]] = field(default_factory=list)
    format: str = FORMAT

    @property
    def options(self) -> dict[str, Any]:
        """The compile options of the winner, as jax.jit takes them."""
        return options_of(self.sites, self.winner)

    def write(self, path: str) -> None:
        """The file appears whole or not at all."""
        sites = [{**asdict(s), "facts": {k: float(v) for k, v in s.facts.items()}} for s in self.sites]
        value = {**asdict(self), "sites": sites}
        with open(f"{path}.part", "w", encoding="utf-8") as file:
            json.dump(value, file, indent=1)
        os.replace(f"{path}.part", path)

    @staticmethod
    def read(path: str) -> "Tuned":
        try:
            with open(path, encoding="utf-8") as file:
                value = json.load(file)
            if value["format"] != FORMAT:
                raise Refused(f"{path} has the format {value['format']}, and this version reads {FORMAT}; tune again")
            value["sites"] = [Site(**{**s, "choices": tuple(s["choices"])}) for s in value["sites"]]
            for name in ("winner", "shares"):
                value[name] = {int(k): v for k, v in value[name].items()}
            tuned = Tuned(**value)
            if any(c not in tuned.sites[k].choices for k, c in tuned.winner.items()):
                raise ValueError
            if not all(0 <= at < math.inf and 0 < ratio < math.inf for at, ratio in tuned.measured):
                raise ValueError
            texts = [tuned.name, *tuned.wrong, *(text for s in tuned.sites for text in (s.kind, s.what, s.where))]
            if not all(isinstance(text, str) for text in texts):
                raise ValueError
            tuned.table()  # whatever else is missing
            return tuned
        except OSError as reason:
            raise Refused(f"{path} cannot be read: {reason.strerror}; give a file of augur-jax tune") from None
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            raise Refused(f"{path} is not what augur-jax tune writes; tune again") from None

    def table(self) -> str:
        head = [f"{self.name}({', '.join(self.arguments)})",
                ", ".join(f"{k} {v}" for k, v in self.machine.items())]
        said = (f"original {self.original_ns / 1e6:.3f} ms, tuned {self.original_ns * self.ratio / 1e6:.3f} ms: "
                f"{self.ratio:.3f} of its time, noise {self.noise:.3f}")
        if not self.winner:
            said = (f"original {self.original_ns / 1e6:.3f} ms: nothing is faster by more than twice the noise, "
                    f"{self.noise:.3f}")
        rows = [("site", "what", "source", "choice", "share of the gain")]
        for k, choice in sorted(self.winner.items()):
            site = self.sites[k]
            rows.append((f"{k} {site.kind}", site.what, site.where, choice, f"{100 * self.shares.get(k, 0):.0f} %"))
        if len(rows) > 1:
            widths = [max(map(len, column)) for column in zip(*rows)]
            head += ["", *("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows), ""]
        kept = sum(site.kind != "option" and k not in self.winner for k, site in enumerate(self.sites))
        tail = [said, f"{kept} of {sum(s.kind != 'option' for s in self.sites)} sites are kept; "
                + ", ".join(f"{n} {what}" for what, n in self.counts.items())]
        return "\n".join([*head, *tail, *(f"wrong: {name}" for name in self.wrong)])

    def apply(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """f with the winner's choices, compiled when it is called; f itself and a warning where it is another program.
        """
        def tuned(*args: Any, **named: Any) -> Any:
            closed, tree = trace(f, args, named)
            if fingerprint(closed) != self.program:
                warnings.warn(f"{self.name} is not the program that was tuned, for ({', '.join(self.arguments)}), but "
                              f"another one, for ({', '.join(described(closed))}): it runs as it is; tune it again",
                              stacklevel=2)
                return f(*args, **named)
            chosen = {k: c for k, c in self.winner.items() if self.sites[k].kind != "option"}
            out = Walk(chosen).run(closed.jaxpr, closed.consts, jax.tree.leaves((args, named)))
            return jax.tree.unflatten(tree, out)
        inside, options = jax.jit(tuned), self.options
        alone = jax.jit(tuned, compiler_options=options) if options else inside

        @functools.wraps(f)
        def call(*args: Any, **named: Any) -> Any:
            if not any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves((args, named))):
                return alone(*args, **named)
            if options:  # JAX takes them only of the outermost jit
                warnings.warn(f"{self.name} is called inside of another transformation, which has to be compiled with "
                              f"jax.jit(..., compiler_options={options})", stacklevel=2)
            return inside(*args, **named)
        return call


def load(path: str, f: Callable[..., Any]) -> Callable[..., Any]:
    """f as it was tuned; f itself and a warning where the file was made with another jaxlib, processor or number of
    threads, and at a call with another program."""
    tuned, here = Tuned.read(path), machine.described()
    foreign = [f"{k} {tuned.machine.get(k)}, not {value}" for k, value in here.items() if tuned.machine.get(k) != value]
    if foreign:
        warnings.warn(f"{path} was made with {'; '.join(foreign)}: the function runs as it is; tune it again",
                      stacklevel=2)
        return f
    return tuned.apply(f) if tuned.winner else f


def show(path: str) -> str:
    """The table of a file: each site that is written in another way, with its source, choice and share of the gain."""
    return Tuned.read(path).table()
