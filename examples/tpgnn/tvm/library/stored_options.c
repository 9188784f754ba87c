/* SPDX-License-Identifier: MIT */
/* The options of a model in the configuration of its run. */
#include "examples/tpgnn/program.h"
#include "examples/tpgnn/tvm/library/stored.h"

#include <jansson.h>
#include <string.h>

typedef struct configuration {
    const json_t *json;
    const char *name;
    ag_failure *why; /* of the first option that is wrong */
} configuration;

static void wrong(const configuration *c, const char *option, const char *must)
{
    if (c->why->status) return;
    ag_fail(c->why, AG_EDATA, "%s: \"%s\" must be %s; train the model with this version", c->name,
            option, must);
}

/* The place of the option's word among `words`, "one|two|three". */
static int read_word(const configuration *c, const char *option, const char *words)
{
    const json_t *value = json_object_get(c->json, option);
    const char *word = json_string_value(value);
    const size_t length = word ? strlen(word) : 0;
    int place = 0;
    for (const char *at = words; length; place++) {
        const size_t n = strcspn(at, "|");
        if (n == length && !memcmp(at, word, n)) return place;
        if (!at[n]) break;
        at += n + 1;
    }
    wrong(c, option, words);
    return 0;
}

static int read_whole(const configuration *c, const char *option)
{
    const json_t *value = json_object_get(c->json, option);
    const json_int_t x = json_integer_value(value);
    if (json_is_integer(value) && x >= 0 && x <= 65536) return (int)x;
    wrong(c, option, "a whole number from 0 to 65536");
    return 0;
}

static int read_flag(const configuration *c, const char *option)
{
    const json_t *value = json_object_get(c->json, option);
    if (!json_is_boolean(value)) wrong(c, option, "true or false");
    return json_is_true(value);
}

static double read_number(const configuration *c, const char *option)
{
    const json_t *value = json_object_get(c->json, option);
    if (!json_is_number(value)) wrong(c, option, "a number");
    return json_number_value(value);
}

ag_status tpgnn_stored_options(tpgnn_options *o, const json_t *json, const char *name,
                               ag_failure *why)
{
    const configuration c = {json, name, why};
    if (!json_is_object(json))
        return ag_fail(why, AG_EDATA,
                       "%s says nothing of the model; give a checkpoint that tpgnn has written",
                       name);
    if (json_object_get(json, "members")) {
        const char *network = json_string_value(json_object_get(json, "network"));
        const bool paper = network && strcmp(network, "paper") == 0;
        return ag_fail(why, AG_EDATA, "%s: %s", name, paper ? TPGNN_OLDER : TPGNN_MOVED);
    }
    *o = (tpgnn_options){.paper = tpgnn_paper_defaults()};
    for (int f = 0; f < TPGNN_FIELDS; f++) o->words[f] = 1;
    o->network = (tpgnn_network)read_word(&c, "network", "statements|paper");
    o->types = (tpgnn_types)read_word(&c, "types", "table|words");
    o->readout = (tpgnn_readout)read_word(&c, "readout", "sum|mean");
    if (json_object_get(json, "rows")) o->rows = (nests_use)read_word(&c, "rows", NESTS_USES);
    o->edges = (unsigned)read_word(&c, "edges", "none|tree|names|both");
    o->paper.conv = (tpgnn_conv)read_word(&c, "conv", "graph|gcn");
    o->paper.pool = (tpgnn_pool)read_word(&c, "pool", "none|topk|sag");
    o->hidden = o->paper.hidden = read_whole(&c, "hidden");
    o->layers = o->paper.layers = read_whole(&c, "layers");
    o->compact = read_flag(&c, "compact");
    o->nest = read_flag(&c, "nest");
    o->log_features = read_flag(&c, "log-features");
    o->dropout = o->paper.dropout = read_number(&c, "dropout");
    o->paper.ratio = read_number(&c, "ratio");
    return why->status;
}
