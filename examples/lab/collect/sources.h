/* SPDX-License-Identifier: MIT */
/* The programs that a call of lab names. */
#ifndef LAB_SOURCES_H
#define LAB_SOURCES_H

#include "examples/lab/collect/settings.h"
#include "examples/lab/program/program.h"

typedef struct lab_source {
    char name[LAB_NAME];
    const char *family; /* NULL: read from a text */
    int number;
    lab_program text; /* until lab_source_program takes it */
} lab_source;

/* The programs of --text, or of --families, --programs and --first: a bag for lab_sources_free,
   also after a failure. Texts are read and checked. */
lab_source *lab_sources(const lab_settings *s, ag_failure *why);
void lab_sources_free(lab_source *list);

/* The program of a source; clear it. For a text this can be called once: the file is not read
   again, since it may have changed or be a pipe. */
ag_status lab_source_program(lab_program *p, lab_source *source, double milliseconds,
                             ag_failure *why);

#endif
