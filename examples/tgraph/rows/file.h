/* SPDX-License-Identifier: MIT */
/* The rows of the configurations of a layout file, which was opened with its operations
   (tgraph_data_options). */
#ifndef NESTS_LAYOUT_FILE_H
#define NESTS_LAYOUT_FILE_H

#include "examples/tgraph/rows/layout.h"
#include "examples/tgraph/data/data.h"

/* Warns, once for `*warned`, when the file does not say in which order nodes take their operands.
 */
void nests_layout_warn(bool *warned, const tgraph_file *file);

/* Opens the rows of configurations (NULL: 0..count-1); drop them in any case. */
void nests_layout_take(nests_rows *rows, const tgraph_file *file, bool by_node,
                       const int32_t *config, int count);

#endif
