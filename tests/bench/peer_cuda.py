# SPDX-License-Identifier: MIT
"""Training steps in PyTorch and PyG on a GPU: eager, through torch.compile, and as a captured CUDA graph, in fp32 and tf32.

    python peer_cuda.py --seconds 120 [--only tgraph] [--device cpu --small]

Prints a row of a table for each as soon as it is measured. The time of a step is the median of steps that are waited for one by one, as the
bench waits for ours, and the mean of steps in a row, which the device works off while Python goes on. Both after warming
up, with a synchronisation at either end. A step is forward, loss, backward, clipping (not TPGNN) and Adam. What a form cannot do is said
in its row. Rows that --seconds does not reach are named at the end. With --device cpu this only checks the program.
"""
import argparse
import gc
import statistics
import sys
import time
import warnings
from types import SimpleNamespace

import torch

# name, arguments of the model, its forms as (form, ways)
EAGER, COMPILED, CAPTURED = "eager", "torch.compile", "CUDA graph"
STEPS = (
    ("tgraph 128x2000", dict(model="tgraph", configs=128, nodes=2000, dropout=0.2),
     (("pyg", (EAGER, COMPILED, CAPTURED)),)),
    ("tpgnn 64x500", dict(model="tpgnn", configs=64, nodes=500, dropout=0.5),
     (("pyg", (EAGER, COMPILED)), ("fixed", (EAGER, COMPILED, CAPTURED)))),
    ("tpgnn 1x500", dict(model="tpgnn", configs=1, nodes=500, dropout=0.5),
     (("pyg", (EAGER, COMPILED)), ("fixed", (EAGER, COMPILED, CAPTURED)))),
    ("tpu lstm separate 64", dict(model="tpu-lstm", configs=64, nodes=41, dropout=0.1),
     (("pyg", (EAGER,)), ("plain", (EAGER, COMPILED, CAPTURED)))),
    ("tpu transformer 16", dict(model="tpu-transformer", configs=16, nodes=41, dropout=0.1),
     (("pyg", (EAGER,)), ("plain", (EAGER, COMPILED, CAPTURED)))),
)
SMALL = dict(configs=2, nodes=20)


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    p.add_argument("--seconds", type=float, default=120, help="no row begins later")
    p.add_argument("--only", default="", help="rows whose name has this in it")
    p.add_argument("--small", action="store_true", help="2 configurations of 20 nodes")
    return p.parse_args()


def rows():
    """The order in which they are measured: what matters most first."""
    ways = (EAGER, CAPTURED, COMPILED)
    return [(name, options, form, way, tf32) for way in ways for name, options, forms in STEPS
            for form, known in forms if way in known for tf32 in (False, True)]


def precision(tf32):
    torch.set_float32_matmul_precision("high" if tf32 else "highest")
    torch.backends.cudnn.allow_tf32 = tf32


def make(a):
    import peer_models
    import peer_tpgnn
    import peer_tpu
    module = {"tgraph": peer_models, "tpgnn": peer_tpgnn}.get(a.model, peer_tpu)
    return module.make(a)


def wait(device):
    if device == "cuda":
        torch.cuda.synchronize()


def capture(once):
    """A function that replays the step."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            once()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        once()
    return graph.replay


def timed(once, device, count):
    start = time.perf_counter()
    for _ in range(count):
        once()
    wait(device)
    return (time.perf_counter() - start) / count


def measure(a, device, way):
    """Milliseconds of a step that is waited for, and of one of many in a row; peak memory in MB."""
    if way == CAPTURED and device == "cpu":
        raise RuntimeError("a CPU has no CUDA graphs")
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    once = make(a)
    if way == CAPTURED:
        once = capture(once)
    for _ in range(3):
        once()
    wait(device)
    least = min(timed(once, device, 1) for _ in range(2))
    count = max(5, min(100, int(1.0 / least)))
    single = statistics.median(timed(once, device, 1) for _ in range(count))
    peak = torch.cuda.max_memory_allocated() if device == "cuda" else 0
    return 1e3 * single, 1e3 * timed(once, device, count), peak / 1e6


def clean():
    gc.collect()
    torch._dynamo.reset()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def row(a, name, options, form, way, tf32):
    known = SimpleNamespace(**{**options, **(SMALL if a.small else {})}, form=form, compile=way == COMPILED,
                            captured=way == CAPTURED, infer=False, no_cross=False, chunk=0, op=None)
    head = f"{name:21} {form:6} {way:14} {'tf32' if tf32 else 'fp32'}"
    precision(tf32)
    torch.manual_seed(1)
    try:
        single, many, peak = measure(known, a.device, way)
        print(f"{head} {single:9.3f} {many:9.3f} {peak:9.0f}", flush=True)
    except Exception as error:
        print(f"{head} cannot run: {type(error).__name__}: {' '.join(str(error).split())[:120]}", flush=True)
    clean()


def main():
    a = arguments()
    end = time.monotonic() + a.seconds
    warnings.filterwarnings("ignore")
    import logging
    logging.disable(logging.WARNING)
    torch.set_default_device(a.device)
    import torch_geometric
    about = torch.cuda.get_device_name() if a.device == "cuda" else "the CPU, where no time means anything"
    print(f"PyTorch {torch.__version__}, PyG {torch_geometric.__version__}, CUDA {torch.version.cuda}, on {about}")
    print(f"{'step':21} {'form':6} {'way':14} {'':4} {'ms':>9} {'in a row':>9} {'peak MB':>9}", flush=True)
    missed = []
    for name, options, form, way, tf32 in rows():
        if a.only not in name:
            continue
        if time.monotonic() > end:
            missed.append(f"{name} {form} {way} {'tf32' if tf32 else 'fp32'}")
        else:
            row(a, name, options, form, way, tf32)
    if missed:
        print("no time was left for:", "; ".join(missed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
