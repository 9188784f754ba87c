/* SPDX-License-Identifier: MIT */
/* Compiles a kernel and its bounds to a plan: all tiles are walked once, the work of each step is
   recorded, and every kind of step is planned once. */
#include "core/core.h"
#include "examples/lab/run/run_internal.h"
#include "examples/lab/tile/tile_call.h"

#include <string.h>

typedef struct compiler {
    const tile_items *t;
    const tpugraphs_bounds *bounds;
    tile_script script;
    tile_classes classes;
    int *steps, n_steps, steps_room;
    int64_t most[TILE_ITEMS], slot[TILE_ITEMS], scratch;
    tile_box box[TILE_ITEMS];
    tile_place place[TILE_ITEMS];
    int failed;
} compiler;

/* Moves on to the next block; 0 after the last. */
static int advance(int *index, const int *count, int rank)
{
    for (int a = rank - 1; a >= 0; a--) {
        if (++index[a] < count[a]) return 1;
        index[a] = 0;
    }
    return 0;
}

/* Records the work of the items from first to last as a step, unless there is none. */
static void add_step(compiler *c, const tile_box *block, int first, int last, int later)
{
    tile_script *s = &c->script;
    const tile_step step = {s, c->t, c->box, c->place, block, later};
    s->n_words = s->n_moves = 0;
    tile_step_items(&step, first, last);
    if (!s->n_words && !s->failed) return;
    const int class = s->failed ? -1 : tile_classes_find(&c->classes, s);
    if (class < 0 || !tile_room(&c->steps, &c->steps_room, c->n_steps + 1 + s->n_moves)) {
        c->failed = 1;
        return;
    }
    c->steps[c->n_steps++] = class;
    memcpy(c->steps + c->n_steps, s->moves, (size_t)s->n_moves * sizeof *s->moves);
    c->n_steps += s->n_moves;
}

static void compile_blocks(compiler *c)
{
    const tile_items *t = c->t;
    int index[LAB_RANK] = {0}, count[LAB_RANK], later = 0;
    tile_blocks(count, t->blocked, c->bounds->blocked, t->n_blocked);
    do {
        tile_box block;
        tile_box_at(&block, index, t->blocked, c->bounds->blocked, t->n_blocked);
        tile_boxes(c->box, t, 0, t->reduction, &block);
        tile_note_sizes(c->most, t, c->box, 0, t->reduction);
        tile_places(c->place, t, c->box, 0, t->reduction - 1);
        add_step(c, &block, 0, t->reduction, later);
        later = 1;
    } while (!c->failed && advance(index, count, t->n_blocked));
}

static void compile_tile(compiler *c, const int *index)
{
    const tile_items *t = c->t;
    const tile_item *root = &t->item[t->root];
    const int first = t->reduction < 0 ? 0 : t->reduction;
    tile_box_at(&c->box[t->root], index, root->size, c->bounds->out, root->rank);
    tile_boxes(c->box, t, first, t->root, NULL);
    tile_note_sizes(c->most, t, c->box, first, t->root);
    tile_places(c->place, t, c->box, first, t->root);
    if (t->reduction >= 0 && c->box[t->reduction].some) compile_blocks(c);
    add_step(c, NULL, first, t->root, 0);
}

static void compile_all(compiler *c)
{
    const tile_items *t = c->t;
    const tile_item *root = &t->item[t->root];
    int index[LAB_RANK] = {0}, count[LAB_RANK];
    tile_blocks(count, root->size, c->bounds->out, root->rank);
    tile_places_outside(c->place, t);
    do compile_tile(c, index);
    while (!c->failed && advance(index, count, root->rank));
    c->scratch = tile_slots(c->slot, t, c->most);
}

/* Finds the memory of each item. Constants get theirs here. */
static ag_status find_memory(float **memory, const compiler *c, lab_run *run, ag_failure *why)
{
    const tile_items *t = c->t;
    float *scratch = lab__run_scratch(run, (size_t)(c->scratch + 1) * sizeof *scratch, why);
    float *constants = lab__run_take(run, (size_t)t->n * sizeof *constants, why);
    if (!scratch || !constants) return why->status;
    for (int i = 0; i < t->n; i++) {
        const tile_item *item = &t->item[i];
        constants[i] = item->value;
        if (i == t->root)
            memory[i] = run->value[t->kernel->n - 1].home;
        else if (item->role != TILE_EXTERNAL)
            memory[i] = scratch + c->slot[i];
        else if (item->memory == TILE_CONSTANT)
            memory[i] = &constants[i];
        else
            memory[i] = item->memory == TILE_COUNT ? run->ramp : run->value[item->number].home;
    }
    return AG_OK;
}

static ag_status plan_class(tile_class *class, const compiler *c, int number, float *const *memory,
                            lab_run *run, ag_failure *why)
{
    const int *word = c->classes.words + c->classes.at[number];
    const int *end = c->classes.words + c->classes.at[number + 1];
    tile_command command;
    int n = 0;
    for (const int *w = word; w < end; n++) w += tile_script_read(&command, w);
    class->n_calls = n;
    class->calls = lab__run_take(run, (size_t)n * sizeof *class->calls, why);
    if (!class->calls) return why->status;
    for (int k = 0; k < n; k++) {
        word += tile_script_read(&command, word);
        tile_call_plan(&class->calls[k], &command, c->t, memory);
    }
    return AG_OK;
}

static ag_status finish(tile_plan *plan, const compiler *c, lab_run *run, ag_failure *why)
{
    float *memory[TILE_ITEMS];
    const size_t bytes = (size_t)c->n_steps * sizeof(int);
    if (c->failed)
        return ag_fail(why, AG_EMEMORY,
                       "kernel %.63s: there is no room for the steps of the tile, of which %d "
                       "kinds differ (%d at most); take a larger tile",
                       c->t->kernel->name, c->classes.n, TILE_CLASSES);
    if (find_memory(memory, c, run, why)) return why->status;
    tile_class *classes = lab__run_take(run, (size_t)c->classes.n * sizeof *classes, why);
    int *steps = lab__run_take(run, bytes, why);
    if (!classes || !steps) return why->status;
    for (int i = 0; i < c->classes.n; i++)
        if (plan_class(&classes[i], c, i, memory, run, why)) return why->status;
    memcpy(steps, c->steps, bytes);
    *plan = (tile_plan){classes, steps, steps + c->n_steps};
    return AG_OK;
}

ag_status tile_compile(lab_run *run, const tile_items *t, const tpugraphs_bounds *bounds,
                       ag_failure *why)
{
    tile_plan plan;
    compiler *c = ag_alloc(sizeof *c);
    if (!c)
        return ag_fail(why, AG_EMEMORY, "kernel %.63s: there is no memory to plan its steps",
                       t->kernel->name);
    memset(c, 0, sizeof *c);
    c->t = t;
    c->bounds = bounds;
    compile_all(c);
    if (!finish(&plan, c, run, why)) lab__run_step(run, tile_go, &plan, sizeof plan, why);
    tile_script_free(&c->script);
    ag_free(c->classes.words);
    ag_free(c->steps);
    ag_free(c);
    return why->status;
}
