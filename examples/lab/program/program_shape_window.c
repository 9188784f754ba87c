/* SPDX-License-Identifier: MIT */
/* Shapes of reduce-window, convolution and dot. */
#include "examples/lab/program/program_internal.h"

/* Size of the output along an axis of n elements under a window; the number of the axis is for the
   sentence. */
static ag_status window_size(int *out, const lab_site *site, const lab_window *w, int n, int axis)
{
    const int most = LAB_ELEMENTS;
    if (w->size < 1 || w->size > most || w->stride < 1 || w->stride > most || w->dilation < 1 ||
        w->dilation > most || w->base_dilation < 1 || w->base_dilation > most)
        return lab__refuse(site, AG_EUSE,
                           "window %d has size %d, stride %d, dilation %d, base dilation %d; each "
                           "must be 1 to %d",
                           axis, w->size, w->stride, w->dilation, w->base_dilation, most);
    if (w->low < -most || w->low > most || w->high < -most || w->high > most)
        return lab__refuse(site, AG_EUSE, "window %d has padding %d and %d; %d to %d are possible",
                           axis, w->low, w->high, -most, most);
    if ((w->reversed != 0 && w->reversed != 1) ||
        (w->reversed && site->node->op != LAB_CONVOLUTION))
        return lab__refuse(site, AG_EUSE, "window %d has reversed %d; %s possible", axis,
                           w->reversed,
                           site->node->op == LAB_CONVOLUTION ? "0 and 1 are" : "0 alone is");
    int64_t padded = (int64_t)(n - 1) * w->base_dilation + 1 + w->low + w->high;
    int64_t covered = (int64_t)(w->size - 1) * w->dilation + 1;
    if (covered > padded || padded > most)
        return lab__refuse(site, AG_ESHAPE,
                           "window %d covers %lld elements of an axis that has %lld with its "
                           "padding; 1 to %d and no more than there are is possible",
                           axis, (long long)covered, (long long)padded, most);
    *out = (int)((padded - covered) / w->stride + 1);
    return AG_OK;
}

ag_status lab__shape_window(lab_shape *shape, const lab_site *site)
{
    *shape = lab__operand(site, 0)->shape;
    if (lab__check_reducer(site)) return site->why->status;
    for (int i = 0; i < shape->rank; i++)
        if (window_size(&shape->size[i], site, &site->node->window[i], shape->size[i], i))
            return site->why->status;
    return AG_OK;
}

/* Batch, feature and spatial axes name each axis of 0..spatial+1 once. */
static int axes_are(int a, int b, const int *spatial, int n)
{
    unsigned seen = 0;
    for (int i = 0; i < n + 2; i++) {
        int axis = i == 0 ? a : i == 1 ? b : spatial[i - 2];
        if (axis < 0 || axis >= n + 2 || seen >> axis & 1) return 0;
        seen |= 1u << axis;
    }
    return 1;
}

static ag_status check_conv_dims(const lab_site *site)
{
    const lab_conv_dims *d = &site->node->conv;
    int n = d->spatial;
    if (n < 1 || n > 3)
        return lab__refuse(site, AG_EUSE, "it has %d spatial axes; 1 to 3 are possible", n);
    for (int k = 0; k < 2; k++)
        if (lab__operand(site, k)->shape.rank != n + 2 ||
            lab__operand(site, k)->shape.type != LAB_F32)
            return lab__refuse(site, AG_ESHAPE,
                               "operand %d is %s; with %d spatial axes f32 of rank %d is due", k,
                               lab__shape_text(lab__operand(site, k)->shape).text, n, n + 2);
    const char *bad = !axes_are(d->in_batch, d->in_feature, d->in_spatial, n)        ? "input"
                      : !axes_are(d->kernel_in, d->kernel_out, d->kernel_spatial, n) ? "kernel"
                      : !axes_are(d->out_batch, d->out_feature, d->out_spatial, n)   ? "output"
                                                                                     : NULL;
    if (bad)
        return lab__refuse(site, AG_EUSE, "the axes of the %s do not name each of 0 to %d once",
                           bad, n + 1);
    return AG_OK;
}

ag_status lab__shape_convolution(lab_shape *shape, const lab_site *site)
{
    const lab_conv_dims *d = &site->node->conv;
    if (check_conv_dims(site)) return site->why->status;
    lab_shape x = lab__operand(site, 0)->shape, kernel = lab__operand(site, 1)->shape;
    int in = x.size[d->in_feature], out = kernel.size[d->kernel_out], each;
    each = kernel.size[d->kernel_in];
    if (d->groups < 1 || in % d->groups || out % d->groups || in / d->groups != each)
        return lab__refuse(site, AG_ESHAPE,
                           "%d input features in %d groups do not fit to a kernel of %d by %d "
                           "features",
                           in, d->groups, each, out);
    *shape = (lab_shape){LAB_F32, d->spatial + 2, {0}};
    shape->size[d->out_batch] = x.size[d->in_batch];
    shape->size[d->out_feature] = out;
    for (int i = 0; i < d->spatial; i++) {
        const lab_window *w = &site->node->window[i];
        if (w->size != kernel.size[d->kernel_spatial[i]])
            return lab__refuse(site, AG_ESHAPE, "window %d has size %d, but the kernel %d", i,
                               w->size, kernel.size[d->kernel_spatial[i]]);
        if (window_size(&shape->size[d->out_spatial[i]], site, w, x.size[d->in_spatial[i]], i))
            return site->why->status;
    }
    return AG_OK;
}

ag_status lab__shape_dot(lab_shape *shape, const lab_site *site)
{
    lab_dot_dims d = site->node->dot;
    lab_shape a = lab__operand(site, 0)->shape, b = lab__operand(site, 1)->shape;
    if (b.type != LAB_F32)
        return lab__refuse(site, AG_EUSE, "operand 1 has type %s; f32 is due",
                           lab_type_name(b.type));
    if (d.batch < 0 || d.batch >= a.rank || d.batch >= b.rank || d.left < d.batch ||
        d.left >= a.rank || d.right < d.batch || d.right >= b.rank)
        return lab__refuse(site, AG_EINDEX,
                           "batch=%d left=%d right=%d do not name axes of %s and %s; the "
                           "contracted axes come after the batch axes",
                           d.batch, d.left, d.right, lab__shape_text(a).text,
                           lab__shape_text(b).text);
    for (int i = 0; i < d.batch; i++)
        if (a.size[i] != b.size[i])
            return lab__refuse(site, AG_ESHAPE, "batch axis %d has %d elements left and %d right",
                               i, a.size[i], b.size[i]);
    if (a.size[d.left] != b.size[d.right])
        return lab__refuse(site, AG_ESHAPE,
                           "axis %d of operand 0 has %d elements, axis %d of operand 1 has %d; "
                           "contracted axes must be equal",
                           d.left, a.size[d.left], d.right, b.size[d.right]);
    if (a.rank + b.rank - d.batch - 2 > LAB_RANK)
        return lab__refuse(site, AG_ESHAPE, "the result of %s and %s has a rank above %d",
                           lab__shape_text(a).text, lab__shape_text(b).text, LAB_RANK);
    *shape = (lab_shape){.type = LAB_F32};
    for (int i = 0; i < a.rank; i++)
        if (i != d.left) shape->size[shape->rank++] = a.size[i];
    for (int i = d.batch; i < b.rank; i++)
        if (i != d.right) shape->size[shape->rank++] = b.size[i];
    return AG_OK;
}
