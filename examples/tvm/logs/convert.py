# SPDX-License-Identifier: MIT
"""Training files from the records of databases, one per program and target. Each is made in a process of its own, in
which TVM replays the trace of each record on its program."""
import hashlib
import os
import platform
import time
from functools import partial

import tvm_setup  # before anything of TVM
import candidate
import files
import gather
import processes
import schedules
import tvm_ffi
from tvm.s_tir import Schedule
from tvm.s_tir import meta_schedule as ms
from tvm.target import Target

# ---- one program ----


def main_name(module):
    """Name of the function of a module. Raises ValueError where there is not one."""
    names = [str(variable.name_hint) for variable in module.functions]
    if len(names) != 1:
        raise ValueError(f"the module has the functions {names}, but must have one")
    return names[0]


def family(module):
    """A word for programs of a kind: the first block that sums over something, else the last."""
    schedule = Schedule(module)
    blocks = schedule.get_child_blocks(schedule.get_sblock("root", func_name=main_name(module)))
    sums = [block for block in blocks if not schedules.is_injective(schedule, block)]
    named = schedule.get((sums[:1] or blocks[-1:])[0]).name_hint
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in named).strip("-")[:40] or "program"


def passes_of(records):
    """Every record of a schedule is a pass. A single one with several run times is two; a single run time stays one,
    and is marked as noisy."""
    if len(records) > 1 or len(records[0]) == 1:
        return records
    half = len(records[0]) // 2
    return [records[0][:half], records[0][half:]]


def row_of(owner, record, contexts):
    """The row of columns.pack of a record's schedule, without passes."""
    schedule = ms.database.TuningRecord.from_json(record, owner).as_measure_candidate().sch
    key = str(record[2])
    if key not in contexts:
        contexts[key] = ms.TuneContext(mod=owner.mod, target=Target(record[2]) if record[2] else tvm_setup.TARGET)
    return {**candidate.known(contexts[key], schedule, main_name(owner.mod)), "origin": schedules.TUNED,
            "hash": tvm_ffi.structural_hash(schedule.mod), "passes": []}


def rows(workload, found, tell):
    """(rows of columns.pack, facts of the manifest). found: JSON of the records of one program and target."""
    start, owner = time.monotonic(), ms.database.Workload.from_json(workload)
    contexts, made, counts = {}, {}, {"invalid": 0, "duplicates": 0}
    for place, record in enumerate(found):
        try:
            row = row_of(owner, record, contexts)
        except Exception as reason:  # TVM raises many kinds of them for a trace that does not fit
            print(f"{workload[0]}, record {place}: {reason}", flush=True)
            counts["invalid"] += 1
            continue
        mark = row["tree"].mark()
        counts["duplicates"] += mark in made
        made.setdefault(mark, row)["passes"].append([max(s, 1e-9) for s in record[1] if s < 1e9])
        tell()
    different = [{**row, "passes": passes_of(row["passes"])} for row in made.values()]
    return different, {**gather.known_of(different), "not_measured": counts,
                       "seconds": round(time.monotonic() - start, 1)}


# ---- all of them ----


def one(task, target, workload, found, log):
    """(name, facts, bytes of the file or None) of a program on a target. What tpgnn calls the family is before the first
    underscore of a name; its last part tells apart the targets that a program was tuned for."""
    try:
        kind = family(ms.database.Workload.from_json(workload).mod)
    except Exception as reason:  # TVM raises many kinds of them
        said = (str(reason).strip().splitlines() or [type(reason).__name__])[-1].strip()[:160]
        return f"workload {task}", {"schedules": 0, "reason": f"TVM {tvm_setup.tvm.__version__} cannot read this "
                                    f"program ({said}); convert it with the version of TVM that wrote it"}, None
    name = f"{kind}_{task}_{hashlib.sha1(target.encode()).hexdigest()[:8]}"
    return name, *files.make(name, partial(rows, workload, found), log)


def convert(folder, groups, say):
    """groups: {(task, target as text): (workload's JSON, [record's JSON])}. Returns a sentence about the whole."""
    book = files.Manifest(folder)
    log = processes.open_log(folder, "collect.log")
    processes.heed_signals()
    made = []
    for (task, target), (workload, found) in groups.items():
        name, facts, content = one(task, target, workload, found, log)
        if content:  # a database has a target, and no CPU
            book.measured_on({"source": "tuning records of MetaSchedule", "python": platform.python_version(),
                              **tvm_setup.versions(), "target": target})
            book.add(name, facts, content)
            made.append(facts["schedules"])
        say(line(name, facts, len(found), os.path.join(folder, "collect.log")))
    os.close(log)
    book.lock.close()
    return f"{folder}: {sum(made):,} schedules in {len(made):,} training files of {len(groups):,} tasks."


def line(name, facts, records, said_path):
    if not facts["schedules"]:
        return f"{name}: no schedule of {records:,} records; " + facts.get("reason", f"see {said_path}")
    lost = ", ".join(f"{count:,} {reason}" for reason, count in facts["not_measured"].items() if count)
    return (f"{name}: {facts['schedules']:,} schedules of {records:,} records, {facts['fastest_ns'] / 1e3:.1f} to "
            f"{facts['slowest_ns'] / 1e3:.1f} us" + (f"; not used: {lost}" if lost else ""))
