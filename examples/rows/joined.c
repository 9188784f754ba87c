/* SPDX-License-Identifier: MIT */
/* The layers, and the forward pass. */
#include "examples/rows/joined.h"

static ag_param *add(ag_params *params, const char *name, ag_shape shape, ag_init init)
{
    return ag_params_add(params, name, shape, init, 1);
}

/* g starts at 0: first only the rows are learned, as without a graph. */
static void add_costs(nests_joined *j, ag_params *params, const nests_joined_options *o)
{
    j->of_row =
        add(params, "rows.cost.row", AG_SHAPE(j->members, j->width), ag_init_xavier_uniform(1));
    j->of_node = add(params, "rows.cost.node", AG_SHAPE(1, o->out), ag_init_constant(0));
    if (!o->absolute)
        j->steep = add(params, "rows.cost.steep", AG_SHAPE(1, 1), ag_init_constant(1));
}

static void add_layers(nests_joined *j, ag_params *params)
{
    const int inputs = j->width;
    j->width = NESTS_JOINED_WIDTH;
    for (int i = 0; i < j->members * NESTS_JOINED_LAYERS; i++) {
        const int k = i % NESTS_JOINED_LAYERS;
        char name[128];
        ag_layer_name(name, NULL, "rows.layer.%d", i);
        j->layer[i / NESTS_JOINED_LAYERS][k] =
            ag_layer_linear(params, name, k ? j->width : inputs, j->width, 1);
    }
    ag_params_init(params, "rows.layer.", ag_init_xavier_uniform(1), ag_init_constant(0));
}

void nests_joined_add(nests_joined *j, ag_params *params, const nests_joined_options *o)
{
    *j = (nests_joined){.use = o->use,
                        .members = o->use == NESTS_COSTS && o->members ? o->members : 1,
                        .skip = o->skip};
    if (!o->use) return;
    nests_scale_open(&j->scale, o->columns, o->words, o->bins, o->flags);
    j->width = nests_scale_inputs(&j->scale);
    if (o->words) {
        j->table =
            add(params, "rows.table", AG_SHAPE(o->words, NESTS_WORD_WIDTH), ag_init_normal(0, 0.1));
        j->width += NESTS_WORD_WIDTH;
    }
    if (o->use != NESTS_SUMS) add_layers(j, params);
    j->join =
        add(params, "rows.join", AG_SHAPE(o->in, j->members * j->width), ag_init_xavier_uniform(1));
    if (o->use == NESTS_COSTS) add_costs(j, params, o);
}

void nests_joined_free(nests_joined *j) { nests_scale_close(&j->scale); }

nests_embedded nests_joined_embed(const nests_joined *j, ag_tape *tape, const nests_joined_batch *b)
{
    ag_tensor *x = ag_input(tape, b->x, AG_SHAPE(b->rows, nests_scale_inputs(&j->scale)));
    if (j->table) {
        ag_tensor *word = ag_input_i32(tape, b->word, AG_SHAPE(b->rows));
        x = ag_concat2(ag_gather(ag_parameter(tape, j->table), word), x, 1);
    }
    nests_embedded e = {{x}};
    for (int m = 0; m < j->members && j->use != NESTS_SUMS; m++) {
        e.by[m] = x;
        for (int k = 0; k < NESTS_JOINED_LAYERS; k++)
            e.by[m] = ag_relu(ag_apply_linear(&j->layer[m][k], e.by[m]));
    }
    return e;
}

/* The linear layer comes before the sum, which gives the same and runs over fewer rows. */
ag_tensor *nests_joined_nodes(const nests_joined *j, const nests_embedded *e,
                              const nests_joined_batch *b)
{
    ag_tape *tape = ag_tape_of(e->by[0]);
    ag_tensor *y = j->members > 1 ? ag_concat(e->by, j->members, 1) : e->by[0];
    y = ag_linear(y, ag_parameter(tape, j->join), NULL);
    y = ag_gather(y, ag_input_i32(tape, b->place_row, AG_SHAPE(b->entries)));
    return ag_segment_sum(y, ag_input_i32(tape, b->place_start, AG_SHAPE(b->places + 1)));
}

/* Rows m * n to (m + 1) * n - 1. */
static ag_tensor *rows_of(ag_tensor *x, int m, int n)
{
    return ag_size(x, 0) > n ? ag_slice(x, 0, m * n, n) : x;
}

/* f [rows, 1], g [n, 1] or NULL. Returns [items]. */
static ag_tensor *add_up(const nests_joined *j, ag_tensor *f, ag_tensor *g,
                         const nests_joined_batch *b)
{
    ag_tape *tape = ag_tape_of(f);
    ag_tensor *y = ag_gather(f, ag_input_i32(tape, b->item_row, AG_SHAPE(b->entries)));
    y = ag_add(y, ag_input(tape, b->item_weight, AG_SHAPE(b->entries, 1)));
    if (g) y = ag_add(y, ag_gather(g, ag_input_i32(tape, b->item_place, AG_SHAPE(b->entries))));
    y = ag_segment_log_sum_exp(y, ag_input_i32(tape, b->item_start, AG_SHAPE(b->items + 1)));
    y = ag_add(y, ag_input(tape, b->base, AG_SHAPE(b->items, 1)));
    if (j->steep) y = ag_linear(y, ag_exp(ag_parameter(tape, j->steep)), NULL);
    return ag_reshape(y, AG_SHAPE(b->items));
}

ag_tensor *nests_joined_scores(const nests_joined *j, const nests_embedded *e, ag_tensor *node,
                               const nests_joined_batch *b)
{
    ag_tape *tape = ag_tape_of(e->by[0]);
    ag_tensor *score[NESTS_JOINED_MEMBERS], *w = ag_parameter(tape, j->of_row);
    ag_tensor *g = node ? ag_linear(node, ag_parameter(tape, j->of_node), NULL) : NULL;
    if (g && j->skip > 0 && !ag_is_training(tape)) g = ag_scale(g, (ag_real)(1 - j->skip));
    for (int m = 0; m < j->members; m++)
        score[m] = add_up(j, ag_linear(e->by[m], rows_of(w, m, 1), NULL), g, b);
    return j->members > 1 ? ag_concat(score, j->members, 0) : score[0];
}

ag_tensor *nests_member_scores(ag_tensor *scores, int items, int member)
{
    return rows_of(scores, member, items);
}

ag_tensor *nests_mean_scores(ag_tensor *scores, int items)
{
    const int members = ag_size(scores, 0) / items;
    return members > 1 ? ag_mean_rows(ag_reshape(scores, AG_SHAPE(members, items))) : scores;
}
