/* SPDX-License-Identifier: MIT */
/* Any bytes as the text of a program. A program that is read is right, is the same after printing
   and reading, and has features and edges. */
#define _GNU_SOURCE /* open_memstream */
#include "examples/lab/program/features.h"
#include "support/lab_same.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void use(const lab_program *p)
{
    float features[LAB_FEATURES];
    int64_t(*edges)[2] = malloc((size_t)p->n * LAB_OPERANDS * sizeof *edges);
    int m = lab_edges(edges, p);
    for (int k = 0; k < m; k++)
        if (edges[k][1] < 0 || edges[k][0] <= edges[k][1]) abort();
    for (int i = 0; i < p->n; i++) lab_node_features(features, p, i);
    free(edges);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    lab_program p;
    ag_status status = lab_text_read(&p, (const char *)bytes, n, "fuzz");
    if (status != p.why.status || (status == AG_OK) != (p.why.sentence[0] == 0)) abort();
    if (status != AG_OK) {
        if (p.n || p.nodes || strncmp(p.why.sentence, "fuzz:", 5) != 0) abort();
        return 0;
    }
    if (!lab_comes_back(&p)) abort();
    use(&p);
    lab_program_clear(&p);
    return 0;
}
