/* SPDX-License-Identifier: MIT */
/* Rows in memory, as a maker of the test's own gives them: words, rows that all items count, an
   item that counts nothing, counts of 0. */
#ifndef TEST_NESTS_FAKE_H
#define TEST_NESTS_FAKE_H

#include "core/random.h"
#include "support/test.h"
#include "examples/harness/base/bag.h"
#include "examples/harness/harness.h"
#include "examples/nests/model.h"

enum { FAKE_GROUPS = 4, FAKE_ITEMS = 6, FAKE_ROWS = 5, FAKE_COLUMNS = 3, FAKE_WORDS = 4 };

static float fake_x[FAKE_GROUPS][FAKE_ROWS][FAKE_COLUMNS], fake_always[FAKE_GROUPS][FAKE_ROWS],
    fake_times[FAKE_GROUPS][FAKE_ITEMS][2];
static int fake_word[FAKE_GROUPS][FAKE_ROWS], fake_row[FAKE_GROUPS][FAKE_ITEMS][2];
static double fake_work[FAKE_GROUPS][FAKE_ROWS];
static int64_t fake_runtime[FAKE_GROUPS][FAKE_ITEMS];

/* Item 5 of group 2 counts nothing; groups 0 and 1 have rows that all items count. */
static inline bool fake_is_empty(int group, int item) { return group == 2 && item == 5; }

static inline ag_status fake_rows(nests_rows *r, const nests_data *data, int group, const int *item,
                                  int n, ag_failure *why)
{
    (void)data, (void)why;
    nests_rows_clear(r);
    memcpy(stbds_arraddnptr(r->x, FAKE_ROWS * FAKE_COLUMNS), fake_x[group], sizeof fake_x[group]);
    for (int i = 0; i < FAKE_ROWS; i++) {
        bag_add(r->word, fake_word[group][i]);
        bag_add(r->work, fake_work[group][i]);
        if (group < 2) bag_add(r->always, fake_always[group][i]);
    }
    if (group >= 2) bag_free(r->always);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 2 && !fake_is_empty(group, item[i]); k++) {
            bag_add(r->times, fake_times[group][item[i]][k]);
            bag_add(r->row, fake_row[group][item[i]][k]);
        }
        bag_add(r->first, bag_count(r->row));
    }
    r->rows = FAKE_ROWS;
    r->items = n;
    return AG_OK;
}

static const nests_maker fake_compared = {.name = "fake", .rows = fake_rows},
                         fake_absolute = {.name = "fake", .absolute = true, .rows = fake_rows};

static nests_group fake_group[FAKE_GROUPS];
static int64_t fake_first[FAKE_GROUPS + 1];
static int fake_item[FAKE_GROUPS * FAKE_ITEMS];

/* Of group 3 all run times are equal. */
static inline nests_set fake_set(bool absolute)
{
    ag_random r = {3, 4, 0};
    for (int g = 0; g < FAKE_GROUPS; g++) {
        for (int i = 0; i < FAKE_ROWS; i++) {
            for (int k = 0; k < FAKE_COLUMNS; k++)
                fake_x[g][i][k] = k == 2 ? 7 : (float)(4 * ag_random_uniform(&r) - 1);
            fake_word[g][i] = (g + i) % FAKE_WORDS;
            fake_always[g][i] = (float)(i % 3);
            fake_work[g][i] = exp(6 * ag_random_uniform(&r));
        }
        for (int i = 0; i < FAKE_ITEMS; i++) {
            for (int k = 0; k < 2; k++) {
                fake_row[g][i][k] = (i + 2 * k) % FAKE_ROWS;
                fake_times[g][i][k] = (float)((i + k) % 3 + (i == 0));
            }
            fake_runtime[g][i] = g == 3 ? 900 : 1000 + (int64_t)(9000 * ag_random_uniform(&r));
            fake_item[g * FAKE_ITEMS + i] = i;
        }
        fake_group[g] =
            (nests_group){.name = "a group", .items = FAKE_ITEMS, .runtime = fake_runtime[g]};
        fake_first[g + 1] = fake_first[g] + FAKE_ITEMS;
    }
    return (nests_set){.data = {.maker = absolute ? &fake_absolute : &fake_compared,
                                .group = fake_group,
                                .groups = FAKE_GROUPS,
                                .items = FAKE_GROUPS * FAKE_ITEMS},
                       .train = {fake_first, fake_item},
                       .score = {fake_first, fake_item}};
}

static inline nests_settings fake_settings(void)
{
    return (nests_settings){.harness.training = {.steps = 1, .eval_every = 1},
                            .fit = NESTS_NETWORK,
                            .hidden = 6,
                            .layers = 2,
                            .members = 2,
                            .flags = NESTS_YES,
                            .trees = 1,
                            .bags = 1,
                            .depth = 2,
                            .tree_columns = 1,
                            .tree_rate = 0.1,
                            .share = 0.5,
                            .groups = FAKE_GROUPS,
                            .items = FAKE_ITEMS,
                            .spread = NESTS_YES};
}

#endif
