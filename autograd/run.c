/* SPDX-License-Identifier: MIT */
/* Run: computes the plan's list of kernels, with this run's pointers. */
#include "autograd/tape.h"
#include "core/error.h"
#include "core/float_mode.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/params.h"
#include "core/room.h"
#include "core/shape.h"

#include <math.h>
#include <string.h>

/* ---- pointers ---- */

/* Where a parameter and its gradient are on the block's device. */
ag_real *ag__param_values(const ag_param *p)
{
    return p->block->device == AG_CPU ? p->value : p->block->there + p->offset;
}
static ag_real *gradient_of(const ag_param *p)
{
    const ag_params *block = p->block;
    return block->device == AG_CPU ? p->gradient : block->there + block->size + p->offset;
}

static void *resolve(const ag_tape *tape, ag_ref ref)
{
    const ag_tensor *t =
        ref.place == AT_LEAF || ref.place == AT_PARAM_GRADIENT ? tape->tensors[ref.id] : NULL;
    switch (ref.place) {
    case AT_SLAB: return tape->slab + ref.offset;
    case AT_LEAF: return t->param ? ag__param_values(t->param) : (void *)t->data;
    case AT_PARAM_GRADIENT: return gradient_of(t->param);
    default: return NULL;
    }
}

/* The gradient of a parameter whose block holds the sum of earlier runs. */
static int already_ready(const ag_tape *tape, ag_ref gradient)
{
    return gradient.place == AT_PARAM_GRADIENT &&
           tape->tensors[gradient.id]->param->block->state == AG_READY;
}

/* The job's arguments with this run's pointers; tile references stay NULL. */
void ag__job_args(ag_tape *tape, ag_job *job)
{
    ag_args *a = &job->args;
    for (int i = 0; i < a->n_in; i++) a->x[i] = resolve(tape, job->x[i]);
    for (int j = 0; j < AG_MAX_OUT; j++) {
        a->y[j] = resolve(tape, job->y[j]);
        a->dy[j] = resolve(tape, job->dy[j]);
    }
    a->dx = resolve(tape, job->dx);
    a->also = resolve(tape, job->also);
    a->scratch = resolve(tape, job->scratch);
    a->add = job->adds || already_ready(tape, job->dx);
    a->add_also = job->adds_also || already_ready(tape, job->also);
    a->run = tape->device == AG_CPU ? &tape->record : ag__device_record(tape);
}

/* ---- one step * ---- */

typedef struct work {
    ag_tape *tape;
    const ag_step *step;
    ag_job *jobs;
} work;

static void run_block(void *context, int64_t block, int thread)
{
    const work *w = context;
    const int64_t lo = block * w->step->grain, end = lo + w->step->grain;
    (void)thread;
    w->jobs[0].kernel->range(&w->jobs[0].args, lo, end < w->step->units ? end : w->step->units);
}

static void shift(ag_real **p, ag_ref ref, char *tile, int64_t lo)
{
    if (ref.place == AT_TILE)
        *p = (ag_real *)(void *)(tile + ref.offset);
    else if (*p)
        *p += lo;
}

/* An elementwise job on elements lo..hi-1: every pointer moves to element lo, or to the tile. */
static void run_tile(const ag_job *job, char *tile, int64_t lo, int64_t hi)
{
    ag_args a = job->args;
    for (int i = 0; i < a.n_in; i++) shift((ag_real **)(void *)&a.x[i], job->x[i], tile, lo);
    shift((ag_real **)(void *)&a.y[0], job->y[0], tile, lo);
    shift((ag_real **)(void *)&a.dy[0], job->dy[0], tile, lo);
    shift(&a.dx, job->dx, tile, lo);
    a.base = lo;
    job->kernel->range(&a, 0, hi - lo);
}

static void run_group_block(void *context, int64_t block, int thread)
{
    const work *w = context;
    const ag_step *step = w->step;
    char *tile =
        step->tile_bytes ? w->tape->tiles + sizeof(ag_room) + thread * step->tile_bytes : NULL;
    const int64_t lo = block * step->grain, end = lo + step->grain,
                  hi = end < step->units ? end : step->units;
    int first = 0;
    if (step->leads) {
        ag_args a = w->jobs[0].args;
        if (w->jobs[0].y[0].place ==
            AT_TILE) { /* row lo of the output is at the start of the tile */
            const uintptr_t start = (uintptr_t)(tile + w->jobs[0].y[0].offset);
            a.y[0] = (void *)(start - (uintptr_t)(lo * step->per_unit) * sizeof(ag_real));
        }
        w->jobs[0].kernel->range(&a, lo, hi);
        first = 1;
    }
    for (int k = first; k < step->n; k++)
        run_tile(&w->jobs[k], tile, lo * step->per_unit, hi * step->per_unit);
}

static void zero_block(void *context, int64_t block, int thread)
{
    const ag_args *a = context;
    const int64_t n = ag_shape_count(a->xs[0]), lo = block << 16, left = n - lo;
    (void)thread;
    memset(a->dx + lo, 0, (size_t)(left < 1 << 16 ? left : 1 << 16) * sizeof(ag_real));
}

static void run_step(ag_tape *tape, ag_plan *plan, const ag_step *step)
{
    work w = {tape, step, plan->jobs + step->first};
    ag_job *job = &w.jobs[0];
    for (int k = 0; k < step->n; k++) ag__job_args(tape, &w.jobs[k]);
    const int64_t blocks = (step->units + step->grain - 1) / step->grain;
    if (!job->kernel) {
        if (!job->args.add)
            ag_parallel((ag_shape_count(job->args.xs[0]) + (1 << 16) - 1) >> 16, zero_block,
                        &job->args);
    } else if (step->n > 1) {
        ag_parallel(blocks, run_group_block, &w);
    } else if (job->kernel->range) {
        ag_parallel(blocks, run_block, &w);
    } else {
        job->kernel->call(&job->args);
    }
}

/* ---- the whole * ---- */

/* Makes *block at least `wanted` bytes; the old contents are gone. */
static int ensure(ag_arena **arena, char **block, int64_t *have, int64_t wanted)
{
    if (wanted <= *have) return 0;
    ag_arena_free(*arena);
    *have = 0;
    *arena = ag_arena_new();
    *block = *arena ? ag_arena_take(*arena, (size_t)wanted) : NULL;
    if (!*block) return 1;
    *have = wanted;
    return 0;
}

static int make_room(ag_tape *tape, const ag_plan *plan)
{
    if (tape->device != AG_CPU) return ag__device_room(tape, plan);
    const int64_t tiles = (int64_t)sizeof(ag_room) + plan->tile_bytes * ag_threads();
    const int64_t slab = plan->slab_bytes ? plan->slab_bytes : 1; /* tensors of nothing are there */
    if (!ensure(&tape->slab_arena, &tape->slab, &tape->slab_bytes, slab) &&
        !ensure(&tape->tiles_arena, &tape->tiles, &tape->tiles_bytes, tiles))
        return 0;
    ag_tape_fail(
        tape, AG_EMEMORY,
        "There is no memory for the %lld bytes that this step wants; use fewer configurations or a "
        "smaller graph per step",
        (long long)(plan->slab_bytes + tiles));
    return 1;
}

/* Where the values of a tensor are after the run, on the tape's device; NULL: nowhere. */
static void *result_of(const ag_tape *tape, const ag_plan *plan, const ag_tensor *root)
{
    const int id = plan->value_buffer[root->id];
    if (root->param) return ag__param_values(root->param);
    return id >= 0 && plan->buffers[id].last == plan->n_steps
               ? tape->slab + plan->buffers[id].offset
               : NULL;
}

static void publish(ag_tape *tape, const ag_plan *plan)
{
    for (int i = 0; i < tape->n_tensors; i++) {
        ag_tensor *t = tape->tensors[i];
        const ag_tensor *root = tape->tensors[t->root];
        if (root->node < 0 && !root->param) {
            t->data = root->data;
            continue;
        }
        void *result = result_of(tape, plan, root);
        t->data = tape->device == AG_CPU ? result : NULL;
        t->there = tape->device == AG_CPU ? NULL : result;
    }
}

/* Gradients that no kernel of the plan wrote are 0. */
static void zero_unwritten(const ag_tape *tape, const ag_plan *plan, ag_params *block)
{
    for (int i = 0; i < block->count; i++) {
        const ag_param *p = block->list[i];
        int written = 0;
        for (int k = 0; k < tape->n_tensors && !written; k++)
            written = tape->tensors[k]->param == p && plan->gradient_buffer[k] == AG_WITH_PARAM;
        if (written) continue;
        if (block->device == AG_CPU)
            memset(p->gradient, 0, (size_t)p->count * sizeof(ag_real));
        else
            ag__device_fill(gradient_of(p), 0, (size_t)p->count * sizeof(ag_real));
    }
}

/* Every block with a parameter on the tape gets the state that the run leaves it in. */
static void finish_blocks(ag_tape *tape, const ag_plan *plan)
{
    for (int i = 0; i < tape->n_tensors; i++) {
        const ag_param *p = tape->tensors[i]->param;
        if (p) p->block->behind = p->block->device != AG_CPU;
        if (!p || p->block->state == AG_BAD) continue;
        if (!ag_failed(tape) && p->block->state == AG_EMPTY) zero_unwritten(tape, plan, p->block);
        p->block->state = ag_failed(tape) ? AG_BAD : AG_READY;
    }
}

static void profile_step(ag_tape *tape, const ag_plan *plan, const ag_step *step, double start)
{
    const ag_kernel *kernel = plan->jobs[step->first].kernel;
    ag__profile_add(tape, kernel ? kernel->name : "zero", step->n > 1, ag__clock() - start,
                    ag__step_bytes(plan, step));
}

static void run_here(ag_tape *tape, ag_plan *plan)
{
    const uint64_t mode = ag__float_mode_flush();
    ag_room *before = ag__room_use((ag_room *)(void *)tape->tiles);
    for (int s = 0; s < plan->n_steps && !ag_failed(tape); s++) {
        const double start = tape->profile ? ag__clock() : 0;
        run_step(tape, plan, &plan->steps[s]);
        if (tape->profile) profile_step(tape, plan, &plan->steps[s], start);
        if (tape->check_finite) ag__check_step(tape, plan, &plan->steps[s]);
    }
    ag__room_use(before);
    ag__float_mode_set(mode);
}

/* A block that moved to another device after its parameters were recorded. */
static void check_devices(ag_tape *tape)
{
    for (int i = 0; i < tape->n_tensors; i++) {
        const ag_param *p = tape->tensors[i]->param;
        if (p && p->block->device != tape->device)
            ag_tape_fail(tape, AG_EUSE,
                         "parameter \"%s\" went to the %s after it was recorded; record the step "
                         "again after ag_params_to",
                         p->name, ag__device_name(p->block->device));
    }
}

static void run(ag_tensor *wanted, int training)
{
    ag_tape *tape = ag_tape_of(wanted);
    if (!tape) return;
    ag__usable(wanted, training ? "ag_backward" : "ag_forward");
    if (!ag_failed(tape) && tape->ran)
        ag_tape_fail(tape, AG_EUSE,
                     "The tape ran already; call ag_tape_reset and record the next step");
    if (!ag_failed(tape) && training && wanted->count != 1) {
        char text[64];
        ag_tape_fail(
            tape, AG_ESHAPE,
            "ag_backward: the loss is %s, but a gradient starts from one element; reduce it with "
            "ag_mean_all or ag_sum_all",
            ag_shape_text(text, wanted->shape));
    }
    if (!ag_failed(tape) && training && wanted->is_int)
        ag_tape_fail(tape, AG_EUSE,
                     "ag_backward: the loss holds int32 indices, which have no gradient; give it a "
                     "real tensor of one element");
    if (!ag_failed(tape)) check_devices(tape);
    if (!ag_failed(tape)) ag__borrow_check(tape, "between recording and the run");
    ag_plan *plan = ag_failed(tape) ? NULL : ag__plan_find(tape, wanted, training);
    if (plan && !make_room(tape, plan)) {
        tape->ran = 1;
        if (tape->device == AG_CPU)
            run_here(tape, plan);
        else
            ag__device_run(tape, plan);
        publish(tape, plan);
        ag__borrow_check(tape, "during the run");
        if (training && !ag_failed(tape)) ag__move_averages(tape);
    }
    if (training) finish_blocks(tape, plan);
}

void ag_forward(ag_tensor *y) { run(y, 0); }

void ag_backward(ag_tensor *loss) { run(loss, 1); }

static const void *readable(const ag_tensor *x, const char *who, int is_int)
{
    if (!ag__usable(x, who)) return NULL;
    char name[140] = "";
    if (x->name) snprintf(name, sizeof name, " \"%.127s\"", x->name);
    if (x->is_int != is_int) {
        ag_tape_fail(x->tape, AG_EUSE, "%s: the tensor%s holds %s; read it with %s", who, name,
                     x->is_int ? "int32 indices" : "real numbers",
                     x->is_int ? "ag_values_i32" : "ag_values");
        return NULL;
    }
    if (x->tape->ran && x->data) return x->data;
    if (x->tape->ran && x->there) return ag__device_result(x->tape->tensors[x->id]);
    ag_tape_fail(x->tape, AG_EUSE,
                 "%s: the tensor%s %s; run ag_forward or ag_backward on it, or ag_keep it before "
                 "the run",
                 who, name, x->tape->ran ? "was not kept by the run" : "has not been computed yet");
    return NULL;
}

const ag_real *ag_values(const ag_tensor *x) { return readable(x, "ag_values", 0); }

const int32_t *ag_values_i32(const ag_tensor *x) { return readable(x, "ag_values_i32", 1); }

ag_real ag_item(const ag_tensor *x)
{
    const ag_real *v = readable(x, "ag_item", 0);
    char text[64];
    if (v && x->count == 1) return v[0];
    if (v)
        ag_tape_fail(x->tape, AG_ESHAPE,
                     "ag_item: the tensor is %s, but one element is wanted; read it with ag_values",
                     ag_shape_text(text, x->shape));
    return (ag_real)NAN;
}

const ag_real *ag_compute(ag_tensor *y, ag_failure *why)
{
    const ag_tape *tape = ag_tape_of(y);
    ag_forward(y);
    const ag_real *values = ag_values(y);
    if (!tape)
        ag_fail(why, AG_EUSE, "ag_compute: y is NULL; give it a tensor");
    else if (!values)
        ag_fail(why, ag_tape_status(tape), "%s", ag_error(tape));
    return values;
}
