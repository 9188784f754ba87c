/* SPDX-License-Identifier: MIT */
/* Where the tensors of a tape lie: in slots that are handed out in turn and never given back. So a
   tensor that a caller kept across ag_tape_reset can still be read, and its generation says that
   its step has ended; its slot is used again only after the tape has recorded ROUNDS - 1 more
   steps. The functions that read a shape, name a tensor and keep it are here, too. */
#include "autograd/tape.h"
#include "core/memory.h"

#include <string.h>

enum { FIRST = 64, ROUNDS = 8 };

static int slots_of(int chunk) { return FIRST << chunk; }

/* One more chunk, as large as all before it together. */
static int add_chunk(ag_slots *s)
{
    if (s->n_chunks == AG_CHUNKS) return 1;
    ag_tensor *chunk = ag_alloc((size_t)slots_of(s->n_chunks) * sizeof *chunk);
    if (!chunk) return 1;
    s->capacity += slots_of(s->n_chunks);
    s->chunks[s->n_chunks++] = chunk;
    return 0;
}

ag_tensor *ag__slot(ag_slots *s, int used)
{
    while (s->capacity < ROUNDS * ((int64_t)used + 1))
        if (add_chunk(s)) return NULL;
    if (s->at == slots_of(s->chunk)) {
        s->chunk = (s->chunk + 1) % s->n_chunks;
        s->at = 0;
    }
    return &s->chunks[s->chunk][s->at++];
}

void ag__slots_free(ag_slots *s)
{
    for (int i = 0; i < s->n_chunks; i++) ag_free(s->chunks[i]);
    memset(s, 0, sizeof *s);
}

int ag__is_live(const ag_tensor *x) { return x->tape && x->generation == x->tape->generation; }

int ag__usable(const ag_tensor *x, const char *who)
{
    if (!x || !x->tape || ag_failed(x->tape)) return 0;
    if (ag__is_live(x)) return 1;
    ag_tape_fail(x->tape, AG_EUSE,
                 "%s: the tensor is one of an earlier step, which ag_tape_reset ended; read "
                 "tensors before the reset, and record them again in every step",
                 who);
    return 0;
}

ag_tape *ag_tape_of(const ag_tensor *x) { return x ? x->tape : NULL; }

ag_shape ag_shape_of(const ag_tensor *x)
{
    return ag__usable(x, "ag_shape_of") ? x->shape : AG_SCALAR;
}

int ag_size(const ag_tensor *x, int axis)
{
    if (!ag__usable(x, "ag_size")) return 1;
    if (axis < 0) axis += x->shape.rank;
    return axis >= 0 && axis < x->shape.rank ? x->shape.size[axis] : 1;
}

ag_tensor *ag_name(ag_tensor *x, const char *name)
{
    if (!ag__usable(x, "ag_name")) return ag__poison(ag_tape_of(x));
    x->name = name;
    return x;
}

ag_tensor *ag_keep(ag_tensor *x)
{
    if (!ag__usable(x, "ag_keep")) return ag__poison(ag_tape_of(x));
    x->kept = 1;
    return x;
}
