/* SPDX-License-Identifier: MIT */
#include "probe.h"
#include "step.h"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int c = argc > 1 ? atoi(argv[1]) : 32, n = argc > 2 ? atoi(argv[2]) : 1000,
        k = argc > 3 ? atoi(argv[3]) : 5;
    tgraph_options o = tgraph_default_options();
    bench_step s;
    if (bench_step_open(&s, c, n, &o)) return 1;
    bench_step_run(&s);
    bench_step_run(&s);
    ag_profile(s.tape, 1);
    double best = 1e9, fma = 0, mem = 0;
    for (int i = 0; i < k; i++) {
        double f = bench_fma_rate(), m = bench_memory_rate();
        if (f > fma) fma = f;
        if (m > mem) mem = m;
        double t = bench_step_run(&s);
        if (t < best) best = t;
    }
    ag_profile_print(s.tape, stdout);
    ag_plan_summary p = (ag_tape_reset(s.tape), ag_plan_of(bench_step_record(&s), 1));
    printf("best %.1f ms; fma %.0f copy %.1f; slab %.1f MB saved %.1f MB steps %d\n", best * 1e3,
           fma * 1e-9, mem * 1e-9, p.slab / 1e6, p.saved / 1e6, p.steps);
}
