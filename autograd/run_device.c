/* SPDX-License-Identifier: MIT */
/* Run on a device: inputs go to their places in the slab, every job launches its kernel, and the
   run returns before the device is done. Results are fetched when they are read. */
#include "autograd/tape.h"
#include "core/memory.h"
#include "core/params.h"
#include "core/shape.h"

#include <string.h>

/* ---- room ---- */

static int64_t padded(int64_t bytes) { return (bytes + 255) / 256 * 256; }

/* The tape leaves what it has there: that is free, too, and a smaller step can have it. */
static int no_room(ag_tape *tape, int64_t wanted)
{
    ag__replay_forget(tape);
    ag__device_give(tape->slab);
    ag__stage_free(tape->stage);
    tape->slab = NULL;
    tape->stage = NULL;
    tape->slab_bytes = 0;
    ag_tape_fail(tape, AG_EMEMORY,
                 "This step wants %lld bytes on the CUDA device, of which %lld are free; use fewer "
                 "configurations or a smaller graph per step, or choose the CPU as the device",
                 (long long)wanted, (long long)ag__device_free_bytes());
    return 1;
}

int ag__device_room(ag_tape *tape, const ag_plan *plan)
{
    const int64_t wanted = plan->slab_bytes ? plan->slab_bytes : 1; /* tensors of nothing */
    if (!tape->stage) tape->stage = ag__stage_new();
    if (!tape->results) tape->results = ag_arena_new();
    if (!tape->stage || !tape->results) return no_room(tape, wanted);
    if (wanted <= tape->slab_bytes) return 0;
    ag__replay_forget(tape);
    ag__device_give(tape->slab);
    tape->slab_bytes = 0;
    tape->slab = ag__device_take((size_t)padded(wanted) + sizeof(ag_run_record));
    if (!tape->slab) return no_room(tape, wanted);
    tape->slab_bytes = padded(wanted);
    return 0;
}

/* After the slab, where no plan moves it. */
const ag_run_record *ag__device_record(const ag_tape *tape)
{
    return (const ag_run_record *)(const void *)(tape->slab + tape->slab_bytes);
}

void ag__device_end(ag_tape *tape)
{
    if (tape->device == AG_CPU) return;
    ag__replay_forget(tape);
    ag__stage_free(tape->stage);
    ag__timer_free(tape->timer);
    ag_arena_free(tape->results);
    ag__device_give(tape->slab);
    ag__kept_free(tape);
}

/* ---- inputs ---- */

const ag_buffer *ag__input_place(const ag_tape *tape, const ag_plan *plan, int i)
{
    const ag_tensor *t = tape->tensors[i];
    const int id = t->node < 0 && !t->param ? plan->value_buffer[i] : -1;
    return id >= 0 && plan->buffers[id].first >= 0 ? &plan->buffers[id] : NULL;
}

/* Bytes of the record of the run and of the inputs that are sent after it, and for each input
   whether the device has it already. */
static int64_t count_inputs(ag_tape *tape, const ag_plan *plan)
{
    int64_t total = padded(sizeof tape->record);
    for (int i = 0; i < tape->n_tensors; i++) {
        ag_tensor *t = tape->tensors[i];
        if (!ag__input_place(tape, plan, i)) continue;
        t->stays = ag__kept_find(tape, t);
        if (!t->stays) total += padded((int64_t)ag__bytes_of(t));
    }
    return total;
}

static void write_inputs(const ag_tape *tape, const ag_plan *plan, char *to)
{
    memcpy(to, &tape->record, sizeof tape->record);
    to += padded(sizeof tape->record);
    for (int i = 0; i < tape->n_tensors; i++) {
        const ag_tensor *t = tape->tensors[i];
        if (!ag__input_place(tape, plan, i) || t->stays) continue;
        if (ag__bytes_of(t)) memcpy(to, t->data, ag__bytes_of(t));
        to += padded((int64_t)ag__bytes_of(t));
    }
}

static void place_inputs(ag_tape *tape, const ag_plan *plan)
{
    int64_t at = padded(sizeof tape->record);
    ag__stage_move(tape->stage, tape->slab + tape->slab_bytes, 0, sizeof tape->record);
    for (int i = 0; i < tape->n_tensors; i++) {
        const ag_tensor *t = tape->tensors[i];
        const ag_buffer *place = ag__input_place(tape, plan, i);
        char *to = place ? tape->slab + place->offset : NULL;
        if (!place) continue;
        if (t->stays) {
            ag__device_copy(to, t->stays, ag__bytes_of(t));
            continue;
        }
        ag__stage_move(tape->stage, to, (size_t)at, ag__bytes_of(t));
        ag__kept_sent(tape, t, to, ag__bytes_of(t));
        at += padded((int64_t)ag__bytes_of(t));
    }
}

static void send_inputs(ag_tape *tape, const ag_plan *plan)
{
    const int64_t total = count_inputs(tape, plan);
    char *to = ag__stage_open(tape->stage, (size_t)total);
    if (!to) {
        no_room(tape, total);
        return;
    }
    write_inputs(tape, plan, to);
    ag__stage_send(tape->stage, (size_t)total);
    place_inputs(tape, plan);
    ag__stage_close(tape->stage);
}

/* ---- kernels ---- */

/* Nothing is launched when a kernel of the plan has no form for the device. */
static int all_built(ag_tape *tape, const ag_plan *plan)
{
    for (int k = 0; k < plan->n_jobs; k++) {
        const ag_job *job = &plan->jobs[k];
        if (!job->kernel || job->kernel->cuda) continue;
        ag_tape_fail(tape, AG_EDEVICE,
                     "%s has no CUDA kernel \"%s\" yet (op %d); choose the CPU as the device",
                     tape->nodes[job->node].op->name, job->kernel->name, job->node);
        return 0;
    }
    return 1;
}

static const char *name_of(const ag_job *job) { return job->kernel ? job->kernel->name : "zero"; }

/* Some kernels are launched in a number that depends on an int32 input. */
static void give_ints(const ag_tape *tape, ag_job *job)
{
    const ag_node *node = job->node < 0 ? NULL : &tape->nodes[job->node];
    for (int i = 0; node && i < node->n_in; i++) {
        if (!(node->op->given >> i & 1)) continue;
        const ag_tensor *root = tape->tensors[tape->tensors[node->in[i]]->root];
        job->args.given[i] = root->node < 0 && root->is_int ? root->data : NULL;
    }
}

/* Gradients that a run adds to are by then what ag_clip_norm left. */
static void scale_gradients(const ag_tape *tape)
{
    for (int i = 0; i < tape->n_tensors; i++) {
        const ag_param *p = tape->tensors[i]->param;
        if (!p || !p->block->clipped) continue;
        ag__clip_scale(p->block->clip, p->block->there + p->block->size, p->block->size);
        p->block->clipped = 0;
    }
}

static void run_job(ag_tape *tape, ag_job *job)
{
    ag__job_args(tape, job);
    give_ints(tape, job);
    if (job->kernel)
        job->kernel->cuda(&job->args);
    else if (!job->args.add)
        ag__device_fill(job->args.dx, 0, (size_t)ag_shape_count(job->args.xs[0]) * sizeof(ag_real));
}

static int8_t tile_of(ag_ref ref)
{
    const int64_t bytes = AG__GROUP_TILE * (int64_t)sizeof(ag_real);
    return ref.place == AT_TILE ? (int8_t)(ref.offset / bytes) : -1;
}

static void run_group(ag_tape *tape, ag_job *jobs, const ag_step *step)
{
    ag__group_job list[AG__GROUP_JOBS];
    for (int k = 0; k < step->n; k++) {
        ag_job *job = &jobs[k];
        ag__job_args(tape, job);
        list[k].args = &job->args;
        list[k].number = job->number;
        list[k].tile[AG__TILE_X] = tile_of(job->x[0]);
        list[k].tile[AG__TILE_Z] = tile_of(job->x[1]);
        list[k].tile[AG__TILE_Y] = tile_of(job->y[0]);
        list[k].tile[AG__TILE_DY] = tile_of(job->dy[0]);
        list[k].tile[AG__TILE_DX] = tile_of(job->dx);
    }
    ag__device_group(list, step->n, (size_t)step->tile_bytes);
}

static void launch_step(ag_tape *tape, ag_plan *plan, const ag_step *step)
{
    ag_job *first = &plan->jobs[step->first];
    ag__device_doing(name_of(first));
    if (step->n > 1)
        run_group(tape, first, step);
    else
        run_job(tape, first);
    ag__device_wait_if_asked();
    ag__device_failed(&tape->failure);
}

static void start_profile(ag_tape *tape)
{
    if (tape->profile && !tape->timer) tape->timer = ag__timer_new();
    if (tape->profile && tape->timer) ag__timer_start(tape->timer);
}

static void end_profile(ag_tape *tape, const ag_plan *plan)
{
    for (int s = 0; tape->profile && tape->timer && s < plan->n_steps; s++)
        ag__profile_add(tape, name_of(&plan->jobs[plan->steps[s].first]), plan->steps[s].n > 1,
                        ag__timer_seconds(tape->timer, s), ag__step_bytes(plan, &plan->steps[s]));
}

void ag__device_launch(ag_tape *tape, ag_plan *plan)
{
    start_profile(tape);
    for (int s = 0; s < plan->n_steps && !ag_failed(tape); s++) {
        launch_step(tape, plan, &plan->steps[s]);
        if (tape->profile && tape->timer) ag__timer_mark(tape->timer);
        if (tape->check_finite && !ag_failed(tape)) ag__check_step(tape, plan, &plan->steps[s]);
    }
    if (!ag_failed(tape)) end_profile(tape, plan);
}

void ag__device_run(ag_tape *tape, ag_plan *plan)
{
    if (!all_built(tape, plan)) return;
    ag__device_precision(tape->precision); /* of this thread's products */
    scale_gradients(tape);
    send_inputs(tape, plan);
    if (!ag_failed(tape) && !ag__replay(tape, plan)) ag__device_launch(tape, plan);
    ag__device_precision(AG_FP32);
    ag__device_failed(&tape->failure);
}

/* ---- results ---- */

const void *ag__device_result(ag_tensor *x)
{
    ag_tape *tape = x->tape;
    void *copy = ag_arena_take(tape->results, ag__bytes_of(x) + 1); /* nothing is somewhere, too */
    if (!copy) {
        ag_tape_fail(tape, AG_EMEMORY, "There is no memory for the %lld values of a tensor",
                     (long long)x->count);
        return NULL;
    }
    ag__device_download(copy, x->there, ag__bytes_of(x));
    if (ag__device_failed(&tape->failure) != AG_OK) return NULL;
    x->data = copy;
    return copy;
}
