/* SPDX-License-Identifier: MIT */
/* TGraph on one program, in the build's precision. */
#include "support/model_runner.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct model {
    tgraph_model net;
    tgraph_graph graph;
    tgraph_program program;
    ag_tape *tape;
    nests_joined_batch rows;
    ag_real tile[MODEL_CONFIGS * TPUGRAPHS_TILE_FEATURES];
    const model_data *data; /* of the gradient check */
};

/* ---- life ---- */

static void *copy_of(const void *from, size_t count, size_t size)
{
    void *to = calloc(count + 1, size);
    if (to && from && count) memcpy(to, from, count * size);
    return to;
}

static void copy_graph(tgraph_graph *to, const model_graph *from)
{
    const size_t n = (size_t)from->nodes, int_size = sizeof(int32_t);
    *to = (tgraph_graph){
        .nodes = from->nodes, .edges = from->edges, .configurable = from->configurable};
    to->feature = calloc(n * TGRAPH_NUMERIC + 1, sizeof(ag_real));
    for (size_t i = 0; i < n * TGRAPH_NUMERIC; i++) to->feature[i] = (ag_real)from->feature[i];
    to->layout = copy_of(from->layout, n * TGRAPH_LAYOUT, int_size);
    to->opcode = copy_of(from->opcode, n, int_size);
    to->edge = copy_of(from->edge, 2 * (size_t)from->edges, int_size);
    if (from->config_node)
        to->config_node = copy_of(from->config_node, (size_t)from->configurable, int_size);
}

static void destroy(model *m)
{
    ag_tape_free(m->tape);
    tgraph_program_free(&m->program);
    nests_joined_batch_free(&m->rows);
    if (m->net.params) tgraph_model_free(&m->net);
    free(m->graph.feature);
    free(m->graph.layout);
    free(m->graph.opcode);
    free(m->graph.edge);
    free(m->graph.config_node);
    free(m);
}

static model *create(const tgraph_options *options, const model_graph *graph, uint64_t seed,
                     char why[MODEL_WHY])
{
    ag_failure failure = {0};
    model *m = calloc(1, sizeof *m);
    copy_graph(&m->graph, graph);
    m->tape = ag_tape_new(AG_CPU);
    if (!tgraph_model_add(&m->net, ag_params_new(), options, &failure) &&
        !ag_params_build(m->net.params, seed))
        tgraph_program_new(&m->program, &m->graph, options, &failure);
    for (int k = 0; k < m->net.joined.scale.columns; k++) m->net.joined.scale.deviation[k] = 1;
    strcpy(why, failure.sentence);
    if (!*why) return m;
    destroy(m);
    return NULL;
}

/* ---- parameters ---- */

static int params(const model *m) { return m->net.params->count; }

static const char *param(const model *m, int index, int64_t *count)
{
    const ag_param *p = m->net.params->list[index];
    *count = p->count;
    return p->name;
}

static void set(model *m, int index, const double *value)
{
    const ag_param *p = m->net.params->list[index];
    for (int64_t i = 0; i < p->count; i++) p->value[i] = (ag_real)value[i];
}

static void value(const model *m, int index, double *out)
{
    const ag_param *p = m->net.params->list[index];
    for (int64_t i = 0; i < p->count; i++) out[i] = (double)p->value[i];
}

static void gradient(const model *m, int index, double *out)
{
    const ag_param *p = m->net.params->list[index];
    for (int64_t i = 0; i < p->count; i++) out[i] = (double)p->gradient[i];
}

static uint64_t hash(const model *m)
{
    const ag_params *p = m->net.params;
    const size_t bytes = (size_t)p->size * sizeof(ag_real);
    return XXH3_64bits(p->value, bytes) ^ 3 * XXH3_64bits(p->m, bytes) ^
           5 * XXH3_64bits(p->v, bytes);
}

/* ---- runs ---- */

static ag_tensor *record(model *m, ag_tape *tape, const model_data *d)
{
    const bool uses = m->net.joined.use != NESTS_UNUSED;
    ag_failure why = {0};
    if (uses && nests_joined_fill(&m->rows, &m->net.joined, &d->rows, d->place,
                                  d->configs * m->graph.nodes, NULL, &why))
        return NULL;
    if (!m->net.options.tile)
        return tgraph_forward(&m->net, tape, &m->program, d->digit, uses ? &m->rows : NULL,
                              d->configs);
    for (int i = 0; i < d->configs * TPUGRAPHS_TILE_FEATURES; i++)
        m->tile[i] = (ag_real)d->feature[i];
    return tgraph_tile_forward(&m->net, tape, &m->program, m->tile, d->configs);
}

static void read_tensor(double *out, const ag_tensor *x)
{
    const ag_real *v = ag_values(x);
    const int64_t n = ag_shape_count(ag_shape_of(x));
    for (int64_t i = 0; i < n; i++) out[i] = v ? (double)v[i] : (double)NAN;
}

static void scores(model *m, const model_data *d, double *score, char why[MODEL_WHY])
{
    ag_tape_reset(m->tape);
    ag_tape_training(m->tape, 0);
    ag_tensor *s = record(m, m->tape, d);
    ag_forward(s);
    strcpy(why, ag_error(m->tape));
    if (!*why) read_tensor(score, s);
}

static ag_tensor *hinge_of(model *m, const model_data *d, double **score, ag_tensor **s)
{
    *s = record(m, m->tape, d);
    if (*score) ag_keep(*s);
    ag_tensor *rank = ag_input_i32(m->tape, d->rank, AG_SHAPE(d->configs));
    return ag_pairwise_hinge(*s, rank, 1, AG_MEAN);
}

static double loss(model *m, const model_data *d, int64_t step, double *score, char why[MODEL_WHY])
{
    ag_tensor *s;
    ag_params_reset(m->net.params);
    ag_tape_reset(m->tape);
    ag_tape_training(m->tape, 1);
    ag_tape_seed(m->tape, 1, (uint64_t)step);
    ag_tensor *y = hinge_of(m, d, &score, &s);
    ag_backward(y);
    strcpy(why, ag_error(m->tape));
    if (!*why && score) read_tensor(score, s);
    return (double)ag_item(y);
}

static void update(model *m, double lr, double decay, double clip, double *norm,
                   char why[MODEL_WHY])
{
    const ag_adamw options = {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8, .decay = decay};
    ag_failure failure = {0};
    if (ag_clip_norm(m->net.params, clip, norm, &failure) == AG_OK)
        ag_adamw_step(m->net.params, &options, lr, &failure);
    strcpy(why, failure.sentence);
}

/* Every pair is far below the margin, so the hinge has no kink near; the square makes the loss
   depend on more than differences of scores. */
static ag_tensor *smooth(ag_tape *tape, void *context)
{
    model *m = context;
    const model_data *d = m->data;
    ag_tape_training(tape, 0);
    ag_tensor *s = record(m, tape, d);
    ag_tensor *rank = ag_input_i32(tape, d->rank, AG_SHAPE(d->configs));
    ag_tensor *y = ag_pairwise_hinge(s, rank, 8, AG_MEAN);
    return ag_scale(ag_add(y, ag_mean_all(ag_square(s))), 100);
}

static double gradcheck(model *m, const model_data *d, double *score, char where[200])
{
    const ag_gradcheck_options options = {.full = 8, .directions = 3, .entries = 8, .seed = 5};
    char why[MODEL_WHY];
    m->data = d;
    scores(m, d, score, why);
    ag_params_reset(m->net.params);
    return ag_gradcheck(smooth, m, m->net.params, &options, where);
}

static ag_plan_summary plan(model *m, const model_data *d, int training, char why[MODEL_WHY])
{
    ag_tensor *s;
    double *unread = NULL;
    ag_tape_reset(m->tape);
    ag_tape_training(m->tape, training);
    ag_tensor *y = training ? hinge_of(m, d, &unread, &s) : record(m, m->tape, d);
    const ag_plan_summary summary = ag_plan_of(y, training);
    strcpy(why, ag_error(m->tape));
    return summary;
}

const model_api ag__model = {
    .name = sizeof(ag_real) == sizeof(double) ? "double" : "float",
    .create = create,
    .destroy = destroy,
    .params = params,
    .param = param,
    .set = set,
    .value = value,
    .gradient = gradient,
    .hash = hash,
    .scores = scores,
    .loss = loss,
    .update = update,
    .gradcheck = gradcheck,
    .plan = plan,
};
