/* SPDX-License-Identifier: MIT */
/* Takes boosted trees from XGBoost as plain arrays, checks them and sums over them. */
#include "examples/harness/baseline/trees.h"
#include "core/error.h"
#include "examples/harness/base/base.h"

#include <jansson.h>
#include <math.h>

void harness_trees_open(harness_trees *t, int count, int depth)
{
    *t = (harness_trees){.count = count, .depth = depth};
    const size_t nodes = (size_t)count * (size_t)harness_trees_nodes(t);
    const size_t leaves = nodes + (size_t)count;
    const size_t bytes = nodes * (sizeof *t->column + sizeof *t->limit) + leaves * sizeof *t->leaf;
    t->column = harness_alloc(bytes + 1);
    t->limit = (float *)(t->column + nodes);
    t->leaf = t->limit + nodes;
}

void harness_trees_close(harness_trees *t)
{
    harness_free(t->column);
    *t = (harness_trees){0};
}

int harness_trees_list(ag_checkpoint_item *item, const harness_trees *t)
{
    const ag_shape nodes = AG_SHAPE(t->count, harness_trees_nodes(t));
    const ag_shape leaves = AG_SHAPE(t->count, harness_trees_nodes(t) + 1);
    item[0] = (ag_checkpoint_item){"state.trees.column", AG_I32, nodes, t->column};
    item[1] = (ag_checkpoint_item){"state.trees.limit", AG_F32, nodes, t->limit};
    item[2] = (ag_checkpoint_item){"state.trees.leaf", AG_F32, leaves, t->leaf};
    return 3;
}

double harness_trees_sum(const harness_trees *t, int first, int count, const float *row)
{
    const int nodes = harness_trees_nodes(t);
    const int32_t *column = t->column + (size_t)first * (size_t)nodes;
    const float *limit = t->limit + (size_t)first * (size_t)nodes;
    const float *leaf = t->leaf + (size_t)first * (size_t)(nodes + 1);
    double sum = 0;
    for (int i = 0; i < count; i++) {
        int at = 0;
        while (at < nodes) at = 2 * at + 1 + !(row[column[at]] < limit[at]);
        sum += (double)leaf[at - nodes];
        column += nodes;
        limit += nodes;
        leaf += nodes + 1;
    }
    return sum;
}

ag_status harness_trees_check(const harness_trees *t, int columns, ag_failure *why)
{
    const size_t nodes = (size_t)t->count * (size_t)harness_trees_nodes(t);
    for (size_t i = 0; i < nodes; i++)
        if (t->column[i] < 0 || t->column[i] >= columns || !isfinite(t->limit[i]))
            return ag_fail(why, AG_EDATA,
                           "trees: node %zu asks for column %d below %g; there are %d columns, and "
                           "a limit is finite",
                           i, (int)t->column[i], (double)t->limit[i], columns);
    for (size_t i = 0; i < nodes + (size_t)t->count; i++)
        if (!isfinite(t->leaf[i]))
            return ag_fail(why, AG_EDATA, "trees: leaf %zu is %g; it must be finite", i,
                           (double)t->leaf[i]);
    return AG_OK;
}

/* One tree of XGBoost's JSON, and where it goes. */
typedef struct source {
    json_t *left, *right, *column, *condition;
    int32_t *to_column;
    float *to_limit, *to_leaf;
    int nodes; /* of a tree of the full depth */
} source;

static int index_at(const json_t *list, int i)
{
    return (int)json_integer_value(json_array_get(list, (size_t)i));
}

static float number_at(const json_t *list, int i)
{
    return (float)json_number_value(json_array_get(list, (size_t)i));
}

/* Copies the node `from` to the place `to`, and what is below it; a leaf fills the places below
   its own. Returns whether there are places for all. */
static bool copy_node(const source *s, int from, int to)
{
    const int left = index_at(s->left, from);
    if (to >= s->nodes) {
        s->to_leaf[to - s->nodes] = number_at(s->condition, from);
        return left < 0;
    }
    if (left >= 0) {
        s->to_column[to] = index_at(s->column, from);
        s->to_limit[to] = number_at(s->condition, from);
    }
    return copy_node(s, left < 0 ? from : left, 2 * to + 1) &&
           copy_node(s, left < 0 ? from : index_at(s->right, from), 2 * to + 2);
}

static ag_status copy_tree(harness_trees *t, int number, json_t *tree, ag_failure *why)
{
    const size_t nodes = (size_t)harness_trees_nodes(t), at = (size_t)number;
    source s = {.to_column = t->column + at * nodes,
                .to_limit = t->limit + at * nodes,
                .to_leaf = t->leaf + at * (nodes + 1),
                .nodes = (int)nodes};
    if (json_unpack(tree, "{s:o, s:o, s:o, s:o}", "left_children", &s.left, "right_children",
                    &s.right, "split_indices", &s.column, "split_conditions", &s.condition))
        return ag_fail(why, AG_EDATA,
                       "trees: tree %d of XGBoost's JSON lacks a list; use another version of "
                       "libxgboost",
                       number);
    if (copy_node(&s, 0, 0)) return AG_OK;
    return ag_fail(why, AG_EDATA, "trees: tree %d is deeper than %d", number, t->depth);
}

ag_status harness_trees_take(harness_trees *t, int first, harness_boosting *boosting,
                             ag_failure *why)
{
    size_t bytes = 0;
    const char *text = harness_boosting_json(&bytes, boosting, why);
    json_t *model = text ? json_loadb(text, bytes, 0, NULL) : NULL, *trees = NULL;
    json_unpack(model, "{s:{s:{s:{s:o}}}}", "learner", "gradient_booster", "model", "trees",
                &trees);
    if (!json_is_array(trees))
        ag_fail(why, AG_EDATA, "trees: XGBoost's JSON has no trees; use another version of it");
    const int n = (int)json_array_size(trees);
    for (int i = 0; i < n && first + i < t->count && !why->status; i++)
        copy_tree(t, first + i, json_array_get(trees, (size_t)i), why);
    json_decref(model);
    return why->status;
}
