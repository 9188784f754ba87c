/* SPDX-License-Identifier: MIT */
/* The arrays of a graph on a tape: do their shapes and values fit together? */
#include "gnn/edges.h"
#include "core/shape.h"
#include "ops/ops.h"

/* ---- shapes ---- */

int ag__check_graph(ag_call *call, int at)
{
    const ag_shape *s = call->xs + at;
    if (s[0].rank != 2 || s[0].size[1] != 2 || s[2].rank != 2 || s[2].size[1] != 2 ||
        s[1].rank != 1 || s[3].rank != 2 || s[3].size[1] != 2 || s[1].size[0] != s[3].size[0] ||
        s[0].size[0] != s[2].size[0])
        return ag__reject(
            call, "the edges must be rows [n,2], sources [p], rows_t [n,2] and targets [p,2]");
    return 0;
}

int ag__check_edges(ag_call *call, int at)
{
    if (call->xs[0].rank < 1) return ag__reject_input(call, 0, "an axis of nodes is missing");
    const int n = call->xs[0].size[0];
    if (ag__check_graph(call, at)) return 1;
    if (call->xs[at].size[0] != n)
        return ag__reject_input(
            call, 0, "x has %d rows, but the graph has %d nodes; give it one row for each", n,
            call->xs[at].size[0]);
    return 0;
}

int ag__check_messages(ag_call *call)
{
    const ag_shape x = call->xs[0];
    if (ag__check_graph(call, 1)) return 1;
    if (x.rank < 1 || x.size[0] != call->xs[2].size[0])
        return ag__reject_input(call, 0, "x needs one row for each of the %d messages",
                                call->xs[2].size[0]);
    call->ys[0] = x;
    return 0;
}

int ag__has_weights(const void *weights, const ag_tensor *x, ag_edges edges, const char *who)
{
    ag_tape *tape = x ? ag_tape_of(x) : ag_tape_of(edges.rows);
    if (!weights) ag_tape_fail(tape, AG_EUSE, "%s: weights is NULL; give it the parameters", who);
    return weights && tape;
}

void ag__check_axes(const ag_tensor *x, int axes, const char *name, const char *wanted)
{
    char text[64];
    if (x && ag_shape_of(x).rank != axes)
        ag_tape_fail(ag_tape_of(x), AG_ESHAPE, "%s is %s, but must be [%s]", name,
                     ag_shape_text(text, ag_shape_of(x)), wanted);
}

/* ---- parts of layers ---- */

ag_tensor *ag__optional(ag_tape *tape, ag_param *p) { return p ? ag_parameter(tape, p) : NULL; }

ag_tensor *ag__linear(ag_tensor *x, ag_param *w, ag_param *b)
{
    ag_tape *tape = ag_tape_of(x);
    return ag_linear(x, ag_parameter(tape, w), ag__optional(tape, b));
}

/* ---- values ---- */

/* A caller's arrays. */
typedef struct arrays {
    ag_tape *tape;
    int nodes, messages;
    const int32_t *rows, *sources, *rows_t, *targets;
} arrays;

/* Rows follow each other and hold every message once. An empty one may begin at any message, since
   kernels form its address. */
static int rows_fit(const arrays *a, const int32_t *rows, const char *name)
{
    int64_t end = 0;
    for (int v = 0; v < a->nodes; v++) {
        const int32_t first = rows[2 * v], n = rows[2 * v + 1];
        const int misplaced = n ? first != end : first < 0 || first > a->messages;
        if (n < 0 || misplaced || end + n > a->messages) {
            ag_tape_fail(a->tape, AG_EINDEX,
                         "%s of the edges: node %d has %d messages from position %d on, but they "
                         "must begin at %lld, where those of the node before end, and there are %d "
                         "messages; make the arrays with ag_graph_build",
                         name, v, n, first, (long long)end, a->messages);
            return 0;
        }
        end += n;
    }
    if (end == a->messages) return 1;
    ag_tape_fail(a->tape, AG_EINDEX,
                 "%s of the edges hold %lld messages, but there are %d; make the arrays with "
                 "ag_graph_build",
                 name, (long long)end, a->messages);
    return 0;
}

/* The transpose names, for every sender, receivers and positions of its messages. */
static int transpose_fits(const arrays *a, int u)
{
    for (int q = a->rows_t[2 * u]; q < a->rows_t[2 * u] + a->rows_t[2 * u + 1]; q++) {
        const int32_t v = a->targets[2 * q], p = a->targets[2 * q + 1];
        if (v >= 0 && v < a->nodes && p >= a->rows[2 * v] &&
            p < a->rows[2 * v] + a->rows[2 * v + 1] && a->sources[p] == u)
            continue;
        ag_tape_fail(a->tape, AG_EINDEX,
                     "targets of the edges: entry %d is (%d, %d), but must be a node of 0 to %d "
                     "and the position of its message from node %d; make the arrays with "
                     "ag_graph_build",
                     q, v, p, a->nodes - 1, u);
        return 0;
    }
    return 1;
}

static int are_graph(const arrays *a)
{
    if (!rows_fit(a, a->rows, "rows") || !rows_fit(a, a->rows_t, "rows_t")) return 0;
    for (int u = 0; u < a->nodes; u++)
        if (a->rows_t[2 * u + 1] && !transpose_fits(a, u)) return 0;
    return 1;
}

/* 1: four arrays of one tape whose shapes may fit; the shape rule of the op tells what does not. */
static int are_arrays(ag_tensor *const *x)
{
    for (int i = 0; i < 4; i++)
        if (!x[i] || !ag__is_live(x[i]) || ag_tape_of(x[i]) != ag_tape_of(x[0])) return 0;
    if (ag_failed(ag_tape_of(x[0]))) return 0;
    const int n = ag_size(x[0], 0), p = ag_size(x[1], 0);
    return ag_shape_equal(ag_shape_of(x[0]), AG_SHAPE(n, 2)) &&
           ag_shape_equal(ag_shape_of(x[1]), AG_SHAPE(p)) &&
           ag_shape_equal(ag_shape_of(x[2]), AG_SHAPE(n, 2)) &&
           ag_shape_equal(ag_shape_of(x[3]), AG_SHAPE(p, 2));
}

void ag__check_arrays(ag_edges e)
{
    ag_tensor *const x[] = {e.rows, e.sources, e.rows_t, e.targets};
    if (!are_arrays(x) || ag__is_fit(x, 4)) return;
    const arrays a = {ag_tape_of(e.rows),      ag_size(e.rows, 0),       ag_size(e.sources, 0),
                      ag__given_i32(e.rows),   ag__given_i32(e.sources), ag__given_i32(e.rows_t),
                      ag__given_i32(e.targets)};
    const int given = (a.rows || !a.nodes) && (a.rows_t || !a.nodes) &&
                      (a.sources || !a.messages) && (a.targets || !a.messages);
    if (!given)
        ag_tape_fail(a.tape, AG_EUSE,
                     "The edges mix arrays that an op made with others; pass the edges of a "
                     "pooled graph on as they are");
    else if (are_graph(&a))
        ag__set_fit(x, 4);
}

ag_tensor *ag__record_messages(const ag_op *op, ag_tensor *const *x, int n, ag_edges e,
                               const ag_attr *attr)
{
    ag_tensor *in[AG_MAX_IN], *const graph[] = {e.rows, e.sources, e.rows_t, e.targets};
    for (int i = 0; i < n + 4; i++) in[i] = i < n ? x[i] : graph[i - n];
    ag__check_arrays(e);
    return ag__record(op, in, n + 4, attr);
}
