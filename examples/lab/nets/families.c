/* SPDX-License-Identifier: MIT */
/* Builds programs by number, at the size that needs the wanted work. */
#include "examples/lab/nets/families.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIZES = 256, ATTEMPTS = 64, NODES_MOST = 3000, CONFIGURABLE_LEAST = 4 };

static int64_t window_area(const lab_node *node, int axes)
{
    int64_t area = 1;
    for (int i = 0; i < axes; i++) area *= node->window[i].size;
    return area;
}

static int64_t node_work(const lab_program *p, const lab_node *node)
{
    int64_t out = lab_elements(node->shape);
    const lab_shape *in = node->n_operands ? &p->nodes[node->operand[0]].shape : NULL;
    switch (node->op) {
    case LAB_PARAMETER:
    case LAB_CONSTANT: return 0;
    case LAB_REDUCE: return lab_elements(*in);
    case LAB_REDUCE_WINDOW: return out * window_area(node, node->shape.rank);
    case LAB_DOT: return out * in->size[node->dot.left];
    case LAB_CONVOLUTION:
        return out * window_area(node, node->conv.spatial) * in->size[node->conv.in_feature] /
               node->conv.groups;
    default: return out;
    }
}

int64_t lab_program_work(const lab_program *p)
{
    int64_t work = 0;
    for (int i = 0; i < p->n; i++) work += node_work(p, &p->nodes[i]);
    return work;
}

static const lab_family *find(const char *name)
{
    for (int i = 0; i < lab_n_families; i++)
        if (strcmp(lab_families[i].name, name) == 0) return &lab_families[i];
    return NULL;
}

static int usable(const lab_program *p)
{
    int configurable = 0;
    for (int i = 0; i < p->n; i++) configurable += lab_configurable(&p->nodes[i]);
    return configurable >= CONFIGURABLE_LEAST && p->n <= NODES_MOST;
}

static void begin(lab_program *p, const lab_family *f, int number)
{
    lab_program_clear(p);
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s_%d", f->name, number);
    snprintf(p->family, sizeof p->family, "%s", f->name);
}

static int64_t build(lab_program *p, const lab_family *f, int number, int size, uint64_t seed)
{
    begin(p, f, number);
    f->build(p, size / (double)SIZES, seed);
    return p->why.status == AG_OK ? lab_program_work(p) : INT64_MAX;
}

/* The largest size whose work is at most `most`, by bisection; 0: none. Work grows with the size,
   or nearly so. */
static int fitting(lab_program *p, const lab_family *f, int number, uint64_t seed, int64_t most)
{
    int low = 0, high = SIZES + 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (build(p, f, number, middle, seed) <= most)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static ag_status misuse(const lab_program *p, const char *family, int number, double milliseconds,
                        ag_failure *why)
{
    if (p && p->why.status != AG_OK) return ag_fail(why, p->why.status, "%s", p->why.sentence);
    return ag_fail(why, AG_EUSE,
                   "There is no program %d of family \"%s\" that takes %g ms; `lab families` names "
                   "the families, numbers start at 0, and all of them reach 0.2 to 20 ms",
                   number, family, milliseconds);
}

ag_status lab_family_program(lab_program *p, const char *family, int number, double milliseconds,
                             ag_failure *why)
{
    const lab_family *f = find(family);
    lab_program_clear(p);
    if (!f || number < 0 || !(milliseconds > 0 && milliseconds < 1e6))
        return misuse(NULL, family, number, milliseconds, why);
    int64_t most = (int64_t)(milliseconds * LAB_WORK_PER_MS);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        ag_random r = {(uint64_t)number << 8 | (uint64_t)attempt, 0x4c41464d, 0};
        for (const char *c = family; *c; c++) r.stream = r.stream * 31 + (unsigned char)*c;
        uint64_t seed = ag_random_bits(&r);
        seed = seed << 32 | ag_random_bits(&r);
        /* not always the limit: 45 to 100 % of it */
        int64_t target = most * (45 + (int)ag_random_below(&r, 56)) / 100;
        int size = fitting(p, f, number, seed, target);
        int64_t work = size ? build(p, f, number, size, seed) : 0;
        if (size && work >= most / 4 && work <= most && usable(p)) return AG_OK;
    }
    ag_status status = misuse(p, family, number, milliseconds, why);
    lab_program_clear(p);
    return status;
}
