/* SPDX-License-Identifier: MIT */
/* Plans are found again by a key that holds everything a plan depends on; the last AG_PLANS are
 * kept. */
#include "autograd/tape.h"
#include "core/memory.h"
#include "core/threads.h"

int ag__key_put(ag_key *key, const void *data, size_t bytes)
{
    if (bytes > (size_t)(INT_MAX - key->n) ||
        ag__reserve(&key->bytes, &key->capacity, key->n + (int)bytes, 1))
        return 1;
    if (bytes) memcpy(key->bytes + key->n, data, bytes);
    key->n += (int)bytes;
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
    tape->key.n = 0;
    bad |= ag__key_put(&tape->key, head, sizeof head);
    for (int i = 0; i < tape->n_tensors; i++) {
        const ag_tensor *t = tape->tensors[i];
        const int kind[] = {t->node, t->slot, t->is_int, t->kept, t->param != NULL};
        bad |= ag__key_put(&tape->key, kind, sizeof kind) |
               ag__key_put(&tape->key, &t->shape, sizeof t->shape);
    }
    if (tape->n_nodes)
        bad |= ag__key_put(&tape->key, tape->nodes, (size_t)tape->n_nodes * sizeof *tape->nodes);
    return bad;
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
        if (plan->used && ag__key_equal(&plan->key, &tape->key)) {
            plan->used = tape->clock;
            return plan;
        }
        if (plan->used < oldest->used) oldest = plan;
    }
    oldest->used = 0;
    oldest->key.n = 0;
    if (ag__key_put(&oldest->key, tape->key.bytes, (size_t)tape->key.n) ||
        ag__plan_build(tape, oldest, wanted, training) || ag__plan_place(tape, oldest)) {
        ag_tape_fail(tape, AG_EMEMORY, "There is no memory for the plan of %d ops", tape->n_nodes);
        return NULL;
    }
    oldest->used = tape->clock;
    oldest->number = ++tape->plans_made;
    return oldest;
}

void ag__plan_free(ag_plan *plan)
{
    ag_free(plan->key.bytes);
    ag_free(plan->jobs);
    ag_free(plan->steps);
    ag_free(plan->buffers);
    ag_free(plan->value_buffer);
    ag_free(plan->gradient_buffer);
    ag_free(plan->live);
}
