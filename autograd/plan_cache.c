/* SPDX-License-Identifier: MIT */
/* Plans are found again by a key that holds everything a plan depends on; the last AG_PLANS are
 * kept. */
#include "autograd/tape.h"
#include "core/memory.h"
#include "core/threads.h"

#include <string.h>

static int put_key(ag_tape *tape, const void *data, size_t bytes)
{
    if (tape->key_bytes + bytes > tape->key_capacity) {
        size_t wanted = 2 * (tape->key_bytes + bytes) + 4096;
        char *bigger = ag_grow(tape->key, wanted);
        if (!bigger) return 1;
        tape->key = bigger;
        tape->key_capacity = wanted;
    }
    memcpy(tape->key + tape->key_bytes, data, bytes);
    tape->key_bytes += bytes;
    return 0;
}

int ag__fusion(const ag_tape *tape) { return !tape->check_finite && ag_switch("AUGUR_FUSE", 1); }

/* Everything that the plan and what is kept with it depend on: ops, topology, shapes, attributes,
   what is wanted, the precision of products. No pointers to data. */
static int build_key(ag_tape *tape, const ag_tensor *wanted, int training)
{
    const int head[] = {training,   ag__fusion(tape), (int)tape->precision,
                        wanted->id, tape->n_tensors,  tape->n_nodes};
    int bad = 0;
    tape->key_bytes = 0;
    bad |= put_key(tape, head, sizeof head);
    for (int i = 0; i < tape->n_tensors; i++) {
        const ag_tensor *t = tape->tensors[i];
        const int kind[] = {t->node, t->slot, t->is_int, t->kept, t->param != NULL};
        bad |= put_key(tape, kind, sizeof kind) | put_key(tape, &t->shape, sizeof t->shape);
    }
    if (tape->n_nodes)
        bad |= put_key(tape, tape->nodes, (size_t)tape->n_nodes * sizeof *tape->nodes);
    return bad;
}

static int keep_key(const ag_tape *tape, ag_plan *plan)
{
    if (plan->key_capacity < tape->key_bytes) {
        char *bigger = ag_grow(plan->key, tape->key_bytes);
        if (!bigger) return 1;
        plan->key = bigger;
        plan->key_capacity = tape->key_bytes;
    }
    memcpy(plan->key, tape->key, tape->key_bytes);
    plan->key_bytes = tape->key_bytes;
    return 0;
}

ag_plan *ag__plan_find(ag_tape *tape, ag_tensor *wanted, int training)
{
    ag_plan *oldest = &tape->plans[0];
    if (build_key(tape, wanted, training)) {
        ag_tape_fail(tape, AG_EMEMORY, "There is no memory for the plan of %d ops", tape->n_nodes);
        return NULL;
    }
    tape->clock++;
    for (int i = 0; i < AG_PLANS; i++) {
        ag_plan *plan = &tape->plans[i];
        if (plan->used && plan->key_bytes == tape->key_bytes &&
            memcmp(plan->key, tape->key, tape->key_bytes) == 0) {
            plan->used = tape->clock;
            return plan;
        }
        if (plan->used < oldest->used) oldest = plan;
    }
    oldest->used = 0;
    if (keep_key(tape, oldest) || ag__plan_build(tape, oldest, wanted, training) ||
        ag__plan_place(tape, oldest)) {
        ag_tape_fail(tape, AG_EMEMORY, "There is no memory for the plan of %d ops", tape->n_nodes);
        return NULL;
    }
    oldest->used = tape->clock;
    oldest->number = ++tape->plans_made;
    return oldest;
}

void ag__plan_free(ag_plan *plan)
{
    ag_free(plan->key);
    ag_free(plan->jobs);
    ag_free(plan->steps);
    ag_free(plan->buffers);
    ag_free(plan->value_buffer);
    ag_free(plan->gradient_buffer);
    ag_free(plan->live);
    ag_free(plan->written);
}
