/* SPDX-License-Identifier: MIT */
/* First values of parameters, by the formulas of torch.nn.init. */
#include "optim/internal.h"
#include "core/error.h"
#include "core/float_mode.h"
#include "core/shape.h"

#include <math.h>

ag_init ag_init_constant(double value) { return (ag_init){AG_INIT_CONSTANT, value, 0}; }
ag_init ag_init_uniform(double low, double high) { return (ag_init){AG_INIT_UNIFORM, low, high}; }
ag_init ag_init_normal(double mean, double sd) { return (ag_init){AG_INIT_NORMAL, mean, sd}; }
ag_init ag_init_xavier_uniform(double gain) { return (ag_init){AG_INIT_XAVIER_UNIFORM, gain, 0}; }
ag_init ag_init_xavier_normal(double gain) { return (ag_init){AG_INIT_XAVIER_NORMAL, gain, 0}; }
ag_init ag_init_kaiming_uniform(double a) { return (ag_init){AG_INIT_KAIMING_UNIFORM, a, 0}; }
ag_init ag_init_kaiming_normal(double a) { return (ag_init){AG_INIT_KAIMING_NORMAL, a, 0}; }

ag_init ag_init_linear_bias(int fan_in)
{
    const uint64_t mode = ag__float_mode_enter();
    const volatile double bound = fan_in > 0 ? 1 / sqrt(fan_in) : 0;
    ag__float_mode_set(mode);
    return ag_init_uniform(-bound, bound);
}

static int needs_fans(ag_init init) { return init.kind >= AG_INIT_XAVIER_UNIFORM; }

ag_status ag__init_check(ag_init init, ag_shape shape, const char *name, const char *who,
                         ag_failure *why)
{
    char text[64];
    if (needs_fans(init) && shape.rank < 2)
        return ag_fail(
            why, AG_ESHAPE,
            "%s: parameter \"%s\" has shape %s, but xavier and kaiming need at least 2 axes "
            "[out,in]; give it another initialiser",
            who, name, ag_shape_text(text, shape));
    if (init.kind > AG_INIT_KAIMING_NORMAL || !isfinite(init.a) || !isfinite(init.b))
        return ag_fail(
            why, AG_EUSE,
            "%s: the initialiser of parameter \"%s\" is kind %d with numbers %g and %g; make it by "
            "an ag_init_ function with finite numbers",
            who, name, (int)init.kind, init.a, init.b);
    return AG_OK;
}

/* Rewrites an initialiser that depends on the fans of [out,in,...] as a uniform or normal one. */
static ag_init resolve(ag_init init, ag_shape shape)
{
    double behind = 1;
    for (int i = 2; i < shape.rank; i++) behind *= shape.size[i];
    double fan_in = shape.size[1] * behind, fan_out = shape.size[0] * behind;
    double xavier = init.a * sqrt(2 / (fan_in + fan_out));
    double kaiming = sqrt(2 / (1 + init.a * init.a)) / sqrt(fan_in);
    switch (init.kind) {
    case AG_INIT_XAVIER_UNIFORM: return ag_init_uniform(-sqrt(3) * xavier, sqrt(3) * xavier);
    case AG_INIT_XAVIER_NORMAL: return ag_init_normal(0, xavier);
    case AG_INIT_KAIMING_UNIFORM: return ag_init_uniform(-sqrt(3) * kaiming, sqrt(3) * kaiming);
    case AG_INIT_KAIMING_NORMAL: return ag_init_normal(0, kaiming);
    default: return init;
    }
}

void ag__init_fill(ag_real *value, ag_init init, ag_shape shape, ag_random random)
{
    const uint64_t mode = ag__float_mode_enter();
    int64_t n = ag_shape_count(shape);
    if (needs_fans(init)) init = resolve(init, shape);
    for (int64_t i = 0; i < n; i++) {
        double x = init.a;
        if (init.kind == AG_INIT_UNIFORM) x += (init.b - init.a) * ag_random_uniform(&random);
        if (init.kind == AG_INIT_NORMAL) x += init.b * ag_random_normal(&random);
        value[i] = (ag_real)x;
    }
    ag__float_mode_set(mode);
}
