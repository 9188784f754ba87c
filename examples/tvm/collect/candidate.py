# SPDX-License-Identifier: MIT
"""One schedule in a process of its own: what is known of it, its code, and its run times when asked for."""
import os
import signal
import timeit
from multiprocessing.connection import wait

import numpy as np
from tvm.s_tir import meta_schedule

import processes
import tree
import tvm_setup

TOLERANCE = 1e-3  # of the largest number of the output
SAMPLE_SECONDS = 0.005  # a sample is the mean of as many runs as take so long
LATE = (signal.SIGPROF, signal.SIGALRM)
FAILURES = ("failed", "timeout", "crashed", "wrong", "slow", "twin")


class Task:
    """A program with its inputs and what it computes when it is not scheduled."""

    def __init__(self, program, context, seed):
        draw = np.random.default_rng(seed)
        shapes = [tuple(int(size) for size in p.shape) for p in program.params]
        self.context = context
        self.tensors = [tvm_setup.tvm.runtime.tensor(draw.uniform(-1, 1, s).astype(np.float32)) for s in shapes]
        self.blank = np.full(shapes[-1], np.nan, np.float32)
        _, function = tvm_setup.load(program)
        function(*self.tensors)
        self.wanted = self.tensors[-1].numpy().copy()
        if not np.isfinite(self.wanted).all():
            raise ValueError("the program that is not scheduled computes numbers that are not finite")

    def right(self):
        """Whether the output is what it should be."""
        error = np.abs(self.tensors[-1].numpy() - self.wanted).max()
        return bool(error <= TOLERANCE * np.abs(self.wanted).max())  # false for a NaN too


class Candidate:
    """The parent's side. state: compiling, running, ready or one of FAILURES. facts: what the process found out."""

    def __init__(self, task, schedule, origin, identity, limits):
        self.schedule, self.origin, self.identity = schedule, origin, identity
        self.state, self.facts, self.passes = "compiling", None, []
        self.child = processes.Child(lambda pipe: serve(pipe, task, schedule, limits))

    def listen(self):
        """Takes one message, or the news that the process has ended."""
        try:
            self.state, self.facts = self.child.receive()
        except EOFError:
            late = self.child.end(kill=False) in LATE
            self.state = ("timeout" if self.state == "compiling" else "slow") if late else "crashed"
        if self.state in FAILURES:
            self.child.end(kill=False)

    def measure(self):
        """Seconds of one run, the mean over a sample; None when the process has died."""
        try:
            self.child.send("measure")
            return self.child.receive()
        except EOFError:
            self.state = "crashed"
            self.child.end()
            return None

    def end(self):
        self.child.end()


def serve(pipe, task, schedule, limits):
    """The process's side: compiles, checks, and then measures once for each word it gets."""
    watch(limits.seconds)
    try:
        facts = known(task.context, schedule)
        module, function = tvm_setup.load(schedule.mod)
    except Exception as reason:
        return pipe.send(("failed", str(reason)[-300:]))
    pipe.send(("running", None))
    task.tensors[-1].copyfrom(task.blank)
    function(*task.tensors)
    if not task.right():
        return pipe.send(("wrong", None))
    seconds = min(timeit.repeat(lambda: function(*task.tensors), repeat=2, number=1))
    if seconds > limits.slowest:
        return pipe.send(("slow", None))
    watch(0)
    facts["seconds"] = seconds
    pipe.send(("ready", facts))
    runs = max(1, min(1000, round(SAMPLE_SECONDS / seconds)))
    clock = module.time_evaluator("main", tvm_setup.DEVICE, number=runs, repeat=1)  # it runs once before
    while pipe.recv() == "measure":
        if limits.core is not None:
            os.sched_setaffinity(0, {limits.core})
        pipe.send(float(clock(*task.tensors).results[0]))


def watch(seconds):
    """Ends this process, also inside of a compiler, when it has used the CPU for so long; or, if it hangs without using
    it, after ten times as long. 0: no longer. A busy machine should not make schedules look hopeless."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 10 * seconds)


def known(context, schedule, name="main"):
    """Tree and features: all that a cost model may see. name: of the function of the module."""
    measured = meta_schedule.MeasureCandidate(schedule, [])
    rows = meta_schedule.feature_extractor.PerStoreFeature().extract_from(context, [measured])[0]
    lowered = tvm_setup.lower(schedule.mod, context.target, name)
    return {"tree": tree.flatten(lowered), "features": rows.numpy().astype(np.float32)}


def prepare(task, draws, limits, jobs):
    """Candidates of the draws, compiled and checked, `jobs` at a time."""
    waiting, busy, done = list(draws), {}, []
    while waiting or busy:
        while waiting and len(busy) < jobs:
            candidate = Candidate(task, *waiting.pop(0), limits)
            busy[candidate.child.pipe] = candidate
        for pipe in wait(list(busy)):
            busy[pipe].listen()
            if busy[pipe].state not in ("compiling", "running"):
                done.append(busy.pop(pipe))
    return done
