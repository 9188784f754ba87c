# SPDX-License-Identifier: MIT
"""The training step, the scoring and single ops in PyTorch, timed: the peer that the bench compares with the C program.

    python peer.py --model tgraph --form pyg --configs 32 --nodes 1000 --steps 3 [--no-cross] [--dropout 0.2]
    python peer.py --model tgraph --form best --infer --configs 256 --chunk 128 --nodes 1000
    python peer.py --model tpu-lstm --form plain --configs 16 --nodes 41      16 kernels of 41 nodes
    python peer.py --model tpu-rank-nodes --configs 1000 --nodes 41 --chunk 199   1000 configurations of one
    python peer.py --model tpgnn --form best-compiled --configs 64 --nodes 500    64 trees of 500 nodes
    python peer.py --op linear --m 32000 --n 256 --k 256 [--backward]
    python peer.py --check            all forms against tests/golden/t*_model.py

Forms: pyg (as users of PyG write it), plain (PyTorch as one writes it first), best (the fastest that we could write);
with -tuned the allocator is tuned, as it always is for best, and with -compiled the model goes through torch.compile.

Prints one JSON line: median and least ms of a step (or op), peak memory in MB above what was resident before the
first step. With --serve it first prints {"ready": true, ...}, runs once per line of standard input and answers with
the milliseconds, and prints the JSON line at the end of the input: so a bench alternates with it, A B A B. A form that
cannot run answers {"failed": "..."}. What comes before the first timed step has no real-time priority.

A step is forward, loss, backward, clipping to norm 1 and AdamW; with --infer the scores under torch.inference_mode.
The allocator is tuned by environment variables, so the program starts itself once more with these set.
"""
import argparse
import contextlib
import json
import os
import statistics
import sys
import time
from pathlib import Path

TUNED = {"MALLOC_MMAP_THRESHOLD_": "4294967296", "MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "17179869184",
         "MALLOC_TOP_PAD_": "268435456", "MALLOC_ARENA_MAX": "1", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
         "THP_MEM_ALLOC_ENABLE": "1"}
AVX2 = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"}
DROPOUT = {"tgraph": 0.2, "tpgnn": 0.5}


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--model", default="tgraph", choices=(
        "tgraph", "tpgnn", "tpu-lstm", "tpu-lstm-shared", "tpu-transformer", "tpu-rank-nodes", "tpu-rank-kernel"))
    p.add_argument("--form", default="pyg", help="pyg, plain or best, optionally with -tuned or -compiled appended")
    p.add_argument("--op", choices=("linear", "matmul", "neighbour_mean", "instance_norm", "gelu", "softmax_middle",
                                       "gat", "sage_concat", "lstm", "attention", "encoder"))
    p.add_argument("--check", action="store_true")
    p.add_argument("--serve", action="store_true")
    p.add_argument("--infer", action="store_true", help="scores instead of a training step")
    p.add_argument("--avx2", action="store_true", help="no instructions beyond AVX2, in PyTorch, oneDNN and MKL")
    p.add_argument("--backward", action="store_true")
    p.add_argument("--no-cross", action="store_true")
    p.add_argument("--dropout", type=float, help="0.2; 0.1 for tpu models, 0.5 for tpgnn")
    for name, value in (("configs", 32), ("nodes", 1000), ("chunk", 128), ("steps", 3), ("warmup", 1), ("threads", 2),
                        ("m", 32000), ("n", 256), ("k", 256)):
        p.add_argument(f"--{name}", type=int, default=value)
    a = p.parse_args()
    a.form, _, flavour = a.form.partition("-")
    if a.form not in ("pyg", "plain", "best") or flavour not in ("", "tuned", "compiled"):
        p.error(f"no form {a.form}-{flavour}")
    a.compile, a.tuned = flavour == "compiled", bool(a.op) or flavour == "tuned" or a.form == "best"
    if a.dropout is None:
        a.dropout = DROPOUT.get(a.model, 0.1)
    return a


def restart_tuned(a):
    wanted = {"OMP_NUM_THREADS": str(a.threads), **(TUNED if a.tuned else {}), **(AVX2 if a.avx2 else {})}
    if any(os.environ.get(k) != v for k, v in wanted.items()):
        os.environ.update(wanted)
        os.execv(sys.executable, [sys.executable, *sys.argv])


def memory_mb(field):
    for line in open("/proc/self/status"):
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    return 0.0


def start_peak():
    """Resident memory now; resets the kernel's record of the peak where it allows that."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return memory_mb("VmRSS")


@contextlib.contextmanager
def ordinary_priority():
    """A real-time priority comes back, in all threads, at the end."""
    policy = os.sched_getscheduler(0)
    parameter = os.sched_getparam(0)
    if policy != os.SCHED_OTHER:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    yield
    for thread in os.listdir("/proc/self/task") if policy != os.SCHED_OTHER else ():
        os.sched_setscheduler(int(thread), policy, parameter)


def work(a):
    """The timed work: a function without arguments."""
    if a.op:
        import peer_ops
        return peer_ops.make(a)
    if a.model.startswith("tpu-"):
        import peer_tpu
        return peer_tpu.make(a)
    if a.model == "tpgnn":
        import peer_tpgnn
        return peer_tpgnn.make(a)
    import peer_models
    return peer_models.make(a)


def versions(a):
    """Of what computes."""
    import re
    import torch
    library = re.search(r"MKL-DNN v([0-9.]+)", torch.__config__.show())
    about = {"python": sys.version.split()[0], "torch": torch.__version__, "onednn": library[1] if library else "none",
             "isa": torch.backends.cpu.get_cpu_capability(), "threads": a.threads,
             "allocator": "tuned" if a.tuned else "stock"}
    if a.form == "pyg" and not a.op:
        import torch_geometric
        about["pyg"] = torch_geometric.__version__
    return about


def measure(once, resident, a, about):
    times = []

    def timed():
        start = time.perf_counter()
        once()
        times.append((time.perf_counter() - start) * 1e3)
        return times[-1]

    if a.serve:
        print(json.dumps({"ready": True, **about}), flush=True)
        for _ in sys.stdin:
            print(f"{timed():.3f}", flush=True)
    else:
        for _ in range(a.steps):
            timed()
    print(json.dumps({**about, "steps": len(times), "median_ms": round(statistics.median(times), 3) if times else None,
                      "min_ms": round(min(times), 3) if times else None,
                      "peak_mb": round(memory_mb("VmHWM") - resident, 1), "resident_mb": round(resident, 1)}),
          flush=True)


def main():
    a = arguments()
    restart_tuned(a)
    import logging
    import warnings
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    import torch
    if a.tuned:  # before there are threads, which take over the mode
        torch.set_flush_denormal(True)
    torch.set_num_threads(a.threads)
    torch.manual_seed(1)
    if a.check:
        import peer_check
        sys.exit(peer_check.main())
    try:
        with ordinary_priority():
            about = versions(a)
            once = work(a)
            resident = start_peak()
            for _ in range(a.warmup):
                once()
            if a.compile:  # what the compiler took is not what a step takes
                start_peak()
                once()
    except Exception as error:  # a form may need what this machine, or this PyTorch, does not have
        print(json.dumps({"failed": f"{type(error).__name__}: {error}"[:200]}), flush=True)
        sys.exit(1)
    measure(once, resident, a, {**about, "infer": a.infer, "configs": a.configs, "nodes": a.nodes})


if __name__ == "__main__":
    main()
