/* SPDX-License-Identifier: MIT */
#include "examples/tpu/tune/model.h"

#include "examples/harness/harness.h"
#include "examples/lab/program/features.h"
#include "examples/tpu/analytic/analysis.h"

static const tpu_trained *trained_of(const tune_model *m) { return m->runs.run[0].net; }

ag_status tune_model_open(tune_model *m, const tpu_settings *s, const char *run, tpu_task task,
                          const char *option, ag_failure *why)
{
    tpu_settings one = *s;
    *m = (tune_model){.settings = s};
    if (!run) return AG_OK;
    one.shell.common.run = run;
    one.shell.ensemble.count = 0;
    if (harness_runs_open(&m->runs, &tpu_shell, &one.shell, why)) return why->status;
    if (trained_of(m)->model.options.task == task) return AG_OK;
    return ag_fail(why, AG_EUSE,
                   "--%s: %.200s holds a model for %s files, but this option needs one that was "
                   "trained on %s files; choose another run",
                   option, run, tpu_task_name[trained_of(m)->model.options.task],
                   tpu_task_name[task]);
}

void tune_model_close(tune_model *m)
{
    if (m->runs.run) harness_runs_close(&m->runs);
    *m = (tune_model){0};
}

/* The dots as a file of the lab has them. */
static int name_dots(tpugraphs_dot *dot, const lab_program *from)
{
    int n = 0;
    for (int32_t i = 0; i < from->n; i++) {
        const lab_node *v = &from->nodes[i];
        if (v->op == LAB_DOT)
            dot[n++] = (tpugraphs_dot){i,           v->operand[0], v->operand[1], v->dot.batch,
                                       v->dot.left, v->dot.right};
    }
    return n;
}

void tune_kernel_open(tpu_kernel *k, const lab_program *from)
{
    const size_t n = (size_t)from->n;
    int64_t(*rows)[2] = harness_alloc(n * LAB_OPERANDS * sizeof *rows);
    *k = (tpu_kernel){.name = from->name,
                      .nodes = from->n,
                      .edges = lab_edges(rows, from),
                      .feature = harness_alloc(n * LAB_FEATURES * sizeof *k->feature),
                      .opcode = harness_alloc(n * sizeof *k->opcode),
                      .reducer = harness_alloc(n * sizeof *k->reducer),
                      .dot = harness_alloc(n * sizeof *k->dot + 1),
                      .configs = 1};
    k->edge = harness_alloc(2 * (size_t)k->edges * sizeof *k->edge + 1);
    for (int i = 0; i < from->n; i++) {
        lab_node_features(k->feature + (size_t)i * LAB_FEATURES, from, i);
        k->opcode[i] = lab_op_code(from->nodes[i].op);
        k->reducer[i] = lab_reducer_code(from, i);
    }
    for (int i = 0; i < 2 * k->edges; i++) k->edge[i] = (int32_t)rows[i / 2][i % 2];
    harness_free(rows);
    k->dots = name_dots(k->dot, from);
    tpu_static_features(k->analysis, k);
}

void tune_kernel_tiles(tpu_kernel *k, int (*tile)[24], int count)
{
    k->configs = count;
    k->tile = harness_alloc((size_t)count * TPUGRAPHS_TILE_FEATURES * sizeof *k->tile + 1);
    for (int i = 0; i < count * TPUGRAPHS_TILE_FEATURES; i++)
        k->tile[i] = (float)tile[i / TPUGRAPHS_TILE_FEATURES][i % TPUGRAPHS_TILE_FEATURES];
}

static ag_status score(tune_model *m, double *score, tpu_kernel *kernel, int count, tpu_task task,
                       ag_failure *why)
{
    const tpu_data data = {.task = task, .kernel = kernel, .kernels = count};
    const tpu_scorer scorer = {.model = &trained_of(m)->model,
                               .scaler = &trained_of(m)->scaler,
                               .tape = m->runs.tape,
                               .samples = m->settings->eval_samples,
                               .nodes = m->settings->eval_nodes};
    return tpu_score(&scorer, score, &data, 1, why);
}

ag_status tune_model_times(tune_model *m, double *ns, const lab_fusion *kernels, ag_failure *why)
{
    const int count = kernels->n;
    tpu_kernel *list = harness_alloc((size_t)count * sizeof *list + 1);
    for (int i = 0; i < count; i++) {
        tune_kernel_open(&list[i], &kernels->kernel[i]);
        ns[i] = 0;
    }
    score(m, ns, list, count, TPU_FUSION, why);
    for (int i = 0; i < count; i++) {
        ns[i] = tpu_nanoseconds(ns[i]);
        tpu_kernel_free(&list[i]);
    }
    harness_free(list);
    return why->status;
}

ag_status tune_model_tiles(tune_model *m, double *scores, const lab_program *kernel,
                           int (*tile)[24], int count, ag_failure *why)
{
    tpu_kernel k;
    tune_kernel_open(&k, kernel);
    tune_kernel_tiles(&k, tile, count);
    for (int i = 0; i < count; i++) scores[i] = 0;
    score(m, scores, &k, 1, TPU_TILE, why);
    tpu_kernel_free(&k);
    return why->status;
}
