# SPDX-License-Identifier: MIT
"""Tunes all programs, or those that are named, and prints a line for each and the mean: python -m programs --help."""
from __future__ import annotations

import argparse
import math
import os

import augur_jax
from augur_jax.command import number

from . import PROGRAMS

p = argparse.ArgumentParser(prog="python -m programs",
                            description="Tunes the programs of this folder. The same command goes on where it ended.")
p.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PROGRAMS)} (all)")
p.add_argument("--out", required=True, metavar="DIR", help="folder for the files")
p.add_argument("--minutes", type=number(float, 0.01, 10000), default=3, metavar="N", help="for each (3)")
p.add_argument("--threads", choices=["1", "all"], default="all", help="1: CPU time of one thread (all)")
given = p.parse_args()
for name in given.names:
    if name not in PROGRAMS:
        p.error(f"there is no program {name}; they are {', '.join(PROGRAMS)}")
os.makedirs(given.out, exist_ok=True)
ratios = []
print(f"{'program':18} {'ms':>8} {'ratio':>6} {'noise':>6}  variants", flush=True)
for name in given.names or PROGRAMS:
    f = PROGRAMS[name]
    tuned = augur_jax.tune(f, *f.arguments(), minutes=given.minutes, out=os.path.join(given.out, f"{name}.json"),
                           threads=1 if given.threads == "1" else None, quiet=True)
    ratios.append(tuned.ratio)
    many = ", ".join(f"{n} {what}" for what, n in tuned.counts.items())
    print(f"{name:18} {tuned.original_ns / 1e6:8.3f} {tuned.ratio:6.3f} {tuned.noise:6.3f}  {many}", flush=True)
mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
print(f"geometric mean {mean:.3f}, {sum(r <= 0.67 for r in ratios)} of {len(ratios)} at most 0.67")
