/* SPDX-License-Identifier: MIT */
/* The kernels of an op without a tape: every array has exactly its size (the address sanitizer sees
   one element too many), starts as NaN, and the units run in small blocks. */
#include "support/op_runner.h"
#include "core/float_mode.h"
#include "core/room.h"
#include "op_inside.h"

#include <stdlib.h>
#include <string.h>

enum { FENCE = 64 };

/* Memory of `bytes` full of NaN; without the address sanitizer a fence follows it. */
typedef struct exact {
    unsigned char *at;
    size_t bytes;
} exact;

#if defined(__SANITIZE_ADDRESS__)
static const size_t fence = 0;
#else
static const size_t fence = FENCE;
#endif

static exact take(int64_t n, size_t size)
{
    exact e = {NULL, (size_t)n * size};
    e.at = malloc(e.bytes + fence + (e.bytes + fence == 0));
    memset(e.at, 0xff, e.bytes + fence);
    return e;
}

static int give(exact *e)
{
    int broken = 0;
    for (size_t i = 0; e->at && i < fence; i++) broken |= e->at[e->bytes + i] != 0xff;
    free(e->at);
    e->at = NULL;
    return broken;
}

static exact take_reals(const double *from, int64_t n)
{
    exact e = take(n, sizeof(ag_real));
    for (int64_t i = 0; i < n; i++) ((ag_real *)(void *)e.at)[i] = (ag_real)from[i];
    return e;
}

typedef struct bench {
    ag_args args;
    exact x[AG_MAX_IN], y[AG_MAX_OUT], dy[AG_MAX_OUT], scratch, dx, also;
} bench;

static void set(op_trial *t, bench *b)
{
    const inside *in = t->inside;
    static const ag_run_record record = {0, 0};
    b->args =
        (ag_args){.run = &record, .n_in = t->n_in, .training = 1, .attr = in->attr, .ordinal = 1};
    for (int i = 0; i < t->n_in; i++) {
        b->args.xs[i] = t->xs[i];
        if (t->is_int[i]) {
            b->x[i] = take(t->x_count[i], sizeof(int32_t));
            memcpy(b->x[i].at, t->ints[i], b->x[i].bytes);
        } else {
            b->x[i] = take_reals(t->x[i], t->x_count[i]);
        }
        b->args.x[i] = b->x[i].at;
    }
    for (int j = 0; j < t->n_out; j++) {
        b->args.ys[j] = t->ys[j];
        b->y[j] = take(t->y_count[j], t->out_int[j] ? sizeof(int32_t) : sizeof(ag_real));
        b->args.y[j] = b->y[j].at;
        b->dy[j] = take_reals(t->c[j], t->y_count[j]);
    }
}

static int clear(op_trial *t, bench *b)
{
    int broken = give(&b->scratch) | give(&b->dx) | give(&b->also);
    for (int i = 0; i < t->n_in; i++) broken |= give(&b->x[i]);
    for (int j = 0; j < t->n_out; j++) broken |= give(&b->y[j]) | give(&b->dy[j]);
    return broken;
}

static void run_units(const ag_kernel *kernel, const ag_args *a, int64_t units)
{
    if (!kernel->range) {
        kernel->call(a);
        return;
    }
    const int64_t n = kernel->count(a);
    if (kernel->grain) units = kernel->grain(a);
    for (int64_t lo = n > 0 ? (n - 1) / units * units : -1; lo >= 0; lo -= units) /* backwards */
        kernel->range(a, lo, lo + units < n ? lo + units : n);
}

/* As in a run, subnormal numbers are 0. */
static void run(const ag_kernel *kernel, const ag_args *a, int64_t units)
{
    static ag_room room;
    ag_room *before = ag__room_use(&room);
    const uint64_t mode = ag__float_mode_flush();
    if (kernel) run_units(kernel, a, units);
    ag__float_mode_set(mode);
    ag__room_use(before);
}

static void scratch(const inside *in, bench *b, int backward)
{
    give(&b->scratch);
    const int64_t n = in->op->scratch ? in->op->scratch(&b->args, backward) : 0;
    b->scratch = take(n > 0 ? n : 0, sizeof(ag_real));
    b->args.scratch = n > 0 ? (ag_real *)(void *)b->scratch.at : NULL;
}

static int differs(op_trial *t, const exact *have, const double *want, int64_t n, int is_int,
                   const char *what, int number)
{
    for (int64_t i = 0; i < n; i++) {
        const double v =
            is_int ? ((int32_t *)(void *)have->at)[i] : (double)((ag_real *)(void *)have->at)[i];
        if (memcmp(&v, &want[i], sizeof v) == 0) continue;
        snprintf(t->error, sizeof t->error, "%s%d[%lld]: %.9g without a tape, %.9g with one", what,
                 number, (long long)i, v, want[i]);
        return 1;
    }
    return 0;
}

/* The gradient of input i, stored (or added to zeros, where the op says so). */
static int gradient(op_trial *t, bench *b, int i, int64_t units)
{
    const inside *in = t->inside;
    const int partial = (int)(in->op->partial >> i & 1), also = in->op->also;
    if (i > 0 && i == also) { /* written by the kernel of input 0 */
        const int wrong = differs(t, &b->also, t->dx[i], t->x_count[i], 0, "dx", i);
        return give(&b->also) | wrong;
    }
    if (i == 0 && also > 0 && also < t->n_in) {
        b->also = take(t->x_count[also], sizeof(ag_real));
        b->args.also = (ag_real *)(void *)b->also.at;
    }
    b->dx = take(t->x_count[i], sizeof(ag_real));
    if (partial) memset(b->dx.at, 0, b->dx.bytes);
    b->args.dx = (ag_real *)(void *)b->dx.at;
    b->args.which = i;
    b->args.add = partial;
    run(strstr(in->op->inputs, "...") ? in->op->backward[0] : in->op->backward[i], &b->args, units);
    const int bad = differs(t, &b->dx, t->dx[i], t->x_count[i], 0, "dx", i);
    return give(&b->dx) | bad;
}

int ag__trial_bare(op_trial *t, int64_t units)
{
    const inside *in = t->inside;
    const ag_op *op = in->op;
    bench b = {0};
    int bad = 0;
    if (op->view) return 0;
    set(t, &b);
    scratch(in, &b, 0);
    for (int k = 0; k < AG_MAX_KERNELS; k++) run(op->forward[k], &b.args, units);
    for (int j = 0; j < t->n_out && !bad; j++)
        bad = t->shown[j] && differs(t, &b.y[j], t->y[j], t->y_count[j], t->out_int[j], "y", j);
    for (int i = 0; i < t->n_in; i++)
        if (!(op->saves & SAVE_X(i))) b.args.x[i] = NULL;
    for (int j = 0; j < t->n_out; j++) {
        if (!(op->saves & SAVE_Y(j))) b.args.y[j] = NULL;
        if (t->flows[j]) b.args.dy[j] = (ag_real *)(void *)b.dy[j].at;
    }
    scratch(in, &b, 1);
    for (int k = 0; k < AG_MAX_KERNELS && t->differentiable; k++)
        run(op->prepare[k], &b.args, units);
    for (int i = 0; i < t->n_in && !bad; i++)
        if (t->has_dx[i]) bad = gradient(t, &b, i, units);
    if (clear(t, &b) && !bad) {
        strcpy(t->error, "wrote after the end of an array");
        bad = 1;
    }
    return bad;
}
