/* SPDX-License-Identifier: MIT */
/* The rows of the configurations of a layout file, which was opened with its operations
   (tgraph_data_options). */
#ifndef NESTS_LAYOUT_FILE_H
#define NESTS_LAYOUT_FILE_H

#include "examples/tgraph/rows/layout.h"
#include "examples/rows/rows.h"
#include "examples/tgraph/data/data.h"

/* Warns, once for `*warned`, when the file does not say in which order nodes take their operands.
 */
void nests_layout_warn(bool *warned, const tgraph_file *file);

/* Opens the rows of configurations (NULL: 0..count-1); close them in any case. */
void nests_layout_rows_take(nests_layout_rows *rows, const tgraph_file *file, const int32_t *config,
                            int count);

/* The same where the op code is the word and no column. rows->memory are the rows that are taken:
   nests_layout_node has the node of each entry, if by_node. */
void nests_layout_take(nests_rows *rows, const tgraph_file *file, bool by_node,
                       const int32_t *config, int count);
static inline const int *nests_layout_node(const nests_rows *rows)
{
    return ((const nests_layout_rows *)rows->memory)->node;
}
void nests_layout_drop(nests_rows *rows);

#endif
