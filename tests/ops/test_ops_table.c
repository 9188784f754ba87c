/* SPDX-License-Identifier: MIT */
/* The op table is complete, its ops are declared, and what is made from it (docs/ops.md,
   ops/elementwise_ops.h) is as it is. */
#define AG_NO_MAIN
#include "op_check.h"
#include "support/files.h"
#include "docs/make_ops.c"
#include "docs/make_prototypes.c"

static char *contents(const char *path)
{
    size_t n;
    char *text = files_get(path, &n);
    if (!text) fail_msg("%s cannot be read", path);
    return text;
}

/* ---- completeness ---- */

static int has_empty_case(const ag_op *op)
{
    for (int c = 0; c < op->n_cases; c++)
        for (int i = 0; i < AG_MAX_IN; i++)
            for (int k = 0; k < op->cases[c].x[i].rank; k++)
                if (op->cases[c].x[i].size[k] == 0) return 1;
    return 0;
}

static int has_backward(const ag_op *op)
{
    if (op->view) return 1;
    for (int i = 0; i < AG_MAX_IN; i++)
        if (op->backward[i] && !(op->ints >> i & 1)) return 1;
    return 0;
}

/* Ops whose results do not depend smoothly on any input. */
static int is_constant(const ag_op *op)
{
    static const char *const names[] = {"one_hot", "gcn_norm", "message_pna_degree", "topk_edges"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(op->name, names[i]) == 0) return 1;
    return 0;
}

static void check_entry(const ag_op *op)
{
    if (!op->formula || !*op->formula) complain(op->name, 0, "has no formula");
    if (!op->inputs || !*op->inputs) complain(op->name, 0, "names no inputs");
    if (!op->shape) complain(op->name, 0, "has no shape rule");
    if (!op->view && !op->forward[0]) complain(op->name, 0, "has no forward kernel");
    if (!has_backward(op) && !is_constant(op)) complain(op->name, 0, "has no gradient");
    if (op->n_cases < 3) complain(op->name, 0, "has fewer than 3 cases");
    if (!has_empty_case(op)) complain(op->name, 0, "has no case with an empty input");
    if (op->elementwise && (op->outputs > 1 || op->forward[1] || op->prepare[0] || op->partial))
        complain(op->name, 0, "is not elementwise: more than one output or kernel");
}

static void test_table_is_complete(void **state)
{
    const ag_op *op;
    op_failures = 0;
    for (int i = 0; (op = ag__op(i)) != NULL; i++) {
        if (!op->name || !*op->name)
            complain("?", i, "has no name");
        else if (ag__op_named(op->name) != op)
            complain(op->name, i, "is in the table twice");
        else
            check_entry(op);
    }
    assert_int_equal(op_failures, 0);
    assert_null(ag__op_named("no_such_op"));
}

enum { HEADERS = 3 };

static int is_declared(const char *const text[HEADERS], const char *name, size_t n)
{
    char wanted[100];
    int found = 0;
    snprintf(wanted, sizeof wanted, "ag_%.*s(", (int)n, name);
    for (int k = 0; k < HEADERS; k++) found |= strstr(text[k], wanted) != NULL;
    return found;
}

/* By its name, or without the last part: ag_spmm(..., kind) makes spmm_sum. */
static void test_ops_are_declared(void **state)
{
    char *text[] = {contents(AG_SOURCE_DIR "/ops/ops.h"), contents(AG_SOURCE_DIR "/gnn/gnn.h"),
                    contents(AG_SOURCE_DIR "/ops/elementwise_ops.h")};
    const char *const read[] = {text[0], text[1], text[2]};
    const ag_op *op;
    op_failures = 0;
    for (int i = 0; (op = ag__op(i)) != NULL; i++) {
        const char *last = strrchr(op->name, '_');
        if (is_declared(read, op->name, strlen(op->name))) continue;
        if (!last || !is_declared(read, op->name, (size_t)(last - op->name)))
            complain(op->name, 0, "is not declared in ops.h or gnn.h");
    }
    for (int k = 0; k < HEADERS; k++) free(text[k]);
    assert_int_equal(op_failures, 0);
}

static void do_nothing(const ag_args *a) {}

/* The table lists the CUDA kernels in a build without CUDA, too: all exist. */
static void test_cuda_columns(void **state)
{
    const ag_kernel of_the_cpu = {.name = "of_the_cpu", .call = do_nothing};
    const ag_op made_up = {.name = "made_up", .forward = {&of_the_cpu}};
    const ag_op *op;
    op_failures = 0;
    for (int i = 0; (op = ag__op(i)) != NULL; i++)
        if (!runs_on_cuda(op)) complain(op->name, 0, "has a kernel without a CUDA form");
    assert_int_equal(op_failures, 0);
    assert_false(runs_on_cuda(&made_up));
}

static void check_fresh(const char *path, void (*write)(FILE *))
{
    char *have = contents(path);
    FILE *file = tmpfile();
    write(file);
    if (strcmp(have, text_of(file)) != 0)
        fail_msg("%s is out of date: cmake --build --preset release --target docs", path);
    free(have);
}

static void test_reference_is_fresh(void **state)
{
    check_fresh(AG_SOURCE_DIR "/docs/ops.md", write_ops);
}

static void test_declarations_are_fresh(void **state)
{
    check_fresh(AG_SOURCE_DIR "/ops/elementwise_ops.h", write_prototypes);
}

int main(void)
{
    return RUN_TESTS(test_table_is_complete, test_ops_are_declared, test_cuda_columns,
                     test_reference_is_fresh, test_declarations_are_fresh);
}
