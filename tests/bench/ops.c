/* SPDX-License-Identifier: MIT */
/* Single ops, forward and backward, timed by marks before and after each, with other data in the
   caches when either begins, and compared with a copy of as many bytes. On a device ops are
   launched while it empties the caches, so launching shows only for an op with very many kernels.
 */
#include "ops.h"

#include "bench.h"

#include "autograd/op.h"

#include <inttypes.h>
#include <xxhash.h>

enum { START, FORWARD_END, BACKWARD_START, END }; /* marks */

/* ---- recorded before and after the op ---- */

static int scalar(ag_call *call)
{
    call->ys[0] = AG_SCALAR;
    return 0;
}

CALL(start_forward)
{
    bench_put_zero(Y(0));
    bench_evict();
    bench_clock_start();
}

CALL(end_forward)
{
    bench_clock_mark();
    bench_put_zero(Y(0));
}

CALL(end_backward)
{
    bench_put_pattern(DX, ag_shape_count(a->xs[a->which]));
    bench_evict();
    bench_clock_mark();
}

static const ag_op start_op = {
    .name = "bench_start", .inputs = "x", .shape = scalar, .forward = {&start_forward_kernel}};
static const ag_op end_op = {.name = "bench_end",
                             .inputs = "x ...",
                             .shape = scalar,
                             .forward = {&end_forward_kernel},
                             .backward = {&end_backward_kernel}};

/* ---- a row ---- */

static void report(json_t *rows, const char *name, const char *shape, const bench_samples *ours,
                   const bench_samples *copy, double flops, double bytes)
{
    const double least = bench_least(ours), median = bench_median(ours);
    printf("%-28s %-18s %9.3f %9.3f %8.1f %7.1f %9.2f\n", name, shape, least * 1e3, median * 1e3,
           flops / median * 1e-9, bytes / median * 1e-9, bench_median(copy) / median);
    fflush(stdout);
    json_array_append_new(rows,
                          json_pack("{s:s, s:s, s:s, s:i, s:f, s:f, s:f, s:f, s:f}", "part", "ops",
                                    "name", name, "shape", shape, "rounds", ours->n, "min_ms",
                                    least * 1e3, "median_ms", median * 1e3, "flops", flops, "bytes",
                                    bytes, "copy_ms", bench_median(copy) * 1e3));
}

/* One run: seconds of forward and backward. 1: the op cannot run. */
static int run(double seconds[2], ag_tape *tape, bench_scene *s, const bench_op *op)
{
    ag_tensor *x[BENCH_INPUTS] = {NULL};
    ag_tape_reset(tape);
    ag_tape_seed(tape, 1, 1);
    ag_params_reset(s->params);
    bench_scene_edges(s, tape);
    for (int i = 0; i < s->params->count; i++) x[i] = ag_parameter(tape, s->params->list[i]);
    ag_tensor *start = ag__record(&start_op, x, 1, NULL);
    ag_tensor *y = op->record(s, x);
    ag_backward(ag__record(&end_op, (ag_tensor *[]){y, start}, 2, NULL));
    if (ag_failed(tape)) {
        printf("%-28s %s\n", op->name, ag_error(tape));
        return 1;
    }
    bench_clock_mark();
    seconds[0] = bench_clock_seconds(START);
    seconds[1] = bench_clock_seconds(BACKWARD_START);
    return 0;
}

/* A number for the bits of all gradients: equal runs have equal ones. */
static uint64_t bits_of(ag_params *params)
{
    if (ag_params_fetch(params, NULL)) return 0;
    return XXH3_64bits(params->gradient, (size_t)params->size * sizeof *params->gradient);
}

/* 1: the op cannot run, or two runs have different bits. */
static int measure(const bench_options *options, bench_scene *s, const bench_op *op, json_t *rows)
{
    const ag_shape shape = bench_scene_shape(s, op->shape);
    const double elements = (double)ag_shape_count(shape), bytes = elements * sizeof(ag_real);
    char text[64], name[40], bits[17];
    bench_samples ours[2] = {{0}}, copy[2] = {{0}};
    double seconds[2];
    if (!bench_wanted(options, op->name, ag_shape_text(text, shape))) return 0;
    ag_tape *tape = bench_tape();
    s->params = bench_scene_params(s, op);
    int bad = !tape || !s->params || ag_params_to(s->params, bench_device, NULL);
    bad = bad || run(seconds, tape, s, op); /* kernels are loaded, the plan is made */
    const uint64_t first = bad ? 0 : bits_of(s->params);
    if (options->profile) ag_profile(tape, 1);
    for (int r = 0; !bad && r < bench_rounds(options, 15); r++) {
        bad = run(seconds, tape, s, op);
        for (int k = 0; !bad && k < 2; k++) {
            bench_sample(&ours[k], seconds[k]);
            bench_sample(&copy[k], bench_copy(op->tensors[k] * bytes));
        }
    }
    for (int k = 0; !bad && k < 2; k++) {
        snprintf(name, sizeof name, "%s%s", op->name, k ? " back" : "");
        report(rows, name, text, &ours[k], &copy[k], op->flops[k] * elements,
               op->tensors[k] * bytes);
    }
    if (!bad && bits_of(s->params) != first) {
        printf("%-28s %s: the last run has other bits than the first one\n", op->name, text);
        bad = 1;
    }
    snprintf(bits, sizeof bits, "%016" PRIx64, first);
    if (!bad)
        json_object_set_new(json_array_get(rows, json_array_size(rows) - 1), "bits",
                            json_string(bits));
    if (options->profile) ag_profile_print(tape, stdout);
    ag_params_free(s->params);
    ag_tape_free(tape);
    return bad;
}

/* AdamW reads weight, gradient and both moments and writes all but the gradient: 28 bytes. */
static int measure_adamw(const bench_options *options, int count, json_t *rows)
{
    const ag_adamw adamw = ag_adamw_default();
    char shape[40];
    ag_failure why = {0};
    bench_samples ours = {0}, copy = {0};
    snprintf(shape, sizeof shape, "[%d]", count);
    if (!bench_wanted(options, "AdamW", shape)) return 0;
    ag_params *params = ag_params_new();
    int bad = !params;
    if (!bad) ag_params_add(params, "w", AG_SHAPE(count), ag_init_uniform(-1, 1), 1);
    bad = bad || ag_params_build(params, 1);
    for (int i = 0; !bad && i < count; i++) params->gradient[i] = params->value[i];
    bad = bad || ag_params_to(params, bench_device, &why);
    for (int r = 0; !bad && r <= bench_rounds(options, 15); r++) {
        params->state = AG_READY;
        bench_evict();
        bench_clock_start();
        bad = ag_adamw_step(params, &adamw, 1e-3, &why) != AG_OK;
        bench_clock_mark();
        const double seconds = bench_clock_seconds(0);
        if (!r) continue; /* kernels are loaded */
        bench_sample(&ours, seconds);
        bench_sample(&copy, bench_copy(28.0 * count));
    }
    if (bad)
        printf("AdamW: %s\n", why.sentence);
    else
        report(rows, "AdamW", shape, &ours, &copy, 12.0 * count, 28.0 * count);
    ag_params_free(params);
    return bad;
}

int bench_ops(const bench_options *options, json_t *rows)
{
    bench_scene s;
    const int quick = options->quick, large = bench_device == AG_CPU ? 1 : 4;
    int failed = 0;
    if (bench_scene_open(&s, quick ? 30 : 1000, quick ? 4 : 32 * large, quick ? 2 : 64)) return 1;
    printf("\nOps from cold caches; \"of copy\": the time of a copy of as many bytes, over ours\n"
           "%-28s %-18s %9s %9s %8s %7s %9s\n",
           "name", "shape", "min ms", "median ms", "GFLOP/s", "GB/s", "of copy");
    for (int i = 0; i < bench_ops_in_table; i++)
        failed += measure(options, &s, &bench_op_table[i], rows);
    failed += measure_adamw(options, quick ? 2150 : 215013, rows);
    failed += measure_adamw(options, quick ? 5000 : 5000000, rows);
    bench_scene_close(&s);
    if (failed) fprintf(stderr, "bench: %d ops failed.\n", failed);
    return failed > 0;
}
