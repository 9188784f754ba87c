# SPDX-License-Identifier: MIT
"""Draws different schedules of a program: random ones of MetaSchedule's CPU design space, changes of good ones, and,
where that space has nothing new, our own.
"""
import random

import tvm_ffi
from tvm.s_tir import Schedule
from tvm.s_tir.meta_schedule import _ffi_api
from tvm.s_tir.schedule import Trace

import tvm_setup

RANDOM, MUTATED, OWN, TUNED = 0, 1, 2, 3
ORIGINS = ("random", "mutated", "own", "tuned")  # tuned: found by a tuner, read from its log
TRIES = 12  # draws per schedule wanted
STALE = 24  # draws in a row without anything new: the space is exhausted
UNROLL = (0, 0, 16, 64, 512)


class Sampler:
    """Schedules of one program. `counts`: what became of the draws."""

    def __init__(self, program, seed):
        self.random = random.Random(seed)
        self.context = tvm_setup.tuning(program, self.seed())
        space = self.context.space_generator
        self.designs = [Trace(s.trace.insts, {}) for s in self.context.generate_design_space()]
        self.postprocs = list(space.postprocs)
        mutators = list(space.mutator_probs.items())
        self.mutators, self.weights = [m for m, _ in mutators], [float(p) for _, p in mutators]
        self.seen, self.stale = set(), 0
        self.counts = {"duplicates": 0, "invalid": 0}

    def seed(self):
        return self.random.randrange(1, 2**31 - 1)

    def replay(self, trace):
        """The schedule of a trace, or None where it breaks a rule. What the trace leaves open is drawn."""
        schedule = Schedule(self.context.mod, seed=self.seed(), error_render_level="none", debug_mask="none")
        trace.apply_to_schedule(schedule, remove_postproc=True)
        return schedule if all(step.apply(schedule) for step in self.postprocs) else None

    def mutate(self, trace):
        for _ in range(self.random.choice((1, 1, 2, 3))):
            mutator = self.random.choices(self.mutators, self.weights)[0]
            # Mutator.apply would seed itself from the clock.
            trace = _ffi_api.MutatorApply(mutator, trace, self.seed()) or trace
        return self.replay(trace)

    def attempt(self, good):
        """(schedule or None, origin) of one draw. good: traces to change, fewer of them with time."""
        if self.stale >= STALE or not self.designs:
            return own(self.context.mod, self.random, self.seed()), OWN
        if good and self.random.random() < 0.5:
            return self.mutate(self.random.choice(good)), MUTATED
        return self.replay(self.random.choice(self.designs)), RANDOM

    def draw(self, count, good=()):
        """Up to `count` new ones: (schedule, origin, structural hash)."""
        found = []
        for _ in range(count * TRIES):
            if len(found) == count:
                break
            try:
                schedule, origin = self.attempt(good)
            except Exception:  # TVM raises many kinds of them for a schedule that a rule forbids
                schedule, origin = None, RANDOM
            if schedule is None:
                self.counts["invalid"] += 1
                continue
            identity = tvm_ffi.structural_hash(schedule.mod)
            if identity in self.seen:
                self.counts["duplicates"] += 1
                self.stale += 1
                continue
            self.seen.add(identity)
            self.stale = 0 if origin != OWN else self.stale
            found.append((schedule, origin, identity))
        return found


def own(module, generator, seed):
    """A schedule of few primitives: earlier blocks inlined or computed inside of the last one; its loops are cut,
    mixed, and made parallel, vectorised and unrolled at random. TVM raises where a draw is not legal."""
    schedule = Schedule(module, seed=seed, error_render_level="none", debug_mask="none")
    blocks = [b for b in schedule.get_child_blocks(schedule.get_sblock("root"))]
    *before, last = blocks
    axes = []
    for each in schedule.get_loops(last):
        parts = schedule.sample_perfect_tile(each, n=generator.choice((1, 2, 2, 3)), max_innermost_factor=64)
        axes.append(list(schedule.split(each, parts)))
    order = interleaved(axes, generator)
    schedule.reorder(*order)
    for block in reversed(before):
        how = generator.choice(("inline", "inside", "apart"))
        if how == "inline" and is_injective(schedule, block):
            schedule.compute_inline(block)
        elif how != "apart" and len(order) > 1:
            schedule.compute_at(block, order[generator.randrange(len(order) - 1)], preserve_unit_loops=True)
    outer, inner = schedule.get_loops(last)[0], schedule.get_loops(last)[-1]
    if generator.random() < 0.5:
        schedule.parallel(outer)
    if generator.random() < 0.7 and int(schedule.get(inner).extent) <= 64:
        schedule.vectorize(inner)
    steps = generator.choice(UNROLL)
    if steps:
        schedule.annotate(outer, "pragma_auto_unroll_max_step", steps)
        schedule.annotate(outer, "pragma_unroll_explicit", 1)
    return schedule


def interleaved(lists, generator):
    """All items, those of a list in their order."""
    left, out = [list(each) for each in lists], []
    while any(left):
        out.append(generator.choice([each for each in left if each]).pop(0))
    return out


def is_injective(schedule, block):
    return all(int(v.iter_type) == 0 for v in schedule.get(block).iter_vars)
