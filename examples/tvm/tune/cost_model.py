# SPDX-License-Identifier: MIT
"""A run of tpgnn as a cost model of MetaSchedule: give it as cost_model= to anything of tvm.s_tir.meta_schedule."""
from concurrent.futures import ThreadPoolExecutor

import models  # puts the collector's folder on the path
import tvm_setup  # before anything of TVM
import numpy as np
import tree
from tvm.ir.utils import derived_object
from tvm.s_tir.meta_schedule.cost_model import PyCostModel

CHUNK = 16  # candidates that a thread lowers and scores at once
MOST = 700  # its exponential is still a number


def flattened(candidate):
    """The tree of a candidate, as the collector makes it; None where it cannot be lowered."""
    try:
        return tree.flatten(tvm_setup.lower(candidate.sch.mod))
    except Exception:  # TVM raises many kinds
        return None


@derived_object
class TpgnnModel(PyCostModel):
    """model: a models.Model. steps: of training after each round of measurements; 0: it stays as it was trained.
    jobs: threads that lower and score. The search draws parents in proportion to their scores and takes what is below 0
    for 0, so it gets exp(model's score). explore: width of Gumbel noise on the model's scores, with which the best of
    many are a draw from softmax(score / explore); without it they are copies of one schedule, and all wrong where that
    one is. Candidates that cannot be lowered or read score -inf; `lost` counts them, `predicted` all, and `failures`
    the calls in which something else went wrong; `reason` is its sentence."""

    def __init__(self, model, steps=0, learning_rate=1e-4, jobs=2, explore=1.0, seed=0):
        super().__init__()
        self.model, self.steps, self.learning_rate, self.jobs = model, steps, learning_rate, jobs
        self.explore, self.random = explore, np.random.default_rng(seed)
        self.predicted, self.lost, self.failures, self.reason, self.measured, self.losses = 0, 0, 0, "", {}, []

    def load(self, path):
        raise NotImplementedError("open a checkpoint with models.Model")

    def save(self, path):
        self.model.save(path)

    def score(self, candidates):
        """Scores of a few, in the thread of the call; large is fast, as TVM wants it."""
        scores = np.full(len(candidates), -np.inf)
        try:
            trees = [flattened(c) for c in candidates]
            places = [i for i, t in enumerate(trees) if t]
            if places:
                scores[places] = self.speeds([trees[i] for i in places])
        except Exception as reason:  # a tuner that runs for hours shall not end for one round
            self.failures, self.reason = self.failures + 1, str(reason)
        return scores

    def speeds(self, trees):
        """Where one tree cannot be read, the others have their scores all the same."""
        try:
            return -self.model.predict(models.arrays(trees))[0].score
        except models.Refused:
            if len(trees) == 1:
                return np.array([-np.inf])
            return np.concatenate([self.speeds([tree]) for tree in trees])

    def predict(self, context, candidates):
        chunks = [candidates[i:i + CHUNK] for i in range(0, len(candidates), CHUNK)]
        with ThreadPoolExecutor(self.jobs) as pool:  # ended with the call: others fork this process
            scores = np.concatenate([np.empty(0), *pool.map(self.score, chunks)])
        lost = np.isinf(scores)
        self.predicted, self.lost = self.predicted + len(scores), self.lost + int(lost.sum())
        noise = self.explore * self.random.gumbel(size=len(scores))
        return np.where(lost, -np.inf, np.exp(np.minimum(scores + noise, MOST)))

    def update(self, context, candidates, results):
        if not self.steps:
            return
        try:
            key = tvm_setup.tvm_ffi.structural_hash(context.mod)
            rows = [(flattened(c), r.run_secs) for c, r in zip(candidates, results)]
            rows = [(t, min(float(s) for s in seconds)) for t, seconds in rows if t and seconds]
            known = self.measured.setdefault(key, [])
            known += rows
            if len({seconds for _, seconds in known}) > 1:
                self.losses.append(self.model.update(models.arrays(*zip(*known)), self.steps, self.learning_rate))
        except Exception as reason:
            self.failures, self.reason = self.failures + 1, str(reason)
