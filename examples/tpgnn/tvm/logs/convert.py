# SPDX-License-Identifier: MIT
"""Training files from the records of databases, one per program and target. Each is made in a process of its own."""
import functools
import hashlib
import os
import platform

import alone
import manifest
import replay
import tvm_setup


def name_of(program, task, target):
    """FAMILY_HASH_TARGET: what tpgnn calls the family is before the first underscore. The last part tells apart the
    targets that a program was tuned for."""
    return f"{replay.family(program)}_{task}_{hashlib.sha1(target.encode()).hexdigest()[:8]}"


def machine(target):
    """The manifest's machine: a database has a target, and no CPU."""
    return {"source": "tuning records of MetaSchedule", "python": platform.python_version(),
            **tvm_setup.versions(), "target": target}


def convert(folder, groups, say):
    """groups: {(task, target as text): (workload's JSON, [record's JSON])}. Returns a sentence about the whole."""
    book = manifest.Manifest(folder)
    said_path = os.path.join(folder, "collect.log")
    log = os.open(said_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    alone.heed_signals()
    files, schedules = 0, 0
    for (task, target), (workload, found) in groups.items():
        name, facts, content = one(task, target, workload, found, log)
        if content:
            book.measured_on(machine(target))
            book.add(name, facts, content)
            files, schedules = files + 1, schedules + facts["schedules"]
        say(line(name, facts, len(found), said_path))
    os.close(log)
    book.lock.close()
    return f"{folder}: {schedules:,} schedules in {files:,} training files of {len(groups):,} tasks."


def one(task, target, workload, found, log):
    """(name, facts, bytes of the file or None) of a program on a target."""
    try:
        program = replay.program(workload)
    except Exception as reason:  # TVM raises many kinds of them
        return f"workload {task}", {"schedules": 0, "reason": f"TVM {tvm_setup.tvm.__version__} cannot read this "
                                    f"program ({last_line(reason)}); convert it with the version of TVM that wrote "
                                    "it"}, None
    name = name_of(program, task, target)
    rows_of = functools.partial(replay.rows, workload, found)
    return name, *alone.run(name, rows_of, log)


def last_line(reason):
    lines = str(reason).strip().splitlines()
    return lines[-1].strip()[:160] if lines else type(reason).__name__


def line(name, facts, records, said_path):
    if not facts["schedules"]:
        return f"{name}: no schedule of {records:,} records; " + facts.get("reason", f"see {said_path}")
    lost = ", ".join(f"{count:,} {reason}" for reason, count in facts["not_measured"].items() if count)
    return (f"{name}: {facts['schedules']:,} schedules of {records:,} records, {facts['fastest_ns'] / 1e3:.1f} to "
            f"{facts['slowest_ns'] / 1e3:.1f} us" + (f"; not used: {lost}" if lost else ""))
