/* SPDX-License-Identifier: MIT */
/* Reshapes: the common axes of both sides. */
#include "examples/lab/run/run_internal.h"

/* The axes of one side from the most minor on; neighbours that are contiguous in memory are
   merged. */
typedef struct side {
    int n;
    int64_t size[LAB_RANK], stride[LAB_RANK];
} side;

static void fold_axes(side *s, lab_shape shape, const lab_view *view)
{
    s->n = 0;
    for (int i = shape.rank - 1; i >= 0; i--) {
        if (shape.size[i] == 1) continue;
        if (s->n && view->stride[i] == s->size[s->n - 1] * s->stride[s->n - 1])
            s->size[s->n - 1] *= shape.size[i];
        else {
            s->size[s->n] = shape.size[i];
            s->stride[s->n++] = view->stride[i];
        }
    }
}

int lab_reshape_axes(lab_reshape_axis axes[LAB_RESHAPE_AXES], lab_shape to, const lab_view *out,
                     lab_shape from, const lab_view *in)
{
    side a, b;
    int n = 0, i = 0, j = 0;
    fold_axes(&a, to, out);
    fold_axes(&b, from, in);
    while (i < a.n && j < b.n) {
        const int64_t small = a.size[i] < b.size[j] ? a.size[i] : b.size[j];
        if (a.size[i] % small || b.size[j] % small) return 0;
        axes[n++] = (lab_reshape_axis){small, a.stride[i], b.stride[j]};
        a.stride[i] *= small;
        b.stride[j] *= small;
        if ((a.size[i] /= small) == 1) i++;
        if ((b.size[j] /= small) == 1) j++;
    }
    if (!n) axes[n++] = (lab_reshape_axis){1, 1, 1};
    return n;
}
