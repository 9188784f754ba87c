/* SPDX-License-Identifier: MIT */
/* Compiles a kernel and its bounds to a plan: all tiles are walked once, the work of each step is
   recorded, and every kind of step is planned once. Most steps differ only in the places that they
   read and write. */
#include "examples/lab/run/run_internal.h"
#include "examples/lab/tile/tile_step.h"

#include <string.h>
#include <xxhash.h>

/* A planned nest. */
typedef struct call {
    float *out;
    const float *in[NEST_INPUTS];
    int out_moves, in_moves[NEST_INPUTS];
    /* Of a gather: rows of the table (0: no gather), and the loop over the rows that are wanted.
       The nest is one row. */
    int table_rows;
    tile_loop rows;
    nest nest;
} call;

/* The calls of all steps whose numbers are equal. */
typedef struct class
{
    int n_calls;
    call *calls;
} class;

typedef struct plan {
    const class *classes;
    const int *step, *end; /* of each step: the number of its class, then its moves */
} plan;

typedef struct compiler {
    const tpugraphs_bounds *bounds;
    tile_step step;
    uint64_t *hash;          /* bags: of each class, of its commands; */
    tile_command **commands; /* and these */
    int *steps;              /* a bag, as in a plan */
    int64_t most[TILE_ITEMS];
} compiler;

/* ---- walking the tiles ---- */

/* Moves on to the next block; 0 after the last. */
static int advance(int *index, const int *count, int rank)
{
    for (int a = rank - 1; a >= 0; a--) {
        if (++index[a] < count[a]) return 1;
        index[a] = 0;
    }
    return 0;
}

/* The number of the class with the commands of the step, which it takes. */
static int class_of(compiler *c)
{
    tile_command *commands = c->step.commands;
    const int n = bag_count(c->hash);
    const uint64_t hash = XXH3_64bits(commands, (size_t)bag_count(commands) * sizeof *commands);
    int i = 0;
    while (i < n && c->hash[i] != hash) i++;
    if (i == n) {
        bag_add(c->hash, hash);
        bag_add(c->commands, commands);
    } else
        bag_free(commands);
    c->step.commands = NULL;
    return i;
}

/* Records the work of the items from first to last as a step, unless there is none. */
static void add_step(compiler *c, const tile_box *block, int first, int last, int later)
{
    c->step.blocked = block;
    c->step.later = later;
    tile_step_items(&c->step, first, last);
    if (!c->step.commands) return;
    bag_add(c->steps, class_of(c));
    for (int i = 0; i < bag_count(c->step.moves); i++) bag_add(c->steps, c->step.moves[i]);
    bag_free(c->step.moves);
}

static void compile_blocks(compiler *c)
{
    const tile_items *t = c->step.t;
    int index[LAB_RANK] = {0}, count[LAB_RANK], later = 0;
    tile_blocks(count, t->blocked, c->bounds->blocked, t->n_blocked);
    do {
        tile_box block;
        tile_box_at(&block, index, t->blocked, c->bounds->blocked, t->n_blocked);
        tile_boxes(c->step.box, t, 0, t->reduction, &block);
        tile_note_sizes(c->most, t, c->step.box, 0, t->reduction);
        tile_places(c->step.place, t, c->step.box, 0, t->reduction - 1);
        add_step(c, &block, 0, t->reduction, later);
        later = 1;
    } while (advance(index, count, t->n_blocked));
}

static void compile_tile(compiler *c, const int *index)
{
    const tile_items *t = c->step.t;
    const tile_item *root = &t->item[t->root];
    const int first = t->reduction < 0 ? 0 : t->reduction;
    tile_box_at(&c->step.box[t->root], index, root->size, c->bounds->out, root->rank);
    tile_boxes(c->step.box, t, first, t->root, NULL);
    tile_note_sizes(c->most, t, c->step.box, first, t->root);
    tile_places(c->step.place, t, c->step.box, first, t->root);
    if (t->reduction >= 0 && c->step.box[t->reduction].some) compile_blocks(c);
    add_step(c, NULL, first, t->root, 0);
}

static void compile_tiles(compiler *c)
{
    const tile_items *t = c->step.t;
    const tile_item *root = &t->item[t->root];
    int index[LAB_RANK] = {0}, count[LAB_RANK];
    tile_blocks(count, root->size, c->bounds->out, root->rank);
    tile_places_outside(c->step.place, t);
    do compile_tile(c, index);
    while (advance(index, count, root->rank));
}

/* ---- planning ---- */

/* Finds the memory of each item. Constants get theirs here. */
static void find_memory(float **memory, const compiler *c, lab_run *run)
{
    const tile_items *t = c->step.t;
    int64_t slot[TILE_ITEMS];
    const int64_t floats = tile_slots(slot, t, c->most) + 1;
    float *scratch = lab__run_scratch(run, (size_t)floats * sizeof *scratch);
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
    const lab_node *node = t->item[c->item].node;
    call->nest.kind = (nest_kind)c->kind;
    call->nest.op = LAB_COPY;
    call->nest.accumulate = c->accumulate;
    if (t->item[c->item].role == TILE_MAP && node) {
        call->nest.op = node->op;
        call->nest.type = node->shape.type;
    }
    call->table_rows = c->gather;
    call->rows = c->loop[0];
    for (int i = c->gather ? 1 : 0; i < c->n_loops; i++) {
        const tile_loop *l = &c->loop[i];
        nest_loop_add(&call->nest, l->size, l->reduce, l->out, l->in[0], l->in[1], l->in[2]);
    }
    nest_plan(&call->nest);
    call->out = memory[c->out] + c->out_at;
    call->out_moves = tile_is_outside(t, c->out);
    for (int k = 0; k < c->n_inputs; k++) {
        call->in[k] = memory[c->in[k]] + c->in_at[k];
        call->in_moves[k] = tile_is_outside(t, c->in[k]);
    }
}

static class *plan_classes(const compiler *c, lab_run *run)
{
    float *memory[TILE_ITEMS];
    const int n = bag_count(c->commands);
    find_memory(memory, c, run);
    class *classes = harness_take(&run->arguments, (size_t)n * sizeof *classes);
    for (int i = 0; i < n; i++) {
        const tile_command *commands = c->commands[i];
        const int calls = bag_count(commands);
        call *call = harness_take(&run->arguments, (size_t)calls * sizeof *call);
        for (int k = 0; k < calls; k++) plan_call(&call[k], &commands[k], c->step.t, memory);
        classes[i] = (class){calls, call};
    }
    return classes;
}

/* ---- running ---- */

/* Row numbers out of range are clamped. */
static void gather(const call *call, float *out, const float *const *in)
{
    const tile_loop *rows = &call->rows;
    for (int i = 0; i < rows->size; i++) {
        const float wanted = in[1][(int64_t)i * rows->in[1]];
        int row = wanted > 0 ? call->table_rows - 1 : 0;
        if (wanted > 0 && wanted < (float)row) row = (int)wanted;
        const float *const from[NEST_INPUTS] = {in[0] + (int64_t)row * rows->in[0]};
        nest_run(&call->nest, out + (int64_t)i * rows->out, from);
    }
}

static const int *run_call(const call *call, const int *move)
{
    float *out = call->out;
    const float *in[NEST_INPUTS];
    if (call->out_moves) out += *move++;
    for (int k = 0; k < NEST_INPUTS; k++) {
        in[k] = call->in[k];
        if (call->in_moves[k]) in[k] += *move++;
    }
    if (call->table_rows)
        gather(call, out, in);
    else
        nest_run(&call->nest, out, in);
    return move;
}

static void go(const void *args)
{
    const plan *plan = args;
    for (const int *step = plan->step; step < plan->end;) {
        const class *class = &plan->classes[*step++];
        for (int i = 0; i < class->n_calls; i++) step = run_call(&class->calls[i], step);
    }
}

void tile_compile(lab_run *run, const tile_items *t, const tpugraphs_bounds *bounds)
{
    compiler *c = harness_alloc(sizeof *c);
    c->step.t = t;
    c->bounds = bounds;
    compile_tiles(c);
    const class *classes = plan_classes(c, run);
    const size_t bytes = (size_t)bag_count(c->steps) * sizeof *c->steps;
    const int *steps = memcpy(harness_take(&run->arguments, bytes), c->steps, bytes);
    const plan plan = {classes, steps, steps + bag_count(c->steps)};
    lab__run_step(run, go, &plan, sizeof plan);
    for (int i = 0; i < bag_count(c->commands); i++) bag_free(c->commands[i]);
    bag_free(c->commands);
    bag_free(c->hash);
    bag_free(c->steps);
    harness_free(c);
}
