/* SPDX-License-Identifier: MIT */
/* The noise of the run times of a file, which the lab writes next to it. */
#include "examples/tpugraphs/tpugraphs.h"
#include "examples/harness/harness.h"

#include <jansson.h>
#include <string.h>

void tpugraphs_manifest_close(tpugraphs_manifest *m)
{
    harness_free(m->folder);
    json_decref(m->root);
    *m = (tpugraphs_manifest){0};
}

/* A folder without a manifest, or with something else of that name, states no noise. */
static void open_folder(tpugraphs_manifest *m, const char *path, size_t length)
{
    if (m->folder && strlen(m->folder) == length && !strncmp(m->folder, path, length)) return;
    tpugraphs_manifest_close(m);
    m->folder = harness_text("%.*s", (int)length, path);
    char *file = harness_text("%smanifest.json", m->folder);
    m->root = json_load_file(file, 0, NULL);
    harness_free(file);
}

double tpugraphs_noise(tpugraphs_manifest *m, const char *path)
{
    const char *name = harness_files_base(path), *end = strstr(name, ".npz");
    open_folder(m, path, (size_t)(name - path));
    char *key = harness_text("%.*s", end ? (int)(end - name) : 0, name);
    const json_t *facts = json_object_get(json_object_get(m->root, "files"), key);
    const double noise = json_number_value(json_object_get(facts, "noise"));
    harness_free(key);
    return noise > 0 && noise < 10 ? noise : 0;
}
