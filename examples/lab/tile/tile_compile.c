/* SPDX-License-Identifier: MIT */
/* Compiles a kernel and its bounds to a plan: all tiles are walked once, their steps are recorded,
   and every kind of step is planned once. Most steps differ only in the places that they read and
   write. */
#include "examples/harness/base/bag.h"
#include "examples/lab/run/run_internal.h"
#include "examples/lab/tile/tile_plan.h"

#include <string.h>

/* A command that is planned, its places, and which of them move with the step. */
typedef struct call {
    float *place[TILE_PLACES];
    int moves[TILE_PLACES];
    tile_command command;
} call;

typedef struct plan {
    const call *calls;
    const int *step, *end; /* as in tile_steps */
} plan;

/* Moves on to the next block; 0 after the last. */
static int advance(int *index, const int *count, int rank)
{
    for (int a = rank - 1; a >= 0; a--) {
        if (++index[a] < count[a]) return 1;
        index[a] = 0;
    }
    return 0;
}

/* The boxes of the items from first to last, and their places. */
static void look(tile_steps *s, int first, int last, const tile_box *block)
{
    tile_boxes(s->box, s->t, first, last, block);
    tile_note_sizes(s->most, s->t, s->box, first, last);
    tile_places(s->place, s->t, s->box, first, last);
}

static void compile_blocks(tile_steps *s, const double *bound)
{
    const tile_items *t = s->t;
    int index[LAB_RANK] = {0}, count[LAB_RANK], later = 0;
    tile_blocks(count, t->blocked, bound, t->n_blocked);
    do {
        tile_box block;
        tile_box_at(&block, index, t->blocked, bound, t->n_blocked);
        look(s, 0, t->reduction, &block);
        tile_steps_add(s, 0, t->reduction, &block, later);
        later = 1;
    } while (advance(index, count, t->n_blocked));
}

static void compile_tiles(tile_steps *s, const tpugraphs_bounds *bounds)
{
    const tile_items *t = s->t;
    const tile_item *root = &t->item[t->root];
    const int first = t->reduction < 0 ? 0 : t->reduction;
    int index[LAB_RANK] = {0}, count[LAB_RANK];
    tile_blocks(count, root->size, bounds->out, root->rank);
    for (int i = 0; i < t->n; i++) { /* outside; the others change from tile to tile */
        s->place[i] = (tile_place){.base = i};
        memcpy(s->place[i].stride, t->item[i].stride, sizeof s->place[i].stride);
    }
    do {
        tile_box_at(&s->box[t->root], index, root->size, bounds->out, root->rank);
        look(s, first, t->root, NULL);
        if (t->reduction >= 0 && s->box[t->reduction].some) compile_blocks(s, bounds->blocked);
        tile_steps_add(s, first, t->root, NULL, 0);
    } while (advance(index, count, root->rank));
}

/* Finds the memory of each item. Constants get theirs here. Scratch starts a cache line, as blocks
   of an arena do. */
static void find_memory(float **memory, const tile_steps *s, lab_run *run)
{
    const tile_items *t = s->t;
    int64_t slot[TILE_ITEMS] = {0}; /* views have none */
    const size_t floats = (size_t)tile_slots(slot, t, s->most);
    float *scratch = harness_take(&run->arguments, floats * sizeof *scratch);
    float *constants = harness_take(&run->arguments, (size_t)t->n * sizeof *constants);
    for (int i = 0; i < t->n; i++) {
        const tile_item *item = &t->item[i];
        constants[i] = item->value;
        if (i == t->root)
            memory[i] = run->value[t->kernel->n - 1].home;
        else if (item->role != TILE_EXTERNAL)
            memory[i] = scratch + slot[i];
        else if (item->memory == TILE_CONSTANT)
            memory[i] = &constants[i];
        else
            memory[i] = item->memory == TILE_COUNT ? run->ramp : run->value[item->number].home;
    }
}

static void plan_call(call *call, const tile_command *c, const tile_items *t, float *const *memory)
{
    call->command = *c;
    nest_plan(&call->command.nest);
    for (int k = 0; k <= c->inputs; k++) {
        call->place[k] = memory[c->base[k]] + c->at[k];
        call->moves[k] = tile_is_outside(t, c->base[k]);
    }
}

/* Row numbers out of range are clamped. */
static void gather(const tile_command *c, float *out, const float *const *in)
{
    for (int64_t i = 0; i < c->rows; i++) {
        const float wanted = in[1][i * c->stride[2]];
        int row = wanted > 0 ? c->table_rows - 1 : 0;
        if (wanted > 0 && wanted < (float)row) row = (int)wanted;
        const float *const from[NEST_INPUTS] = {in[0] + (int64_t)row * c->stride[1]};
        nest_run(&c->nest, out + i * c->stride[0], from);
    }
}

static const int *run_call(const call *call, const int *move)
{
    float *out = call->place[0];
    const float *in[NEST_INPUTS];
    if (call->moves[0]) out += *move++;
    for (int k = 0; k < NEST_INPUTS; k++) {
        in[k] = call->place[k + 1];
        if (call->moves[k + 1]) in[k] += *move++;
    }
    if (call->command.table_rows)
        gather(&call->command, out, in);
    else
        nest_run(&call->command.nest, out, in);
    return move;
}

static void go(const void *args)
{
    const plan *plan = args;
    for (const int *step = plan->step; step < plan->end;)
        step = run_call(&plan->calls[*step], step + 1);
}

void tile_compile(lab_run *run, const tile_items *t, const tpugraphs_bounds *bounds)
{
    tile_steps *s = harness_alloc(sizeof *s);
    float *memory[TILE_ITEMS];
    s->t = t;
    compile_tiles(s, bounds);
    find_memory(memory, s, run);
    const int n = bag_count(s->commands);
    call *calls = harness_take(&run->arguments, (size_t)n * sizeof *calls);
    for (int i = 0; i < n; i++) plan_call(&calls[i], &s->commands[i], t, memory);
    const size_t bytes = (size_t)bag_count(s->steps) * sizeof *s->steps;
    const int *steps = memcpy(harness_take(&run->arguments, bytes), s->steps, bytes);
    const plan plan = {calls, steps, steps + bag_count(s->steps)};
    lab__run_step(run, go, &plan, sizeof plan);
    bag_free(s->commands);
    bag_free(s->hash);
    bag_free(s->steps);
    harness_free(s);
}
