/* SPDX-License-Identifier: MIT */
/* The processor and memory, as the system describes them. */
#ifndef AG_HARNESS_PROCESSOR_H
#define AG_HARNESS_PROCESSOR_H

#include <stdint.h>

/* The value of the first line "key: value" of a file of /proc; NULL: there is none. */
char *harness_fact(char line[256], const char *path, const char *key);
/* The same of a line "key: N kB" as a number; 0: there is none. */
int64_t harness_kib(const char *path, const char *key);

/* The model's name in printable ASCII, or "unknown" (harness_lasting). */
const char *harness_processor(void);

/* harness_peak_begin forgets the largest resident memory of the program so far; harness_peak_mib is
   the largest since then, NaN where the system does not say. */
void harness_peak_begin(void);
double harness_peak_mib(void);

#endif
