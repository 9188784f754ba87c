# SPDX-License-Identifier: MIT
"""Loads TVM for one thread and one CPU. Import this before anything of TVM."""
import os
import sys
import types

for variable in ("TVM_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"  # candidates are processes made by fork, which keeps no thread but one
# Tensor instructions of other targets: 20 seconds to load in each process, and float programs do not use them.
sys.modules.setdefault("tvm.s_tir.tensor_intrin", types.ModuleType("tvm.s_tir.tensor_intrin"))

import numpy as np  # noqa: E402
import tvm  # noqa: E402
import tvm_ffi  # noqa: E402
from tvm.s_tir import meta_schedule, transform  # noqa: E402
from tvm.target import Target  # noqa: E402
from tvm.target.codegen import llvm_get_system_cpu, llvm_version_major  # noqa: E402

CPU = str(llvm_get_system_cpu())
TARGET = Target({"kind": "llvm", "mcpu": CPU, "num-cores": 1})
DEVICE = tvm.cpu()
# Up to where loops still have their kinds and buffers their axes.
LOWER = tvm.ir.transform.Sequential([
    transform.CanonicalizeLoop(), transform.LowerInitBlock(), transform.PlanAndUpdateBufferAllocationLocation(),
    transform.ConvertBlocksToOpaque(), transform.CompactBufferAllocation(), transform.LowerMatchBuffer(),
    transform.StmtSimplify(), transform.LowerOpaqueBlock(),
])


def versions():
    return {"target": str(TARGET), "tvm": tvm.__version__, "tvm_ffi": tvm_ffi.__version__, "llvm": llvm_version_major(),
            "numpy": np.__version__}


def lower(module, target=TARGET, name="main"):
    """The function of a scheduled module, lowered so far that no blocks are left."""
    with target:
        return LOWER(module)[name]


def load(module):
    """Compiles a module for this CPU. Returns it with its function, ready to run."""
    built = tvm.compile(module, target=TARGET).jit()
    return built, built.get_function("main")


def tuning(program, seed, strategy="replay-trace"):
    """MetaSchedule's context of a program, with the rules of any CPU: what it adds for some are integer products."""
    space = meta_schedule.space_generator.PostOrderApply(sch_rules="llvm", postprocs="llvm", mutator_probs="llvm")
    return meta_schedule.TuneContext(mod=program, target=TARGET, space_generator=space, search_strategy=strategy,
                                     rand_state=seed, num_threads=1)
