/* SPDX-License-Identifier: MIT */
/* What the formats share: sentences, results, and telling one from another. */
#include "core/save.h"
#include "examples/tpgnn/logs_parts.h"

#include <stdarg.h>
#include <string.h>

const char *const tpgnn_log_kind_names[TPGNN_LOG_KINDS] = {"Ansor", "AutoTVM", "MetaSchedule"};

/* auto_scheduler's and autotvm's MeasureErrorNo. */
const char *const tpgnn_error_names[TPGNN_ERRORS] = {
    "none",         "instantiation", "compile host", "compile device", "runtime device",
    "wrong answer", "build timeout", "run timeout",  "unknown",        "not measured"};

ag_status tpgnn__bad(const tpgnn_parse *p, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return ag_fail(p->why, AG_EDATA, "%s line %lld: %s", ag__path_tail(p->name),
                   (long long)p->number, text);
}

const char *tpgnn__shown(char text[48], const json_t *value)
{
    char *all = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_ENSURE_ASCII |
                                              JSON_REAL_PRECISION(6))
                      : NULL;
    snprintf(text, 48, "%.40s%s", all ? all : "nothing", all && strlen(all) > 40 ? "..." : "");
    harness_free(all);
    return text;
}

static ag_status add_seconds(tpgnn_parse *p, const char *name, const json_t *costs)
{
    char text[48];
    size_t i;
    const json_t *cost;
    if (!json_is_array(costs) || json_array_size(costs) == 0)
        return tpgnn__bad(p, "%s[0] is %s, but must be a list of run times", name,
                          tpgnn__shown(text, costs));
    json_array_foreach(costs, i, cost)
    {
        const double seconds = json_number_value(cost);
        if (!json_is_number(cost) ||
            (!p->record->error && !(seconds > 0 && seconds < TPGNN_NO_TIME)))
            return tpgnn__bad(p, "run time %zu is %s, but must be above 0 and below 1e9 s", i,
                              tpgnn__shown(text, cost));
        if (!p->record->error) bag_add(p->seconds, seconds);
    }
    return AG_OK;
}

ag_status tpgnn__result(tpgnn_parse *p, const char *name, const json_t *result)
{
    char text[48];
    const json_t *error = json_array_get(result, 1);
    if (!json_is_array(result) || json_array_size(result) != 4)
        return tpgnn__bad(p, "%s is %s, but must be [[run times], error number, seconds, time]",
                          name, tpgnn__shown(text, result));
    const json_int_t number = json_integer_value(error);
    if (!json_is_integer(error) || number < 0 || number > 8)
        return tpgnn__bad(p, "the error number is %s, but must be 0 to 8",
                          tpgnn__shown(text, error));
    for (size_t i = 2; i < 4; i++)
        if (!json_is_number(json_array_get(result, i)))
            return tpgnn__bad(p, "%s[%zu] is %s, but must be a number", name, i,
                              tpgnn__shown(text, json_array_get(result, i)));
    p->record->error = (int)number;
    return add_seconds(p, name, json_array_get(result, 0));
}

ag_status tpgnn__record(tpgnn_parse *p, const json_t *line)
{
    if (json_is_array(line)) return tpgnn__metaschedule(p, line);
    if (json_object_get(line, "i")) return tpgnn__ansor(p, line);
    if (json_object_get(line, "input")) return tpgnn__autotvm(p, line);
    return tpgnn__bad(p, "this is no record: Ansor's has \"i\", AutoTVM's \"input\", and one of "
                         "MetaSchedule is a list");
}
