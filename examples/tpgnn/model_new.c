/* SPDX-License-Identifier: MIT */
/* The parameters: names, shapes, first values (docs/formats.md lists them). */
#include "examples/tpgnn/model.h"

#include <math.h>

tpgnn_options tpgnn_default_options(tpgnn_network network)
{
    tpgnn_options o = {.network = network,
                       .hidden = 64,
                       .layers = 2,
                       .edges = TPGNN_BOTH,
                       .compact = 1,
                       .nest = 1,
                       .paper = tpgnn_paper_defaults()};
    if (network == TPGNN_PAPER) o.edges = TPGNN_TREE, o.compact = o.nest = 0, o.types = TPGNN_WORDS;
    for (int f = 0; f < TPGNN_FIELDS; f++) o.words[f] = 1;
    return o;
}

tpgnn_batch_options tpgnn_model_batch(const tpgnn_options *o)
{
    const int paper = o->network == TPGNN_PAPER;
    return (tpgnn_batch_options){.edges = o->edges,
                                 .both = paper,
                                 .compact = o->compact,
                                 .nest = o->nest && !paper,
                                 .most = 1e6};
}

static ag_param *add(tpgnn_model *m, const char *layer, const char *what, ag_shape shape,
                     ag_init init)
{
    char name[96];
    snprintf(name, sizeof name, "%s.%s", layer, what);
    return ag_params_add(m->params, name, shape, init, 1);
}

static tpgnn_layer add_layer(tpgnn_model *m, const char *layer, int out, int in)
{
    return (tpgnn_layer){add(m, layer, "weight", AG_SHAPE(out, in), ag_init_xavier_uniform(1)),
                         add(m, layer, "bias", AG_SHAPE(out), ag_init_constant(0))};
}

static void add_convolution(tpgnn_model *m, int k)
{
    const int h = m->options.hidden;
    char layer[32];
    snprintf(layer, sizeof layer, "layer.%d", k);
    const ag_init init = ag_init_xavier_uniform(1), zero = ag_init_constant(0);
    m->layer[k] =
        (ag_sage_concat_weights){.operands = add(m, layer, "above.weight", AG_SHAPE(h, h), init),
                                 .operands_bias = add(m, layer, "above.bias", AG_SHAPE(h), zero),
                                 .users = add(m, layer, "below.weight", AG_SHAPE(h, h), init),
                                 .users_bias = add(m, layer, "below.bias", AG_SHAPE(h), zero),
                                 .join = add(m, layer, "join.weight", AG_SHAPE(h, 3 * h), init),
                                 .join_bias = add(m, layer, "join.bias", AG_SHAPE(h), zero)};
}

/* FastText knows classes: its vectors stand for both the type and the class. */
static void add_tables(tpgnn_model *m)
{
    const tpgnn_options *o = &m->options;
    const int h = o->hidden, words = o->types == TPGNN_WORDS;
    for (int f = 0; f < TPGNN_FIELDS; f++) {
        if (words && f == TPGNN_TYPE) continue;
        const int through = words && f == TPGNN_CLASS;
        const ag_shape shape = through ? AG_SHAPE(h, TPGNN_VECTOR) : AG_SHAPE(o->words[f], h);
        const ag_init init = through ? ag_init_xavier_uniform(1) : ag_init_normal(0, 0.1);
        m->table[f] = add(m, "embedding", tpgnn_field_names[f], shape, init);
    }
}

static void add_statements(tpgnn_model *m)
{
    const tpgnn_options *o = &m->options;
    add_tables(m);
    m->input = add_layer(m, "input", o->hidden, TPGNN_NUMBERS);
    for (int k = 0; k < o->layers; k++) add_convolution(m, k);
    m->join = add_layer(m, "join", o->hidden, 2 * o->hidden);
    m->hidden = add_layer(m, "hidden", o->hidden, o->hidden);
    m->output = add_layer(m, "output", 1, o->hidden);
}

static ag_status add_paper(tpgnn_model *m, uint64_t seed, ag_failure *why)
{
    const tpgnn_options *o = &m->options;
    if (o->types == TPGNN_TABLE)
        m->class_table = add(m, "embedding", "class", AG_SHAPE(o->words[TPGNN_CLASS], TPGNN_VECTOR),
                             ag_init_normal(0, 1));
    return tpgnn_paper_new(&m->paper, m->params, &o->paper, seed, why);
}

/* With the first values of all parameters; the paper's network sets its own. */
static ag_status add_network(tpgnn_model *m, uint64_t seed, ag_failure *why)
{
    if (m->options.network == TPGNN_PAPER) return add_paper(m, seed, why);
    add_statements(m);
    if (ag_params_build(m->params, seed) == AG_OK) return AG_OK;
    return ag_fail(why, m->params->failure.status, "%s", m->params->failure.sentence);
}

static ag_status check(const tpgnn_options *o, ag_failure *why)
{
    if (o->hidden < 4 || o->hidden > 4096)
        return ag_fail(why, AG_EUSE, "--hidden is %d; it must be 4 to 4096", o->hidden);
    if (o->layers < 0 || o->layers > TPGNN_MOST_LAYERS)
        return ag_fail(why, AG_EUSE, "--layers is %d; it must be 0 to %d", o->layers,
                       TPGNN_MOST_LAYERS);
    if (!(o->dropout >= 0 && o->dropout < 1))
        return ag_fail(why, AG_EUSE, "--dropout is %g; it must be at least 0 and below 1",
                       o->dropout);
    return AG_OK;
}

ag_status tpgnn_model_new(tpgnn_model *m, const tpgnn_options *options, uint64_t seed,
                          ag_failure *why)
{
    *m = (tpgnn_model){.options = *options};
    if (check(options, why)) return why->status;
    const size_t vectors = (size_t)options->words[TPGNN_CLASS] * TPGNN_VECTOR;
    m->params = ag_params_new();
    if (options->types == TPGNN_WORDS) m->vector = ag__alloc(vectors * sizeof *m->vector);
    if (!m->params || (options->types == TPGNN_WORDS && !m->vector)) {
        tpgnn_model_free(m);
        return ag_fail(why, AG_EMEMORY, "There is no memory for the model.");
    }
    for (size_t i = 0; m->vector && i < vectors; i++) m->vector[i] = 0;
    if (add_network(m, seed, why)) tpgnn_model_free(m);
    return why->status;
}

void tpgnn_model_free(tpgnn_model *m)
{
    ag_params_free(m->params);
    ag__free(m->vector);
    m->params = NULL;
    m->vector = NULL;
}
