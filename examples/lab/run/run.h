/* SPDX-License-Identifier: MIT */
/* Runs programs on this CPU, on the thread of the caller: the loop nests of a layout configuration,
   and fused kernels cut in tiles. Only lab_run_go is timed. */
#ifndef LAB_RUN_H
#define LAB_RUN_H

#include "examples/lab/nest/nest.h"

typedef struct lab_run lab_run;

/* A layout configuration has 18 numbers for each configurable node, in the order of the nodes: 0-5
   layout of the output, 6-11 of operand 0, 12-17 of operand 1, minor to major, -1 after the last
   axis. -1 in all six: the output is row-major, an operand stays as it comes, without a copy. A
   layout may name only the most minor axes; the others follow in row-major order. */
typedef signed char lab_layout_row[18];

/* A run holds the memory of a program's values, which every configuration reuses. */
lab_run *lab_run_new(const lab_program *p);
void lab_run_free(lab_run *run);

/* Compiles the whole program for one configuration (NULL: all default), with loops arranged by the
   rule. Copies are inserted where an operand has another layout than the configuration wants; other
   nodes take the layout of their first operand where it fits. Fails: AG_EUSE, a layout that is no
   permutation. */
ag_status lab_run_layout(lab_run *run, const lab_layout_row *config, tpugraphs_rule rule,
                         ag_failure *why);

/* Compiles the program as one fused kernel (parameters are its inputs, the last node is its output,
   everything else stays in scratch memory per tile). tile has 24 numbers as in TpuGraphs: 0-5 the
   reduction's ("kernel") bounds, 6 their sum, 7 their product, 8-15 the same of the output's tile,
   16-23 zero; NULL: the default tile. Fails if lab_tile_valid refuses the tile. */
ag_status lab_run_tile(lab_run *run, const int *tile, ag_failure *why);

/* Runs the configuration or tile that was compiled last. */
void lab_run_go(lab_run *run);

#endif
