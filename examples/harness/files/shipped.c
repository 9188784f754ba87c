/* SPDX-License-Identifier: MIT */
/* Finds the models that ship, from the place of the running program. */
#define _GNU_SOURCE /* dladdr */
#include "examples/harness/files/shipped.h"

#include "core/error.h"
#include "examples/harness/base/base.h"
#include "examples/harness/files/files.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODELS "share/augur/models"

/* The nearest folder of models; NULL: there is none. */
static const char *folder_above(const char *file)
{
    char *at = realpath(file, NULL), *end;
    const char *models = NULL;
    while (at && !models && (end = strrchr(at, '/'))) {
        *end = 0;
        models = harness_format("%s/" MODELS, at);
        if (access(models, R_OK | X_OK) != 0) models = NULL;
    }
    free(at);
    return models;
}

/* A program that is found by PATH has a name without a folder; Linux knows its file. */
static const char *models_folder(void)
{
    Dl_info here = {0};
    const char *models = NULL;
    if (dladdr((void *)(uintptr_t)harness_shipped_path, &here) && here.dli_fname)
        models = folder_above(here.dli_fname);
    return models ? models : folder_above("/proc/self/exe");
}

static bool is_model(const char *models, const char *name)
{
    return *name != '.' && !strchr(name, '/') &&
           access(harness_format("%s/%s/" HARNESS_BEST, models, name), R_OK) == 0;
}

static ag_status refuse(const char *name, const char *models, ag_failure *why)
{
    struct dirent **entry = NULL;
    const char *list = "";
    const int n = scandir(models, &entry, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        if (is_model(models, entry[i]->d_name))
            list = harness_format("%s%s%s", list, *list ? ", " : "", entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    return ag_fail(why, AG_EFILE, "no model \"%.60s\" ships with the programs; there are %.300s",
                   name, *list ? list : "none");
}

const char *harness_shipped_path(const char *name, ag_failure *why)
{
    const char *models = models_folder();
    if (models && is_model(models, name)) return harness_format("%s/%s", models, name);
    if (models)
        refuse(name, models, why);
    else
        ag_fail(
            why, AG_EFILE,
            "no model \"%.60s\" is found, since neither the folder of this program nor one above "
            "has " MODELS "; install it with cmake --install, or name a run folder",
            name);
    return NULL;
}
