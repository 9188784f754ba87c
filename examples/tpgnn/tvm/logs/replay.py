# SPDX-License-Identifier: MIT
"""Schedules from the records of a database: TVM replays the trace of each on its program."""
import time

import tvm_setup  # before anything of TVM
import candidate
import gather
import schedules
import tvm_ffi
from tvm.s_tir import Schedule
from tvm.s_tir import meta_schedule as ms
from tvm.target import Target


def program(workload):
    """The module of a workload's JSON. Raises what TVM raises."""
    return ms.database.Workload.from_json(workload).mod


def family(module):
    """A word for programs of a kind: the first block that sums over something, else the last."""
    schedule = Schedule(module)
    blocks = schedule.get_child_blocks(schedule.get_sblock("root", func_name=main_name(module)))
    sums = [block for block in blocks if not schedules.is_injective(schedule, block)]
    named = schedule.get((sums[:1] or blocks[-1:])[0]).name_hint
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in named).strip("-")[:40] or "program"


def main_name(module):
    """Name of the function of a module. Raises ValueError where there is not one."""
    names = [str(variable.name_hint) for variable in module.functions]
    if len(names) != 1:
        raise ValueError(f"the module has the functions {names}, but must have one")
    return names[0]


class Times:
    """All records of one lowered program: each is a pass of measurements."""

    def __init__(self, facts, identity):
        self.facts, self.identity, self.passes = facts, identity, []

    def row(self):
        """One record with several run times is two passes; a single run time stays alone, and is marked as noisy."""
        passes = self.passes
        if len(passes) == 1 and len(passes[0]) > 1:
            half = len(passes[0]) // 2
            passes = [passes[0][:half], passes[0][half:]]
        return {"tree": self.facts["tree"], "features": self.facts["features"], "origin": schedules.TUNED,
                "hash": self.identity, "passes": passes}


def rows(workload, found, tell):
    """(rows of columns.pack, facts of the manifest). found: JSON of the records of one program and target."""
    start, owner = time.monotonic(), ms.database.Workload.from_json(workload)
    contexts, times, counts = {}, {}, {"invalid": 0, "duplicates": 0}
    for place, each in enumerate(found):
        try:
            facts, identity = known(owner, each, contexts)
        except Exception as reason:  # TVM raises many kinds of them for a trace that does not fit
            print(f"{workload[0]}, record {place}: {reason}", flush=True)
            counts["invalid"] += 1
            continue
        mark = facts["tree"].mark()
        if mark in times:
            counts["duplicates"] += 1
        times.setdefault(mark, Times(facts, identity)).passes.append([max(s, 1e-9) for s in each[1] if s < 1e9])
        tell()
    made = [t.row() for t in times.values()]
    return made, {**gather.known_of(made), "not_measured": counts, "seconds": round(time.monotonic() - start, 1)}


def known(owner, record, contexts):
    """(tree and features, structural hash) of a record's schedule."""
    schedule = ms.database.TuningRecord.from_json(record, owner).as_measure_candidate().sch
    key = str(record[2])
    if key not in contexts:
        contexts[key] = ms.TuneContext(mod=owner.mod, target=Target(record[2]) if record[2] else tvm_setup.TARGET)
    facts = candidate.known(contexts[key], schedule, main_name(owner.mod))
    return facts, tvm_ffi.structural_hash(schedule.mod)
