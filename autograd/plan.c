/* SPDX-License-Identifier: MIT */
/* Plan: which nodes run, which gradients are needed, who writes first, what is fused, how long each
 * buffer lives. */
#include "autograd/plan.h"
#include "core/cuda/device.h"
#include "core/shape.h"

#include <string.h>

enum { BLOCK = 16384, TILE = 8192 }; /* elements given to a thread at a time; of a fused group */

/* ---- references to storage ---- */

/* A buffer of this size; 0 when there is no memory. */
static int new_buffer(ag_builder *b, size_t bytes)
{
    ag_plan *plan = b->plan;
    if (ag__reserve(&plan->buffers, &plan->buffers_capacity, plan->n_buffers + 1,
                    sizeof *plan->buffers)) {
        b->failed = 1;
        return 0;
    }
    plan->buffers[plan->n_buffers] = (ag_buffer){.bytes = (int64_t)bytes, .first = -1};
    return plan->n_buffers++;
}

int ag__buffer_of(ag_builder *b, int *map, const ag_tensor *t)
{
    if (map[t->root] < 0) map[t->root] = new_buffer(b, ag__bytes_of(t));
    return map[t->root];
}

/* Inputs have a place in the slab of a device; the CPU reads them where the caller has them. */
static int lies_outside(const ag_builder *b, const ag_tensor *root)
{
    return root->param || (root->node < 0 && b->tape->device == AG_CPU);
}

static ag_ref value_ref(ag_builder *b, int id)
{
    const ag_tensor *t = b->tape->tensors[id], *root = b->tape->tensors[t->root];
    if (lies_outside(b, root)) return (ag_ref){AT_LEAF, root->id, 0};
    return (ag_ref){AT_SLAB, ag__buffer_of(b, b->plan->value_buffer, t), 0};
}

static ag_ref gradient_ref(ag_builder *b, int id)
{
    const ag_tensor *t = b->tape->tensors[id], *root = b->tape->tensors[t->root];
    if (root->param) {
        b->plan->gradient_buffer[root->id] = AG_WITH_PARAM;
        return (ag_ref){AT_PARAM_GRADIENT, root->id, 0};
    }
    return (ag_ref){AT_SLAB, ag__buffer_of(b, b->plan->gradient_buffer, t), 0};
}

static ag_ref scratch_ref(ag_builder *b, int64_t elements)
{
    if (elements <= 0) return (ag_ref){AT_NOTHING, 0, 0};
    return (ag_ref){AT_SLAB, new_buffer(b, (size_t)elements * sizeof(ag_real)), 0};
}

/* ---- jobs and steps ---- */

static void fill_job(const ag_builder *b, ag_job *job, const ag_kernel *kernel, int node_index)
{
    memset(job, 0, sizeof *job);
    job->kernel = kernel;
    job->node = node_index;
    job->number = -1;
    job->args.device = b->tape->device;
    if (node_index < 0) return;
    const ag_node *node = &b->tape->nodes[node_index];
    job->args.n_in = node->n_in;
    job->args.attr = node->attr;
    job->args.ordinal = node->ordinal;
    job->args.training = b->training;
    for (int i = 0; i < node->n_in; i++) job->args.xs[i] = b->tape->tensors[node->in[i]]->shape;
    for (int j = 0; j < node->n_out; j++) job->args.ys[j] = b->tape->tensors[node->out[j]]->shape;
}

static ag_job *new_job(ag_builder *b, const ag_kernel *kernel, int node_index)
{
    ag_plan *plan = b->plan;
    ag_job *job = &b->spare;
    if (ag__reserve(&plan->jobs, &plan->jobs_capacity, plan->n_jobs + 1, sizeof *plan->jobs) ||
        ag__reserve(&plan->steps, &plan->steps_capacity, plan->n_steps + 1, sizeof *plan->steps))
        b->failed = 1;
    else
        job = &plan->jobs[plan->n_jobs++];
    fill_job(b, job, kernel, node_index);
    return job;
}

static int64_t largest(const ag_args *a)
{
    int64_t most = 1;
    for (int i = 0; i < a->n_in; i++) {
        const int64_t n = ag_shape_count(a->xs[i]);
        if (n > most) most = n;
    }
    const int64_t n = ag_shape_count(a->ys[0]);
    return n > most ? n : most;
}

static int may_lead(const ag_step *step, const ag_job *job, int leads, int64_t count)
{
    if (!leads || step->units <= 0 || count % step->units) return 0;
    return leads == 1 || step->units == job->args.ys[0].size[0];
}

/* Gives the last job to the step before it when both can run tile by tile, or a step of its own. */
static void schedule(ag_builder *b, int backward, int elementwise, int leads)
{
    ag_plan *plan = b->plan;
    if (b->failed) return;
    ag_job *job = &plan->jobs[plan->n_jobs - 1];
    ag_step *last = plan->n_steps ? &plan->steps[plan->n_steps - 1] : NULL;
    const int64_t count = job->kernel ? ag_shape_count(job->args.ys[0]) : 0;
    const int joins = elementwise && ag__may_join(b, job);
    if (b->fuse && joins && last && ag__is_open(b, last) && last->backward == backward &&
        last->units * last->per_unit == count) {
        last->n++;
        return;
    }
    ag_step step = {
        .first = plan->n_jobs - 1, .n = 1, .backward = backward, .units = 1, .grain = 1};
    if (job->kernel && job->kernel->count) {
        step.units = job->kernel->count(&job->args);
        step.grain = BLOCK * step.units / largest(&job->args);
        if (step.grain < 1) step.grain = 1;
        if (job->kernel->grain) step.grain = job->kernel->grain(&job->args);
    }
    if (elementwise) {
        step.per_unit = joins;
        step.grain = TILE;
    } else if (b->tape->device == AG_CPU && may_lead(&step, job, leads, count)) {
        step.per_unit = count / step.units;
        step.leads = 1;
    }
    plan->steps[plan->n_steps++] = step;
}

static void forward_jobs(ag_builder *b, int node_index)
{
    const ag_node *nodes = b->tape->nodes, *node = &nodes[node_index];
    const ag_op *op = node->op;
    const ag_kernels own = ag__kernels_of(b, op);
    const int folded = ag__folds(b, node_index);
    ag_ref scratch = {AT_NOTHING, 0, 0};
    for (int k = 0; k < AG_MAX_KERNELS && own.forward[k]; k++) {
        const int last = k + 1 == AG_MAX_KERNELS || !own.forward[k + 1];
        ag_job *job = new_job(b, last && folded >= 0 ? own.folded : own.forward[k], node_index);
        if (k == 0 && own.scratch) scratch = scratch_ref(b, own.scratch(&job->args, 0));
        job->scratch = scratch;
        for (int i = 0; i < node->n_in; i++) job->x[i] = value_ref(b, node->in[i]);
        for (int j = 0; j < node->n_out; j++)
            if (b->training || !(op->spare & SAVE_Y(j)))
                job->y[j] = value_ref(b, folded < 0 ? node->out[j] : nodes[folded].out[j]);
        schedule(b, 0, op->elementwise, last ? op->leads : 0);
    }
}

static const ag_kernel *backward_of(const ag_op *op, const ag_kernel *const *backward, int i)
{
    if (op->ints >> i & 1) return NULL;
    return backward[op->inputs && strstr(op->inputs, "...") ? 0 : i];
}

/* The CPU's; any device has one where the CPU has one. */
static const ag_kernel *backward_kernel(const ag_op *op, int i)
{
    return backward_of(op, op->backward, i);
}

static void backward_refs(ag_builder *b, ag_job *job, const ag_node *node)
{
    const ag_op *op = node->op;
    for (int i = 0; i < node->n_in; i++)
        if (op->saves & SAVE_X(i)) job->x[i] = value_ref(b, node->in[i]);
    for (int j = 0; j < node->n_out; j++) {
        const ag_tensor *y = b->tape->tensors[node->out[j]];
        if (op->saves & SAVE_Y(j)) job->y[j] = value_ref(b, node->out[j]);
        if (b->has[y->root] && !y->is_int) job->dy[j] = gradient_ref(b, node->out[j]);
    }
}

static void zero_job(ag_builder *b, int id)
{
    ag_job *job = new_job(b, NULL, -1);
    job->args.xs[0] = b->tape->tensors[id]->shape;
    job->dx = gradient_ref(b, id);
    schedule(b, 1, 0, 0);
}

/* Prepares for the backward kernels of a node; returns the scratch that they share. */
static ag_ref prepare_jobs(ag_builder *b, int node_index)
{
    const ag_node *node = &b->tape->nodes[node_index];
    const ag_kernels own = ag__kernels_of(b, node->op);
    ag_ref scratch = {AT_NOTHING, 0, 0};
    if (own.scratch) {
        ag_job job;
        fill_job(b, &job, NULL, node_index);
        scratch = scratch_ref(b, own.scratch(&job.args, 1));
    }
    for (int k = 0; k < AG_MAX_KERNELS && own.prepare[k]; k++) {
        ag_job *job = new_job(b, own.prepare[k], node_index);
        job->scratch = scratch;
        backward_refs(b, job, node);
        schedule(b, 1, 0, 0);
    }
    return scratch;
}

static int any_needed(const ag_builder *b, const ag_node *node)
{
    int any = 0;
    for (int i = 0; i < node->n_in; i++)
        any |= backward_kernel(node->op, i) && b->needs[node->in[i]];
    return any;
}

/* A kernel with a second gradient writes it where it is wanted. */
static void second_gradient(ag_builder *b, ag_job *job, const ag_node *node, int i)
{
    if (i >= node->n_in || !b->needs[node->in[i]]) return;
    job->also_of = i;
    job->also = gradient_ref(b, node->in[i]);
    int *has = &b->has[b->tape->tensors[node->in[i]]->root];
    job->adds_also = *has;
    *has = 1;
}

/* 1: the gradient of input i is the second one of another kernel, which runs. */
static int is_second(const ag_builder *b, const ag_node *node, const ag_kernels *own, int i)
{
    if (i == 0 || i != own->also) return 0;
    return node->op->also || b->needs[node->in[own->with]];
}

static void backward_jobs(ag_builder *b, int node_index)
{
    const ag_node *node = &b->tape->nodes[node_index];
    const ag_op *op = node->op;
    const ag_kernels own = ag__kernels_of(b, op);
    ag_ref scratch = {AT_NOTHING, 0, 0};
    int arrived = 0, prepared = 0;
    for (int j = 0; j < node->n_out; j++)
        if ((op->flows ? op->flows : SAVE_Y(0)) & SAVE_Y(j))
            arrived |= b->has[b->tape->tensors[node->out[j]]->root];
    if (!arrived) return;
    for (int i = 0; i < node->n_in; i++) {
        const ag_kernel *kernel = backward_of(op, own.backward, i);
        const ag_tensor *root = b->tape->tensors[b->tape->tensors[node->in[i]]->root];
        const int wanted = b->needs[node->in[i]];
        if (!kernel || is_second(b, node, &own, i) ||
            (!wanted && !(i == 0 && op->first_serves_all && any_needed(b, node))))
            continue;
        const int zero = (op->partial & SAVE_X(i)) && !b->has[root->id];
        if (zero) zero_job(b, node->in[i]);
        if (!prepared) scratch = prepare_jobs(b, node_index);
        prepared = 1;
        ag_job *job = new_job(b, kernel, node_index);
        job->scratch = scratch;
        backward_refs(b, job, node);
        job->args.which = i;
        job->adds = wanted && (zero || b->has[root->id]);
        if (wanted)
            job->dx = gradient_ref(b, node->in[i]);
        else if (op->first_serves_all == 1)
            job->dx = scratch_ref(b, b->tape->tensors[node->in[i]]->count);
        if (wanted) b->has[root->id] = 1;
        if (own.also && i == own.with) second_gradient(b, job, node, own.also);
        schedule(b, 1, op->elementwise, 0);
    }
}

/* ---- the whole ---- */

static int start(ag_builder *b)
{
    ag_tape *tape = b->tape;
    ag_plan *plan = b->plan;
    const int n = tape->n_tensors;
    int capacity = plan->map_capacity;
    plan->n_jobs = plan->n_steps = plan->n_buffers = plan->nodes = 0;
    plan->tile_bytes = plan->slab_bytes = plan->saved_bytes = 0;
    if (ag__reserve(&plan->value_buffer, &capacity, n, sizeof(int))) return 1;
    if (ag__reserve(&plan->gradient_buffer, &plan->map_capacity, n, sizeof(int))) return 1;
    if (ag__reserve(&plan->live, &plan->live_capacity, tape->n_nodes + 1, 1)) return 1;
    if (ag__reserve(&tape->work, &tape->work_capacity, 2 * n, sizeof(int))) return 1;
    b->needs = tape->work;
    b->has = tape->work + n;
    memset(tape->work, 0, 2 * (size_t)n * sizeof(int));
    memset(plan->live, 0, (size_t)tape->n_nodes + 1);
    for (int i = 0; i < n; i++) plan->value_buffer[i] = plan->gradient_buffer[i] = -1;
    return 0;
}

static void mark_live(ag_builder *b, const ag_tensor *wanted)
{
    ag_tape *tape = b->tape;
    char *live = b->plan->live;
    for (int i = 0; i < tape->n_tensors; i++) {
        const ag_tensor *t = tape->tensors[i];
        if ((t == wanted || t->kept) && t->node >= 0) live[t->node] = 1;
    }
    for (int k = tape->n_nodes - 1; k >= 0; k--)
        for (int i = 0; live[k] && i < tape->nodes[k].n_in; i++) {
            const ag_tensor *x = tape->tensors[tape->nodes[k].in[i]];
            if (x->node >= 0) live[x->node] = 1;
        }
}

static void mark_needs(ag_builder *b)
{
    ag_tape *tape = b->tape;
    for (int i = 0; i < tape->n_tensors; i++) b->needs[i] = tape->tensors[i]->param != NULL;
    for (int k = 0; k < tape->n_nodes; k++) {
        const ag_node *node = &tape->nodes[k];
        if (!b->plan->live[k]) continue;
        int need = 0;
        for (int i = 0; i < node->n_in; i++)
            if (node->op->view || backward_kernel(node->op, i)) need |= b->needs[node->in[i]];
        for (int j = 0; j < node->n_out; j++)
            if ((node->op->flows ? node->op->flows : SAVE_Y(0)) & SAVE_Y(j))
                b->needs[node->out[j]] = need;
    }
}

static void write_one(const ag_args *a) { a->dx[0] = a->add ? a->dx[0] + 1 : 1; }
static void write_one_there(const ag_args *a) { ag__device_seed(a->dx, a->add); }
static const ag_kernel seed_kernel = {.name = "seed", .call = write_one, .cuda = write_one_there};

static void backward_all(ag_builder *b, const ag_tensor *loss)
{
    mark_needs(b);
    if (!b->needs[loss->id]) return;
    ag_job *job = new_job(b, &seed_kernel, -1);
    job->dx = gradient_ref(b, loss->id);
    schedule(b, 1, 0, 0);
    b->has[loss->root] = 1;
    for (int k = b->tape->n_nodes - 1; k >= 0; k--)
        if (b->plan->live[k] && !b->tape->nodes[k].op->view) backward_jobs(b, k);
}

int ag__plan_build(ag_tape *tape, ag_plan *plan, ag_tensor *wanted, int training)
{
    ag_builder b = {.tape = tape,
                    .plan = plan,
                    .wanted = wanted,
                    .training = training,
                    .fuse = ag__fusion(tape)};
    if (start(&b)) return 1;
    mark_live(&b, wanted);
    for (int k = 0; k < tape->n_nodes; k++) {
        if (!plan->live[k] || tape->nodes[k].op->view) continue;
        plan->nodes++;
        if (!ag__is_folded(&b, k)) forward_jobs(&b, k);
    }
    const int forward_steps = plan->n_steps;
    if (training) backward_all(&b, wanted);
    if (b.failed) return 1;
    ag__plan_life(&b, wanted, forward_steps);
    return b.failed;
}
