/* SPDX-License-Identifier: MIT */
/* Decides which loops are unrolled, and computes the memory that accesses and loops touch. */
#include "examples/tpgnn/nest/nest_internal.h"

#include <math.h>

/* Unrolls as TVM's UnrollLoop decides: from the inside, as long as the body contains no loop that
   stays. Vectorised loops are gone by then. */
static void decide(nest_tree *t, int i)
{
    nest_loop *l = &t->loops[i];
    const double repeated = nest_cap(l->stores * l->extent);
    if (l->kind == NEST_VECTOR) {
        l->unrolled = 0;
    } else if (l->kind == NEST_UNROLLED ||
               (l->kind == NEST_SERIAL && !l->closed && l->stores > 0 && repeated <= l->step)) {
        l->unrolled = 1;
        l->stores = repeated;
    } else {
        l->closed = 1;
    }
    if (l->up < 0) return;
    nest_loop *up = &t->loops[l->up];
    up->stores = nest_cap(up->stores + l->stores);
    if (l->closed) up->closed = 1;
    if (l->height + 1 > up->height) up->height = l->height + 1;
    up->inside = i;
}

static void multiply(nest_tree *t, int i)
{
    nest_loop *l = &t->loops[i];
    static const nest_loop none = {.trips = 1, .vector = 1, .unroll = 1, .parallel = 1};
    const nest_loop *up = l->up < 0 ? &none : &t->loops[l->up];
    l->trips = nest_cap(up->trips * l->extent);
    l->vector = nest_cap(up->vector * (l->kind == NEST_VECTOR ? l->extent : 1));
    l->unroll = nest_cap(up->unroll * (l->unrolled ? l->extent : 1));
    l->parallel = nest_cap(up->parallel * (l->kind == NEST_PARALLEL ? l->extent : 1));
}

/* A vectorised loop becomes a serial one where a condition depends on it. */
static void make_serial(nest_tree *t, const nest_store *store)
{
    int loop = t->access[store->access].loop;
    while (loop >= 0 && t->loops[loop].kind != NEST_VECTOR) loop = t->loops[loop].up;
    if (loop >= 0 && store->scalar) t->loops[loop].kind = NEST_SERIAL;
}

void nest_unroll(nest_tree *t)
{
    for (int i = 0; i < t->store_count; i++) make_serial(t, &t->stores[i]);
    for (int i = 0; i < t->store_count; i++) {
        const int loop = t->access[t->stores[i].access].loop;
        if (loop >= 0) t->loops[loop].stores++;
    }
    for (int i = t->loop_count - 1; i >= 0; i--) decide(t, i);
    for (int i = 0; i < t->loop_count; i++) multiply(t, i);
}

typedef struct shape {
    double size[NEST_SIZES], row[NEST_SIZES]; /* row: elements from one index to the next */
    int dims;
} shape;

/* Sizes follow their buffer. One that is not a constant counts as 1 and is never the limit. */
static void find_shape(shape *f, const nest_tree *t, int buffer)
{
    const tpgnn_schedule *s = t->s;
    f->dims = 0;
    for (int v = buffer + 1; buffer >= 0 && v < s->nodes && s->parent[v] == buffer; v++) {
        if (t->kind[s->kind[v]].class != NEST_CONSTANT || f->dims == NEST_SIZES) break;
        const double e = (double)s->value[v];
        f->size[f->dims++] = e >= 1 ? nest_cap(e) : 1;
    }
    if (!f->dims) f->size[f->dims++] = NEST_MOST;
    double row = 1;
    for (int d = f->dims - 1; d >= 0; d--) {
        f->row[d] = row;
        row = nest_cap(row * f->size[d]);
    }
}

/* Lines of a cache of 64 sets from which `runs` runs, `apart` bytes from each other, exclude
   others: at distances of powers of two they share few sets. */
static double crowded(double lines, double runs, double per_run, double apart)
{
    double sets = 64, step = 4096;
    if (runs < 2 || apart < 1) return lines;
    while (step > 64 && fmod(apart, step) > 0) step /= 2;
    const double used = per_run * 4096 / step;
    if (used < sets) sets = used < 1 ? 1 : used;
    return nest_cap(lines * 64 / sets);
}

/* Counts the elements and lines of 64 bytes that an access touches in the loops inside a level.
   `span` and `count` are, per dimension, the extent of the index and the number of its values. */
static void measure(nest_access *a, int level, const shape *f, const double *span,
                    const double *count)
{
    double all = 1, run = 1, runs = 1, reach = 1, apart = 0;
    int whole = 1; /* every later dimension is swept in full */
    for (int d = f->dims - 1; d >= 0; d--) {
        const double wide = 1 + span[d] < f->size[d] ? 1 + span[d] : f->size[d];
        const double different = count[d] < wide ? count[d] : wide;
        all = nest_cap(all * different);
        reach = nest_cap(reach + (wide - 1) * f->row[d]);
        if (!whole && different > 1 && apart <= 0) apart = f->row[d] * a->element;
        if (whole)
            run = nest_cap(run * wide);
        else
            runs = nest_cap(runs * different);
        whole = whole && wide >= f->size[d];
    }
    const double per_run = ceil(run * a->element / 64);
    const double most = ceil(reach * a->element / 64);
    double n = nest_cap(runs * per_run);
    if (n > most) n = most;
    if (n > all) n = all;
    a->elements[level] = all;
    a->lines[level] = n < 1 ? 1 : n;
    a->crowd[level] = crowded(a->lines[level], runs, per_run, apart);
}

/* Elements from one iteration of a loop to the next: 0 none, 1 contiguous (as several dimensions
   may make it), otherwise their mean. far: from the first to the last; different: places. */
static double stride(double far, double different, double extent)
{
    if (different <= 1) return 0;
    if (far + 1 == extent && different >= extent) return 1;
    const double mean = far / (extent > 1 ? extent - 1 : 1);
    return mean > 1.5 ? mean : 1.5; /* several values that are not contiguous */
}

static void reach(nest_tree *t, nest_access *a)
{
    shape f;
    double span[NEST_SIZES] = {0}, count[NEST_SIZES];
    find_shape(&f, t, a->buffer);
    a->size = a->buffer < 0 ? 0 : nest_cap(f.row[0] * f.size[0] * a->element);
    for (int d = 0; d < NEST_SIZES; d++) count[d] = 1;
    a->elements[0] = a->lines[0] = a->crowd[0] = 1;
    a->across = a->along = -1;
    for (int level = 0, i = a->loop; level < a->loops; level++, i = t->loops[i].up) {
        const nest_loop *l = &t->loops[i];
        double far = 0, different = 1;
        a->elements[level + 1] = a->elements[level];
        a->lines[level + 1] = a->lines[level];
        a->crowd[level + 1] = a->crowd[level];
        for (int k = a->term; k >= 0; k = t->terms[k].next) {
            const nest_term *m = &t->terms[k];
            if (m->level != level) continue;
            const int d = m->dim < f.dims ? m->dim : f.dims - 1;
            const double steps = fabs(m->step) * (m->count - 1);
            span[d] = nest_cap(span[d] + steps);
            count[d] = nest_cap(count[d] * m->count);
            far = nest_cap(far + steps * f.row[d]);
            different = nest_cap(different * m->count);
        }
        if (nest_moves(a, level)) measure(a, level + 1, &f, span, count);
        a->stride[level] = stride(far, different, l->extent);
        double *to = l->kind == NEST_VECTOR ? &a->across : &a->along;
        if (l->extent > 1 && *to < 0) *to = a->stride[level];
    }
}

/* A part of the sum becomes as large as `x`, if it is smaller. */
static void raise(double *sum, double *part, double x)
{
    if (x <= *part) return;
    *sum = nest_cap(*sum + x - *part);
    *part = x;
}

/* Counts each buffer once, by the access that touches most of it. */
static void touch(nest_loop *l, int buffer, double bytes, double lines, double once)
{
    int i = 0;
    while (i < l->buffers && l->touched[i].buffer != buffer) i++;
    if (i == l->buffers && i < NEST_BUFFERS)
        l->touched[l->buffers++] = (nest_touched){.buffer = buffer};
    nest_touched none = {.buffer = buffer}, *b = i < NEST_BUFFERS ? &l->touched[i] : &none;
    raise(&l->bytes, &b->bytes, bytes);
    raise(&l->lines, &b->lines, lines);
    raise(&l->once, &b->once, once);
}

static void sum_buffers(nest_tree *t)
{
    for (int v = 0; v < t->s->nodes; v++) {
        const nest_kind k = t->kind[t->s->kind[v]];
        if (k.class != NEST_BUFFER) continue;
        shape f;
        find_shape(&f, t, v);
        if (f.size[0] < NEST_MOST) t->lines += ceil(f.row[0] * f.size[0] * k.bytes / 64);
        t->lines = nest_cap(t->lines);
    }
}

void nest_reach(nest_tree *t)
{
    sum_buffers(t);
    for (int i = 0; i < t->access_count; i++) {
        nest_access *a = &t->access[i];
        reach(t, a);
        int level = 1;
        for (int l = a->loop; l >= 0 && level <= a->loops; l = t->loops[l].up, level++)
            touch(&t->loops[l], a->buffer, nest_cap(a->elements[level] * a->element),
                  a->lines[level], a->lines[level - 1]);
    }
}
