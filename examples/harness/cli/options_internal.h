/* SPDX-License-Identifier: MIT */
/* Declarations that the files of the option table share. */
#ifndef HARNESS_OPTIONS_INTERNAL_H
#define HARNESS_OPTIONS_INTERNAL_H

#include "examples/harness/run/bag.h"

struct harness_options {
    const harness_program *program;
    unsigned command;
    void *values, *own; /* own: the values, unless they are the caller's */
    int layer;   /* the layer that is being read; a path list of a lower layer is replaced, not
                    extended */
    int *set_by; /* per option: the layer that set it, 0: the default */
    const char **where; /* per option: the beginning of a sentence on its value; NULL: the default,
                           a preset or config.json set it */
    char **before;      /* per option: its value before `where`; NULL: none */
    bool *owned;        /* per option: the path list may grow in place; otherwise it is shared */
    char **kept;        /* texts that the values point to */
};

/* Sets option `index` from text, whatever the command. */
ag_status harness__assign(harness_options *o, int index, const char *where, const char *text,
                          ag_failure *why);

void harness__begin_layer(harness_options *o);

/* Whether the value is the default of the table. */
bool harness__is_default(const harness_options *o, const harness_option *option);
/* Whether the option would be refused by harness_options_act, and its refusal; scope: "", or where
   it has no effect. */
bool harness__idle(const harness_options *o, int index, const char *files);
ag_status harness__refuse_idle(const harness_options *o, int index, const char *scope,
                               ag_failure *why);

/* Parses `text` as the row says and stores the value (all types but paths). `shown` is the option's
   name in sentences. */
ag_status harness__parse(void *to, const harness_option *option, const char *shown,
                         const char *text, ag_failure *why);

/* "1 to 100"; the range of a row in the words of --help. */
void harness__range(char text[96], const harness_option *option);
void harness__size_text(char text[32], int64_t bytes);

/* A pointer to the value of the option with this name and type; NULL: its command has none. */
const void *harness__value(const harness_options *o, const char *name, harness_type type);

int harness__option_index(const harness_program *program, const char *name);
const char *harness__command_name(const harness_program *program, unsigned bit);
int harness__utf8(const char *text); /* whether it is well-formed UTF-8 */

/* Fails with a sentence that suggests what is meant. `where` as in harness_options_set. */
ag_status harness__unknown(const harness_options *o, const char *where, const char *name,
                           ag_failure *why);

/* "did you mean --device cuda?", or where the options are listed; the caller frees it. near: a name
   with a letter wrong is found, too. */
char *harness__advice(const harness_options *o, const char *where, const char *name, int near);

/* The name of the value in sentences and in --help. */
const char *harness__meta(const harness_option *option);

/* The option that other programs call `word`: one of the names, or NULL. It may be meant with a
   value, and count something else, as the note says (both may be NULL). */
const char *harness__meant_option(const char **value, const char **note, const char *word,
                                  const char *const *names, int count);
/* The same for a value and for a command, or the nearest name; NULL: none is near. */
const char *harness__meant_word(const char *word, const char *const *names, int count);
const char *harness__meant_command(const char *word, const char *const *names, int count);
/* The row `index` of the words for options: ours, and the value that is meant (NULL: none). NULL:
   there is no such row. */
const char *harness__synonyms(int index, const char **ours, const char **value);

/* Calls pair(context, section, key, value, line) per `key = value`, and with key NULL where a
   section begins. Fails: AG_EUSE (not an ini file: the sentence has the line), or with pair's
   failure. */
typedef ag_status harness__ini_pair(void *context, const char *section, const char *key,
                                    const char *value, int line, ag_failure *why);
ag_status harness__ini(const char *file, const char *text, size_t bytes, harness__ini_pair *pair,
                       void *context, ag_failure *why);

/* Sets the options of a preset: those before the first section of the text, then those of its own.
   Options that come later override them. */
ag_status harness__preset(harness_options *o, const char *text, const char *name, ag_failure *why);

/* The words of a command line, with --set ensemble=RUN for each --run after the first, as a copy:
   the caller frees each and the list. Several --run are an ensemble. */
char **harness__spread_runs(int argc, char **argv);

/* Reads a whole file of at most `limit` bytes and adds a terminating 0. NULL: AG_EFILE. */
char *harness__read_file(const char *path, size_t limit, size_t *bytes, ag_failure *why);

#endif
