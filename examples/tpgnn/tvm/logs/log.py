# SPDX-License-Identifier: MIT
"""A log of a tuner, read one line at a time; a bad line never ends the program. Knows no TVM."""
import os

import records
from lines import LINE_LIMIT, Bad, is_comment, lines, parse
from refused import Refused

RECORDS, WORKLOADS = "tuning_record", "workload"


class Log:
    """Iterates over the good records of an open file. workloads: the open file of a database's workloads, or None.
    A bad line is reported and skipped, or refused with Refused."""

    def __init__(self, file, workloads=None, name="log", refuse=False, limit=LINE_LIMIT, report=lambda sentence: None):
        self.file, self.name, self.refuse, self.limit, self.report = file, name, refuse, limit, report
        self.skipped, self.modules, self.hashes = 0, {}, None
        if workloads is not None:
            self.hashes = []
            self.read_workloads(workloads)

    def bad(self, name, number, sentence):
        sentence = f"{name} line {number}: {sentence}"
        if self.refuse:
            raise Refused(sentence)
        self.skipped += 1
        self.report(sentence)

    def values(self, file, name, read):
        """(line number, what `read` makes of the line; None for a bad one) of each line that is no comment."""
        for number, line in lines(file, self.limit):
            if line is not None and is_comment(line):
                continue
            try:
                if line is None:
                    raise Bad(f"the line has over {self.limit} bytes; raise --line-limit if it is a record")
                made = read(parse(line))
            except Bad as reason:
                self.bad(name, number, reason)
                made = None
            yield number, made

    def read_workloads(self, file):
        def both(value):
            return records.workload(value), value

        for _, pair in self.values(file, f"{self.name} (workloads)", both):
            if pair:
                self.modules[len(self.hashes)] = pair[1]
            self.hashes.append(pair and pair[0])

    def __iter__(self):
        told = False
        for number, record in self.values(self.file, self.name, lambda value: records.record(value, self.hashes)):
            if record is None:
                continue
            record.line = number
            if record.kind == records.METASCHEDULE and self.hashes is None and not told:
                told = True
                self.report(f"{self.name}: there are no workloads beside these records, so their tasks are numbers")
            yield record


def opened(path):
    try:
        return open(path, "rb")
    except OSError as reason:
        raise Refused(f"{path} cannot be read: {reason.strerror}") from None


def workloads_path(path):
    """Path of the workloads of a file of tuning records, or None where its name is not that of one."""
    folder, base = os.path.split(path)
    return os.path.join(folder, base.replace(RECORDS, WORKLOADS, 1)) if RECORDS in base else None


def open_log(path, **options):
    """A folder is a database of MetaSchedule. Of a file with tuning_record in its name the workloads are in the file
    of the same folder that has workload there instead, if it exists."""
    if os.path.isdir(path):
        path = os.path.join(path, f"database_{RECORDS}.json")
    file, second = opened(path), workloads_path(path)
    workloads = opened(second) if second and os.path.exists(second) else None
    try:
        return Log(file, workloads, name=path, **options)
    except OSError as reason:
        raise Refused(f"{path} cannot be read: {reason.strerror}") from None
    finally:
        if workloads:
            workloads.close()
