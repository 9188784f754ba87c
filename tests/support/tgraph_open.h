/* SPDX-License-Identifier: MIT */
/* Files that a test opens; where that fails, so does the test. */
#ifndef TEST_TGRAPH_OPEN_H
#define TEST_TGRAPH_OPEN_H

#include "support/test.h"
#include "examples/tgraph/data/data.h"
#include "support/tgraph_npz.h"

static inline tgraph_file *test_file_open(const char *path, tgraph_data_options options,
                                          tpugraphs_budget *budget)
{
    return expect_made(tgraph_file_open(path, &options, budget, new_failure()));
}

/* A layout, which is written to test_path. */
static inline tgraph_file *test_layout_open(const test_layout *l, tgraph_data_options options,
                                            tpugraphs_budget *budget)
{
    assert_true(test_arrays_write(test_path, l->array, l->arrays));
    return test_file_open(test_path, options, budget);
}

/* The layout as test_layout_make leaves it. */
static inline tgraph_file *test_small_open(tgraph_data_options options, tpugraphs_budget *budget)
{
    test_layout l;
    test_layout_make(&l);
    return test_layout_open(&l, options, budget);
}

/* Options of which equal configurations are one, the fastest. */
static inline tgraph_data_options test_unique(void)
{
    tgraph_data_options options = tgraph_layout_defaults();
    options.dedup = TGRAPH_KEEP_FASTEST;
    return options;
}

/* Options that read what rows of loop nests are made of. */
static inline tgraph_data_options test_operations(void)
{
    tgraph_data_options options = tgraph_layout_defaults();
    options.configs_only = options.operations = 1;
    return options;
}

#endif
