/* SPDX-License-Identifier: MIT */
/* Debug builds notice when the caller changes data that a tape has only borrowed. */
#include "autograd/tape.h"
#include "core/shape.h"

#ifdef NDEBUG
void ag__borrow(ag_tensor *input) { (void)input; }
void ag__borrow_check(ag_tape *tape, const char *when) { (void)tape, (void)when; }
#else
# include <xxhash.h>

static uint64_t hash_of(const ag_tensor *input)
{
    return XXH3_64bits(input->data, ag__bytes_of(input));
}

void ag__borrow(ag_tensor *input) { input->hash = hash_of(input); }

void ag__borrow_check(ag_tape *tape, const char *when)
{
    char text[64];
    for (int i = 0; i < tape->n_tensors && !ag_failed(tape); i++) {
        const ag_tensor *t = tape->tensors[i];
        if (t->node >= 0 || t->param || t->hash == hash_of(t)) continue;
        ag_tape_fail(tape, AG_EUSE,
                     "input %d%s%.100s%s: its data %s changed %s; borrowed data must stay as it is "
                     "until ag_forward or ag_backward returns, so record after a change or give "
                     "the tape a copy",
                     i, t->name ? ", \"" : "", t->name ? t->name : "", t->name ? "\"" : "",
                     ag_shape_text(text, t->shape), when);
    }
}
#endif
