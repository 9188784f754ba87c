/* SPDX-License-Identifier: MIT */
/* The rows of the configurations of a layout file. */
#include "examples/tgraph/rows/file.h"

#include "examples/harness/harness.h"

#include <string.h>

_Static_assert(NESTS_LAYOUT_OPCODE == 0, "the columns that follow the op code are moved up");

/* Without the order many rows are wrong: on TpuGraphs' alexnet TGraph alone is better by far. */
void nests_layout_warn(bool *warned, const tgraph_file *f)
{
    if (!f->operations.ordered && !*warned)
        harness_warn("%s does not say in which order nodes take their operands, so its rows are a "
                     "guess; tgraph without --rows may rank such files better",
                     f->path);
    *warned |= !f->operations.ordered;
}

static void add(nests_layout_rows *rows, const tgraph_file *f, int config)
{
    const uint32_t *word = f->store.word + (int64_t)config * f->store.width;
    signed char *digit = rows->digit;
    for (int v = 0; v < f->graph.configurable; v++) {
        int32_t row[TGRAPH_DIGITS];
        tgraph_unpack(row, word + (size_t)v * TGRAPH_WORDS);
        for (int k = 0; k < TGRAPH_DIGITS; k++) *digit++ = (signed char)(row[k] - 2);
    }
    tgraph_store_settle((tgraph_store *)&f->store, (size_t)f->store.width * sizeof *word);
    nests_layout_rows_add(rows, rows->digit);
}

void nests_layout_rows_take(nests_layout_rows *rows, const tgraph_file *f, const int32_t *config,
                            int count)
{
    nests_layout_rows_open(rows, &f->operations);
    for (int i = 0; i < count; i++) add(rows, f, config ? config[i] : i);
}

/* Moves the op codes, which are columns, to the words. The rows have to be opened anew afterwards.
 */
static void part_words(nests_layout_rows *all)
{
    for (int r = 0; r < all->rows; r++) {
        const float *x = all->x + (size_t)r * NESTS_LAYOUT_COLUMNS;
        all->word[r] = (int)x[NESTS_LAYOUT_OPCODE];
        memmove(all->x + (size_t)r * NESTS_LAYOUT_INPUTS, x + 1, NESTS_LAYOUT_INPUTS * sizeof *x);
    }
}

void nests_layout_take(nests_rows *rows, const tgraph_file *f, bool by_node, const int32_t *config,
                       int count)
{
    if (!rows->memory) rows->memory = harness_alloc(sizeof(nests_layout_rows));
    nests_layout_rows *all = rows->memory;
    all->by_node = by_node;
    nests_layout_rows_take(all, f, config, count);
    part_words(all);
    rows->rows = all->rows;
    rows->items = all->items;
    rows->x = all->x;
    rows->word = all->word;
    rows->work = all->work;
    rows->always = all->always;
    rows->first = all->first;
    rows->row = all->row;
    rows->times = all->times;
}

void nests_layout_drop(nests_rows *rows)
{
    if (rows->memory) nests_layout_rows_close(rows->memory);
    harness_free(rows->memory);
    *rows = (nests_rows){0};
}
