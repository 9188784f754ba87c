# SPDX-License-Identifier: MIT
"""compare.py BUILD: examples/small and their twins here, in turn, each in a process of its own: seconds of the clock, largest
resident memory, and lines that are neither empty nor comments. Run it from the root of the sources; it needs PyTorch and PyG in
the Python that runs it."""

import os
import pathlib
import re
import subprocess
import sys
import time

here = pathlib.Path(__file__).resolve().parent
small = here.parents[2] / "examples" / "small"
arguments = {"characters": [str(small / "characters.c")]}


def lines(path):
    comments = r"/\*.*?\*/" if path.suffix == ".c" else r'""".*?"""|^ *#[^\n]*'
    source = re.sub(comments, "", path.read_text(), flags=re.S | re.M)
    return sum(1 for line in source.splitlines() if line.strip())


def run(command):
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, use = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"compare.py: {' '.join(command)} failed")
    return time.monotonic() - start, use.ru_maxrss / 1024


print("| program | ours: s | MiB | twin: s | MiB | lines of C / Python |\n|---|---|---|---|---|---|")
for source in sorted(small.glob("*.c")):
    twin = here / f"{source.stem}.py"
    own = arguments.get(source.stem, [])
    pairs = [
        (run([f"{sys.argv[1]}/bin/small_{source.stem}", *own]), run([sys.executable, str(twin), *own]))
        for _ in range(3)
    ]
    (s, m), (twin_s, twin_m) = ([sorted(p[k][i] for p in pairs)[1] for i in (0, 1)] for k in (0, 1))
    print(f"| {source.stem} | {s:.2f} | {m:.0f} | {twin_s:.2f} | {twin_m:.0f} | {lines(source)} / {lines(twin)} |")
