/* SPDX-License-Identifier: MIT */
/* Checks the values of int32 arrays that the caller gave. Arrays that belong together are checked
   once per tape, not by every op. */
#include "autograd/tape.h"

const ag_real *ag__given(const ag_tensor *x)
{
    return x && ag__is_live(x) && !x->is_int && x->node < 0 && !x->param ? x->data : NULL;
}

const int32_t *ag__given_i32(const ag_tensor *x)
{
    return x && ag__is_live(x) && x->is_int && x->node < 0 ? x->data : NULL;
}

int64_t ag__first_outside(const int32_t *values, int64_t n, int32_t low, int32_t high)
{
    int outside = 0;
    for (int64_t k = 0; k < n; k++) outside |= (values[k] < low) | (values[k] > high);
    for (int64_t k = 0; outside && k < n; k++)
        if (values[k] < low || values[k] > high) return k;
    return -1;
}

/* The values to look at, of input i of the op that made y; NULL: there are none, or their owner
   has looked. */
static const int32_t *kept_values(const ag_tensor *y, int i, int64_t *n)
{
    const ag_tape *tape = y->tape;
    if (ag_failed(tape)) return NULL;
    const ag_tensor *x = tape->tensors[tape->nodes[y->node].in[i]];
    *n = x->count;
    return x->serial ? NULL : ag__given_i32(x);
}

ag_tensor *ag__check_index(ag_tensor *y, int i, const ag_tensor *table, const char *what)
{
    int64_t n = 0;
    const int32_t *index = kept_values(y, i, &n);
    const int rows = index ? table->shape.size[0] : 0;
    const int64_t k = index ? ag__first_outside(index, n, -1, rows - 1) : -1;
    if (k < 0) return y;
    ag_tape_fail(y->tape, AG_EINDEX,
                 "%s: index[%lld] is %d, but must be -1 (no row) to %d, since %s has %d rows (op "
                 "%d); correct it, or give %s more rows",
                 y->tape->nodes[y->node].op->name, (long long)k, index[k], rows - 1, what, rows,
                 y->node, what);
    return ag__poison(y->tape);
}

ag_tensor *ag__check_starts(ag_tensor *y, int i)
{
    int64_t n = 0, k = 0;
    const int32_t *starts = kept_values(y, i, &n);
    if (!starts) return y;
    const ag_node *node = &y->tape->nodes[y->node];
    const int rows = y->tape->tensors[node->in[0]]->shape.size[0];
    int32_t before = 0;
    while (k < n && starts[k] >= before && starts[k] <= rows) before = starts[k++];
    if (k == n) return y;
    ag_tape_fail(y->tape, AG_EINDEX,
                 "%s: starts[%lld] is %d, but must be %d to %d, since starts ascend to at most the "
                 "number of rows (op %d); put the rows of a group one after the other, and add up "
                 "how many each group has",
                 node->op->name, (long long)k, starts[k], before, rows, y->node);
    return ag__poison(y->tape);
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
