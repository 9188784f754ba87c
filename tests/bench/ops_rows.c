/* SPDX-License-Identifier: MIT */
/* Single ops, forward and backward, each with its arrays in memory and not in the caches, beside a
   loop that copies as many bytes. */
#include "ops_rows.h"

#include "bench.h"
#include "mark.h"
#include "probe.h"

#include <stdlib.h>
#include <string.h>

static ag_shape resolve(const bench_scene *s, ag_shape shape)
{
    const int known[] = {s->nodes,        s->configs,   s->bags,
                         s->kernel_nodes, s->few_nodes, s->tree_nodes};
    for (int i = 0; i < shape.rank; i++)
        if (shape.size[i] < 0) shape.size[i] = known[-1 - shape.size[i]];
    for (int i = shape.rank; i < AG_MAX_AXES; i++) shape.size[i] = 1;
    return shape;
}

static ag_params *parameters(const bench_scene *s, const bench_op *op)
{
    char name[8] = "xa";
    ag_params *params = ag_params_new();
    for (int i = 0; params && i < BENCH_INPUTS && op->param[i].rank; i++) {
        name[1] = (char)('a' + i);
        ag_params_add(params, name, resolve(s, op->param[i]), ag_init_uniform(0.1, 1), 0);
    }
    if (!params || ag_params_build(params, 5)) {
        fprintf(stderr, "bench: %s: %s\n", op->name, params ? params->failure.sentence : "memory");
        ag_params_free(params);
        return NULL;
    }
    return params;
}

/* One run from cold caches: seconds of forward and backward. */
static int run(double seconds[2], ag_tape *tape, bench_scene *s, const bench_op *op)
{
    ag_tensor *x[BENCH_INPUTS] = {NULL};
    ag_tape_reset(tape);
    ag_params_reset(s->params);
    s->edges = ag_graph_edges(tape, s->graph);
    s->kernel_edges = ag_graph_edges(tape, s->kernels);
    s->kernel_user_edges = ag_graph_edges(tape, s->kernel_users);
    s->tree_edges = ag_graph_edges(tape, s->trees);
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
    const ag_shape shape = resolve(s, op->shape);
    const double elements = (double)ag_shape_count(shape);
    char text[64];
    bench_samples ours[2] = {{0}}, copy[2] = {{0}};
    if (!bench_wanted(options, op->name, ag_shape_text(text, shape))) return 0;
    ag_tape *tape = ag_tape_new(AG_CPU);
    s->params = parameters(s, op);
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

/* Two edges per node, from the node to one of the few before it; `graphs` of them in one batch. */
static ag_graph *draw_graph(int nodes, int graphs, ag_direction direction)
{
    ag_random random = {7, 0, 0};
    const int m = 2 * nodes;
    int32_t *source = calloc((size_t)m, sizeof *source);
    int32_t *target = calloc((size_t)m, sizeof *target);
    for (int i = 0; source && target && i < m; i++) {
        const int back = 1 + (int)ag_random_below(&random, 8);
        source[i] = 1 + (int)ag_random_below(&random, (uint32_t)nodes - 1);
        target[i] = source[i] > back ? source[i] - back : 0;
    }
    const ag_graph **list = calloc((size_t)graphs, sizeof *list);
    ag_graph *one =
        source && target ? ag_graph_build(nodes, source, target, m, direction, NULL) : NULL;
    for (int g = 0; list && g < graphs; g++) list[g] = one;
    ag_graph *all = list && one ? ag_graph_batch(list, graphs, NULL) : NULL;
    ag_graph_free(one);
    free(list);
    free(source);
    free(target);
    return all;
}

static int open_scene(bench_scene *s, int quick)
{
    enum { SMALL = 41, LARGE = 500 };
    ag_random random = {8, 0, 0};
    const int kernels = quick ? 2 : 64;
    *s = (bench_scene){.nodes = quick ? 30 : 1000, .configs = quick ? 4 : 32};
    s->bags = s->nodes / 3 * s->configs;
    s->kernel_nodes = kernels * SMALL;
    s->few_nodes = (kernels + 3) / 4 * SMALL;
    s->tree_nodes = kernels * LARGE;
    s->digit = calloc((size_t)s->bags * 18, sizeof *s->digit);
    s->rank = calloc(64, sizeof *s->rank);
    s->starts = calloc((size_t)kernels + 1, sizeof *s->starts);
    s->graph = draw_graph(s->nodes, 1, AG_ALONG);
    s->kernels = draw_graph(SMALL, kernels, AG_ALONG);
    s->kernel_users = draw_graph(SMALL, kernels, AG_AGAINST);
    s->trees = draw_graph(LARGE, kernels, AG_ALONG);
    if (!s->digit || !s->rank || !s->starts || !s->graph || !s->kernels || !s->kernel_users ||
        !s->trees)
        return 1;
    for (int i = 0; i < s->bags * 18; i++) s->digit[i] = (int32_t)ag_random_below(&random, 8);
    for (int i = 0; i < 64; i++) s->rank[i] = i;
    for (int i = 0; i <= kernels; i++) s->starts[i] = i * SMALL;
    ag_random_shuffle(&random, s->rank, 64);
    return 0;
}

int bench_ops(const bench_options *options, json_t *rows)
{
    bench_scene s;
    int bad = open_scene(&s, options->quick);
    bench_marked.evict = 1;
    bench_head("Ops from cold caches; \"of copy\": the time of a loop that copies as many bytes, "
               "over ours (0.67 is within 1.5x)",
               "of copy");
    for (int i = 0; !bad && i < bench_ops_in_table; i++)
        bad = measure(options, &s, &bench_op_table[i], rows);
    if (!bad) bad = measure_adamw(options, options->quick ? 2150 : 215013, rows);
    if (!bad) bad = measure_adamw(options, options->quick ? 5000 : 5000000, rows);
    ag_graph_free(s.graph);
    ag_graph_free(s.kernels);
    ag_graph_free(s.kernel_users);
    ag_graph_free(s.trees);
    free(s.digit);
    free(s.rank);
    free(s.starts);
    return bad;
}
