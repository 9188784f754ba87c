/* SPDX-License-Identifier: MIT */
/* Finds the programs that a call names: families, and files of text. */
#define _GNU_SOURCE /* strtok_r */
#include "examples/lab/collect/sources.h"

#include "core/error.h"
#include "examples/harness/base/bag.h"
#include "examples/lab/nets/families.h"
#include "examples/lab/text/text.h"

#include <string.h>

/* A program's name becomes a file's; the reader permits only characters that are good for both. */
static ag_status add_text(lab_source **list, const char *path, ag_failure *why)
{
    lab_source source = {.number = 0};
    if (lab_text_load(&source.text, path))
        return ag_fail(why, source.text.why.status, "%s", source.text.why.sentence);
    memcpy(source.name, source.text.name, sizeof source.name);
    if (!*source.name)
        ag_fail(why, AG_EDATA,
                "%.200s: the program has no name, but the names of files come from it; write "
                "\"program NAME FAMILY\"",
                path);
    for (int i = 0; i < bag_count(*list); i++)
        if (!strcmp((*list)[i].name, source.name))
            ag_fail(why, AG_EDATA,
                    "%.200s: another text has a program of the name %s; names of files come from "
                    "it, so choose another",
                    path, source.name);
    bag_add(*list, source);
    return why->status;
}

/* The families of --families, each once; all unless given. */
static const char **families_of(const lab_settings *s, ag_failure *why)
{
    const char **all = NULL, **list = NULL;
    for (int i = 0; i < lab_n_families; i++) bag_add(all, lab_families[i].name);
    if (!s->families) return all;
    char *rest = NULL, *word = strtok_r(harness_format("%s", s->families), ",", &rest);
    for (; word && !why->status; word = strtok_r(NULL, ",", &rest)) {
        const lab_family *found = lab_family_find(word);
        const char *near = found ? NULL : harness_nearest(word, all, lab_n_families);
        int named = !found;
        for (int i = 0; i < bag_count(list) && found; i++) named |= !strcmp(list[i], found->name);
        if (!named) bag_add(list, found->name);
        if (!found && near)
            ag_fail(why, AG_EUSE, "there is no family %.60s; did you mean %s?", word, near);
        else if (!found)
            ag_fail(why, AG_EUSE, "there is no family \"%.60s\"; \"lab families\" lists them",
                    word);
    }
    if (!bag_count(list))
        ag_fail(why, AG_EUSE, "--families names no family; \"lab families\" lists them");
    bag_free(all);
    return list;
}

lab_source *lab_sources(const lab_settings *s, ag_failure *why)
{
    lab_source *bag = NULL;
    for (int i = 0; i < s->text.count && !why->status; i++) add_text(&bag, s->text.list[i], why);
    const char **families = s->text.count ? NULL : families_of(s, why);
    const int n = bag_count(families);
    for (int i = 0; n && i < s->programs && !why->status; i++) {
        lab_source source = {.family = families[i % n], .number = s->first + i / n};
        snprintf(source.name, sizeof source.name, "%.40s_%d", source.family, source.number);
        bag_add(bag, source);
    }
    bag_free(families);
    return bag;
}

void lab_sources_free(lab_source *list)
{
    for (int i = 0; i < bag_count(list); i++) lab_program_clear(&list[i].text);
    bag_free(list);
}

ag_status lab_source_program(lab_program *p, lab_source *source, double milliseconds,
                             ag_failure *why)
{
    *p = source->text;
    source->text = (lab_program){0};
    return source->family ? lab_family_program(p, source->family, source->number, milliseconds, why)
                          : AG_OK;
}
