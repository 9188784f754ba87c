/* SPDX-License-Identifier: MIT */
/* TGraph on one program, in the build's precision. */
#include "support/model_runner.h"
#include "net.h"

#include <stdlib.h>
#include <string.h>

struct model {
    ag_params *params; /* net.h */
    tgraph_model net;
    tgraph_graph graph;
    tgraph_program program;
    ag_tape *tape;
    nests_joined_batch rows;
    const model_data *data; /* of the gradient check */
};

/* ---- life ---- */

/* The caller's graph, with features in the build's precision. */
static tgraph_graph graph_of(const model_graph *from)
{
    const int n = from->nodes * TGRAPH_NUMERIC;
    const tgraph_graph g = {.nodes = from->nodes,
                            .edges = from->edges,
                            .configurable = from->configurable,
                            .feature = calloc((size_t)n + 1, sizeof *g.feature),
                            .layout = from->layout,
                            .opcode = from->opcode,
                            .edge = from->edge,
                            .config_node = from->config_node};
    for (int i = 0; i < n; i++) g.feature[i] = (ag_real)from->feature[i];
    return g;
}

static void destroy(model *m)
{
    ag_tape_free(m->tape);
    tgraph_program_free(&m->program);
    nests_joined_batch_free(&m->rows);
    nests_joined_free(&m->net.joined);
    ag_params_free(m->net.params);
    free(m->graph.feature);
    free(m);
}

static model *create(const tgraph_options *options, const model_graph *graph, uint64_t seed,
                     char why[MODEL_WHY])
{
    ag_failure failure = {0};
    model *m = calloc(1, sizeof *m);
    m->graph = graph_of(graph);
    m->params = ag_params_new();
    m->tape = ag_tape_new(AG_CPU);
    if (!tgraph_model_add(&m->net, m->params, options, &failure) &&
        !ag_params_build(m->params, seed))
        tgraph_program_new(&m->program, &m->graph, options, &failure);
    for (int k = 0; k < m->net.joined.scale.columns; k++) m->net.joined.scale.deviation[k] = 1;
    strcpy(why, failure.sentence);
    if (!*why) return m;
    destroy(m);
    return NULL;
}

/* ---- runs ---- */

static ag_tensor *record(model *m, ag_tape *tape, const model_data *d)
{
    const bool uses = m->net.joined.use != NESTS_UNUSED;
    if (uses)
        nests_joined_fill(&m->rows, &m->net.joined, &d->rows, d->place, d->configs * m->graph.nodes,
                          NULL);
    ag_tensor *scores =
        tgraph_forward(&m->net, tape, &m->program, d->digit, uses ? &m->rows : NULL, d->configs);
    return nests_mean_scores(scores, d->configs);
}

static void scores(model *m, const model_data *d, double *score, char why[MODEL_WHY])
{
    ag_tape_reset(m->tape);
    ag_tape_training(m->tape, 0);
    ag_tensor *s = record(m, m->tape, d);
    ag_forward(s);
    strcpy(why, ag_error(m->tape));
    if (!*why) net_read_tensor(score, s);
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
    ag_params_reset(m->params);
    ag_tape_reset(m->tape);
    ag_tape_training(m->tape, 1);
    ag_tape_seed(m->tape, 1, (uint64_t)step);
    ag_tensor *y = hinge_of(m, d, &score, &s);
    ag_backward(y);
    strcpy(why, ag_error(m->tape));
    if (!*why && score) net_read_tensor(score, s);
    return (double)ag_item(y);
}

static void update(model *m, double lr, double decay, double clip, double *norm,
                   char why[MODEL_WHY])
{
    const ag_adamw options = {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8, .decay = decay};
    ag_failure failure = {0};
    if (ag_clip_norm(m->params, clip, norm, &failure) == AG_OK)
        ag_adamw_step(m->params, &options, lr, &failure);
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
    ag_params_reset(m->params);
    return ag_gradcheck(smooth, m, m->params, &options, where);
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
    .name = NET_PRECISION,
    .create = create,
    .destroy = destroy,
    .params = net_params,
    .param = net_param,
    .set = net_set,
    .value = net_value,
    .gradient = net_gradient,
    .scores = scores,
    .loss = loss,
    .update = update,
    .gradcheck = gradcheck,
    .plan = plan,
};
