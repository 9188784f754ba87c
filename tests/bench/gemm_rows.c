/* SPDX-License-Identifier: MIT */
/* The products of linear layers, forward and backward: the public op, core's product function and
   oneDNN in turn, each in percent of the FMA probe that ran just before. */
#include "bench.h"
#include "core_product.h"
#include "linear_run.h"
#include "onednn.h"
#include "probe.h"

enum { CONTESTANTS = 3, MOST_FLOPS = 200000000 };

typedef struct contestant {
    const char *name; /* in the JSON; NULL: the row's own numbers */
    double (*run)(bench_linear *l, bench_way way);
} contestant;

static const contestant contestants[CONTESTANTS] = {
    {NULL, bench_linear_op},
    {"core", bench_linear_core},
    {"onednn", bench_linear_onednn},
};

static int running(int k) { return k < CONTESTANTS - 1 || bench_onednn_there(); }

/* rows x outputs x inputs, as in the cost models: 64,000 rows are 64 configurations of 1,000 nodes,
   656 are 16 kernels of 41 nodes. */
static const int shapes[][3] = {
    {64000, 256, 256}, {64000, 256, 512}, {64000, 128, 256},  {64000, 32, 256}, {64000, 256, 32},
    {32000, 64, 64},   {32000, 128, 128}, {4000, 1024, 1024}, {656, 2048, 512}, {500, 64, 64},
    {41, 1024, 1024},  {64, 4096, 1024},  {32, 2048, 512},    {16, 2048, 512},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const char *const way_name[BENCH_WAYS] = {"linear forward", "linear backward_x",
                                                 "linear backward_w"};

typedef struct gemm_row {
    const char *name, *shape;
    double flops, bytes;
    bench_samples samples[CONTESTANTS];
} gemm_row;

static void print_row(const gemm_row *row)
{
    const bench_samples *ours = &row->samples[0], *peer = &row->samples[CONTESTANTS - 1];
    printf("%-18s %-15s %8.3f %8.3f %8.1f", row->name, row->shape, bench_median(ours) * 1e3,
           bench_least(ours) * 1e3, row->flops / bench_median(ours) * 1e-9);
    for (int k = 0; k < CONTESTANTS; k++)
        if (running(k))
            printf("  %5.1f (%5.1f)", bench_percent(&row->samples[k], row->flops),
                   bench_percent_least(&row->samples[k], row->flops));
    if (bench_onednn_there())
        printf("  %5.2f (%5.2f)", bench_median(peer) / bench_median(ours),
               bench_least(peer) / bench_least(ours));
    printf("\n");
    fflush(stdout);
}

static void add_percent(json_t *json, const bench_samples *s, double flops)
{
    json_object_set_new(json, "percent", json_real(bench_percent(s, flops)));
    json_object_set_new(json, "percent_least", json_real(bench_percent_least(s, flops)));
}

static json_t *to_json(const gemm_row *row)
{
    const bench_row plain = {row->name, row->shape, &row->samples[0], NULL, row->flops, row->bytes};
    json_t *json = bench_json(&plain, "gemm", NULL);
    add_percent(json, &row->samples[0], row->flops);
    for (int k = 1; k < CONTESTANTS; k++) {
        const bench_samples *s = &row->samples[k];
        if (!running(k)) continue;
        json_t *peer = json_pack("{s:f, s:f}", "min_ms", bench_least(s) * 1e3, "median_ms",
                                 bench_median(s) * 1e3);
        add_percent(peer, s, row->flops);
        json_object_set_new(json, contestants[k].name, peer);
    }
    return json;
}

/* One round of a way: everyone, each after a probe. */
static int run_round(gemm_row *row, bench_linear *l, bench_way way, int counts)
{
    for (int k = 0; k < CONTESTANTS; k++) {
        if (!running(k)) continue;
        const double probe = bench_probe(), seconds = contestants[k].run(l, way) / l->copies;
        if (counts) bench_sample(&row->samples[k], seconds, probe);
    }
    return ag_failed(l->tape);
}

static int wanted(const bench_options *options, const char *shape)
{
    int any = 0;
    for (int way = 0; way < BENCH_WAYS; way++)
        any = any || bench_wanted(options, way_name[way], shape);
    return any;
}

/* One shape: its three ways are measured in the same rounds. */
static int measure(const bench_options *options, int rows, int out, int in, json_t *list)
{
    const double flops = 2.0 * rows * out * in;
    const double sizes = (double)rows * in + (double)in * out + (double)rows * out;
    gemm_row row[BENCH_WAYS];
    bench_linear l;
    char shape[40];
    snprintf(shape, sizeof shape, "%dx%dx%d", rows, out, in);
    if (!wanted(options, shape)) return 0;
    const int copies = flops < MOST_FLOPS ? (int)(MOST_FLOPS / flops) + 1 : 1;
    int bad = bench_linear_open(&l, rows, out, in, options->quick ? 2 : copies);
    for (int way = 0; way < BENCH_WAYS; way++)
        row[way] = (gemm_row){way_name[way], shape, flops, sizes * sizeof(ag_real), {{0}}};
    const int warm = options->quick ? 0 : 2, rounds = warm + bench_rounds(options, 21);
    for (int r = 0; !bad && r < rounds; r++)
        for (int way = 0; !bad && way < BENCH_WAYS; way++)
            if (bench_wanted(options, way_name[way], shape))
                bad = run_round(&row[way], &l, (bench_way)way, r >= warm);
    if (bad) fprintf(stderr, "bench: linear %s: %s\n", shape, l.tape ? ag_error(l.tape) : "memory");
    for (int way = 0; !bad && way < BENCH_WAYS; way++) {
        if (!bench_wanted(options, way_name[way], shape)) continue;
        print_row(&row[way]);
        json_array_append_new(list, to_json(&row[way]));
    }
    bench_linear_close(&l);
    return bad;
}

/* A tile of the products alone: where it is far from the probe, another program shares the cores,
   and no product comes nearer. */
static void measure_tile(const bench_options *options, json_t *list)
{
    int size[3];
    char shape[40];
    gemm_row row = {"tile in cache", shape, bench_core_tiles(size), 0, {{0}}};
    snprintf(shape, sizeof shape, "%dx%dx%d", size[0], size[1], size[2]);
    if (!bench_wanted(options, row.name, shape)) return;
    for (int r = 0; r < bench_rounds(options, 21); r++) {
        const double probe = bench_probe(), start = bench_now();
        bench_core_tiles(size);
        bench_sample(&row.samples[0], bench_now() - start, probe);
    }
    const bench_samples *s = &row.samples[0];
    const bench_row plain = {row.name, shape, s, NULL, row.flops, 0};
    json_t *json = bench_json(&plain, "gemm", NULL);
    add_percent(json, s, row.flops);
    json_array_append_new(list, json);
    printf("%-18s %-15s %8.3f %8.3f %8.1f  %5.1f (%5.1f)\n", row.name, shape, bench_median(s) * 1e3,
           bench_least(s) * 1e3, row.flops / bench_median(s) * 1e-9, bench_percent(s, row.flops),
           bench_percent_least(s, row.flops));
}

static int shorter(int size) { return size > 2000 ? size / 500 : size >= 512 ? size / 8 : size; }

int bench_gemm(const bench_options *options, json_t *list)
{
    int bad = 0;
    printf("\nProducts of linear layers, rows x outputs x inputs, in percent of the FMA probe: by "
           "the median and (by the least) of the rounds\nop: ag_linear with its bias, or what "
           "follows the gradient of y in ag_backward; core: the product function below it\n"
           "%-18s %-15s %8s %8s %8s  %13s  %13s",
           "name", "shape", "ms", "least", "GFLOP/s", "op (least)", "core (least)");
    printf(bench_onednn_there() ? "  %13s  %13s\n" : "\n", "oneDNN", "oneDNN / op");
    measure_tile(options, list);
    for (int i = 0; !bad && i < SHAPES; i++) {
        const int *s = shapes[i], quick = options->quick;
        bad = measure(options, quick ? shorter(s[0]) : s[0], quick ? shorter(s[1]) : s[1],
                      quick ? shorter(s[2]) : s[2], list);
    }
    return bad;
}
