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

/* The next place gets a configuration that was not given before; 0: none was found. */
static int next_one(lab_layouts *l)
{
    const size_t n = (size_t)l->n_nodes;
    bag_resize(l->rows, (size_t)(l->count + 1) * n);
    lab_layout_row *rows = l->rows + (size_t)l->count * n;
    for (int i = 0; i < TRIES; i++) {
        int old = 0;
        memset(rows, -1, n * ROW);
        if (l->count) draw(l, rows);
        const uint64_t hash = XXH3_64bits(rows, n * ROW);
        while (old < l->count && l->hash[old] != hash) old++;
        if (old < l->count) continue;
        bag_add(l->hash, hash);
        return ++l->count;
    }
    return 0;
}

int lab_layouts_next(lab_layouts *l, int want)
{
    const int before = l->count;
    while (l->n_nodes && l->count - before < want && next_one(l)) {}
    return l->count - before;
}
