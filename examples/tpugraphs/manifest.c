/* SPDX-License-Identifier: MIT */
/* The noise of the run times of a file, which the lab writes next to it. */
#include "examples/tpugraphs/tpugraphs.h"
#include "examples/harness/harness.h"
#include "examples/harness/rank/rank.h"
#include "examples/harness/base/file.h"

#include <jansson.h>
#include <string.h>

/* The manifest of the folder of one file after the other. Start from {0}. */
typedef struct manifest {
    char *folder;
    json_t *root;
} manifest;

static void close_folder(manifest *m)
{
    harness_free(m->folder);
    json_decref(m->root);
    *m = (manifest){0};
}

/* A folder without a manifest, or with something else of that name, states no noise. */
static void open_folder(manifest *m, const char *path, size_t length)
{
    if (m->folder && strlen(m->folder) == length && !strncmp(m->folder, path, length)) return;
    close_folder(m);
    m->folder = harness_text("%.*s", (int)length, path);
    char *file = harness_text("%smanifest.json", m->folder);
    ag_failure none = {0};
    m->root = harness__load_json(file, &none);
    const char *mistaken = m->root ? NULL : ag_file_mistaken(file);
    if (mistaken)
        harness_warn("%s %s; without it there are no noise ceilings", harness_files_short(file),
                     mistaken);
    harness_free(file);
}

static double noise_of(manifest *m, const char *path)
{
    const char *name = harness_files_base(path), *end = strstr(name, ".npz");
    open_folder(m, path, (size_t)(name - path));
    char *key = harness_text("%.*s", end ? (int)(end - name) : 0, name);
    const json_t *facts = json_object_get(json_object_get(m->root, "files"), key);
    const double noise = json_number_value(json_object_get(facts, "noise"));
    harness_free(key);
    return noise > 0 && noise < 10 ? noise : 0;
}

void tpugraphs_noise(harness_rank *rank, const char *const *path)
{
    manifest m = {0};
    double *noise = HARNESS_NEW(noise, rank->groups);
    for (int i = 0; i < rank->groups; i++) noise[i] = noise_of(&m, path[i]);
    harness_rank_noise(rank, noise);
    close_folder(&m);
    harness_free(noise);
}
