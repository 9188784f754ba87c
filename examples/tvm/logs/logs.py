#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns databases of MetaSchedule into training files of tpgnn. See docs/tpgnn-collect.md.

    python logs.py --out DIR DATABASE...
"""
import argparse
import collections
import os
import sys
from functools import partial

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "collect"))
import database  # noqa: E402
from command import BAD_DATA, OK, Refused, attempt, complain, plain  # noqa: E402

SAID = 5  # bad lines of a file that are reported in full


def parser():
    p = argparse.ArgumentParser(description="Turns databases of MetaSchedule into the npz files that tpgnn train reads.")
    add = p.add_argument
    add("log", nargs="+", metavar="LOG", help="file of tuning records, or folder of a database")
    add("--out", required=True, metavar="DIR",
        help="folder for the training files and manifest.json; made if it is not there")
    add("--bad", choices=("skip", "refuse"), default="skip", help="what to do with a bad line (skip)")
    return p


say = partial(complain, "logs")


def read(groups, counts, path, refuse):
    """Files the records of a database under their program and target."""
    bad = []

    def report(sentence):
        if refuse:
            raise Refused(sentence)
        bad.append(sentence)
        if len(bad) <= SAID:
            say(sentence)

    before = counts["records"]
    for workload, target, tuned in database.records(path, report):
        counts["records"] += 1
        counts["waiting"] += not any(tuned[1] or ())
        if not any(0 < seconds < database.NO_TIME for seconds in tuned[1] or ()):
            continue
        if workload is None:
            counts["without"] += 1
        else:
            groups.setdefault((workload[0], target), (workload, []))[1].append(tuned)
    counts["bad"] += len(bad)
    if bad:
        say(f"{path}: {len(bad):,} bad lines were skipped, {counts['records'] - before:,} records read")


def work(options):
    groups, counts = {}, collections.Counter()
    for path in options.log:
        read(groups, counts, path, options.bad == "refuse")
    if not counts["records"]:
        raise Refused(f"{options.log[0]} holds no record that can be read: {counts['bad']:,} lines are bad"
                      if counts["bad"] else f"{options.log[0]} holds no record; name a database of MetaSchedule")
    if counts["without"]:
        say(f"{counts['without']:,} tuning records have no workloads beside them, and these hold the programs; "
            "put the file with 'workload' for 'tuning_record' in its name into the same folder")
    if counts["waiting"]:
        say(f"records without a measurement, which are left out: {counts['waiting']:,}")
    if not groups:
        raise Refused(f"{options.log[0]}: no record has both a run time and its program, so there is nothing to train "
                      "from; name the folder of a database of MetaSchedule")
    import convert

    print(plain(convert.convert(options.out, groups, say)))
    return OK


def main(arguments=None):
    options = parser().parse_args(arguments)
    return attempt("logs", lambda: work(options), options.out, "call again", BAD_DATA)


if __name__ == "__main__":
    sys.exit(main())
