/* SPDX-License-Identifier: MIT */
/* The parameters: names, shapes, first values (docs/formats.md lists them). */
#include "examples/tpgnn/model/model.h"

#include <math.h>

tpgnn_batch_options tpgnn_model_batch(const tpgnn_model *m)
{
    const tpgnn_options *o = &m->options;
    const int paper = o->network == TPGNN_PAPER;
    return (tpgnn_batch_options){.edges = o->edges,
                                 .both = paper,
                                 .compact = o->compact,
                                 .nest = o->nest && !paper,
                                 .rows = (o->rows || m->trees.count) && !paper,
                                 .scale = tpgnn_model_standard(m) ? &m->scale : NULL,
                                 .trees = m->trees.count ? &m->trees : NULL,
                                 .most = 1e6};
}

/* The destination of parameters; each of several networks has its number as a prefix. */
typedef struct place {
    tpgnn_model *model;
    tpgnn_member *member;
    int number;
} place;

static ag_param *add(const place *p, const char *layer, const char *what, ag_shape shape,
                     ag_init init)
{
    char name[96], front[16] = "";
    if (p->model->options.members > 1) snprintf(front, sizeof front, "%d.", p->number);
    snprintf(name, sizeof name, "%s%s.%s", front, layer, what);
    return ag_params_add(p->model->params, name, shape, init, 1);
}

static tpgnn_layer add_layer(const place *p, const char *layer, int out, int in)
{
    return (tpgnn_layer){add(p, layer, "weight", AG_SHAPE(out, in), ag_init_xavier_uniform(1)),
                         add(p, layer, "bias", AG_SHAPE(out), ag_init_constant(0))};
}

static void add_convolution(const place *p, int k)
{
    const int h = p->model->options.hidden;
    char layer[32];
    snprintf(layer, sizeof layer, "layer.%d", k);
    const ag_init init = ag_init_xavier_uniform(1), zero = ag_init_constant(0);
    p->member->layer[k] =
        (ag_sage_concat_weights){.operands = add(p, layer, "above.weight", AG_SHAPE(h, h), init),
                                 .operands_bias = add(p, layer, "above.bias", AG_SHAPE(h), zero),
                                 .users = add(p, layer, "below.weight", AG_SHAPE(h, h), init),
                                 .users_bias = add(p, layer, "below.bias", AG_SHAPE(h), zero),
                                 .join = add(p, layer, "join.weight", AG_SHAPE(h, 3 * h), init),
                                 .join_bias = add(p, layer, "join.bias", AG_SHAPE(h), zero)};
}

/* FastText has vectors of classes, which replace both the type and the class. */
static void add_tables(const place *p)
{
    const tpgnn_options *o = &p->model->options;
    const int h = o->hidden, words = o->types == TPGNN_WORDS;
    for (int f = 0; f < TPGNN_FIELDS; f++) {
        if (words && f == TPGNN_TYPE) continue;
        const int through = words && f == TPGNN_CLASS;
        const ag_shape shape = through ? AG_SHAPE(h, TPGNN_VECTOR) : AG_SHAPE(o->words[f], h);
        const ag_init init = through ? ag_init_xavier_uniform(1) : ag_init_normal(0, 0.1);
        p->member->table[f] = add(p, "embedding", tpgnn_field_names[f], shape, init);
    }
}

static void add_rows(const place *p)
{
    p->member->row = add_layer(p, "row", p->model->options.hidden, TPGNN_ROW);
    p->member->factor = add(p, "factor", "weight", AG_SHAPE(1, 1), ag_init_constant(1));
}

static void add_member(const place *p)
{
    const tpgnn_options *o = &p->model->options;
    tpgnn_member *m = p->member;
    if (tpgnn_reads_graph(o)) {
        add_tables(p);
        m->input = add_layer(p, "input", o->hidden, TPGNN_NUMBERS);
        for (int k = 0; k < o->layers; k++) add_convolution(p, k);
    }
    if (o->rows) add_rows(p);
    if (tpgnn_reads_graph(o))
        m->join = add_layer(p, "join", o->hidden, (o->rows ? 3 : 2) * o->hidden);
    m->hidden = add_layer(p, "hidden", o->hidden, o->hidden);
    m->output = add_layer(p, "output", 1, o->hidden);
}

static void add_statements(tpgnn_model *m)
{
    for (int i = 0; i < m->options.members; i++) add_member(&(place){m, &m->member[i], i});
}

static ag_status add_paper(tpgnn_model *m, ag_failure *why)
{
    const tpgnn_options *o = &m->options;
    if (o->types == TPGNN_TABLE)
        m->class_table =
            ag_params_add(m->params, "embedding.class",
                          AG_SHAPE(o->words[TPGNN_CLASS], TPGNN_VECTOR), ag_init_normal(0, 1), 1);
    return tpgnn_paper_add(&m->paper, m->params, &o->paper, why);
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
    if (o->trees < 0 || o->trees > TPGNN_MOST_TREES)
        return ag_fail(why, AG_EUSE, "--trees is %d; it must be 0 to %d", o->trees,
                       TPGNN_MOST_TREES);
    if (o->tree_sets < 1 || o->tree_sets > TPGNN_MOST_SETS)
        return ag_fail(why, AG_EUSE, "--tree-sets is %d; it must be 1 to %d", o->tree_sets,
                       TPGNN_MOST_SETS);
    if (o->members < 1 || o->members > TPGNN_MOST_MEMBERS)
        return ag_fail(why, AG_EUSE, "--members is %d; it must be 1 to %d", o->members,
                       TPGNN_MOST_MEMBERS);
    return AG_OK;
}

ag_status tpgnn_model_add(tpgnn_model *m, ag_params *params, const tpgnn_options *options,
                          ag_failure *why)
{
    *m = (tpgnn_model){.options = *options, .params = params};
    for (int k = 0; k < TPGNN_ROW; k++) m->scale.deviation[k] = 1; /* as they are, until the fit */
    if (check(options, why)) return why->status;
    const int trees = options->trees * options->tree_sets;
    const size_t vectors = (size_t)options->words[TPGNN_CLASS] * TPGNN_VECTOR;
    if (options->types == TPGNN_WORDS) m->vector = ag_alloc(vectors * sizeof *m->vector);
    if (!params || (options->types == TPGNN_WORDS && !m->vector))
        return ag_fail(why, AG_EMEMORY, "There is no memory for the model");
    for (size_t i = 0; m->vector && i < vectors; i++) m->vector[i] = 0;
    if (options->network == TPGNN_PAPER) return add_paper(m, why);
    add_statements(m);
    return trees ? harness_trees_open(&m->trees, trees, TPGNN_DEPTH, why) : AG_OK;
}

void tpgnn_model_free(tpgnn_model *m)
{
    ag_params_free(m->params);
    ag_free(m->vector);
    harness_trees_close(&m->trees);
    m->params = NULL;
    m->vector = NULL;
}
