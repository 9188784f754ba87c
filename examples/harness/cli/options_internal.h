/* SPDX-License-Identifier: MIT */
/* Declarations that the files of the option table share. */
#ifndef HARNESS_OPTIONS_INTERNAL_H
#define HARNESS_OPTIONS_INTERNAL_H

#include "examples/harness/base/bag.h"
#include "examples/harness/base/file.h"
#include "examples/harness/cli/program.h"

/* Where the value of an option comes from. */
typedef struct harness__origin {
    int layer;          /* 0: the default */
    bool owned;         /* the path list may grow in place; otherwise it is shared */
    const char *where;  /* the beginning of a sentence on the option; NULL: it has its default, or a
                           preset or config.json set it */
    const char *before; /* the value before `where`; NULL: none */
} harness__origin;

struct harness_options {
    const harness_program *program;
    unsigned command;
    void *values;
    int layer; /* the one that is being read; a path list of a lower one is replaced */
    harness__origin *origin; /* per option */
    ag_arena *memory;        /* of all these, and of texts that the values point to */
};

/* Sets option `index` from text, whatever the command. */
ag_status harness__assign(harness_options *o, int index, const char *where, const char *text,
                          ag_failure *why);

bool harness__same(const char *a, const char *b); /* both may be NULL */
struct json_t *harness__option_json(const harness_options *o, const harness_option *option);
/* Whether both have the same value. */
bool harness__equal(const harness_options *a, const harness_options *b,
                    const harness_option *option);
/* The first says whether harness_options_act would refuse the option, the second refuses it. scope:
   where the option has no effect, or "". */
bool harness__idle(const harness_options *o, int index, const char *files);
ag_status harness__refuse_idle(const harness_options *o, int index, const char *scope,
                               ag_failure *why);

/* Parses `text` as the row says and stores the value (all types but texts and paths). `shown` is
   the option's name in sentences. */
ag_status harness__parse(void *to, const harness_option *option, const char *shown,
                         const char *text, ag_failure *why);

/* "1 to 100"; the range of a row in the words of --help. */
const char *harness__range(const harness_option *option);

/* The first row of this name that one of the commands has, else the first of this name; -1: there
   is none. */
int harness__option_index(const harness_program *program, unsigned commands, const char *name);
const harness_option *harness__option_of(const harness_options *o, const char *name);
const char *harness__command_name(const harness_program *program, unsigned bit);

/* "did you mean --device cuda?", or where the options are listed. near: a name with a wrong letter
   is found, too. */
const char *harness__advice(const harness_options *o, const char *where, const char *name,
                            bool near);

/* The name of the value in sentences and in --help. */
const char *harness__meta(const harness_option *option);

/* Takes the next of the words between bars (harness_lasting); NULL: there is none. And the place of
   a text among them; -1: it is none of them. */
const char *harness__word(const char **list);
int harness__word_index(const char *list, const char *text);

/* theirs: words of other programs, with bars between them. ours: our words for these, of which the
   first that the command has is suggested. value: what the option is set to. note: what our option
   counts, if that differs. */
typedef struct harness__synonym {
    const char *theirs, *ours, *value, *note;
} harness__synonym;
/* The last row is empty. */
extern const harness__synonym harness__option_words[], harness__value_words[],
    harness__command_words[];
/* The one of `names` that a word of other programs means, and its row; NULL and the last row: there
   is none. */
const char *harness__meant(const harness__synonym **row, const harness__synonym *table,
                           const char *word, const char *const *names, int count);
/* The same, or the nearest name; NULL: none is near. */
const char *harness__meant_or_near(const harness__synonym *table, const char *word,
                                   const char *const *names, int count);

/* Calls pair(context, section, key, value, where) per line `key = value` or `key: value`, and with
   key NULL where a [section] begins; ";" begins a comment, "#" only at the beginning of a line.
   where: "FILE line N". All texts are harness_lasting. Fails: AG_EUSE (not an ini file), or with
   pair's failure. */
typedef ag_status harness__ini_pair(void *context, const char *section, const char *key,
                                    const char *value, const char *where, ag_failure *why);
ag_status harness__ini(const char *file, const char *text, size_t bytes, harness__ini_pair *pair,
                       void *context, ag_failure *why);

#endif
