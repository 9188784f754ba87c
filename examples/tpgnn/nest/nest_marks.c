/* SPDX-License-Identifier: MIT */
/* Marks nodes whose information is in the columns already. */
#include "examples/tpgnn/nest/nest_internal.h"

/* 1 for a child that repeats columns of its parent. The body of a loop or an attribute is its last
   child. */
static int is_said(nest_class up, int position, int last)
{
    switch (up) {
    case NEST_BUFFER:
    case NEST_LOAD: return 1;
    case NEST_STORE: return position > 0;
    case NEST_FOR:
    case NEST_ATTRIBUTE: return !last;
    default: return 0;
    }
}

ag_status tpgnn_nest_indices(uint8_t *mark, const tpgnn_data *data, const tpgnn_schedule *s,
                             ag_failure *why)
{
    nest_tree t = {.data = data, .s = s};
    const size_t kinds = (size_t)data->kinds * sizeof *t.kind;
    const size_t bytes = kinds + (size_t)s->nodes * sizeof *t.last + 64;
    char *block = nest_zeros(bytes, why);
    if (!block) return why->status;
    t.last = (int32_t *)(void *)block;
    t.kind = (nest_kind *)(void *)(block + (size_t)s->nodes * sizeof *t.last);
    for (int v = 1; v < s->nodes; v++) t.last[s->parent[v]] = v;
    mark[0] = 0;
    for (int v = 1; v < s->nodes; v++) {
        const int up = s->parent[v];
        const nest_class class = (nest_class)nest_kind_of(&t, up).class;
        mark[v] = (uint8_t)(mark[up] || is_said(class, s->position[v], t.last[up] == v));
    }
    ag_free(block);
    return AG_OK;
}
