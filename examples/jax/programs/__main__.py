# SPDX-License-Identifier: MIT
"""Tunes all programs, or those that are named, and measures the winners again: python -m programs --help."""
import argparse
import math
import os
import sys
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import augur_jax
from augur_jax import machine
from augur_jax.command import number
from augur_jax.journal import Journal
from augur_jax.prior import Prior, effects, picks
from augur_jax.program import Program
from augur_jax.search import GOOD, Search, turns
from augur_jax.sites import Candidate, Site, key
from augur_jax.tuner import prior_of
from augur_jax.worker import Failed, Lost, Worker

from . import PROGRAMS

PICKS, TOLERANCE = 10, 1e-3


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="python -m programs",
                                description="Tunes the programs of this folder, and measures the winners again in a "
                                "second process. The same command goes on where it ended.")
    p.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PROGRAMS)} (all)")
    p.add_argument("--out", required=True, metavar="DIR", help="folder for the files")
    p.add_argument("--minutes", type=number(float, 0.01, 10000), default=3, metavar="N", help="for each (3)")
    p.add_argument("--threads", choices=["1", "all"], default="all", help="1: CPU time of one thread (all)")
    p.add_argument("--model", metavar="FILE", help="as of augur-jax tune")
    p.add_argument("--picks", action="store_true",
                   help=f"no search: the model's {PICKS} picks, and {PICKS} random ones")
    return p


def tuned(f: Callable[..., Any], path: str, given: argparse.Namespace,
          threads: int | None) -> tuple[list[float], str]:
    """The winner's ratio; what else to say."""
    found = augur_jax.tune(f, *f.arguments(), minutes=given.minutes, out=f"{path}.json", threads=threads,
                           prior=given.model, quiet=True)
    ratio = 1.0
    if found.winner:
        program = Program(f, f.arguments())
        with Worker(program.leaves, program.module({}), threads or machine.threads(), TOLERANCE) as worker:
            ns = turns(program, worker, [{}, found.winner])
        ratio = sum(ns[2:]) / sum(ns[:2])
    said = f"{found.original_ns / 1e6:8.3f} ms  " + ", ".join(f"{n} {what}" for what, n in found.counts.items())
    return [ratio], said


def picked(f: Callable[..., Any], path: str, given: argparse.Namespace,
           threads: int | None) -> tuple[list[float], str]:
    """The ratio of the best of the model's picks and of the best of random ones; what else to say."""
    program, here = Program(f, f.arguments()), machine.described(threads)
    prior: Prior = prior_of(given.model)
    journal = Journal(f"{path}.picks.journal", {"program": program.fingerprint, **here}, program.sites)
    rng = np.random.default_rng(zlib.crc32(f.__name__.encode()))
    random = [random_of(program.sites, rng) for _ in range(PICKS)]
    named = picks(effects(prior, program.sites), program.sites, PICKS, np.random.default_rng(0)), random
    with Worker(program.leaves, program.module({}), int(here["threads"]), TOLERANCE) as worker:
        search = Search(program, worker, journal, prior, math.inf, lambda *_: None)
        best = []
        for stage, candidates in zip(("pick", "random"), named):
            for candidate in candidates:
                if key(candidate) not in search.known:
                    search.measure(stage, candidate)
            good = [line for line in (search.known[key(c)] for c in candidates) if line["state"] in GOOD]
            first = min(good, key=lambda line: line["ratio"], default={"ratio": 1, "candidate": {}})
            best.append(first["candidate"] if first["ratio"] < 1 else {})
        ns = turns(program, worker, [{}, *best])
    journal.close()
    ratios = [sum(ns[k:k + 2]) / sum(ns[:2]) if c else 1.0 for k, c in zip((2, 4), best)]
    distinct = [len({search.known[key(c)].get("hash") for c in candidates}) for candidates in named]
    return ratios, f"{sum(ns[:2]) / 2e6:8.3f} ms  {distinct[0]} and {distinct[1]} distinct"


def random_of(sites: Sequence[Site], rng: np.random.Generator) -> Candidate:
    """Other ways at a quarter of the sites, at one at least."""
    places = [k for k, site in enumerate(sites) if site.kind != "option"]
    chosen = {k: str(rng.choice(sites[k].choices[1:])) for k in places if rng.random() < 0.25}
    k = int(rng.choice(places))
    return chosen or {k: str(rng.choice(sites[k].choices[1:]))}


def main() -> None:
    p = parser()
    given = p.parse_args()
    for name in given.names:
        if name not in PROGRAMS:
            p.error(f"there is no program {name}; they are {', '.join(PROGRAMS)}")
    os.makedirs(given.out, exist_ok=True)
    columns, measure = (("model", "random"), picked) if given.picks else (("winner",), tuned)
    print("program            " + " ".join(f"{name:>7}" for name in columns) + "  (measured again in a second process)")
    whole = []
    for name in given.names or PROGRAMS:
        path = os.path.join(given.out, name)
        ratios, said = measure(PROGRAMS[name], path, given, 1 if given.threads == "1" else None)
        whole.append(ratios)
        print(f"{name:18} " + " ".join(f"{ratio:7.3f}" for ratio in ratios) + f"  {said}", flush=True)
    for name, of in zip(columns, zip(*whole)):
        mean = math.exp(sum(map(math.log, of)) / len(of))
        print(f"{name}: geometric mean {mean:.3f}, {sum(r <= 0.67 for r in of)} of {len(of)} at most 0.67, "
              f"largest {max(of):.3f}")


if __name__ == "__main__":
    try:
        main()
    except (augur_jax.Refused, Failed, Lost) as reason:
        sys.exit(f"programs: {reason}.")
