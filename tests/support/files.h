/* SPDX-License-Identifier: MIT */
/* A temporary folder for a test program, whole files in it, and what the shell prints. */
#ifndef TESTS_FILES_H
#define TESTS_FILES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char files_folder[256];

/* Group set-up: makes the folder. Needs _GNU_SOURCE (mkdtemp). */
static inline int files_make(void **state)
{
    const char *parent = getenv("TMPDIR");
    snprintf(files_folder, sizeof files_folder, "%.200s/augur.XXXXXX", parent ? parent : "/tmp");
    return mkdtemp(files_folder) ? 0 : -1;
}

/* A path in the folder, in one of four buffers that take turns. */
static inline const char *files_path(const char *name)
{
    static char path[4][600];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", files_folder, name);
    return path[turn];
}

static inline int files_count(void)
{
    int n = 0;
    DIR *d = opendir(files_folder);
    for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

/* Group tear-down: removes the folder and all in it. */
static inline int files_remove(void **state)
{
    char command[300];
    snprintf(command, sizeof command, "rm -r '%s'", files_folder);
    return system(command);
}

static inline int files_put(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    if (!file) return -1;
    size_t put = fwrite(bytes, 1, n, file);
    return fclose(file) == 0 && put == n ? 0 : -1;
}

/* The bytes of a file and a terminating 0, in memory of the caller's (malloc); NULL when it cannot
   be read. */
static inline void *files_get(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *bytes = size < 0 ? NULL : calloc((size_t)size + 1, 1);
    *n = bytes ? fread(bytes, 1, (size_t)size, file) : 0;
    fclose(file);
    return bytes;
}

/* The output of a line of the shell, of which `room` - 1 bytes are kept. Returns its exit code; -1:
   it was ended by a signal. */
static inline int shell_text(char *text, size_t room, const char *line)
{
    FILE *from = popen(line, "r");
    text[from ? fread(text, 1, room - 1, from) : 0] = 0;
    const int status = from ? pclose(from) : -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The text of folder/name, in the same way. */
static inline char *files_text(const char *folder, const char *name)
{
    char path[900];
    size_t n;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return files_get(path, &n);
}

#endif
