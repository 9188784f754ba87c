# SPDX-License-Identifier: MIT
"""The Markdown of a results page from what `bench --json` wrote, or from runs that it makes itself.

    python page.py run.json... > page.md
    python page.py --bench build/release/bin/bench --peer PYTHON --keep build/runs > page.md
    python page.py --bench build/v3/bin/bench --peer PYTHON --keep build/runs-avx2 --only "score" > page.md

With --bench the rows run one after the other, each in a bench of its own: at a real-time priority where that is
allowed, and with a pause after it, so that other programs get their turn. --keep is a folder for the JSON files; those
that lie there are not measured again. Rows of benches that were compiled for different instructions make parts of their
own. Needs nothing but Python.
"""
import argparse
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

# part of the bench, the row, rounds with a peer: a minute each at most
RUNS = (("steps", "step 32x1000", 5), ("steps", "step 64x1000", 3), ("steps", "step 128x500", 3),
        ("steps", "tpu lstm shared 16", 9), ("steps", "tpu lstm shared 64", 7), ("steps", "tpu lstm separate 16", 9),
        ("steps", "tpu lstm separate 64", 7), ("steps", "tpu transformer 16", 9), ("steps", "tpgnn 64x500", 15),
        ("steps", "tpgnn 1x500", 9), ("infer", "score tgraph", 3), ("infer", "rank nodes", 3),
        ("infer", "rank kernel", 9), ("infer", "score tpgnn", 15), ("gemm", "", 11), ("ops", "", 9))


def number(x, digits=3):
    """Three digits that count: 1234, 123, 12.3, 1.23."""
    if x == 0:
        return "0"
    places = 0
    while places < digits + 2 and abs(x) * 10 ** places < 10 ** (digits - 1):
        places += 1
    return f"{x:,.{places}f}"


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def both(row, key, least):
    return f"{row[key]:.2f} ({row[least]:.2f})"


def forms_of(rows):
    names = []
    for row in rows:
        names += [form for form in row["peers"] if form not in names]
    return names


def beside(rows, scores):
    """Rows that have peers: training steps, or scores."""
    forms, lines, notes = forms_of(rows), [], []
    for row in rows:
        line = [row["name"], f"{number(row['median_ms'])} ({number(row['min_ms'])})",
                both(row, "x_floor", "x_floor_least")]
        if scores:
            line.insert(1, number(row["per_second"]))
        line.append(number(row["growth_mb"]))
        for form in forms:
            peer = row["peers"].get(form)
            if peer and "failed" in peer:
                notes.append(f"{row['name']}: {form} cannot run here: {peer['failed']}")
            line.append("" if not peer else "-" if "failed" in peer else
                        f"{both(peer, 'ratio', 'ratio_least')}; {peer.get('memory_ratio', 0):.2f}")
        lines.append(line)
    head = ["row", "ms (least)", "of the floor (least)", "MB", *(f"{form} / ours (least); memory" for form in forms)]
    if scores:
        head.insert(1, "configurations/s")
    return table(head, lines) + "".join(f"\n{note}\n" for note in notes)


def percent(part):
    return f"{part['percent']:.0f} ({part['percent_least']:.0f})" if part else ""


def gemm(rows):
    """A line per shape and way."""
    lines = []
    for row in rows:
        peer = row.get("onednn")
        lines.append([row["name"], row["shape"], number(row["median_ms"]), percent(row), percent(row.get("core")),
                      percent(peer), f"{peer['median_ms'] / row['median_ms']:.2f} ({peer['min_ms'] / row['min_ms']:.2f})"
                      if peer else ""])
    return table(["product", "shape", "ms", "op, % of the probe (least)", "core", "oneDNN", "oneDNN / op (least)"], lines)


def ops(rows):
    lines = []
    for row in rows:
        copy = row.get("copy")
        lines.append([row["name"], row["shape"], number(row["median_ms"]), f"{row['median_ms'] / row['floor_ms']:.2f}",
                      f"{copy['median_ms'] / row['median_ms']:.2f}" if copy else ""])
    return table(["op", "shape", "ms", "of the floor", "copy / ours"], lines)


def head(runs):
    """The facts of all runs of a part; rates are the best, since each run measures its own."""
    first = runs[0]
    numbers = first["cpu_numbers"]
    peers = [run["peer"] for run in runs if run["peer"]]
    versions = {key: value for peer in reversed(peers) for key, value in peer.items()}
    fma = [run["fma_gflops"] for run in runs]
    copy = [run["copy_gbs"] for run in runs]
    lines = [f"Measured {min(run['date'] for run in runs)[:10]} on {first['cpu']} (family {numbers.get('cpu family', '?')},"
             f" model {numbers.get('model', '?')}, stepping {numbers.get('stepping', '?')}), {first['cores']} cores,"
             f" {first['threads']} threads used, {first['system']}; compiled by {first['compiler']}, {first['build']},"
             f" {first['flags'] or 'no flags'}: {first['isa_compiled']}, used {first['isa_used']}, the processor has"
             f" {first['isa_processor']}. oneDNN of the products: {first['onednn']}."]
    if versions:
        lines.append("Peers: " + ", ".join(f"{key} {value}" for key, value in versions.items()) + ".")
    lines.append(f"FMA probe {min(fma):.0f} to {max(fma):.0f} GFLOP/s, copy {min(copy):.0f} to {max(copy):.0f} GB/s from run"
                 " to run; each floor is that of its own run.")
    return "\n".join(lines) + "\n"


PARTS = (("Training steps", ("step", "tpu", "tpgnn"), lambda rows: beside(rows, False)),
         ("Scores", ("infer",), lambda rows: beside(rows, True)), ("Products", ("gemm",), gemm), ("Ops", ("ops",), ops))


def page(runs):
    out = ["# Bench\n\n[bench.md](../bench.md) explains the columns: medians, least times in brackets; memory is"
           " our growth over the peer's.\n"]
    for isa in dict.fromkeys(run["isa_used"] for run in runs):
        mine = [run for run in runs if run["isa_used"] == isa]
        out.append(f"## {isa}\n\n{head(mine)}")
        rows = [row for run in mine for row in run["rows"]]
        for title, parts, show in PARTS:
            chosen = [row for row in rows if row["part"] in parts]
            if chosen:
                out.append(f"### {title}\n\n{show(chosen)}")
    return "\n".join(out)


def real_time():
    """The words in front of a command, where they are allowed."""
    words = ["chrt", "-f", "5"]
    allowed = shutil.which("chrt") and subprocess.run([*words, "true"], stderr=subprocess.DEVNULL).returncode == 0
    return words if allowed else []


def measure(a):
    """The files of the runs, in the order of RUNS."""
    folder, files, front = Path(a.keep), [], real_time()
    folder.mkdir(parents=True, exist_ok=True)
    for part, row, rounds in RUNS:
        name = f"{part} {row}".strip()
        file = folder / (name.replace(" ", "-") + ".json")
        if a.only and a.only not in name:
            continue
        files.append(file)
        if file.exists():
            continue
        command = [*front, a.bench, f"--{part}", "--json", str(file)]
        command += ["--only", row] if row else []
        command += ["--quick"] if a.quick else ["--rounds", str(rounds)]
        command += ["--peer", a.peer] if a.peer and row else []
        command += ["--forms", a.forms] if a.forms else []
        print(" ".join(command), file=sys.stderr)
        subprocess.run(command, check=True, stdout=sys.stderr)
        time.sleep(0 if a.quick else a.pause)
    return files


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("files", nargs="*", help="what bench --json wrote")
    p.add_argument("--bench", help="runs this bench first")
    p.add_argument("--peer", help="its Python with PyTorch and PyG")
    p.add_argument("--forms", help="forms of the peer, with commas between (all)")
    p.add_argument("--keep", default="build/bench-runs", help="folder of the JSON files (build/bench-runs)")
    p.add_argument("--only", help="runs whose name has this in it")
    p.add_argument("--pause", type=float, default=20, help="seconds after each run (20)")
    p.add_argument("--quick", action="store_true", help="checks the page itself, measures nothing")
    a = p.parse_args()
    files = a.files + (measure(a) if a.bench else [])
    if not files:
        p.error("no file, and no --bench to make one")
    runs = [json.loads(Path(file).read_text()) for file in files]
    for file, run in zip(files, runs):
        if run.get("format") != "augur-bench-1":
            p.error(f"{file} is not what bench --json writes: its format is {run.get('format')!r}")
    print(page(runs), end="")


if __name__ == "__main__":
    main()
