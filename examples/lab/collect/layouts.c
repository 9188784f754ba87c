/* SPDX-License-Identifier: MIT */
/* Draws layout configurations, none twice. */
#include "examples/lab/collect/layouts.h"

#include "examples/harness/base/bag.h"
#include "examples/harness/base/draws.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>

enum { TRIES = 50, ROW = sizeof(lab_layout_row) };

/* Draws the `named` most minor axes of `rank`; returns whether they are those of row-major
   order. */
static int draw_slot(signed char *slot, int rank, int named, ag_random *random)
{
    int32_t axis[LAB_RANK], row_major = 1;
    memset(slot, -1, LAB_RANK);
    for (int i = 0; i < rank; i++) axis[i] = rank - 1 - i;
    if (ag_random_below(random, 4)) harness_draw(axis, rank, named, random);
    for (int i = 0; i < named && i < rank; i++) {
        slot[i] = (signed char)axis[i];
        row_major &= axis[i] == rank - 1 - i;
    }
    return row_major;
}

void lab_row_draw(signed char *row, const lab_program *p, int node, ag_random *random)
{
    const lab_node *x = &p->nodes[node];
    const int named = x->op == LAB_CONVOLUTION ? 2 : LAB_RANK;
    int row_major = draw_slot(row, x->shape.rank, named, random);
    memset(row + LAB_RANK, -1, 2 * LAB_RANK);
    for (int k = 0; k < 2 && k < x->n_operands; k++) {
        int rank = p->nodes[x->operand[k]].shape.rank;
        row_major &= draw_slot(row + (k + 1) * LAB_RANK, rank, named, random);
    }
    if (row_major) memset(row, -1, ROW); /* the default has only one form */
}

lab_layouts *lab_layouts_new(const lab_program *p, uint64_t seed)
{
    lab_layouts *l = harness_alloc(sizeof *l);
    l->program = p;
    l->random = (ag_random){seed, XXH3_64bits(p->name, strlen(p->name)), 0};
    l->node = HARNESS_NEW(l->node, p->n);
    l->n_nodes = lab_configurable_nodes(l->node, p);
    return l;
}

void lab_layouts_free(lab_layouts *l)
{
    harness_free(l->node);
    bag_free(l->rows);
    bag_free(l->hash);
    harness_free(l);
}

/* Changes one to all nodes: half of the time any number of them, half of the time mostly few. */
static void draw(lab_layouts *l, lab_layout_row *rows)
{
    const int n = l->n_nodes;
    const double u = ag_random_uniform(&l->random);
    int left = ag_random_below(&l->random, 2) ? 1 + (int)(u * n) : (int)pow(n + 1, u);
    for (int k = 0; k < n && left > 0; k++) { /* each set of nodes with the same chance */
        if (ag_random_below(&l->random, (uint32_t)(n - k)) >= (uint32_t)left) continue;
        left--;
        /* until it is not the default, except vectors, which have no other */
        for (int i = 0; i < TRIES && (!i || rows[k][0] < 0); i++)
            lab_row_draw(rows[k], l->program, l->node[k], &l->random);
    }
}

/* Accepts a configuration, which is already in its place, unless it was given before. */
static int accept(lab_layouts *l, const lab_layout_row *rows)
{
    const size_t bytes = (size_t)l->n_nodes * ROW;
    const uint64_t hash = XXH3_64bits(rows, bytes);
    for (int i = 0; i < l->count; i++)
        if (l->hash[i] == hash && !memcmp(l->rows[(size_t)i * (size_t)l->n_nodes], rows, bytes))
            return 0;
    bag_add(l->hash, hash);
    l->count++;
    return 1;
}

static int next_one(lab_layouts *l)
{
    bag_resize(l->rows, (size_t)(l->count + 1) * (size_t)l->n_nodes);
    lab_layout_row *rows = l->rows + (size_t)l->count * (size_t)l->n_nodes;
    for (int i = 0; i < TRIES; i++) {
        memset(rows, -1, (size_t)l->n_nodes * ROW);
        if (l->count) draw(l, rows);
        if (accept(l, rows)) return 1;
    }
    return 0;
}

int lab_layouts_next(lab_layouts *l, int want)
{
    const int before = l->count;
    while (l->n_nodes && l->count - before < want && next_one(l)) {}
    return l->count - before;
}
