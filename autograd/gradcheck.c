/* SPDX-License-Identifier: MIT */
/* Gradients against central differences. */
#include "autograd/autograd.h"
#include "core/internal.h"
#include "core/memory.h"
#include "core/params.h"
#include "core/random.h"

#include <math.h>
#include <string.h>

typedef struct check {
    ag_tensor *(*build)(ag_tape *tape, void *context);
    void *context;
    ag_tape *tape;
    double step;
    char *where;
} check;

static double loss_at(check *c)
{
    ag_tape_reset(c->tape);
    ag_tensor *loss = c->build(c->tape, c->context);
    ag_forward(loss);
    return (double)ag_item(loss);
}

/* (L(w + h d) - L(w - h d)) / 2h along d, which has `n` entries from `first` on. */
static double difference(check *c, ag_param *p, int64_t first, int64_t n, const double *d,
                         ag_real *saved)
{
    double l[2];
    memcpy(saved, p->value, (size_t)p->count * sizeof(ag_real));
    for (int side = 0; side < 2; side++) {
        for (int64_t i = 0; i < n; i++)
            p->value[first + i] = saved[first + i] + (ag_real)((side ? -c->step : c->step) * d[i]);
        l[side] = loss_at(c);
    }
    memcpy(p->value, saved, (size_t)p->count * sizeof(ag_real));
    return (l[0] - l[1]) / (2 * c->step);
}

static void compare(check *c, double analytic, double numeric, const ag_param *p, const char *what,
                    long long at, double *worst)
{
    const double scale = fmax(1, fmax(fabs(analytic), fabs(numeric)));
    const double error = fabs(analytic - numeric) / scale;
    if (error <= *worst) return; /* a NaN goes on */
    *worst = error == error ? error : (double)INFINITY;
    snprintf(c->where, 200, "%s: %s %lld: gradient %.10g, difference %.10g", p->name, what, at,
             analytic, numeric);
}

static double check_param(check *c, ag_param *p, const ag_gradcheck_options *o, ag_random *random,
                          double *d, ag_real *saved)
{
    const int full = o->full ? o->full : 64, directions = o->directions ? o->directions : 3;
    const int entries = o->entries ? o->entries : 8;
    const int all = p->count <= full;
    double worst = 0;
    for (int64_t k = 0; k < (all ? p->count : entries); k++) {
        const int64_t i = all ? k : ag_random_below(random, (uint32_t)p->count);
        const double one = 1;
        compare(c, (double)p->gradient[i], difference(c, p, i, 1, &one, saved), p, "entry",
                (long long)i, &worst);
    }
    for (int k = 0; k < (all ? 0 : directions); k++) {
        double analytic = 0;
        for (int64_t i = 0; i < p->count; i++) {
            d[i] = ag_random_normal(random) / sqrt((double)p->count);
            analytic += d[i] * (double)p->gradient[i];
        }
        compare(c, analytic, difference(c, p, 0, p->count, d, saved), p, "direction", k, &worst);
    }
    return worst;
}

double ag_gradcheck(ag_tensor *(*build)(ag_tape *tape, void *context), void *context,
                    ag_params *params, const ag_gradcheck_options *options, char where[200])
{
    static const ag_gradcheck_options plain;
    const ag_gradcheck_options *o = options ? options : &plain;
    check c = {build, context, ag_tape_new(AG_CPU), o->step > 0 ? o->step : 1e-5, where};
    ag_random random = {o->seed, 77, 0};
    double worst = 0;
    if (!where || !build || !params) {
        if (where)
            snprintf(where, 200, "ag_gradcheck: %s is NULL; give it", build ? "params" : "build");
        ag_tape_free(c.tape);
        return (double)INFINITY;
    }
    where[0] = 0;
    ag_tape_seed(c.tape, 0, 0); /* every run drops the same elements */
    ag_tape_reset(c.tape);
    double *d = ag_alloc(ag_size_mul((size_t)params->size, sizeof *d));
    ag_real *saved = ag_alloc(ag_size_mul((size_t)params->size, sizeof *saved));
    const size_t bytes = saved && params->value ? (size_t)params->size * sizeof *saved : 0;
    if (bytes) memcpy(saved, params->value, bytes);
    if (c.tape) ag_backward(build(c.tape, context));
    if (bytes) memcpy(params->value, saved, bytes); /* moving averages stay, too */
    if (ag_failed(c.tape) || !d || !saved) {
        snprintf(where, 200, "%s",
                 ag_failed(c.tape) ? ag_error(c.tape) : "There is no memory for the check");
        worst = (double)INFINITY;
    }
    for (int i = 0; i < params->count && worst < (double)INFINITY; i++) {
        char before[200];
        memcpy(before, where, sizeof before);
        const double error = check_param(&c, params->list[i], o, &random, d, saved);
        if (error > worst)
            worst = error;
        else
            memcpy(where, before, sizeof before);
    }
    ag_free(d);
    ag_free(saved);
    ag_tape_free(c.tape);
    return worst;
}
