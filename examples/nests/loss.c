/* SPDX-License-Identifier: MIT */
/* The losses of training: of run times, and of their order within groups. */
#include "examples/harness/baseline/additive.h"
#include "examples/nests/model.h"

#include "ops/ops.h"

/* Scores less their mean in the group. */
static ag_tensor *centred(ag_tensor *score, const nests_batch *b, ag_tensor *starts)
{
    ag_tape *tape = ag_tape_of(score);
    ag_tensor *group = ag_input_i32(tape, b->group, AG_SHAPE(b->items));
    ag_tensor *mean = ag_segment_mean(ag_reshape(score, AG_SHAPE(b->items, 1)), starts);
    return ag_sub(score, ag_reshape(ag_gather(mean, group), AG_SHAPE(b->items)));
}

/* e^2, and from the limit on the line that touches it: c (2 e - c), where c is e cut off there. */
static ag_tensor *squares(ag_tensor *e, double limit)
{
    if (!(limit > 0)) return ag_square(e);
    ag_tensor *cut = ag_clamp(e, (ag_real)-limit, (ag_real)limit);
    return ag_mul(cut, ag_sub(ag_scale(e, 2), cut));
}

static ag_tensor *errors(ag_tensor *score, const nests_batch *b, double limit)
{
    ag_tape *tape = ag_tape_of(score);
    const ag_shape shape = AG_SHAPE(b->items);
    ag_tensor *e = squares(ag_sub(score, ag_input(tape, b->target, shape)), limit);
    return ag_sum_all(ag_mul(e, ag_input(tape, b->sharp, shape)));
}

/* The pairwise loss is over the order of all items of a group; LambdaRank weights the fastest,
   which a tuner measures. */
static ag_tensor *pairs(ag_tensor *score, const nests_batch *b, ag_tensor *starts, double top)
{
    ag_tape *tape = ag_tape_of(score);
    const ag_shape shape = AG_SHAPE(b->items);
    ag_tensor *z = ag_scale(ag_add(score, ag_input(tape, b->level, shape)), HARNESS_STEEP);
    ag_tensor *rank = ag_input_i32(tape, b->rank, shape);
    ag_tensor *all = ag_pairwise_logistic_groups(z, rank, starts, AG_MEAN);
    if (!(top > 0)) return all;
    ag_tensor *fastest =
        ag_lambda_rank(ag_neg(z), ag_input(tape, b->speed, shape), starts, AG_MEAN);
    return ag_add(all, ag_scale(fastest, (ag_real)top));
}

static ag_tensor *loss_of(ag_tensor *score, const nests_batch *b, bool absolute,
                          const nests_settings *s)
{
    ag_tensor *starts = ag_input_i32(ag_tape_of(score), b->group_start, AG_SHAPE(b->groups + 1));
    ag_tensor *loss = errors(absolute ? score : centred(score, b, starts), b, s->huber);
    if (!(s->order > 0)) return loss;
    return ag_add(loss, ag_scale(pairs(score, b, starts, s->top), (ag_real)s->order));
}

ag_tensor *nests_loss_of_members(const nests_model *m, ag_tape *tape, const nests_batch *b,
                                 bool absolute, const nests_settings *s)
{
    ag_tensor *sum = NULL;
    if (!m->members)
        return loss_of(ag_input(tape, b->by_trees, AG_SHAPE(b->items)), b, absolute, s);
    for (int i = 0; i < m->members; i++) {
        ag_tensor *score = ag_name(nests_forward_member(m, i, tape, b), "scores");
        ag_tensor *loss = loss_of(score, b, absolute, s);
        sum = sum ? ag_add(sum, loss) : loss;
    }
    return sum;
}
