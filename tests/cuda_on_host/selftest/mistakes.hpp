/* SPDX-License-Identifier: MIT */
/* Planted mistakes. Each runs in a process of its own, which has to end with a message that has
   `text` in it (one of them, where | separates some); where `text` is NULL, the mistake shows in a
   result. */
#ifndef SELFTEST_MISTAKES_HPP
#define SELFTEST_MISTAKES_HPP

#include "selftest.hpp"

#include "cuda_on_host.h"

#include <unistd.h>

struct mistake {
    const char *what;
    void (*run)();
    const char *text;
};
extern const std::vector<mistake> mistakes_of_threads, mistakes_of_host, mistakes_of_memory,
    mistakes_of_blas_lt, mistakes_checked;

/* A kernel whose work is the mistake. */
template <class... Rest> void launch(dim3 blocks, dim3 threads, Rest... rest)
{
    DONE(start(one, blocks, threads, rest...));
}

enum { WRONG = 90 };
inline void shows(bool wrong)
{
    if (wrong) _exit(WRONG);
}

#endif
