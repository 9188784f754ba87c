/* SPDX-License-Identifier: MIT */
/* Declarations that the files of the text form share. */
#ifndef LAB_TEXT_INTERNAL_H
#define LAB_TEXT_INTERNAL_H

#include "examples/lab/program/program_internal.h"
#include "examples/lab/text/text.h"

/* A line that is read from left to right, with a zero at its end. */
typedef struct lab_line {
    char *at;
    const char *path;
    int number;
    ag_failure *why;
} lab_line;

/* "PATH:LINE: ..." as a failure. */
ag_status lab__bad_line(const lab_line *line, const char *format, ...) AG_PRINTF(2, 3);
/* "... WHAT is expected, but there is ...", which quotes the next characters. */
ag_status lab__expected(const lab_line *line, const char *what);

void lab__skip_blanks(lab_line *line);
/* 1 when the line continues with these characters (after blanks), which are then skipped. */
int lab__accept(lab_line *line, const char *what);
ag_status lab__expect(lab_line *line, const char *what);
/* Reads up to LAB_NAME - 1 letters, digits, _ . and -, of which the last two may not come first;
   `what` describes them in the sentence. */
ag_status lab__read_name(char name[LAB_NAME], lab_line *line, const char *what);
ag_status lab__read_int(int *value, lab_line *line);
/* Numbers with `between` between them, at most LAB_RANK. */
ag_status lab__read_numbers(int *n, int list[LAB_RANK], lab_line *line, const char *between);
/* {1,2,3} */
ag_status lab__read_list(int *n, int list[LAB_RANK], lab_line *line);

/* Reads all attributes after the operands; n_operands, shape and op of the node are known. */
ag_status lab__read_attributes(lab_node *node, lab_line *line);
/* Prints what lab__read_attributes reads. */
void lab__print_attributes(FILE *out, const lab_node *node);

#endif
