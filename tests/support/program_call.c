/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "sanitized.h"
#include "program_call.h"
#include "core/internal.h"
#include "examples/lab/lab.h"
#include "examples/nests/program.h"
#include "examples/tgraph/program.h"
#include "examples/tpgnn/program.h"
#include "examples/tpu/program.h"
#include "tgraph_npz.h"
#include "files.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

int program_pictures;
void (*program_before)(void);
const char *program_stdout = "stdout";
const harness_program *program_own;

int program_folder_make(void **state) { return test_folder_make(state) ? -1 : chdir(test_folder); }

char *program_text_of(const char *name)
{
    char *text = files_text(test_folder, name);
    if (!text) fail_msg("%s is not there", name);
    return text;
}

void program_expect_in(const char *part, const char *format, ...)
{
    char name[200];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    char *text = program_text_of(name);
    if (!strstr(text, part)) fail_msg("%s lacks %s", name, part);
    free(text);
}

void program_write_text(const char *name, const char *text)
{
    assert_int_equal(files_put(test_file(name), text, strlen(text)), 0);
}

uint64_t program_hash_of(const char *name)
{
    size_t bytes;
    char *text = files_get(test_file(name), &bytes);
    if (!text) fail_msg("%s is not there", name);
    const uint64_t hash = XXH3_64bits(text, bytes);
    free(text);
    return hash;
}

void program_expect_same(const char *one, const char *two)
{
    static const char *const files[] = {"last.safetensors", "best.safetensors", "metrics.jsonl",
                                        "metrics.csv", "config.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *a = formatted("%s/%s", one, files[i]), *b = formatted("%s/%s", two, files[i]);
        if (program_hash_of(a) != program_hash_of(b)) fail_msg("%s and %s differ", a, b);
    }
}

static void redirect(const char *name, int to)
{
    const int file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(file, to);
    close(file);
}

static void slurp(const char *name, char *to, size_t bytes)
{
    FILE *file = fopen(test_file(name), "rb");
    to[file ? fread(to, 1, bytes - 1, file) : 0] = 0;
    if (file) fclose(file);
}

static int run(int argc, char **argv)
{
    const harness_program *const programs[] = {program_own, &tpu_program_table,
                                               &tpgnn_program_table, &nests_program_table,
                                               &tgraph_program_table};
    if (strcmp(argv[0], "lab") == 0) return lab_main(argc, argv);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (programs[i] && strcmp(argv[0], programs[i]->name) == 0)
            return harness_main(programs[i], argc, argv);
    return 99;
}

static int others_run(void)
{
    DIR *threads = opendir("/proc/self/task");
    int run = 0;
    for (struct dirent *e; threads && (e = readdir(threads));) {
        char text[512] = "";
        const char *path = formatted("/proc/self/task/%s/stat", e->d_name);
        const int other = e->d_name[0] != '.' && atol(e->d_name) != (long)getpid();
        FILE *file = other ? fopen(path, "r") : NULL;
        if (!file) continue;
        const char *name_ends = fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
        run |= name_ends && name_ends[2] != 'S';
        fclose(file);
    }
    if (threads) closedir(threads);
    return run;
}

pid_t program_fork(void)
{
    while (SANITIZED && others_run()) usleep(1000);
    return fork();
}

/* nth: an allocation that fails; 0: none. */
static pid_t start(const char *line, long nth)
{
    fflush(NULL);
    const pid_t child = program_fork();
    if (child != 0) return child;
    int argc = 0;
    char *argv[64], *rest = NULL, *copy = strdup(line);
    for (char *word = strtok_r(copy, " ", &rest); word && argc < 63;
         word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    argv[argc] = NULL;
    if (chdir(test_folder) != 0) _exit(99);
    redirect(program_stdout, STDOUT_FILENO);
    redirect("stderr", STDERR_FILENO);
    if (!program_pictures) setenv("PATH", "/none", 1);
    if (program_before) program_before();
    if (nth) ag__fail_allocation(nth, 0);
    const int code = run(argc, argv);
    fflush(stdout);
    free(copy);
    exit(code); /* and not _exit: leaks are reported at exit */
}

pid_t program_start(const char *line) { return start(line, 0); }

static program_outcome finish(pid_t child)
{
    program_outcome o;
    int status;
    waitpid(child, &status, 0);
    o.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    slurp("stdout", o.out, sizeof o.out);
    slurp("stderr", o.err, sizeof o.err);
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
        print_error("ended by signal %d; stderr: %s\n", WTERMSIG(status), o.err);
    return o;
}

program_outcome program_call(const char *line) { return finish(start(line, 0)); }

program_outcome program_call_signal(const char *line, int signal, const char *name, long bytes)
{
    const pid_t child = start(line, 0);
    struct stat about;
    siginfo_t ended = {0};
    while (stat(test_file(name), &about) != 0 || about.st_size < bytes) {
        waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT);
        if (ended.si_pid == child) break;
        usleep(500);
    }
    kill(child, signal);
    return finish(child);
}

/* The sentence of a failure is the last line, without a full stop; a usage page has whole ones. */
static int ends_alike(const char *err)
{
    const size_t n = strlen(err);
    return n < 2 || err[n - 1] != '\n' || err[n - 2] != '.' || strstr(err, "\nUsage:");
}

program_outcome program_expect(const char *line, int code, const char *out, const char *err)
{
    program_outcome o = program_call(line);
    if (o.code != code || !strstr(o.out, out) || !strstr(o.err, err) ||
        (code && !ends_alike(o.err))) {
        print_error("%s: exit %d, not %d\nstdout: %s\nstderr: %s\n", line, o.code, code, o.out,
                    o.err);
        fail_msg("not as wanted: \"%s\" on stdout, \"%s\" on stderr", out, err);
    }
    return o;
}

program_outcome program_expect_line(int code, const char *out, const char *err, const char *format,
                                    ...)
{
    char line[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    return program_expect(line, code, out, err);
}

json_t *program_json(const char *line, const char *err)
{
    json_error_t error;
    const program_outcome o = program_expect(line, 0, "", err);
    json_t *j = json_loads(o.out, 0, &error);
    if (!j) fail_msg("%s: %s", line, error.text);
    return j;
}

void program_scores(double *number, int n, const char *key, const char *line)
{
    json_t *list = program_json(formatted("%s --json", line), ""), *group, *value;
    size_t g, i;
    int k = 0;
    json_array_foreach(list, g, group)
    {
        json_array_foreach(json_object_get(group, key), i, value)
        {
            const json_t *item = json_array_get(json_object_get(group, "items"), i);
            assert_true(k < n && json_integer_value(item) == (json_int_t)i);
            number[k++] = json_number_value(value);
        }
    }
    assert_int_equal(k, n);
    json_decref(list);
}

double program_number(const json_t *j, const char *key)
{
    const json_t *value = json_object_get(j, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

json_t *program_mean(const json_t *j, const char *method)
{
    return json_object_get(json_object_get(j, "mean"), method);
}

int program_count(const char *text, const char *part)
{
    int n = 0;
    for (; (text = strstr(text, part)); text++) n++;
    return n;
}

void program_each_fails(const char *line, int stride, int least, void (*check)(void))
{
    long n = 1, quiet = 0, failed = 0, calm = 8; /* the last ones come and go with the threads */
    if (SANITIZED) {                             /* which makes a call take ten times as long */
        calm = 2;
        stride *= 20;
        least /= 20;
    }
    if (getenv("AUGUR_STRIDE")) stride = atoi(getenv("AUGUR_STRIDE"));
    for (; quiet < calm; n += stride) {
        const program_outcome o = finish(start(line, n));
        if (o.code == 0) {
            quiet++;
            continue;
        }
        quiet = 0;
        failed++;
        if (o.code != 5 || !strstr(o.err, "memory"))
            fail_msg("%s: allocation %ld: exit %d: %s", line, n, o.code, o.err);
        if (check) check();
    }
    print_message("%s: %ld of about %ld allocations\n", line, failed, n - (calm + 1) * stride);
    assert_true(failed > least);
}

ag_random program_random(void)
{
    const char *given = getenv("AUGUR_SEED");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)now.tv_nsec;
    print_message("Random steps: AUGUR_SEED=%llu repeats them.\n", (unsigned long long)seed);
    return (ag_random){seed, 0, 0};
}
