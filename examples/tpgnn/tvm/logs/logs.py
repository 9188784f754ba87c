#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns databases of MetaSchedule into training files of tpgnn, and sums up logs of TVM's tuners.
See docs/tpgnn-collect.md.

    python logs.py --out DIR DATABASE...
    python logs.py --summary LOG...
"""
import argparse
import json
import os
import sys

import beside  # noqa: F401
import log
import records
import summary
from collect import number
from lines import LINE_LIMIT
from refused import Refused

OK, FAILED, USAGE, BAD_DATA, INTERRUPTED = 0, 1, 2, 3, 130
SAID = 5  # bad lines of a file that are reported in full


def parser():
    p = argparse.ArgumentParser(description="Turns databases of MetaSchedule into the npz files that tpgnn train reads "
                                "(with TVM), and sums up logs of MetaSchedule, Ansor and AutoTVM (without).")
    add = p.add_argument
    add("log", nargs="+", metavar="LOG", help="log of Ansor or AutoTVM, file of tuning records of MetaSchedule, or "
        "folder of its database")
    add("--out", metavar="DIR", help="folder for the training files and manifest.json; made if it is not there")
    add("--summary", action="store_true", help="print a row per task: records, run times, failures")
    add("--json", action="store_true", help="print the summary as JSON")
    add("--bad", choices=("skip", "refuse"), default="skip", help="what to do with a bad line (skip)")
    add("--line-limit", type=number(int, 1024, 1 << 30), default=LINE_LIMIT, metavar="BYTES",
        help="longest line; reading it may take 20 times as much memory (16777216)")
    return p


def complain(sentence):
    sys.stderr.buffer.write(f"logs: {sentence}\n".encode(errors="backslashreplace"))
    sys.stderr.flush()


class Reader:
    """Reads logs. `whole`: the summary. `groups`: what is known of each program that can be rebuilt, with `rebuild`."""

    def __init__(self, options):
        self.options, self.whole, self.groups, self.said, self.without = options, summary.Summary(), {}, 0, {}

    def report(self, sentence):
        self.said += 1
        if self.said <= SAID:
            complain(sentence)

    def read(self, path):
        self.said = 0
        opened = log.open_log(path, refuse=self.options.bad == "refuse", limit=self.options.line_limit,
                              report=self.report)
        count = 0
        for record in opened:
            count += 1
            self.whole.add(record)
            if self.options.out:
                self.keep(opened, record)
        opened.file.close()
        self.whole.end_file(path, count, opened.skipped)
        if opened.skipped:
            complain(f"{path}: {opened.skipped:,} bad lines were skipped, {count:,} records read")

    def keep(self, opened, record):
        """Files a record under its program and target, where the log has the program."""
        if record.error:
            return
        module = opened.modules.get(record.workload)
        if module is None:
            self.without[record.kind] = self.without.get(record.kind, 0) + 1
            return
        key = record.task, record.target
        self.groups.setdefault(key, (module, []))[1].append(record.json[1])


WHY_WITHOUT = {
    records.ANSOR: "{} records of Ansor name their program by a key and its schedule by steps, and the program itself "
                   "is not in the log, so no training file can be made of them; --summary sums them up",
    records.AUTOTVM: "{} records of AutoTVM name a template, its arguments and its knobs, and the program itself is "
                     "not in the log, so no training file can be made of them; --summary sums them up",
    records.METASCHEDULE: "{} tuning records of MetaSchedule have no workloads beside them, and these hold the "
                          "programs; put the file whose name has 'workload' for 'tuning_record' into the same folder",
}


def write_files(options, reader):
    for kind, count in reader.without.items():
        complain(WHY_WITHOUT[kind].format(f"{count:,}"))
    if not reader.groups:
        raise Refused(f"{options.log[0]}: no record has both a run time and its program, so there is nothing to train "
                      "from; name the folder of a database of MetaSchedule")
    import convert

    return convert.convert(options.out, reader.groups, complain)


def work(options):
    reader = Reader(options)
    for path in options.log:
        reader.read(path)
    if not reader.whole.tasks:
        raise Refused(f"{options.log[0]} holds no record; name a log of one of TVM's tuners")
    if options.json:
        print(json.dumps(reader.whole.facts(), indent=1))
    elif options.summary:
        print(reader.whole.table())
    if options.out:
        said = write_files(options, reader)
        print(said, file=sys.stderr if options.json else sys.stdout)
    return OK


def main(arguments=None):
    options = parser().parse_args(arguments)
    if not (options.out or options.summary or options.json):
        complain("say with --out DIR where the training files shall go, or --summary; --help explains all options")
        return USAGE
    try:
        return work(options)
    except ImportError as reason:
        here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "collect", "requirements.txt")
        complain(f"TVM cannot be loaded ({reason}), and only TVM can replay a schedule; install it: "
                 f"pip install -r {os.path.normpath(here)}; --summary works without it")
        return FAILED
    except Refused as reason:
        complain(reason)
        return BAD_DATA
    except OSError as reason:
        complain(f"{reason.filename or options.out}: {reason.strerror}")
        return FAILED
    except KeyboardInterrupt:
        complain("interrupted; the files that are written are whole")
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
