/* SPDX-License-Identifier: MIT */
#include "examples/lab/collect/search.h"

#include "examples/harness/harness.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>

enum { PARENTS = 32, TRIES = 50, FIRST = 16, ROW = sizeof(lab_layout_row) };

/* Draws the `named` most minor axes of `rank`; returns whether they are those of row-major
   order. */
static int draw_slot(signed char *slot, int rank, int named, ag_random *random)
{
    int axis[LAB_RANK], row_major = 1;
    int keep = ag_random_below(random, 4) == 0;
    memset(slot, -1, LAB_RANK);
    for (int i = 0; i < rank; i++) axis[i] = rank - 1 - i;
    for (int i = 0; i < named && i < rank; i++) {
        int j = keep ? i : i + (int)ag_random_below(random, (uint32_t)(rank - i)), a = axis[j];
        axis[j] = axis[i];
        axis[i] = a;
        slot[i] = (signed char)a;
        row_major &= a == rank - 1 - i;
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

lab_search *lab_search_new(const lab_program *p, int genetic, uint64_t seed)
{
    lab_search *s = harness_alloc(sizeof *s);
    s->program = p;
    s->genetic = genetic;
    s->random = (ag_random){seed, XXH3_64bits(p->name, strlen(p->name)) + (uint64_t)genetic, 0};
    s->node = harness_alloc(((size_t)p->n + 1) * sizeof *s->node);
    s->n_nodes = lab_configurable_nodes(s->node, p);
    return s;
}

void lab_search_free(lab_search *s)
{
    if (!s) return;
    harness_free(s->node);
    harness_free(s->rows);
    harness_free(s->hash);
    harness_free(s);
}

static lab_layout_row *config_of(const lab_search *s, int i)
{
    return s->rows + (size_t)i * (size_t)s->n_nodes;
}

/* Accepts the configuration at `count` unless it was given before. */
static int accept(lab_search *s)
{
    const size_t bytes = (size_t)s->n_nodes * ROW;
    const uint64_t hash = XXH3_64bits(config_of(s, s->count), bytes);
    for (int i = 0; i < s->count; i++)
        if (s->hash[i] == hash && !memcmp(config_of(s, i), config_of(s, s->count), bytes)) return 0;
    s->hash[s->count++] = hash;
    return 1;
}

/* Changes one to all nodes: half of the time any number of them, half of the time mostly few. */
static void draw_random(lab_search *s, lab_layout_row *rows)
{
    const int n = s->n_nodes;
    const double u = ag_random_uniform(&s->random);
    int left = ag_random_below(&s->random, 2) ? 1 + (int)(u * n) : (int)pow(n + 1, u);
    memset(rows, -1, (size_t)n * ROW);
    for (int k = 0; k < n && left > 0; k++) { /* each set of nodes with the same chance */
        if (ag_random_below(&s->random, (uint32_t)(n - k)) >= (uint32_t)left) continue;
        left--;
        /* until it is not the default, but for vectors, which have no other */
        for (int i = 0; i < TRIES && (!i || rows[k][0] < 0); i++)
            lab_row_draw(rows[k], s->program, s->node[k], &s->random);
    }
}

/* The faster of two random configurations among the best. */
static const lab_layout_row *parent(lab_search *s, const int *best, int n)
{
    int a = (int)ag_random_below(&s->random, (uint32_t)n);
    int b = (int)ag_random_below(&s->random, (uint32_t)n);
    return config_of(s, best[a < b ? a : b]);
}

static void draw_child(lab_search *s, lab_layout_row *rows, const int *best, int n)
{
    int changes = 1;
    while (changes < s->n_nodes && ag_random_below(&s->random, 2)) changes++;
    if (n < FIRST) {
        memset(rows, -1, (size_t)s->n_nodes * ROW);
    } else {
        const lab_layout_row *a = parent(s, best, n), *b = parent(s, best, n);
        int cross = ag_random_below(&s->random, 2) == 1;
        for (int k = 0; k < s->n_nodes; k++)
            memcpy(rows[k], cross && ag_random_below(&s->random, 2) ? b[k] : a[k], ROW);
        changes -= cross; /* a crossing alone is a child, too */
    }
    for (int i = 0; i < changes; i++) {
        const int k = (int)ag_random_below(&s->random, (uint32_t)s->n_nodes);
        lab_row_draw(rows[k], s->program, s->node[k], &s->random);
    }
}

/* The PARENTS fastest, fastest first. */
static int select_best(int *best, const lab_timing *timing, int told)
{
    int n = 0;
    for (int i = 0; i < told; i++) {
        int at = n;
        while (at > 0 && timing[i].ns < timing[best[at - 1]].ns) {
            if (at < PARENTS) best[at] = best[at - 1];
            at--;
        }
        if (at < PARENTS) best[at] = i;
        if (n < PARENTS) n++;
    }
    return n;
}

static int next_one(lab_search *s, const int *best, int n)
{
    if (s->count == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 64;
        const size_t configs = (size_t)s->capacity;
        s->rows = harness_grow(s->rows, configs * (size_t)s->n_nodes * ROW);
        s->hash = harness_grow(s->hash, configs * sizeof *s->hash);
    }
    lab_layout_row *rows = config_of(s, s->count);
    if (!s->count) {
        memset(rows, -1, (size_t)s->n_nodes * ROW);
        return accept(s);
    }
    for (int i = 0; i < TRIES; i++) {
        if (s->genetic)
            draw_child(s, rows, best, n);
        else
            draw_random(s, rows);
        if (accept(s)) return 1;
    }
    return 0;
}

int lab_search_next(lab_search *s, const lab_timing *timing, int told, int want)
{
    int best[PARENTS], n = select_best(best, timing, told);
    s->count = told;
    if (s->n_nodes < 1) return 0;
    while (s->count - told < want && next_one(s, best, n)) {}
    return s->count - told;
}
