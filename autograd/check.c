/* SPDX-License-Identifier: MIT */
/* ag_check_finite: looks at what a step has written. */
#include "autograd/tape.h"
#include "core/shape.h"

#include <math.h>

/* -1: all are finite. */
static int64_t first_bad(const ag_tape *tape, const ag_real *x, int64_t n)
{
    if (tape->device != AG_CPU) return ag__device_first_bad(x, n);
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return i;
    return -1;
}

static void complain(ag_tape *tape, int node_index, const char *what, const ag_real *x, int64_t at)
{
    const ag_node *node = &tape->nodes[node_index];
    const char *name = "";
    ag_real v = 0;
    if (tape->device == AG_CPU)
        v = x[at];
    else
        ag__device_download(&v, x + at, sizeof v);
    for (int i = 0; i < node->n_in; i++)
        if (tape->tensors[node->in[i]]->name) name = tape->tensors[node->in[i]]->name;
    ag_tape_fail(tape, AG_EFINITE,
                 "%s: element %lld of %s is %g at step %llu (op %d%s%s%s); values must be finite: "
                 "look at the "
                 "inputs or lower the learning rate",
                 node->op->name, (long long)at, what, (double)v,
                 (unsigned long long)tape->record.step, node_index, *name ? ", \"" : "", name,
                 *name ? "\"" : "");
}

/* A node with several forward kernels has its result after the last one. */
static int is_complete(const ag_plan *plan, const ag_job *job)
{
    return job + 1 == plan->jobs + plan->n_jobs || job[1].node != job->node;
}

static void check_results(ag_tape *tape, const ag_job *job)
{
    const ag_node *node = &tape->nodes[job->node];
    const unsigned results = node->op->flows ? node->op->flows : SAVE_Y(0); /* no statistics */
    for (int j = 0; j < node->n_out; j++) {
        const ag_tensor *t = tape->tensors[node->out[j]];
        if (t->is_int || !job->args.y[j] || !(results & SAVE_Y(j))) continue;
        const ag_real *y = job->args.y[j];
        const int64_t at = first_bad(tape, y, t->count);
        if (at >= 0) complain(tape, job->node, "the result", y, at);
    }
}

static void check_gradient(ag_tape *tape, const ag_job *job, const ag_real *dx, int input)
{
    const int64_t at = dx ? first_bad(tape, dx, ag_shape_count(job->args.xs[input])) : -1;
    if (at >= 0) complain(tape, job->node, "the gradient", dx, at);
}

/* Names the first value of the step that is not finite. */
void ag__check_step(ag_tape *tape, const ag_plan *plan, const ag_step *step)
{
    for (int k = 0; k < step->n && !ag_failed(tape); k++) {
        const ag_job *job = &plan->jobs[step->first + k];
        if (job->node < 0) continue;
        if (step->backward) {
            check_gradient(tape, job, job->args.dx, job->args.which);
            check_gradient(tape, job, job->args.also, job->also_of);
        } else if (is_complete(plan, job))
            check_results(tape, job);
    }
}
