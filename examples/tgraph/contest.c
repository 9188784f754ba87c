/* SPDX-License-Identifier: MIT */
/* Predictions in the form that the contest asks for. */
#include "examples/tgraph/shell.h"
#include "metrics/metrics.h"

#include <inttypes.h>
#include <string.h>

/* Finds the last folders layout/xla|nlp/default|random of a path, which name a collection. */
static bool find_collection(char kind[4], char part[8], const char *path)
{
    bool found = false;
    for (const char *p = path; (p = strstr(p, "layout/")) != NULL; p++) {
        char a[4], b[8], slash = 0;
        if (p > path && p[-1] != '/') continue;
        if (sscanf(p, "layout/%3[a-z]/%7[a-z]%c", a, b, &slash) != 3 || slash != '/' ||
            (strcmp(a, "xla") != 0 && strcmp(a, "nlp") != 0) ||
            (strcmp(b, "default") != 0 && strcmp(b, "random") != 0))
            continue;
        memcpy(kind, a, sizeof a);
        memcpy(part, b, sizeof b);
        found = true;
    }
    return found;
}

char *tgraph_contest_id(const char *path, const char *shown)
{
    char kind[4], part[8];
    const bool found = find_collection(kind, part, path);
    const char *name = found || !shown ? harness_files_base(path) : shown;
    const size_t length = strlen(name);
    const int n = (int)(length > 4 && !strcmp(name + length - 4, ".npz") ? length - 4 : length);
    return found ? harness_text("layout:%s:%s:%.*s", kind, part, n, name)
                 : harness_text("layout:%.*s", n, name);
}

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
