/* SPDX-License-Identifier: MIT */
/* Reading a study file, and the options of its runs. */
#define _GNU_SOURCE
#include "examples/harness/cli/options_internal.h"
#include "core/error.h"
#include "examples/harness/study/study.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SEEDS = 1000, MOST_VARIANTS = 1000, MOST_NAME = 200, MOST_BYTES = 1 << 20 };

typedef struct reader {
    harness_study *study;
    const harness_options *base;
    int in_study, seen_study;
} reader;

static const char *folder_name(const char *name)
{
    char *folder = harness_format("%s", name);
    for (char *c = folder; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c)) *c = '-';
    if (*folder == '.') *folder = '-';
    return folder;
}

/* The study's own files would meet the folder of that name after all its training. */
static bool is_reserved(const char *folder)
{
    return strcmp(folder, "plots") == 0 || strncmp(folder, "study.", 6) == 0;
}

static ag_status begin_variant(harness_study *s, const char *name, const char *where,
                               ag_failure *why)
{
    const harness_variant v = {.name = name, .folder = folder_name(name), .where = where};
    if (bag_count(s->variants) == MOST_VARIANTS)
        return ag_fail(why, AG_EUSE, "%s: more than %d variants; make several studies of them",
                       where, MOST_VARIANTS);
    for (int i = 0; i < bag_count(s->variants); i++)
        if (strcmp(s->variants[i].folder, v.folder) == 0)
            ag_fail(why, AG_EUSE,
                    "%s: the variant [%.49s] has the same folder name as [%.49s] in %s; rename one",
                    where, name, s->variants[i].name, s->variants[i].where);
    if (is_reserved(v.folder))
        ag_fail(why, AG_EUSE, "%s: the study itself makes %.49s; rename the variant [%.49s]", where,
                v.folder, name);
    if (!*name) ag_fail(why, AG_EUSE, "%s: the variant has no name; write [name]", where);
    if (strlen(name) > MOST_NAME) /* a folder has it */
        ag_fail(why, AG_EUSE,
                "%s: the name of the variant is longer than %d characters; shorten it", where,
                MOST_NAME);
    if (!harness__utf8(name))
        ag_fail(why, AG_EUSE, "%s: the name of the variant is not UTF-8 text; write it again",
                where);
    bag_add(s->variants, v);
    return why->status;
}

static ag_status begin_section(reader *r, const char *section, const char *where, ag_failure *why)
{
    r->in_study = strcmp(section, "study") == 0;
    if (r->in_study && r->seen_study++)
        return ag_fail(why, AG_EUSE, "%s: a second [study]; put all of it into the first", where);
    return r->in_study ? AG_OK : begin_variant(r->study, section, where, why);
}

/* One item of "1,2,5..9". */
static int add_seeds(harness_study *s, const char *item)
{
    char *end;
    errno = 0;
    long long first = strtoll(item, &end, 10), last = first;
    if (end == item || errno || first < 0) return 0;
    if (strncmp(end, "..", 2) == 0) {
        char *start = end + 2;
        last = strtoll(start, &end, 10);
        if (end == start || errno) return 0;
    }
    if (*end || last < first || last - first >= MOST_SEEDS ||
        bag_count(s->seeds) + (last - first) >= MOST_SEEDS)
        return 0;
    for (int more = 0; more <= last - first; more++) { /* last may be the largest number */
        for (int i = 0; i < bag_count(s->seeds); i++)
            if (s->seeds[i] == first + more) return 0;
        bag_add(s->seeds, first + more);
    }
    return 1;
}

static ag_status read_seeds(harness_study *s, const char *value, const char *where, ag_failure *why)
{
    char *rest = NULL, *item = strtok_r(harness_format("%s", value), ", ", &rest);
    bool good = item && !bag_count(s->seeds);
    for (; good && item; item = strtok_r(NULL, ", ", &rest)) good = add_seeds(s, item);
    if (good) return AG_OK;
    return ag_fail(
        why, AG_EUSE,
        "%s: seeds: \"%.60s\" is not a list of different seeds; write 0,1,2 or 0..2, at most "
        "%d of them, once",
        where, value, MOST_SEEDS);
}

/* Tries an override on a copy of the options, so that a mistake shows before hours of training. */
static ag_status check_override(const reader *r, const harness_override *item, ag_failure *why)
{
    const harness_option *option = harness_option_find(r->base->program, item->name);
    if (option && strcmp(option->name, "seed") == 0)
        return ag_fail(why, AG_EUSE,
                       "%s: seed: a study has its seeds in [study]; write seeds = %.20s there",
                       item->where, item->value);
    if (option && (option->flags & HARNESS_LOCAL) && !option->presets)
        return ag_fail(why, AG_EUSE,
                       "%s: %s belongs to the call and not to the study; give it as a flag",
                       item->where, option->name);
    harness_options *trial = harness_options_copy(r->base);
    trial->layer++;
    harness_options_set(trial, item->where, item->name, item->value, why);
    harness_options_free(trial);
    return why->status;
}

static ag_status read_pair(void *context, const char *section, const char *key, const char *value,
                           const char *where, ag_failure *why)
{
    reader *r = context;
    harness_study *s = r->study;
    const harness_override item = {key, value, where};
    if (!key) return begin_section(r, section, where, why);
    if (!r->in_study && !bag_count(s->variants))
        return ag_fail(why, AG_EUSE,
                       "%s: %.49s stands in front of all sections; put it under [study] or a "
                       "variant",
                       where, key);
    if (r->in_study && strcmp(key, "seeds") == 0) return read_seeds(s, value, where, why);
    if (r->in_study && strcmp(key, "title") == 0) {
        s->title = value;
        if (harness__utf8(value)) return AG_OK;
        return ag_fail(why, AG_EUSE, "%s: the title is not UTF-8 text; write it again", where);
    }
    if (check_override(r, &item, why)) return why->status;
    if (r->in_study)
        bag_add(s->common, item);
    else
        bag_add(s->variants[bag_count(s->variants) - 1].overrides, item);
    return AG_OK;
}

ag_status harness_study_parse(harness_study *s, const char *file, const char *text, size_t bytes,
                              const harness_options *base, ag_failure *why)
{
    reader r = {s, base, 0, 0};
    s->file = harness_format("%s", file);
    s->title = "";
    if (harness__ini(file, text, bytes, read_pair, &r, why)) return why->status;
    if (!bag_count(s->variants))
        return ag_fail(why, AG_EUSE,
                       "%.120s has no variant; add a section, as in [no edges] and edges = false",
                       file);
    const harness_common *common = base->values;
    if (!bag_count(s->seeds)) bag_add(s->seeds, common->seed);
    return AG_OK;
}

ag_status harness_study_load(harness_study *s, const char *file, const harness_options *base,
                             ag_failure *why)
{
    size_t bytes;
    ag_failure mine = {0};
    char *text = harness__read_file(file, MOST_BYTES, &bytes, &mine);
    if (!text) return ag_fail(why, mine.status, "--study: %s", mine.sentence);
    ag_status status = harness_study_parse(s, file, text, bytes, base, why);
    harness_free(text);
    return status;
}

void harness_study_free(harness_study *s)
{
    for (int i = 0; i < bag_count(s->variants); i++) bag_free(s->variants[i].overrides);
    bag_free(s->common);
    bag_free(s->variants);
    bag_free(s->seeds);
    *s = (harness_study){0};
}

/* ---- the options of its runs ---- */

static ag_status apply(harness_options *o, const harness_override *list, ag_failure *why)
{
    for (int i = 0; i < bag_count(list) && !why->status; i++)
        harness_options_set(o, list[i].where, list[i].name, list[i].value, why);
    return why->status;
}

ag_status harness_study_options(harness_options *o, const harness_study *s,
                                const harness_variant *v, int64_t seed, ag_failure *why)
{
    o->layer++;
    apply(o, s->common, why);
    o->layer++;
    if (apply(o, v->overrides, why)) return why->status;
    return harness_options_set(o, s->file, "seed", harness_format("%" PRId64, seed), why);
}

/* An option that the variants share. */
typedef struct shared {
    bool acts; /* in any of them */
    ag_failure idle;
} shared;

static ag_status check_variant(shared *option, const harness_options *o, const char *files,
                               ag_failure *why)
{
    for (int i = 0; i < o->program->option_count; i++) {
        if (!harness__idle(o, i, files))
            option[i].acts |= o->origin[i].where != NULL;
        else if (o->origin[i].layer == o->layer)
            return harness__refuse_idle(o, i, "", why);
        else if (!option[i].idle.status)
            harness__refuse_idle(o, i, " in any variant", &option[i].idle);
    }
    return AG_OK;
}

ag_status harness_study_act(const harness_study *s, const harness_options *base, const char *files,
                            ag_failure *why)
{
    const int count = base->program->option_count;
    shared *option = HARNESS_NEW(option, count);
    for (int v = 0; v < bag_count(s->variants) && !why->status; v++) {
        harness_options *o = harness_options_copy(base);
        if (!harness_study_options(o, s, &s->variants[v], s->seeds[0], why))
            check_variant(option, o, files, why);
        harness_options_free(o);
    }
    for (int i = 0; i < count && !why->status; i++)
        if (option[i].idle.status && !option[i].acts) *why = option[i].idle;
    harness_free(option);
    return why->status;
}
