#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tunes programs with several cost models, on equal trials, and compares what they find. See docs/tpgnn-tuner.md.

    pip install -r ../collect/requirements.txt
    python tune.py --library BUILD/bin/libaugur_models.so --out DIR
"""
import argparse
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "collect"))
import curves  # noqa: E402
import processes  # noqa: E402
import workloads  # noqa: E402
from command import OK, USAGE, Refused, add_measuring, attempt, check_core, complain, number  # noqa: E402

SILENT = 1800  # seconds without a word after which a run is given up
TITLES = {"random": "random", "xgboost": "XGBoost (TVM)", "offline": "{}", "online": "{} online"}
# New shapes of kinds that the embedded set has: a test holds that it does not have these.
TASKS = ("matmul_240_288_256", "dense-relu_120_440_360", "conv2d-nhwc_1_26_26_40_72_3_1",
         "conv2d-bn-relu_1_30_30_40_56_3_1", "depthwise-nhwc_1_44_44_80_3_1", "softmax_144_720")
MEANS = ("trials", "batch", "population", "steps", "learning_rate", "explore", "compile_seconds", "slowest_ms", "core",
         "run")
KEY = ("task", "method", "seed")  # of a run in results.json
MODEL = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "models", "tpgnn-schedules"))


def parser():
    p = argparse.ArgumentParser(description="Tunes programs with random scores, TVM's XGBoost model, a run of tpgnn as "
                                "it is, and trained further on what is measured; equal trials, the same seeds. Writes "
                                "results.json and table.md. The same command goes on where it ended.")
    add = p.add_argument
    add("--run", default=MODEL, metavar="PATH",
        help="run folder or checkpoint of tpgnn (examples/models/tpgnn-schedules, which ships)")
    add("--library", metavar="FILE", help="libaugur_models.so, if not the one of the installed augur_models")
    add("--out", required=True, metavar="DIR", help="folder for the results; made if it is not there")
    add("--tasks", nargs="+", default=TASKS, metavar="NAME",
        help="workloads as collect.py names them, any shape (six that are not in the embedded set)")
    add("--methods", nargs="+", default=list(TITLES), choices=list(TITLES), metavar="WORD",
        help=f"of {', '.join(TITLES)} (all)")
    add("--trials", type=number(int, 2, 10000), default=64, metavar="N", help="measured schedules of each run (64)")
    add("--batch", type=number(int, 1, 1000), default=16, metavar="N",
        help="of them, measured before the next search (16)")
    add("--seeds", type=number(int, 1, 100), default=3, metavar="N",
        help="runs of each task and method (3); part of TVM's search is seeded by the clock")
    add("--population", type=number(int, 8, 10000), default=512, metavar="N", help="of the evolutionary search (512)")
    add("--steps", type=number(int, 1, 10000), default=10, metavar="N",
        help="online: training steps after a batch (10)")
    add("--learning-rate", type=number(float, 1e-8, 1), default=1e-4, metavar="X", help="online (1e-4)")
    add("--explore", type=number(float, 0, 100), default=1, metavar="X",
        help="offline, online: width of the noise on the scores, for not all trials to be copies of one (1)")
    add_measuring(add, 250)
    return p


class Book:
    """results.json: settings, machine, and a run per task, method and seed."""

    def __init__(self, folder, settings):
        self.path = os.path.join(folder, "results.json")
        os.makedirs(folder, exist_ok=True)
        self.value = {"settings": settings, "runs": []}
        if os.path.exists(self.path):
            self.read(settings)

    def read(self, settings):
        try:
            with open(self.path, encoding="utf-8") as file:
                self.value = json.load(file)
            stored = self.value["settings"]
            self.trials()
        except (ValueError, KeyError, TypeError):
            raise Refused(f"{self.path} is not what tune.py writes; choose another --out or remove it") from None
        for name in MEANS:
            if stored.get(name) != settings[name]:
                raise Refused(f"{self.path} was made with {name} {stored.get(name)}, not {settings[name]}; "
                              "take the same again or another --out")

    def trials(self):
        """The trials of each run, by its key."""
        return {tuple(run[k] for k in KEY): run["trials_ns"] for run in self.value["runs"]}

    def add(self, key, said):
        import files

        self.value["runs"].append({**dict(zip(KEY, key)), **said})
        files.write_json(self.path, self.value)

    def curves(self):
        runs = sorted(self.trials().items(), key=lambda run: list(TITLES).index(run[0][1]))
        return curves.Curves(dict(runs), self.value["settings"]["trials"])


def tune_one(key, settings, log):
    def work(tell):
        import search

        return search.tune(*key, settings, tell)

    said, reason = processes.watch(work, log, SILENT)
    return said or {"trials_ns": [], "reason": f"{reason}; see tune.log"}


def said_of(key, said):
    name, worked = " ".join(map(str, key)), [t for t in said["trials_ns"] if t]
    if not worked:
        return f"{name}: nothing was measured; {said.get('reason', 'all trials failed')}"
    return (f"{name}: best {min(worked) / 1e3:.2f} us of {len(said['trials_ns'])} trials, "
            f"{len(said['trials_ns']) - len(worked)} failed, in {said['seconds']:.0f} s")


def titles(model):
    """The methods' names in the table."""
    return {method: title.format(model) for method, title in TITLES.items()}


def compare(options):
    import files  # needs NumPy, as models does
    import models

    settings = {name: getattr(options, name) for name in (*MEANS, "library", "jobs")}
    book = Book(options.out, settings)
    keys = [(task, method, seed) for task in options.tasks for seed in range(options.seeds)
            for method in options.methods]
    left = [key for key in keys if key not in book.trials()]
    if left:
        try:
            model = models.Model(options.run, library=options.library)  # fails here, not in a process for each run
        except models.Refused as reason:
            raise Refused(str(reason)) from None
        book.value["model"] = model.about["model"]
        model.close()
        import tvm_setup

        book.value["versions"] = tvm_setup.versions()
    log = processes.open_log(options.out, "tune.log")
    processes.heed_signals()
    for key in left:
        said = tune_one(key, settings, log)
        book.add(key, said)
        sys.stderr.write(said_of(key, said) + "\n")
    text = curves.table(book.curves(), titles(book.value.get("model", "trained model")))
    files.replace(os.path.join(options.out, "table.md"), text.encode())
    print(text, end="")
    return OK


def main(arguments=None):
    options = parser().parse_args(arguments)
    try:
        for name in options.tasks:
            workloads.parse(name)
        check_core(options.core)
    except ValueError as reason:
        complain("tune", reason)
        return USAGE
    return attempt("tune", lambda: compare(options), options.out)


if __name__ == "__main__":
    sys.exit(main())
