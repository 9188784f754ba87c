/* SPDX-License-Identifier: MIT */
/* The noise of the run times of a file, which the lab writes next to it. */
#include "examples/tpugraphs/tpugraphs.h"
#include "examples/harness/harness.h"
#include "examples/harness/rank/rank.h"
#include "examples/harness/base/file.h"

#include <jansson.h>
#include <string.h>

/* The manifest of a folder, with whose name and slash `path` begins. A folder without one, or with
   something else of that name, states no noise: NULL. */
static json_t *load(const char *path, int length)
{
    char *file = harness_text("%.*smanifest.json", length, path);
    ag_failure none = {0};
    json_t *root = harness__load_json(file, &none);
    const char *mistaken = root ? NULL : ag_file_mistaken(file);
    if (mistaken)
        harness_warn("%s %s; without it there are no noise ceilings", harness_files_short(file),
                     mistaken);
    harness_free(file);
    return root;
}

static double noise_of(const json_t *root, const char *name)
{
    const char *end = strstr(name, ".npz");
    char *key = harness_text("%.*s", end ? (int)(end - name) : 0, name);
    const json_t *facts = json_object_get(json_object_get(root, "files"), key);
    const double noise = json_number_value(json_object_get(facts, "noise"));
    harness_free(key);
    return noise > 0 && noise < 10 ? noise : 0;
}

void tpugraphs_noise(harness_rank *rank, const char *const *path)
{
    json_t *root = NULL;
    double *noise = HARNESS_NEW(noise, rank->groups);
    for (int i = 0, before = -1; i < rank->groups; i++) {
        const char *name = harness_files_base(path[i]);
        const int folder = (int)(name - path[i]);
        if (folder != before || strncmp(path[i], path[i - 1], (size_t)folder) != 0) {
            json_decref(root);
            root = load(path[i], folder);
        }
        before = folder;
        noise[i] = noise_of(root, name);
    }
    harness_rank_noise(rank, noise);
    json_decref(root);
    harness_free(noise);
}
