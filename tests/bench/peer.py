# SPDX-License-Identifier: MIT
"""The training step and single ops in PyTorch, timed: the peer that the bench runs beside the C program.

    python peer.py --form pyg|node --configs 32 --nodes 1000 --steps 3 [--no-cross] [--dropout 0.2] [--threads 2]
    python peer.py --form tpu-lstm --configs 16 --nodes 41 --dropout 0.1      16 kernels of 41 nodes
    python peer.py --form tpu-rank-nodes --configs 1000 --nodes 41            1000 configurations of one
    python peer.py --form tpgnn --configs 64 --nodes 500                      64 trees of 500 nodes
                     tpu-lstm-plain and so on: as one writes it first, the allocator as it comes
    python peer.py --op linear --m 32000 --n 256 --k 256 [--backward]
    python peer.py --check            all forms against tests/golden/t*_model.py

Prints one JSON line: median and least ms of a step (or op), peak memory in MB above what was resident before the
first step. With --serve it first prints {"ready": true, ...}, runs once per line of standard input and answers with
the milliseconds, and prints the JSON line at the end of the input: so a bench alternates with it, A B A B.

A step is forward, loss, backward, clipping to norm 1 and AdamW. The allocator is tuned by environment variables, so
the program starts itself once more with these set (--stock leaves them alone).
"""
import argparse
import json
import os
import statistics
import sys
import time
from pathlib import Path

TUNED = {"MALLOC_MMAP_THRESHOLD_": "4294967296", "MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "17179869184",
         "MALLOC_TOP_PAD_": "268435456", "MALLOC_ARENA_MAX": "1", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
         "THP_MEM_ALLOC_ENABLE": "1"}

OTHER = ("tpgnn", "tpu-lstm", "tpu-lstm-shared", "tpu-transformer", "tpu-rank-nodes",
         "tpu-rank-kernel")


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--form", choices=("pyg", "node", *OTHER, *(f"{form}-plain" for form in OTHER)), default="pyg")
    p.add_argument("--op", choices=("linear", "matmul", "neighbour_mean", "instance_norm", "gelu", "softmax_middle",
                                       "gat", "sage_concat", "lstm", "attention", "encoder"))
    p.add_argument("--check", action="store_true")
    p.add_argument("--serve", action="store_true")
    p.add_argument("--stock", action="store_true", help="the allocator as it comes")
    p.add_argument("--backward", action="store_true")
    p.add_argument("--no-cross", action="store_true")
    p.add_argument("--dropout", type=float, help="0.2; 0.1 for tpu forms, 0.5 for tpgnn")
    for name, value in (("configs", 32), ("nodes", 1000), ("steps", 3), ("warmup", 1), ("threads", 2),
                        ("m", 32000), ("n", 256), ("k", 256)):
        p.add_argument(f"--{name}", type=int, default=value)
    return p.parse_args()


def restart_tuned(a):
    wanted = {"OMP_NUM_THREADS": str(a.threads), **({} if a.stock else TUNED)}
    if any(os.environ.get(k) != v for k, v in wanted.items()):
        os.environ.update(wanted)
        os.execv(sys.executable, [sys.executable, *sys.argv])


def memory_mb(field):
    for line in open("/proc/self/status"):
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    return 0.0


def start_peak():
    """Resident memory now; the kernel's record of the peak begins anew where it allows that."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pass
    return memory_mb("VmRSS")


def training_step(a):
    import torch
    if a.form.startswith("tpu-"):
        import peer_tpu
        return peer_tpu.make(a)
    if a.form == "tpgnn":
        import peer_tpgnn
        return peer_tpgnn.make(a)
    from peer_models import FORMS, Problem, hinge
    problem, model = Problem(a.configs, a.nodes), FORMS[a.form](not a.no_cross, a.dropout)
    parameters = list(model.parameters())
    optimizer = torch.optim.AdamW(parameters, lr=1e-3, weight_decay=1e-5, fused=a.form == "node" or None)

    def step():
        optimizer.zero_grad(set_to_none=True)
        hinge(model(problem), problem.ranks).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
    return step


def measure(once, a, about):
    resident = start_peak()
    for _ in range(a.warmup):
        once()
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
    a.plain = a.form.endswith("-plain")
    a.form, a.stock = a.form.removesuffix("-plain"), a.stock or a.plain
    if a.dropout is None:
        a.dropout = 0.1 if a.form.startswith("tpu-") else 0.5 if a.form == "tpgnn" else 0.2
    restart_tuned(a)
    import warnings
    warnings.filterwarnings("ignore", message="Sparse")
    import torch
    torch.set_num_threads(a.threads)
    torch.manual_seed(1)
    if a.check:
        import peer_check
        sys.exit(peer_check.main())
    about = {"torch": torch.__version__, "isa": torch.backends.cpu.get_cpu_capability(), "threads": a.threads,
             "allocator": "stock" if a.stock else "tuned"}
    if a.op:
        import peer_ops
        about.update(op=a.op, backward=a.backward, m=a.m, n=a.n, k=a.k, nodes=a.nodes, configs=a.configs)
        once = peer_ops.make(a)
    else:
        about.update(form=a.form, plain=a.plain, configs=a.configs, nodes=a.nodes, cross=not a.no_cross, dropout=a.dropout)
        once = training_step(a)
    measure(once, a, about)


if __name__ == "__main__":
    main()
