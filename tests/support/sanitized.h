/* SPDX-License-Identifier: MIT */
/* SANITIZED: 1 where a sanitizer watches memory or threads, with ten times the instructions;
   SANITIZED_THREADS: where it watches threads. */
#ifndef AG_TESTS_SANITIZED_H
#define AG_TESTS_SANITIZED_H

#ifndef __has_feature /* gcc says it by macros */
# define __has_feature(name) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
# define SANITIZED_THREADS 1
#else
# define SANITIZED_THREADS 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer) || SANITIZED_THREADS
# define SANITIZED 1
#else
# define SANITIZED 0
#endif

/* Of the loops that results are compared with: sanitizers watch the code that made the results. */
#define PLAIN_LOOP __attribute__((no_sanitize("address", "undefined", "thread")))

#endif
