/* SPDX-License-Identifier: MIT */
/* Declarations for the files that write the rows of statements. */
#ifndef NESTS_SCHEDULE_STATEMENT_H
#define NESTS_SCHEDULE_STATEMENT_H

#include "examples/tpgnn/nest/nest_internal.h"

/* Writes a row column by column, on the scale of nest.h with the sign kept. */
typedef struct nests_writer {
    float *x;
    int columns;
} nests_writer;
void nests_put(nests_writer *w, double x);

/* The loads of a statement that have columns: those that touch most elements, without the load of
   what the statement updates. */
enum { NESTS_ROW_LOADS = 3 };
typedef struct nests_statement {
    nest_statement of;
    int number, loads; /* of the store; of `load` */
    const nest_access *load[NESTS_ROW_LOADS];
    const nest_cost *cost;
} nests_statement;

/* The loop around the statement at a level, 0 the innermost; NULL: there is none. */
static inline const nest_loop *nests_loop_at(const nests_statement *s, int level)
{
    return level < s->of.levels ? s->of.level[level] : NULL;
}
/* Writes the strides of its loads in the loop of this level; -1 for a load that is not there, and
   for all if level is -1. */
void nests_write_strides(nests_writer *w, const nests_statement *s, int level);
/* Writes the first loop of more than one iteration from `level` on: its extent, what is in it (if
   `body` is set), and how the accesses move. Returns the level after it. */
int nests_write_loop(nests_writer *w, const nests_statement *s, int level, int body);

/* The innermost loops as a compiler sees them: the block of unrolled and vectorised ones, the two
   loops around it, and the loops in which a local buffer lives. */
enum { NESTS_BLOCK_COLUMNS = 36 };
void nests_write_block(nests_writer *w, const nests_statement *s);

/* The same loops after the compiler has unrolled more of them and chosen one to vectorise. */
enum { NESTS_KERNEL_COLUMNS = 45 };
void nests_write_kernel(nests_writer *w, const nests_statement *s);

/* Lines that the statement touches in its innermost `level` loops, each buffer once. */
double nests_lines_touched(const nests_statement *s, int level);

/* The lines that a cache has to keep until the accesses come back to a place. */
enum { NESTS_REUSE_COLUMNS = 7 * (1 + NESTS_ROW_LOADS) };
void nests_write_reuse(nests_writer *w, const nests_statement *s);

#endif
