/* SPDX-License-Identifier: MIT */
/* Builds trees from the numbers of children. */
#include "examples/tpgnn/data/data_internal.h"

#include <string.h>

tpgnn_nodes tpgnn_nodes_part(const tpgnn_nodes *all, int64_t first)
{
    return (tpgnn_nodes){
        all->name,           all->kinds,          all->line + first,   all->children + first,
        all->refers + first, all->value + first,  all->parent + first, all->position + first,
        all->depth + first,  all->scratch + first};
}

static const tpgnn_kind *kind_of(const tpgnn_nodes *t, int v) { return &t->kinds[t->line[v]]; }

static int is_class(const tpgnn_nodes *t, int v, const char *name)
{
    return !strcmp(kind_of(t, v)->word[TPGNN_CLASS], name);
}

static int is_declaration(const tpgnn_nodes *t, int v)
{
    static const char *const name[] = {"Param", "AllocBuffer", "DeclBuffer", "For", "Bind", "Let"};
    for (int i = 0; i < 6; i++)
        if (is_class(t, v, name[i])) return 1;
    return 0;
}

/* In pre-order, a node is the next child of the last node before it that still lacks one. */
static ag_status find_parents(tpgnn_nodes *t, int schedule, int nodes, ag_failure *why)
{
    int32_t *placed = t->scratch; /* children so far */
    memset(placed, 0, (size_t)nodes * sizeof *placed);
    int top = -1;
    for (int v = 0; v < nodes; v++) {
        while (top >= 0 && placed[top] == t->children[top]) top = t->parent[top];
        if (v && top < 0)
            return ag_fail(why, AG_EDATA,
                           "%s: node_children: the tree of schedule %d is complete with %d nodes, "
                           "but node_offset gives it %d",
                           t->name, schedule, v, nodes);
        t->parent[v] = top;
        t->position[v] = top < 0 ? 0 : placed[top]++;
        t->depth[v] = top < 0 ? 0 : t->depth[top] + 1;
        top = v;
    }
    for (; top >= 0; top = t->parent[top])
        if (placed[top] < t->children[top])
            return ag_fail(why, AG_EDATA,
                           "%s: node_children: node %d of schedule %d should have %d children, but "
                           "the schedule ends with the %d nodes of node_offset behind %d of them",
                           t->name, top, schedule, t->children[top], nodes, placed[top]);
    return AG_OK;
}

/* Turns numbers of declarations into the nodes that declare. */
static ag_status find_declarations(tpgnn_nodes *t, int schedule, int nodes, ag_failure *why)
{
    int32_t *declaration = t->scratch;
    int count = 0;
    for (int v = 0; v < nodes; v++) {
        const int number = t->refers[v];
        if (number > count)
            return ag_fail(why, AG_EDATA,
                           "%s: node_refers: node %d of schedule %d refers to declaration %d, but "
                           "there are %d before it",
                           t->name, v, schedule, number, count);
        t->refers[v] = number ? declaration[number - 1] : -1;
        if (is_declaration(t, v)) declaration[count++] = v;
    }
    return AG_OK;
}

ag_status tpgnn_tree_find(tpgnn_nodes *t, int schedule, int nodes, ag_failure *why)
{
    if (!find_parents(t, schedule, nodes, why)) find_declarations(t, schedule, nodes, why);
    return why->status;
}

/* ---- reading ---- */

static ag_status read_nodes(tpgnn_nodes *t, const tpgnn_reading *r, ag_failure *why)
{
    t->line = tpgnn_integers_read(&r->raw, "node_kind", r->nodes, r->lines.count - 1,
                                  "a line of kinds per node", why);
    if (t->line)
        t->children = tpgnn_integers_read(&r->raw, "node_children", r->nodes, r->nodes,
                                          "the number of children of each node", why);
    if (t->children)
        t->refers = tpgnn_integers_read(&r->raw, "node_refers", r->nodes, r->nodes,
                                        "a declaration or 0 per node", why);
    if (t->refers)
        t->value = tpugraphs_raw_array(&r->raw, "node_value", AG_F32, AG_SHAPE(r->nodes),
                                       "a number per node", why);
    if (!t->value) return why->status;
    return tpgnn_check_finite(&r->raw, "node_value", t->value, r->nodes, why);
}

ag_status tpgnn_nodes_room(tpgnn_nodes *t, const tpgnn_reading *r, ag_failure *why)
{
    const size_t bytes = (size_t)r->nodes * sizeof(int32_t);
    int32_t **const array[] = {&t->parent, &t->position, &t->depth, &t->scratch};
    if (tpugraphs_fits(r->raw.budget, 4 * bytes, t->name, "the trees", why)) return why->status;
    for (int i = 0; i < 4 && !why->status; i++) {
        *array[i] = ag_alloc(bytes);
        if (!*array[i]) harness_files_no_memory(t->name, bytes, why);
    }
    return why->status;
}

void tpgnn_nodes_free(tpgnn_nodes *t)
{
    void *const block[] = {t->line,   t->children, t->refers, t->value,
                           t->parent, t->position, t->depth,  t->scratch};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++) ag_free(block[i]);
}

static ag_status find_trees(const tpgnn_nodes *t, const tpgnn_reading *r, ag_failure *why)
{
    for (int i = 0; i < r->schedules && !why->status; i++) {
        tpgnn_nodes part = tpgnn_nodes_part(t, r->node_offset[i]);
        tpgnn_tree_find(&part, i, (int)(r->node_offset[i + 1] - r->node_offset[i]), why);
    }
    return why->status;
}

static void keep_trees(const tpgnn_reading *r)
{
    const tpgnn_file *f = r->file;
    for (int i = 0; i < r->schedules; i++) {
        const int64_t from = r->node_offset[i];
        tpgnn_schedule *s = &r->schedule[i];
        s->nodes = (int)(r->node_offset[i + 1] - from);
        s->kind = f->kind + from;
        s->value = f->value + from;
        s->parent = f->parent + from;
        s->position = f->position + from;
        s->depth = f->depth + from;
        s->refers = f->refers + from;
    }
}

ag_status tpgnn_trees_keep(tpgnn_data *data, tpgnn_nodes *t, tpgnn_reading *r, ag_failure *why)
{
    tpgnn_file *f = r->file;
    f->nodes = r->node_offset[r->schedules];
    const size_t n = (size_t)f->nodes, moved = n * (sizeof *f->value + 4 * sizeof *f->parent);
    f->kind = tpugraphs_take(&data->budget, &f->bytes, n, sizeof *f->kind, t->name, why);
    if (!f->kind || tpugraphs_fits(&data->budget, moved, t->name, "the trees", why))
        return why->status;
    for (size_t v = 0; v < n; v++) f->kind[v] = (uint16_t)t->line[v];
    f->value = t->value;
    f->parent = t->parent;
    f->position = t->position;
    f->depth = t->depth;
    f->refers = t->refers;
    *t = (tpgnn_nodes){.line = t->line, .children = t->children, .scratch = t->scratch};
    f->bytes += moved;
    data->budget.used += moved;
    keep_trees(r);
    return AG_OK;
}

/* The hash is of the nodes as read, so it does not depend on the vocabulary. */
static void hash_nodes(const tpgnn_nodes *t, const tpgnn_reading *r)
{
    const size_t n = (size_t)r->nodes;
    uint64_t hash = r->file->hash;
    for (int i = 0; i < r->lines.count; i++) {
        const char *text = r->lines.kind[i].text;
        hash = tpgnn_hash(hash, text, strlen(text) + 1, 1);
    }
    hash = tpgnn_hash(hash, t->line, n, sizeof *t->line);
    hash = tpgnn_hash(hash, t->children, n, sizeof *t->children);
    hash = tpgnn_hash(hash, t->refers, n, sizeof *t->refers);
    hash = tpgnn_hash(hash, t->value, n, sizeof *t->value);
    r->file->hash = tpgnn_hash(hash, r->node_offset, (size_t)r->schedules + 1, sizeof(int64_t));
}

ag_status tpgnn_trees_read(tpgnn_data *data, tpgnn_reading *r, ag_failure *why)
{
    tpgnn_nodes t = {.name = r->raw.name, .kinds = r->lines.kind};
    if (!read_nodes(&t, r, why) && !tpgnn_nodes_room(&t, r, why)) {
        hash_nodes(&t, r);
        if (!find_trees(&t, r, why)) tpgnn_trees_keep(data, &t, r, why);
    }
    tpgnn_nodes_free(&t);
    return why->status;
}
