/* SPDX-License-Identifier: MIT */
/* What the system says of its processor and memory. */
#ifndef AG_HARNESS_PROCESSOR_H
#define AG_HARNESS_PROCESSOR_H

#include <stdint.h>

/* The model's name in printable ASCII, "unknown" where the system does not tell. Returns name. */
const char *harness_processor(char name[128]);

/* Bytes of memory, and those that programs can still have. Returns 0; 1: the system does not tell,
   both are 0. */
int harness_memory(int64_t *all, int64_t *available);

#endif
