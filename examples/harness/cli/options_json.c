/* SPDX-License-Identifier: MIT */
/* The resolved options as JSON, and back. */
#include "examples/harness/cli/options_internal.h"
#include "core/error.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

json_t *harness__option_json(const harness_options *o, const harness_option *option)
{
    const void *at = (const char *)o->values + option->offset;
    switch (option->type) {
    case HARNESS_BOOL: return json_boolean(*(const bool *)at);
    case HARNESS_INT: return json_integer(*(const int *)at);
    case HARNESS_INT64:
    case HARNESS_SIZE: return json_integer(*(const int64_t *)at);
    case HARNESS_REAL: return json_real(*(const double *)at);
    case HARNESS_TEXT:
    case HARNESS_CHOICE: {
        const char *text = harness_option_text(o, option);
        return text ? json_string(text) : json_null();
    }
    case HARNESS_PATHS: {
        const harness_paths *paths = at;
        json_t *list = json_array();
        for (int i = 0; i < paths->count; i++)
            json_array_append_new(list, json_string(paths->list[i]));
        return list;
    }
    }
    return json_null();
}

json_t *harness_options_json(const harness_options *o)
{
    harness_options *defaults = harness_options_new(o->program, o->command, NULL);
    json_t *object = json_object();
    for (int i = 0; i < o->program->option_count; i++) {
        const harness_option *option = &o->program->options[i];
        if (!(option->flags & HARNESS_LOCAL) &&
            !(option->flags & HARNESS_IF_OTHER && harness__equal(o, defaults, option)))
            json_object_set_new(object, option->name, harness__option_json(o, option));
    }
    harness_options_free(defaults);
    return object;
}

/* A JSON value as the text that a user would write; NULL: not a plain value. */
static const char *plain_text(const json_t *value, const harness_option *option)
{
    if (json_is_string(value) && strlen(json_string_value(value)) == json_string_length(value))
        return json_string_value(value);
    if (json_is_integer(value))
        return harness_format("%" PRId64, (int64_t)json_integer_value(value));
    if (json_is_real(value) && option->type == HARNESS_REAL)
        return harness_format("%.17g", json_real_value(value));
    return json_is_boolean(value) ? (json_is_true(value) ? "true" : "false") : NULL;
}

static const char *moved(const harness_program *program)
{
    return program->moved ? program->moved : "";
}

static ag_status set_plain(harness_options *o, int index, const char *file, const json_t *value,
                           ag_failure *why)
{
    const harness_option *option = &o->program->options[index];
    const char *text = plain_text(value, option);
    ag_failure mine = {0};
    if (!text)
        return ag_fail(why, AG_EDATA,
                       "%.200s: %s has a JSON value of a kind that the option cannot have; mend or "
                       "delete the file",
                       file, option->name);
    if (harness__assign(o, index, file, text, &mine))
        ag_fail(why, AG_EDATA, "%s%s", mine.sentence,
                option->type == HARNESS_CHOICE ? moved(o->program) : "");
    return why->status;
}

static ag_status set_value(harness_options *o, int index, const char *file, const json_t *value,
                           ag_failure *why)
{
    if (json_is_null(value)) return AG_OK;
    if (o->program->options[index].type != HARNESS_PATHS || !json_is_array(value))
        return set_plain(o, index, file, value, why);
    for (size_t i = 0; i < json_array_size(value) && !why->status; i++)
        set_plain(o, index, file, json_array_get(value, i), why);
    return why->status;
}

/* Other defaults may have come with an option that the object leaves out. */
static ag_status refuse_older(const harness_options *o, const json_t *object, const char *file,
                              ag_failure *why)
{
    for (int i = 0; i < o->program->option_count; i++) {
        const harness_option *option = &o->program->options[i];
        if (!(option->flags & (HARNESS_LOCAL | HARNESS_IF_OTHER)) &&
            !json_object_get(object, option->name))
            return ag_fail(why, AG_EDATA,
                           "%.200s: the option %s is missing, so the run was made by an older "
                           "version of %s; train it again",
                           file, option->name, o->program->name);
    }
    return AG_OK;
}

ag_status harness_options_from_json(harness_options *o, const json_t *object, const char *file,
                                    int resume, ag_failure *why)
{
    unsigned skipped = HARNESS_LOCAL | (resume ? 0 : HARNESS_FOR_RESUME);
    const char *name;
    json_t *value;
    if (!json_is_object(object))
        return ag_fail(why, AG_EDATA,
                       "%.200s: \"options\" is not a JSON object; this is not a config.json of %s",
                       file, o->program->name);
    o->layer++;
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        int index = harness__option_index(o->program, o->command, name);
        if (index < 0)
            return ag_fail(why, AG_EDATA,
                           "%.200s: %s %s has no option %.60s; the run was made by another "
                           "version%s",
                           file, o->program->name, o->program->version, name, moved(o->program));
        if (o->program->options[index].flags & skipped) continue;
        if (set_value(o, index, file, value, why)) return why->status;
    }
    return refuse_older(o, object, file, why);
}
