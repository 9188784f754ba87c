/* SPDX-License-Identifier: MIT */
/* The memory of a run, the values of parameters, and the list of steps. */
#include "examples/harness/base/bag.h"
#include "core/memory.h"
#include "examples/lab/run/run_internal.h"

#include <math.h>
#include <string.h>

/* A load waits for an earlier store whose address ends in the same 12 bits: a sum that is written
   64 bytes after where its operand lies in a page takes 1.7 times as long, up to 256 bytes it
   shows. So values of a page and more start at twelve places of a page. */
enum { LINE = 64, PAGE = 4096, PLACES = 12, APART = 320 };

float *lab__run_place(float *free, int64_t floats, int place)
{
    const size_t now = (uintptr_t)free % PAGE, start = (size_t)(place % PLACES) * APART;
    const int large = (size_t)floats * sizeof *free >= PAGE;
    return free + (large ? (start + PAGE - now) % PAGE : (PAGE - now) % LINE) / sizeof *free;
}

static size_t bytes_of(int64_t floats) { return ag_size_add((size_t)floats * sizeof(float), PAGE); }

/* The most floats that copies of a node's operands take. */
static size_t copies_of(const lab_program *p, const lab_node *node)
{
    size_t bytes = 0;
    for (int k = 0; lab_configurable(node) && k < node->n_operands; k++)
        bytes = ag_size_add(bytes, bytes_of(lab_elements(p->nodes[node->operand[k]].shape)));
    return node->op == LAB_RESHAPE ? 2 * bytes : bytes; /* to its layout, then to row-major */
}

/* Memory of the harness is zeroed, which also makes its pages resident before the first run. */
static void take_memory(lab_run *run)
{
    const lab_program *p = run->p;
    int ramp = 1;
    size_t bytes = 0, copies = 0;
    for (int i = 0; i < p->n; i++) {
        const lab_shape shape = p->nodes[i].shape;
        const size_t of_node = copies_of(p, &p->nodes[i]);
        bytes = ag_size_add(bytes, bytes_of(lab_elements(shape)));
        if (of_node > copies) copies = of_node;
        for (int a = 0; a < shape.rank; a++)
            if (shape.size[a] > ramp) ramp = shape.size[a];
    }
    bytes = ag_size_add(bytes, bytes_of(ramp));
    float *block = harness_take(&run->memory, ag_size_add(bytes, copies));
    for (int i = 0; i < p->n; i++) {
        const int64_t floats = lab_elements(p->nodes[i].shape);
        run->value[i].home = lab__run_place(block, floats, 2 * i);
        block = run->value[i].home + floats;
    }
    run->ramp = lab__run_place(block, ramp, 1);
    run->copies = run->ramp + ramp;
    for (int i = 0; i < ramp; i++) run->ramp[i] = (float)i;
}

/* ---- the values of parameters: they follow only from the node and the element ---- */

/* Element i is offset + scale * u with u uniform in [0, 1), rounded down when whole is set. */
typedef struct law {
    float offset, scale;
    int whole;
} law;

/* Variance one, less for weights of dots and convolutions, by the number of terms in the sums that
   they take part in, which keeps results near one; row numbers are valid rows of the table. */
static law law_of(const lab_program *p, int node)
{
    const lab_type type = p->nodes[node].shape.type;
    int rows = 0;
    double terms = 1;
    for (int i = p->n - 1; i > node; i--) {
        const lab_node *user = &p->nodes[i];
        if (user->n_operands < 2 || user->operand[1] != node) continue;
        if (user->op == LAB_GATHER) {
            const int height = p->nodes[user->operand[0]].shape.size[0];
            if (!rows || height < rows) rows = height;
        } else if (user->op == LAB_DOT || user->op == LAB_CONVOLUTION)
            terms = lab_terms(p, i);
    }
    if (type == LAB_PRED) return (law){0, 2, 1};
    if (type == LAB_S32) return (law){0, rows ? (float)rows : 16, 1};
    const double half = sqrt(3 / terms);
    return (law){(float)-half, (float)(2 * half), 0};
}

static float value(law l, int node, int64_t i)
{
    /* SplitMix64's finalizer */
    uint64_t x = ((uint64_t)node << 40) + (uint64_t)i + 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    const float u = (float)(x >> 40) * 0x1p-24f, y = l.offset + l.scale * u;
    if (!l.whole) return y;
    return floorf(y) < l.scale ? floorf(y) : l.scale - 1;
}

void lab__parameter_values(float *elements, const lab_program *p, int node)
{
    const law l = law_of(p, node);
    const int64_t n = lab_elements(p->nodes[node].shape);
    for (int64_t i = 0; i < n; i++) elements[i] = value(l, node, i);
}

static void fill(const lab_run *run)
{
    for (int i = 0; i < run->p->n; i++) {
        const lab_node *node = &run->p->nodes[i];
        const int64_t n = lab_elements(node->shape);
        for (int64_t j = 0; node->op == LAB_CONSTANT && j < n; j++)
            run->value[i].home[j] = node->value;
        if (node->op == LAB_PARAMETER) lab__parameter_values(run->value[i].home, run->p, i);
    }
}

lab_run *lab_run_new(const lab_program *p)
{
    lab_run *run = harness_alloc(sizeof *run);
    run->p = p;
    run->value = HARNESS_NEW(run->value, p->n);
    take_memory(run);
    fill(run);
    lab__run_reset(run);
    return run;
}

void lab_run_free(lab_run *run)
{
    if (!run) return;
    ag_arena_free(run->memory);
    ag_arena_free(run->arguments);
    harness_free(run->value);
    bag_free(run->steps);
    harness_free(run);
}

void lab__run_reset(lab_run *run)
{
    run->n_steps = run->n_copies = 0;
    bag_free(run->steps);
    ag_arena_reset(run->arguments);
    for (int i = 0; i < run->p->n; i++) {
        lab_value *v = &run->value[i];
        v->data = v->home;
        lab_view_row_major(&v->view, run->p->nodes[i].shape);
    }
}

void lab__run_step(lab_run *run, void (*go)(const void *), const void *args, size_t bytes)
{
    const void *kept = memcpy(harness_take(&run->arguments, bytes), args, bytes);
    bag_add(run->steps, ((lab_step){go, kept}));
    run->n_steps++;
}

void lab_run_go(lab_run *run)
{
    for (const lab_step *s = run->steps, *end = s + run->n_steps; s != end; s++) s->go(s->args);
}
