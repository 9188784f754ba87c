/* SPDX-License-Identifier: MIT */
/* The values of one call: defaults, layers, setting by name. */
#include "examples/harness/base/guest.h"
#include "core/error.h"
#include "core/memory.h"
#include "examples/harness/cli/options_internal.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static int same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if ((*a == '_' ? '-' : *a) != (*b == '_' ? '-' : *b)) return 0;
    return *a == *b;
}

int harness__option_index(const harness_program *program, unsigned commands, const char *name)
{
    int first = -1;
    for (int i = program->option_count; i-- > 0;)
        if (same_name(program->options[i].name, name) &&
            (first < 0 || program->options[i].commands & commands ||
             !(program->options[first].commands & commands)))
            first = i;
    return first;
}

const harness_option *harness_option_find(const harness_program *program, const char *name)
{
    int index = harness__option_index(program, ~0U, name);
    return index < 0 ? NULL : &program->options[index];
}

const harness_option *harness__option_of(const harness_options *o, const char *name)
{
    int index = harness__option_index(o->program, o->command, name);
    return index < 0 ? NULL : &o->program->options[index];
}

const char *harness__command_name(const harness_program *program, unsigned bit)
{
    for (int i = 0; i < program->command_count; i++)
        if (program->commands[i].bit & bit) return program->commands[i].name;
    return "COMMAND";
}

static harness_options *make(const harness_program *program, unsigned command, void *values)
{
    ag_arena *memory = NULL;
    harness_options *o = harness_take(&memory, sizeof *o);
    o->memory = memory;
    o->program = program;
    o->command = command;
    o->values = values ? values : harness_take(&memory, program->options_bytes);
    o->origin = harness_take(&memory, (size_t)program->option_count * sizeof *o->origin);
    return o;
}

harness_options *harness_options_new(const harness_program *program, unsigned command, void *values)
{
    harness_options *o = make(program, command, values);
    memset(o->values, 0, program->options_bytes);
    for (int i = 0; i < program->option_count; i++) {
        ag_failure why = {0};
        const char *text = program->options[i].fallback;
        if (!text || harness__assign(o, i, "default", text, &why) == AG_OK) continue;
        harness__guest_end(AG_EUSE, why.sentence);
        harness_error(why.sentence);
        exit(HARNESS_EXIT_FAILED);
    }
    o->layer = 1;
    return o;
}

harness_options *harness_options_copy(const harness_options *from)
{
    const size_t count = (size_t)from->program->option_count;
    harness_options *o = make(from->program, from->command, NULL);
    memcpy(o->values, from->values, from->program->options_bytes);
    memcpy(o->origin, from->origin, count * sizeof *o->origin);
    for (size_t i = 0; i < count; i++) o->origin[i].owned = false;
    o->layer = from->layer;
    return o;
}

static void *value_of(const harness_options *o, int index)
{
    return (char *)o->values + o->program->options[index].offset;
}

void harness_options_free(harness_options *o)
{
    if (o) ag_arena_free(o->memory);
}

void *harness_options_values(harness_options *o) { return o->values; }

static char *keep(harness_options *o, const char *text)
{
    return strcpy(harness_take(&o->memory, strlen(text) + 1), text);
}

/* A list of ours has room for a power of two. */
static void add_path(harness_options *o, int index, const char *path)
{
    harness_paths *paths = value_of(o, index);
    harness__origin *from = &o->origin[index];
    const int kept = from->layer == o->layer ? paths->count : 0;
    const char **list = paths->list;
    if (!from->owned || !(kept & (kept - 1))) {
        list = harness_take(&o->memory, 2 * ((size_t)kept + 1) * sizeof *list);
        for (int i = 0; i < kept; i++) list[i] = paths->list[i];
    }
    list[kept] = path;
    *paths = (harness_paths){list, kept + 1};
    from->owned = true;
}

/* The option in a sentence on its value. */
static const char *show(const char *where, const char *name)
{
    return where ? harness_format("%.120s: %s", where, name) : harness_format("--%s", name);
}

ag_status harness__assign(harness_options *o, int index, const char *where, const char *text,
                          ag_failure *why)
{
    const harness_option *option = &o->program->options[index];
    const char *shown = show(where, option->name);
    if (!harness__utf8(text))
        return ag_fail(why, AG_EUSE,
                       "%s: the value is not UTF-8 text, which config.json cannot hold; rename the "
                       "file or folder",
                       shown);
    if (option->type == HARNESS_PATHS || option->type == HARNESS_TEXT) {
        if (!*text)
            return ag_fail(why, AG_EUSE, "%s: the value is empty; give one or omit the option",
                           shown);
        if (option->type == HARNESS_PATHS)
            add_path(o, index, keep(o, text));
        else
            *(const char **)value_of(o, index) = keep(o, text);
    } else if (harness__parse(value_of(o, index), option, shown, text, why) != AG_OK) {
        return AG_EUSE;
    }
    o->origin[index].layer = o->layer;
    o->origin[index].where = NULL;
    if (!option->presets || !*(const int *)value_of(o, index)) return AG_OK;
    return harness_options_preset(o, option->presets, text, why);
}

/* The names that the command has, and those of every command where there are flags. */
static const char **names_of(const harness_options *o, int flags)
{
    static const char *const built_in[] = {"config", "help", "help-all", "version"};
    const char **names = NULL;
    for (int i = 0; i < o->program->option_count; i++)
        if (o->program->options[i].commands & o->command)
            bag_add(names, o->program->options[i].name);
    for (int i = 0; flags && i < 4; i++) bag_add(names, built_in[i]);
    return names;
}

const char *harness__advice(const harness_options *o, const char *where, const char *name,
                            bool near)
{
    const char **names = names_of(o, !where);
    const harness__synonym *row;
    const char *meant = harness__meant(&row, harness__option_words, name, names, bag_count(names));
    if (!meant && near) meant = harness_nearest(name, names, bag_count(names));
    bag_free(names);
    if (!meant)
        return harness_format("\"%s %s --help-all\" lists the options", o->program->name,
                              harness__command_name(o->program, o->command));
    const char *set = row->value ? harness_format("%s%s", where ? " = " : " ", row->value) : "";
    const char *note = row->note ? harness_format(" (%s)", row->note) : "";
    return harness_format("did you mean %s%s%s%s?", where ? "" : "--", meant, set, note);
}

/* "f.ini line 3: ", and nothing for a flag. */
static const char *at(const char *where) { return where ? harness_format("%.120s: ", where) : ""; }

static ag_status unknown(const harness_options *o, const char *where, const char *name,
                         ag_failure *why)
{
    return ag_fail(why, AG_EUSE, "%sunknown option %s%.60s; %s", at(where), where ? "" : "--", name,
                   harness__advice(o, where, name, true));
}

static ag_status foreign(const harness_options *o, const harness_option *option, const char *where,
                         ag_failure *why)
{
    const char *owners = ""; /* "train and ablate" */
    for (int i = 0; i < o->program->command_count; i++) {
        const harness_command *c = &o->program->commands[i];
        if (c->bit & option->commands)
            owners = harness_format("%s%s%s", owners, *owners ? " and " : "", c->name);
    }
    return ag_fail(why, AG_EUSE, "%s%s%s is not an option of %s %s (it belongs to %s); %s",
                   at(where), where ? "" : "--", option->name, o->program->name,
                   harness__command_name(o->program, o->command), owners,
                   harness__advice(o, where, option->name, false));
}

ag_status harness_options_set(harness_options *o, const char *where, const char *name,
                              const char *value, ag_failure *why)
{
    const int index = harness__option_index(o->program, o->command, name);
    if (index < 0) return unknown(o, where, name, why);
    const harness_option *option = &o->program->options[index];
    harness__origin *from = &o->origin[index];
    if (!(option->commands & o->command)) return foreign(o, option, where, why);
    if (!from->where) from->before = harness_option_text(o, option);
    if (harness__assign(o, index, where, value, why)) return AG_EUSE;
    from->where = show(where, option->name);
    return AG_OK;
}

/* It has no default, and nothing has set it. */
static int is_missing(const harness_options *o, int index)
{
    const harness_option *option = &o->program->options[index];
    return option->needed & o->command && !option->fallback && !o->origin[index].layer;
}

ag_status harness_options_complete(const harness_options *o, ag_failure *why)
{
    const char *names = "";
    int missing = 0, n = 0;
    for (int i = 0; i < o->program->option_count; i++) missing += is_missing(o, i);
    for (int i = 0; i < o->program->option_count; i++) {
        const harness_option *option = &o->program->options[i];
        if (!is_missing(o, i)) continue;
        const char *between = !n++ ? "" : n == missing ? " and " : ", ";
        names = harness_format("%s%s--%s %s", names, between, option->name, harness__meta(option));
    }
    if (missing)
        ag_fail(why, AG_EUSE, "%s %s missing; \"%s %s --help\" %s", names,
                missing == 1 ? "is" : "are", o->program->name,
                harness__command_name(o->program, o->command),
                o->program->examples ? "has examples" : "lists the options");
    return why->status;
}

bool harness__equal(const harness_options *a, const harness_options *b,
                    const harness_option *option)
{
    json_t *one = harness__option_json(a, option), *other = harness__option_json(b, option);
    const bool same = json_equal(one, other);
    json_decref(one);
    json_decref(other);
    return same;
}

static bool grown(const harness_options *stored, const harness_options *given,
                  const harness_option *option)
{
    return option->flags & HARNESS_MAY_GROW &&
           atoll(harness_option_text(given, option)) > atoll(harness_option_text(stored, option));
}

/* The option is left to the data, for which the stored value was chosen. */
static bool left_open(const harness_options *given, const harness_option *option)
{
    return option->flags & HARNESS_BY_DATA &&
           harness__same(harness_option_text(given, option), option->fallback);
}

const harness_option *harness_options_differ(const harness_options *stored,
                                             const harness_options *given, bool grows)
{
    const harness_option *option = given->program->options;
    const int count = given->program->option_count;
    unsigned accepted = HARNESS_LOCAL | HARNESS_MAY_CHANGE;
    for (int i = 0; i < count && grows; i++)
        if (grown(stored, given, &option[i])) accepted |= HARNESS_IF_GROWN;
    for (int i = 0; i < count; i++)
        if (!(option[i].flags & accepted) && !harness__equal(stored, given, &option[i]) &&
            !left_open(given, &option[i]) && !(grows && grown(stored, given, &option[i])))
            return &option[i];
    return NULL;
}
