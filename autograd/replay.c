/* SPDX-License-Identifier: MIT */
/* Runs on a device that repeat launches. What a plan launches depends on the plan, on where slab
   and parameters are, on which gradients are added to, and on the int32 values that some ops look
   at on the host: that is the key, compared in full. Inputs and the record of the run have fixed
   places in the slab. The first run with a key launches, the second one captures, and from then on
   the device repeats. Of these runs, those used last are kept. */
#include "autograd/tape.h"
#include "core/memory.h"
#include "core/params.h"

/* Where a parameter is, and whether its gradient is added to. */
static int put_parameter(ag_key *key, const ag_param *p)
{
    const uintptr_t place[] = {(uintptr_t)p->block->there, (uintptr_t)p->block->size,
                               (uintptr_t)p->offset, p->block->state == AG_READY};
    return ag__key_put(key, place, sizeof place);
}

/* The values that an op looks at on the host; 1 as well when an op makes them, since then it asks
   the device, which no repetition can. */
static int put_given(ag_key *key, const ag_tape *tape, const ag_node *node)
{
    for (int i = 0; node->op->given && i < node->n_in; i++) {
        const ag_tensor *x = tape->tensors[tape->tensors[node->in[i]]->root];
        if (!(node->op->given >> i & 1)) continue;
        if (x->node >= 0 || ag__key_put(key, &x->count, sizeof x->count) ||
            ag__key_put(key, x->data, (size_t)x->count * sizeof(int32_t)))
            return 1;
    }
    return 0;
}

/* The plan's own key has ops, shapes, attributes, precision and training in it. */
static int make_key(ag_key *key, const ag_tape *tape, const ag_plan *plan)
{
    const uintptr_t head[] = {(uintptr_t)plan->number, (uintptr_t)tape->slab,
                              (uintptr_t)tape->slab_bytes};
    key->n = 0;
    int bad = ag__key_put(key, head, sizeof head);
    for (int i = 0; i < tape->n_tensors && !bad; i++)
        if (tape->tensors[i]->param) bad = put_parameter(key, tape->tensors[i]->param);
    for (int i = 0; i < tape->n_nodes && !bad; i++)
        if (plan->live[i]) bad = put_given(key, tape, &tape->nodes[i]);
    return bad;
}

/* That of the key, which moves into the oldest one if it is new. */
static ag_replay *find(ag_tape *tape, ag_key *wanted)
{
    ag_replay *oldest = &tape->replays[0];
    for (int i = 0; i < AG_REPLAYS; i++) {
        ag_replay *r = &tape->replays[i];
        if (r->used && ag__key_equal(&r->key, wanted)) return r;
        if (r->used < oldest->used) oldest = r;
    }
    const ag_key old = oldest->key;
    ag__graph_free(oldest->graph);
    *oldest = (ag_replay){.key = *wanted};
    *wanted = (ag_key){.bytes = old.bytes, .capacity = old.capacity};
    return oldest;
}

/* Notes the launches; what fails in it, the run that follows says. */
static void capture(ag_tape *tape, ag_plan *plan, ag_replay *r)
{
    if (ag__graph_begin()) return; /* perhaps the next time */
    ag__device_launch(tape, plan);
    r->graph = ag__graph_end();
    if (ag_failed(tape)) {
        ag__graph_free(r->graph);
        r->graph = NULL;
    }
    r->refused = !r->graph;
}

int ag__replay(ag_tape *tape, ag_plan *plan)
{
    if (tape->profile || tape->check_finite || !ag__graph_wanted()) return 0;
    if (make_key(&tape->replay_key, tape, plan)) return 0;
    ag_replay *r = find(tape, &tape->replay_key);
    const int known = r->used > 0;
    r->used = ++tape->replay_clock;
    if (known && !r->graph && !r->refused) capture(tape, plan, r);
    if (!r->graph) return 0;
    ag__device_doing("a repeated run");
    ag__graph_launch(r->graph);
    tape->replayed++;
    return 1;
}

void ag__replay_forget(ag_tape *tape)
{
    for (int i = 0; i < AG_REPLAYS; i++) {
        ag_replay *r = &tape->replays[i];
        ag__graph_free(r->graph);
        ag_free(r->key.bytes);
        *r = (ag_replay){0};
    }
    ag_free(tape->replay_key.bytes);
    tape->replay_key = (ag_key){0};
}
