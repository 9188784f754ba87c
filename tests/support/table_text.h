/* SPDX-License-Identifier: MIT */
/* Tables as the text that is written of them. */
#ifndef AG_TESTS_TABLE_TEXT_H
#define AG_TESTS_TABLE_TEXT_H

#include "examples/harness/report/report.h"

/* One after the other; the caller frees it. */
static inline char *table_text(void write(FILE *to, const harness_table *t),
                               harness_table *const *table, int count)
{
    char *text;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    for (int i = 0; i < count; i++) write(to, table[i]);
    fclose(to);
    return text;
}

#endif
