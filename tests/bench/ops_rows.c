/* SPDX-License-Identifier: MIT */
/* Single ops, forward and backward, each with its arrays in memory and not in the caches, compared
   with a loop that copies as many bytes. */
#include "ops_rows.h"

#include "bench.h"
#include "device.h"
#include "mark.h"
#include "probe.h"

#include <stdlib.h>
#include <string.h>

/* One run from cold caches: seconds of forward and backward. */
static int run(double seconds[2], ag_tape *tape, bench_scene *s, const bench_op *op)
{
    ag_tensor *x[BENCH_INPUTS] = {NULL};
    ag_tape_reset(tape);
    ag_params_reset(s->params);
    bench_scene_edges(s, tape);
    for (int i = 0; i < s->params->count; i++) x[i] = ag_parameter(tape, s->params->list[i]);
    ag_tensor *y = op->record(s, x), *end = bench_mark_all(&y, 1);
    bench_evict();
    const double start = bench_now();
    ag_backward(end);
    seconds[1] = bench_now() - bench_marked.backward_start;
    seconds[0] = bench_marked.forward_end - start;
    if (ag_failed(tape)) fprintf(stderr, "bench: %s: %s\n", op->name, ag_error(tape));
    return ag_failed(tape);
}

static void report(json_t *rows, const char *name, const char *shape, const bench_samples *ours,
                   const bench_samples *copy, double flops, double bytes)
{
    const int moves = flops / bench_best.fma < bytes / bench_best.copy;
    const bench_row row = {name, shape, ours, moves ? copy : NULL, flops, bytes};
    bench_print(&row);
    json_array_append_new(rows, bench_json(&row, "ops", "copy"));
}

static int measure(const bench_options *options, bench_scene *s, const bench_op *op, json_t *rows)
{
    static const char *const way[] = {"", " back"};
    const ag_shape shape = bench_scene_shape(s, op->shape);
    const double elements = (double)ag_shape_count(shape);
    char text[64];
    bench_samples ours[2] = {{0}}, copy[2] = {{0}};
    if (!bench_wanted(options, op->name, ag_shape_text(text, shape))) return 0;
    ag_tape *tape = ag_tape_new(AG_CPU);
    s->params = bench_scene_params(s, op);
    int bad = !tape || !s->params;
    const int warm = options->quick ? 0 : 2, rounds = warm + bench_rounds(options, 15);
    for (int r = 0; !bad && r < rounds; r++) {
        double seconds[2];
        const double probe = bench_probe();
        if (options->profile && r == warm) ag_profile(tape, 1);
        bad = run(seconds, tape, s, op);
        for (int k = 0; !bad && r >= warm && k < 2; k++) {
            bench_sample(&ours[k], seconds[k], probe);
            bench_sample(&copy[k], bench_copy((size_t)(op->tensors[k] * elements) * sizeof(float)),
                         probe);
        }
    }
    for (int k = 0; !bad && k < 2; k++) {
        char name[40];
        snprintf(name, sizeof name, "%s%s", op->name, way[k]);
        report(rows, name, text, &ours[k], &copy[k], op->flops[k] * elements,
               op->tensors[k] * elements * sizeof(float));
    }
    ag_profile_print(tape, stdout);
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
    if (!bad) bad = ag_params_build(params, 1) != AG_OK;
    for (int i = 0; !bad && i < count; i++) params->gradient[i] = params->value[i];
    for (int r = 0; !bad && r < bench_rounds(options, 15); r++) {
        const double probe = bench_probe();
        params->state = AG_READY;
        bench_evict();
        const double start = bench_now();
        bad = ag_adamw_step(params, &adamw, 1e-3, &why) != AG_OK;
        bench_sample(&ours, bench_now() - start, probe);
        bench_sample(&copy, bench_copy((size_t)count * 28), probe);
    }
    if (bad)
        fprintf(stderr, "bench: AdamW: %s\n", why.sentence);
    else
        report(rows, "AdamW", shape, &ours, &copy, 12.0 * count, 28.0 * count);
    ag_params_free(params);
    return bad;
}

int bench_ops(const bench_options *options, json_t *rows)
{
    bench_scene s;
    const int quick = options->quick;
    if (bench_device != AG_CPU) return bench_ops_device(options, rows);
    int bad = bench_scene_open(&s, quick ? 30 : 1000, quick ? 4 : 32, quick ? 2 : 64);
    bench_marked.evict = 1;
    bench_head("Ops from cold caches; \"of copy\": the time of a loop that copies as many bytes, "
               "over ours (0.67 is within 1.5x)",
               "of copy");
    for (int i = 0; !bad && i < bench_ops_in_table; i++)
        bad = measure(options, &s, &bench_op_table[i], rows);
    if (!bad) bad = measure_adamw(options, quick ? 2150 : 215013, rows);
    if (!bad) bad = measure_adamw(options, quick ? 5000 : 5000000, rows);
    bench_scene_close(&s);
    return bad;
}
