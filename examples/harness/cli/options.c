/* SPDX-License-Identifier: MIT */
/* The values of one call: defaults, layers, setting by name. */
#include "examples/harness/cli/options_internal.h"

#include <stdlib.h>
#include <string.h>

static int same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if ((*a == '_' ? '-' : *a) != (*b == '_' ? '-' : *b)) return 0;
    return *a == *b;
}

int harness__option_index(const harness_program *program, const char *name)
{
    for (int i = 0; i < program->option_count; i++)
        if (same_name(program->options[i].name, name)) return i;
    return -1;
}

const harness_option *harness_option_find(const harness_program *program, const char *name)
{
    int index = harness__option_index(program, name);
    return index < 0 ? NULL : &program->options[index];
}

const char *harness__command_name(const harness_program *program, unsigned bit)
{
    for (int i = 0; i < program->command_count; i++)
        if (program->commands[i].bit & bit) return program->commands[i].name;
    return "COMMAND";
}

static harness_options *make(const harness_program *program, unsigned command, void *values)
{
    size_t count = (size_t)program->option_count;
    harness_options *o = harness_alloc(sizeof *o);
    o->program = program;
    o->command = command;
    o->own = values ? NULL : harness_alloc(program->options_bytes);
    o->values = values ? values : o->own;
    o->set_by = harness_alloc(count * sizeof *o->set_by);
    o->owned = harness_alloc(count * sizeof *o->owned);
    o->where = harness_alloc(count * sizeof *o->where);
    o->before = harness_alloc(count * sizeof *o->before);
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
        harness_error(why.sentence);
        exit(HARNESS_EXIT_FAILED);
    }
    o->layer = 1;
    return o;
}

harness_options *harness_options_copy(const harness_options *from, void *values)
{
    harness_options *o = make(from->program, from->command, values);
    memcpy(o->values, from->values, from->program->options_bytes);
    memcpy(o->set_by, from->set_by, (size_t)from->program->option_count * sizeof *o->set_by);
    memcpy(o->where, from->where, (size_t)from->program->option_count * sizeof *o->where);
    memcpy(o->before, from->before, (size_t)from->program->option_count * sizeof *o->before);
    o->layer = from->layer;
    return o;
}

static void *value_of(const harness_options *o, int index)
{
    return (char *)o->values + o->program->options[index].offset;
}

void harness_options_free(harness_options *o)
{
    if (!o) return;
    for (int i = 0; i < o->program->option_count; i++)
        if (o->owned[i]) {
            harness_paths *paths = value_of(o, i);
            bag_free(paths->list);
        }
    for (int i = 0; i < bag_count(o->kept); i++) harness_free(o->kept[i]);
    bag_free(o->kept);
    harness_free(o->set_by);
    harness_free(o->owned);
    harness_free(o->where);
    harness_free(o->before);
    harness_free(o->own);
    harness_free(o);
}

void *harness_options_values(harness_options *o) { return o->values; }
void harness__begin_layer(harness_options *o) { o->layer++; }

static void add_path(harness_options *o, int index, char *path)
{
    harness_paths *paths = value_of(o, index);
    const char **list = NULL;
    if (o->set_by[index] == o->layer) {
        if (o->owned[index])
            list = paths->list;
        else
            for (int i = 0; i < paths->count; i++) bag_add(list, paths->list[i]);
    } else if (o->owned[index]) {
        bag_free(paths->list);
    }
    bag_add(list, path);
    o->owned[index] = true;
    paths->list = list;
    paths->count = bag_count(list);
}

/* The option in a sentence on its value. */
static void show(char shown[200], const char *where, const char *name)
{
    if (where)
        snprintf(shown, 200, "%.120s: %s", where, name);
    else
        snprintf(shown, 200, "--%s", name);
}

ag_status harness__assign(harness_options *o, int index, const char *where, const char *text,
                          ag_failure *why)
{
    const harness_option *option = &o->program->options[index];
    char shown[200];
    show(shown, where, option->name);
    if (!harness__utf8(text))
        return ag_fail(why, AG_EUSE,
                       "%s: the value is not UTF-8 text, which config.json cannot hold; rename the "
                       "file or folder",
                       shown);
    if (option->type == HARNESS_PATHS || option->type == HARNESS_TEXT) {
        if (!*text)
            return ag_fail(why, AG_EUSE, "%s: the value is empty; give one or omit the option",
                           shown);
        char *copy = harness_copy(text);
        bag_add(o->kept, copy);
        if (option->type == HARNESS_PATHS)
            add_path(o, index, copy);
        else
            *(const char **)value_of(o, index) = copy;
    } else if (harness__parse(value_of(o, index), option, shown, text, why) != AG_OK) {
        return AG_EUSE;
    }
    o->set_by[index] = o->layer;
    o->where[index] = NULL;
    if (!option->presets || !*(const int *)value_of(o, index)) return AG_OK;
    return harness__preset(o, option->presets, text, why);
}

/* The names that the command has, and those of every command where there are flags. */
static const char **names_of(const harness_options *o, int flags)
{
    static const char *const built_in[] = {"config", "set", "help", "help-all", "version"};
    const char **names = NULL;
    for (int i = 0; i < o->program->option_count; i++)
        if (o->program->options[i].commands & o->command)
            bag_add(names, o->program->options[i].name);
    for (int i = 0; flags && i < 5; i++) bag_add(names, built_in[i]);
    return names;
}

char *harness__advice(const harness_options *o, const char *where, const char *name, int near)
{
    const char **names = names_of(o, !where), *value, *note, *dashes = where ? "" : "--";
    char *plain = harness_copy(name);
    for (char *c = plain; *c; c++)
        if (*c == '_') *c = '-';
    const char *meant = harness__meant_option(&value, &note, plain, names, bag_count(names));
    if (!meant && near) meant = harness_nearest(plain, names, bag_count(names));
    harness_free(plain);
    bag_free(names);
    if (!meant)
        return harness_text("\"%s %s --help-all\" lists the options", o->program->name,
                            harness__command_name(o->program, o->command));
    return harness_text("did you mean %s%s%s%s%s%s%s?", dashes, meant,
                        !value  ? ""
                        : where ? " = "
                                : " ",
                        value ? value : "", note ? " (" : "", note ? note : "", note ? ")" : "");
}

ag_status harness__unknown(const harness_options *o, const char *where, const char *name,
                           ag_failure *why)
{
    char *what = harness__advice(o, where, name, 1);
    ag_fail(why, AG_EUSE, "%.120s%sunknown option %s%.60s; %s", where ? where : "",
            where ? ": " : "", where ? "" : "--", name, what);
    harness_free(what);
    return AG_EUSE;
}

/* "train and ablate" */
static void owners(char text[160], const harness_program *program, unsigned commands)
{
    size_t at = 0;
    text[0] = 0;
    for (int i = 0; i < program->command_count && at < 120; i++) {
        const harness_command *c = &program->commands[i];
        if (!(c->bit & commands)) continue;
        at += (size_t)snprintf(text + at, 160 - at, "%s%.30s", at ? " and " : "", c->name);
    }
}

static ag_status foreign(const harness_options *o, const harness_option *option, const char *where,
                         ag_failure *why)
{
    char belongs[160];
    const char *command = harness__command_name(o->program, o->command);
    char *what = harness__advice(o, where, option->name, 0);
    owners(belongs, o->program, option->commands);
    ag_fail(why, AG_EUSE, "%.120s%s%s%s is no option of %s %s (it belongs to %s); %s",
            where ? where : "", where ? ": " : "", where ? "" : "--", option->name,
            o->program->name, command, belongs, what);
    harness_free(what);
    return AG_EUSE;
}

/* An option, or a word of it, that only older runs have. */
static const char *moved(const harness_program *program, const char *name, const char *value)
{
    for (const harness_moved *m = program->moved; m && m->option; m++)
        if (!m->with && same_name(m->option, name) && (!m->word || !strcmp(m->word, value)))
            return m->sentence;
    return NULL;
}

ag_status harness_options_set(harness_options *o, const char *where, const char *name,
                              const char *value, ag_failure *why)
{
    int index = harness__option_index(o->program, name);
    const char *gone = moved(o->program, name, value);
    char shown[200];
    show(shown, where, name);
    if (gone) return ag_fail(why, AG_EUSE, "%s: %s", shown, gone);
    if (index < 0) return harness__unknown(o, where, name, why);
    const harness_option *option = &o->program->options[index];
    if (!(option->commands & o->command)) return foreign(o, option, where, why);
    if (!o->where[index]) bag_add(o->kept, o->before[index] = harness_option_text(o, option));
    if (harness__assign(o, index, where, value, why)) return AG_EUSE;
    show(shown, where, option->name);
    o->where[index] = harness_copy(shown);
    bag_add(o->kept, (char *)(uintptr_t)o->where[index]);
    return AG_OK;
}

static int has_value(const harness_options *o, int index)
{
    const harness_option *option = &o->program->options[index];
    if (option->type == HARNESS_PATHS)
        return ((const harness_paths *)value_of(o, index))->count > 0;
    if (option->type == HARNESS_TEXT) return *(const char *const *)value_of(o, index) != NULL;
    return option->fallback || o->set_by[index] > 0;
}

static int is_missing(const harness_options *o, int index)
{
    return (o->program->options[index].needed & o->command) && !has_value(o, index);
}

ag_status harness_options_complete(const harness_options *o, ag_failure *why)
{
    char *names = harness_copy("");
    int missing = 0, n = 0;
    for (int i = 0; i < o->program->option_count; i++) missing += is_missing(o, i);
    for (int i = 0; i < o->program->option_count; i++) {
        const harness_option *option = &o->program->options[i];
        if (!is_missing(o, i)) continue;
        const char *between = !n++ ? "" : n == missing ? " and " : ", ";
        char *more =
            harness_text("%s%s--%s %s", names, between, option->name, harness__meta(option));
        harness_free(names);
        names = more;
    }
    if (missing)
        ag_fail(why, AG_EUSE, "%s %s missing; \"%s %s --help\" %s", names,
                missing == 1 ? "is" : "are", o->program->name,
                harness__command_name(o->program, o->command),
                o->program->examples ? "has examples" : "lists the options");
    harness_free(names);
    return why->status;
}

/* Less than 0, 0 or more than 0; values that are no numbers are equal or not. */
static int compare(const harness_options *stored, const harness_options *given,
                   const harness_option *option)
{
    char *a = harness_option_text(stored, option), *b = harness_option_text(given, option);
    int order = (a && b) ? strcmp(b, a) != 0 : a != b;
    if (order && option->type == HARNESS_INT64) order = atoll(b) < atoll(a) ? -1 : 1;
    harness_free(a);
    harness_free(b);
    return order;
}

static int grown(const harness_options *stored, const harness_options *given,
                 const harness_option *option)
{
    return (option->flags & HARNESS_MAY_GROW) && compare(stored, given, option) > 0;
}

/* The option is left to the data, for which the stored value was chosen. */
static bool left_open(const harness_options *given, const harness_option *option)
{
    char *text = option->flags & HARNESS_BY_DATA ? harness_option_text(given, option) : NULL;
    const bool open = text && strcmp(text, option->fallback) == 0;
    harness_free(text);
    return open;
}

const harness_option *harness_options_differ(const harness_options *stored,
                                             const harness_options *given, bool grows)
{
    const harness_option *option = given->program->options;
    const int count = given->program->option_count;
    unsigned accepted = HARNESS_LOCAL | HARNESS_MAY_CHANGE;
    for (int i = 0; i < count && grows; i++)
        if (grown(stored, given, &option[i])) accepted |= HARNESS_ANEW;
    for (int i = 0; i < count; i++)
        if (!(option[i].flags & accepted) && compare(stored, given, &option[i]) &&
            !left_open(given, &option[i]) && !(grows && grown(stored, given, &option[i])))
            return &option[i];
    return NULL;
}

const void *harness__value(const harness_options *o, const char *name, harness_type type)
{
    int index = harness__option_index(o->program, name);
    if (index < 0 || o->program->options[index].type != type) return NULL;
    if (!(o->program->options[index].commands & o->command)) return NULL;
    return (const char *)o->values + o->program->options[index].offset;
}
