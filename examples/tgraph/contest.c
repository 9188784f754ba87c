/* SPDX-License-Identifier: MIT */
/* Predictions in the form that the contest asks for. */
#define _GNU_SOURCE /* strtok_r */
#include "examples/tgraph/shell.h"
#include "metrics/metrics.h"

#include <inttypes.h>
#include <string.h>

/* ---- the contest's name of a file ---- */

enum { MOST_PARTS = 64 };

static int is_one_of(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static void cut_end(char *name)
{
    const size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".npz") == 0) name[length - 4] = 0;
}

char *tgraph_contest_id(const char *path, const char *shown)
{
    char *copy = harness_copy(path), *part[MOST_PARTS], *rest = NULL, *id = NULL;
    int n = 0;
    for (char *p = strtok_r(copy, "/", &rest); p; p = strtok_r(NULL, "/", &rest)) {
        if (n == MOST_PARTS) memmove(part, part + 1, (size_t)--n * sizeof *part);
        part[n++] = p;
    }
    char *name = n ? part[n - 1] : copy, *whole = harness_copy(shown ? shown : name);
    cut_end(name);
    cut_end(whole);
    for (int i = n - 2; i >= 0 && !id; i--) {
        if (strcmp(part[i], "layout") == 0 && i + 2 < n - 1 &&
            is_one_of(part[i + 1], "xla", "nlp") && is_one_of(part[i + 2], "default", "random"))
            id = harness_text("layout:%s:%s:%s", part[i + 1], part[i + 2], name);
    }
    if (!id) id = harness_text("layout:%s", whole);
    harness_free(whole);
    harness_free(copy);
    return id;
}

/* ---- output ---- */

static ag_status write_order(FILE *to, const char *path, const harness_group *g, ag_failure *why)
{
    const int n = g->items;
    int64_t *order = harness_alloc((size_t)n * sizeof *order);
    char *id = tgraph_contest_id(path, g->name);
    if (!ag_order(order, g->score, n, why)) {
        harness_show_on_terminal(to, id);
        fputc(',', to);
        for (int i = 0; i < n; i++) fprintf(to, "%s%" PRId64, i ? ";" : "", order[i]);
        fputc('\n', to);
    }
    harness_free(id);
    harness_free(order);
    return why->status;
}

int tgraph_shell_write(FILE *to, const void *results, const harness_settings *settings,
                       ag_failure *why)
{
    const tgraph_results *r = results;
    if (((const tgraph_settings *)settings)->format != TGRAPH_FORMAT_CONTEST) return 0;
    fputs("ID,TopConfigs\n", to);
    for (int i = 0; i < r->rank.groups && !why->status; i++) {
        const harness_group g = harness_rank_group_at(&r->rank, i);
        write_order(to, r->entry[i]->file->path, &g, why);
    }
    return 1;
}
