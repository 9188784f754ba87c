/* SPDX-License-Identifier: MIT */
/* The findings of the checker: a line for each place in the sources, when the program ends. */
#include "check.hpp"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <map>
#include <tuple>

namespace cuda_on_host
{

struct finding {
    long times;
    access other; /* of the first time, as are these: */
    uint32_t block;
    uint16_t thread;
};
using place_of_finding = std::tuple<std::string, std::string, void *>; /* kernel, mistake, pc */
static std::map<place_of_finding, finding> findings;
static long found;

/* file:line of an address, or its offset where there is no addr2line. */
static std::string line_of(void *pc)
{
    Dl_info info;
    char line[500] = "", offset[40];
    if (!pc || !dladdr(pc, &info)) return "";
    snprintf(offset, sizeof offset, "%#lx",
             (unsigned long)((char *)pc - 1 - (char *)info.dli_fbase));
    const bool whole = info.dli_fname && info.dli_fname[0] == '/';
    const std::string path = whole ? info.dli_fname : "/proc/" + std::to_string(getpid()) + "/exe";
    const std::string command = "addr2line -s -e '" + path + "' " + offset + " 2>/dev/null";
    FILE *f = popen(command.c_str(), "r");
    if (f && !fgets(line, sizeof line, f)) line[0] = 0;
    if (f) pclose(f);
    for (char *p = line; *p; p++)
        if (*p == '\n' || *p == ' ') *p = 0;
    return std::string(" at ") + (*line && *line != '?' ? line : offset);
}

static void print(const place_of_finding &at, const finding &f)
{
    fprintf(stderr, "  %s %s%s: ", std::get<0>(at).c_str(), std::get<1>(at).c_str(),
            line_of(std::get<2>(at)).c_str());
    fprintf(stderr, "block %u thread %u", f.block, f.thread);
    if (f.other.kind) fprintf(stderr, " and block %u thread %u", f.other.block, f.other.thread);
    fprintf(stderr, f.times == 1 ? "\n" : ", %ld times\n", f.times);
}

extern "C" void cuda_on_host_check_report()
{
    enum { MOST = 30 };
    int shown = 0;
    if (!found) return;
    fflush(stdout);
    fprintf(stderr, "cuda_on_host: the checker found %zu bad places:\n", findings.size());
    for (const auto &[at, f] : findings)
        if (shown++ < MOST) print(at, f);
    if (shown > MOST) fprintf(stderr, "  and %d more\n", shown - MOST);
    fflush(stderr);
    _exit(EXIT_CHECKER);
}

void bad(const char *what, void *pc, const access *other)
{
    if (!found++) atexit(cuda_on_host_check_report);
    finding &f = findings[{now.running ? now.running->name : "a library", what, pc}];
    if (f.times++) return;
    f.block = now.block;
    f.thread = now.thread;
    f.other = other ? *other : access();
}

} // namespace cuda_on_host
