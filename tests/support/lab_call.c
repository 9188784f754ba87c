/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "lab_call.h"

#include "examples/lab/lab.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "files.h"

static char start_folder[4096];

int lab_folder_make(void **state)
{
    return getcwd(start_folder, sizeof start_folder) && !files_make(state) && !chdir(files_folder)
               ? 0
               : -1;
}

int lab_folder_remove(void **state) { return chdir(start_folder) ? -1 : files_remove(state); }

static void redirect(const char *name, int to)
{
    const int file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(file, to);
    close(file);
}

pid_t lab_start(const char *line)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child != 0) return child;
    int argc = 0;
    char *argv[64], *rest = NULL, *copy = strdup(line);
    for (char *word = strtok_r(copy, " ", &rest); word && argc < 63;
         word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    argv[argc] = NULL;
    redirect(".stdout", STDOUT_FILENO);
    redirect(".stderr", STDERR_FILENO);
    const int code = lab_main(argc, argv);
    fflush(stdout);
    free(copy);
    exit(code); /* and not _exit: leaks are reported at exit */
}

char *lab_file(const char *path, size_t *n) { return files_get(path, n); }

void lab_file_put(const char *path, const char *text)
{
    assert_int_equal(files_put(path, text, strlen(text)), 0);
}

static void slurp(const char *name, char *to, size_t bytes)
{
    size_t n = 0;
    char *text = lab_file(name, &n);
    snprintf(to, bytes, "%s", text ? text : "");
    free(text);
}

const lab_outcome *lab_call(const char *line)
{
    static lab_outcome o;
    int status;
    const pid_t child = lab_start(line);
    waitpid(child, &status, 0);
    o.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    slurp(".stdout", o.out, sizeof o.out);
    slurp(".stderr", o.err, sizeof o.err);
    return &o;
}

const lab_outcome *lab_expect(const char *line, int code, const char *out, const char *err)
{
    const lab_outcome *o = lab_call(line);
    if (o->code != code || !strstr(o->out, out) || !strstr(o->err, err))
        print_error("%s: exit %d\nstdout: %s\nstderr: %s\n", line, o->code, o->out, o->err);
    assert_int_equal(o->code, code);
    assert_non_null(strstr(o->out, out));
    assert_non_null(strstr(o->err, err));
    return o;
}
