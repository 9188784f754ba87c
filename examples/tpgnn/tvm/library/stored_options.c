/* SPDX-License-Identifier: MIT */
/* The options of a model in the configuration of its run. */
#include "examples/tpgnn/program.h"
#include "examples/tpgnn/tvm/library/stored.h"

#include <jansson.h>
#include <string.h>

/* The place of an option's word among `words`, "one|two|three". */
static int place_of(const char *option, const char *word, const char *words, const char *name,
                    ag_failure *why)
{
    int place = 0;
    for (const char *at = words;; place++) {
        const size_t n = strcspn(at, "|");
        if (n == strlen(word) && !memcmp(at, word, n)) return place;
        if (!at[n]) break;
        at += n + 1;
    }
    if (!why->status)
        ag_fail(why, AG_EDATA, "%s: \"%s\" must be %s; train the model with this version", name,
                option, words);
    return 0;
}

ag_status tpgnn_stored_options(tpgnn_options *o, const json_t *json, const char *name,
                               ag_failure *why)
{
    const char *network, *types, *readout, *rows = "none", *edges, *conv, *pool;
    int compact, nest, logs;
    json_error_t error;
    *o = (tpgnn_options){.paper = tpgnn_paper_defaults()};
    if (json_unpack_ex((json_t *)(uintptr_t)json, &error, 0,
                       "{s:s, s:s, s:s, s?s, s:s, s:s, s:s, s:i, s:i, s:b, s:b, s:b, s:F, s:F}",
                       "network", &network, "types", &types, "readout", &readout, "rows", &rows,
                       "edges", &edges, "conv", &conv, "pool", &pool, "hidden", &o->hidden,
                       "layers", &o->layers, "compact", &compact, "nest", &nest, "log-features",
                       &logs, "dropout", &o->dropout, "ratio", &o->paper.ratio))
        return ag_fail(why,
                       json_error_code(&error) == json_error_out_of_memory ? AG_EMEMORY : AG_EDATA,
                       "%s does not say how the model is made (%s); give a checkpoint that this "
                       "version of tpgnn "
                       "has written",
                       name, error.text);
    for (int f = 0; f < TPGNN_FIELDS; f++) o->words[f] = 1;
    o->network = (tpgnn_network)place_of("network", network, "statements|paper", name, why);
    o->types = (tpgnn_types)place_of("types", types, "table|words", name, why);
    o->readout = (tpgnn_readout)place_of("readout", readout, "sum|mean", name, why);
    o->rows = (nests_use)place_of("rows", rows, NESTS_USES, name, why);
    o->edges = (unsigned)place_of("edges", edges, "none|tree|names|both", name, why);
    o->paper.conv = (tpgnn_conv)place_of("conv", conv, "graph|gcn", name, why);
    o->paper.pool = (tpgnn_pool)place_of("pool", pool, "none|topk|sag", name, why);
    o->paper.hidden = o->hidden;
    o->paper.layers = o->layers;
    o->paper.dropout = o->dropout;
    o->compact = compact;
    o->nest = nest;
    o->log_features = logs;
    return why->status;
}
