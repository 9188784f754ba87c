/* SPDX-License-Identifier: MIT */
/* The TPU performance model: its training step and the ranking of configurations, their floors,
   their memory, and the same in PyTorch in turn. */
#include "beside.h"
#include "tpu_step.h"

static const bench_tpu_work rows_of_table[] = {
    {"tpu lstm shared 16", "tpu-lstm-shared", TPU_LSTM, TPU_SHARED, TPU_NOWHERE, 16},
    {"tpu lstm shared 64", "tpu-lstm-shared", TPU_LSTM, TPU_SHARED, TPU_NOWHERE, 64},
    {"tpu lstm separate 16", "tpu-lstm", TPU_LSTM, TPU_SEPARATE, TPU_NOWHERE, 16},
    {"tpu lstm separate 64", "tpu-lstm", TPU_LSTM, TPU_SEPARATE, TPU_NOWHERE, 64},
    {"tpu transformer 16", "tpu-transformer", TPU_TRANSFORMER, TPU_SEPARATE, TPU_NOWHERE, 16},
    {"tpu rank nodes 1000", "tpu-rank-nodes", TPU_LSTM, TPU_SEPARATE, TPU_AT_NODES, 1000},
    {"tpu rank kernel 1000", "tpu-rank-kernel", TPU_LSTM, TPU_SEPARATE, TPU_AT_KERNEL, 1000},
};

static double run(void *tpu) { return bench_tpu_run(tpu); }

static int measure(const bench_options *options, bench_tpu_work work, json_t *rows)
{
    const int hidden = options->quick ? 16 : 512;
    const int ranks = work.tile_at != TPU_NOWHERE;
    bench_tpu b;
    bench_beside times = {0};
    if (!bench_wanted(options, work.name, work.name)) return 0;
    if (options->quick) work.samples = 2;
    int bad = bench_tpu_open(&b, &work, hidden);
    const bench_peer_call call = {.model = work.peer,
                                  .configs = work.samples,
                                  .nodes = BENCH_KERNEL_NODES,
                                  .chunk = ranks ? BENCH_RANK_CHUNK : 0};
    bad = bad || bench_beside_open(&times, options, &call, "pyg,plain,best,best-compiled");
    if (!bad) {
        bench_beside_warm(&times, run, &b, options->quick ? 1 : 2);
        if (options->profile) ag_profile(b.tape, 1);
        bad = bench_beside_run(&times, run, &b, bench_rounds(options, options->peer ? 7 : 15));
    }
    bench_beside_close(&times);
    if (bad) {
        fprintf(stderr, "bench: %s broke off: %s\n", work.name, ag_error(b.tape));
    } else {
        const bench_counted what = {.part = ranks ? "infer" : "tpu",
                                    .name = work.name,
                                    .flops = bench_tpu_flops(&b),
                                    .items = ranks ? work.samples : 0,
                                    .plan = ag_plan_of(bench_tpu_record(&b), !ranks)};
        bench_beside_tell(&times, &what, 21, 1, rows);
        if (options->profile) ag_profile_print(b.tape, stdout);
    }
    bench_beside_free(&times);
    bench_tpu_close(&b);
    return bad;
}

static int is_step(const bench_tpu_work *work) { return work->tile_at == TPU_NOWHERE; }

static int measure_all(const bench_options *options, int steps, json_t *rows)
{
    for (size_t i = 0; i < sizeof rows_of_table / sizeof *rows_of_table; i++)
        if (is_step(&rows_of_table[i]) == steps && measure(options, rows_of_table[i], rows))
            return 1;
    return 0;
}

int bench_tpus(const bench_options *options, json_t *rows)
{
    printf("\nThe TPU performance model, hidden 512, kernels of 41 nodes: training steps (forward, "
           "backward, clipping, Adam)\nof GraphSAGE with LSTM or Transformer\nfloor = operations "
           "of the products / FMA rate\n");
    return measure_all(options, 1, rows);
}

int bench_tpu_ranks_all(const bench_options *options, json_t *rows)
{
    return measure_all(options, 0, rows);
}
