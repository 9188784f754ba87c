/* SPDX-License-Identifier: MIT */
/* Layers compared with those of PyTorch and PyG (tests/golden/make_layers.py), after their
   state_dict is loaded as it is: results and gradients. */
#include "support/test.h"
#include "support/golden.h"
#include "augur.h"
#include "core/internal.h"

/* The tensors that a layer may read. */
typedef struct inputs {
    ag_tensor *x, *features, *weight, *starts, *index; /* weight: one for each message */
    ag_edges edges;
} inputs;

/* ---- the layers ---- */

static const int mlp_widths[] = {4, 5, 6, 3}, gin_widths[] = {4, 5, 3};

/* The mean of ln(degree + 1) of nodes with 0, 1, 1, 2, 2 and 2 messages. */
#define LOG_DEGREE (ag_real)((2 * log(2) + 3 * log(3)) / 6)

/* LAYER(name, type, how it is made, how it is applied) */
#define LAYERS                                                                                    \
 LAYER(linear, linear, ag_layer_linear(p, name, 4, 3, 1), ag_apply_linear(l, in->x))              \
 LAYER(mlp, mlp, ag_layer_mlp(p, name, mlp_widths, 4), ag_apply_mlp(l, in->x))                    \
 LAYER(embedding, embedding, ag_layer_embedding(p, name, 7, 3), ag_apply_embedding(l, in->index)) \
 LAYER(layer_norm, layer_norm, ag_layer_layer_norm(p, name, 4, 1), ag_apply_layer_norm(l, in->x)) \
 LAYER(instance_norm, instance_norm, ag_layer_instance_norm(p, name, 4, 1),                       \
       ag_apply_instance_norm(l, in->x, in->starts))                                              \
 LAYER(batch_norm, batch_norm, ag_layer_batch_norm(p, name, 4), ag_apply_batch_norm(l, in->x))    \
 LAYER(batch_norm_eval, batch_norm, ag_layer_batch_norm(p, name, 4),                              \
       ag_apply_batch_norm(l, in->x))                                                             \
 LAYER(sage, sage, ag_layer_sage(p, name, 4, 3), ag_apply_sage(l, in->x, in->edges))              \
 LAYER(graph_conv, graph_conv, ag_layer_graph_conv(p, name, 4, 3),                                \
       ag_apply_graph_conv(l, in->x, in->edges))                                                  \
 LAYER(graph_conv_weighted, graph_conv, ag_layer_graph_conv(p, name, 4, 3),                       \
       ag_graph_conv_weighted(&l->weights, in->x, in->weight, in->edges))                         \
 LAYER(gcn, gcn, ag_layer_gcn(p, name, 4, 3), ag_apply_gcn(l, in->x, in->edges))                  \
 LAYER(gcn_weighted, gcn, ag_layer_gcn(p, name, 4, 3),                                            \
       ag_gcn_conv_weighted(&l->weights, in->x, in->weight, in->edges))                           \
 LAYER(gat, gat, ag_layer_gat(p, name, 4, 3, 2, 0, 0), ag_apply_gat(l, in->x, NULL, in->edges))   \
 LAYER(gat_mean, gat, ag_layer_gat(p, name, 4, 3, 2, 1, 0),                                       \
       ag_apply_gat(l, in->x, NULL, in->edges))                                                   \
 LAYER(gat_edge, gat, ag_layer_gat(p, name, 4, 3, 2, 0, 2),                                       \
       ag_apply_gat(l, in->x, in->features, in->edges))                                           \
 LAYER(gat2, gat2, ag_layer_gat2(p, name, 4, 3, 2, 0, 0),                                         \
       ag_apply_gat2(l, in->x, NULL, in->edges))                                                  \
 LAYER(gat2_edge, gat2, ag_layer_gat2(p, name, 4, 3, 2, 1, 2),                                    \
       ag_apply_gat2(l, in->x, in->features, in->edges))                                          \
 LAYER(gin, gin, ag_layer_gin(p, name, gin_widths, 3), ag_apply_gin(l, in->x, in->edges))         \
 LAYER(gated_conv, gated_conv, ag_layer_gated_conv(p, name, 4, 3, 0),                             \
       ag_apply_gated_conv(l, in->x, NULL, in->edges))                                            \
 LAYER(gated_conv_edge, gated_conv, ag_layer_gated_conv(p, name, 4, 3, 2),                        \
       ag_apply_gated_conv(l, in->x, in->features, in->edges))                                    \
 LAYER(pna, pna, ag_layer_pna(p, name, 4, 3, 1), ag_apply_pna(l, in->x, in->edges))               \
 LAYER(pna_nodes, linear, (ag_linear_layer){0},                                                   \
       ((void)l, ag_message_pna(ag_gather(in->x, in->edges.sources), in->edges, LOG_DEGREE)))     \
 LAYER(topk, topk, ag_layer_topk(p, name, 4, (ag_real)0.5), ag_apply_topk(l, in->x, in->edges).x) \
 LAYER(sag_pool, sag_pool, ag_layer_sag_pool(p, name, 4, (ag_real)0.5),                           \
       ag_apply_sag_pool(l, in->x, in->edges).x)                                                  \
 LAYER(lstm, recurrent, ag_layer_lstm(p, name, 4, 3, 2, 1),                                       \
       ag_apply_recurrent(l, in->x, in->starts))                                                  \
 LAYER(lstm_last, recurrent, ag_layer_lstm(p, name, 4, 3, 1, 0),                                  \
       ag_apply_recurrent_last(l, in->x, in->starts))                                             \
 LAYER(gru, recurrent, ag_layer_gru(p, name, 4, 3, 2, 1),                                         \
       ag_apply_recurrent(l, in->x, in->starts))                                                  \
 LAYER(gru_last, recurrent, ag_layer_gru(p, name, 4, 3, 1, 0),                                    \
       ag_apply_recurrent_last(l, in->x, in->starts))                                             \
 LAYER(encoder, encoder, ag_layer_encoder(p, name, 4, 2, 5), ag_apply_encoder(l, in->x, in->starts))

#define LAYER(NAME, TYPE, MAKE, APPLY)                                    \
 static ag_##TYPE##_layer NAME;                                           \
 static void make_##NAME(ag_params *p, const char *name) { NAME = MAKE; } \
 static ag_tensor *apply_##NAME(const inputs *in)                         \
 {                                                                        \
  const ag_##TYPE##_layer *l = &NAME;                                     \
  return APPLY;                                                           \
 }
LAYERS
#undef LAYER

typedef struct layer {
    const char *name;
    void (*make)(ag_params *params, const char *name);
    ag_tensor *(*apply)(const inputs *in);
} layer;

#define LAYER(NAME, TYPE, MAKE, APPLY) {#NAME, make_##NAME, apply_##NAME},
static const layer layers[] = {LAYERS};
enum { LAYERS_MADE = sizeof layers / sizeof *layers, MOST = 768 };

static const int nodes[] = {1, 8, 4, 0, 3}; /* of each graph */
enum { GRAPHS = sizeof nodes / sizeof *nodes, NODES = 16, EDGES = 16 };

/* ---- the files ---- */

static golden *file;
static ag_params *params, *x_params;
static ag_param *x, *edge_features;
static ag_graph *graph;

static void load_state_dict(void)
{
    ag_checkpoint *c = expect_made(
        ag_checkpoint_open(AG_SOURCE_DIR "/tests/golden/layers.safetensors", new_failure()));
    expect_ok(ag_params_load(params, c, 0, new_failure()));
    ag_checkpoint_close(c);
}

static void make_graph(void)
{
    int64_t m;
    int32_t *edge = golden_ints(file, &m, "graph", "edges"), source[EDGES], target[EDGES];
    ag_graph *part[GRAPHS];
    const ag_graph *list[GRAPHS];
    for (int g = 0, first = 0; g < GRAPHS; first += nodes[g++]) {
        int n = 0;
        for (int k = 0; k < m / 2; k++) {
            if (edge[2 * k] < first || edge[2 * k] >= first + nodes[g]) continue;
            source[n] = edge[2 * k] - first;
            target[n++] = edge[2 * k + 1] - first;
        }
        list[g] = part[g] = ag_graph_build(nodes[g], source, target, n, AG_ALONG, NULL);
    }
    graph = ag_graph_batch(list, GRAPHS, NULL);
    for (int g = 0; g < GRAPHS; g++) ag_graph_free(part[g]);
    free(edge);
}

static int open_files(void **state)
{
    file = golden_open(AG_SOURCE_DIR "/tests/golden/layers.npz");
    params = ag_params_new();
    x_params = ag_params_new();
    x = ag_params_add(x_params, "x", AG_SHAPE(NODES, 4), ag_init_constant(0), 0);
    edge_features = ag_params_add(x_params, "e", AG_SHAPE(EDGES, 2), ag_init_constant(0), 0);
    for (int i = 0; i < LAYERS_MADE; i++) layers[i].make(params, layers[i].name);
    assert_int_equal(ag_params_build(params, 1) || ag_params_build(x_params, 1), AG_OK);
    make_graph();
    return !graph;
}

static int close_files(void **state)
{
    golden_close(file);
    ag_params_free(params);
    ag_params_free(x_params);
    ag_graph_free(graph);
    return 0;
}

/* A member as numbers of the library. */
static ag_shape read_reals(ag_real *out, const char *name, const char *what)
{
    golden_array a = golden_read(file, "%s.%s", name, what);
    ag_shape shape = AG_SCALAR;
    assert_non_null(a.value);
    assert_in_range(a.count, 0, MOST);
    shape.rank = a.rank;
    for (int i = 0; i < a.rank; i++) shape.size[i] = (int)a.size[i];
    for (int64_t i = 0; i < a.count; i++) out[i] = (ag_real)a.value[i];
    golden_free(&a);
    return shape;
}

static int compared; /* members of the file */

/* 1: the values are not those of the member, which may be missing, in units of its largest or 1. */
static int compare(const ag_real *value, const char *name, const char *what, double most)
{
    golden_array a = golden_read(file, "%s.%s", name, what);
    double scale = 1, worst = 0;
    if (!a.value) return 0;
    compared++;
    for (int64_t i = 0; i < a.count; i++) scale = fmax(scale, fabs(a.value[i]));
    for (int64_t i = 0; i < a.count; i++) {
        const double error = fabs((double)value[i] - a.value[i]) / scale;
        if (!(error <= worst)) worst = error;
    }
    golden_free(&a);
    if (worst <= most) return 0;
    print_error("%s.%s: error %g\n", name, what, worst);
    return 1;
}

/* ---- tests ---- */

/* The parameters of the layer: gradients, and running statistics after the step. */
static int compare_parameters(const char *name)
{
    const size_t n = strlen(name);
    int wrong = 0;
    for (int i = 0; i < params->count; i++) {
        const ag_param *p = params->list[i];
        if (strncmp(p->name, name, n) != 0 || p->name[n] != '.') continue;
        wrong += compare(p->gradient, name, formatted("g%s", p->name + n), 1e-4);
        wrong += compare(p->value, name, formatted("after%s", p->name + n), 1e-5);
    }
    return wrong;
}

/* The layer with its inputs of the file, and <y, cotangent>. */
static ag_tensor *record(const layer *l, ag_tape *tape, ag_tensor **y)
{
    static const int32_t index[] = {3, 0, 6, 3, 1, 1, 5, 0};
    static ag_real cotangent[MOST];
    ag_tape_training(tape, strcmp(l->name, "batch_norm") == 0);
    read_reals(x->value, l->name, "x");
    read_reals(edge_features->value, l->name, "e");
    const ag_shape of_y = read_reals(cotangent, l->name, "cotangent");
    inputs in = {.x = ag_parameter(tape, x), .edges = ag_graph_edges(tape, graph)};
    in.features = ag_edge_rows(ag_parameter(tape, edge_features), graph);
    in.weight = ag_squeeze(ag_shift(ag_slice(in.features, 1, 0, 1), (ag_real)1.25));
    in.index = ag_input_i32(tape, index, AG_SHAPE(8));
    in.starts = in.edges.starts;
    *y = ag_keep(l->apply(&in));
    if (!ag_failed(tape)) assert_true(ag_shape_equal(of_y, ag_shape_of(*y)));
    return ag_sum_all(ag_mul(*y, ag_input(tape, cotangent, of_y)));
}

static int run(const layer *l)
{
    ag_tensor *y;
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_backward(record(l, tape, &y));
    if (ag_failed(tape)) fail_msg("%s: %s", l->name, ag_error(tape));
    int wrong = compare(ag_values(y), l->name, "y", 1e-5) + compare_parameters(l->name);
    wrong += compare(x->gradient, l->name, "dx", 1e-4);
    wrong += compare(edge_features->gradient, l->name, "de", 1e-4);
    ag_tape_free(tape);
    ag_params_reset(params);
    ag_params_reset(x_params);
    return wrong;
}

static void test_golden(void **state)
{
    int wrong = 0;
    load_state_dict();
    for (int i = 0; i < LAYERS_MADE; i++) wrong += run(&layers[i]);
    assert_int_equal(wrong, 0);
    char name[100];
    int members = 0;
    while (golden_name(file, members, name)) members++;
    /* of each layer x, e and the cotangent are read, and the edges */
    assert_int_equal(compared, members - 3 * LAYERS_MADE - 1);
}

/* Whichever allocation fails, there is a sentence. */
static void test_no_memory(void **state)
{
    for (int i = 0; i < LAYERS_MADE; i++)
        for (int nth = 1, failed = 1; failed; nth++) {
            ag_tensor *y;
            ag__fail_allocation(nth, 0);
            ag_tape *tape = ag_tape_new(AG_CPU);
            ag_backward(record(&layers[i], tape, &y));
            ag__fail_allocation(0, 0);
            failed = ag_failed(tape);
            if (failed) assert_int_equal(ag_tape_status(tape), AG_EMEMORY);
            if (failed) assert_non_null(strstr(ag_error(tape), "emory"));
            ag_tape_free(tape);
            assert_in_range(nth, 1, 500);
        }
    ag_params_reset(params);
    ag_params_reset(x_params);
}

/* ---- initial values, names and refusals ---- */

/* U(+-bound), or bound twice: those of PyTorch and PyG. */
static void test_first_values(void **state)
{
    const struct {
        const char *name;
        double low, high;
    } want[] = {{"linear.weight", -0.5, 0.5},
                {"linear.bias", -0.5, 0.5},
                {"layer_norm.weight", 1, 1},
                {"batch_norm.running_var", 1, 1},
                {"gcn.lin.weight", -sqrt(6.0 / 7), sqrt(6.0 / 7)},
                {"gcn.bias", 0, 0},
                {"gat.att_src", -sqrt(6.0 / 5), sqrt(6.0 / 5)},
                {"gat.lin.weight", -sqrt(6.0 / 10), sqrt(6.0 / 10)},
                {"gat2_edge.lin_edge.weight", -sqrt(6.0 / 8), sqrt(6.0 / 8)},
                {"gat2.lin_l.bias", -0.5, 0.5},
                {"gin.eps", 0, 0},
                {"pna.aggr_module.avg_deg_log", 1, 1},
                {"topk.select.weight", -0.5, 0.5},
                {"lstm.weight_hh_l1_reverse", -sqrt(1.0 / 3), sqrt(1.0 / 3)},
                {"gru.bias_ih_l0", -sqrt(1.0 / 3), sqrt(1.0 / 3)},
                {"encoder.self_attn.in_proj_weight", -sqrt(6.0 / 16), sqrt(6.0 / 16)},
                {"encoder.self_attn.out_proj.bias", 0, 0}};
    ag_params *p = ag_params_new();
    for (int i = 0; i < LAYERS_MADE; i++) layers[i].make(p, layers[i].name);
    assert_int_equal(ag_params_build(p, 3), AG_OK);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const ag_param *w = ag_params_find(p, want[i].name);
        double low = INFINITY, high = -INFINITY;
        for (int64_t k = 0; w && k < w->count; k++) {
            low = fmin(low, (double)w->value[k]);
            high = fmax(high, (double)w->value[k]);
        }
        const double width = want[i].high - want[i].low;
        if (!(low >= want[i].low - 1e-6 && high <= want[i].high + 1e-6 && high - low >= width / 4))
            fail_msg("%s: %g to %g", want[i].name, low, high);
    }
    ag_params_free(p);
}

static void test_names(void **state)
{
    char text[128], long_name[200];
    assert_string_equal(ag_layer_name(text, "a", "b%d", 3), "a.b3");
    assert_string_equal(ag_layer_name(text, NULL, "b%d", 3), "b3");
    assert_string_equal(ag_layer_name(text, "", "b"), "b");
    memset(long_name, 'n', 199);
    long_name[199] = 0;
    ag_params *p = ag_params_new();
    ag_layer_linear(p, ag_layer_name(text, long_name, "b"), 2, 3, 1);
    expect_sentence(&p->failure, AG_EUSE, "a name has 1 to 127 printable");
    ag_params_free(p);
    p = ag_params_new();
    assert_string_equal(ag_layer_linear(p, NULL, 2, 3, 1).weight->name, "weight");
    assert_string_equal(ag_layer_linear(p, "head", 2, 3, 1).bias->name, "head.bias");
    assert_null(ag_layer_linear(p, "plain", 2, 3, 0).bias);
    ag_params_free(p);
}

static void expect_failure(ag_params *p, ag_status status, const char *sentence)
{
    expect_sentence(&p->failure, status, sentence);
    ag_params_free(p);
}

static void test_refused(void **state)
{
    ag_params *p = ag_params_new();
    const ag_mlp_layer none = ag_layer_mlp(p, "m", mlp_widths, 1);
    expect_failure(p, AG_EUSE, "ag_layer_mlp: layer \"m\" has 1 widths; it needs 2 to 9");
    p = ag_params_new();
    ag_layer_lstm(p, "l", 2, 3, 5, 0);
    expect_failure(p, AG_EUSE, "ag_layer_lstm: \"l\" has 5 layers, but must have 1 to 4");
    p = ag_params_new();
    ag_layer_gat(p, "g", 2, 1 << 20, 1 << 20, 0, 0);
    expect_failure(p, AG_ESHAPE, "\"g.bias\" has shape [-1]");
    ag_tape *tape = ag_tape_new(AG_CPU);
    inputs in = {.x = ag_parameter(tape, x), .edges = ag_graph_edges(tape, graph)};
    ag_apply_gated_conv(&gated_conv_edge, in.x, NULL, in.edges);
    assert_non_null(strstr(ag_error(tape), "ag_apply_gated_conv: x has 4 features and a message 0, "
                                           "but the weight of lin_key is [3,6]"));
    ag_tape_reset(tape);
    in = (inputs){.x = ag_parameter(tape, x), .edges = ag_graph_edges(tape, graph)};
    ag_apply_recurrent_last(&lstm, in.x, in.edges.starts);
    assert_non_null(strstr(ag_error(tape), "runs both ways"));
    ag_tape_reset(tape);
    ag_apply_mlp(&none, ag_parameter(tape, x));
    assert_non_null(strstr(ag_error(tape), "ag_apply_mlp: there are 0 layers"));
    ag_tape_free(tape);
}

/* Without options a step is one of the standard ones. */
static void test_minimize(void **state)
{
    const ag_adamw standard = ag_adamw_default();
    ag_tape *tape = ag_tape_new(AG_CPU);
    ag_param *w[2];
    ag_params *p[2];
    for (int i = 0; i < 2; i++) {
        p[i] = ag_params_new();
        w[i] = ag_params_add(p[i], "w", AG_SHAPE(3), ag_init_normal(0, 1), 1);
        ag_params_build(p[i], 1);
        const float before = w[i]->value[0];
        ag_tape_begin(tape, 1);
        ag_tensor *loss = ag_sum_all(ag_square(ag_parameter(tape, w[i])));
        assert_int_equal(ag_minimize(loss, p[i], i ? &standard : NULL, 0.1, NULL), AG_OK);
        assert_true(w[i]->value[0] != before);
    }
    assert_memory_equal(w[0]->value, w[1]->value, 3 * sizeof *w[0]->value);
    for (int i = 0; i < 2; i++) ag_params_free(p[i]);
    ag_tape_free(tape);
}

/* The last makes the layers again. */
int main(void)
{
    return RUN_TESTS_WITH(open_files, close_files, test_golden, test_no_memory, test_names,
                          test_refused, test_minimize, test_first_values);
}
