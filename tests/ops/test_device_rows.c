/* SPDX-License-Identifier: MIT */
/* Short rows on a device (ROW_OF): values and gradients are those of the CPU at the borders of each
   number of lanes, and a row has no more lanes than it has use for. */
#include "support/device_tape.h"

enum { HEADS = 3, MOST_NODES = 37, MOST_COLUMNS = 33, MESSAGES = 2 * MOST_NODES + 1 };
static const int columns_tried[] = {1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33};
static const int rows_tried[] = {1, 2, MOST_NODES}; /* none fills its last warp */

/* Parameters: rows as the name says, of n columns or one, or heads of n. */
enum { X, Z, G, B, S, EDGE, X_HEADS, Z_HEADS, G_HEADS, W, MATRIX, QKV, PARAMS };

/* The operands that an op may be built from. */
typedef struct bed {
    int rows, n;
    ag_tape *tape;
    ag_params *params;
    ag_graph *graph;
    ag_param *param[PARAMS];
    int32_t named[MOST_NODES], ends[4];
    ag_tensor *p[PARAMS], *index, *starts;
    ag_edges edges;
} bed;

/* Ops by name. Of a pooled graph: its arrays have places that no message is at. */
#define WIDE_POOLED ag_topk(b->p[X_HEADS], b->p[G_HEADS], b->edges, 0.5f)
#define ROW_OPS(OP)                                                                               \
 OP(softmax, ag_softmax(b->p[X]))                                                                 \
 OP(log_softmax, ag_log_softmax(b->p[X]))                                                         \
 OP(layer_norm, ag_layer_norm(b->p[X], b->p[G], b->p[B], 0.1f))                                   \
 OP(l2_norm, ag_l2_norm(b->p[X], 1e-3f))                                                          \
 OP(add_bias, ag_add_bias(b->p[X], b->p[B]))                                                      \
 OP(mul_columns, ag_mul_columns(b->p[X], b->p[G]))                                                \
 OP(mul_rows, ag_mul_rows(b->p[X], b->p[S]))                                                      \
 OP(sum_columns, ag_sum_columns(b->p[X]))                                                         \
 OP(mean_columns, ag_mean_columns(b->p[X]))                                                       \
 OP(max_columns, ag_max_columns(b->p[X]))                                                         \
 OP(mean_rows, ag_mean_rows(b->p[X]))                                                             \
 OP(max_rows, ag_max_rows(b->p[X]))                                                               \
 OP(gather, ag_gather(b->p[X], b->index))                                                         \
 OP(scatter_sum, ag_scatter_sum(b->p[X], b->index, b->rows))                                      \
 OP(segment_mean, ag_segment_mean(b->p[X], b->starts))                                            \
 OP(segment_max, ag_segment_max(b->p[X], b->starts))                                              \
 OP(log_sum_exp, ag_segment_log_sum_exp(b->p[X], b->starts))                                      \
 OP(concat, ag_concat2(b->p[X], ag_reshape(b->p[S], AG_SHAPE(b->rows, 1)), 1))                    \
 OP(slice, ag_slice(b->p[X_HEADS], 1, b->n, b->n))                                                \
 OP(edge_add, ag_edge_add(b->p[X], b->p[Z], b->edges))                                            \
 OP(edge_softmax, ag_edge_softmax(b->p[EDGE], b->edges))                                          \
 OP(spmm_mean, ag_spmm(b->p[X], b->edges, AG_AGGREGATE_MEAN))                                     \
 OP(spmm_max, ag_spmm(b->p[X], b->edges, AG_AGGREGATE_MAX))                                       \
 OP(weighted, ag_spmm_weighted(b->p[X_HEADS], b->p[W], b->edges))                                 \
 OP(sddmm, ag_sddmm(b->p[X_HEADS], b->p[Z_HEADS], b->edges, HEADS))                               \
 OP(gcn, ag_gcn_conv(&(ag_gcn_weights){b->param[MATRIX], b->param[B]}, b->p[X], NULL, b->edges))  \
 OP(sage, ag_sage(&SAGE, b->p[X], b->edges, AG_AGGREGATE_MEAN, 1))                                \
 OP(graph_conv, ag_relu(ag_graph_conv(&SAGE, b->p[X], b->edges)))                                 \
 OP(topk, ag_topk(b->p[X], b->p[G], b->edges, 0.5f).x)                                            \
 OP(sag_pool, ag_sag_pool(b->p[X], b->p[S], b->edges, 0.5f).x)                                    \
 OP(attention, ag_attention(b->p[QKV], b->starts, HEADS, 0))                                      \
 OP(pooled_softmax, ag_edge_softmax(b->p[EDGE], ag_topk(b->p[X], b->p[G], b->edges, 0.5f).edges)) \
 OP(pooled_weighted, weighted_pooled(WIDE_POOLED, b->p[W]))                                       \
 OP(pooled_sddmm, sddmm_pooled(WIDE_POOLED))
#define SAGE ((ag_sage_weights){b->param[MATRIX], b->param[B], b->param[MATRIX]})

static ag_tensor *weighted_pooled(ag_pooled p, ag_tensor *w)
{
    return ag_spmm_weighted(p.x, w, p.edges);
}

static ag_tensor *sddmm_pooled(ag_pooled p) { return ag_sddmm(p.x, p.x, p.edges, HEADS); }

#define OP(name, call) \
 static ag_tensor *name(const bed *b) { return call; }
ROW_OPS(OP)
#undef OP

typedef struct row_op {
    const char *name;
    ag_tensor *(*build)(const bed *b);
} row_op;
#define OP(name, call) {#name, name},
static const row_op ops[] = {ROW_OPS(OP)};
enum { OPS = sizeof ops / sizeof *ops };

/* ---- one op, both ways ---- */

static const float *weights_of(int from) { return data + from % 1000; }

static ag_graph *graph_of(int nodes)
{
    int32_t source[MESSAGES], target[MESSAGES];
    ag_random r = {7, (uint64_t)nodes, 0};
    for (int e = 0; e < MESSAGES; e++) { /* into all nodes but the last, and one gets many */
        source[e] = (int32_t)ag_random_below(&r, (uint32_t)nodes);
        target[e] = e % 3 ? (int32_t)ag_random_below(&r, (uint32_t)(nodes > 1 ? nodes - 1 : 1)) : 0;
    }
    return ag_graph_build(nodes, source, target, MESSAGES, AG_ALONG, NULL);
}

/* In place, since the tape borrows from it. */
static void open_bed(bed *b, int rows, int n, ag_device device)
{
    const ag_shape shape[PARAMS] = {
        [X] = AG_SHAPE(rows, n),
        [Z] = AG_SHAPE(rows, n),
        [G] = AG_SHAPE(n),
        [B] = AG_SHAPE(n),
        [S] = AG_SHAPE(rows),
        [EDGE] = AG_SHAPE(MESSAGES, n),
        [X_HEADS] = AG_SHAPE(rows, HEADS * n),
        [Z_HEADS] = AG_SHAPE(rows, HEADS * n),
        [G_HEADS] = AG_SHAPE(HEADS * n),
        [W] = AG_SHAPE(MESSAGES, HEADS),
        [MATRIX] = AG_SHAPE(n, n),
        [QKV] = AG_SHAPE(rows, 3 * HEADS * n),
    };
    static const char *const name[PARAMS] = {"x",  "z",  "g",  "b", "s",      "edge",
                                             "xh", "zh", "gh", "w", "matrix", "qkv"};
    static const int32_t index[] = {0, 1, -1, 1, 5, 36, 2, 2, 2, -1};
    *b = (bed){.rows = rows, .n = n, .tape = ag_tape_new(device), .params = ag_params_new()};
    for (int i = 0; i < PARAMS; i++)
        b->param[i] = ag_params_add(b->params, name[i], shape[i], ag_init_normal(0, 0.7), 1);
    assert_int_equal(ag_params_build(b->params, 5), AG_OK);
    assert_int_equal(ag_params_to(b->params, device, NULL), AG_OK);
    for (int i = 0; i < PARAMS; i++) b->p[i] = ag_parameter(b->tape, b->param[i]);
    for (int i = 0; i < rows; i++) b->named[i] = index[i % 10] < rows ? index[i % 10] : -1;
    memcpy(b->ends, (int32_t[]){0, rows / 3, rows / 3, rows}, sizeof b->ends);
    b->graph = graph_of(rows);
    b->index = ag_input_i32(b->tape, b->named, AG_SHAPE(rows));
    b->starts = ag_input_i32(b->tape, b->ends, AG_SHAPE(4));
    b->edges = ag_graph_edges(b->tape, b->graph);
}

static void close_bed(bed *b)
{
    ag_tape_free(b->tape);
    ag_graph_free(b->graph);
    ag_params_free(b->params);
}

/* The results: values of y, then the gradients. */
typedef struct outcome {
    int n;
    float v[1 << 16];
} outcome;

static void put(outcome *out, const float *v, int64_t n)
{
    assert_true(out->n + n <= 1 << 16);
    memcpy(out->v + out->n, v, (size_t)n * sizeof *v);
    out->n += (int)n;
}

/* The loss is <y, constants>. */
static void both_ways(bed *b, const row_op *op, outcome *out)
{
    ag_tensor *y = ag_keep(op->build(b));
    const ag_shape shape = ag_shape_of(y);
    const int64_t n = ag_shape_count(shape);
    static float constants[MESSAGES * HEADS * MOST_COLUMNS];
    assert_true(n <= MESSAGES * HEADS * MOST_COLUMNS);
    for (int64_t i = 0; i < n; i++) constants[i] = *weights_of((int)(i * 31));
    ag_backward(ag_sum_all(ag_mul(y, ag_input(b->tape, constants, shape))));
    const float *values = ag_values(y);
    if (ag_failed(b->tape)) fail_msg("%s: %s", op->name, ag_error(b->tape));
    put(out, values, n);
    assert_int_equal(ag_params_fetch(b->params, NULL), AG_OK);
    for (int i = 0; i < PARAMS; i++) put(out, b->param[i]->gradient, b->param[i]->count);
}

static void run_op(outcome *out, const row_op *op, int rows, int n, ag_device device)
{
    bed b;
    out->n = 0;
    open_bed(&b, rows, n, device);
    both_ways(&b, op, out);
    close_bed(&b);
}

static void compare(const row_op *op, int rows, int n)
{
    static outcome want, got, again;
    run_op(&want, op, rows, n, AG_CPU);
    run_op(&got, op, rows, n, AG_CUDA);
    run_op(&again, op, rows, n, AG_CUDA);
    assert_int_equal(want.n, got.n);
    for (int i = 0; i < want.n; i++)
        if (!(fabsf(want.v[i] - got.v[i]) <= 1e-5f * (1 + fabsf(want.v[i]))))
            fail_msg("%s of %d rows of %d: number %d of %d is %g, but on the CPU %g", op->name,
                     rows, n, i, want.n, (double)got.v[i], (double)want.v[i]);
    assert_memory_equal(got.v, again.v, (size_t)got.n * sizeof *got.v);
}

static void rows_are_those_of_the_cpu(void **state)
{
    for (int o = 0; o < OPS; o++)
        for (size_t r = 0; r < sizeof rows_tried / sizeof *rows_tried; r++)
            for (size_t c = 0; c < sizeof columns_tried / sizeof *columns_tried; c++)
                compare(&ops[o], rows_tried[r], columns_tried[c]);
}

/* ---- how many threads there are ---- */

/* Threads of what the op launches forward. */
static long threads_of(const row_op *op, int n)
{
    const long before = cuda_on_host_count().threads;
    bed b;
    open_bed(&b, MOST_NODES, n, AG_CUDA);
    ag_tensor *y = op->build(&b);
    ag_forward(y);
    ag_values(y);
    assert_string_equal(ag_error(b.tape), "");
    close_bed(&b);
    return cuda_on_host_count().threads - before;
}

static void a_row_has_the_lanes_it_can_use(void **state)
{
    static const struct {
        row_op op;
        int rows;
    } tried[] = {
        {{"softmax", softmax}, MOST_NODES},           {{"slice", slice}, MOST_NODES},
        {{"sum_columns", sum_columns}, MOST_NODES},   {{"edge_add", edge_add}, MOST_NODES},
        {{"add_bias", add_bias}, MOST_NODES},         {{"spmm_mean", spmm_mean}, MOST_NODES},
        {{"edge_softmax", edge_softmax}, MOST_NODES}, {{"weighted", weighted}, MOST_NODES * HEADS},
        {{"sddmm", sddmm}, MOST_NODES * HEADS}};
    if (!cuda_on_host_count) skip();
    for (size_t t = 0; t < sizeof tried / sizeof *tried; t++)
        for (size_t c = 0; c < sizeof columns_tried / sizeof *columns_tried; c++) {
            const int n = columns_tried[c];
            long lanes = 1;
            while (lanes < n && lanes < 32) lanes *= 2;
            const long least = tried[t].rows * lanes, block = lanes < 32 ? 64 : 256;
            const long have = threads_of(&tried[t].op, n);
            if (have < least || have >= least + block)
                fail_msg("%s of %d columns has %ld threads for %d rows of %ld lanes",
                         tried[t].op.name, n, have, tried[t].rows, lanes);
        }
}

int main(void) { return run_there(rows_are_those_of_the_cpu, a_row_has_the_lanes_it_can_use); }
