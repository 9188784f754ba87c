/* SPDX-License-Identifier: MIT */
/* Apart from rows.c: a bag ends the process without memory, which libaugur_tpgnn.so must not. */
#include "examples/rows/rows.h"

#include "examples/harness/base/bag.h"

void nests_rows_clear(nests_rows *r)
{
    r->rows = r->items = 0;
    bag_resize(r->x, 0);
    bag_resize(r->word, 0);
    bag_resize(r->work, 0);
    bag_resize(r->always, 0);
    bag_resize(r->first, 1);
    bag_resize(r->row, 0);
    bag_resize(r->times, 0);
    bag_resize(r->node, 0);
    r->first[0] = 0;
}

void nests_rows_free(nests_rows *r)
{
    bag_free(r->x);
    bag_free(r->word);
    bag_free(r->work);
    bag_free(r->always);
    bag_free(r->first);
    bag_free(r->row);
    bag_free(r->times);
    bag_free(r->node);
    *r = (nests_rows){0};
}
