/* SPDX-License-Identifier: MIT */
/* The parameters: names, shapes, initial values (docs/formats/tpgnn.md lists them). */
#include "examples/tpgnn/rows/rows.h"
#include "core/error.h"
#include "examples/tpgnn/model/model.h"

#include "examples/harness/harness.h"

tpgnn_batch_options tpgnn_model_batch(const tpgnn_model *m)
{
    const tpgnn_options *o = &m->options;
    const int paper = o->network == TPGNN_PAPER;
    return (tpgnn_batch_options){.edges = o->edges,
                                 .both = paper,
                                 .compact = o->compact,
                                 .nest = o->nest && !paper,
                                 .logs = o->log_features,
                                 .joined = o->rows ? &m->joined : NULL};
}

/* No layer of the library has the parameters of ag_sage_concat; the names are the checkpoints'. */
static ag_sage_concat_weights add_convolution(ag_params *params, int k, int h)
{
    char name[128];
    const ag_linear_layer above =
        ag_layer_linear(params, ag_layer_name(name, NULL, "layer.%d.above", k), h, h, 1);
    const ag_linear_layer below =
        ag_layer_linear(params, ag_layer_name(name, NULL, "layer.%d.below", k), h, h, 1);
    const ag_linear_layer join =
        ag_layer_linear(params, ag_layer_name(name, NULL, "layer.%d.join", k), 3 * h, h, 1);
    return (ag_sage_concat_weights){above.weight, above.bias,  below.weight,
                                    below.bias,   join.weight, join.bias};
}

/* out: channels that the costs of rows look at. */
static void add_rows(tpgnn_model *m, int out)
{
    const tpgnn_options *o = &m->options;
    nests_joined_add(&m->joined, m->params,
                     &(nests_joined_options){.use = o->rows,
                                             .members = o->members,
                                             .columns = NESTS_SCHEDULE_ROW,
                                             .bins = o->bins,
                                             .in = o->hidden,
                                             .out = out});
}

/* words: there are vectors of classes, which replace both the type and the class. Names lack the
   .weight that ag_layer_embedding would add, as in all checkpoints. */
static void add_tables(tpgnn_model *m)
{
    const tpgnn_options *o = &m->options;
    const int h = o->hidden, words = o->types == TPGNN_WORDS;
    char name[128];
    for (int f = 0; f < TPGNN_FIELDS; f++) {
        if (words && f == TPGNN_TYPE) continue;
        const int through = words && f == TPGNN_CLASS;
        const ag_shape shape = through ? AG_SHAPE(h, TPGNN_VECTOR) : AG_SHAPE(o->words[f], h);
        const ag_init init = through ? ag_init_xavier_uniform(1) : ag_init_normal(0, 0.1);
        m->statements.table[f] =
            ag_params_add(m->params, ag_layer_name(name, "embedding", "%s", tpgnn_field_names[f]),
                          shape, init, 1);
    }
}

static void add_statements(tpgnn_model *m)
{
    const tpgnn_options *o = &m->options;
    const int h = o->hidden;
    ag_params *params = m->params;
    tpgnn_statements *s = &m->statements;
    add_tables(m);
    s->input = ag_layer_linear(params, "input", TPGNN_NUMBERS, h, 1);
    for (int k = 0; k < o->layers; k++) s->layer[k] = add_convolution(params, k, h);
    s->join = ag_layer_linear(params, "join", 2 * h, h, 1);
    s->hidden = ag_layer_linear(params, "hidden", h, h, 1);
    if (o->rows != NESTS_COSTS) s->output = ag_layer_linear(params, "output", h, 1, 1);
    ag_params_init(params, NULL, ag_init_xavier_uniform(1), ag_init_constant(0));
    add_rows(m, h);
}

static ag_status add_paper(tpgnn_model *m, ag_failure *why)
{
    const tpgnn_options *o = &m->options;
    tpgnn_paper_options paper = o->paper; /* with the sizes of the other network */
    paper.inputs = TPGNN_VECTOR + 2 + (o->rows ? o->hidden : 0);
    paper.hidden = o->hidden;
    paper.layers = o->layers;
    paper.dropout = o->dropout;
    paper.vector = o->rows == NESTS_COSTS;
    if (o->types == TPGNN_TABLE)
        m->class_table =
            ag_params_add(m->params, "embedding.class",
                          AG_SHAPE(o->words[TPGNN_CLASS], TPGNN_VECTOR), ag_init_normal(0, 1), 1);
    if (tpgnn_paper_add(&m->paper, m->params, &paper, why)) return why->status;
    add_rows(m, o->hidden / 2);
    return AG_OK;
}

static ag_status check(const tpgnn_options *o, ag_failure *why)
{
    if (!(o->dropout >= 0 && o->dropout < 1))
        return ag_fail(why, AG_EUSE, "--dropout is %g; it must be at least 0 and below 1",
                       o->dropout);
    if (o->hidden < 4 || o->hidden > 4096)
        return ag_fail(why, AG_EUSE, "--hidden is %d; it must be 4 to 4096", o->hidden);
    if (o->layers < 0 || o->layers > TPGNN_MOST_LAYERS)
        return ag_fail(why, AG_EUSE, "--layers is %d; it must be 0 to %d", o->layers,
                       TPGNN_MOST_LAYERS);
    return AG_OK;
}

ag_status tpgnn_model_add(tpgnn_model *m, ag_params *params, const tpgnn_options *options,
                          ag_failure *why)
{
    *m = (tpgnn_model){.options = *options, .params = params};
    if (check(options, why)) return why->status;
    if (options->types == TPGNN_WORDS)
        m->vector = HARNESS_NEW(m->vector, options->words[TPGNN_CLASS] * TPGNN_VECTOR);
    if (options->network == TPGNN_PAPER) return add_paper(m, why);
    add_statements(m);
    return AG_OK;
}

void tpgnn_model_free(tpgnn_model *m)
{
    nests_joined_free(&m->joined);
    harness_free(m->vector);
}
