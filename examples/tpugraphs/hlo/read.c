/* SPDX-License-Identifier: MIT */
/* A file is mapped, so that the constants in it take no memory; its first bytes show its form. */
#define _GNU_SOURCE /* O_CLOEXEC, mmap */
#include "examples/tpugraphs/hlo/parts.h"
#include "core/error.h"
#include "core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void hlo_free(hlo_graph *g, tpugraphs_budget *budget)
{
    void *const block[] = {g->feature, g->opcode, g->edge,    g->operand,
                           g->dot,     g->split,  g->choosing};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) ag_free(block[i]);
    budget->used -= g->bytes;
    *g = (hlo_graph){.nodes = 0};
}

ag_status hlo_read_bytes(hlo_graph *g, const void *bytes, size_t n, const char *name,
                         hlo_unknown unknown, tpugraphs_budget *budget, ag_failure *why)
{
    hlo_module m = {
        .g = g, .begin = bytes, .name = name, .unknown = unknown, .budget = budget, .why = why};
    const hlo_span all = {bytes, (const char *)bytes + n};
    *g = (hlo_graph){.is_text = hlo_is_text(all)};
    if (!(g->is_text ? hlo_read_text : hlo_read_protobuf)(&m, all) && !hlo_end_splits(&m) &&
        !hlo_connect(&m))
        hlo_choose(&m);
    ag_free(m.node);
    ag_free(m.reference);
    ag_free(m.computation);
    for (int i = 0; i < 2; i++) ag_free(m.by_id[i].id);
    budget->used -= m.bytes;
    if (why->status) hlo_free(g, budget);
    return why->status;
}

static ag_status read_file(hlo_graph *g, int file, const char *name, hlo_unknown unknown,
                           tpugraphs_budget *budget, ag_failure *why)
{
    struct stat about;
    if (fstat(file, &about) || !S_ISREG(about.st_mode))
        return ag_fail(why, AG_EFILE, "%s is not a file that can be mapped; copy it to the disk",
                       name);
    const size_t n = (size_t)about.st_size;
    void *bytes = n ? mmap(NULL, n, PROT_READ, MAP_PRIVATE, file, 0) : NULL;
    if (bytes == MAP_FAILED)
        return ag_fail(why, AG_EFILE, "%s cannot be mapped: %s; copy it to the disk", name,
                       strerror(errno));
    hlo_read_bytes(g, bytes, n, name, unknown, budget, why);
    if (n) munmap(bytes, n);
    return why->status;
}

ag_status hlo_read(hlo_graph *g, const char *path, hlo_unknown unknown, tpugraphs_budget *budget,
                   ag_failure *why)
{
    const char *name = harness_files_short(path);
    *g = (hlo_graph){.nodes = 0};
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return ag_fail(why, AG_EFILE, "%s cannot be opened: %s; check the path", name,
                       strerror(errno));
    read_file(g, file, name, unknown, budget, why);
    close(file);
    const char *mistaken = why->status == AG_EDATA ? ag_file_mistaken(path) : NULL;
    if (!mistaken) return why->status;
    *why = (ag_failure){0};
    return ag_fail(why, AG_EDATA, "%s %s", name, mistaken);
}
