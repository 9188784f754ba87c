/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* getline */
#include "examples/tabular/table.h"

#include "examples/harness/run/draws.h"
#include "examples/harness/harness.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { MOST_ITEMS = 1 << 20 };

/* A file that is being read. */
typedef struct source {
    const char *path;
    FILE *file;
    char *text; /* the line, of getline */
    size_t room;
    int line, columns, ns; /* ns: the column of run times; -1: none */
} source;

static int next_line(source *s, uint64_t *hash)
{
    const ssize_t bytes = getline(&s->text, &s->room, s->file);
    if (bytes <= 0) return 0;
    *hash = XXH3_64bits_withSeed(s->text, (size_t)bytes, *hash);
    s->text[strcspn(s->text, "\r\n")] = 0;
    s->line++;
    return 1;
}

/* Takes the names of the columns apart; all files have the same features. */
static ag_status read_names(tabular_tables *t, source *s, ag_failure *why)
{
    char *names = harness_alloc(strlen(s->text) + 1), *rest = NULL;
    s->ns = -1;
    for (char *name = strtok_r(s->text, ",", &rest); name;
         name = strtok_r(NULL, ",", &rest), s->columns++)
        if (strcmp(name, "ns") == 0)
            s->ns = s->columns;
        else
            strcat(strcat(names, *names ? "," : ""), name);
    t->features = s->columns - (s->ns >= 0);
    if (!t->names)
        t->names = harness_copy(names);
    else if (strcmp(t->names, names) != 0)
        ag_fail(why, AG_EDATA,
                "%.160s has the features \"%.100s\", but %.160s has \"%.100s\"; name files with "
                "the same ones",
                s->path, names, t->paths.path[0], t->names);
    harness_free(names);
    if (!why->status && t->features < 1)
        ag_fail(why, AG_EDATA, "%.200s line 1 names no feature; name at least one column", s->path);
    return why->status;
}

static ag_status bad_line(const source *s, const char *problem, ag_failure *why)
{
    return ag_fail(why, AG_EDATA,
                   "%.200s line %d %s; line 1 names %d columns, and each needs a "
                   "finite number, ns a whole one above 0",
                   s->path, s->line, problem, s->columns);
}

static ag_status read_row(tabular_table *g, const source *s, int features, ag_failure *why)
{
    float *x = g->feature + (size_t)g->items * (size_t)features;
    char *text = s->text, *end;
    for (int c = 0; c < s->columns; c++, text = end + (*end == ',')) {
        const double value = strtod(text, &end);
        if (end == text || !isfinite(value) || (*end && *end != ','))
            return bad_line(s, "has something that is no number", why);
        if (c != s->ns)
            *x++ = (float)copysign(log1p(fabs(value)), value);
        else if (value >= 1 && value < 9e15 && value == floor(value))
            g->ns[g->items] = (int64_t)value;
        else
            return bad_line(s, "has a run time that cannot be", why);
        if ((c == s->columns - 1) != (*end == 0))
            return bad_line(s, "has too few or too many numbers", why);
    }
    g->items++;
    return AG_OK;
}

static void make_room(tabular_table *g, const source *s, int features, int room)
{
    const size_t n = (size_t)room;
    g->feature = harness_grow(g->feature, n * (size_t)features * sizeof *g->feature);
    if (s->ns >= 0) g->ns = harness_grow(g->ns, n * sizeof *g->ns);
}

static ag_status read_rows(tabular_tables *t, tabular_table *g, source *s, ag_failure *why)
{
    int room = 0;
    if (!next_line(s, &t->hash))
        return ag_fail(why, AG_EDATA, "%.200s is empty; it needs a line of names", s->path);
    if (read_names(t, s, why)) return why->status;
    while (!why->status && next_line(s, &t->hash)) {
        if (g->items == MOST_ITEMS)
            return ag_fail(why, AG_EDATA, "%.200s has over %d items; divide it", s->path,
                           MOST_ITEMS);
        if (g->items == room) make_room(g, s, t->features, room = room ? 2 * room : 64);
        read_row(g, s, t->features, why);
    }
    if (!why->status && !g->items)
        ag_fail(why, AG_EDATA, "%.200s has no items; it needs a line of numbers", s->path);
    return why->status;
}

static ag_status make_ranks(tabular_table *g, ag_failure *why)
{
    const size_t n = (size_t)g->items;
    if (!g->ns) return AG_OK;
    uint64_t *key = harness_alloc(n * sizeof *key);
    int32_t *index = harness_alloc(n * sizeof *index);
    g->rank = harness_alloc(n * sizeof *g->rank);
    harness_ranks(g->rank, g->ns, g->items, key, index, why);
    harness_free(key);
    harness_free(index);
    return why->status;
}

static ag_status read_table(tabular_tables *t, const char *path, ag_failure *why)
{
    tabular_table *g = &t->table[t->count++];
    source s = {.path = path, .file = fopen(path, "r")};
    g->name = harness_copy(harness_files_base(path));
    char *ending = strstr(g->name, ".csv");
    if (ending && !ending[4]) *ending = 0;
    if (!s.file) return ag_fail(why, AG_EFILE, "%.200s cannot be read; name a CSV file", path);
    if (!read_rows(t, g, &s, why)) make_ranks(g, why);
    fclose(s.file);
    free(s.text);
    return why->status;
}

ag_status tabular_read(tabular_tables *t, const harness_paths *given, const char *option,
                       ag_failure *why)
{
    if (harness_files_read(&t->paths, given, option, why)) return why->status;
    t->table = harness_alloc((size_t)t->paths.count * sizeof *t->table);
    for (int i = 0; i < t->paths.count && harness_go_on(why); i++)
        read_table(t, t->paths.path[i], why);
    return why->status;
}

void tabular_free(tabular_tables *t)
{
    for (int i = 0; i < t->count; i++) {
        harness_free(t->table[i].name);
        harness_free(t->table[i].feature);
        harness_free(t->table[i].ns);
        harness_free(t->table[i].rank);
    }
    harness_free(t->table);
    harness_free(t->names);
    harness_files_free(&t->paths);
    *t = (tabular_tables){0};
}

char *tabular_json(const tabular_tables *t)
{
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, t->hash);
    json_t *j = json_object();
    json_object_set_new(j, "features", harness_json_name(t->names));
    json_object_set_new(j, "groups", json_integer(t->count));
    json_object_set_new(j, "xxh3", json_string(hash));
    return harness_json_text(j);
}
