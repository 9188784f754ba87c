# SPDX-License-Identifier: MIT
"""The records of a database of MetaSchedule, one line at a time: a bad line costs only itself. Knows no TVM.

    records      [workload, [trace, seconds, target, arguments]]
    workloads    ["hash", "module"]
"""
import bz2
import gzip
import json
import lzma
import os
import re
import zlib

from command import Refused

RECORDS, WORKLOADS = "tuning_record", "workload"
NO_TIME = 1e9  # seconds; TVM writes this or more for "no run time"
PACKED = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\0": lzma.open}
MISTAKEN = {b"version https://git-lfs": "a pointer of Git LFS, not the file itself; run git lfs pull where it was cloned",
            b"<": "a web page or XML, perhaps the message of a server; look into it, and download the file again"}


def shown(value):
    """The beginning of a value, for a sentence."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."


def unpacked(file, path):
    """The open file, unpacked if it begins as a packed one does. Refuses what is not a log at all."""
    start = file.peek(64)[:64]
    for magic, what in MISTAKEN.items():
        if start.lstrip().startswith(magic):
            raise Refused(f"{path} is {what}")
    return next((unpack(file) for magic, unpack in PACKED.items() if start.startswith(magic)), file)


def lines(path, bad):
    """(number from 1, its JSON; None for a bad one) of each line that TVM does not pass over, too."""
    number = 0
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(unpacked(file, path), 1):
                if line[:1] in b"# \r\n":
                    continue
                try:
                    value = json.loads(line.decode())
                except (ValueError, RecursionError) as reason:
                    bad(f"{path} line {number}: no JSON: {str(reason)[:160]}")
                    value = None
                yield number, value
    except MemoryError:
        raise MemoryError(f"a line near line {number + 1} of {path}") from None
    except (EOFError, zlib.error, lzma.LZMAError, OSError) as reason:
        if getattr(reason, "errno", None):
            raise Refused(f"{path} cannot be read: {reason.strerror}") from None
        bad(f"{path} line {number + 1}: the compressed file is damaged or cut short here; what follows cannot be read")


def programs(path, bad):
    """The workloads of a database, None for a bad one."""
    found = []
    for number, value in lines(path, bad):
        good = isinstance(value, list) and len(value) == 2 and all(isinstance(each, str) for each in value) and \
            re.fullmatch("[0-9]{1,64}", value[0])  # the hash becomes a part of a file's name
        if value is not None and not good:
            bad(f'{path} line {number}: {shown(value)} is not a workload: ["hash", "module"] is one')
        found.append(value if good else None)
    return found


def record(value, workloads):
    """(workload or None, target as a text, what TVM reads) of a line. workloads: of the database, None: not there.
    Raises ValueError with a sentence."""
    try:
        number, tuned = value
        _, times, target, _ = tuned
        good = isinstance(number, int) and 0 <= number and (workloads is None or number < len(workloads))
        times_are = all(seconds == 0 for seconds in times or ()) or all(seconds > 0 for seconds in times)
    except (TypeError, ValueError):
        raise ValueError(f"{shown(value)} is not a record: [workload, [trace, run times, target, arguments]] is "
                         "one") from None
    if not good:
        raise ValueError(f"the workload is {shown(number)}, but the database has {len(workloads or ())}, from 0 on")
    if workloads is not None and workloads[number] is None:
        raise ValueError(f"line {number + 1} of the workloads is bad, and it names that one")
    if not times_are:
        raise ValueError(f"the run times are {shown(times)}, but must be above 0")
    text = target if isinstance(target, str) else json.dumps(target, sort_keys=True, separators=(",", ":"))
    return workloads and workloads[number], text if target is not None else "", tuned


def present(path):
    """The path, or that of the file unpacked, or packed, if only this exists."""
    bare = re.sub(r"\.(gz|bz2|xz)$", "", path)
    return next(filter(os.path.exists, (path, bare, bare + ".gz", bare + ".bz2", bare + ".xz")), path)


def records(path, bad):
    """The result of `record` for each good line of a database, which is a folder, or of its file of tuning records. The
    workloads are in the same folder, in the file that has "workload" in its name instead. bad(sentence): a bad line."""
    if os.path.isdir(path):
        path = os.path.join(path, f"database_{RECORDS}.json")
    path = present(path)
    folder, name = os.path.split(path)
    beside = present(os.path.join(folder, name.replace(RECORDS, WORKLOADS, 1)))
    workloads = programs(beside, bad) if RECORDS in name and os.path.exists(beside) else None
    for number, value in lines(path, bad):
        if isinstance(value, dict) and {"i", "input"} & set(value):
            raise Refused(f"{path} is a log of Ansor or AutoTVM, which names programs and does not hold them, so no "
                          "training file can be made of it; name the folder of a database of MetaSchedule")
        try:
            if value is not None:
                yield record(value, workloads)
        except ValueError as reason:
            bad(f"{path} line {number}: {reason}")
