/* SPDX-License-Identifier: MIT */
/* Lines of a stream, of any length up to a limit. */
#ifndef TPGNN_LOGS_LINES_H
#define TPGNN_LOGS_LINES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum tpgnn_line_is {
    TPGNN_LINE_END,
    TPGNN_LINE,
    TPGNN_LINE_LONG,  /* passed over: longer than the limit */
    TPGNN_LINE_UNREAD /* the stream failed */
} tpgnn_line_is;

typedef struct tpgnn_lines {
    FILE *file;
    size_t limit;
    char *text; /* [bytes], without the newline; not ended by a 0 */
    size_t bytes, room;
    int64_t number; /* of this line, from 1 */
    size_t at, end;
    char chunk[1 << 16];
} tpgnn_lines;

tpgnn_lines *tpgnn_lines_new(FILE *file, size_t limit);
tpgnn_line_is tpgnn_lines_next(tpgnn_lines *l);
void tpgnn_lines_free(tpgnn_lines *l); /* closes the stream, too; NULL is allowed */

#endif
