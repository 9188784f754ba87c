/* SPDX-License-Identifier: MIT */
/* The elements of each item that a tile needs, followed backwards from the output as boxes, and
   where they are. */
#include "examples/lab/tile/tile_plan.h"

#include <string.h>

int64_t tile_box_elements(const tile_box *box, int rank)
{
    const int64_t most = INT64_C(1) << 50;
    int64_t n = 1;
    if (!box->some) return 0;
    for (int a = 0; a < rank; a++) n = n > most / box->n[a] ? most : n * box->n[a];
    return n;
}

/* The smallest box around both. */
static void join(tile_box *box, const tile_box *more, int rank)
{
    if (!box->some) *box = *more;
    for (int a = 0; more->some && a < rank; a++) {
        const int end = box->lo[a] + box->n[a], other = more->lo[a] + more->n[a];
        if (more->lo[a] < box->lo[a]) box->lo[a] = more->lo[a];
        box->n[a] = (end > other ? end : other) - box->lo[a];
    }
}

static void view_box(tile_box *in, const tile_item *item, int rank, const tile_box *out)
{
    for (int a = 0; a < rank; a++) {
        const lab_moved m = item->moved[a];
        const int n = out->n[m.axis], lo = out->lo[m.axis];
        const int end = m.step < 0 ? lo + n - 1 : lo; /* the element with the smallest index */
        in->lo[a] = m.first + m.step * end;
        in->n[a] = (n - 1) * (m.step < 0 ? -m.step : m.step) + 1;
    }
}

/* Clips [lo, hi] to an axis of the given size. */
static void cut(tile_box *in, int a, int64_t lo, int64_t hi, int size)
{
    if (lo < 0) lo = 0;
    if (hi > size - 1) hi = size - 1;
    in->lo[a] = (int)lo;
    in->n[a] = (int)(hi - lo + 1);
    if (lo > hi) in->some = in->n[a] = 0;
}

void tile_part_box(tile_box *in, lab_moved to[LAB_RANK], const tile_items *t, const tile_item *item,
                   int k, const tile_box *out)
{
    *in = *out;
    memcpy(to, item->moved, sizeof item->moved);
    for (int j = 0; j < k; j++) { /* of a concatenate */
        const int axis = item->node->dims[0];
        to[axis].first += t->item[item->input[j]].size[axis];
    }
    for (int a = 0; a < item->rank; a++) {
        const int64_t first = (int64_t)out->lo[a] - to[a].first, last = first + out->n[a] - 1;
        cut(in, a, -lab_floor_divide(-first, to[a].step), lab_floor_divide(last, to[a].step),
            t->item[item->input[k]].size[a]);
    }
}

/* The box of input k that an item needs for the box `out` of itself. */
static void input_box(tile_box *in, const tile_items *t, const tile_item *item, int k,
                      const tile_box *out)
{
    lab_moved to[LAB_RANK];
    *in = *out;
    switch (item->role) {
    case TILE_VIEW: view_box(in, item, t->item[item->input[k]].rank, out); break;
    case TILE_RESHAPE: tile_reshape_box(in, t, item, out); break;
    case TILE_PAD: /* its second input is a scalar */
        if (!k) tile_part_box(in, to, t, item, 0, out);
        break;
    case TILE_CONCATENATE: tile_part_box(in, to, t, item, k, out); break;
    default: break; /* of a gather only the first axis matters, which its row numbers have */
    }
}

/* Moves the features of the input to the groups that a range of output features reads. */
static void add_groups(tile_box *in, const tpugraphs_index *x, const lab_node *node,
                       const tile_box *out)
{
    const int each = node->shape.size[x->axis] / node->conv.groups, read = (int)x[1].size;
    const int first = out->lo[x->axis] / each,
              last = (out->lo[x->axis] + out->n[x->axis] - 1) / each;
    in->lo[x->in[0]] += first * read;
    in->n[x->in[0]] += (last - first) * read;
}

/* The elements that a dot, convolution, reduce or reduce-window needs. */
void tile_reduction_box(tile_box *in, const tile_items *t, int k, const tile_box *out,
                        const tile_box *blocked)
{
    *in = (tile_box){out->some, {0}, {1, 1, 1, 1, 1, 1}};
    for (int i = 0; i < t->space.n; i++) {
        const tpugraphs_index *x = &t->space.index[i];
        const tile_box *box = x->sum ? blocked : out;
        const int a = x->in[k], step = k ? 1 : x->step;
        if (a < 0) continue;
        if (x->split && !k) {
            add_groups(in, x, t->item[t->reduction].node, out);
            continue;
        }
        in->lo[a] += box->lo[x->axis] * step;
        in->n[a] += (box->n[x->axis] - 1) * step;
    }
}

void tile_boxes(tile_box *box, const tile_items *t, int first, int last, const tile_box *blocked)
{
    for (int i = first; i < last; i++) box[i].some = 0;
    for (int i = last; i >= first; i--) {
        const tile_item *item = &t->item[i];
        if (!box[i].some || (i == t->reduction && !blocked)) continue;
        for (int k = 0; k < item->n_inputs; k++) {
            const int input = item->input[k];
            tile_box in;
            if (t->item[input].role == TILE_EXTERNAL) continue;
            if (i == t->reduction)
                tile_reduction_box(&in, t, k, &box[i], blocked);
            else
                input_box(&in, t, item, k, &box[i]);
            join(&box[input], &in, t->item[input].rank);
        }
    }
}

/* ---- places: scratch densely, views by their input ---- */

static void view_place(tile_place *place, const tile_item *item, int rank, const tile_place *in)
{
    for (int a = 0; a < rank; a++) {
        place->at += item->moved[a].first * in->stride[a];
        place->stride[item->moved[a].axis] += item->moved[a].step * in->stride[a];
    }
}

static void scratch_place(tile_place *place, const tile_item *item, const tile_box *box)
{
    lab_strides(place->stride, box->n, item->rank);
    for (int a = 0; a < item->rank; a++) place->at -= box->lo[a] * place->stride[a];
}

void tile_places(tile_place *place, const tile_items *t, const tile_box *box, int first, int last)
{
    for (int i = first; i <= last; i++) {
        const tile_item *item = &t->item[i];
        if (tile_is_outside(t, i) || !box[i].some) continue;
        const tile_place *in = item->n_inputs ? &place[item->input[0]] : NULL;
        place[i] = tile_is_computed(item) ? (tile_place){.base = i}
                                          : (tile_place){.base = in->base, .at = in->at};
        if (item->role == TILE_VIEW)
            view_place(&place[i], item, t->item[item->input[0]].rank, in);
        else if (item->role == TILE_RESHAPE)
            tile_reshape_place(&place[i], t, item, in, &box[i]);
        else
            scratch_place(&place[i], item, &box[i]);
    }
}
