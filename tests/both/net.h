/* SPDX-License-Identifier: MIT */
/* The parameters and results of nets as plain doubles, for their runners. The first member of each
   net is its ag_params. */
#ifndef AG_TESTS_NET_H
#define AG_TESTS_NET_H

#include "autograd/autograd.h"
#include "core/shape.h"
#include "optim/optim.h"

#include <math.h>

#define NET_PRECISION (sizeof(ag_real) == sizeof(double) ? "double" : "float")

static inline const ag_params *net_block(const void *net) { return *(ag_params *const *)net; }

static inline int net_params(const void *net) { return net_block(net)->count; }

static inline const char *net_param(const void *net, int index, int64_t *count)
{
    const ag_param *p = net_block(net)->list[index];
    *count = p->count;
    return p->name;
}

static inline void net_set(void *net, int index, const double *value)
{
    const ag_param *p = net_block(net)->list[index];
    for (int64_t i = 0; i < p->count; i++) p->value[i] = (ag_real)value[i];
}

/* NULL gives NANs. */
static inline void net_read(double *out, const ag_real *from, int64_t n)
{
    for (int64_t i = 0; i < n; i++) out[i] = from ? (double)from[i] : (double)NAN;
}

static inline void net_read_tensor(double *out, const ag_tensor *x)
{
    net_read(out, ag_values(x), ag_shape_count(ag_shape_of(x)));
}

static inline void net_value(const void *net, int index, double *out)
{
    const ag_param *p = net_block(net)->list[index];
    net_read(out, p->value, p->count);
}

static inline void net_gradient(const void *net, int index, double *out)
{
    const ag_param *p = net_block(net)->list[index];
    net_read(out, p->gradient, p->count);
}

#endif
