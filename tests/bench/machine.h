/* SPDX-License-Identifier: MIT */
/* The head of a report: the machine, the compiler and the options of the measurement. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include "bench.h"

/* The keys of docs/bench.md that do not depend on what ran. Owned by the caller. */
json_t *bench_machine_json(void);

/* Measures both probes `turns` times, so that the first rows have a floor, and prints the head. */
void bench_machine_print(json_t *machine, int turns);

/* Versions of the peer's libraries, as reported by the first peer of the rows that ran; JSON null:
   none ran. Owned by the caller. */
json_t *bench_machine_peer(const json_t *rows);

#endif
