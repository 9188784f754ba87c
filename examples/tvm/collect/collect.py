#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures random schedules of tensor programs on this CPU, for the cost model TPGNN. See docs/tpgnn-collect.md.

    pip install -r requirements.txt
    python collect.py --out DIR --minutes 60
"""
import argparse
import fnmatch
import sys
import time

import processes
import workloads
from command import OK, USAGE, add_measuring, attempt, check_core, complain, number


def parser():
    p = argparse.ArgumentParser(description="Measures schedules of tensor programs (TVM, MetaSchedule) on one core of "
                                "this CPU and writes an npz file each. The same command goes on where it ended.")
    add = p.add_argument
    add("--out", metavar="DIR", help="folder for the files and manifest.json; made if it is not there")
    add("--minutes", type=number(float, 0.01, 1e5), default=60, help="start no workload after so long (60)")
    add("--workloads", nargs="+", metavar="NAME", default=["*"],
        help="kinds (matmul), patterns ('conv2d-*', in quotes) or workloads of any shape (matmul_300_200_100); all")
    add("--per-workload", type=number(int, 2, 2000), default=60, metavar="N", help="schedules of each workload (60)")
    add("--shapes", type=number(int, 1, 1000), default=12, metavar="N", help="shapes of each kind (12)")
    add("--seed", type=number(int, 0, 2**31 - 1), default=0, help="of shapes, schedules and inputs (0)")
    add_measuring(add, 100)
    add("--list", action="store_true", help="print the names of the workloads and end")
    return p


def choose(wanted, shapes, seed):
    """Names of the workloads that --workloads means. Raises ValueError with a sentence."""
    listed, chosen = workloads.listed(shapes, seed), {}
    for word in wanted:
        if any(c in word for c in "*?["):
            found = fnmatch.filter(listed, word)
            if not found:
                raise ValueError(f"--workloads {word}: no workload has such a name; --list prints them all")
        elif word in workloads.KINDS:
            found = [name for name in listed if name.split("_")[0] == word]
        else:
            workloads.parse(word)
            found = [word]
        chosen.update(dict.fromkeys(found))
    return sorted(chosen, key=listed.index) if set(chosen) <= set(listed) else list(chosen)


def collect(options, names):
    import files  # needs NumPy
    import measure

    book = files.Manifest(options.out)
    left = [name for name in names if not book.has(name)]
    if not left:
        print(f"{options.out}: all {len(names)} workloads are measured already.")
        return OK
    limits = measure.Limits(options.compile_seconds, options.slowest_ms / 1000, options.core)
    import gather  # loads TVM
    import tvm_setup

    processes.heed_signals()
    book.measured_on(files.machine(tvm_setup.versions(), limits, options.jobs))
    log = processes.open_log(options.out, "collect.log")
    start, now = time.monotonic(), 0
    for name in left:
        if time.monotonic() - start > 60 * options.minutes:
            break
        facts, content = files.make(name, lambda tell: gather.gather(name, options.per_workload, options.seed,
                                                                     options.jobs, limits, tell), log)
        book.add(name, facts, content)
        now += facts["schedules"]
        sys.stderr.write(line(name, facts) + "\n")
    print(summary(options.out, book, now, sum(not book.has(name) for name in names)))
    return OK


def line(name, facts):
    if not facts["schedules"]:
        return f"{name}: no schedule; {facts.get('reason', 'none could be measured')}"
    return (f"{name}: {facts['schedules']} schedules in {facts['seconds']:.0f} s, {facts['fastest_ns'] / 1e3:.1f} to "
            f"{facts['slowest_ns'] / 1e3:.1f} us, noise {facts['noise']:.3f}, spread {facts['spread']:.2f}")


def summary(folder, book, now, left):
    count, size = book.total("schedules"), book.total("bytes")
    lost = ", ".join(f"{n:,} {reason}" for reason, n in book.not_measured().items())
    text = (f"{folder}: {count:,} schedules of {len(book.value['workloads']):,} workloads, {size / 1e6:.2f} MB, "
            f"{size / max(count, 1):.0f} bytes a schedule; {now:,} of them now.")
    text += f"\nNot measured: {lost}." if lost else ""
    return text + (f"\n{left:,} workloads are left; the same command goes on with them." if left else "")


def main(arguments=None):
    options = parser().parse_args(arguments)
    try:
        names = choose(options.workloads, options.shapes, options.seed)
        if options.list:
            print("\n".join(names))
            return OK
        if not options.out:
            raise ValueError("say with --out DIR where the files shall go; --help explains all options")
        check_core(options.core)
    except ValueError as reason:
        complain("collect", reason)
        return USAGE
    return attempt("collect", lambda: collect(options, names), options.out)


if __name__ == "__main__":
    sys.exit(main())
