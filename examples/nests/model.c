/* SPDX-License-Identifier: MIT */
/* The forward pass. */
#include "examples/nests/model.h"

/* f of each row, [rows, 1]. */
static ag_tensor *factors(const nests_model *m, const nests_member *net, ag_tape *tape,
                          const nests_batch *b)
{
    const int inputs = nests_scale_inputs(&m->scale);
    ag_tensor *x = ag_input(tape, b->x, AG_SHAPE(b->rows, inputs));
    if (net->table) {
        ag_tensor *word = ag_input_i32(tape, b->word, AG_SHAPE(b->rows));
        x = ag_concat2(ag_gather(ag_parameter(tape, net->table), word), x, 1);
    }
    for (int k = 0; k < m->layers; k++) {
        x = ag_relu(ag_apply_linear(&net->layer[k], x));
        x = ag_dropout(x, (ag_real)m->dropout);
    }
    return ag_apply_linear(&net->output, x);
}

static ag_tensor *add_up(ag_tensor *f, const int32_t *at, const ag_real *weight,
                         const int32_t *start, int entries, int segments)
{
    ag_tape *tape = ag_tape_of(f);
    ag_tensor *x = ag_gather(f, ag_input_i32(tape, at, AG_SHAPE(entries)));
    x = ag_add(x, ag_input(tape, weight, AG_SHAPE(entries, 1)));
    return ag_segment_log_sum_exp(x, ag_input_i32(tape, start, AG_SHAPE(segments + 1)));
}

ag_tensor *nests_forward_member(const nests_model *m, int member, ag_tape *tape,
                                const nests_batch *b)
{
    static const ag_real nothing[1];
    ag_tensor *f = factors(m, &m->member[member], tape, b);
    f = ag_concat2(f, ag_input(tape, nothing, AG_SHAPE(1, 1)), 0);
    if (b->alike) {
        ag_tensor *alike =
            add_up(f, b->alike_at, b->alike_weight, b->alike_start, b->alike, b->groups);
        f = ag_concat2(f, alike, 0);
    }
    f = add_up(f, b->at, b->weight, b->start, b->entries, b->items);
    return ag_reshape(f, AG_SHAPE(b->items));
}

ag_tensor *nests_forward(const nests_model *m, ag_tape *tape, const nests_batch *b)
{
    ag_tensor *sum = nests_forward_member(m, 0, tape, b);
    for (int i = 1; i < m->members; i++) sum = ag_add(sum, nests_forward_member(m, i, tape, b));
    return m->members > 1 ? ag_scale(sum, (ag_real)(1.0 / m->members)) : sum;
}
