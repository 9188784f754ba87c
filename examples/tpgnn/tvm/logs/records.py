# SPDX-License-Identifier: MIT
"""Records of the three formats. Each function checks the JSON of a line and returns a Record, or raises Bad.

    Ansor          {"i": [[task, target, ...], [[], [step, ...]]], "r": [...], "v": "v0.6"}
    AutoTVM        {"input": [target, template, arguments, {}], "config": {...}, "result": [...]}
    MetaSchedule   [workload, [trace, seconds, target, arguments]]
"""
import json
from dataclasses import dataclass, field

from lines import Bad, are, is_number, is_whole, shown

ANSOR, AUTOTVM, METASCHEDULE = "Ansor", "AutoTVM", "MetaSchedule"
# MeasureErrorNo of auto_scheduler and of autotvm, and one more.
ERRORS = ("none", "instantiation", "compile host", "compile device", "runtime device", "wrong answer", "build timeout",
          "run timeout", "unknown", "not measured")
UNKNOWN, NOT_MEASURED = 8, 9
NO_TIME = 1e9  # seconds; TVM writes this (AutoTVM) or more (the others) for "no run time"
# Arguments of Ansor's steps after the name, by transform_step.cc: i a whole number, l a list of them, s a text.
STEPS = {"AN": "iii", "FU": "il", "PR": "iis", "RE": "il", "SP": "iiili", "FSP": "iiii", "FFSP": "iilii", "SA": "iiii",
         "CA": "iii", "CI": "i", "CR": "i", "CHR": "isl", "CHW": "is", "RF": "iii"}
FITS = {"i": is_whole, "s": lambda value: isinstance(value, str), "l": lambda value: are(is_whole, value),
        "L": lambda value: isinstance(value, list)}
ENTITIES = {"sp": is_whole, "re": is_whole, "an": FITS["s"]}  # what lists of split, reorder and annotate hold


@dataclass
class Record:
    """seconds: the run times, empty with an error (an index into ERRORS). workload: MetaSchedule's number of it.
    steps: how many there are of each of Ansor's kinds. json: the whole line."""

    kind: str
    task: str
    target: str
    version: str
    json: object
    error: int = 0
    seconds: list = field(default_factory=list)
    workload: int = -1
    steps: dict = field(default_factory=dict)
    line: int = 0

    def mean(self):
        return sum(self.seconds) / len(self.seconds)


def record(value, hashes=None):
    """hashes: of the database's workloads, None for a bad one; no list where there are no workloads."""
    try:
        if isinstance(value, list):
            return metaschedule(value, hashes)
        if "i" in value:
            return ansor(value)
        if "input" in value:
            return autotvm(value)
    except RecursionError:
        raise Bad("the record is nested too deeply") from None
    raise Bad('this is no record: Ansor\'s has "i", AutoTVM\'s "input", and one of MetaSchedule is a list')


def add_result(record, name, result):
    """[[seconds, ...], error number, seconds in all, time]: Ansor's "r" and AutoTVM's "result"."""
    if not isinstance(result, list) or len(result) != 4:
        raise Bad(f"{name} is {shown(result)}, but must be [[run times], error number, seconds, time]")
    times, error, *others = result
    if not is_whole(error) or not 0 <= error <= UNKNOWN:
        raise Bad(f"the error number is {shown(error)}, but must be 0 to {UNKNOWN}")
    for place, other in enumerate(others, 2):
        if not is_number(other):
            raise Bad(f"{name}[{place}] is {shown(other)}, but must be a number")
    if not isinstance(times, list) or not times:
        raise Bad(f"{name}[0] is {shown(times)}, but must be a list of run times")
    for place, seconds in enumerate(times):
        if not is_number(seconds) or (not error and not 0 < seconds < NO_TIME):
            raise Bad(f"run time {place} is {shown(seconds)}, but must be above 0 and below 1e9 s")
    record.error, record.seconds = error, [] if error else [float(seconds) for seconds in times]
    return record


# ---- Ansor ----

def ansor(value):
    version, given = value.get("v"), value["i"]
    if version not in ("v0.2", "v0.3", "v0.4", "v0.5", "v0.6"):
        old = "; a number is AutoTVM's old format" if is_number(version) else ""
        raise Bad(f"the version is {shown(version)}, but v0.2 to v0.6 are read{old}")
    if not isinstance(given, list) or len(given) != 2:
        raise Bad(f"i is {shown(given)}, but must be [task, state]")
    task, state = given
    # key, target, hardware, target of the host, layout rewrite, names of inputs; old versions end earlier
    if not isinstance(task, list) or not 2 <= len(task) <= 6 or \
            not all(FITS[kind](part) for kind, part in zip("ssLsiL", task)):
        raise Bad(f'the task is {shown(task)}, but must be ["key", "target", ...]')
    made = Record(ANSOR, task[0], task[1], version, value, steps=count_steps(state))
    return add_result(made, "r", value.get("r"))


def count_steps(state):
    if not isinstance(state, list) or len(state) != 2 or not all(isinstance(part, list) for part in state):
        raise Bad(f"the state is {shown(state)}, but must be [[], [steps]]")
    count = {}
    for place, step in enumerate(state[1]):
        name = step[0] if isinstance(step, list) and step and isinstance(step[0], str) else None
        wanted = STEPS.get(name)
        if wanted is None or len(step) != 1 + len(wanted) or \
                not all(FITS[kind](part) for kind, part in zip(wanted, step[1:])):
            raise Bad(f"step {place}, {shown(step)}, is none of v0.2 to v0.6")
        count[name] = count.get(name, 0) + 1
    return count


# ---- AutoTVM ----

def autotvm(value):
    version, given, config = value.get("version"), value["input"], value.get("config")
    if not is_number(version) or abs(version - 0.2) > 1e-9:
        raise Bad(f"the version is {shown(version)}, but 0.2 is read")
    if not isinstance(given, list) or len(given) != 4 or \
            [type(part) for part in given] != [str, str, list, dict]:
        raise Bad(f'input is {shown(given)}, but must be ["target", "template", [arguments], {{}}]')
    target, template, arguments, named = given
    compact = {"separators": (",", ":"), "ensure_ascii": False}
    task = f"{template} {json.dumps(arguments, **compact)}" + \
        (json.dumps(named, sort_keys=True, **compact) if named else "")
    entities = config.get("entity") if isinstance(config, dict) else None
    if not isinstance(entities, list):
        raise Bad(f"config has no list of the name entity, but {shown(entities)}")
    for place, entity in enumerate(entities):
        if not is_entity(entity):
            raise Bad(f'entity {place} is {shown(entity)}, but must be ["name", "sp|re|an|ot", value]')
    return add_result(Record(AUTOTVM, task, target, "0.2", value), "result", value.get("result"))


def is_entity(entity):
    """["tile_x", "sp", [-1, 4]]"""
    if not isinstance(entity, list) or len(entity) != 3 or not are(str, entity[:2]):
        return False
    kind, content = entity[1:]
    return kind == "ot" or (kind in ENTITIES and are(ENTITIES[kind], content))


# ---- MetaSchedule ----

def metaschedule(value, hashes):
    if value and isinstance(value[0], str):
        raise Bad("this is a workload; name the file of tuning records or the folder of the database")
    if len(value) != 2 or not is_whole(value[0]) or not isinstance(value[1], list) or len(value[1]) != 4:
        raise Bad(f"{shown(value)} is no record: [workload, [trace, run times, target, arguments]] is one")
    number, (trace, times, target, _) = value
    task = task_of(number, hashes)
    check_trace(trace)
    error, seconds = database_times(times)
    if target is not None and not isinstance(target, (dict, str)):
        raise Bad(f"the target is {shown(target)}, but must be an object, a text or null")
    said = json.dumps(target, sort_keys=True, separators=(",", ":")) if isinstance(target, dict) else target or ""
    return Record(METASCHEDULE, task, said, "", value, error, seconds, number)


def task_of(number, hashes):
    if number < 0:
        raise Bad(f"the workload is {shown(number)}, but must be at least 0")
    if hashes is None:
        return f"workload {number}"
    if number >= len(hashes):
        raise Bad(f"the workload is {shown(number)}, but the database has {len(hashes)}, from 0 on")
    if hashes[number] is None:
        raise Bad(f"line {number + 1} of the workloads is bad, and it names that one")
    return hashes[number]


def check_trace(trace):
    """[[instruction, ...], [decision, ...]]"""
    if not are(list, trace) or len(trace) != 2:
        raise Bad(f"the trace is {shown(trace)}, but must be [[instructions], [decisions]]")
    for place, each in enumerate(trace[0]):
        if not isinstance(each, list) or len(each) != 4 or not isinstance(each[0], str):
            raise Bad(f"instruction {place} is {shown(each)}, but must be [name, inputs, attributes, outputs]")


def database_times(times):
    """(error, seconds): a database has run times or null, and no error numbers."""
    if times is not None and not isinstance(times, list):
        raise Bad(f"the run times are {shown(times)}, but must be a list or null")
    for place, seconds in enumerate(times or ()):
        if not is_number(seconds) or not seconds > 0:
            raise Bad(f"run time {place} is {shown(seconds)}, but must be a number above 0")
    if not times:
        return NOT_MEASURED, []
    seconds = [float(one) for one in times if one < NO_TIME]
    return (0 if seconds else UNKNOWN), seconds


def workload(value):
    """Structural hash of a line of a database's workloads."""
    if not are(str, value) or len(value) != 2 or not (value[0].isascii() and value[0].isdigit()) or len(value[0]) > 64:
        raise Bad(f'{shown(value)} is no workload: ["hash", "module"] is one')
    return value[0]
