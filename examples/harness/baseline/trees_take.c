/* SPDX-License-Identifier: MIT */
/* Trees from XGBoost's JSON. */
#include "examples/harness/baseline/trees.h"

#include <jansson.h>

/* One tree of XGBoost's JSON, and where it goes. */
typedef struct source {
    const json_t *left, *right, *column, *condition;
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
   its own. */
static void copy_node(const source *s, int from, int to)
{
    const int left = index_at(s->left, from);
    if (to >= s->nodes) {
        s->to_leaf[to - s->nodes] = number_at(s->condition, from);
        return;
    }
    if (left >= 0) {
        s->to_column[to] = index_at(s->column, from);
        s->to_limit[to] = number_at(s->condition, from);
    }
    copy_node(s, left < 0 ? from : left, 2 * to + 1);
    copy_node(s, left < 0 ? from : index_at(s->right, from), 2 * to + 2);
}

static int deepest(const json_t *left, const json_t *right, int node)
{
    const int down = index_at(left, node);
    if (down < 0) return 0;
    const int a = deepest(left, right, down), b = deepest(left, right, index_at(right, node));
    return 1 + (a > b ? a : b);
}

static ag_status copy_tree(harness_trees *t, int number, const json_t *tree, ag_failure *why)
{
    const size_t nodes = (size_t)harness_trees_nodes(t), at = (size_t)number;
    const source s = {.left = json_object_get(tree, "left_children"),
                      .right = json_object_get(tree, "right_children"),
                      .column = json_object_get(tree, "split_indices"),
                      .condition = json_object_get(tree, "split_conditions"),
                      .to_column = t->column + at * nodes,
                      .to_limit = t->limit + at * nodes,
                      .to_leaf = t->leaf + at * (nodes + 1),
                      .nodes = (int)nodes};
    if (!s.left || !s.right || !s.column || !s.condition)
        return ag_fail(why, AG_EDATA,
                       "trees: tree %d of XGBoost's JSON lacks a list; use another version of "
                       "libxgboost",
                       number);
    if (deepest(s.left, s.right, 0) > t->depth)
        return ag_fail(why, AG_EDATA, "trees: tree %d is deeper than %d", number, t->depth);
    copy_node(&s, 0, 0);
    return AG_OK;
}

static const json_t *trees_of(const json_t *model)
{
    static const char *const path[] = {"learner", "gradient_booster", "model", "trees"};
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) model = json_object_get(model, path[i]);
    return model;
}

ag_status harness_trees_take(harness_trees *t, int first, harness_boosting *boosting,
                             ag_failure *why)
{
    size_t bytes = 0;
    const char *text = harness_boosting_json(&bytes, boosting, why);
    json_t *model = text ? json_loadb(text, bytes, 0, NULL) : NULL;
    const json_t *trees = trees_of(model);
    if (!json_is_array(trees))
        ag_fail(why, AG_EDATA, "trees: XGBoost's JSON has no trees; use another version of it");
    const int n = (int)json_array_size(trees);
    for (int i = 0; i < n && first + i < t->count && !why->status; i++)
        copy_tree(t, first + i, json_array_get(trees, (size_t)i), why);
    json_decref(model);
    return why->status;
}
