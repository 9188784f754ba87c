/* SPDX-License-Identifier: MIT */
/* The rows of a batch. They are computed again for each batch, as the columns of nest.h are, in
   0.03 ms a schedule. */
#include "examples/tpgnn/rows/rows.h"
#include "core/memory.h"
#include "examples/tpgnn/model/batch.h"

#include <math.h>

/* Arrays of one block, for all schedules. */
typedef struct raw {
    nests_rows rows;
    float *cost;
    int32_t *in, *out; /* [rows] as in nests_joined_fill */
} raw;

static size_t lay_raw(raw *r, int graphs, int rows, char *block)
{
    size_t at = 0;
    r->rows.x = tpugraphs_lay(block, &at, (int64_t)rows * NESTS_SCHEDULE_ROW, sizeof *r->rows.x);
    r->rows.work = tpugraphs_lay(block, &at, rows, sizeof *r->rows.work);
    r->rows.row = tpugraphs_lay(block, &at, rows, sizeof *r->rows.row);
    r->rows.first = tpugraphs_lay(block, &at, graphs + 1, sizeof *r->rows.first);
    r->cost = tpugraphs_lay(block, &at, rows, sizeof *r->cost);
    r->in = tpugraphs_lay(block, &at, rows, sizeof *r->in);
    r->out = tpugraphs_lay(block, &at, rows, sizeof *r->out);
    return at;
}

/* Statements are in the order of their nodes in both. A tree may hold a store where --compact
   leaves nodes out: then its last rows belong to no node. */
static ag_status add_schedule(raw *r, const tpgnn_batch *b, const tpgnn_data *data, int i, int most,
                              int whole, ag_failure *why)
{
    const int first = r->rows.rows, store = b->store_start[i],
              stores = b->store_start[i + 1] - store;
    const int made = nests_schedule_rows(r->rows.x + (size_t)first * NESTS_SCHEDULE_ROW,
                                         r->cost + first, most - first, data, b->schedule[i], why);
    if (made < 0) return why->status;
    for (int k = 0; k < made; k++) {
        const int at = first + k;
        r->rows.row[at] = at;
        r->rows.work[at] = exp((double)r->cost[at]);
        r->in[at] = k < stores ? b->store[store + k] : -1;
        r->out[at] = whole ? i : k < stores ? store + k : -1;
    }
    r->rows.rows = r->rows.first[i + 1] = first + made;
    return AG_OK;
}

ag_status tpgnn_batch_rows(tpgnn_batch *b, const tpgnn_data *data, const tpgnn_batch_options *o,
                           ag_failure *why)
{
    raw r = {0};
    int most = 1;
    for (int i = 0; i < b->graphs; i++) most += nests_schedule_stores(data, b->schedule[i]);
    const size_t bytes = lay_raw(&r, b->graphs, most, NULL);
    char *block = ag_alloc(bytes);
    if (!block) return harness_files_no_memory("a batch", bytes, why);
    lay_raw(&r, b->graphs, most, block);
    r.rows.items = b->graphs;
    r.rows.first[0] = 0;
    for (int i = 0; i < b->graphs && !why->status; i++)
        add_schedule(&r, b, data, i, most, o->both, why);
    if (!why->status) nests_joined_fill(&b->rows, o->joined, &r.rows, r.in, b->nodes, r.out, why);
    ag_free(block);
    return why->status;
}
