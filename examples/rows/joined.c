/* SPDX-License-Identifier: MIT */
/* The layers, and the forward pass. */
#include "examples/rows/joined.h"

static ag_param *add(ag_params *params, const char *name, ag_shape shape, ag_init init)
{
    return ag_params_add(params, name, shape, init, 1);
}

/* g starts at 0: first only the rows are learned, as without a graph. */
static void add_costs(nests_joined *j, ag_params *params, int width, int out, bool absolute)
{
    j->of_row = add(params, "rows.cost.row", AG_SHAPE(1, width), ag_init_xavier_uniform(1));
    j->of_node = add(params, "rows.cost.node", AG_SHAPE(1, out), ag_init_constant(0));
    if (!absolute) j->steep = add(params, "rows.cost.steep", AG_SHAPE(1, 1), ag_init_constant(1));
}

void nests_joined_add(nests_joined *j, ag_params *params, nests_use use, int columns, int words,
                      int bins, bool flags, int in, int out, bool absolute)
{
    *j = (nests_joined){.use = use};
    if (use == NESTS_UNUSED) return;
    nests_scale_open(&j->scale, columns, words, bins, flags);
    int width = nests_scale_inputs(&j->scale);
    if (words) {
        j->table =
            add(params, "rows.table", AG_SHAPE(words, NESTS_WORD_WIDTH), ag_init_normal(0, 0.1));
        width += NESTS_WORD_WIDTH;
    }
    for (int k = 0; k < NESTS_JOINED_LAYERS && use != NESTS_SUMS; k++) {
        char name[128];
        ag_layer_name(name, NULL, "rows.layer.%d", k);
        j->layer[k] = ag_layer_linear(params, name, width, NESTS_JOINED_WIDTH, 1);
        width = NESTS_JOINED_WIDTH;
    }
    ag_params_init(params, "rows.layer.", ag_init_xavier_uniform(1), ag_init_constant(0));
    j->join = add(params, "rows.join", AG_SHAPE(in, width), ag_init_xavier_uniform(1));
    if (use == NESTS_COSTS) add_costs(j, params, width, out, absolute);
}

void nests_joined_free(nests_joined *j) { nests_scale_close(&j->scale); }

ag_tensor *nests_joined_embed(const nests_joined *j, ag_tape *tape, const nests_joined_batch *b)
{
    ag_tensor *x = ag_input(tape, b->x, AG_SHAPE(b->rows, nests_scale_inputs(&j->scale)));
    if (j->table) {
        ag_tensor *word = ag_input_i32(tape, b->word, AG_SHAPE(b->rows));
        x = ag_concat2(ag_gather(ag_parameter(tape, j->table), word), x, 1);
    }
    for (int k = 0; k < NESTS_JOINED_LAYERS && j->layer[k].weight; k++)
        x = ag_relu(ag_apply_linear(&j->layer[k], x));
    return x;
}

/* The linear layer comes before the sum, which gives the same and runs over fewer rows. */
ag_tensor *nests_joined_nodes(const nests_joined *j, ag_tensor *embedded,
                              const nests_joined_batch *b)
{
    ag_tape *tape = ag_tape_of(embedded);
    ag_tensor *y = ag_linear(embedded, ag_parameter(tape, j->join), NULL);
    y = ag_gather(y, ag_input_i32(tape, b->place_row, AG_SHAPE(b->entries)));
    return ag_segment_sum(y, ag_input_i32(tape, b->place_start, AG_SHAPE(b->places + 1)));
}

ag_tensor *nests_joined_scores(const nests_joined *j, ag_tensor *embedded, ag_tensor *node,
                               const nests_joined_batch *b)
{
    ag_tape *tape = ag_tape_of(embedded);
    ag_tensor *f = ag_linear(embedded, ag_parameter(tape, j->of_row), NULL);
    ag_tensor *g = ag_linear(node, ag_parameter(tape, j->of_node), NULL);
    f = ag_gather(f, ag_input_i32(tape, b->item_row, AG_SHAPE(b->entries)));
    g = ag_gather(g, ag_input_i32(tape, b->item_place, AG_SHAPE(b->entries)));
    ag_tensor *cost = ag_add(f, ag_input(tape, b->item_weight, AG_SHAPE(b->entries, 1)));
    cost = ag_segment_log_sum_exp(ag_add(cost, g),
                                  ag_input_i32(tape, b->item_start, AG_SHAPE(b->items + 1)));
    ag_tensor *score = ag_add(cost, ag_input(tape, b->base, AG_SHAPE(b->items, 1)));
    if (j->steep) score = ag_linear(score, ag_exp(ag_parameter(tape, j->steep)), NULL);
    return ag_reshape(score, AG_SHAPE(b->items));
}
