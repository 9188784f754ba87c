# SPDX-License-Identifier: MIT
"""One tuning run: MetaSchedule's evolutionary search with a cost model, each trial measured as the collector does."""
import time

import models  # puts the collector's folder on the path
import tvm_setup  # before anything of TVM
import candidate
import cost_model
import measure
import numpy as np
import programs
import workloads
from tvm.s_tir import meta_schedule as ms


def make_model(method, seed, options):
    """The cost model of a method. TVM's model guesses until it has 100 measurements, which is more than a whole run
    here: it gets to predict after the first round."""
    if method == "random":
        return ms.cost_model.RandomModel(seed=seed)
    if method == "xgboost":
        np.random.seed(seed)  # of its guesses in the first round
        return ms.cost_model.XGBModel(num_warmup_samples=options["batch"], num_tuning_cores=options["jobs"])
    return cost_model.TpgnnModel(models.Model(options["run"], library=options["library"]), jobs=options["jobs"],
                                 steps=options["steps"] if method == "online" else 0,
                                 learning_rate=options["learning_rate"], explore=options["explore"], seed=seed)


class Run:
    """trials: ns of each trial in order, None where it failed."""

    def __init__(self, name, method, seed, options):
        self.options, self.trials, self.failed = options, [], {}
        program = programs.build(*workloads.parse(name))
        strategy = ms.search_strategy.EvolutionarySearch(population_size=options["population"])
        self.context = tvm_setup.tuning(program, seed, strategy)
        self.task = candidate.Task(program, self.context, seed)
        self.database = ms.database.MemoryDatabase()
        self.workload = self.database.commit_workload(self.context.mod)
        self.model = make_model(method, seed, options)
        self.limits = measure.Limits(options["compile_seconds"], options["slowest_ms"] / 1000, options["core"])

    def search(self, tell):
        """tell() after each round."""
        designs = self.context.generate_design_space()
        self.context.pre_tuning(self.options["trials"], self.options["batch"], designs, self.database, self.model)
        while len(self.trials) < self.options["trials"]:
            found = self.context.generate_measure_candidates()
            if not found:  # the space is exhausted
                break
            results = self.measure(found)
            for each, result in zip(found, results):
                self.remember(each, result)
            self.model.update(self.context, found, results)
            self.context.notify_runner_results(found, results)
            tell()
        self.context.post_tuning()

    def measure(self, found):
        draws = [(each.sch, 0, place) for place, each in enumerate(found)]
        batch = candidate.prepare(self.task, draws, self.limits, self.options["jobs"])
        try:
            batch.sort(key=lambda c: c.identity)
            measure.settle([c for c in batch if c.state == "ready"])
            return [self.result(c) for c in batch]
        finally:
            for c in batch:
                c.end()

    def result(self, c):
        if c.state != "ready" or not c.passes:
            self.trials.append(None)
            self.failed[c.state] = self.failed.get(c.state, 0) + 1
            return ms.runner.RunnerResult(None, c.state)
        seconds = min(map(min, c.passes))
        self.trials.append(round(seconds * 1e9))
        return ms.runner.RunnerResult([seconds], None)

    def remember(self, each, result):
        """A failed trial counts as infinitely slow, as in MetaSchedule's own callback."""
        self.database.commit_tuning_record(ms.database.TuningRecord(
            each.sch.trace, self.workload, result.run_secs or [1e10], tvm_setup.TARGET, each.args_info))


def tune(name, method, seed, options, tell):
    """The entry of a run in results.json."""
    start = time.monotonic()
    run = Run(name, method, seed, options)
    run.search(tell)
    said = {"trials_ns": run.trials, "failed": run.failed, "seconds": round(time.monotonic() - start, 1)}
    if method in ("offline", "online"):
        m = run.model
        said["scored"] = {"candidates": m.predicted, "without_score": m.lost, "failed_calls": m.failures}
        if m.reason:
            said["scored"]["reason"] = m.reason
        if m.losses:
            said["losses"] = [[round(x, 6) for x in pair] for pair in m.losses]
    return said
