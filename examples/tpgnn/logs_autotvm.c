/* SPDX-License-Identifier: MIT */
/* Records of AutoTVM, version 0.2. */
#include "examples/tpgnn/logs_parts.h"

#include <math.h>
#include <string.h>

static int items_are(const json_t *list, int (*is)(const json_t *))
{
    size_t i;
    const json_t *item;
    if (!json_is_array(list)) return 0;
    json_array_foreach(list, i, item)
    {
        if (!is(item)) return 0;
    }
    return 1;
}

static int is_text(const json_t *value) { return json_is_string(value); }
static int is_whole(const json_t *value) { return json_is_integer(value); }

/* ["tile_x", "sp", [-1, 4]] */
static int read_entity(tpgnn_entity *e, const json_t *entity)
{
    *e = (tpgnn_entity){json_string_value(json_array_get(entity, 0)),
                        json_string_value(json_array_get(entity, 1)), json_array_get(entity, 2)};
    if (json_array_size(entity) != 3 || !e->name || !e->kind) return 0;
    if (!strcmp(e->kind, "sp") || !strcmp(e->kind, "re")) return items_are(e->value, is_whole);
    if (!strcmp(e->kind, "an")) return items_are(e->value, is_text);
    return !strcmp(e->kind, "ot");
}

static ag_status read_config(tpgnn_parse *p, const json_t *config)
{
    char text[48];
    size_t i;
    const json_t *list = json_object_get(config, "entity"), *one;
    if (!json_is_array(list))
        return tpgnn__bad(p, "config has no list of the name entity, but %s",
                          tpgnn__shown(text, list));
    json_array_foreach(list, i, one)
    {
        tpgnn_entity e;
        if (!read_entity(&e, one))
            return tpgnn__bad(p, "entity %zu is %s, but must be [\"name\", \"sp|re|an|ot\", value]",
                              i, tpgnn__shown(text, one));
        bag_add(p->entity, e);
    }
    return AG_OK;
}

/* [target, template, arguments, keyword arguments] */
static ag_status read_input(tpgnn_parse *p, const json_t *input)
{
    char text[48];
    const char *target = json_string_value(json_array_get(input, 0));
    const char *name = json_string_value(json_array_get(input, 1));
    const json_t *list = json_array_get(input, 2), *words = json_array_get(input, 3);
    if (json_array_size(input) != 4 || !target || !name || !json_is_array(list) ||
        !json_is_object(words))
        return tpgnn__bad(p, "input is %s, but must be [\"target\", \"template\", [arguments], {}]",
                          tpgnn__shown(text, input));
    char *arguments = json_dumps(list, JSON_COMPACT);
    char *named = json_object_size(words) ? json_dumps(words, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    p->task = harness_text("%s %s%s", name, arguments ? arguments : "", named ? named : "");
    p->record->target = target;
    harness_free(arguments);
    harness_free(named);
    return AG_OK;
}

ag_status tpgnn__autotvm(tpgnn_parse *p, const json_t *line)
{
    char text[48];
    const json_t *version = json_object_get(line, "version");
    if (fabs(json_number_value(version) - 0.2) > 1e-9)
        return tpgnn__bad(p, "the version is %s, but 0.2 is read", tpgnn__shown(text, version));
    p->record->kind = TPGNN_AUTOTVM;
    p->record->version = "0.2";
    if (read_input(p, json_object_get(line, "input")) ||
        read_config(p, json_object_get(line, "config")))
        return p->why->status;
    return tpgnn__result(p, "result", json_object_get(line, "result"));
}
