/* SPDX-License-Identifier: MIT */
/* Single ops on a device, forward and backward, timed by marks in its stream. Other data fill its
   caches when either begins. Ops are launched while the device empties the caches, so the time of
   launching shows only for an op with very many kernels. */
#include "bench.h"
#include "device.h"
#include "mark.h"
#include "ops_rows.h"

#include "core/cuda/device.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { START, FORWARD_END, BACKWARD_START, END }; /* marks */

static struct {
    ag__timer *timer;
    char *caches;     /* two halves: one is copied to the other */
    ag_real *pattern; /* PATTERN numbers that gradients are made of */
    size_t bytes;     /* of a half */
} on_device;
enum { PATTERN = 1 << 16 };

static int open_device(int quick)
{
    ag_real *pattern = malloc(PATTERN * sizeof *pattern);
    on_device.bytes = quick ? (size_t)1 << 16 : (size_t)128 << 20;
    on_device.timer = ag__timer_new();
    on_device.caches = ag__device_take(2 * on_device.bytes);
    on_device.pattern = ag__device_take(PATTERN * sizeof *pattern);
    if (!pattern || !on_device.timer || !on_device.caches || !on_device.pattern) {
        fprintf(stderr, "bench: there is no memory on the device for what ops are timed with.\n");
        free(pattern);
        return 1;
    }
    for (int i = 0; i < PATTERN; i++)
        pattern[i] = (ag_real)(((uint32_t)i * 2654435761u) >> 12 & 1023) / 1024 - (ag_real)0.5;
    ag__device_upload(on_device.pattern, pattern, PATTERN * sizeof *pattern);
    ag__device_fill(on_device.caches, 0, 2 * on_device.bytes);
    free(pattern);
    return 0;
}

static void close_device(void)
{
    ag__timer_free(on_device.timer);
    ag__device_give(on_device.caches);
    ag__device_give(on_device.pattern);
}

static void evict(void)
{
    ag__device_copy(on_device.caches + on_device.bytes, on_device.caches, on_device.bytes);
}

/* Seconds of a copy that reads bytes / 2 and writes bytes / 2; of large ones as many parts as go
   into the block. */
static double copy_seconds(double bytes)
{
    const double half = bytes / 2 < 4 ? 4 : bytes / 2, most = (double)on_device.bytes;
    const size_t part = (size_t)(half < most ? half : most);
    evict();
    ag__timer_start(on_device.timer);
    ag__device_copy(on_device.caches, on_device.caches + on_device.bytes, part);
    ag__timer_mark(on_device.timer);
    return ag__timer_seconds(on_device.timer, 0) * half / (double)part;
}

/* ---- recorded before and after the op ---- */

static int scalar(ag_call *call)
{
    call->ys[0] = AG_SCALAR;
    return 0;
}

CALL(start_forward)
{
    ag__device_fill(Y(0), 0, sizeof(ag_real));
    evict();
    ag__timer_start(on_device.timer);
}

CALL(end_forward)
{
    ag__timer_mark(on_device.timer);
    ag__device_fill(Y(0), 0, sizeof(ag_real));
}

/* The pattern over and over, then empty caches. */
CALL(end_backward)
{
    const int64_t n = ag_shape_count(a->xs[a->which]);
    int64_t have = n < PATTERN ? n : PATTERN;
    ag__device_copy(DX, on_device.pattern, (size_t)have * sizeof(ag_real));
    while (have < n) {
        const int64_t more = have < n - have ? have : n - have;
        ag__device_copy(DX + have, DX, (size_t)more * sizeof(ag_real));
        have += more;
    }
    evict();
    ag__timer_mark(on_device.timer);
}

static const ag_op start_op = {
    .name = "bench_start", .inputs = "x", .shape = scalar, .forward = {&start_forward_kernel}};
static const ag_op end_op = {.name = "bench_end",
                             .inputs = "x ...",
                             .shape = scalar,
                             .forward = {&end_forward_kernel},
                             .backward = {&end_backward_kernel}};

/* ---- one op ---- */

/* One run: seconds of forward and backward. */
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
    ag__timer_mark(on_device.timer);
    seconds[0] = ag__timer_seconds(on_device.timer, START);
    seconds[1] = ag__timer_seconds(on_device.timer, BACKWARD_START);
    return 0;
}

/* A number for the bits of all gradients (FNV-1a): equal runs have equal ones. */
static uint64_t bits_of(ag_params *params)
{
    uint64_t hash = 14695981039346656037u;
    if (ag_params_fetch(params, NULL)) return 0;
    const unsigned char *byte = (const unsigned char *)params->gradient;
    for (size_t i = 0; i < (size_t)params->size * sizeof *params->gradient; i++)
        hash = (hash ^ byte[i]) * 1099511628211u;
    return hash;
}

static void report(json_t *rows, const bench_row *row, uint64_t bits)
{
    char text[17];
    json_t *json = bench_json(row, "ops", "copy");
    bench_print(row);
    snprintf(text, sizeof text, "%016" PRIx64, bits);
    if (bits) json_object_set_new(json, "bits", json_string(text));
    json_array_append_new(rows, json);
}

static int rounds_of(const bench_options *options) { return bench_rounds(options, 11); }

/* 1: the op cannot run, or two runs have different bits. */
static int measure(const bench_options *options, bench_scene *s, const bench_op *op, json_t *rows)
{
    static const char *const way[] = {"", " back"};
    const ag_shape shape = bench_scene_shape(s, op->shape);
    const double elements = (double)ag_shape_count(shape);
    char text[64], name[40];
    bench_samples ours[2] = {{0}}, copy[2] = {{0}};
    if (!bench_wanted(options, op->name, ag_shape_text(text, shape))) return 0;
    ag_tape *tape = bench_tape();
    s->params = bench_scene_params(s, op);
    int bad = !tape || !s->params || ag_params_to(s->params, bench_device, NULL);
    double seconds[2];
    bad = bad || run(seconds, tape, s, op); /* kernels are loaded, the plan is made */
    const uint64_t bits = bad ? 0 : bits_of(s->params);
    for (int r = 0; !bad && r < rounds_of(options); r++) {
        const double probe = bench_probe();
        bad = run(seconds, tape, s, op);
        for (int k = 0; !bad && k < 2; k++) {
            bench_sample(&ours[k], seconds[k], probe);
            bench_sample(&copy[k], copy_seconds(op->tensors[k] * elements * sizeof(ag_real)),
                         probe);
        }
    }
    for (int k = 0; !bad && k < 2; k++) {
        const double flops = op->flops[k] * elements;
        snprintf(name, sizeof name, "%s%s", op->name, way[k]);
        report(rows,
               &(bench_row){name, text, &ours[k], &copy[k], flops,
                            op->tensors[k] * elements * sizeof(ag_real)},
               k ? bits : 0);
    }
    if (!bad && bits_of(s->params) != bits) {
        printf("%-28s %s: the last run has other bits than the first one\n", op->name, text);
        bad = 1;
    }
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
    for (int r = 0; !bad && r <= rounds_of(options); r++) {
        const double probe = bench_probe();
        params->state = AG_READY;
        evict();
        ag__timer_start(on_device.timer);
        bad = ag_adamw_step(params, &adamw, 1e-3, &why) != AG_OK;
        ag__timer_mark(on_device.timer);
        const double seconds = ag__timer_seconds(on_device.timer, 0);
        if (!r) continue; /* kernels are loaded */
        bench_sample(&ours, seconds, probe);
        bench_sample(&copy, copy_seconds(28.0 * count), probe);
    }
    if (bad)
        printf("AdamW: %s\n", why.sentence);
    else
        report(rows, &(bench_row){"AdamW", shape, &ours, &copy, 12.0 * count, 28.0 * count}, 0);
    ag_params_free(params);
    return bad;
}

int bench_ops_device(const bench_options *options, json_t *rows)
{
    bench_scene s;
    const int quick = options->quick;
    int failed = 0;
    if (open_device(quick)) return 1;
    if (bench_scene_open(&s, quick ? 30 : 2000, quick ? 4 : 128, quick ? 2 : 64)) return 1;
    bench_head(
        "Ops on the device from cold caches; \"of copy\": the time of a copy of as many bytes, "
        "over ours",
        "of copy");
    for (int i = 0; i < bench_ops_in_table; i++)
        failed += measure(options, &s, &bench_op_table[i], rows);
    failed += measure_adamw(options, quick ? 2150 : 215013, rows);
    failed += measure_adamw(options, quick ? 5000 : 5000000, rows);
    bench_scene_close(&s);
    close_device();
    if (failed) fprintf(stderr, "bench: %d ops failed on the device.\n", failed);
    return failed > 0;
}
