/* SPDX-License-Identifier: MIT */
/* Makes the mistakes of mistakes.def and writes the table of errors.md with what the library says
   to each. tests/autograd/test_mistakes.c includes this file to compare the committed page. */
#include "augur.h"

#include <stdlib.h>
#include <string.h>

/* ---- the things that the code of a mistake names ---- */

static const ag_adamw adamw = {0.9, 0.999, 1e-8, 0.01};
static const ag_real numbers[] = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12};
static const int32_t labels[] = {0, 1, 2, 0}, from_1[] = {1, 2, 3, 1}, group[] = {0, 1, 0, 1};

static ag_tape *tape;
static ag_params *params, *fresh; /* params: built; fresh: nothing is declared yet */
static ag_linear_layer lin, wide;
static ag_embedding_layer words;
static ag_graph *graph, *of_3_nodes, *of_4_nodes;
static ag_checkpoint *saved;
static ag_tensor *x, *row;
static ag_failure why;

static ag_tensor *loss_of(ag_tape *t)
{
    return ag_mean_all(ag_square(ag_apply_linear(&lin, ag_input(t, numbers, AG_SHAPE(4, 3)))));
}

/* 1: all is there. */
static int open_scene(void)
{
    static const char path[] = "net.safetensors";
    ag_params *of_file = ag_params_new();
    ag_layer_linear(of_file, "lin", 3, 2, 1);
    ag_params_build(of_file, 1);
    ag_params_save(path, of_file, 0, NULL, 0, NULL, 0, &why);
    ag_params_free(of_file);
    saved = ag_checkpoint_open(path, &why);
    remove(path);
    tape = ag_tape_new(AG_CPU);
    params = ag_params_new();
    lin = ag_layer_linear(params, "lin", 3, 2, 1);
    wide = ag_layer_linear(params, "wide", 8, 2, 1);
    words = ag_layer_embedding(params, "words", 3, 2);
    of_3_nodes = ag_graph_build(3, labels, labels + 1, 2, AG_ALONG, &why);
    of_4_nodes = ag_graph_build(4, labels, labels + 1, 2, AG_ALONG, &why);
    return !ag_params_build(params, 1) && !why.status;
}

static void close_scene(void)
{
    ag_checkpoint_close(saved);
    ag_graph_free(graph);
    ag_graph_free(of_3_nodes);
    ag_graph_free(of_4_nodes);
    ag_params_free(params);
    ag_params_free(fresh);
    ag_tape_free(tape);
}

static void begin(void)
{
    ag_params_free(fresh);
    fresh = ag_params_new();
    ag_params_reset(params);
    ag_tape_reset(tape);
    ag_graph_free(graph);
    graph = NULL;
    why = (ag_failure){0};
    x = ag_input(tape, numbers, AG_SHAPE(4, 3));
    row = ag_input(tape, numbers, AG_SHAPE(3));
}

/* The sentence of the call, of the tape or of the parameters. */
static ag_failure said(void)
{
    ag_failure of_tape = {ag_tape_status(tape), ""};
    strcpy(of_tape.sentence, ag_error(tape));
    return why.status ? why : of_tape.status ? of_tape : fresh->failure;
}

/* ---- the mistakes ---- */

typedef struct mistake {
    const char *name;
    ag_status status;
    const char *part, *wrong, *right; /* part: of the sentence */
    void (*make)(void), (*mend)(void);
} mistake;

#define MISTAKE(name, status, part, wrong, right) \
 static void make_##name(void) { wrong; }         \
 static void mend_##name(void) { right; }
#include "docs/mistakes.def"
#undef MISTAKE

static const mistake mistakes[] = {
#define MISTAKE(name, status, part, wrong, right) \
 {#name, status, part, #wrong, #right, make_##name, mend_##name},
#include "docs/mistakes.def"
#undef MISTAKE
};

enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

static const char table_head[] =
    "| you write | the library says | write instead |\n|---|---|---|\n";

static void write_mistakes(FILE *file)
{
    fputs(table_head, file);
    for (int i = 0; i < MISTAKES; i++) {
        begin();
        mistakes[i].make();
        fprintf(file, "| `%s` | %s | `%s` |\n", mistakes[i].wrong, said().sentence,
                mistakes[i].right);
    }
}

#ifndef AG_NO_MAIN
/* make_mistakes PAGE: rewrites the table of the page. */
int main(int argc, char **argv)
{
    static char page[1 << 20];
    FILE *file = argc > 1 ? fopen(argv[1], "r+") : NULL;
    if (file) page[fread(page, 1, sizeof page - 1, file)] = 0;
    char *table = strstr(page, table_head), *rest = table ? strstr(table, "\n\n") : NULL;
    if (!rest || !open_scene()) {
        fprintf(stderr, "make_mistakes: give a page that has the table; %s\n", why.sentence);
        return 1;
    }
    file = freopen(argv[1], "w", file);
    if (!file) return 1;
    fwrite(page, 1, (size_t)(table - page), file);
    write_mistakes(file);
    fputs(rest + 1, file);
    close_scene();
    return fclose(file) ? 1 : 0;
}
#endif
