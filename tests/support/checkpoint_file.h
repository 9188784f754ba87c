/* SPDX-License-Identifier: MIT */
/* The one checkpoint that the tests of checkpoints write again and again, in a folder. */
#include "files.h"

static char path[300];

static int make_folder(void **state)
{
    int status = files_make(state);
    strcpy(path, files_path("x.safetensors"));
    return status;
}

static int remove_folder(void **state)
{
    unlink(path);
    return files_count() + files_remove(state); /* fails if a temporary file was left */
}
