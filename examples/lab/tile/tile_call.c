/* SPDX-License-Identifier: MIT */
/* Plans the nests of a step and runs the steps. */
#include "examples/lab/tile/tile_call.h"

static int outside(const tile_items *t, int base)
{
    return t->item[base].role == TILE_EXTERNAL || base == t->root;
}

static void plan_gather(tile_call *call, const tile_command *c)
{
    call->table_rows = c->gather;
    if (!c->gather) return;
    call->n_rows = c->loop[0].size;
    call->out_row = c->loop[0].out;
    call->table_row = c->loop[0].in[0];
    call->number = c->loop[0].in[1];
}

void tile_call_plan(tile_call *call, const tile_command *c, const tile_items *t,
                    float *const *memory)
{
    const lab_node *node = t->item[c->item].node;
    const int is_map = t->item[c->item].role == TILE_MAP && node;
    plan_gather(call, c);
    nest_begin(&call->nest, (nest_kind)c->kind, is_map ? node->op : LAB_COPY,
               is_map ? node->shape.type : LAB_F32);
    call->nest.accumulate = c->accumulate;
    for (int i = c->gather ? 1 : 0; i < c->n_loops; i++) {
        const tile_loop *l = &c->loop[i];
        nest_loop_add(&call->nest, l->size, l->reduce, l->out, l->in[0], l->in[1], l->in[2]);
    }
    nest_plan(&call->nest);
    call->out = memory[c->out] + c->out_at;
    call->out_moves = outside(t, c->out);
    for (int k = 0; k < NEST_INPUTS; k++) {
        const int used = k < c->n_inputs;
        call->in[k] = used ? memory[c->in[k]] + c->in_at[k] : NULL;
        call->in_moves[k] = used && outside(t, c->in[k]);
    }
}

/* Row numbers out of range are clamped. */
static void gather(const tile_call *call, float *out, const float *const *in)
{
    for (int i = 0; i < call->n_rows; i++) {
        const float wanted = in[1][(int64_t)i * call->number];
        int row = wanted > 0 ? call->table_rows - 1 : 0;
        if (wanted > 0 && wanted < (float)row) row = (int)wanted;
        const float *const from[NEST_INPUTS] = {in[0] + (int64_t)row * call->table_row, NULL, NULL};
        nest_run(&call->nest, out + (int64_t)i * call->out_row, from);
    }
}

static const int *run_call(const tile_call *call, const int *move)
{
    float *out = call->out;
    const float *in[NEST_INPUTS];
    if (call->out_moves) out += *move++;
    for (int k = 0; k < NEST_INPUTS; k++) {
        in[k] = call->in[k];
        if (call->in_moves[k]) in[k] += *move++;
    }
    if (call->table_rows)
        gather(call, out, in);
    else
        nest_run(&call->nest, out, in);
    return move;
}

void tile_go(const void *args)
{
    const tile_plan *plan = args;
    for (const int *step = plan->step; step < plan->end;) {
        const tile_class *class = &plan->classes[*step++];
        for (int i = 0; i < class->n_calls; i++) step = run_call(&class->calls[i], step);
    }
}
