/* SPDX-License-Identifier: MIT */
/* Shapes of reduce, reduce-window, convolution and dot. */
#include "examples/lab/program/program_internal.h"

ag_status lab__check_axes(const lab_site *site, int rank, int ascending)
{
    unsigned seen = 0;
    for (int i = 0; i < site->node->n_dims; i++) {
        const int axis = site->node->dims[i];
        if (axis < 0 || axis >= rank)
            return lab__refuse(site, "dims[%d] is axis %d of a value of rank %d", i, axis, rank);
        if (seen >> axis & 1) return lab__refuse(site, "dims names axis %d twice", axis);
        if (ascending && seen >> axis)
            return lab__refuse(site, "dims must ascend, but axis %d follows a larger one", axis);
        seen |= 1u << axis;
    }
    return AG_OK;
}

ag_status lab__shape_reduce(lab_shape *shape, const lab_site *site)
{
    const lab_node *node = site->node;
    const lab_shape x = lab__operand(site, 0);
    if (node->n_dims < 1) return lab__refuse(site, "it names no axis to reduce; name one at least");
    if (lab__check_axes(site, x.rank, 1)) return site->why->status;
    *shape = (lab_shape){.type = x.type};
    for (int i = 0, k = 0; i < x.rank; i++)
        if (k < node->n_dims && node->dims[k] == i)
            k++;
        else
            shape->size[shape->rank++] = x.size[i];
    return AG_OK;
}

/* Size of the output along an axis of n elements under a window; the number of the axis is for the
   sentence. */
static ag_status window_size(int *out, const lab_site *site, const lab_window *w, int n, int axis)
{
    const int most = LAB_ELEMENTS, turns = site->node->op == LAB_CONVOLUTION;
    if (w->size < 1 || w->size > most || w->stride < 1 || w->stride > most || w->dilation < 1 ||
        w->dilation > most || w->base_dilation < 1 || w->base_dilation > most)
        return lab__refuse(site,
                           "window %d has size %d, stride %d, dilation %d, base dilation %d; each "
                           "must be 1 to %d",
                           axis, w->size, w->stride, w->dilation, w->base_dilation, most);
    if (w->low < -most || w->low > most || w->high < -most || w->high > most)
        return lab__refuse(site, "window %d has padding %d and %d; %d to %d are possible", axis,
                           w->low, w->high, -most, most);
    if (w->reversed < 0 || w->reversed > turns)
        return lab__refuse(site, "window %d has reversed %d; %s possible", axis, w->reversed,
                           turns ? "0 and 1 are" : "only 0 is");
    const int64_t padded = (int64_t)(n - 1) * w->base_dilation + 1 + w->low + w->high;
    const int64_t covered = (int64_t)(w->size - 1) * w->dilation + 1;
    if (covered > padded || padded > most)
        return lab__refuse(site,
                           "window %d covers %lld elements of an axis that has %lld with its "
                           "padding; 1 to %d and no more than there are is possible",
                           axis, (long long)covered, (long long)padded, most);
    *out = (int)((padded - covered) / w->stride + 1);
    return AG_OK;
}

ag_status lab__shape_window(lab_shape *shape, const lab_site *site)
{
    for (int i = 0; i < shape->rank; i++)
        if (window_size(&shape->size[i], site, &site->node->window[i], shape->size[i], i))
            return site->why->status;
    return AG_OK;
}

ag_status lab__shape_convolution(lab_shape *shape, const lab_site *site)
{
    const lab_conv_dims *d = &site->node->conv;
    const int rank = d->spatial + 2;
    for (int k = 0; k < 2; k++) {
        const lab_shape x = lab__operand(site, k);
        if (x.rank != rank || x.type != LAB_F32)
            return lab__refuse(site, "operand %d is %s; with %d spatial axes f32 of rank %d is due",
                               k, lab__shape_text(x).text, d->spatial, rank);
    }
    const lab_shape x = lab__operand(site, 0), kernel = lab__operand(site, 1);
    const int in = x.size[d->in_feature], out = kernel.size[d->kernel_out],
              each = kernel.size[d->kernel_in];
    if (d->groups < 1 || in % d->groups || out % d->groups || in / d->groups != each)
        return lab__refuse(
            site, "%d input features in %d groups do not fit to a kernel of %d by %d features", in,
            d->groups, each, out);
    *shape = (lab_shape){LAB_F32, rank, {0}};
    shape->size[d->out_batch] = x.size[d->in_batch];
    shape->size[d->out_feature] = out;
    for (int i = 0; i < d->spatial; i++) {
        const lab_window *w = &site->node->window[i];
        if (w->size != kernel.size[d->kernel_spatial[i]])
            return lab__refuse(site, "window %d has size %d, but the kernel %d", i, w->size,
                               kernel.size[d->kernel_spatial[i]]);
        if (window_size(&shape->size[d->out_spatial[i]], site, w, x.size[d->in_spatial[i]], i))
            return site->why->status;
    }
    return AG_OK;
}

ag_status lab__shape_dot(lab_shape *shape, const lab_site *site)
{
    const lab_dot_dims d = site->node->dot;
    const lab_shape a = lab__operand(site, 0), b = lab__operand(site, 1);
    const lab_shape_text left = lab__shape_text(a), right = lab__shape_text(b);
    if (b.type != LAB_F32) return lab__refuse(site, "operand 1 is %s; f32 is due", right.text);
    if (d.batch < 0 || d.left < d.batch || d.left >= a.rank || d.right < d.batch ||
        d.right >= b.rank)
        return lab__refuse(site,
                           "batch=%d left=%d right=%d do not name axes of %s and %s; the "
                           "contracted axes come after the batch axes",
                           d.batch, d.left, d.right, left.text, right.text);
    int equal = a.size[d.left] == b.size[d.right];
    for (int i = 0; i < d.batch; i++) equal &= a.size[i] == b.size[i];
    if (!equal || a.rank + b.rank - d.batch - 2 > LAB_RANK)
        return lab__refuse(site,
                           "batch=%d left=%d right=%d of %s and %s: batch axes and contracted axes "
                           "must be equal, and the rank of the result at most %d",
                           d.batch, d.left, d.right, left.text, right.text, LAB_RANK);
    *shape = (lab_shape){.type = LAB_F32};
    for (int i = 0; i < a.rank; i++)
        if (i != d.left) shape->size[shape->rank++] = a.size[i];
    for (int i = d.batch; i < b.rank; i++)
        if (i != d.right) shape->size[shape->rank++] = b.size[i];
    return AG_OK;
}
