#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How many programs a minute the cost model scores from Python: with lowering and trees, and the C call alone.

    python throughput.py --run RUN --library BUILD/bin/libaugur_tpgnn.so
"""
import argparse
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import library
from refused import Refused

WORKLOAD = "conv2d-bn-relu_1_28_28_32_64_3_1"  # its schedules have about 300 nodes


def parser():
    p = argparse.ArgumentParser(description="Measures how many programs of about 300 nodes a minute are scored: from "
                                "schedules (lowering, tree, C call), and from arrays (the C call alone).")
    add = p.add_argument
    add("--run", required=True, metavar="PATH", help="run folder or checkpoint of tpgnn")
    add("--library", required=True, metavar="FILE", help="libaugur_tpgnn.so")
    add("--jobs", type=int, default=2, metavar="N", help="threads that lower and call the library side by side (2)")
    add("--schedules", type=int, default=256, metavar="N", help="different schedules (256)")
    add("--seconds", type=float, default=5, help="of each measurement, at least (5)")
    add("--workload", default=WORKLOAD, metavar="NAME", help=f"of which they are ({WORKLOAD})")
    return p


def rate(call, count, seconds):
    """Repeats calls for so many seconds; returns programs a minute."""
    call()
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        call()
        done += count
    return 60 * done / (time.perf_counter() - start)


def measure(options):
    import cost_model
    import programs
    import schedules
    import workloads
    from tvm.s_tir.meta_schedule import MeasureCandidate

    sampler = schedules.Sampler(programs.build(*workloads.parse(options.workload)), 1)
    drawn = sampler.draw(options.schedules)
    candidates = [MeasureCandidate(schedule, []) for schedule, _, _ in drawn]
    each = library.Model(options.library, options.run, 1)  # threads call it side by side
    trees = [cost_model.flattened(c) for c in candidates]
    packed = [library.arrays(trees[i::options.jobs]) for i in range(options.jobs)]
    with ThreadPoolExecutor(options.jobs) as pool:
        c_call = rate(lambda: list(pool.map(each.predict, packed)), len(trees), options.seconds)
    model = cost_model.TpgnnModel(each, jobs=options.jobs)
    whole = rate(lambda: model.predict(sampler.context, candidates), len(candidates), options.seconds)
    lost = model.lost
    each.close()
    return {"programs": len(trees), "nodes": round(sum(map(len, trees)) / len(trees), 1), "jobs": options.jobs,
            "from_schedules_a_minute": round(whole), "c_call_a_minute": round(c_call), "lost": lost}


def main(arguments=None):
    options = parser().parse_args(arguments)
    try:
        print(json.dumps(measure(options), indent=1))
    except ImportError as reason:
        sys.stderr.write(f"throughput: TVM cannot be loaded ({reason}); pip install -r ../collect/requirements.txt\n")
    except (Refused, ValueError) as reason:
        sys.stderr.write(f"throughput: {reason}\n")
    else:
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
