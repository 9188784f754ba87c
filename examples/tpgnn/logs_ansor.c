/* SPDX-License-Identifier: MIT */
/* Measure records of TVM's auto_scheduler (Ansor), v0.2 to v0.6. */
#include "examples/tpgnn/logs_parts.h"

#include <string.h>

const char *const tpgnn_step_names[TPGNN_STEPS] = {"AN", "FU", "PR", "RE", "SP",  "FSP", "FFSP",
                                                   "SA", "CA", "CI", "CR", "CHR", "CHW", "RF"};

/* What stands behind the name, by transform_step.cc: i an int, l a list of ints, s a text. */
static const char *const step_arguments[TPGNN_STEPS] = {"iii",  "il",    "iis",  "il",  "iiili",
                                                        "iiii", "iilii", "iiii", "iii", "i",
                                                        "i",    "isl",   "is",   "iii"};

static int fits(char kind, const json_t *value)
{
    size_t i;
    const json_t *item;
    if (kind == 'i') return json_is_integer(value);
    if (kind == 's') return json_is_string(value);
    if (!json_is_array(value)) return 0;
    json_array_foreach(value, i, item)
    {
        if (!json_is_integer(item)) return 0;
    }
    return 1;
}

/* The kind of a step, or -1 when it is none or has other arguments than its kind. */
static int step_kind(const json_t *step)
{
    const char *name = json_string_value(json_array_get(step, 0));
    int kind = TPGNN_STEPS - 1;
    while (name && kind >= 0 && strcmp(name, tpgnn_step_names[kind]) != 0) kind--;
    if (!name || kind < 0) return -1;
    const char *arguments = step_arguments[kind];
    if (json_array_size(step) != strlen(arguments) + 1) return -1;
    for (size_t i = 0; arguments[i]; i++)
        if (!fits(arguments[i], json_array_get(step, i + 1))) return -1;
    return kind;
}

/* [[], [step, ...]] */
static ag_status count_steps(tpgnn_parse *p, const json_t *state)
{
    char text[48];
    size_t i;
    const json_t *steps = json_array_get(state, 1), *step;
    if (json_array_size(state) != 2 || !json_is_array(json_array_get(state, 0)) ||
        !json_is_array(steps))
        return tpgnn__bad(p, "the state is %s, but must be [[], [steps]]",
                          tpgnn__shown(text, state));
    json_array_foreach(steps, i, step)
    {
        const int kind = step_kind(step);
        if (kind < 0)
            return tpgnn__bad(p, "step %zu, %s, is none of v0.2 to v0.6", i,
                              tpgnn__shown(text, step));
        p->record->steps[kind]++;
    }
    return AG_OK;
}

/* [key, target, hardware, target of the host, layout rewrite, names of inputs]; old versions end
   earlier. */
static ag_status read_task(tpgnn_parse *p, const json_t *task)
{
    static const char kinds[] = "ssLsiL"; /* L: any list */
    char text[48];
    const size_t n = json_array_size(task);
    int good = n >= 2 && n <= 6;
    for (size_t i = 0; good && i < n; i++) {
        const json_t *part = json_array_get(task, i);
        good = kinds[i] == 'L' ? json_is_array(part) : fits(kinds[i], part);
    }
    if (!good)
        return tpgnn__bad(p, "the task is %s, but must be [\"key\", \"target\", ...]",
                          tpgnn__shown(text, task));
    p->record->task = json_string_value(json_array_get(task, 0));
    p->record->target = json_string_value(json_array_get(task, 1));
    return AG_OK;
}

ag_status tpgnn__ansor(tpgnn_parse *p, const json_t *line)
{
    char text[48];
    const json_t *version = json_object_get(line, "v"), *input = json_object_get(line, "i");
    const char *v = json_string_value(version);
    if (!v || strlen(v) != 4 || strncmp(v, "v0.", 3) != 0 || v[3] < '2' || v[3] > '6')
        return tpgnn__bad(p, "the version is %s, but v0.2 to v0.6 are read%s",
                          tpgnn__shown(text, version),
                          json_is_number(version) ? "; a number is AutoTVM's old format" : "");
    p->record->kind = TPGNN_ANSOR;
    p->record->version = v;
    if (json_array_size(input) != 2)
        return tpgnn__bad(p, "i is %s, but must be [task, state]", tpgnn__shown(text, input));
    if (read_task(p, json_array_get(input, 0)) || count_steps(p, json_array_get(input, 1)))
        return p->why->status;
    return tpgnn__result(p, "r", json_object_get(line, "r"));
}
