/* SPDX-License-Identifier: MIT */
/* Index arrays that belong together are looked through once per tape, not by every op. */
#include "autograd/tape.h"

const int32_t *ag__given_i32(const ag_tensor *x)
{
    return x && ag__is_live(x) && x->is_int && x->node < 0 ? x->data : NULL;
}

/* A tensor that joins another company leaves the first, which is then looked at again. */
void ag__set_fit(ag_tensor *const *x, int n)
{
    ag_tape *tape = x[0]->tape;
    if (ag_failed(tape)) return; /* the poison fits nothing */
    tape->fits++;
    for (int i = 0; i < n; i++) x[i]->fit = tape->fits;
}

int ag__is_fit(ag_tensor *const *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!x[i]->fit || x[i]->fit != x[0]->fit) return 0;
    return 1;
}
