/* SPDX-License-Identifier: MIT */
/* Planted mistakes. Each runs in a process of its own, which has to end with a message that has
   `text` in it (one of them, where | separates some); or the mistake shows in a result, and `run`
   returns 1 then and `text` is NULL. */
#ifndef SELFTEST_MISTAKES_HPP
#define SELFTEST_MISTAKES_HPP

#include "selftest.hpp"

#include "cuda_on_host.h"

struct mistake {
    const char *what;
    int (*run)();
    const char *text;
};
extern const mistake mistakes_of_threads[], mistakes_of_host[], mistakes_of_memory[],
    mistakes_of_blas_lt[], mistakes_checked[];
extern const int n_mistakes_of_threads, n_mistakes_of_host, n_mistakes_of_memory,
    n_mistakes_of_blas_lt, n_mistakes_checked;

#define MISTAKES(name, ...)          \
 const mistake name[] = __VA_ARGS__; \
 const int n_##name = (int)(sizeof name / sizeof name[0])

#endif
